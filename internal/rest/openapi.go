package rest

import (
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
	address := s.site.PublicURL
	if address == "" {
		address = "/"
	}
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{Title: "Loci", Version: s.options.Version,
				Description: "One memory for every AI you use. Errors are RFC 9457 problem documents with a stable code. " +
					"Every path also works without " + place + ", for older clients."},
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
				// huma documents this type for a body that is read as it arrives. The route would
				// reject it with 415.
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
