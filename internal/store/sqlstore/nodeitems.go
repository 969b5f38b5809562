package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// rankGap leaves room to insert about twenty items before the siblings have to be renumbered.
const rankGap = 1 << 20

type placed struct {
	loci.NodeItem
	seq, parent, rank int64
	left              bool    // not exported
	above             *placed // nil for the node itself
}

// itemColumns are the columns that scanItem reads. The text is the last.
const itemColumns = `i.seq, coalesce(i.parent_seq, 0), i.rank, i.id, i.kind, m.id, i.project_id, i.entity_id,
	i.user_id, i.origin, i.allowed_vendors, i.created_at, i.secrets_kept, i.text`

// itemPlaces are itemColumns for callers that do not read the texts.
var itemPlaces = strings.TrimSuffix(itemColumns, "i.text") + "''"

func scanItem(r Row, node loci.NodeID) (i *placed, err error) {
	i = &placed{seq: r.Int64(0), parent: r.Int64(1), rank: r.Int64(2)}
	i.NodeItem = loci.NodeItem{ID: r.ID(3), NodeID: node, Kind: loci.ItemKind(r.Text(4)), MemoryID: r.ID(5),
		ProjectID: r.ID(6), EntityID: r.ID(7), UserID: r.ID(8), Origin: r.Text(9), CreatedAt: TimeAt(r, 11),
		Noticed: loci.Noticed{SecretsKept: r.Bool(12)}, Text: r.Text(13)}
	i.AllowedVendors, err = fromJSON[loci.Vendor](r.Raw(10))
	return i, err
}

// shown returns the items of a visible node that v sees. Each item comes after its parent, and
// siblings come in their order.
func (t memoryNodes) shown(v loci.Viewer, node *storedNode, columns string) ([]*placed, error) {
	var q Query
	t.shownQuery(&q, v, node, columns)
	return t.tree(&q, node)
}

// shownQuery does not hide what is below a hidden item. tree does.
func (t memoryNodes) shownQuery(q *Query, v loci.Viewer, node *storedNode, columns string) {
	itemsOf(q, node, columns)
	q.Add(" AND (i.memory_seq IS NULL OR ")
	t.visible(q, v, loci.LiveOnly, t.Now())
	q.Add(")")
	vendorMay(q, v, "i")
}

func itemsOf(q *Query, node *storedNode, columns string) {
	q.Add("SELECT "+columns+" FROM node_items i LEFT JOIN memories m ON {m} m.seq = i.memory_seq WHERE {i} i.node_seq = ?",
		node.seq)
}

func (t memoryNodes) tree(q *Query, node *storedNode) ([]*placed, error) {
	below := map[int64][]*placed{}
	err := t.c.Query(q.String(), q.Args, func(r Row) error {
		i, err := scanItem(r, node.ID)
		if err == nil {
			below[i.parent] = append(below[i.parent], i)
		}
		return err
	})
	return inOrder(nil, below, &placed{}), err
}

// inOrder appends the items below an item. It does not reach items below a hidden one.
func inOrder(list []*placed, below map[int64][]*placed, above *placed) []*placed {
	siblings := below[above.seq]
	slices.SortFunc(siblings,
		func(a, b *placed) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.seq, b.seq)) })
	for n, i := range siblings {
		i.Position, i.ParentID, i.above = n, above.ID, above
		list = inOrder(append(list, i), below, i)
	}
	return list
}

func (t memoryNodes) Items(_ context.Context, v loci.Viewer, id loci.NodeID) ([]loci.NodeItem, error) {
	node, err := t.visibleNode(v, id, loci.LiveOnly)
	if err != nil {
		return nil, err
	}
	rows, err := t.shown(v, node, itemColumns)
	return treeOf(rows), err
}

func treeOf(rows []*placed) loci.NodeTree {
	list := make(loci.NodeTree, len(rows))
	for n, i := range rows {
		list[n] = i.NodeItem
	}
	return list
}

func noItem() error { return loci.Errorf(loci.NotFound, "no such item") }

// find returns an item among the shown ones, or NotFound. The zero id means the node itself.
func find(rows []*placed, id loci.NodeItemID) (*placed, error) {
	if id.IsZero() {
		return &placed{}, nil
	}
	for _, i := range rows {
		if i.ID == id {
			return i, nil
		}
	}
	return nil, noItem()
}

type target struct{ parent, before *placed }

// targetIn returns NotFound for an item that is not among the rows.
func targetIn(rows []*placed, tree loci.NodeTree, parent, before loci.NodeItemID) (to target, err error) {
	if to.parent, err = find(rows, parent); err != nil {
		return to, err
	}
	if to.before, err = find(rows, before); err != nil {
		return to, err
	}
	return to, tree.Place(parent, before)
}

func (t memoryNodes) PutItem(_ context.Context, v loci.Viewer, i loci.NodeItem, before loci.NodeItemID) error {
	node, err := t.visibleNode(v, i.NodeID, loci.LiveOnly)
	if err != nil {
		return err
	}
	rows, err := t.shown(v, node, itemPlaces)
	if err != nil {
		return err
	}
	tree := treeOf(rows)
	to, err := targetIn(rows, tree, i.ParentID, before)
	if err != nil {
		return err
	}
	if err := tree.Add(i.ParentID); err != nil {
		return err
	}
	if err := t.roomIn(node); err != nil {
		return err
	}
	return t.insertItem(v, node, &i, to)
}

// roomIn limits the number of items of a node, visible or not.
func (t memoryNodes) roomIn(node *storedNode) error {
	full, err := t.there("SELECT 1 FROM node_items WHERE {node_items} node_seq = ? LIMIT 1 OFFSET ?", node.seq,
		loci.MaxAllNodeItems-1)
	if err == nil && full {
		err = noRoom()
	}
	return err
}

func (t memoryNodes) insertItem(v loci.Viewer, node *storedNode, i *loci.NodeItem, to target) error {
	var memory any
	if i.Kind == loci.ItemMemory {
		if err := memories(t).exists(v, i.MemoryID, loci.LiveOnly); err != nil {
			return err
		}
		seq, err := t.memorySeq(i.MemoryID)
		if err != nil {
			return err
		}
		memory = seq
	}
	return t.storeItem(node, i, to, memory)
}

// changed adds a change of an item to the feed, for readers who see the item in its present place.
func (t memoryNodes) changed(node *storedNode, item *placed) error {
	var seen []loci.Access
	for i := item; i.above != nil; i = i.above {
		if !slices.Contains(i.AllowedVendors, loci.AnyVendor) {
			narrow := node.Access
			narrow.AllowedVendors = i.AllowedVendors
			seen = append(seen, narrow)
		}
		if i.Kind == loci.ItemMemory {
			m, err := memories(t).row(i.MemoryID)
			if err != nil {
				return err
			}
			seen = append(seen, m.Access)
		}
		if i.Kind == loci.ItemEntity { // its allowed vendors are those of the item; the graph is in another file
			seen = append(seen, loci.Access{OrgID: t.Org, WorkspaceID: node.WorkspaceID, Scope: loci.ScopeProject,
				ProjectID:      i.ProjectID,
				AllowedVendors: []loci.Vendor{loci.AnyVendor}})
		}
	}
	return t.itemChanged(&node.MemoryNode, seen...)
}

// rank returns a rank that no sibling has: directly before the sibling that should follow, or
// after all siblings. Siblings that the writer cannot see keep their places.
func (t memoryNodes) rank(node *storedNode, to target) (int64, error) {
	for {
		last, found, err := t.rankBelow(node, to)
		switch {
		case err != nil:
			return 0, err
		case to.before.ID.IsZero() && !found:
			return 0, nil
		case to.before.ID.IsZero():
			return last + rankGap, nil
		case !found:
			return to.before.rank - rankGap, nil
		case to.before.rank-last > 1:
			return last + (to.before.rank-last)/2, nil
		}
		if err := t.renumber(node, to); err != nil {
			return 0, err
		}
	}
}

// rankBelow returns the highest rank before the place.
func (t memoryNodes) rankBelow(node *storedNode, to target) (last int64, found bool, err error) {
	sql, args := "SELECT rank FROM node_items WHERE {node_items} node_seq = ? AND parent_seq {is} nullif(?, 0)",
		Args{node.seq, to.parent.seq}
	if !to.before.ID.IsZero() {
		sql, args = sql+" AND rank < ?", append(args, to.before.rank)
	}
	found, err = t.c.One(sql+" ORDER BY rank DESC LIMIT 1", args, func(r Row) error { last = r.Int64(0); return nil })
	return last, found, err
}

// renumber makes room between all siblings.
func (t memoryNodes) renumber(node *storedNode, to target) error {
	err := t.c.Exec(`UPDATE node_items SET rank = r.n * ?3 FROM (SELECT seq, row_number() OVER (ORDER BY rank, seq) AS n
		FROM node_items
		WHERE {node_items} node_seq = ?1 AND parent_seq {is} nullif(?2, 0)) r WHERE {node_items} node_items.seq = r.seq`,
		node.seq, to.parent.seq, rankGap)
	if err != nil {
		return err
	}
	_, err = t.c.One("SELECT rank FROM node_items WHERE {node_items} seq = ?", Args{to.before.seq},
		func(r Row) error { to.before.rank = r.Int64(0); return nil })
	return err
}

// of returns a visible item, its node and the other items of the node that v sees.
func (t memoryNodes) of(v loci.Viewer, id loci.NodeItemID) (node *storedNode, rows []*placed, item *placed, err error) {
	var q Query
	q.Add("SELECT "+nodeColumns+" FROM node_items i {join} memory_nodes m ON {m} m.seq = i.node_seq WHERE {i} i.id = "+
		"? AND ", [16]byte(id))
	t.visible(&q, v, loci.LiveOnly, t.Now())
	if node, err = t.one(&q); loci.CodeOf(err) == loci.NotFound {
		err = noItem()
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if rows, err = t.shown(v, node, itemPlaces); err != nil {
		return nil, nil, nil, err
	}
	item, err = find(rows, id)
	return node, rows, item, err
}

func (t memoryNodes) MoveItem(_ context.Context, v loci.Viewer, id, parent, before loci.NodeItemID) error {
	node, rows, item, err := t.of(v, id)
	if err != nil {
		return err
	}
	tree := treeOf(rows)
	to, err := targetIn(rows, tree, parent, before)
	if err != nil {
		return err
	}
	if err := tree.Move(id, parent, before); err != nil {
		return err
	}
	if err := t.fits(item, tree.Depth(parent)); err != nil {
		return err
	}
	rank, err := t.rank(node, to)
	if err != nil {
		return err
	}
	if err := t.c.Exec("UPDATE node_items SET parent_seq = nullif(?, 0), rank = ? WHERE {node_items} seq = ?",
		to.parent.seq, rank, item.seq); err != nil {
		return err
	}
	// A reader who saw the item in its old place and cannot see it in the new one learns only that it left.
	if err := t.changed(node, item); err != nil || item.above.seq == to.parent.seq {
		return err
	}
	item.above = to.parent
	return t.changed(node, item)
}

// fits rejects a move that would put an item below this one, visible or not, too deep.
func (t memoryNodes) fits(item *placed, depth int) error {
	height := 0
	_, err := t.c.One(`WITH RECURSIVE under (seq, height) AS (VALUES (CAST(? AS bigint), 0) UNION ALL
		SELECT i.seq, height + 1 FROM under {join} node_items i ON {i} i.parent_seq = under.seq) SELECT max(height)
		FROM under`,
		Args{item.seq}, func(r Row) error { height = r.Int(0); return nil })
	if err == nil && depth+1+height > loci.MaxAllNodeDepth {
		err = noRoom()
	}
	return err
}

func (t memoryNodes) RemoveItem(_ context.Context, v loci.Viewer, id loci.NodeItemID) error {
	node, _, item, err := t.of(v, id)
	if err != nil {
		return err
	}
	if err := t.c.Exec("DELETE FROM node_items WHERE {node_items} seq = ?", item.seq); err != nil {
		return err
	}
	return t.changed(node, item)
}

func (t memoryNodes) EditItem(_ context.Context, v loci.Viewer, id loci.NodeItemID, fn func(*loci.NodeItem) bool,
) error {
	var of, all Query
	of.Add("SELECT "+nodeColumns+" FROM memory_nodes m WHERE {m} m.seq = (SELECT node_seq FROM node_items WHERE "+
		"{node_items} id = ? AND user_id = ?) AND ", [16]byte(id), [16]byte(v.UserID))
	t.visible(&of, v, loci.AnyState, t.Now())
	node, err := t.one(&of)
	if err != nil {
		return err
	}
	itemsOf(&all, node, itemColumns)
	rows, err := t.tree(&all, node)
	if err != nil {
		return err
	}
	i, err := find(rows, id)
	if err != nil || !fn(&i.NodeItem) {
		return err
	}
	err = t.c.Exec("UPDATE node_items SET text = ?, secrets_kept = ? WHERE {node_items} seq = ?", i.Text, i.SecretsKept,
		i.seq)
	return cmp.Or(err, t.changed(node, i))
}

// eraseItemsOf removes the items that a person added to nodes, and the items below these.
// Otherwise more readers than before would see the items below.
func (t memoryNodes) eraseItemsOf(user loci.UserID) error {
	nodes, err := all(t.c, "SELECT "+nodeColumns+" FROM memory_nodes m WHERE {m} m.seq IN (SELECT node_seq "+
		"FROM node_items WHERE {node_items} user_id = ?)", Args{[16]byte(user)}, t.scanNode)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if err := t.tellErased(n, user); err != nil {
			return err
		}
	}
	return t.c.Exec("DELETE FROM node_items WHERE {node_items} user_id = ?", [16]byte(user))
}

// tellErased adds to the feed the items of a node that eraseItemsOf removes.
func (t memoryNodes) tellErased(node *storedNode, user loci.UserID) error {
	var q Query
	itemsOf(&q, node, itemPlaces)
	rows, err := t.tree(&q, node)
	for _, i := range rows {
		if err == nil && i.UserID == user {
			err = t.changed(node, i)
		}
	}
	return err
}
