package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (e *env) newNode(change ...func(*loci.MemoryNode)) *loci.MemoryNode {
	n := &loci.MemoryNode{ID: loci.NewNodeID(), Name: "Release", Description: "what to know"}
	n.OrgID, n.UserID, n.Origin = e.org, e.user, "api"
	n.SetDefaults()
	n.CreatedAt = e.clock.now()
	n.UpdatedAt = n.CreatedAt
	for _, c := range change {
		c(n)
	}
	return n
}

func (e *env) insertNode(change ...func(*loci.MemoryNode)) *loci.MemoryNode {
	e.Helper()
	n := e.newNode(change...)
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.MemoryNodes().Insert(ctx, n) })
	return n
}

func (e *env) updateNode(n *loci.MemoryNode, change ...func(*loci.MemoryNode)) *loci.MemoryNode {
	e.Helper()
	next := *n
	next.UpdatedAt = e.clock.now()
	for _, c := range change {
		c(&next)
	}
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.MemoryNodes().Update(ctx, &next) })
	return &next
}

func (e *env) getNode(v loci.Viewer, id loci.NodeID, l loci.Lifecycle) (n *loci.MemoryNode, err error) {
	err = e.st.View(e.Context(), e.org,
		func(tx store.Tx) error { n, err = tx.MemoryNodes().Get(e.Context(), v, id, l); return err })
	return n, err
}

// nodeNames lists all pages.
func (e *env) nodeNames(v loci.Viewer, q store.NodeQuery) (names []string) {
	e.Helper()
	for first := true; first || q.After != ""; first = false {
		e.view(func(ctx context.Context, tx store.Tx) error {
			list, next, err := tx.MemoryNodes().List(ctx, v, q)
			if len(list) > q.Limit || next != "" && len(list) < q.Limit {
				e.Errorf("a page of %d with limit %d and the position %q", len(list), q.Limit, next)
			}
			for _, n := range list {
				names = append(names, n.Name)
			}
			q.After = next
			return err
		})
	}
	return names
}

func called(name string) func(*loci.MemoryNode) { return func(n *loci.MemoryNode) { n.Name = name } }

func testMemoryNodes(e *env) {
	n := e.insertNode(func(n *loci.MemoryNode) {
		n.Scope, n.ProjectID, n.AgentID, n.TeamID = loci.ScopeProject, newID[loci.ProjectID](), newID[loci.AgentID](),
			newID[loci.TeamID]()
		n.WorkspaceID, n.AllowedVendors, n.Tags = newID[loci.WorkspaceID](), []loci.Vendor{"a", "b"}, []string{"x", "y"}
		n.ExpiresAt = e.clock.now().Add(time.Hour)
	})
	got, err := e.getNode(e.person(), n.ID, loci.LiveOnly)
	if diff := gocmp.Diff(n, got); diff != "" || err != nil {
		e.Fatalf("Get: %v (-want +got):\n%s", explain(err), diff)
	}
	try := func(fn func(context.Context, store.MemoryNodes) error) error {
		return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return fn(ctx, tx.MemoryNodes()) })
	}
	insert := func(n *loci.MemoryNode) error {
		return try(func(ctx context.Context, t store.MemoryNodes) error { return t.Insert(ctx, n) })
	}
	e.wantCode("its id again", insert(n), loci.Conflict)
	e.wantCode("no user", insert(e.newNode(func(n *loci.MemoryNode) { n.UserID = loci.NewUserID() })), loci.NotFound)
	e.wantCode("another org", insert(e.newNode(func(n *loci.MemoryNode) { n.OrgID = "other" })), loci.Invalid)

	e.clock.move(time.Minute)
	next := e.updateNode(n, func(n *loci.MemoryNode) {
		n.Name, n.Description, n.Tags, n.Scope, n.ProjectID = "new", "", []string{}, loci.ScopeGlobal, loci.ProjectID{}
		n.AgentID, n.TeamID, n.WorkspaceID, n.AllowedVendors, n.ExpiresAt = loci.AgentID{}, loci.TeamID{}, loci.WorkspaceID{},
			[]loci.Vendor{"*"}, time.Time{}
	})
	e.updateNode(next, func(n *loci.MemoryNode) {
		n.UserID, n.Origin, n.CreatedAt = loci.NewUserID(), "claude",
			e.clock.now()
	})
	got, err = e.getNode(e.agent("zz"), n.ID, loci.LiveOnly)
	if diff := gocmp.Diff(next, got); diff != "" || err != nil {
		e.Errorf("after updates, of which the second may change nothing: %v (-want +got):\n%s", explain(err), diff)
	}
	e.wantCode("update of none",
		try(func(ctx context.Context, t store.MemoryNodes) error { return t.Update(ctx, e.newNode()) }), loci.NotFound)
	erase := func(ctx context.Context, t store.MemoryNodes) error { return t.Erase(ctx, n.ID) }
	if err := try(erase); err != nil {
		e.Error(explain(err))
	}
	e.wantCode("erased twice", try(erase), loci.NotFound)
	_, err = e.getNode(e.person(), n.ID, loci.AnyState)
	e.wantCode("after it was erased", err, loci.NotFound)
}

func testMemoryNodeList(e *env) {
	p := newID[loci.ProjectID]()
	tagged := func(tags ...string) func(*loci.MemoryNode) { return func(n *loci.MemoryNode) { n.Tags = tags } }
	var all []*loci.MemoryNode
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		if i%2 == 0 { // b is as old as a, d as c
			e.clock.move(time.Minute)
		}
		all = append(all, e.insertNode(called(name), tagged("t", name)))
	}
	e.insertNode(called("hidden"), func(n *loci.MemoryNode) { n.UserID = e.addUser().ID })
	e.clock.move(time.Minute)
	e.updateNode(all[1], tagged("u"))
	e.updateNode(all[2], func(n *loci.MemoryNode) {
		n.Scope, n.ProjectID, n.UpdatedAt = loci.ScopeProject, p, n.CreatedAt
	})
	e.updateNode(all[3], func(n *loci.MemoryNode) { n.DeletedAt = e.clock.now() })
	for name, tt := range map[string]struct {
		q    store.NodeQuery
		want []string
	}{
		"all":        {store.NodeQuery{}, []string{"b", "e", "c", "a"}},
		"scope":      {store.NodeQuery{Scope: loci.ScopeGlobal}, []string{"b", "e", "a"}},
		"project":    {store.NodeQuery{ProjectID: p}, []string{"c"}},
		"tag":        {store.NodeQuery{Tag: "t"}, []string{"e", "c", "a"}},
		"no such":    {store.NodeQuery{Tag: "T"}, nil},
		"both":       {store.NodeQuery{Tag: "t", Scope: loci.ScopeProject}, []string{"c"}},
		"trash":      {store.NodeQuery{Lifecycle: loci.TrashOnly}, []string{"d"}},
		"everything": {store.NodeQuery{Lifecycle: loci.AnyState}, []string{"d", "b", "e", "c", "a"}},
	} {
		for _, limit := range []int{1, 2, 100} {
			tt.q.Limit = limit
			if got := e.nodeNames(e.person(), tt.q); !slices.Equal(got, tt.want) {
				e.Errorf("%s in pages of %d: %q, want %q", name, limit, got, tt.want)
			}
		}
	}
	list := func(q store.NodeQuery) (next store.Position, err error) {
		err = e.st.View(e.Context(), e.org,
			func(tx store.Tx) error { _, next, err = tx.MemoryNodes().List(e.Context(), e.person(), q); return err })
		return next, err
	}
	next, err := list(store.NodeQuery{Limit: 1})
	if err != nil {
		e.Fatal(explain(err))
	}
	memories := e.list(e.person(), store.ListQuery{Limit: 1}).Next
	for name, q := range map[string]store.NodeQuery{
		"no limit":       {},
		"nonsense":       {Limit: 1, After: "nonsense"},
		"of memories":    {Limit: 1, After: memories + "x"},
		"of another set": {Limit: 1, After: next, Lifecycle: loci.TrashOnly},
	} {
		_, err := list(q)
		e.wantCode(name, err, loci.Invalid)
	}
}

func testMemoryNodePurge(e *env) {
	live := e.insertNode()
	n := e.insertNode(func(n *loci.MemoryNode) { n.DeletedAt = e.clock.now() })
	e.insertNode(func(n *loci.MemoryNode) { n.DeletedAt = e.clock.now().Add(time.Hour) })
	purge := func(then time.Time, limit, want int) {
		e.Helper()
		e.update(func(ctx context.Context, tx store.Tx) error {
			n, err := tx.MemoryNodes().Purge(ctx, then, limit)
			if n != want {
				e.Errorf("purged %d, want %d", n, want)
			}
			return err
		})
	}
	purge(n.DeletedAt, 10, 0)
	purge(n.DeletedAt.Add(time.Microsecond), 10, 1)
	_, err := e.getNode(e.person(), n.ID, loci.AnyState)
	e.wantCode("purged", err, loci.NotFound)
	e.insertNode(func(n *loci.MemoryNode) { n.DeletedAt = e.clock.now() })
	purge(e.clock.now().Add(2*time.Hour), 1, 1)
	purge(e.clock.now().Add(2*time.Hour), 10, 1)
	if _, err := e.getNode(e.person(), live.ID, loci.LiveOnly); err != nil {
		e.Errorf("what is not in the trash: %v", explain(err))
	}
}

func (e *env) item(n *loci.MemoryNode, text string, change ...func(*loci.NodeItem)) loci.NodeItem {
	i := loci.NodeItem{ID: loci.NewNodeItemID(), NodeID: n.ID, Kind: loci.ItemText, Text: text, UserID: e.user,
		Origin:         "api",
		AllowedVendors: []loci.Vendor{"*"}, CreatedAt: e.clock.now()}
	for _, c := range change {
		c(&i)
	}
	return i
}

func (e *env) putItem(v loci.Viewer, i loci.NodeItem, before loci.NodeItemID) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.MemoryNodes().PutItem(ctx, v, i, before) })
}

// place stores an item that must be taken, and returns its id.
func (e *env) place(n *loci.MemoryNode, text string, change ...func(*loci.NodeItem)) loci.NodeItemID {
	e.Helper()
	i := e.item(n, text, change...)
	if err := e.putItem(e.person(), i, loci.NodeItemID{}); err != nil {
		e.Fatal(explain(err))
	}
	return i.ID
}

func below(id loci.NodeItemID) func(*loci.NodeItem) {
	return func(i *loci.NodeItem) { i.ParentID = id }
}

func (e *env) moveItem(v loci.Viewer, id, parent, before loci.NodeItemID) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
		return tx.MemoryNodes().MoveItem(ctx, v, id, parent, before)
	})
}

func (e *env) removeItem(v loci.Viewer, id loci.NodeItemID) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.MemoryNodes().RemoveItem(ctx, v, id) })
}

func (e *env) items(v loci.Viewer, id loci.NodeID) (list []loci.NodeItem, err error) {
	err = e.st.View(e.Context(), e.org,
		func(tx store.Tx) error { list, err = tx.MemoryNodes().Items(e.Context(), v, id); return err })
	return list, err
}

// outline writes what a viewer sees of a node as "0 text/0 below it".
func (e *env) wantOutline(what string, v loci.Viewer, n *loci.MemoryNode, want ...string) {
	e.Helper()
	list, err := e.items(v, n.ID)
	depth := map[loci.NodeItemID]int{}
	var got []string
	for _, i := range list {
		depth[i.ID] = depth[i.ParentID] + 1
		got = append(got, fmt.Sprintf("%*s%d %s", depth[i.ID]-1, "", i.Position, i.Text))
	}
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
		e.Errorf("%s: %v (-want +got):\n%s", what, explain(err), diff)
	}
}

func testNodeItems(e *env) {
	n, other, m := e.insertNode(), e.insertNode(), e.insert()
	none := loci.NodeItemID{}
	a := e.place(n, "a")
	a1 := e.place(n, "a1", below(a))
	b := e.place(n, "b", func(i *loci.NodeItem) { i.AllowedVendors = []loci.Vendor{"cursor"} })
	e.place(n, "b1", below(b))
	memory := e.item(n, "", func(i *loci.NodeItem) { i.Kind, i.MemoryID = loci.ItemMemory, m.ID })
	if err := e.putItem(e.person(), memory, b); err != nil {
		e.Fatal(explain(err))
	}
	entity := e.item(n, "", func(i *loci.NodeItem) {
		i.Kind, i.ProjectID, i.EntityID, i.ParentID = loci.ItemEntity, newID[loci.ProjectID](), newID[loci.EntityID](), a
	})
	if err := e.putItem(e.person(), entity, a1); err != nil {
		e.Fatal(explain(err))
	}
	elsewhere := e.place(other, "elsewhere")
	list, err := e.items(e.person(), n.ID)
	if err != nil || len(list) != 6 {
		e.Fatalf("items: %v, %v", list, explain(err))
	}
	entity.Position, memory.Position = 0, 1
	if diff := gocmp.Diff([]loci.NodeItem{entity, memory}, []loci.NodeItem{list[1], list[3]}); diff != "" {
		e.Errorf("what is kept (-want +got):\n%s", diff)
	}
	e.wantOutline("everything", e.person(), n, "0 a", " 0 ", " 1 a1", "1 ", "2 b", " 0 b1")
	e.wantOutline("another vendor", e.agent("claude"), n, "0 a", " 0 ", " 1 a1", "1 ")
	e.checkEdit(n, b)
	e.trash(m)
	e.wantOutline("without the memory", e.person(), n, "0 a", " 0 ", " 1 a1", "1 b", " 0 b1")

	e.checkItemErrors(n, itemIDs{a, a1, b, elsewhere}, memory)
	if err := e.moveItem(e.person(), a, b, none); err != nil {
		e.Error(explain(err))
	}
	e.wantOutline("a below b", e.person(), n, "0 b", " 0 b1", " 1 a", "  0 ", "  1 a1")
	if err := e.removeItem(e.person(), a); err != nil {
		e.Error(explain(err))
	}
	e.wantOutline("without a", e.person(), n, "0 b", " 0 b1")
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.MemoryNodes().Erase(ctx, n.ID) })
	e.wantCode("of an erased node", e.removeItem(e.person(), b), loci.NotFound)
}

// itemIDs are items of which the first is above the second, the third is for another vendor than claude, and
// the fourth is in another node.
type itemIDs struct{ a, a1, b, elsewhere loci.NodeItemID }

// checkItemErrors expects the memory that the item memory shows to be in the trash.
func (e *env) checkItemErrors(n *loci.MemoryNode, ids itemIDs, memory loci.NodeItem) {
	e.Helper()
	none, a, a1, b, elsewhere := loci.NodeItemID{}, ids.a, ids.a1, ids.b, ids.elsewhere
	hidden := e.agent("claude")
	for name, tt := range map[string]struct {
		err  error
		want loci.Code
	}{
		"no node":               {e.putItem(e.person(), e.item(e.newNode(), "x"), none), loci.NotFound},
		"no parent":             {e.putItem(e.person(), e.item(n, "x", below(loci.NewNodeItemID())), none), loci.NotFound},
		"hidden parent":         {e.putItem(hidden, e.item(n, "x", below(b)), none), loci.NotFound},
		"parent elsewhere":      {e.putItem(e.person(), e.item(n, "x", below(elsewhere)), none), loci.NotFound},
		"hidden before":         {e.putItem(hidden, e.item(n, "x"), b), loci.NotFound},
		"before elsewhere":      {e.putItem(e.person(), e.item(n, "x"), a1), loci.Invalid},
		"a trashed memory":      {e.putItem(e.person(), memory, none), loci.NotFound},
		"below a hidden memory": {e.putItem(e.person(), e.item(n, "x", below(memory.ID)), none), loci.NotFound},
		"its id again": {e.putItem(e.person(), e.item(n, "x", func(i *loci.NodeItem) { i.ID = a }), none),
			loci.Conflict},
		"move none":            {e.moveItem(e.person(), loci.NewNodeItemID(), none, none), loci.NotFound},
		"move a hidden one":    {e.moveItem(hidden, b, none, none), loci.NotFound},
		"move to another node": {e.moveItem(e.person(), a, elsewhere, none), loci.NotFound},
		"below itself":         {e.moveItem(e.person(), a, a, none), loci.Invalid},
		"below its own":        {e.moveItem(e.person(), a, a1, none), loci.Invalid},
		"before itself":        {e.moveItem(e.person(), a, none, a), loci.Invalid},
		"before one elsewhere": {e.moveItem(e.person(), a, none, a1), loci.Invalid},
		"remove none":          {e.removeItem(e.person(), loci.NewNodeItemID()), loci.NotFound},
		"remove a hidden one":  {e.removeItem(hidden, b), loci.NotFound},
		"items of none": {func() error { _, err := e.items(e.person(), loci.NewNodeID()); return err }(),
			loci.NotFound},
	} {
		e.wantCode(name, tt.err, tt.want)
	}
}

// Any number of items fits before another, and hidden ones keep their places among the others.
func testNodeOrder(e *env) {
	n := e.insertNode()
	first, last := e.place(n, "first"), e.place(n, "last")
	e.place(n, "behind")
	claude := e.agent("claude")
	secret := e.item(n, "secret", func(i *loci.NodeItem) { i.AllowedVendors = []loci.Vendor{"cursor"} })
	if err := e.putItem(e.person(), secret, last); err != nil {
		e.Fatal(explain(err))
	}
	want := []string{"0 first", "1 secret"}
	e.update(func(ctx context.Context, tx store.Tx) error {
		for k := range 60 {
			if err := tx.MemoryNodes().PutItem(ctx, claude, e.item(n, fmt.Sprint(k)), last); err != nil {
				return err
			}
		}
		for k := range 60 {
			if err := tx.MemoryNodes().PutItem(ctx, claude, e.item(n, fmt.Sprint(-k-1)), first); err != nil {
				return err
			}
		}
		return nil
	})
	for k := range 60 {
		want = append(want, fmt.Sprintf("%d %d", k+2, k))
	}
	want = append(want, "62 last", "63 behind")
	shift := func(list []string, by int) (out []string) {
		for k := range 60 {
			out = append(out, fmt.Sprintf("%d %d", k, -k-1))
		}
		for k, line := range list {
			var at int
			var text string
			_, _ = fmt.Sscan(line, &at, &text)
			out = append(out, fmt.Sprintf("%d %s", k+by, text))
		}
		return out
	}
	e.wantOutline("the owner", e.person(), n, shift(want, 60)...)
	e.wantOutline("without the secret", claude, n, shift(slices.Delete(slices.Clone(want), 1, 2), 60)...)
}

// Each item fits before the one that was put there last, behind what is before both.
func testNodeOrderBackwards(e *env) {
	n := e.insertNode()
	e.place(n, "first")
	before := e.place(n, "last")
	want := []string{"0 first"}
	e.update(func(ctx context.Context, tx store.Tx) error {
		for k := range 60 {
			i := e.item(n, fmt.Sprint(k))
			if err := tx.MemoryNodes().PutItem(ctx, e.person(), i, before); err != nil {
				return err
			}
			before = i.ID
		}
		return nil
	})
	for k := range 60 {
		want = append(want, fmt.Sprintf("%d %d", k+1, 59-k))
	}
	e.wantOutline("the owner", e.person(), n, append(want, "61 last")...)
}

// The limits hold for what a writer sees. What it does not see is only ever a lack of room.
func testNodeLimits(e *env) {
	n := e.insertNode()
	none := loci.NodeItemID{}
	fill := func(v loci.Viewer, count int, vendors ...loci.Vendor) error {
		return e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
			for range count {
				i := e.item(n, "x", func(i *loci.NodeItem) { i.AllowedVendors = vendors })
				if err := tx.MemoryNodes().PutItem(ctx, v, i, none); err != nil {
					return err
				}
			}
			return nil
		})
	}
	a, b, c, d := e.agent("a"), e.agent("b"), e.agent("c"), e.agent("d")
	for _, v := range []loci.Viewer{a, b, c} {
		if err := fill(v, loci.MaxNodeItems, v.Vendor); err != nil {
			e.Fatalf("%s is told of what it does not see: %v", v.Vendor, explain(err))
		}
		e.wantCode("one more", fill(v, 1, v.Vendor), loci.Conflict)
	}
	e.wantCode("who sees everything", fill(e.person(), 1, "*"), loci.Conflict)
	if err := fill(d, loci.MaxNodeItems-1, "d"); err != nil {
		e.Fatal(explain(err))
	}
	if err := fill(d, 1, "b"); err != nil {
		e.Error(explain(err))
	}
	e.wantCode("no room", fill(d, 1, "d"), loci.Full)

	n = e.insertNode()
	var chain []loci.NodeItemID
	last := none
	for range loci.MaxNodeDepth {
		last = e.place(n, "x", below(last))
		chain = append(chain, last)
	}
	e.wantCode("too deep", e.putItem(e.person(), e.item(n, "x", below(last)), none), loci.Conflict)
	top := e.place(n, "top")
	e.wantCode("moved too deep", e.moveItem(e.person(), chain[0], top, none), loci.Conflict)
	if err := e.moveItem(e.person(), chain[1], top, none); err != nil {
		e.Errorf("one less: %v", explain(err))
	}
	if err := e.putItem(e.agent("a"),
		e.item(n, "y", below(top), func(i *loci.NodeItem) { i.AllowedVendors = []loci.Vendor{"b"} }), none); err != nil {
		e.Error(explain(err))
	}
	testHiddenDepth(e)
}

// What is hidden below an item does not say so when that is moved.
func testHiddenDepth(e *env) {
	n := e.insertNode()
	none, a := loci.NodeItemID{}, e.agent("a")
	hidden := func(i *loci.NodeItem) { i.AllowedVendors = []loci.Vendor{"b"} }
	var deep []loci.NodeItemID
	for range 5 {
		top := e.place(n, "top")
		last := top
		for range loci.MaxNodeDepth - 1 {
			last = e.place(n, "x", below(last), hidden)
		}
		deep = append(deep, top)
	}
	at := none
	for range loci.MaxNodeDepth - 1 {
		at = e.place(n, "y", below(at))
	}
	if err := e.moveItem(a, deep[0], at, none); err != nil {
		e.Errorf("an item that looks like a leaf: %v", explain(err))
	}
	if list, err := e.items(e.person(), n.ID); err != nil || len(list) != 5*loci.MaxNodeDepth+loci.MaxNodeDepth-1 {
		e.Errorf("who sees everything sees %d, %v", len(list), err)
	}
	e.wantCode("who sees what is below", e.moveItem(e.person(), deep[1], at, none), loci.Conflict)
}
