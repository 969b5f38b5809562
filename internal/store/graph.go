package store

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
)

// Projects is the registry of projects. A method with a viewer answers as if
// the projects that the viewer does not belong to were not there; the one
// exception is a name, which is unique in the org whoever may see it.
type Projects interface {
	// Create makes an active project with an empty graph. A creator that is not
	// zero becomes its owner. Conflict if its name or id is taken in the org, NotFound if there is no such
	// org or the creator is not one of its users; Invalid if p breaks a limit. Times are set from the
	// store's clock.
	Create(ctx context.Context, p loci.Project, creator loci.UserID) (loci.Project, error)
	// Get returns a project, archived ones too, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.ProjectID) (loci.Project, error)
	// Find returns the project of that name, archived ones too, or NotFound.
	Find(ctx context.Context, v loci.Viewer, name string) (loci.Project, error)
	// List returns the projects of the viewer, by name.
	List(ctx context.Context, v loci.Viewer, q ProjectQuery) (ProjectPage, error)
	// Update lets change alter name, description, workspace and Everyone of a project as it
	// is, in one transaction, and returns what it is then. change may be run twice; its error stores
	// nothing. NotFound; Conflict if the name is taken; Invalid for what breaks a limit.
	Update(ctx context.Context, org loci.OrgID, id loci.ProjectID, change func(*loci.Project) error) (loci.Project, error)
	// Archive closes a project, for all processes, and keeps it. Transactions
	// under way finish first. Conflict if it is archived. An interruption is finished at the next start or by
	// the next call. NotFound.
	Archive(ctx context.Context, org loci.OrgID, id loci.ProjectID) error
	// Restore makes an archived project active again. Otherwise like Archive.
	Restore(ctx context.Context, org loci.OrgID, id loci.ProjectID) error
	// Delete removes a project, active or archived, with its graph and its
	// members for good. Its project-scoped memories go to their owners' trash, as a version that
	// loci.ServerOrigin made, and so do its project-scoped memory nodes. NotFound. An interrupted one is finished like
	// that of Archive; nobody gets in from the first moment on.
	Delete(ctx context.Context, org loci.OrgID, id loci.ProjectID) error
	// GatherAudit moves what GraphTx.Record entered in a project to the audit trail of the org, each entry once. Archive
	// and Delete do so by themselves. NotFound; Conflict if the project is archived.
	GatherAudit(ctx context.Context, org loci.OrgID, id loci.ProjectID) error
	// InWorkspace reports whether a workspace has projects, archived ones too.
	InWorkspace(ctx context.Context, org loci.OrgID, workspace loci.WorkspaceID) (bool, error)
}

// ProjectMembers says who belongs to which project: those who are entered as
// members, and every user of the org where Project.Everyone says so.
type ProjectMembers interface {
	// Of returns the ids of the projects that a user of the org belongs to, in order,
	// archived ones too: what goes into Viewer.ProjectIDs. The answer stays the same as long as
	// Org.ProjectsVersion does and the user is in the org. Projects of another workspace than in are left out; the
	// zero workspace leaves none out.
	Of(ctx context.Context, org loci.OrgID, user loci.UserID, in loci.WorkspaceID) ([]loci.ProjectID, error)
	// All returns the ids of all projects of the org, in order, for who administers them. in is as for Of.
	All(ctx context.Context, org loci.OrgID, in loci.WorkspaceID) ([]loci.ProjectID, error)
	// List returns who is entered, by id. NotFound if there is no such project.
	List(ctx context.Context, org loci.OrgID, id loci.ProjectID) ([]loci.ProjectMember, error)
	// Put enters a member or changes the role. NotFound if there is no such
	// project, or no such user in the org.
	Put(ctx context.Context, org loci.OrgID, id loci.ProjectID, m loci.ProjectMember) error
	// Remove takes a member out, and may be repeated. NotFound if there is no
	// such project.
	Remove(ctx context.Context, org loci.OrgID, id loci.ProjectID, user loci.UserID) error
	// Adopt moves every project that is in no workspace into this one, and
	// returns how many.
	Adopt(ctx context.Context, org loci.OrgID, workspace loci.WorkspaceID) (int, error)
}

// Connections remembers which project an MCP session works on, for all processes. Archiving
// and deleting a project clear it for all sessions.
type Connections interface {
	// Get returns on what a session works, or NotFound.
	Get(ctx context.Context, key [32]byte) (Connection, error)
	// Put stores it in place of what it was. NotFound if there is no such org, project or user,
	// Conflict if the project is archived.
	Put(ctx context.Context, s Connection) error
	// Remove forgets a session, and may be repeated.
	Remove(ctx context.Context, key [32]byte) error
	// Purge forgets at most limit sessions that were last used before then, and returns how many.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)
}

// Connection is what an MCP session works on.
type Connection struct {
	Key       [32]byte // of the session: a hash, as who knows its id can use it
	OrgID     loci.OrgID
	UserID    loci.UserID
	ProjectID loci.ProjectID
	UsedAt    time.Time
}

// ProjectQuery asks for one page of projects.
type ProjectQuery struct {
	Status loci.ProjectStatus // "": all
	Limit  int                // at least 1
	After  string             // the name of the last project of the page before
}

// ProjectPage is one page of projects.
type ProjectPage struct {
	Projects []loci.Project
	More     bool
}

// GraphTx is a transaction on the graph of one project. It must not be kept
// after fn returns. What the viewer may not see is absent in every method, in
// looking for duplicates and in suggestions, too; a viewer who is not in the project
// sees nothing. Engines make ids and times; they hold no rule about who may
// write. Multi-item methods do all or nothing (the caller's fn returns their
// error): they fail with a *loci.ItemsError that has a reason for each refused
// item. Its codes are NotFound for an entity
// that is not there, with the nearest names, and Conflict for a name that
// several types of entity have and whose reference has no type.
type GraphTx interface {
	// Project returns the project, as it was when the transaction began.
	Project() loci.Project
	Entities() Entities
	Graph() Graph
	// Record enters in the audit trail what the transaction does; its target is the project. Audit.List has the entry
	// from the next Projects.GatherAudit on. It needs an Update.
	Record(ctx context.Context, e loci.AuditEntry) error
	// Try runs fn and undoes what it wrote if it fails.
	Try(fn func() error) error
	// Rebuild makes anew what is derived from the rows. It needs an Update.
	Rebuild(ctx context.Context) error
	// Check says where what is derived differs from the rows. It needs an Update.
	Check(ctx context.Context) ([]string, error)
}

// Entities changes a graph. New rows get the access of by; deletions are
// entered in the history with its user and origin. The caller has validated
// by, items, rows and vendors.
type Entities interface {
	// Create stores entities. One that the viewer can see under the same name
	// and type is returned instead, with those of the observations that it does
	// not have yet.
	Create(ctx context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.NewEntity) ([]PutEntity, error)
	// Observe adds observations to entities. Those that the viewer can see
	// there already are reported and not stored again. An entity that is not there is
	// refused with the nearest names, the first MaxSuggested of them.
	Observe(ctx context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.Contents) ([]Observed, error)
	// Relate stores relations between entities. One that the viewer can see
	// already is returned instead. Ends that are not there are refused like the entities of Observe.
	Relate(ctx context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.NewRelation) ([]PutRelation, error)
	// Delete marks all visible entities of these names as deleted, with all their
	// observations and relations, and returns how many entities. A name that is
	// not there is passed over: deletions may be repeated.
	Delete(ctx context.Context, v loci.Viewer, by loci.GraphAccess, refs []loci.EntityRef) (int, error)
	// DeleteObservations marks visible observations with these contents as
	// deleted and returns how many. What is not there is passed over.
	DeleteObservations(ctx context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.Contents) (int, error)
	// DeleteRelations is DeleteObservations for relations.
	DeleteRelations(ctx context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.NewRelation) (int, error)
	// Restore takes deletions back: of an entity with what was deleted along
	// with it, of observations and relations whose entities are not deleted.
	// The items are in the order Entities, Observations, Relations. NotFound
	// for what is not visibly deleted; Conflict for an entity while another of its name and
	// type is visible, and for what hangs on a deleted entity.
	Restore(ctx context.Context, v loci.Viewer, by loci.GraphAccess, items GraphIDs) (int, error)
	// Merge makes one entity of two. into gets copies of the live observations
	// and relations of from, as they are but for their ids and the name of one end; what
	// into has already is left out, and so is a relation between the two. A copy is read by no vendor
	// who could not read the original, also because of from itself: its
	// allowed_vendors are narrowed to what both allow, if need be to nobody but people.
	// Then from is deleted as by Delete, so that Restore brings it back, and both have
	// it in their histories, for who may see both. What the caller may not see is copied, too. A row counts as there
	// already only if all who may read the copy may read it. NotFound if one is not there, Invalid if they are the same.
	Merge(ctx context.Context, v loci.Viewer, by loci.GraphAccess, from, into loci.EntityID) (loci.Entity, error)
	// SetVendors stores who may read these live rows and returns how many it
	// changed: those that have them already are none. NotFound, for the whole call and with a reason for each item, for
	// what is not visible or not of by.UserID.
	SetVendors(ctx context.Context, v loci.Viewer, by loci.GraphAccess, items GraphIDs, vendors []loci.Vendor) (int, error)
	// Insert stores live rows as they are, with their ids, times and writers: an import.
	// Ends and entities may be among them or stored before. What is there already under its id and the same in all that is
	// exported, but for the time of an entity's last change, is counted as present. Its refusals are in an ItemsError,
	// numbered in the order Entities, Observations, Relations: Conflict for an id that is taken by something else and for
	// a name and type that a live entity of the same allowed_vendors has, NotFound for what belongs to an entity that is
	// not there.
	Insert(ctx context.Context, v loci.Viewer, rows GraphRows) (added, present int, err error)
}

// MaxSuggested is for how many names that are not there a call looks for the
// nearest: each look reads thousands of names.
const MaxSuggested = 20

// PutEntity is what became of an item of Create.
type PutEntity struct {
	Entity  loci.Entity // with what the viewer sees of it now
	Created bool
	Added   []loci.Observation
}

// Observed is what became of an item of Observe.
type Observed struct {
	Entity     loci.EntityRef
	Added      []loci.Observation
	Duplicates []loci.Observation // what was there already
}

// PutRelation is what became of an item of Relate.
type PutRelation struct {
	Relation loci.Relation
	Created  bool
}

// GraphIDs names rows of a graph.
type GraphIDs struct {
	Entities     []loci.EntityID      `json:"entities,omitempty"`
	Observations []loci.ObservationID `json:"observations,omitempty"`
	Relations    []loci.RelationID    `json:"relations,omitempty"`
}

// GraphRows are rows of a graph, each by itself: entities without observations
// and relations.
type GraphRows struct {
	Entities     []loci.Entity
	Observations []loci.Observation
	Relations    []loci.Relation
}

// What the entities of one answer carry at most. Beyond it the newest are taken, and
// Entity.ObservationsLeft and RelationsLeft count the others.
const (
	MaxEntityRows = 1_000   // observations of an entity, and relations of one
	MaxGraphText  = 1 << 20 // bytes of text in the observations and relations of all entities, and GraphRow for each
	GraphRow      = 200     // what ids, times and names of fields are counted as
)

// Graph reads a graph. The entities that it returns have their live, visible
// observations and relations, up to the limits above, oldest first.
type Graph interface {
	// Get returns the live entities of these ids, in their order. Those that are not there are left out.
	Get(ctx context.Context, v loci.Viewer, ids ...loci.EntityID) ([]loci.Entity, error)
	// Find returns the live entities of these names, in the order of refs, each once; of one
	// name at most loci.MaxGraphItems, the oldest. Those that are not there are left out. Invalid
	// where they are more than MaxFound.
	Find(ctx context.Context, v loci.Viewer, refs []loci.EntityRef) ([]loci.Entity, error)
	// Resolve returns the id of the one live entity that a reference means; of twins, which vendors keep to themselves,
	// the oldest. NotFound, with the nearest names in its text; Conflict for a name that several types have and a
	// reference without a type.
	Resolve(ctx context.Context, v loci.Viewer, ref loci.EntityRef) (loci.EntityID, error)
	// Suggest returns at most limit names of live entities that are near this one.
	Suggest(ctx context.Context, v loci.Viewer, name string, limit int) ([]string, error)
	// Read returns the live entities in the order in which they were stored.
	// Invalid if q.After is not a Next of such a page.
	Read(ctx context.Context, v loci.Viewer, q GraphQuery) (GraphPage, error)
	// Search returns the entities that match, newest first, with raw features for package recall to rank. What a query
	// means is decided for an entity as a whole: name, type and observations are one text to AND, OR and NOT, and
	// each is one to a phrase. Nothing that the viewer may not see has any influence.
	Search(ctx context.Context, v loci.Viewer, q *loci.GraphQuery) (GraphMatches, error)
	// Neighbours returns an entity and those within so many hops, over relations
	// in either direction, nearest first, at most limit. NotFound.
	Neighbours(ctx context.Context, v loci.Viewer, id loci.EntityID, hops, limit int) ([]loci.Entity, error)
	// History returns what happened to an entity, live or deleted, and to its
	// visible observations and relations, oldest first, at most limit and no more than MaxGraphText has room
	// for. NotFound.
	History(ctx context.Context, v loci.Viewer, id loci.EntityID, limit int) ([]loci.GraphChange, error)
	// Observations returns one page of the live observations of a live entity, oldest first. It ends early where
	// MaxGraphText is reached. NotFound; Invalid if q.After is not a Next of such a page.
	Observations(ctx context.Context, v loci.Viewer, id loci.EntityID, q GraphQuery) (ObservationPage, error)
	// Relations is Observations for the relations that begin or end at an entity.
	Relations(ctx context.Context, v loci.Viewer, id loci.EntityID, q GraphQuery) (RelationPage, error)
	// Rows returns one page of the rows themselves, for export, all live ones on all pages together once: entities in the
	// order in which they were stored, each with its observations, and behind all entities the relations. So it can
	// be imported page by page. A page ends early where MaxGraphText is reached. Invalid if q.After is not a Position of
	// such a page.
	Rows(ctx context.Context, v loci.Viewer, q GraphQuery) (GraphRows, Position, error)
	// Trash returns what is deleted and can be restored by itself, newest
	// deletion first, at most limit of each kind, and of the observations no more than MaxGraphText has room for.
	Trash(ctx context.Context, v loci.Viewer, limit int) (GraphTrash, error)
}

// MaxFound is how many entities the names of one call may mean, those of one name
// and many types among them.
const MaxFound = 5_000

// ObservationPage is one page of an entity's observations.
type ObservationPage struct {
	Observations []loci.Observation
	Next         Position // "": this was the last page
}

// RelationPage is one page of an entity's relations.
type RelationPage struct {
	Relations []loci.Relation
	Next      Position // "": this was the last page
}

// GraphQuery asks for one page of a graph.
type GraphQuery struct {
	Limit int // rows, at least 1
	After Position
}

// GraphPage is one page of a graph. It ends early, after at least one entity, where MaxGraphText is reached. Relations
// are those that begin at one of its entities, so that all pages together have each once. An entity whose
// RelationsLeft is not zero ends its page; where even this page has no room for all that begin at it, the pages behind
// it have no entities, only further ones of these relations.
type GraphPage struct {
	Entities  []loci.Entity
	Relations []loci.Relation
	Next      Position // "": this was the last page
	Left      int      // entities behind this page; where it is 0, relations may still follow
}

// MaxGraphMatches is how many matching rows of each kind a search looks at,
// newest first. A query with AND or NOT is answered in full, however common its other words are, if
// at least one part of it is so rare that an engine can look at all that has it.
const MaxGraphMatches = 500

// GraphMatches is what a search found.
type GraphMatches struct {
	Matches []loci.GraphMatch
	// More says that not all that matches was looked at.
	More bool
	// Any says that not all words of a plain query occur together anywhere, and
	// these matches have only some of them.
	Any bool
}

// GraphTrash is what was deleted. Entities are without observations and relations.
type GraphTrash struct {
	Entities     []loci.Entity
	Observations []loci.Observation
	Relations    []loci.Relation
	More         bool // observations were left out for want of room
}
