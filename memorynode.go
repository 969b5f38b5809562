package loci

import "time"

// The limits of memory nodes.
const (
	MaxNodeItems = 500 // items of one node, as far as a writer sees them
	MaxNodeDepth = 8   // levels of items below each other, as far as a writer sees them
	MaxNodeText  = 10_000

	// A writer does not see every item. These limits hold for all writers of a node together.
	MaxAllNodeItems = 4 * MaxNodeItems
	MaxAllNodeDepth = 4 * MaxNodeDepth
)

// MemoryNode is a structured recall graph: an ordered tree of memories,
// entities and texts, to be read as a whole. The visibility rule holds for it
// as for a memory, and for each of its items.
type MemoryNode struct {
	ID          NodeID   `json:"id" format:"uuid"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags" nullable:"false"`
	Access
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// SetDefaults fills the fields that the writer left out.
func (n *MemoryNode) SetDefaults() {
	if n.Scope == "" {
		n.Scope = ScopeGlobal
	}
	if n.AllowedVendors == nil {
		n.AllowedVendors = []Vendor{AnyVendor}
	}
	if n.Tags == nil {
		n.Tags = []string{}
	}
}

// Validate returns an Invalid error about the first field that breaks a limit. It drops
// duplicates in Tags and AllowedVendors.
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

// ItemKind is what an item of a node shows.
type ItemKind string

// The kinds of item.
const (
	ItemMemory ItemKind = "memory"
	ItemEntity ItemKind = "entity"
	ItemText   ItemKind = "text"
)

// NodeItem is one place in a node. It is seen by who sees the node and the items
// above it, and one of kind memory or entity only by who sees that, too.
type NodeItem struct {
	ID             NodeItemID `json:"id" format:"uuid"`
	NodeID         NodeID     `json:"node_id" format:"uuid"`
	ParentID       NodeItemID `json:"parent_id,omitzero" format:"uuid" doc:"The item above it; absent: the node itself"`
	Position       int        `json:"position" doc:"Its place among those with the same parent, from 0, as far as the reader sees them"`
	Kind           ItemKind   `json:"kind" enum:"memory,entity,text"`
	MemoryID       MemoryID   `json:"memory_id,omitzero" format:"uuid"`
	ProjectID      ProjectID  `json:"project_id,omitzero" format:"uuid" doc:"Of the entity"`
	EntityID       EntityID   `json:"entity_id,omitzero" format:"uuid"`
	Text           string     `json:"text,omitempty"`
	UserID         UserID     `json:"user_id" format:"uuid"`
	Origin         string     `json:"origin"`
	AllowedVendors []Vendor   `json:"allowed_vendors" nullable:"false"`
	CreatedAt      time.Time  `json:"created_at"`
}

// Validate returns an Invalid error about the first field that breaks a limit.
// field is what the caller calls the item. It drops duplicates in AllowedVendors.
func (i *NodeItem) Validate(field string) error {
	i.AllowedVendors = Unique(i.AllowedVendors)
	memory, entity := !i.MemoryID.IsZero(), !i.EntityID.IsZero() || !i.ProjectID.IsZero()
	switch {
	case i.Kind == ItemMemory && (!memory || entity || i.Text != ""):
		return FieldErrorf(field, "of kind memory needs memory_id and nothing else")
	case i.Kind == ItemEntity && (i.EntityID.IsZero() || i.ProjectID.IsZero() || memory || i.Text != ""):
		return FieldErrorf(field, "of kind entity needs project_id and entity_id and nothing else")
	case i.Kind == ItemText && (memory || entity):
		return FieldErrorf(field, "of kind text needs text and nothing else")
	case i.Kind == ItemText:
		if err := CheckText(field+".text", i.Text, 1, MaxNodeText); err != nil {
			return err
		}
	case i.Kind != ItemMemory && i.Kind != ItemEntity:
		return FieldErrorf(field+".kind", "must be one of: memory, entity, text")
	}
	return within(field, CheckVendors(i.AllowedVendors))
}

// FeedEvent says that something that the reader may see has changed.
type FeedEvent struct {
	At      time.Time `json:"at"`
	Kind    string    `json:"kind" enum:"memory,memory_node"`
	ID      string    `json:"id"`
	Change  Change    `json:"change" enum:"created,updated,trashed,restored,erased,hidden" doc:"hidden: the reader may not see it any more"`
	Version int       `json:"version,omitempty" doc:"Of a memory, absent if it is hidden"`
	Origin  string    `json:"origin,omitempty" doc:"Who changed it, as far as that is known"`
}
