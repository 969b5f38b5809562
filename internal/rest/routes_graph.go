package rest

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// registerGraph adds the routes about the graphs of projects.
func (s *server) registerGraph(at func(route) route) {
	add(s, at(routeGraph), s.graph)
	add(s, at(routeSearchGraph), s.searchGraph)
	add(s, at(routeOpenNodes), s.openNodes)
	add(s, at(routeEntity), s.entity)
	add(s, at(routeEntityObservations), s.entityObservations)
	add(s, at(routeEntityRelations), s.entityRelations)
	add(s, at(routeEntityHistory), s.entityHistory)
	add(s, at(routeNeighbours), s.neighbours)

	add(s, at(routeCreateEntities), s.createEntities)
	add(s, at(routeAddObservations), s.addObservations)
	add(s, at(routeCreateRelations), s.createRelations)
	add(s, at(routeDeleteEntities), s.deleteEntities)
	add(s, at(routeDeleteObservations), s.deleteObservations)
	add(s, at(routeDeleteRelations), s.deleteRelations)
	add(s, at(routeGraphTrash), s.graphTrash)
	add(s, at(routeRestoreNodes), s.restoreNodes)
	add(s, at(routeMergeEntities), s.mergeEntities)
	add(s, at(routeGraphVendors), s.setGraphVendors)

	add(s, at(routeExportGraph), s.exportGraph)
	add(s, at(routeImportGraph), s.importGraph)
}

// The part of the table about reading graphs.
var (
	routeGraph = route{ID: "readGraph", Method: http.MethodGet, Path: "/projects/{id}/graph", Who: forAny, Action: app.GraphRead, Missing: noProject, Tag: "graph",
		Summary: "Read a graph", Text: "In the order in which it was stored. entities_left says how many are on the pages behind this one; a page ends early when it is large.", Out: exampleGraphPage}
	routeSearchGraph = route{ID: "searchGraph", Method: http.MethodGet, Path: "/projects/{id}/graph/search", Who: forAny, Action: app.GraphRead, Missing: noProject, Tag: "graph",
		Summary: "Search a graph", Text: "In names, types and observations, the best first; each entity with its observations and relations. 400 says what is wrong with a malformed query.", Out: exampleGraphHits}
	routeOpenNodes = route{ID: "openNodes", Method: http.MethodPost, Reads: true, Path: "/projects/{id}/graph/open", Who: forAny, Action: app.GraphRead, Missing: noProject, Tag: "graph",
		Summary: "Get entities by their names", Text: "missing has the names that are not there, with the nearest ones.", In: exampleNames, Out: exampleFoundNodes}
	routeEntity = route{ID: "getEntity", Method: http.MethodGet, Path: "/projects/{id}/graph/entities/{entity}", Who: forAny, Action: app.GraphRead, Missing: noEntity, Tag: "graph",
		Summary: "Get an entity", Text: "With its newest observations and relations, 1,000 of each; observations_left and relations_left count the older ones.", Out: exampleEntity}
	routeEntityObservations = route{ID: "listEntityObservations", Method: http.MethodGet, Path: "/projects/{id}/graph/entities/{entity}/observations", Who: forAny, Action: app.GraphRead, Missing: noEntity, Tag: "graph",
		Summary: "List the observations of an entity", Text: "Oldest first.", Out: client.ObservationList{Observations: exampleEntity.Observations}}
	routeEntityRelations = route{ID: "listEntityRelations", Method: http.MethodGet, Path: "/projects/{id}/graph/entities/{entity}/relations", Who: forAny, Action: app.GraphRead, Missing: noEntity, Tag: "graph",
		Summary: "List the relations of an entity", Text: "Those that begin or end at it, oldest first.", Out: client.RelationList{Relations: exampleEntity.Relations}}
	routeEntityHistory = route{ID: "getEntityHistory", Method: http.MethodGet, Path: "/projects/{id}/graph/entities/{entity}/history", Who: forAny, Action: app.GraphHistory, Missing: noEntity, Tag: "graph",
		Summary: "Say what happened to an entity", Text: "Oldest first; also to a deleted one.", Out: exampleChanges}
	routeNeighbours = route{ID: "listNeighbours", Method: http.MethodGet, Path: "/projects/{id}/graph/entities/{entity}/neighbours", Who: forAny, Action: app.GraphRead, Missing: noEntity, Tag: "graph",
		Summary: "Get an entity and what is near it", Text: "Within so many hops over relations in either direction, nearest first; the entity itself comes first.", Out: client.EntityList{Entities: exampleGraphPage.Entities}}
	routeExportGraph = route{ID: "exportGraph", Method: http.MethodGet, Path: "/projects/{id}/graph/export", Who: forPeople, Action: app.GraphExport, Missing: noProject, Tag: "graph", Limit: exports,
		Summary: "Export a graph", Text: "What you see of it, as JSON lines: the bytes of `loci graph export`.",
		Alternatives: map[string]*huma.MediaType{jsonLines: {Schema: &huma.Schema{Type: huma.TypeString}, Example: exampleGraphLines}}}
)

// The part of the table about changing graphs.
var (
	routeCreateEntities = route{ID: "createEntities", Method: http.MethodPost, Path: "/projects/{id}/graph/entities", Who: forAny, Action: app.GraphWrite, Missing: noProject, Tag: "graph", Status: http.StatusCreated, Bulk: true, Again: true,
		Summary: "Store entities", Text: "All or none. One of the same name and type that is there already is returned, and observations that are new are added to it.", In: exampleNewEntities, Out: examplePutEntities}
	routeAddObservations = route{ID: "addObservations", Method: http.MethodPost, Path: "/projects/{id}/graph/observations", Who: forAny, Action: app.GraphWrite, Missing: noProject, Tag: "graph", Status: http.StatusCreated, Bulk: true, Again: true,
		Summary: "Add observations to entities", Text: "All or none. 404 with the nearest names for entities that are not there.", In: exampleNewObservations, Out: examplePutObservations}
	routeCreateRelations = route{ID: "createRelations", Method: http.MethodPost, Path: "/projects/{id}/graph/relations", Who: forAny, Action: app.GraphWrite, Missing: noProject, Tag: "graph", Status: http.StatusCreated, Bulk: true, Again: true,
		Summary: "Store relations between entities", Text: "All or none. 404 with the nearest names for entities that are not there.", In: exampleNewRelations, Out: examplePutRelations}
	routeDeleteEntities = route{ID: "deleteEntities", Method: http.MethodPost, Path: "/projects/{id}/graph/entities/delete", Who: forAny, Action: app.GraphDelete, Missing: noProject, Tag: "graph",
		Summary: "Move entities to the trash", Text: "With all that hangs on them. Names that are not there are passed over.", In: exampleNames, Out: client.Deleted{Deleted: 1}}
	routeDeleteObservations = route{ID: "deleteObservations", Method: http.MethodPost, Path: "/projects/{id}/graph/observations/delete", Who: forAny, Action: app.GraphDelete, Missing: noProject, Tag: "graph",
		Summary: "Move observations to the trash", Text: "By their exact contents. What is not there is passed over.", In: exampleOldObservations, Out: client.Deleted{Deleted: 1}}
	routeDeleteRelations = route{ID: "deleteRelations", Method: http.MethodPost, Path: "/projects/{id}/graph/relations/delete", Who: forAny, Action: app.GraphDelete, Missing: noProject, Tag: "graph",
		Summary: "Move relations to the trash", Text: "What is not there is passed over.", In: exampleOldRelations, Out: client.Deleted{Deleted: 1}}
	routeGraphTrash = route{ID: "listGraphTrash", Method: http.MethodGet, Path: "/projects/{id}/graph/trash", Who: forAny, Action: app.GraphTrashed, Missing: noProject, Tag: "graph",
		Summary: "List what can be restored", Text: "Newest deletion first; what was deleted along with an entity comes back with it and is not listed.", Out: exampleGraphTrash}
	routeRestoreNodes = route{ID: "restoreNodes", Method: http.MethodPost, Path: "/projects/{id}/graph/restore", Who: forAny, Action: app.GraphRestore, Missing: noProject, Tag: "graph",
		Summary: "Take rows out of the trash", Text: "All or none; an entity with what was deleted along with it. 409 while another of its name and type is there.", In: exampleGone, Out: client.Restored{Restored: 1}}
	routeMergeEntities = route{ID: "mergeEntities", Method: http.MethodPost, Path: "/projects/{id}/graph/merge", Who: forAny, Action: app.GraphMerge, Missing: noEntity, Tag: "graph",
		Summary: "Make one entity of two", Text: "into gets copies of the observations and relations of from, which goes to the trash. Nothing becomes visible to more vendors.", In: exampleMerge, Out: exampleEntity}
	routeGraphVendors = route{ID: "setGraphVendors", Method: http.MethodPut, Path: "/projects/{id}/graph/vendors", Who: forPeople, Action: app.GraphVendors, Missing: noProject, Tag: "graph",
		Summary: "Say which vendors may read rows", Text: "Rows that you wrote, all or none.", In: exampleNodeVendors, Out: client.Changed{Changed: 1}}
	routeImportGraph = route{ID: "importGraph", Method: http.MethodPost, Path: "/projects/{id}/graph/import", Who: forPeople, Action: app.GraphImport, Missing: noProject, Tag: "graph", Limit: exports, Bulk: true, Lines: true,
		Summary: "Import a graph", Text: "The memory.json of the reference MCP server, as JSON lines; it may be repeated. problems has the lines that were not taken; the others are stored. Only the operator imports the loci format.", In: exampleGraphLines, Out: exampleImported}
)
