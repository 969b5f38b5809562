package rest

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci/internal/app"
)

// registerNodes adds the routes about memory nodes.
func (s *server) registerNodes(at func(route) route) {
	add(s, at(routeCreateNode), s.createNode)
	add(s, at(routeNodes), s.nodes)
	add(s, at(routeNode), s.node)
	add(s, at(routeEditNode), s.editNode)
	add(s, at(routeTrashNode), s.trashNode)
	add(s, at(routeRestoreNode), s.restoreNode)
	add(s, at(routeNodeItems), s.nodeItems)
	add(s, at(routeAddNodeItem), s.addNodeItem)
	add(s, at(routeMoveNodeItem), s.moveNodeItem)
	add(s, at(routeRemoveNodeItem), s.removeNodeItem)
	add(s, at(routeNodePack), s.nodePack)
}

const (
	noNode missing = "memory node"
	noItem missing = "item"
)

// packToo is the text of a pack.
var packToo = map[string]*huma.MediaType{"text/markdown": {Schema: &huma.Schema{Type: huma.TypeString}, Example: "# Onboarding\n\n[1] Deploys\n    (from claude, 2026-11-20 16:00)\n    We deploy on Tuesdays, never on Fridays.\n"}}

// The part of the table about memory nodes.
var (
	routeCreateNode = route{ID: "createMemoryNode", Method: http.MethodPost, Atomic: true, Path: "/memory-nodes", Who: forAny, Action: app.NodeCreate, Tag: "memory nodes", Status: http.StatusCreated,
		Summary: "Make a memory node", Text: "A tree of memories, entities and texts, to be read as a whole; without items at first. The origin comes from the credential. shared: 409 if you are in no team.", In: exampleNewNode, Out: exampleNode}
	routeNodes = route{ID: "listMemoryNodes", Method: http.MethodGet, Path: "/memory-nodes", Who: forAny, Action: app.NodeRead, More: trashedToo, Tag: "memory nodes",
		Summary: "List memory nodes", Text: "Last changed first; what happens to items is no change of the node. `trashed` lists the trash.", Out: exampleNodes}
	routeNode = route{ID: "getMemoryNode", Method: http.MethodGet, Path: "/memory-nodes/{id}", Who: forAny, Action: app.NodeRead, Missing: noNode, Tag: "memory nodes",
		Summary: "Get a memory node", Text: "Without its items. For people also from the trash; deleted_at says so.", Out: exampleNode}
	routeEditNode = route{ID: "editMemoryNode", Method: http.MethodPatch, Path: "/memory-nodes/{id}", Who: forAny, Action: app.NodeChange, Missing: noNode, Tag: "memory nodes",
		Summary: "Change parts of a memory node", Text: "A JSON merge patch. For its owner, and for the agents of the vendor that made it, which may not widen allowed_vendors.", In: exampleNodeEdit, Out: exampleNode}
	routeTrashNode = route{ID: "trashMemoryNode", Method: http.MethodDelete, Path: "/memory-nodes/{id}", Who: forAny, Action: app.NodeTrash, More: []app.Action{app.NodeErase}, Missing: noNode, Tag: "memory nodes",
		Summary: "Move a memory node to the trash", Text: "With its items; what they show stays. It can be restored for 30 days. With permanent=true it is erased for good (people). Needs step-up unless the org deletes by key.", Out: exampleNode}
	routeRestoreNode = route{ID: "restoreMemoryNode", Method: http.MethodPost, Atomic: true, Path: "/memory-nodes/{id}/restore", Who: forPeople, Action: app.NodeRestore, Missing: noNode, Tag: "memory nodes",
		Summary: "Take a memory node out of the trash", Text: "404 if it is not in the trash.", Out: exampleNode}
	routeNodeItems = route{ID: "listMemoryNodeItems", Method: http.MethodGet, Path: "/memory-nodes/{id}/items", Who: forAny, Action: app.NodeRead, Missing: noNode, Tag: "memory nodes",
		Summary: "List the items of a memory node", Text: "All that you may see, each followed by those below it, in order. What is below an item that you may not see is left out, too.", Out: exampleItems}
	routeAddNodeItem = route{ID: "addMemoryNodeItem", Method: http.MethodPost, Atomic: true, Path: "/memory-nodes/{id}/items", Who: forAny, Action: app.NodeChange, Missing: noNode, Tag: "memory nodes", Status: http.StatusCreated,
		Summary: "Add an item to a memory node", Text: "A memory, an entity or a text. Whoever sees the node may; the item carries its own origin and vendors.", In: exampleNewItem, Out: exampleItem}
	routeMoveNodeItem = route{ID: "moveMemoryNodeItem", Method: http.MethodPatch, Path: "/memory-nodes/{id}/items/{item}", Who: forAny, Action: app.NodeChange, Missing: noItem, Tag: "memory nodes",
		Summary: "Move an item", Text: "With all below it. For who added it, and for the owner of the node; an agent moves what its vendor added, if it sees nothing of others below it.", In: exampleMove, Out: exampleItem}
	routeRemoveNodeItem = route{ID: "removeMemoryNodeItem", Method: http.MethodDelete, Path: "/memory-nodes/{id}/items/{item}", Who: forAny, Action: app.NodeChange, Missing: noItem, Tag: "memory nodes",
		Summary: "Remove an item", Text: "With all below it, for the same people as moving it. Memories and entities stay; where a text would be lost, it needs step-up unless the org deletes by key."}
	routeNodePack = route{ID: "packMemoryNode", Method: http.MethodGet, Path: "/memory-nodes/{id}/pack", Who: forAny, Action: app.NodeRead, Missing: noNode, Tag: "memory nodes",
		Summary: "Read a memory node as a whole", Text: "What its items show, in order, within a budget of characters: a context for a model, as Markdown, or as JSON.", Out: examplePack, Alternatives: packToo}
)
