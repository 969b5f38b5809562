package rest

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/memory"
)

// route is one row of the table of routes: its description in the OpenAPI document, and who may
// call it. The rows are in the files of their subjects.
type route struct {
	ID, Method, Path string
	Who              access
	// Action is the action of the route. Public routes have none. More has further actions that some requests need.
	Action gate.Action
	More   []gate.Action
	// Limit is an additional limit, besides the one for all routes.
	Limit auth.Policy
	// Missing is the noun in a NotFound error; default: that of the last id in Path, or else a memory.
	Missing       missing
	Summary, Text string
	Status        int // on success; 0: 200
	In, Out       any // examples; without Out and Alternatives: 204
	Conditional   bool
	// Bulk accepts bodies of maxBulk bytes, and Notes of maxNotes bytes. Lines accepts lines of JSON.
	// Again means that the status is 200 if everything existed already.
	Bulk, Notes, Lines, Again bool
	// Raw accepts a body of any type, which the handler reads as it arrives. Takes documents it.
	Raw   bool
	Takes func(*server) *huma.RequestBody
	// Probe only reports the state of the server, so no limit applies.
	Probe bool
	// Reads marks a POST that changes nothing, so it needs no Idempotency-Key.
	// Atomic marks one that makes its change in one transaction of the org.
	Reads, Atomic bool
	// ForAgents puts a route outside of /agent/ into the document of agents.
	ForAgents bool
	// Alternatives are other media types of the answer.
	Alternatives map[string]*huma.MediaType
	// Further are answers besides those that the rest of the line implies.
	Further map[string]*huma.Response

	tag string
}

// These are the periods in the texts of routes, in days.
var (
	trashDays  = strconv.Itoa(loci.TrashDays)
	inviteDays = strconv.Itoa(int(loci.InviteLife.Hours()) / 24)
)

// table has the routes with one tag in the OpenAPI document.
type table struct {
	tag    string
	routes []served
}

// served is a route with the function that registers its handler.
type served struct {
	route    route
	register func(*server, route)
}

// serve returns a route with its handler. A pattern is like "GET /health".
func serve[I, O any](
	pattern string, r route, do func(*server, context.Context, loci.Principal, *I) (*O, error),
) served {
	return served{routeAt(pattern, r), func(s *server, r route) {
		add(s, r, func(ctx context.Context, p loci.Principal, in *I) (*O, error) { return do(s, ctx, p, in) })
	}}
}

func routeAt(pattern string, r route) route {
	r.Method, r.Path, _ = strings.Cut(pattern, " ")
	if at := strings.LastIndex(r.Path, "/{"); at > 0 && r.Missing == "" {
		of := r.Path[:at]
		r.Missing = nouns[of[strings.LastIndex(of, "/")+1:]]
	}
	return r
}

func tables() []table {
	return []table{
		healthRoutes, memoryRoutes, agentMemoryRoutes, listRoutes, agentListRoutes, recallRoutes, accountRoutes,
		signInRoutes, keyRoutes,
		teamRoutes, orgRoutes, auditRoutes, adminRoutes, settingRoutes, projectRoutes, graphReadRoutes, graphRoutes,
		suggestionRoutes, agentRoutes,
		sessionRoutes, taskRoutes, reflectRoutes, contextPackRoutes, reviewRoutes, eventRoutes, contextRoutes,
		assetRoutes, sourceRoutes,
		nodeRoutes, historyRoutes, bulkRoutes, changeRoutes, dreamRoutes, goldenRoutes,
	}
}

func (s *server) register() {
	for _, t := range tables() {
		for _, one := range t.routes {
			r := one.route
			r.tag = t.tag
			one.register(s, r)
		}
	}
}

// operation is the route as huma registers and documents it.
func (r route) operation(s *server) huma.Operation {
	if r.Who < forAll || r.Who > forPeople {
		panic("rest: " + r.ID + " does not say who may call it")
	}
	if (r.Who == forAll) != (r.Action == "") {
		panic("rest: " + r.ID + " does not say what it carries out")
	}
	op := huma.Operation{
		OperationID: r.ID, Method: r.Method, Path: place + r.Path, Summary: r.Summary, Description: r.Text,
		Tags: []string{r.tag}, DefaultStatus: r.Status, MaxBodyBytes: r.maxBody() + 1, BodyReadTimeout: -1,
		RejectUnknownQueryParameters: r.Who != forAll,
		Responses:                    r.responses(),
	}
	if r.Who != forAll {
		op.Security = []map[string][]string{{bearerScheme: {}}, {keyScheme: {}}, {bearerScheme: {}, dashboardScheme: {}}}
		if r.Who == forPeople || r.Action == identity.WhoAmI {
			op.Security = append(op.Security, map[string][]string{cookieScheme: {}})
		}
		op.Extensions = map[string]any{"x-actions": append([]gate.Action{r.Action}, r.More...)}
	}
	if r.repeatable() {
		op.Parameters = append(op.Parameters, onceParameter)
	}
	r.takesSession(&op)
	if r.Out != nil && r.Alternatives != nil { // the handler may answer with bytes, so huma cannot tell the type
		schemas := s.api.OpenAPI().Components.Schemas
		op.Responses["200"].Content[jsonType].Schema = schemas.Schema(reflect.TypeOf(r.Out), true, "")
	}
	if r.In != nil {
		op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{r.bodyType(): {Example: asSent(r.In)}}}
	}
	return op
}

// maxBody returns the largest body that the route accepts, in bytes.
func (r route) maxBody() int64 {
	switch {
	case r.Bulk:
		return maxBulk
	case r.Notes:
		return maxNotes
	}
	return maxBody
}

// bodyType returns the media type of the bodies that the route accepts.
func (r route) bodyType() string {
	if r.Lines {
		return jsonLines
	}
	return jsonType
}

// asSent returns an example as it is in a body, so that its times look like those of answers.
func asSent(v any) json.RawMessage {
	b, err := loci.EncodeJSON(v)
	if err != nil {
		panic("rest: " + err.Error()) // made of our own structs
	}
	return b
}

// ofProject reports whether the route is about an existing project.
func (r route) ofProject() bool { return strings.HasPrefix(r.Path, "/projects/") }

// responses documents the success with its example, and the errors.
func (r route) responses() map[string]*huma.Response {
	ok := &huma.Response{Description: "Done", Content: map[string]*huma.MediaType{}}
	if r.Out != nil {
		ok.Content[jsonType] = &huma.MediaType{Example: asSent(r.Out)}
	}
	maps.Copy(ok.Content, r.Alternatives)
	if r.Out != nil && r.repeatable() {
		ok.Content[replayedType] = &huma.MediaType{Schema: &huma.Schema{Ref: replayedRef}}
	}
	out := map[string]*huma.Response{}
	switch {
	case len(ok.Content) == 0:
		out["204"] = &huma.Response{Description: "Done, without a body"}
	case r.Status == http.StatusCreated:
		out["201"] = ok
		ok.Description = "Stored on disk"
		if r.Again { // huma adds the schema to the content that both share
			out["200"] = &huma.Response{Description: "It already existed and is now as the answer shows", Content: ok.Content}
		}
	default:
		out["200"] = ok
	}
	fail := func(status, text string) { out[status] = problemResponse(text) }
	fail("500", "A fault in the server. Its log has the details under X-Request-Id")
	if !r.Probe {
		fail("429", "Too many requests. Try again after Retry-After")
	}
	if r.Who != forAll {
		r.refusals(fail)
	}
	if r.Conditional && r.Method == http.MethodGet {
		out["304"] = &huma.Response{Description: "Unchanged since a version in If-None-Match"}
	}
	maps.Copy(out, r.Further)
	return out
}

var rules = app.Rules()

// refusals documents the errors of routes that require a credential.
func (r route) refusals(fail func(status, text string)) {
	fail("400", "Bad input; field names it")
	fail("401", "Missing, unknown, revoked or expired credential")
	fail("403", "Not allowed. If the code is step_up_required, confirm your identity at step_up_url")
	fail("503", "The storage is not available")
	rule := rules[r.Action]
	edits := r.ofProject() && r.Method != http.MethodGet
	changes := rule.Are(gate.WithChange) || edits
	if rule.Are(gate.WithChange|gate.WithCall) || edits { // an entry of the audit trail needs room, too
		fail("507", "The disk is full. Loci wrote nothing")
	}
	if changes && !r.Conditional || r.Action == memory.PoolRead || r.ofProject() || r.Method == http.MethodPost {
		fail("409", "It already exists or is in another state")
	}
	if r.In != nil {
		fail("408", "The body arrived too slowly; send it again")
		fail("413", "The body is larger than "+strconv.FormatInt(r.maxBody()>>20, 10)+" MiB")
		fail("415", "The body is not "+r.bodyType())
	}
	if r.Raw {
		fail("408", "The body arrived too slowly; send it again")
		fail("413", "The file is larger than the org allows")
		fail("415", "The body is compressed")
	}
	if strings.Contains(r.Path, "{") || r.Missing != "" {
		fail("404", r.Missing.text())
	}
	if r.Conditional && r.Method != http.MethodGet {
		fail("412", "It is not at the version in If-Match")
	}
}

// erasedToo is what a deletion that can be permanent answers, too.
var erasedToo = map[string]*huma.Response{"204": {Description: "Deleted permanently"}}

var markdownToo = map[string]*huma.MediaType{"text/markdown": {Schema: &huma.Schema{Type: huma.TypeString},
	Example: "# Memory briefing\n\nYou can read 1 memory."}}
