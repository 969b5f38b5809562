package client

import (
	"context"
	"net/http"

	"github.com/loci-memory/loci"
)

// NewNode is loci.NewNode.
type NewNode = loci.NewNode

// NodeEdit is loci.NodeEdit.
type NodeEdit = loci.NodeEdit

// NodeFilter selects one page of memory nodes. Zero fields match everything.
type NodeFilter struct {
	Scope     loci.Scope
	ProjectID loci.ProjectID
	Tag       string
	Trashed   bool // only nodes in the trash; people only
	Limit     int  // 0: 50
	Cursor    string
}

// NodeList is one page of memory nodes, last changed first.
type NodeList struct {
	Nodes []*loci.MemoryNode `json:"memory_nodes" nullable:"false"`
	More
}

// NewNodeItem is loci.NewNodeItem.
type NewNodeItem = loci.NewNodeItem

// NodeItemMove is loci.NodeItemMove.
type NodeItemMove = loci.NodeItemMove

// NodeItemList is the items of a memory node. Each is followed by the items below it.
type NodeItemList struct {
	Items []loci.NodeItem `json:"items" nullable:"false"`
	More
}

// NodePack is a memory node with its contents, to read as a whole.
type NodePack struct {
	Node  *loci.MemoryNode `json:"memory_node"`
	Items []PackedItem     `json:"items" nullable:"false" doc:"Items in order, as many as fit the budget"`
	Left  int              `json:"left" doc:"Number of items that didn't fit the budget" example:"0"`
}

// PackedItem is an item of a memory node with its content.
type PackedItem struct {
	loci.NodeItem
	Number  string `json:"number" doc:"Position: 2.1 is the first item below the second" example:"2.1"`
	Title   string `json:"title,omitempty" doc:"Title of the memory, or name of the entity" example:"Deploys"`
	Content string `json:"content" doc:"Content of the memory or the text, or the observations of an entity, one per line" example:"We deploy on Tuesdays, never on Fridays."`
}

// CreateNode creates a memory node.
func (c *Client) CreateNode(ctx context.Context, n NewNode) (*loci.MemoryNode, error) {
	return send[loci.MemoryNode](ctx, c, "/memory-nodes", n)
}

// Node returns a memory node. With a person's key, it also returns nodes in the trash.
func (c *Client) Node(ctx context.Context, id loci.NodeID) (*loci.MemoryNode, error) {
	return get[loci.MemoryNode](ctx, c, node(id, ""))
}

// Nodes returns one page of memory nodes, last changed first.
func (c *Client) Nodes(ctx context.Context, f NodeFilter) (*NodeList, error) {
	v := values("scope", string(f.Scope), "project_id", idOf(f.ProjectID), "tag", f.Tag, "limit", number(f.Limit),
		"cursor", f.Cursor)
	if f.Trashed {
		v.Set("trashed", "true")
	}
	return get[NodeList](ctx, c, query("/memory-nodes", v))
}

// EditNode changes parts of a memory node.
func (c *Client) EditNode(ctx context.Context, id loci.NodeID, e NodeEdit) (*loci.MemoryNode, error) {
	return call[loci.MemoryNode](ctx, c, http.MethodPatch, node(id, ""), e)
}

// TrashNode moves a memory node to the trash, with its items.
func (c *Client) TrashNode(ctx context.Context, id loci.NodeID) (*loci.MemoryNode, error) {
	return call[loci.MemoryNode](ctx, c, http.MethodDelete, node(id, ""), nil)
}

// EraseNode permanently deletes a memory node with its items.
func (c *Client) EraseNode(ctx context.Context, id loci.NodeID) error {
	return c.do(ctx, http.MethodDelete, node(id, "?permanent=true"), nil, nil, nil)
}

// RestoreNode restores a memory node from the trash.
func (c *Client) RestoreNode(ctx context.Context, id loci.NodeID) (*loci.MemoryNode, error) {
	return call[loci.MemoryNode](ctx, c, http.MethodPost, node(id, "/restore"), nil)
}

// NodeItems returns the items of a memory node.
func (c *Client) NodeItems(ctx context.Context, id loci.NodeID) (*NodeItemList, error) {
	return get[NodeItemList](ctx, c, node(id, "/items"))
}

// AddNodeItem adds an item to a memory node.
func (c *Client) AddNodeItem(ctx context.Context, id loci.NodeID, i NewNodeItem) (*loci.NodeItem, error) {
	return send[loci.NodeItem](ctx, c, node(id, "/items"), i)
}

// MoveNodeItem moves an item within its node, with everything below it.
func (c *Client) MoveNodeItem(ctx context.Context, id loci.NodeID, item loci.NodeItemID,
	to NodeItemMove) (*loci.NodeItem, error) {
	return call[loci.NodeItem](ctx, c, http.MethodPatch, node(id, "/items/"+item.String()), to)
}

// RemoveNodeItem removes an item from its node, with everything below it.
func (c *Client) RemoveNodeItem(ctx context.Context, id loci.NodeID, item loci.NodeItemID) error {
	return c.do(ctx, http.MethodDelete, node(id, "/items/"+item.String()), nil, nil, nil)
}

// NodePack returns a memory node with its contents, in at most budget characters. If budget is 0,
// the server's default applies.
func (c *Client) NodePack(ctx context.Context, id loci.NodeID, budget int) (*NodePack, error) {
	return get[NodePack](ctx, c, query(node(id, "/pack"), values("budget", number(budget), "format", "json")))
}

// NodePackMarkdown works like NodePack and returns text for a model.
func (c *Client) NodePackMarkdown(ctx context.Context, id loci.NodeID, budget int) (string, error) {
	var b []byte
	err := c.do(ctx, http.MethodGet, query(node(id, "/pack"), values("budget", number(budget))), nil, nil, &b)
	return string(b), err
}

func node(id loci.NodeID, rest string) string { return "/memory-nodes/" + id.String() + rest }
