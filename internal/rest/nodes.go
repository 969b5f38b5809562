package rest

import (
	"cmp"
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/node"
)

var nodeRoutes = table{"memory nodes", []served{
	serve("POST /memory-nodes", route{ID: "createMemoryNode", Atomic: true, Who: forAny, Action: node.Create,
		Status:  http.StatusCreated,
		Summary: "Create a memory node",
		Text: "A memory node is a tree of memories, entities and texts that is read as a whole. A new one has " +
			"no items. Loci takes the origin from the credential. 409 if shared is set and you are not in a " +
			"team.",
		In: exampleNewNode, Out: exampleNode}, (*server).createNode),
	serve("GET /memory-nodes", route{ID: "listMemoryNodes", Who: forAny, Action: node.Read, More: trashedToo,
		Summary: "List memory nodes",
		Text:    "Most recently changed first. Changes to items do not count. `trashed` lists the trash.",
		Out:     exampleNodes}, (*server).nodes),
	serve("GET /memory-nodes/{id}", route{ID: "getMemoryNode", Who: forAny, Action: node.Read,
		Summary: "Get a memory node",
		Text:    "Without its items. People also find nodes in the trash, which have deleted_at.",
		Out:     exampleNode}, (*server).node),
	serve("PATCH /memory-nodes/{id}", route{ID: "editMemoryNode", Who: forAny, Action: node.Change,
		Summary: "Change fields of a memory node",
		Text: "Takes a JSON merge patch. Only its owner and agents of the vendor that made it may change it. " +
			"Agents cannot widen allowed_vendors.",
		In: exampleNodeEdit, Out: exampleNode}, (*server).editNode),
	serve("DELETE /memory-nodes/{id}", route{ID: "trashMemoryNode", Who: forAny, Action: node.Trash,
		More:    []gate.Action{node.Erase},
		Summary: "Move a memory node to the trash",
		Text: "With its items. The memories and entities stay. You can restore it for " + trashDays + " days. With " +
			"permanent=true (people only), Loci deletes it permanently. Needs step-up unless the org deletes " +
			"by key.",
		Out: exampleNode, Further: erasedToo}, (*server).trashNode),
	serve("POST /memory-nodes/{id}/restore", route{ID: "restoreMemoryNode", Atomic: true, Who: forPeople,
		Action:  node.Restore,
		Summary: "Restore a memory node from the trash",
		Text:    "404 if it is not in the trash.",
		Out:     exampleNode}, (*server).restoreNode),
	serve("GET /memory-nodes/{id}/items", route{ID: "listMemoryNodeItems", Who: forAny, Action: node.Read,
		Summary: "List the items of a memory node",
		Text: "All items that you may read, in order, each followed by the items below it. An item that you " +
			"may not read hides the items below it.",
		Out: exampleItems}, (*server).nodeItems),
	serve("POST /memory-nodes/{id}/items", route{ID: "addMemoryNodeItem", Atomic: true, Who: forAny,
		Action: node.Change, Status: http.StatusCreated,
		Summary: "Add an item to a memory node",
		Text: "A memory, an entity or a text. Anyone who can read the node can add items. Each item has its " +
			"own origin and vendors.",
		In: exampleNewItem, Out: exampleItem}, (*server).addNodeItem),
	serve("PATCH /memory-nodes/{id}/items/{item}", route{ID: "moveMemoryNodeItem", Who: forAny, Action: node.Change,
		Summary: "Move an item",
		Text: "With all items below it. The person who added it and the owner of the node can move it. An " +
			"agent can move items that its vendor added, unless it sees items of others below.",
		In: exampleMove, Out: exampleItem}, (*server).moveNodeItem),
	serve("DELETE /memory-nodes/{id}/items/{item}", route{ID: "removeMemoryNodeItem", Who: forAny,
		Action:  node.Change,
		Summary: "Remove an item",
		Text: "With all items below it. The same callers can remove it as can move it. Memories and entities " +
			"stay. If a text is deleted, this needs step-up unless the org deletes by key."}, (*server).removeNodeItem),
	serve("GET /memory-nodes/{id}/pack", route{ID: "packMemoryNode", Who: forAny, Action: node.Read,
		Summary: "Read a memory node as a whole",
		Text: "Returns what its items show, in order, within a budget of characters, as Markdown or JSON: a " +
			"context for a model.",
		Out: examplePack, Alternatives: packToo}, (*server).nodePack),
}}

const (
	noNode missing = "memory node"
	noItem missing = "item"
)

var packToo = map[string]*huma.MediaType{"text/markdown": {Schema: &huma.Schema{Type: huma.TypeString},
	Example: "# Onboarding\n\n[1] Deploys\n    (from claude, 2026-11-20 16:00)\n    We deploy on Tuesdays, never on " +
		"Fridays.\n"}}

// NodePath is a memory node in a path. It is exported because huma skips embedded structs that are not.
type NodePath struct {
	ID string `path:"id" doc:"Id or name of the memory node" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (n NodePath) node() loci.NodeID { return idOf[loci.NodeID](n.ID) }

// NodeItemPath is an item of a memory node in a path, exported as NodePath is.
type NodeItemPath struct {
	NodePath
	Item string `path:"item" doc:"Id of the item" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (i NodeItemPath) item() loci.NodeItemID { return idOf[loci.NodeItemID](i.Item) }

type newNodeInput struct {
	Body    client.NewNode
	RawBody []byte
}

func (s *server) createNode(ctx context.Context, p loci.Principal,
	in *newNodeInput) (*answer[*loci.MemoryNode], error) {
	if err := nullVendors(in.Body.AllowedVendors, in.RawBody); err != nil {
		return nil, err
	}
	return say(s.app.Node.Create(ctx, p, in.Body))
}

type nodesInput struct {
	Scope     loci.Scope     `query:"scope" enum:"global,project,agent"`
	ProjectID loci.ProjectID `query:"project_id" format:"uuid"`
	Tag       string         `query:"tag" maxLength:"100"`
	Trashed   bool           `query:"trashed" doc:"List the trash; people only"`
	Limit     int            `query:"limit" minimum:"1" maximum:"500" doc:"Default: 50"`
	Cursor    string         `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before, with the same parameters"`
}

func (s *server) nodes(ctx context.Context, p loci.Principal, in *nodesInput) (*answer[client.NodeList], error) {
	page, err := s.app.Node.List(ctx, p, node.ListRequest{Scope: in.Scope, ProjectID: in.ProjectID, Tag: in.Tag,
		Trashed: in.Trashed, Limit: in.Limit, Cursor: in.Cursor})
	return say(client.NodeList{Nodes: loci.OrEmpty(page.Items), More: moreAt(page.NextCursor)}, err)
}

func (s *server) node(ctx context.Context, p loci.Principal, in *NodePath) (*answer[*loci.MemoryNode], error) {
	return say(s.app.Node.Get(ctx, p, in.node()))
}

type nodeEditInput struct {
	NodePath
	Body client.NodeEdit `contentType:"application/json"`
}

func (s *server) editNode(ctx context.Context, p loci.Principal, in *nodeEditInput) (*answer[*loci.MemoryNode], error) {
	if err := cmp.Or(mustStay("name", in.Body.Name), mustStay("allowed_vendors", in.Body.AllowedVendors)); err != nil {
		return nil, err
	}
	return say(s.app.Node.Change(ctx, p, in.node(), in.Body))
}

type nodeTrashInput struct {
	NodePath
	Permanent bool `query:"permanent" doc:"Erase it for good, with its items; also one that is in the trash"`
}

// nodeOutput is a memory node, or nothing.
type nodeOutput struct {
	Status int
	Body   *loci.MemoryNode
}

func (s *server) trashNode(ctx context.Context, p loci.Principal, in *nodeTrashInput) (*nodeOutput, error) {
	if in.Permanent {
		return &nodeOutput{Status: http.StatusNoContent}, s.app.Node.Erase(ctx, p, in.node())
	}
	n, err := s.app.Node.Trash(ctx, p, in.node())
	return &nodeOutput{http.StatusOK, n}, err
}

func (s *server) restoreNode(ctx context.Context, p loci.Principal, in *NodePath) (*answer[*loci.MemoryNode], error) {
	return say(s.app.Node.Restore(ctx, p, in.node()))
}

func (s *server) nodeItems(ctx context.Context, p loci.Principal, in *NodePath) (*answer[client.NodeItemList], error) {
	list, err := s.app.Node.Items(ctx, p, in.node())
	return say(client.NodeItemList{Items: loci.OrEmpty(list)}, err)
}

type newItemInput struct {
	NodePath
	Body    client.NewNodeItem
	RawBody []byte
}

func (s *server) addNodeItem(ctx context.Context, p loci.Principal, in *newItemInput) (*answer[*loci.NodeItem], error) {
	if err := nullVendors(in.Body.AllowedVendors, in.RawBody); err != nil {
		return nil, err
	}
	return say(s.app.Node.AddItem(ctx, p, in.node(), in.Body))
}

type moveItemInput struct {
	NodeItemPath
	Body client.NodeItemMove `contentType:"application/json"`
}

func (s *server) moveNodeItem(ctx context.Context, p loci.Principal,
	in *moveItemInput) (*answer[*loci.NodeItem], error) {
	return say(s.app.Node.MoveItem(ctx, p, in.node(), in.item(), in.Body))
}

func (s *server) removeNodeItem(ctx context.Context, p loci.Principal, in *NodeItemPath) (*nothing, error) {
	return done(s.app.Node.RemoveItem(ctx, p, in.node(), in.item()))
}

type packInput struct {
	NodePath
	Format string `query:"format" enum:"json,markdown" doc:"Default: markdown"`
	Budget int    `query:"budget" minimum:"1" maximum:"1000000" doc:"Characters of items; default: 100,000"`
}

type packOutput struct {
	ContentType string `header:"Content-Type" hidden:"true"`
	Body        any    // *client.NodePack or, as Markdown, []byte
}

func (s *server) nodePack(ctx context.Context, p loci.Principal, in *packInput) (*packOutput, error) {
	pack, err := s.app.Node.Pack(ctx, p, in.node(), in.Budget)
	if err != nil {
		return nil, err
	}
	if in.Format != "json" {
		return &packOutput{"text/markdown; charset=utf-8", []byte(pack.Text)}, nil
	}
	out := &client.NodePack{Node: pack.Node, Items: make([]client.PackedItem, len(pack.Items)), Left: pack.Left}
	for i := range pack.Items {
		out.Items[i] = client.PackedItem(pack.Items[i])
	}
	return &packOutput{jsonType, out}, nil
}

var (
	exampleNodeID = loci.NodeID(exampleID)
	exampleItemID = loci.NodeItemID{0x0d, 0x9a, 0x1b, 0x3c, 0x5e, 0x7f, 0x41, 0x28, 0x8c, 0x6d, 0x1e, 0x2f, 0x3a,
		0x4b, 0x5c, 0x6d}

	exampleNewNode = client.NewNode{Name: "Onboarding", Description: "What a new colleague has to know.",
		Tags: []string{"team"}}
	exampleNode = &loci.MemoryNode{ID: exampleNodeID, Name: "Onboarding",
		Description: "What a new colleague has to know.", Tags: []string{"team"},
		Access: loci.Access{UserID: exampleUser, Scope: loci.ScopeGlobal, Origin: "api",
			AllowedVendors: []loci.Vendor{loci.AnyVendor}},
		CreatedAt: exampleTime, UpdatedAt: exampleTime}
	exampleNodes    = client.NodeList{Nodes: []*loci.MemoryNode{exampleNode}}
	exampleNodeEdit = client.NodeEdit{Name: client.Set("First week"), Description: client.Clear[string]()}
	exampleNewItem  = client.NewNodeItem{Kind: loci.ItemText, Text: "Ask for a key on the first day."}
	exampleItem     = &loci.NodeItem{ID: exampleItemID, NodeID: exampleNodeID, Kind: loci.ItemText,
		Text:   "Ask for a key on the first day.",
		UserID: exampleUser, Origin: "api", AllowedVendors: []loci.Vendor{loci.AnyVendor}, CreatedAt: exampleTime}
	exampleItems = client.NodeItemList{Items: []loci.NodeItem{*exampleItem}}
	exampleMove  = client.NodeItemMove{ParentID: client.Clear[loci.NodeItemID]()}
	examplePack  = client.NodePack{Node: exampleNode, Items: []client.PackedItem{{NodeItem: *exampleItem, Number: "1",
		Content: exampleItem.Text}}}
)
