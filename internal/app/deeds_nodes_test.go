package app_test

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/node"
)

// node makes a memory node of mara's with one text in it.
func (c *company) node() (loci.NodeID, loci.NodeItemID) {
	c.t.Helper()
	n, err := c.Node.Create(c.t.Context(), c.mara,
		node.Draft{Name: "zebra", Description: "quagga", Tags: []string{"okapi"}})
	c.must(err)
	i, err := c.Node.AddItem(c.t.Context(), c.mara, n.ID, node.ItemDraft{Kind: loci.ItemText, Text: "hartebeest"})
	c.must(err)
	c.st.entries = nil
	return n.ID, i.ID
}

// nodeDeed is a deed about the node of the company.
func nodeDeed(do func(*company, context.Context, loci.NodeID, loci.NodeItemID) error) func(*company,
	context.Context) error {
	return func(c *company, ctx context.Context) error { return do(c, ctx, c.nodeID, c.itemID) }
}

func init() {
	deeds[node.Create] = func(c *company, ctx context.Context) error {
		return second(c.Node.Create(ctx, c.mara, node.Draft{Name: "zebra", Shared: true}))
	}
	deeds[node.Change] = nodeDeed(func(c *company, ctx context.Context, id loci.NodeID, _ loci.NodeItemID) error {
		return second(c.Node.Change(ctx, c.mara, id, node.Patch{Name: loci.Set("quagga")}))
	})
	deeds[node.Trash] = nodeDeed(func(c *company, ctx context.Context, id loci.NodeID, _ loci.NodeItemID) error {
		return second(c.Node.Trash(ctx, c.mara, id))
	})
	deeds[node.Restore] = func(c *company, ctx context.Context) error {
		return second(c.Node.Restore(ctx, c.mara, c.trashedNode))
	}
	deeds[node.Erase] = nodeDeed(func(c *company, ctx context.Context, id loci.NodeID, _ loci.NodeItemID) error {
		return c.Node.Erase(ctx, c.mara, id)
	})
	for name, do := range map[string]func(*company, context.Context, loci.NodeID, loci.NodeItemID) error{
		"add an item": func(c *company, ctx context.Context, id loci.NodeID, _ loci.NodeItemID) error {
			return second(c.Node.AddItem(ctx, c.mara, id, node.ItemDraft{Kind: loci.ItemMemory, MemoryID: c.memory.ID}))
		},
		"move an item": func(c *company, ctx context.Context, id loci.NodeID, item loci.NodeItemID) error {
			return second(c.Node.MoveItem(ctx, c.mara, id, item, node.ItemMove{}))
		},
		"remove an item": func(c *company, ctx context.Context, id loci.NodeID, item loci.NodeItemID) error {
			return c.Node.RemoveItem(ctx, c.mara, id, item)
		},
	} {
		more = append(more, struct {
			name string
			act  gate.Action
			do   func(*company, context.Context) error
		}{name, node.Change, nodeDeed(do)})
	}
}

// settleNodes makes what the deeds about nodes need.
func (c *company) settleNodes() {
	c.t.Helper()
	c.nodeID, c.itemID = c.node()
	c.trashedNode, _ = c.node()
	c.must(second(c.Node.Trash(c.t.Context(), c.mara, c.trashedNode)))
}
