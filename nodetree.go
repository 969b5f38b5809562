package loci

import "slices"

// NodeTree is the items of one memory node that one reader sees. Each item comes after the item above it.
type NodeTree []NodeItem

// Find returns the item with the id, or nil.
func (t NodeTree) Find(id NodeItemID) *NodeItem {
	at := slices.IndexFunc(t, func(i NodeItem) bool { return i.ID == id })
	if at < 0 {
		return nil
	}
	return &t[at]
}

// Depth returns the level of an item. The zero id means the node itself, at level 0.
func (t NodeTree) Depth(id NodeItemID) (levels int) {
	for i := t.Find(id); i != nil; i = t.Find(i.ParentID) {
		levels++
	}
	return levels
}

// Below returns the items below an item and the number of their levels.
func (t NodeTree) Below(id NodeItemID) (list []*NodeItem, height int) {
	levels := map[NodeItemID]int{id: 0}
	for at := range t {
		i := &t[at]
		if above, under := levels[i.ParentID]; under && !i.ParentID.IsZero() {
			levels[i.ID] = above + 1
			height = max(height, above+1)
			list = append(list, i)
		}
	}
	return list, height
}

// Place returns an Invalid error if no item can be below parent and directly before another item. A
// zero parent means the node itself; a zero before means last.
func (t NodeTree) Place(parent, before NodeItemID) error {
	if !parent.IsZero() && t.Find(parent) == nil {
		return FieldErrorf("parent_id", "not found among the items that you can see in this memory node")
	}
	if before.IsZero() {
		return nil
	}
	i := t.Find(before)
	if i == nil {
		return FieldErrorf("before", "not found among the items that you can see in this memory node")
	}
	if i.ParentID != parent {
		return FieldErrorf("before", "must be an item directly below parent_id")
	}
	return nil
}

// Add returns a Conflict error if the limits of a node forbid a new item below parent.
func (t NodeTree) Add(parent NodeItemID) error {
	if len(t) >= MaxNodeItems {
		return Errorf(Conflict, "the memory node has the maximum of %d items; create another node", MaxNodeItems)
	}
	return tooDeep(t.Depth(parent)+1, MaxNodeDepth)
}

// AddImported works like Add for the tree of all writers together, without a limit on the items.
func (t NodeTree) AddImported(parent NodeItemID) error {
	return tooDeep(t.Depth(parent)+1, MaxAllNodeDepth)
}

// Move returns an error if an item, with everything below it, can't move below parent and before
// another item. The error is Invalid if parent or before is the item itself or below it, and
// Conflict if the tree would become too deep.
func (t NodeTree) Move(id, parent, before NodeItemID) error {
	under, height := t.Below(id)
	if parent == id || slices.ContainsFunc(under, func(i *NodeItem) bool { return i.ID == parent }) {
		return FieldErrorf("parent_id", "must not be the item itself or an item below it")
	}
	if before == id {
		return FieldErrorf("before", "must not be the item itself")
	}
	return tooDeep(t.Depth(parent)+1+height, MaxNodeDepth)
}

func tooDeep(levels, limit int) error {
	if levels > limit {
		return Errorf(Conflict, "a memory node may have at most %d levels of items", limit)
	}
	return nil
}
