package app_test

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// node makes a memory node of mara's with one text in it.
func (c *company) node() (loci.NodeID, loci.NodeItemID) {
	c.t.Helper()
	n, err := c.CreateNode(c.t.Context(), c.mara, app.NodeDraft{Name: "zebra", Description: "quagga", Tags: []string{"okapi"}})
	c.must(err)
	i, err := c.AddNodeItem(c.t.Context(), c.mara, n.ID, app.ItemDraft{Kind: loci.ItemText, Text: "hartebeest"})
	c.must(err)
	c.st.entries = nil
	return n.ID, i.ID
}

// nodeDeed is a deed about the node of the company.
func nodeDeed(do func(*company, context.Context, loci.NodeID, loci.NodeItemID) error) func(*company, context.Context) error {
	return func(c *company, ctx context.Context) error { return do(c, ctx, c.nodeID, c.itemID) }
}

func init() {
	deeds[app.NodeCreate] = func(c *company, ctx context.Context) error {
		return second(c.CreateNode(ctx, c.mara, app.NodeDraft{Name: "zebra", Shared: true}))
	}
	deeds[app.NodeChange] = nodeDeed(func(c *company, ctx context.Context, id loci.NodeID, _ loci.NodeItemID) error {
		return second(c.ChangeNode(ctx, c.mara, id, app.NodePatch{Name: new("quagga")}))
	})
	deeds[app.NodeTrash] = nodeDeed(func(c *company, ctx context.Context, id loci.NodeID, _ loci.NodeItemID) error {
		return second(c.TrashNode(ctx, c.mara, id))
	})
	deeds[app.NodeRestore] = func(c *company, ctx context.Context) error {
		return second(c.RestoreNode(ctx, c.mara, c.trashedNode))
	}
	deeds[app.NodeErase] = nodeDeed(func(c *company, ctx context.Context, id loci.NodeID, _ loci.NodeItemID) error {
		return c.EraseNode(ctx, c.mara, id)
	})
	for name, do := range map[string]func(*company, context.Context, loci.NodeID, loci.NodeItemID) error{
		"add an item": func(c *company, ctx context.Context, id loci.NodeID, _ loci.NodeItemID) error {
			return second(c.AddNodeItem(ctx, c.mara, id, app.ItemDraft{Kind: loci.ItemMemory, MemoryID: c.memory.ID}))
		},
		"move an item": func(c *company, ctx context.Context, id loci.NodeID, item loci.NodeItemID) error {
			return second(c.MoveNodeItem(ctx, c.mara, id, item, app.ItemMove{}))
		},
		"remove an item": func(c *company, ctx context.Context, id loci.NodeID, item loci.NodeItemID) error {
			return c.RemoveNodeItem(ctx, c.mara, id, item)
		},
	} {
		more = append(more, struct {
			name string
			act  app.Action
			do   func(*company, context.Context) error
		}{name, app.NodeChange, nodeDeed(do)})
	}
}

// settleNodes makes what the deeds about nodes need.
func (c *company) settleNodes() {
	c.t.Helper()
	c.nodeID, c.itemID = c.node()
	c.trashedNode, _ = c.node()
	c.must(second(c.TrashNode(c.t.Context(), c.mara, c.trashedNode)))
}
