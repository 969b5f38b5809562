package loci

import (
	"cmp"
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
