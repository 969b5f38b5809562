package storetest

import (
	"context"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// outline is the model of nodes: what is directly below each item, or below a node, in order,
// whoever sees it.
type outline struct {
	*world
	nodes []*loci.MemoryNode
	below map[[16]byte][]*loci.NodeItem
	all   []*loci.NodeItem
}

// testNodeVisibility draws nodes, items, viewers and changes, and demands that each viewer sees and is told what the
// rule in package loci says about the model, and nothing else.
func testNodeVisibility(e *env) {
	rapid.Check(e, func(t *rapid.T) {
		w := e.newWorld(t)
		w.fill(rapid.IntRange(1, 4).Draw(t, "rows"), 0)
		o := &outline{world: w, below: map[[16]byte][]*loci.NodeItem{}}
		for range rapid.IntRange(1, 3).Draw(t, "nodes") {
			o.nodes = append(o.nodes, o.insertNode(o.drawNode))
		}
		for range rapid.IntRange(1, 16).Draw(t, "changes") {
			o.step()
		}
		w.view(func(ctx context.Context, tx store.Tx) error {
			for range 4 {
				if err := o.compare(ctx, tx, o.anyone()); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// drawNode makes most nodes ones that somebody sees.
func (o *outline) drawNode(n *loci.MemoryNode) {
	m := o.memory(o.change)
	n.Access, n.Tags, n.UpdatedAt, n.Name = m.Access, m.Tags, m.CreatedAt, m.Title
	if draw(o.t, "plain node", true, true, false) {
		n.Access = loci.Access{OrgID: o.org, UserID: n.UserID, Scope: loci.ScopeGlobal, Origin: "a",
			AllowedVendors: []loci.Vendor{"*"},
			TeamID:         m.TeamID, WorkspaceID: m.WorkspaceID}
	}
}

// anyone is often somebody who sees much.
func (o *outline) anyone() loci.Viewer {
	if draw(o.t, "anyone", false, true) {
		return o.viewer()
	}
	return loci.Viewer{OrgID: o.org, UserID: draw(o.t, "as", o.users...), TeamID: oneOf(o.t, "of team", o.teams),
		Vendor: draw[loci.Vendor](o.t, "of vendor", "", "a", "b")}
}

func (o *outline) node(id loci.NodeID) *loci.MemoryNode {
	return o.nodes[slices.IndexFunc(o.nodes, func(n *loci.MemoryNode) bool { return n.ID == id })]
}

func (o *outline) find(id loci.NodeItemID) *loci.NodeItem {
	if i := slices.IndexFunc(o.all, func(i *loci.NodeItem) bool { return i.ID == id }); i >= 0 {
		return o.all[i]
	}
	return nil
}

func (o *outline) seesNode(v loci.Viewer, id loci.NodeID) bool {
	return v.Sees(&o.node(id).Access, loci.LiveOnly, o.clock.now())
}

func (o *outline) seesMemory(v loci.Viewer, id loci.MemoryID) bool {
	return slices.ContainsFunc(o.rows,
		func(m *loci.Memory) bool { return m.ID == id && v.Sees(&m.Access, loci.LiveOnly, o.clock.now()) })
}

func (o *outline) seesItem(v loci.Viewer, i *loci.NodeItem) bool {
	narrow := o.node(i.NodeID).Access
	narrow.AllowedVendors = i.AllowedVendors
	return o.seesNode(v, i.NodeID) && v.Sees(&narrow, loci.LiveOnly, o.clock.now()) &&
		(i.Kind != loci.ItemMemory || o.seesMemory(v, i.MemoryID)) &&
		(i.ParentID.IsZero() || o.seesItem(v, o.find(i.ParentID)))
}

// parentKey is what below knows the item or node above by.
func parentKey(node loci.NodeID, parent loci.NodeItemID) [16]byte {
	if parent.IsZero() {
		return node
	}
	return parent
}

// step makes one change as somebody, which the engine and the model have to answer alike.
func (o *outline) step() {
	v := o.anyone()
	var ids []loci.NodeItemID
	for _, i := range o.all {
		ids = append(ids, i.ID)
	}
	parent, before := oneOf(o.t, "parent", ids), oneOf(o.t, "before", append([]loci.NodeItemID{{}, {}}, ids...))
	if p := o.find(before); p != nil && draw(o.t, "beside", true, true, false) {
		parent = p.ParentID
	}
	var err error
	want := loci.Code("")
	switch item := o.find(oneOf(o.t, "item", ids)); {
	case item == nil || draw(o.t, "put", false, false, true):
		i := o.drawItem(parent, before)
		want, err = o.put(v, i, before), o.putItem(v, *i, before)
	case draw(o.t, "remove", false, false, true):
		want, err = o.remove(v, item), o.removeItem(v, item.ID)
	default:
		id := item.ID
		want, err = o.move(v, item, parent, before), o.moveItem(v, id, parent, before)
	}
	if loci.CodeOf(err) != want || err != nil && want == "" {
		o.t.Fatalf("as %+v: got %v, want code %q", v, explain(err), want)
	}
}

func (o *outline) drawItem(parent, before loci.NodeItemID) *loci.NodeItem {
	n := draw(o.t, "node", o.nodes...)
	for _, id := range []loci.NodeItemID{before, parent} {
		if p := o.find(id); p != nil && draw(o.t, "in its node", true, true, false) {
			n = o.node(p.NodeID)
		}
	}
	i := o.item(n, fmt.Sprint(len(o.all)), func(i *loci.NodeItem) {
		i.ParentID, i.AllowedVendors = parent, draw(o.t, "item vendors", vendorLists...)
		if draw(o.t, "a memory", false, false, true) {
			i.Kind, i.Text, i.MemoryID = loci.ItemMemory, "", draw(o.t, "which memory", o.rows...).ID
		}
	})
	return &i
}

// target is the rule for where an item may go.
func (o *outline) target(v loci.Viewer, node loci.NodeID, parent, before loci.NodeItemID) loci.Code {
	for _, id := range []loci.NodeItemID{parent, before} {
		if p := o.find(id); !id.IsZero() && (p == nil || p.NodeID != node || !o.seesItem(v, p)) {
			return loci.NotFound
		}
	}
	if b := o.find(before); b != nil && b.ParentID != parent {
		return loci.Invalid
	}
	return ""
}

func (o *outline) put(v loci.Viewer, i *loci.NodeItem, before loci.NodeItemID) loci.Code {
	if !o.seesNode(v, i.NodeID) {
		return loci.NotFound
	}
	if code := o.target(v, i.NodeID, i.ParentID, before); code != "" {
		return code
	}
	if o.depth(i.ParentID) >= loci.MaxNodeDepth {
		return loci.Conflict
	}
	if i.Kind == loci.ItemMemory && !o.seesMemory(v, i.MemoryID) {
		return loci.NotFound
	}
	o.all = append(o.all, i)
	o.insertBefore(i, before)
	return ""
}

func (o *outline) insertBefore(i *loci.NodeItem, before loci.NodeItemID) {
	key := parentKey(i.NodeID, i.ParentID)
	at := slices.IndexFunc(o.below[key], func(s *loci.NodeItem) bool { return s.ID == before })
	if at < 0 {
		at = len(o.below[key])
	}
	o.below[key] = slices.Insert(slices.Clone(o.below[key]), at, i)
}

func (o *outline) depth(id loci.NodeItemID) (n int) {
	for i := o.find(id); i != nil; i = o.find(i.ParentID) {
		n++
	}
	return n
}

// height is how many levels there are below an item, as far as v sees them.
func (o *outline) height(v loci.Viewer, i *loci.NodeItem) (n int) {
	for _, c := range o.below[i.ID] {
		if o.seesItem(v, c) {
			n = max(n, 1+o.height(v, c))
		}
	}
	return n
}

func (o *outline) take(i *loci.NodeItem) {
	key := parentKey(i.NodeID, i.ParentID)
	o.below[key] = slices.DeleteFunc(slices.Clone(o.below[key]), func(s *loci.NodeItem) bool { return s == i })
}

func (o *outline) move(v loci.Viewer, i *loci.NodeItem, parent, before loci.NodeItemID) loci.Code {
	if !o.seesItem(v, i) {
		return loci.NotFound
	}
	if code := o.target(v, i.NodeID, parent, before); code != "" {
		return code
	}
	for p := o.find(parent); p != nil; p = o.find(p.ParentID) {
		if p == i {
			return loci.Invalid
		}
	}
	if before == i.ID {
		return loci.Invalid
	}
	if o.depth(parent)+1+o.height(v, i) > loci.MaxNodeDepth {
		return loci.Conflict
	}
	o.take(i)
	i.ParentID = parent
	o.insertBefore(i, before)
	return ""
}

func (o *outline) remove(v loci.Viewer, i *loci.NodeItem) loci.Code {
	if !o.seesItem(v, i) {
		return loci.NotFound
	}
	o.take(i)
	o.forget(i)
	return ""
}

func (o *outline) forget(i *loci.NodeItem) {
	for _, c := range o.below[i.ID] {
		o.forget(c)
	}
	o.all = slices.DeleteFunc(o.all, func(s *loci.NodeItem) bool { return s == i })
}

// shown is what the rule lets v see below an item, in order.
func (o *outline) shown(v loci.Viewer, key [16]byte) (list []loci.NodeItem) {
	n := 0
	for _, i := range o.below[key] {
		if o.seesItem(v, i) {
			c := *i
			c.Position = n
			n++
			list = append(append(list, c), o.shown(v, i.ID)...)
		}
	}
	return list
}

func (o *outline) compare(ctx context.Context, tx store.Tx, v loci.Viewer) error {
	l := draw(o.t, "lifecycle", lifecycles...)
	var want []*loci.MemoryNode
	for _, n := range o.nodes {
		got, err := tx.MemoryNodes().Get(ctx, v, n.ID, l)
		if sees := v.Sees(&n.Access, l, o.clock.now()); sees {
			want = append(want, n)
			o.differ("Get of a node", v, n, got)
		} else if loci.CodeOf(err) != loci.NotFound {
			o.t.Fatalf("Get of a node for %+v: %v, but the rule hides it", v, err)
		}
		list, err := tx.MemoryNodes().Items(ctx, v, n.ID)
		if sees := o.seesNode(v, n.ID); sees != (err == nil) || !sees && loci.CodeOf(err) != loci.NotFound {
			o.t.Fatalf("Items for %+v: %v, but the rule says %v", v, err, sees)
		} else if sees {
			o.differ("Items", v, o.shown(v, n.ID), list)
		}
	}
	slices.Reverse(want)
	slices.SortStableFunc(want, func(a, b *loci.MemoryNode) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	var got []*loci.MemoryNode
	q := store.NodeQuery{Lifecycle: l, Limit: rapid.IntRange(1, 3).Draw(o.t, "limit")}
	for first := true; first || q.After != ""; first = false {
		page, next, err := tx.MemoryNodes().List(ctx, v, q)
		if err != nil {
			return err
		}
		got, q.After = append(got, page...), next
	}
	o.differ("List of nodes", v, want, got)
	return nil
}
