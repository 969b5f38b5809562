package rest

import (
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci/client"
)

// route is one line of the table: what the OpenAPI document says of a route,
// and who may call it.
type route struct {
	ID, Method, Path string
	Who              access
	Tag              string
	Summary, Text    string
	Status           int // of success; 0: 200
	In, Out          any // examples
	Conditional      bool
	// Alternatives are other media types of the answer.
	Alternatives map[string]*huma.MediaType

	prefix string
}

// register adds every route below prefix. /api/v1 is their place; the root
// paths are the same handlers.
func (s *server) register(prefix string) {
	at := func(r route) route { r.prefix = prefix; return r }
	add(s, at(routeHealth), s.health)
	add(s, at(routeReady), s.ready)
	add(s, at(routeOpenAPI), s.openAPIDocument)
	add(s, at(routeWhoAmI), s.whoAmI)

	add(s, at(routeCreate), s.create(prefix+"/memories/"))
	add(s, at(routeList), s.list)
	add(s, at(routeListByQuery), s.listByQuery)
	add(s, at(routeGet), s.get)
	add(s, at(routeReplace), s.replace)
	add(s, at(routeEdit), s.edit)
	add(s, at(routeTrash), s.trash)
	add(s, at(routeRestore), s.restore)
	add(s, at(routeVersions), s.versions)

	add(s, at(routeAgentCreate), s.create(prefix+"/agent/memories/"))
	add(s, at(routeAgentLatest), s.latest)
	add(s, at(routeAgentGet), s.get)
	add(s, at(routeAgentByTag), s.byTag)
	add(s, at(routeAgentBrowse), s.browse)
	add(s, at(routeAgentSearch), s.search)
	add(s, at(routeAgentList), s.newest)

	add(s, at(routeQuery), s.query)
	add(s, at(routeBriefing), s.briefing)
	add(s, at(routeAgentBriefing), s.briefing)
}

// operation is the route as huma registers and documents it.
func (r route) operation(s *server) huma.Operation {
	if r.Who < forAll || r.Who > forPeople {
		panic("rest: " + r.ID + " does not say who may call it")
	}
	op := huma.Operation{
		OperationID: r.ID, Method: r.Method, Path: r.prefix + r.Path, Summary: r.Summary, Description: r.Text,
		Tags: []string{r.Tag}, DefaultStatus: r.Status, MaxBodyBytes: maxBody + 1, BodyReadTimeout: 2 * time.Minute,
		RejectUnknownQueryParameters: r.Who != forAll, Middlewares: huma.Middlewares{s.gate(r)},
		Responses: r.responses(s),
	}
	if r.prefix == "" {
		op.OperationID += "AtRoot"
		op.Description = strings.TrimSpace("The same as " + prefixes[0] + r.Path + ". " + r.Text)
	}
	if r.Who != forAll {
		op.Security = []map[string][]string{{bearerScheme: {}}, {bearerScheme: {}, dashboardScheme: {}}}
	}
	if r.In != nil {
		op.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Example: r.In}}}
	}
	return op
}

// responses documents the success with its example, and the errors.
func (r route) responses(s *server) map[string]*huma.Response {
	ok := &huma.Response{Description: "Done", Content: map[string]*huma.MediaType{"application/json": {Example: r.Out}}}
	for name, media := range r.Alternatives {
		ok.Content[name] = media
	}
	out := map[string]*huma.Response{"200": ok}
	if r.Status == http.StatusCreated {
		out = map[string]*huma.Response{"201": ok}
		ok.Description = "Stored on disk"
	}
	fail := func(status, text string) {
		out[status] = &huma.Response{Description: text, Content: map[string]*huma.MediaType{
			problemType: {Schema: &huma.Schema{Ref: problemRef}}}}
	}
	fail("500", "A fault in the server; it is in its log under the X-Request-Id of the answer")
	if r.ID == routeReady.ID {
		fail("503", "The server cannot read or write")
	}
	if r.Who == forAll {
		return out
	}
	fail("400", "Bad input; field says where")
	fail("401", "No credential, or one that is unknown, revoked or expired")
	fail("403", "This credential may not do that")
	fail("503", "The storage cannot be reached")
	if r.Status == http.StatusCreated || r.Conditional && r.Method != http.MethodGet {
		fail("507", "The disk is full; nothing was written")
	}
	if r.In != nil {
		fail("413", "The body is larger than 1 MiB")
		fail("415", "The body is not JSON")
	}
	if strings.Contains(r.Path, "{id}") || r.ID == routeAgentLatest.ID {
		fail("404", "There is no such memory, or this credential may not see it")
	}
	if r.Conditional && r.Method == http.MethodGet {
		out["304"] = &huma.Response{Description: "Still the version that If-None-Match names"}
	} else if r.Conditional {
		fail("412", "The memory is at another version than If-Match says")
	}
	if r.ID == routeQuery.ID {
		fail("502", "The model did not answer")
	}
	return out
}

// The table.
var (
	routeHealth = route{ID: "getHealth", Method: http.MethodGet, Path: "/health", Who: forAll, Tag: "server",
		Summary: "Say that the process answers", Text: "Needs no credential.", Out: exampleHealth}
	routeReady = route{ID: "getReady", Method: http.MethodGet, Path: "/ready", Who: forAll, Tag: "server",
		Summary: "Say whether the process can read and write", Text: "Needs no credential. 503 if it cannot.", Out: client.Ready{Status: "ready"}}
	routeOpenAPI = route{ID: "getOpenAPI", Method: http.MethodGet, Path: "/openapi.json", Who: forAll, Tag: "server",
		Summary: "Describe this API", Text: "OpenAPI 3.1. Needs no credential.", Out: map[string]any{"openapi": "3.1.0"}}
	routeWhoAmI = route{ID: "whoAmI", Method: http.MethodGet, Path: "/whoami", Who: forAny, Tag: "server",
		Summary: "Say who this credential is", Text: "Role, vendor, the person it acts for and what it may do.", Out: exampleIdentity}

	routeCreate = route{ID: "createMemory", Method: http.MethodPost, Path: "/memories", Who: forPeople, Tag: "memories", Status: http.StatusCreated,
		Summary: "Write a memory", Text: "Stores exactly what is sent. The origin comes from the credential.", In: exampleNew, Out: exampleMemory}
	routeList = route{ID: "listMemories", Method: http.MethodPost, Path: "/memories/list", Who: forPeople, Tag: "memories",
		Summary: "List memories by a filter", Text: "Newest first; search: best first. Filter left out: all. `trashed` lists the trash.", In: exampleList, Out: examplePage}
	routeListByQuery = route{ID: "listMemoriesByQuery", Method: http.MethodGet, Path: "/memories", Who: forPeople, Tag: "memories",
		Summary: "List memories by query parameters", Text: "The same as POST /memories/list, for the address bar and scripts.", Out: examplePage}
	routeGet = route{ID: "getMemory", Method: http.MethodGet, Path: "/memories/{id}", Who: forPeople, Tag: "memories", Conditional: true,
		Summary: "Get one memory", Text: "Also from the trash; deleted_at says so.", Out: exampleMemory}
	routeReplace = route{ID: "replaceMemory", Method: http.MethodPut, Path: "/memories/{id}", Who: forPeople, Tag: "memories", Conditional: true,
		Summary: "Replace a whole memory", Text: "What is left out gets its default. The old version is kept.", In: exampleReplacement, Out: exampleMemory}
	routeEdit = route{ID: "editMemory", Method: http.MethodPatch, Path: "/memories/{id}", Who: forPeople, Tag: "memories", Conditional: true,
		Summary: "Change parts of a memory", Text: "A JSON merge patch: what is left out stays, null clears. The old version is kept.", In: exampleEdit, Out: exampleMemory}
	routeTrash = route{ID: "trashMemory", Method: http.MethodDelete, Path: "/memories/{id}", Who: forPeople, Tag: "memories", Conditional: true,
		Summary: "Move a memory to the trash", Text: "It can be restored for 30 days. Answers the trashed memory.", Out: exampleMemory}
	routeRestore = route{ID: "restoreMemory", Method: http.MethodPost, Path: "/memories/{id}/restore", Who: forPeople, Tag: "memories", Conditional: true,
		Summary: "Take a memory out of the trash", Text: "404 if it is not in the trash.", Out: exampleMemory}
	routeVersions = route{ID: "listVersions", Method: http.MethodGet, Path: "/memories/{id}/versions", Who: forPeople, Tag: "memories",
		Summary: "List the old versions of a memory", Text: "Newest first. The current version is not among them.", Out: exampleHistory}

	routeAgentCreate = route{ID: "agentCreateMemory", Method: http.MethodPost, Path: "/agent/memories", Who: forAny, Tag: "agent", Status: http.StatusCreated,
		Summary: "Write a memory as an agent", Text: "Stores exactly what is sent. The origin is the vendor of the key. allowed_vendors left out: every vendor may read it.", In: exampleNew, Out: exampleMemory}
	routeAgentLatest = route{ID: "agentLatestMemory", Method: http.MethodGet, Path: "/agent/memories/latest", Who: forAny, Tag: "agent",
		Summary: "Get the newest memory", Text: "With tag or origin: the newest that has it. 404 if there is none.", Out: exampleMemory}
	routeAgentGet = route{ID: "agentGetMemory", Method: http.MethodGet, Path: "/agent/memories/{id}", Who: forAny, Tag: "agent", Conditional: true,
		Summary: "Get one memory as an agent", Text: "404 also if the vendor of the key may not read it.", Out: exampleMemory}
	routeAgentByTag = route{ID: "agentMemoriesByTag", Method: http.MethodPost, Path: "/agent/memories/by-tag", Who: forAny, Tag: "agent",
		Summary: "List memories by tag", Text: "Whole memories, newest first, that carry any of the tags; tag_mode all: every one of them.", In: client.ByTagRequest{Tags: []string{"ops"}}, Out: examplePage}
	routeAgentBrowse = route{ID: "agentBrowseMemories", Method: http.MethodPost, Path: "/agent/memories/browse", Who: forAny, Tag: "agent",
		Summary: "Browse summaries of memories", Text: "Without their content; get the ones you need by id. Filter left out: all.", In: client.BrowseRequest{Limit: 50}, Out: exampleSummaries}
	routeAgentSearch = route{ID: "agentSearchMemories", Method: http.MethodPost, Path: "/agent/memories/search", Who: forAny, Tag: "agent",
		Summary: "Search memories", Text: "Whole memories, best first. Words, \"phrases\" and prefix*; the more words fit, the better.", In: client.SearchRequest{Term: "deploy day"}, Out: exampleFound}
	routeAgentList = route{ID: "agentListMemories", Method: http.MethodPost, Path: "/agent/memories/list", Who: forAny, Tag: "agent",
		Summary: "List the newest memories", Text: "Whole memories, newest first.", In: client.NewestRequest{Limit: 10}, Out: exampleNewest}

	routeQuery = route{ID: "query", Method: http.MethodPost, Path: "/query", Who: forAny, Tag: "recall",
		Summary: "Ask a question of the memories", Text: "Finds what fits, packs it into a prompt and, if a model is configured, answers. The receipt says what was used and what was cut.", In: exampleQuery, Out: exampleAnswer}
	routeBriefing = route{ID: "getBriefing", Method: http.MethodGet, Path: "/briefing", Who: forPeople, Tag: "recall",
		Summary: "Read what there is to ask for", Text: "For the start of a session. format=markdown is for a model to read.", Out: exampleBriefing, Alternatives: markdownToo}
	routeAgentBriefing = route{ID: "agentGetBriefing", Method: http.MethodGet, Path: "/agent/briefing", Who: forAny, Tag: "recall",
		Summary: "Read what there is to ask for, as an agent", Text: "Only what the vendor of the key may read. format=markdown is for a model to read.", Out: exampleBriefing, Alternatives: markdownToo}
)

var markdownToo = map[string]*huma.MediaType{"text/markdown": {Schema: &huma.Schema{Type: huma.TypeString},
	Example: "# Memory briefing\n\nYou can read 1 memories."}}
