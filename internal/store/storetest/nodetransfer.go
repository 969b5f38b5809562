package storetest

import (
	"context"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// testNodeTransfer puts a node with everything into a list and back.
func testNodeTransfer(e *env) {
	ours, theirs := newID[loci.WorkspaceID](), newID[loci.WorkspaceID]()
	agent := newID[loci.AgentID]()
	in := func(w loci.WorkspaceID) func(*loci.Memory) { return func(m *loci.Memory) { m.WorkspaceID = w } }
	live, elsewhere := e.insert(in(ours)), e.insert(in(theirs))
	gone := e.insert(in(ours), func(m *loci.Memory) { m.DeletedAt = e.clock.now() })
	own := e.insert(in(ours), func(m *loci.Memory) { m.Scope, m.AgentID = loci.ScopeAgent, agent })
	other := e.addUser()
	foreign := e.insert(in(ours), func(m *loci.Memory) { m.UserID = other.ID })
	n := e.insertNode(func(n *loci.MemoryNode) { n.WorkspaceID, n.DeletedAt = ours, e.clock.now() })
	item := func(parent loci.NodeItemID, user loci.UserID, m *loci.Memory) loci.NodeItem {
		i := loci.NodeItem{ID: newID[loci.NodeItemID](), NodeID: n.ID, ParentID: parent, Kind: loci.ItemText, Text: "t",
			UserID: user, Origin: "a",
			AllowedVendors: []loci.Vendor{"a"}, CreatedAt: e.clock.now()}
		if m != nil {
			i.Kind, i.Text, i.MemoryID = loci.ItemMemory, "", m.ID
		}
		return i
	}
	put := func(i loci.NodeItem) error {
		return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.MemoryNodes().InsertItem(ctx, i) })
	}
	top := item(loci.NodeItemID{}, e.user, live)
	left := item(top.ID, other.ID, nil)
	below := item(left.ID, e.user, gone)
	of := item(top.ID, e.user, own)
	end := item(loci.NodeItemID{}, e.user, nil)
	for _, i := range []loci.NodeItem{top, left, below, of, item(top.ID, e.user, elsewhere), item(top.ID, e.user, foreign),
		end} {
		if err := put(i); err != nil {
			e.Fatal(explain(err))
		}
	}
	below.ParentID, of.Position, end.Position = top.ID, 1, 1
	v := e.person()
	v.WorkspaceID = ours
	list := func(v loci.Viewer, id loci.NodeID) (items []loci.NodeItem, err error) {
		return items, e.st.View(e.Context(), e.org, func(tx store.Tx) (err error) {
			items, err = tx.MemoryNodes().OwnItems(e.Context(), v, id)
			return err
		})
	}
	got, err := list(v, n.ID)
	if diff := gocmp.Diff([]loci.NodeItem{top, below, of, end}, got); diff != "" || err != nil {
		e.Errorf("OwnItems: %v (-want +got):\n%s", explain(err), diff)
	}
	e.wantCode("its id again", put(top), loci.Conflict)
	e.wantCode("no node", put(func() loci.NodeItem {
		i := item(loci.NodeItemID{}, e.user, nil)
		i.NodeID = newID[loci.NodeID]()
		return i
	}()), loci.NotFound)
	e.wantCode("no memory", put(item(loci.NodeItemID{}, e.user, e.memory())), loci.NotFound)
	e.wantCode("no parent", put(item(newID[loci.NodeItemID](), e.user, nil)), loci.NotFound)
	shared := e.insertNode(func(n *loci.MemoryNode) {
		n.UserID, n.WorkspaceID, n.TeamID = other.ID, ours,
			newID[loci.TeamID]()
	})
	v.TeamID = shared.TeamID
	for name, id := range map[string]loci.NodeID{"another's": shared.ID, "none": newID[loci.NodeID]()} {
		_, err := list(v, id)
		e.wantCode(name, err, loci.NotFound)
	}
}
