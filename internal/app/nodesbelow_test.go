package app_test

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
)

// TestWhatIsBelowAHiddenItemIsHidden requires it below an entity that the reader sees no more, and in a pack below a
// memory that is not valid now.
func TestWhatIsBelowAHiddenItemIsHidden(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	ctx := t.Context()
	add := func(d node.ItemDraft) loci.NodeItemID {
		t.Helper()
		i, err := g.Node.AddItem(ctx, g.mara, g.node.ID, d)
		g.must(err)
		return i.ID
	}
	text := func(words string, parent loci.NodeItemID) loci.NodeItemID {
		return add(node.ItemDraft{Kind: loci.ItemText, Text: words, ParentID: parent})
	}
	put, err := g.Graph.CreateEntities(ctx, g.mara, g.project, nil, []loci.NewEntity{ent("plan", "plan")})
	g.must(err)
	plan := put[0].Entity.ID
	text("below it", text("below the plan",
		add(node.ItemDraft{Kind: loci.ItemEntity, ProjectID: g.project, EntityID: plan})))
	over := g.add(g.mara, memory.Draft{Title: "over", Content: "o", ValidFrom: g.now.AddDate(0, 0, -2),
		ValidTo: g.now.AddDate(0, 0, -1)})
	text("below what is over", add(node.ItemDraft{Kind: loci.ItemMemory, MemoryID: over.ID}))
	counts := func(p loci.Principal) [2]int {
		pack, err := g.Node.Pack(ctx, p, g.node.ID, 0)
		g.must(err)
		return [2]int{len(g.items(p)), len(pack.Items)}
	}
	if got := counts(g.cursor); got != [2]int{7, 5} {
		t.Errorf("all: got %v items and packed ones", got)
	}
	g.must(second(g.Graph.SetVendors(ctx, g.mara, g.project, graph.IDs{Entities: []loci.EntityID{plan}},
		[]loci.Vendor{"claude"})))
	if got := counts(g.cursor); got != [2]int{4, 2} {
		t.Errorf("without the entity: got %v items and packed ones", got)
	}
}

// TestAnItemNeedsAVendor requires an error for an item below entities that no one vendor may see.
func TestAnItemNeedsAVendor(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	ctx := t.Context()
	item := node.ItemDraft{Kind: loci.ItemEntity, ProjectID: g.project}
	for _, v := range []loci.Vendor{"claude", "cursor"} {
		put, err := g.Graph.CreateEntities(ctx, g.mara, g.project, []loci.Vendor{v},
			[]loci.NewEntity{ent("of "+string(v), "plan")})
		g.must(err)
		item.EntityID = put[0].Entity.ID
		i, err := g.Node.AddItem(ctx, g.mara, g.node.ID, item)
		if v == "cursor" {
			if loci.FieldOf(err) != "parent_id" {
				t.Errorf("got %+v, %v; want an error about parent_id", i, err)
			}
			continue
		}
		g.must(err)
		item.ParentID = i.ID
	}
}

// TestNodesOfAgentsAndTeams requires that a person makes no node of an agent without a session of it, and that
// leaving a team does not touch the nodes that were not shared with it.
func TestNodesOfAgentsAndTeams(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	ctx := t.Context()
	_, err := g.Node.Create(ctx, g.mara, node.Draft{Name: "n", Scope: loci.ScopeAgent, AgentID: g.robot})
	if loci.FieldOf(err) != "agent_id" {
		t.Errorf("got %v", err)
	}
	before, err := g.Node.Create(ctx, g.tom, node.Draft{Name: "private"})
	g.must(err)
	g.must(g.Org.LeaveTeam(ctx, g.tom, g.team))
	after, err := g.Node.Get(ctx, g.again(g.tom), before.ID)
	if err != nil || !after.UpdatedAt.Equal(before.UpdatedAt) {
		t.Errorf("got %+v, %v; want it unchanged since %s", after, err, before.UpdatedAt)
	}
}
