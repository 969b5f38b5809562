package loci

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The limits of a graph, in characters unless said otherwise.
const (
	MaxDescription = 2_000
	MaxEntityName  = 500
	MaxGraphType   = 100 // of an entity or a relation
	MaxObservation = MaxContent
	MaxGraphItems  = 1_000 // items in one call, and observations in one item
)

// ProjectStatus says whether a project can be worked on.
type ProjectStatus string

// The states of a project.
const (
	ProjectActive   ProjectStatus = "active"
	ProjectArchived ProjectStatus = "archived" // kept, but closed until it is restored
)

// Project is a named container: project-scoped memories and one graph.
type Project struct {
	ID          ProjectID     `json:"id" format:"uuid"`
	OrgID       OrgID         `json:"-"`
	WorkspaceID WorkspaceID   `json:"workspace_id,omitzero" format:"uuid"`
	Name        string        `json:"name" doc:"Unique in the org" example:"website"`
	Description string        `json:"description"`
	Status      ProjectStatus `json:"status" enum:"active,archived"`
	Everyone    bool          `json:"everyone" doc:"Whether every user of the org belongs to it; otherwise only its members do"`
	CreatedAt   time.Time     `json:"created_at"`
	UpdatedAt   time.Time     `json:"updated_at"`
}

// Validate returns an Invalid error about the first field that breaks a limit.
func (p *Project) Validate() error {
	if err := CheckText("name", p.Name, 1, MaxName); err != nil {
		return err
	}
	if p.Name != OneLine(p.Name) {
		return FieldErrorf("name", "must be one line without control characters, and not begin or end with a space")
	}
	return CheckText("description", p.Description, 0, MaxDescription)
}

// ProjectMember is a person's role in a project.
type ProjectMember struct {
	UserID UserID     `json:"user_id" format:"uuid"`
	Role   MemberRole `json:"role" enum:"owner,admin,member"`
}

// GraphAccess is what the visibility rule looks at in a row of a graph. Org,
// workspace and project are those of the graph.
type GraphAccess struct {
	UserID         UserID    `json:"user_id" format:"uuid"`
	Origin         string    `json:"origin" doc:"Who wrote it, set by the server from the credential"`
	AllowedVendors []Vendor  `json:"allowed_vendors" nullable:"false" doc:"Which vendors may read it; * is all"`
	DeletedAt      time.Time `json:"deleted_at,omitzero"`
}

// Entity is a node of a graph.
type Entity struct {
	ID   EntityID `json:"id" format:"uuid"`
	Name string   `json:"name"`
	Type string   `json:"entity_type"`
	GraphAccess
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	// Observations and Relations are what the reader may see of them, oldest first.
	Observations []Observation `json:"observations" nullable:"false"`
	Relations    []Relation    `json:"relations" nullable:"false"`
	// How many older ones there are than these.
	ObservationsLeft int `json:"observations_left,omitempty" doc:"Older observations that this answer has no room for"`
	RelationsLeft    int `json:"relations_left,omitempty" doc:"Older relations that this answer has no room for"`
}

// Observation is a fact about an entity. It never changes.
type Observation struct {
	ID       ObservationID `json:"id" format:"uuid"`
	EntityID EntityID      `json:"entity_id" format:"uuid"`
	Content  string        `json:"content"`
	GraphAccess
	CreatedAt time.Time `json:"created_at"`
}

// Relation is a directed edge between entities, in active voice.
type Relation struct {
	ID     RelationID `json:"id" format:"uuid"`
	FromID EntityID   `json:"from_entity" format:"uuid"`
	ToID   EntityID   `json:"to_entity" format:"uuid"`
	From   string     `json:"from" doc:"The name of the source entity"`
	To     string     `json:"to" doc:"The name of the target entity"`
	Type   string     `json:"relation_type" example:"depends_on"`
	GraphAccess
	CreatedAt time.Time `json:"created_at"`
}

// EntityRef names an entity. Without Type it means all of that name.
type EntityRef struct {
	Name string `json:"name"`
	Type string `json:"entity_type,omitempty"`
}

// NewEntity is an entity to be stored, with its first observations.
type NewEntity struct {
	EntityRef
	Observations []string `json:"observations,omitempty"`
}

// Contents are observations of one entity, to be stored or deleted.
type Contents struct {
	Entity   EntityRef
	Contents []string
}

// NewRelation is a relation between named entities, to be stored or deleted.
type NewRelation struct {
	From, To EntityRef
	Type     string
}

// Validate returns an Invalid error about the first field that breaks a limit.
// field is what the caller calls the item.
func (e *NewEntity) Validate(field string) error {
	if err := CheckText(field+".name", e.Name, 1, MaxEntityName); err != nil {
		return err
	}
	if err := CheckText(field+".entity_type", e.Type, 1, MaxGraphType); err != nil {
		return err
	}
	return checkContents(field+".observations", e.Observations)
}

// Validate is like that of NewEntity.
func (c *Contents) Validate(field string) error {
	if err := CheckText(field+".entity_name", c.Entity.Name, 1, MaxEntityName); err != nil {
		return err
	}
	return checkContents(field+".contents", c.Contents)
}

// Validate is like that of NewEntity.
func (r *NewRelation) Validate(field string) error {
	if err := CheckText(field+".from", r.From.Name, 1, MaxEntityName); err != nil {
		return err
	}
	if err := CheckText(field+".to", r.To.Name, 1, MaxEntityName); err != nil {
		return err
	}
	return CheckText(field+".relation_type", r.Type, 1, MaxGraphType)
}

func checkContents(field string, list []string) error {
	if len(list) > MaxGraphItems {
		return FieldErrorf(field, "has %d entries; at most %d are allowed", len(list), MaxGraphItems)
	}
	for i, text := range list {
		if err := CheckText(fmt.Sprintf("%s[%d]", field, i), text, 1, MaxObservation); err != nil {
			return err
		}
	}
	return nil
}

// InProject reports whether v may know that the project exists: same org, the
// active workspace where workspaces are on, and a member of it.
func (v Viewer) InProject(p *Project) bool {
	return v.OrgID != "" && v.OrgID == p.OrgID && !v.UserID.IsZero() && !p.ID.IsZero() &&
		(v.WorkspaceID.IsZero() || v.WorkspaceID == p.WorkspaceID) && slices.Contains(v.ProjectIDs, p.ID)
}

// SeesGraph is the visibility rule for a row of a project's graph: in the
// project, of an allowed vendor, and not deleted unless the read says
// otherwise. To have written a row is not enough: who left a project does not
// read it. An observation is seen only with its entity, a relation only with
// both its ends.
func (v Viewer) SeesGraph(p *Project, a *GraphAccess, l Lifecycle) bool {
	row := Access{AllowedVendors: a.AllowedVendors, DeletedAt: a.DeletedAt}
	return v.InProject(p) && v.vendorMay(&row) && l.admits(&row, time.Time{})
}

// ItemError says why one item of a call was refused.
type ItemError struct {
	Index   int      `json:"index"`
	Code    Code     `json:"code"`
	Text    string   `json:"error"`
	Nearest []string `json:"did_you_mean,omitempty"` // names that the caller may see
}

// ItemsError says why the items of a call were refused; none was done.
type ItemsError struct{ Items []ItemError }

// Error returns all reasons, safe to show.
func (e *ItemsError) Error() string { return e.error().Text }

// Unwrap returns an Error of the first item's code.
func (e *ItemsError) Unwrap() error { return e.error() }

func (e *ItemsError) error() *Error {
	texts := make([]string, len(e.Items))
	for i, item := range e.Items {
		texts[i] = item.Text
	}
	all := strings.Join(texts, "; ")
	if !strings.HasSuffix(all, "?") {
		all += "."
	}
	return &Error{Code: e.Items[0].Code, Text: all + " Nothing was changed"}
}

// NoSuchProject is the one NotFound for a project that is not there or may not
// be seen.
func NoSuchProject() error { return Errorf(NotFound, "no such project") }

// NoSuchEntity is the one NotFound for an entity that is not there, is in
// another state or may not be seen.
func NoSuchEntity() error { return Errorf(NotFound, "no such entity") }

// GraphChange is one thing that happened to an entity.
type GraphChange struct {
	At     time.Time `json:"at"`
	Change string    `json:"change" enum:"created,deleted,restored,merged"`
	Kind   string    `json:"kind" enum:"entity,observation,relation"`
	ID     string    `json:"id" doc:"Of the entity, observation or relation"`
	UserID UserID    `json:"user_id,omitzero"`
	Origin string    `json:"origin"`
	Text   string    `json:"text" doc:"Its name, content, or relation type"`
}
