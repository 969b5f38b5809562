package loci

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Limits of a graph, in characters unless stated otherwise.
const (
	MaxDescription = 2_000
	MaxEntityName  = 500
	MaxGraphType   = 100 // of an entity or a relation
	MaxObservation = MaxContent
	MaxGraphItems  = 1_000 // items in one call, and observations in one item
)

// ProjectStatus is the state of a project: active or archived.
type ProjectStatus string

// The states of a project.
const (
	ProjectActive   ProjectStatus = "active"
	ProjectArchived ProjectStatus = "archived" // kept, but closed until restored
)

// Project is a named container: project-scoped memories and one graph.
type Project struct {
	ID          ProjectID     `json:"id" format:"uuid"`
	OrgID       OrgID         `json:"-"`
	WorkspaceID WorkspaceID   `json:"workspace_id,omitzero" format:"uuid"`
	Name        string        `json:"name" doc:"Unique in the org" example:"website"`
	Description string        `json:"description"`
	Status      ProjectStatus `json:"status" enum:"active,archived"`
	Everyone    bool          `json:"everyone" doc:"True if every user of the org belongs to the project; false if only its members do"`
	Members     int           `json:"members" doc:"How many people were added to the project"`
	OneMember   UserID        `json:"-"` // one of them; zero: there is none
	CreatedAt   time.Time     `json:"created_at"`
	UpdatedAt   time.Time     `json:"updated_at"`
	Hint        string        `json:"hint,omitempty" doc:"After the creation: a project whose name differs only in case or blanks"`
}

// Validate returns an Invalid error for the first field that breaks a limit.
func (p *Project) Validate() error {
	if err := CheckText("name", p.Name, 1, MaxName); err != nil {
		return err
	}
	if p.Name != OneLine(p.Name) {
		return FieldErrorf("name", notOneLine+", nor have two spaces in a row")
	}
	return CheckText("description", p.Description, 0, MaxDescription)
}

// People describes who belongs to p, for a reader who belongs to it.
func (p *Project) People(reader Principal) string {
	switch {
	case p.Everyone:
		return "everybody in the org"
	case p.IsOnly(reader.UserID) && (!reader.AllProjects || reader.OrgID == DefaultOrg):
		return "you alone"
	}
	return Plural(p.Members, "person", "people")
}

// IsOnly reports whether nobody but a user belongs to p.
func (p *Project) IsOnly(user UserID) bool {
	return !p.Everyone && p.Members == 1 && p.OneMember == user
}

// ProjectMember is a person's role in a project.
type ProjectMember struct {
	UserID UserID     `json:"user_id" format:"uuid"`
	Role   MemberRole `json:"role" enum:"owner,admin,member"`
	// Email is set by the list of members only.
	Email string `json:"email,omitempty" doc:"E-mail address, for credentials with the right account" example:"mara@example.org"`
}

// GraphAccess is what the visibility rule reads from a row of a graph. The row's org, workspace and
// project are those of its graph.
type GraphAccess struct {
	UserID         UserID    `json:"user_id" format:"uuid"`
	Origin         string    `json:"origin" doc:"Who wrote it. The server sets it from the credential"`
	AllowedVendors []Vendor  `json:"allowed_vendors" nullable:"false" doc:"Vendors that may read it; * means all"`
	DeletedAt      time.Time `json:"deleted_at,omitzero"`
	SecretsKept    bool      `json:"secrets_kept,omitempty" doc:"True if its person decided to keep the secrets in it. Otherwise, contexts show [secret] in their place"`
}

// Entity is a node of a graph.
type Entity struct {
	ID   EntityID `json:"id" format:"uuid"`
	Name string   `json:"name"`
	Type string   `json:"entity_type"`
	GraphAccess
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	// Observations and Relations are those that the reader may see, oldest first.
	Observations []Observation `json:"observations" nullable:"false"`
	Relations    []Relation    `json:"relations" nullable:"false"`
	// ObservationsLeft and RelationsLeft count the older ones that this value leaves out.
	ObservationsLeft int `json:"observations_left,omitempty" doc:"Number of older observations that this answer leaves out"`
	RelationsLeft    int `json:"relations_left,omitempty" doc:"Number of older relations that this answer leaves out"`
}

// Observation is a fact about an entity. It never changes.
type Observation struct {
	ID       ObservationID `json:"id" format:"uuid"`
	EntityID EntityID      `json:"entity_id" format:"uuid"`
	Content  string        `json:"content"`
	GraphAccess
	CreatedAt time.Time `json:"created_at"`
}

// Relation is a directed edge between entities. Its type is a verb in the active voice.
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

// Path returns the relation as from → type → to.
func (r *Relation) Path() string { return r.From + " → " + r.Type + " → " + r.To }

// GraphIDs names rows of a graph.
type GraphIDs struct {
	Entities     []EntityID      `json:"entities,omitempty"`
	Observations []ObservationID `json:"observations,omitempty"`
	Relations    []RelationID    `json:"relations,omitempty"`
}

// Len returns the number of rows.
func (g *GraphIDs) Len() int { return len(g.Entities) + len(g.Observations) + len(g.Relations) }

// EntityRef names an entity. Without Type, it means all entities of that name.
type EntityRef struct {
	Name string `json:"name"`
	Type string `json:"entity_type,omitempty"`
}

// NewEntity is an entity to store, with its first observations.
type NewEntity struct {
	EntityRef
	Observations []string `json:"observations,omitempty"`
}

// Contents are observations of one entity to store or delete.
type Contents struct {
	Entity   EntityRef
	Contents []string
}

// NewRelation is a relation between named entities, to store or delete.
type NewRelation struct {
	From, To EntityRef
	Type     string
}

// Validate returns an Invalid error for the first field that breaks a limit. field is the caller's name for the item.
func (e *NewEntity) Validate(field string) error {
	e.Name, e.Type = Label(e.Name), Label(e.Type)
	if err := CheckText(field+".name", e.Name, 1, MaxEntityName); err != nil {
		return err
	}
	if err := CheckText(field+".entity_type", e.Type, 1, MaxGraphType); err != nil {
		return err
	}
	return checkContents(field+".observations", e.Observations)
}

// Validate works like NewEntity.Validate.
func (c *Contents) Validate(field string) error {
	if err := CheckText(field+".entity_name", c.Entity.Name, 1, MaxEntityName); err != nil {
		return err
	}
	return checkContents(field+".contents", c.Contents)
}

// Validate works like NewEntity.Validate.
func (r *NewRelation) Validate(field string) error {
	r.Type = Label(r.Type)
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

// InProject reports whether v may know that the project exists. v must be in the same org, in the
// active workspace where workspaces are on, and a member of the project.
func (v Viewer) InProject(p *Project) bool {
	return v.OrgID != "" && v.OrgID == p.OrgID && !v.UserID.IsZero() && !p.ID.IsZero() &&
		(v.WorkspaceID.IsZero() || v.WorkspaceID == p.WorkspaceID) && slices.Contains(v.ProjectIDs, p.ID)
}

// SeesGraph is the visibility rule for a row of a project's graph. v must be in the project, v's
// vendor must be allowed, and the row must not be deleted unless l includes deleted rows. Having
// written a row isn't enough: people who left a project can't read it. An observation is visible
// only with its entity, a relation only with both its ends.
func (v Viewer) SeesGraph(p *Project, a *GraphAccess, l Lifecycle) bool {
	row := Access{AllowedVendors: a.AllowedVendors, DeletedAt: a.DeletedAt}
	return v.InProject(p) && v.vendorMay(&row) && l.admits(&row, time.Time{})
}

// ItemError is the reason why Loci rejected one item of a call.
type ItemError struct {
	Index   int      `json:"index"`
	Code    Code     `json:"code"`
	Text    string   `json:"error"`
	Nearest []string `json:"did_you_mean,omitempty"` // names that the caller may see
}

// ItemsError is the reasons why Loci rejected items of a call. Loci then applied none of the items.
type ItemsError struct{ Items []ItemError }

// Error returns all reasons. They are safe to show.
func (e *ItemsError) Error() string { return e.error().Text }

// Unwrap returns an Error with the code of the first item.
func (e *ItemsError) Unwrap() error { return e.error() }

func (e *ItemsError) error() *Error {
	texts := Mapped(e.Items, func(item ItemError) string { return item.Text })
	all := strings.Join(texts, "; ")
	if !strings.HasSuffix(all, "?") {
		all += "."
	}
	return &Error{Code: e.Items[0].Code, Text: all + " Nothing was changed"}
}

// NoSuchProject returns the one NotFound error for a project that doesn't exist or is invisible to the caller.
func NoSuchProject() error { return Errorf(NotFound, "no such project") }

// NoSuchEntity returns the one NotFound error for an entity that doesn't exist, is in another state
// or is invisible to the caller.
func NoSuchEntity() error { return Errorf(NotFound, "no such entity") }

// GraphChange is one change of an entity.
type GraphChange struct {
	At     time.Time `json:"at"`
	Change string    `json:"change" enum:"created,deleted,restored,merged"`
	Kind   string    `json:"kind" enum:"entity,observation,relation"`
	ID     string    `json:"id" doc:"Id of the entity, observation or relation"`
	UserID UserID    `json:"user_id,omitzero"`
	Origin string    `json:"origin"`
	Text   string    `json:"text" doc:"The name, content or relation type"`
}

// MaxDrawing is how many entities a graph may have to be read in the compact form.
const MaxDrawing = 200_000

// GraphChunk is a line of the compact form of a graph, which has what a drawing of it needs. A line has entities or
// relations, each field one value for each of them, or the End. Entities are numbered from 0 in the order of all lines,
// and so are the types of entities and those of relations; a line begins with those that are new.
type GraphChunk struct {
	EntityTypes   []string   `json:"entity_types,omitempty"`
	IDs           []EntityID `json:"ids,omitempty"`
	Names         []string   `json:"names,omitempty"`
	RelationTypes []string   `json:"relation_types,omitempty"`
	From          []int      `json:"from,omitempty"`  // numbers of entities
	To            []int      `json:"to,omitempty"`    // numbers of entities
	Types         []int      `json:"types,omitempty"` // numbers of types: of entities if there are IDs, else of relations
	End           *GraphEnd  `json:"end,omitempty"`   // alone in the last line
}

// GraphEnd counts what the lines before it had.
type GraphEnd struct {
	Entities  int `json:"entities"`
	Relations int `json:"relations"`
}

// GraphTime is the precision of the times of a graph.
const GraphTime = time.Millisecond

// Validate returns an Invalid error for the first field of an imported entity that breaks a limit. field is the
// caller's name for the entity. Validate cuts times to GraphTime and removes duplicates in AllowedVendors.
func (e *Entity) Validate(field string) error {
	if e.ID.IsZero() {
		return FieldErrorf(field+".id", "is missing")
	}
	item := NewEntity{EntityRef: EntityRef{Name: e.Name, Type: e.Type}}
	if err := item.Validate(field); err != nil {
		return err
	}
	if err := e.validate(field, &e.CreatedAt); err != nil {
		return err
	}
	return cutGraphTime(field+".updated_at", &e.UpdatedAt)
}

// Validate works like Entity.Validate.
func (o *Observation) Validate(field string) error {
	if o.ID.IsZero() || o.EntityID.IsZero() {
		return FieldErrorf(field+".id", "and %s.entity_id are required", field)
	}
	if err := CheckText(field+".content", o.Content, 1, MaxObservation); err != nil {
		return err
	}
	return o.validate(field, &o.CreatedAt)
}

// Validate works like Entity.Validate.
func (r *Relation) Validate(field string) error {
	if r.ID.IsZero() || r.FromID.IsZero() || r.ToID.IsZero() {
		return FieldErrorf(field+".id", "and %[1]s.from_entity and %[1]s.to_entity are required", field)
	}
	if err := CheckText(field+".relation_type", r.Type, 1, MaxGraphType); err != nil {
		return err
	}
	return r.validate(field, &r.CreatedAt)
}

// validate checks the fields that only the server sets.
func (a *GraphAccess) validate(field string, created *time.Time) error {
	if !a.DeletedAt.IsZero() {
		return FieldErrorf(field+".deleted_at", "must be absent; Loci imports only rows that are not deleted")
	}
	if Vendor(a.Origin).Validate() != nil {
		return FieldErrorf(field+".origin", "is not a vendor or one of api, cli and dashboard")
	}
	// A merge may leave a row that no vendor may read.
	if a.AllowedVendors = Unique(a.AllowedVendors); a.AllowedVendors == nil || len(a.AllowedVendors) > 0 {
		if err := CheckVendors(a.AllowedVendors); err != nil {
			return err
		}
	}
	return cutGraphTime(field+".created_at", created)
}

func cutGraphTime(field string, t *time.Time) error {
	*t = t.UTC().Truncate(GraphTime)
	if y := t.Year(); t.IsZero() || y < 1 || y > 9999 {
		return FieldErrorf(field, "must be a time in the years 1 to 9999")
	}
	return nil
}
