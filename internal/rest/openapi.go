package rest

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
)

const (
	bearerScheme    = "bearer"
	dashboardScheme = "dashboard"
	keyScheme       = "key"
	cookieScheme    = "sign_in"
	schemaPrefix    = "#/components/schemas/"
	problemRef      = schemaPrefix + "Problem"
	replayedRef     = schemaPrefix + "Replayed"
)

func (s *server) config() huma.Config {
	schemas := huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer)
	aliasChanges(schemas)
	schemas.RegisterTypeAlias(reflect.TypeFor[problem](), reflect.TypeFor[client.Problem]())
	schemas.Schema(reflect.TypeFor[client.Problem](), true, "Problem")
	schemas.Schema(reflect.TypeFor[client.Replayed](), true, "Replayed")
	schemas.Schema(reflect.TypeFor[loci.FeedEvent](), true, "FeedEvent") // in the stream of changes
	address := cmp.Or(s.options.Site.PublicURL, "/")
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{Title: "Loci", Version: s.options.Version,
				Description: "One memory for every AI you use. Errors are RFC 9457 problem documents with a stable code. " +
					"Every path also works without " + place + ", for older clients. In place of an id, a request may send a name " +
					"or the beginning of the id; in place of a time, a date or a span such as 3d."},
			Servers: []*huma.Server{{URL: address}},
			Components: &huma.Components{Schemas: schemas,
				Parameters: map[string]*huma.Param{sessionParameter: sessionParam(),
					viewAsParameter: viewAsParam()}, SecuritySchemes: securitySchemes},
		},
		Formats:       map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat},
		DefaultFormat: "application/json",
	}
}

// securitySchemes are the ways to send a credential.
var securitySchemes = map[string]*huma.SecurityScheme{
	bearerScheme: {Type: "http", Scheme: "bearer", Description: "An owner, personal or agent key"},
	keyScheme: {Type: "apiKey", In: "header", Name: "x-api-key",
		Description: "The same keys, for clients that cannot send a bearer token"},
	cookieScheme: {Type: "apiKey", In: "cookie", Name: auth.SecureCookie,
		Description: "A browser sign-in; changes only from pages of this server"},
	dashboardScheme: {Type: "apiKey", In: "header", Name: "X-Dashboard-Token",
		Description: "The person signed in to a dashboard that sends its service key as bearer"},
}

// aliasChanges documents a field of a merge patch as the field that it changes.
func aliasChanges(r huma.Registry) {
	alias[string](r)
	alias[int](r)
	alias[bool](r)
	alias[time.Time](r)
	alias[[]string](r)
	alias[[]loci.Vendor](r)
	alias[loci.MemoryType](r)
	alias[loci.Scope](r)
	alias[loci.ProjectID](r)
	alias[loci.AgentID](r)
	alias[loci.NodeItemID](r)
}

func alias[T any](r huma.Registry) {
	r.RegisterTypeAlias(reflect.TypeFor[client.Change[T]](), reflect.TypeFor[T]())
}

// document prepares the OpenAPI document, after the last route. The document is written on first
// use, because that takes longer than the rest of the start.
func (s *server) document() {
	doc := s.api.OpenAPI()
	// huma cannot express "an object or null".
	answer := doc.Components.Schemas.Map()["QueryAnswer"]
	answer.Properties["model_config"] = &huma.Schema{Description: "What answered; null if no model is configured",
		AnyOf: []*huma.Schema{{Ref: schemaPrefix + "Model"}, {Type: "null"}}}
	for _, path := range doc.Paths {
		for _, op := range []*huma.Operation{path.Post, path.Patch} {
			if op != nil && op.RequestBody != nil && op.RequestBody.Content[jsonType] != nil {
				// huma documents this type for a body that is read as it arrives. The route would reject it with 415.
				delete(op.RequestBody.Content, binaryType)
			}
		}
		if path.Patch != nil {
			path.Patch.RequestBody.Content[mergePatch] = path.Patch.RequestBody.Content[jsonType]
		}
	}
	s.openAPI = sync.OnceValues(func() (whole []byte, agents document) {
		whole, err := refine(doc)
		if err == nil {
			agents, err = s.forAgents(whole)
		}
		if err != nil {
			panic("rest: " + err.Error()) // made of our own structs
		}
		return whole, agents
	})
}

type openAPIOutput struct {
	ContentType string `header:"Content-Type" hidden:"true"`
	Body        any
}

func (s *server) openAPIDocument(context.Context, loci.Principal, *struct{}) (*openAPIOutput, error) {
	whole, _ := s.openAPI()
	return &openAPIOutput{"application/json", whole}, nil
}

// These are the names under which the document describes the headers of many routes.
const (
	sessionParameter = "Session"
	viewAsParameter  = "ViewAs"
	parameterPrefix  = "#/components/parameters/"
)

func sessionParam() *huma.Param {
	return &huma.Param{Name: auth.SessionHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
		Description: "The session that the request belongs to, by id or title. What the request writes then belongs to the " +
			"session. If it may act as the session's agent, it reaches the agent's memories. 400 if you cannot see such a " +
			"session, 409 if it is closed."}
}

func viewAsParam() *huma.Param {
	return &huma.Param{Name: auth.ViewAsHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
		Description: "A vendor, such as chatgpt. A person then gets what that vendor's assistants get, for whom the person " +
			"decides. 403 for agents."}
}

// takesSession documents the headers of routes whose requests can belong to a session, or ask for what a vendor sees.
func (r route) takesSession(op *huma.Operation) {
	if r.Who == forAll {
		return
	}
	if r.Method == http.MethodGet || r.Reads {
		op.Parameters = append(op.Parameters, &huma.Param{Ref: parameterPrefix + viewAsParameter})
	}
	op.Parameters = append(op.Parameters, &huma.Param{Ref: parameterPrefix + sessionParameter})
	if op.Responses["409"] == nil {
		op.Responses["409"] = problemResponse("The session of " + auth.SessionHeader + " is closed")
	}
}

// problems are the answers of problemResponse by their text. Most routes have the same ones, which together took
// a third of the memory of an idle server.
var problems sync.Map

// problemResponse documents an error. Nobody may change the answer.
func problemResponse(text string) *huma.Response {
	response, _ := problems.LoadOrStore(text, &huma.Response{Description: text,
		Content: map[string]*huma.MediaType{problemType: {Schema: &huma.Schema{Ref: problemRef}}}})
	return response.(*huma.Response) //nolint:forcetypeassert // nothing else is stored
}

// The examples of the OpenAPI document are one small world, so that they fit
// together. A test validates each against its schema.
var (
	exampleTime = time.Date(2026, 11, 20, 16, 0, 0, 0, time.UTC)
	exampleID   = loci.MemoryID{0x6f, 0x1d, 0x2c, 0x1e, 0x8a, 0x52, 0x4c, 0x0e, 0x9d, 0x7b, 0x2f, 0x3a, 0x4b, 0x5c,
		0x6d, 0x7e}
	otherID = loci.MemoryID{0x1b, 0x9d, 0x6b, 0xcd, 0xbb, 0xfd, 0x4b, 0x2d, 0x9b, 0x5d, 0xab, 0x8d, 0xfb, 0xbd,
		0x4b, 0xed}
	exampleUser = loci.UserID{0x0d, 0x9a, 0x1b, 0x3c, 0x5e, 0x7f, 0x41, 0x28, 0x8c, 0x6d, 0x1e, 0x2f, 0x3a, 0x4b,
		0x5c, 0x6d}
	exampleMemory = &loci.Memory{
		ID: exampleID, Title: "Deploys", Content: "We deploy on Tuesdays, never on Fridays.", Tags: []string{"ops"},
		Type: loci.Semantic, Category: loci.DefaultCategory, Importance: loci.DefaultImportance, Source: loci.DefaultSource,
		Access: loci.Access{UserID: exampleUser, Scope: loci.ScopeGlobal, Origin: "claude",
			AllowedVendors: []loci.Vendor{"claude", "cursor"}},
		CreatedAt: exampleTime, UpdatedAt: exampleTime,
		State: loci.State{Version: 1, Change: loci.Created, Editor: "claude"},
	}
)

// exampleKeyed is the example after a second save under its key.
func exampleKeyed() *loci.Memory {
	m := exampleMemory.Clone()
	m.Key, m.Version, m.Change, m.UpdatedAt = "deploy.day", 2, loci.Updated, exampleTime.Add(time.Hour)
	return m
}

// The classes of routes with a limit of their own, in requests a minute of one credential. Calls that
// only read are in none: they take turns at the processors.
var (
	expensive = auth.Policy{Name: "changes", Limit: 30}   // rights, keys, projects; much at once
	computing = auth.Policy{Name: "computing", Limit: 60} // may take seconds
	exports   = auth.Policy{Name: "export", Limit: 10}
	drawings  = auth.Policy{Name: "drawing", Limit: 60}
	uploads   = auth.Policy{Name: "assets", Limit: 120} // each takes a while and much of the disk
	watching  = auth.Policy{Name: "admin", Limit: 10}
	counting  = auth.Policy{Name: "orgs", Limit: 30}   // look into each org
	heavy     = auth.Policy{Name: "backups", Limit: 5} // read or write everything that the server has
)
