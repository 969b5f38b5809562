package rest

import (
	"net/http"

	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// registerMemories adds the routes about the server and its memories.
func (s *server) registerMemories(prefix string, at func(route) route) {
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
	add(s, at(routeTrashMany), s.trashMany)
	add(s, at(routeRestore), s.restore)
	add(s, at(routeVersions), s.versions)
	add(s, at(routeShare), s.share)
	add(s, at(routeUnshare), s.unshare)
	add(s, at(routePool), s.pool)

	add(s, at(routeAgentCreate), s.create(prefix+"/agent/memories/"))
	add(s, at(routeAgentLatest), s.latest)
	add(s, at(routeAgentGet), s.get)
	add(s, at(routeAgentTrash), s.agentTrash)
	add(s, at(routeAgentPool), s.pool)
	add(s, at(routeAgentByTag), s.byTag)
	add(s, at(routeAgentBrowse), s.browse)
	add(s, at(routeAgentSearch), s.search)
	add(s, at(routeAgentList), s.newest)

	add(s, at(routeQuery), s.query)
	add(s, at(routeBriefing), s.briefing)
	add(s, at(routeAgentBriefing), s.briefing)
}

// trashedToo are the further actions of a list that can be of the trash.
var trashedToo = []app.Action{app.MemoryTrashed}

// The part of the table about the server and its memories.
var (
	routeHealth = route{ID: "getHealth", Method: http.MethodGet, Path: "/health", Who: forAll, Tag: "server",
		Summary: "Say that the process answers", Text: "Needs no credential.", Out: exampleHealth}
	routeReady = route{ID: "getReady", Method: http.MethodGet, Path: "/ready", Who: forAll, Tag: "server",
		Summary: "Say whether the process can read and write", Text: "Needs no credential. 503 if it cannot.", Out: client.Ready{Status: "ready"}}
	routeOpenAPI = route{ID: "getOpenAPI", Method: http.MethodGet, Path: "/openapi.json", Who: forAll, Tag: "server",
		Summary: "Describe this API", Text: "OpenAPI 3.1. Needs no credential.", Out: map[string]any{"openapi": "3.1.0"}}
	routeWhoAmI = route{ID: "whoAmI", Method: http.MethodGet, Path: "/whoami", Who: forAny, Action: app.WhoAmI, Tag: "server",
		Summary: "Say who this credential is", Text: "Role, vendor, the person it acts for and what it may do.", Out: exampleIdentity}

	routeCreate = route{ID: "createMemory", Method: http.MethodPost, Atomic: true, Path: "/memories", Who: forPeople, Action: app.MemoryCreate, Tag: "memories", Status: http.StatusCreated,
		Again: true, Summary: "Write a memory", Text: "Stores exactly what is sent. The origin comes from the credential. Where there is a memory of that key, scope and context, it is changed instead, and the version before is kept: 200.", In: exampleNew, Out: exampleSaved}
	routeList = route{ID: "listMemories", Method: http.MethodPost, Reads: true, Path: "/memories/list", Who: forPeople, Action: app.MemoryRead, More: trashedToo, Tag: "memories",
		Summary: "List memories by a filter", Text: "Newest first; search: best first. Filter left out: all. `trashed` lists the trash.", In: exampleList, Out: examplePage}
	routeListByQuery = route{ID: "listMemoriesByQuery", Method: http.MethodGet, Path: "/memories", Who: forPeople, Action: app.MemoryRead, More: trashedToo, Tag: "memories",
		Summary: "List memories by query parameters", Text: "The same as POST /memories/list, for the address bar and scripts.", Out: examplePage}
	routeGet = route{ID: "getMemory", Method: http.MethodGet, Path: "/memories/{id}", Who: forPeople, Action: app.MemoryRead, Tag: "memories", Conditional: true,
		Summary: "Get one memory", Text: "Also from the trash; deleted_at says so.", Out: exampleMemory}
	routeReplace = route{ID: "replaceMemory", Method: http.MethodPut, Path: "/memories/{id}", Who: forPeople, Action: app.MemoryChange, Tag: "memories", Conditional: true,
		Summary: "Replace a whole memory", Text: "What is left out gets its default. The old version is kept.", In: exampleReplacement, Out: exampleMemory}
	routeEdit = route{ID: "editMemory", Method: http.MethodPatch, Path: "/memories/{id}", Who: forPeople, Action: app.MemoryChange, Tag: "memories", Conditional: true,
		Summary: "Change parts of a memory", Text: "A JSON merge patch: what is left out stays, null clears. The old version is kept.", In: exampleEdit, Out: exampleMemory}
	routeTrash = route{ID: "trashMemory", Method: http.MethodDelete, Path: "/memories/{id}", Who: forPeople, Action: app.MemoryTrash, More: []app.Action{app.MemoryErase}, Tag: "memories", Conditional: true,
		Summary: "Move a memory to the trash", Text: "It can be restored for 30 days. With permanent=true it is erased for good, with all its versions. Answers the memory. Needs step-up unless the org deletes by key.", Out: exampleMemory}
	routeTrashMany = route{ID: "trashMemories", Method: http.MethodDelete, Path: "/memories", Who: forPeople, Action: app.MemoryTrash, Tag: "memories", Limit: expensive,
		Summary: "Move many memories to the trash", Text: "All of them or, if one is missing, none.", In: exampleBulk, Out: exampleBulkTrashed}
	routeRestore = route{ID: "restoreMemory", Method: http.MethodPost, Atomic: true, Path: "/memories/{id}/restore", Who: forPeople, Action: app.MemoryRestore, Tag: "memories", Conditional: true,
		Summary: "Take a memory out of the trash", Text: "404 if it is not in the trash.", Out: exampleMemory}
	routeVersions = route{ID: "listVersions", Method: http.MethodGet, Path: "/memories/{id}/versions", Who: forPeople, Action: app.MemoryHistory, Tag: "memories",
		Summary: "List the old versions of a memory", Text: "Newest first. The current version is not among them.", Out: exampleHistory}

	routeShare = route{ID: "shareMemory", Method: http.MethodPost, Atomic: true, Path: "/memories/{id}/share", Who: forPeople, Action: app.MemoryShare, Tag: "memories",
		Summary: "Share a memory with your team", Text: "Puts it into the pool of the team that you are in. It stays yours, and who may read it by vendor stays as it is. 409 if you are in no team.", Out: exampleMemory}
	routeUnshare = route{ID: "unshareMemory", Method: http.MethodPost, Atomic: true, Path: "/memories/{id}/unshare", Who: forPeople, Action: app.MemoryShare, Tag: "memories",
		Summary: "Take a memory back from the team", Text: "Only the person who shared it can.", Out: exampleMemory}
	routePool = route{ID: "listTeamMemories", Method: http.MethodGet, Path: "/memories/team", Who: forPeople, Action: app.PoolRead, Tag: "memories",
		Summary: "List what the team shares", Text: "Newest first. 409 if you are in no team.", Out: examplePage}

	routeAgentCreate = route{ID: "agentCreateMemory", Method: http.MethodPost, Atomic: true, Path: "/agent/memories", Who: forAny, Action: app.MemoryCreate, Tag: "agent", Status: http.StatusCreated,
		Again: true, Summary: "Write a memory as an agent", Text: "Stores exactly what is sent. The origin is the vendor of the key. allowed_vendors left out: every vendor may read it. A memory of that key that this vendor wrote is changed instead: 200.", In: exampleNew, Out: exampleSaved}
	routeAgentLatest = route{ID: "agentLatestMemory", Method: http.MethodGet, Path: "/agent/memories/latest", Who: forAny, Action: app.MemoryRead, Tag: "agent",
		Summary: "Get the newest memory", Text: "With tag or origin: the newest that has it. 404 if there is none.", Out: exampleMemory}
	routeAgentGet = route{ID: "agentGetMemory", Method: http.MethodGet, Path: "/agent/memories/{id}", Who: forAny, Action: app.MemoryRead, Tag: "agent", Conditional: true,
		Summary: "Get one memory as an agent", Text: "404 also if the vendor of the key may not read it.", Out: exampleMemory}
	routeAgentTrash = route{ID: "agentTrashMemory", Method: http.MethodDelete, Path: "/agent/memories/{id}", Who: forAny, Action: app.MemoryTrash, Tag: "agent", Conditional: true,
		Summary: "Move a memory to the trash as an agent", Text: "Only one that this vendor wrote, and only where the org deletes by key.", Out: exampleMemory}
	routeAgentPool = route{ID: "agentTeamMemories", Method: http.MethodGet, Path: "/agent/memories/team", Who: forAny, Action: app.PoolRead, Tag: "agent",
		Summary: "List what the team shares, as an agent", Text: "Newest first, only what the vendor of the key may read. 409 if the person is in no team.", Out: examplePage}
	routeAgentByTag = route{ID: "agentMemoriesByTag", Method: http.MethodPost, Reads: true, Path: "/agent/memories/by-tag", Who: forAny, Action: app.MemoryRead, Tag: "agent",
		Summary: "List memories by tag", Text: "Whole memories, newest first, that carry any of the tags; tag_mode all: every one of them.", In: client.ByTagRequest{Tags: []string{"ops"}}, Out: examplePage}
	routeAgentBrowse = route{ID: "agentBrowseMemories", Method: http.MethodPost, Reads: true, Path: "/agent/memories/browse", Who: forAny, Action: app.MemoryRead, Tag: "agent",
		Summary: "Browse summaries of memories", Text: "Without their content; get the ones you need by id. Filter left out: all.", In: client.BrowseRequest{Limit: 50}, Out: exampleSummaries}
	routeAgentSearch = route{ID: "agentSearchMemories", Method: http.MethodPost, Reads: true, Path: "/agent/memories/search", Who: forAny, Action: app.MemoryRead, Tag: "agent",
		Summary: "Search memories", Text: "Whole memories, best first. Words, \"phrases\" and prefix*; the more words fit, the better.", In: client.SearchRequest{Term: "deploy day"}, Out: exampleFound}
	routeAgentList = route{ID: "agentListMemories", Method: http.MethodPost, Reads: true, Path: "/agent/memories/list", Who: forAny, Action: app.MemoryRead, Tag: "agent",
		Summary: "List the newest memories", Text: "Whole memories, newest first.", In: client.NewestRequest{Limit: 10}, Out: exampleNewest}

	routeQuery = route{ID: "query", Method: http.MethodPost, Reads: true, Path: "/query", Who: forAny, Action: app.Query, Tag: "recall",
		Summary: "Ask a question of the memories", Text: "Finds what fits, packs it into a prompt and, if a model is configured, answers. The receipt says what was used and what was cut.", In: exampleQuery, Out: exampleAnswer}
	routeBriefing = route{ID: "getBriefing", Method: http.MethodGet, Path: "/briefing", Who: forPeople, Action: app.Briefing, Tag: "recall",
		Summary: "Read what there is to ask for", Text: "For the start of a session. format=markdown is for a model to read.", Out: exampleBriefing, Alternatives: markdownToo}
	routeAgentBriefing = route{ID: "agentGetBriefing", Method: http.MethodGet, Path: "/agent/briefing", Who: forAny, Action: app.Briefing, Tag: "recall",
		Summary: "Read what there is to ask for, as an agent", Text: "Only what the vendor of the key may read. format=markdown is for a model to read.", Out: exampleBriefing, Alternatives: markdownToo}
)
