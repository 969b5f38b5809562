package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
)

func (t memoryNodes) OwnItems(_ context.Context, v loci.Viewer, id loci.NodeID) ([]loci.NodeItem, error) {
	node, err := t.visibleNode(v, id, loci.AnyState)
	if err == nil && node.UserID != v.UserID {
		err = noNode()
	}
	if err != nil {
		return nil, err
	}
	var q Query
	itemsOf(&q, node, itemColumns)
	rows, err := t.tree(&q, node)
	if err != nil {
		return nil, err
	}
	own, err := t.ownMemories(v, node)
	var list []loci.NodeItem
	places := map[loci.NodeItemID]int{} // number of items below each
	for _, i := range rows {
		if i.left = i.UserID != v.UserID || i.Kind == loci.ItemMemory && !own[i.MemoryID]; i.left {
			continue
		}
		above := i.above
		for above.left {
			above = above.above
		}
		item := i.NodeItem
		item.ParentID, item.Position = above.ID, places[above.ID]
		places[above.ID]++
		list = append(list, item)
	}
	return list, err
}

// ownMemories returns the memories in a node that belong to the user and to the active workspace.
func (t memoryNodes) ownMemories(v loci.Viewer, node *storedNode) (map[loci.MemoryID]bool, error) {
	var q Query
	q.Add("SELECT m.id FROM node_items i {join} memories m ON {m} m.seq = i.memory_seq WHERE {i} i.node_seq = ? AND "+
		"m.user_id = ?", node.seq, [16]byte(v.UserID))
	if !v.WorkspaceID.IsZero() {
		q.Add(" AND m.workspace_id = ?", [16]byte(v.WorkspaceID))
	}
	own := map[loci.MemoryID]bool{}
	return own, t.c.Query(q.String(), q.Args, func(r Row) error { own[r.ID(0)] = true; return nil })
}

func (t memoryNodes) InsertItem(_ context.Context, i loci.NodeItem) error {
	node, err := t.row(i.NodeID)
	if err != nil {
		return err
	}
	if err := t.roomIn(node); err != nil {
		return err
	}
	var q Query
	itemsOf(&q, node, itemPlaces)
	rows, err := t.tree(&q, node)
	if err != nil {
		return err
	}
	tree := treeOf(rows)
	to, err := targetIn(rows, tree, i.ParentID, loci.NodeItemID{})
	if err != nil {
		return err
	}
	if err := tree.AddImported(i.ParentID); err != nil {
		return err
	}
	var memory any
	if i.Kind == loci.ItemMemory {
		if memory, err = t.memorySeq(i.MemoryID); err != nil {
			return err
		}
	}
	return t.storeItem(node, &i, to, memory)
}

// storeItem writes the row of an item and adds it to the feed.
func (t memoryNodes) storeItem(node *storedNode, i *loci.NodeItem, to target, memory any) error {
	rank, err := t.rank(node, to)
	if err != nil {
		return err
	}
	err = t.c.Exec(`INSERT INTO node_items ({org} id, node_seq, parent_seq, rank, kind, memory_seq, project_id,
		entity_id, text, user_id, origin, allowed_vendors, created_at, secrets_kept)
		VALUES ({?} ?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [16]byte(i.ID), node.seq, to.parent.seq, rank,
		string(i.Kind), memory, OrNull(i.ProjectID), OrNull(i.EntityID), i.Text, [16]byte(i.UserID), i.Origin,
		ToJSON(i.AllowedVendors), i.CreatedAt.UnixMicro(), i.SecretsKept)
	if err = t.d.orTaken(err, "item %s exists already", i.ID); err != nil {
		return err
	}
	return t.changed(node, &placed{NodeItem: *i, above: to.parent})
}
