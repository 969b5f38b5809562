package loci

import (
	"cmp"
	"slices"
	"time"
)

// Limits of memory nodes.
const (
	MaxNodeItems = 500 // items of one node that a writer sees
	MaxNodeDepth = 8   // levels of nested items that a writer sees
	MaxNodeText  = 10_000

	// A writer may not see every item. These limits apply to the items of all writers of a node together.
	MaxAllNodeItems = 4 * MaxNodeItems
	MaxAllNodeDepth = 4 * MaxNodeDepth
)

// MemoryNode is a structured recall graph: an ordered tree of memories, entities and texts, to read
// as a whole. The visibility rule applies to the node and to each of its items.
type MemoryNode struct {
	ID          NodeID   `json:"id" format:"uuid"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags" nullable:"false"`
	Access
	Noticed
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// SetDefaults sets the fields that the writer left out.
func (n *MemoryNode) SetDefaults() {
	n.Scope = cmp.Or(n.Scope, ScopeGlobal)
	if n.AllowedVendors == nil {
		n.AllowedVendors = []Vendor{AnyVendor}
	}
	n.Tags = OrEmpty(n.Tags)
}

// Validate returns an Invalid error for the first field that breaks a limit. It removes duplicates
// in Tags and AllowedVendors.
func (n *MemoryNode) Validate() error {
	n.Tags, n.AllowedVendors = Unique(n.Tags), Unique(n.AllowedVendors)
	if err := CheckText("name", n.Name, 1, MaxTitle); err != nil {
		return err
	}
	if err := CheckText("description", n.Description, 0, MaxDescription); err != nil {
		return err
	}
	if err := CheckTags("tags", n.Tags, 0); err != nil {
		return err
	}
	if err := CheckVendors(n.AllowedVendors); err != nil {
		return err
	}
	return n.Access.checkScope()
}

// ItemKind is the kind of thing that an item of a node shows.
type ItemKind string

// The kinds of item.
const (
	ItemMemory ItemKind = "memory"
	ItemEntity ItemKind = "entity"
	ItemText   ItemKind = "text"
)

// NodeItem is one item of a node. A reader sees it if they see the node and the items above it. For
// an item of kind memory or entity, the reader must also see that memory or entity.
type NodeItem struct {
	ID             NodeItemID `json:"id" format:"uuid"`
	NodeID         NodeID     `json:"node_id" format:"uuid"`
	ParentID       NodeItemID `json:"parent_id,omitzero" format:"uuid" doc:"The item above it. If absent, the item is at the top level"`
	Position       int        `json:"position" doc:"Position among the items with the same parent that you can see, from 0"`
	Kind           ItemKind   `json:"kind" enum:"memory,entity,text"`
	MemoryID       MemoryID   `json:"memory_id,omitzero" format:"uuid"`
	ProjectID      ProjectID  `json:"project_id,omitzero" format:"uuid" doc:"The project of the entity"`
	EntityID       EntityID   `json:"entity_id,omitzero" format:"uuid"`
	Text           string     `json:"text,omitempty"`
	UserID         UserID     `json:"user_id" format:"uuid"`
	Origin         string     `json:"origin"`
	AllowedVendors []Vendor   `json:"allowed_vendors" nullable:"false"`
	Noticed
	CreatedAt time.Time `json:"created_at"`
}

// Validate returns an Invalid error for the first field that breaks a limit. field is the caller's
// name for the item. Validate removes duplicates in AllowedVendors.
func (i *NodeItem) Validate(field string) error {
	i.AllowedVendors = Unique(i.AllowedVendors)
	memory, entity := !i.MemoryID.IsZero(), !i.EntityID.IsZero() || !i.ProjectID.IsZero()
	switch {
	case i.Kind == ItemMemory && (!memory || entity || i.Text != ""):
		return FieldErrorf(field, "of kind memory must have memory_id and nothing else")
	case i.Kind == ItemEntity && (i.EntityID.IsZero() || i.ProjectID.IsZero() || memory || i.Text != ""):
		return FieldErrorf(field, "of kind entity must have project_id and entity_id and nothing else")
	case i.Kind == ItemText && (memory || entity):
		return FieldErrorf(field, "of kind text must have text and nothing else")
	case i.Kind == ItemText:
		if err := CheckText(field+".text", i.Text, 1, MaxNodeText); err != nil {
			return err
		}
	case i.Kind != ItemMemory && i.Kind != ItemEntity:
		return FieldErrorf(field+".kind", "must be one of: memory, entity, text")
	}
	return within(field, CheckVendors(i.AllowedVendors))
}

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
