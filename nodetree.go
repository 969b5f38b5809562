package loci

import "slices"

// NodeTree is the items of one memory node as one reader sees them. Each item
// comes after the item above it.
type NodeTree []NodeItem

// Find returns an item, or nil.
func (t NodeTree) Find(id NodeItemID) *NodeItem {
	at := slices.IndexFunc(t, func(i NodeItem) bool { return i.ID == id })
	if at < 0 {
		return nil
	}
	return &t[at]
}

// Depth returns the level of an item. The node itself, which the zero id stands for, is level 0.
func (t NodeTree) Depth(id NodeItemID) (levels int) {
	for i := t.Find(id); i != nil; i = t.Find(i.ParentID) {
		levels++
	}
	return levels
}

// Below returns the items below an item, and the number of their levels.
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

// Place returns an Invalid error if an item cannot stand below parent (zero:
// the node itself) and directly before another item (zero: last).
func (t NodeTree) Place(parent, before NodeItemID) error {
	if !parent.IsZero() && t.Find(parent) == nil {
		return FieldErrorf("parent_id", "names no item of this memory node that you see")
	}
	if before.IsZero() {
		return nil
	}
	i := t.Find(before)
	if i == nil {
		return FieldErrorf("before", "names no item of this memory node that you see")
	}
	if i.ParentID != parent {
		return FieldErrorf("before", "must be an item directly below parent_id")
	}
	return nil
}

// Add returns a Conflict error if a limit of the node leaves no room for a new item below parent.
func (t NodeTree) Add(parent NodeItemID) error {
	if len(t) >= MaxNodeItems {
		return Errorf(Conflict, "the memory node has %d items, which is the most; begin another one", MaxNodeItems)
	}
	return tooDeep(t.Depth(parent)+1, MaxNodeDepth)
}

// AddImported is Add for the tree of all writers together, without a limit on its items.
func (t NodeTree) AddImported(parent NodeItemID) error {
	return tooDeep(t.Depth(parent)+1, MaxAllNodeDepth)
}

// Move returns an error if an item, with all items below it, cannot go below
// parent and before another item: Invalid if either is the item itself or below it, and
// Conflict if the tree would become too deep.
func (t NodeTree) Move(id, parent, before NodeItemID) error {
	under, height := t.Below(id)
	if parent == id || slices.ContainsFunc(under, func(i *NodeItem) bool { return i.ID == parent }) {
		return FieldErrorf("parent_id", "is the item itself, or one below it")
	}
	if before == id {
		return FieldErrorf("before", "is the item itself")
	}
	return tooDeep(t.Depth(parent)+1+height, MaxNodeDepth)
}

func tooDeep(levels, limit int) error {
	if levels > limit {
		return Errorf(Conflict, "items of a memory node go at most %d levels deep", limit)
	}
	return nil
}
