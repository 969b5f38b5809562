package store

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
)

// Projects is the registry of projects. To a viewer, a project that they don't belong to doesn't
// exist. The one exception is its name, which must be unique in the org for everyone.
type Projects interface {
	// Create stores an active project with an empty graph. If creator is not zero, it becomes the owner. Create sets
	// times from the store's clock. It fails with Conflict if the name or id is taken in the org, with NotFound if the
	// org doesn't exist or the creator isn't one of its users, and with Invalid if p breaks a limit.
	Create(ctx context.Context, p loci.Project, creator loci.UserID) (loci.Project, error)
	// Get returns a project, even an archived one, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.ProjectID) (loci.Project, error)
	// Find returns the project with that name, even an archived one, or NotFound.
	Find(ctx context.Context, v loci.Viewer, name string) (loci.Project, error)
	// List returns the projects of the viewer, by name.
	List(ctx context.Context, v loci.Viewer, q ProjectQuery) (ProjectPage, error)
	// Update lets change alter the name, description, workspace and Everyone of a project in one transaction, and
	// returns the result. change may run twice. If it fails, nothing is stored. Update fails with NotFound, with
	// Conflict if the name is taken, and with Invalid if a limit is broken.
	Update(ctx context.Context, org loci.OrgID, id loci.ProjectID, change func(*loci.Project) error) (loci.Project, error)
	// Archive closes a project for all processes and keeps it. Running transactions finish first. If
	// Archive is interrupted, the next start or the next call completes it. It fails with NotFound,
	// and with Conflict if the project is already archived.
	Archive(ctx context.Context, org loci.OrgID, id loci.ProjectID) error
	// Restore makes an archived project active again. Otherwise it works like Archive.
	Restore(ctx context.Context, org loci.OrgID, id loci.ProjectID) error
	// Delete permanently removes a project, active or archived, with its graph, tasks and members. Its
	// project-scoped memories go to their owners' trash, as a version by loci.ServerOrigin. Its
	// project-scoped memory nodes go there, too. No request is admitted from the first moment on. If
	// Delete is interrupted, it is completed like Archive. It fails with NotFound.
	Delete(ctx context.Context, org loci.OrgID, id loci.ProjectID) error
	// GatherAudit moves the entries of GraphTx.Record from a project to the audit trail of the org, each entry once.
	// Archive and Delete call it themselves. It fails with NotFound, and with Conflict if the project is archived.
	GatherAudit(ctx context.Context, org loci.OrgID, id loci.ProjectID) error
	// WithGraphs returns the active projects among ids, in the order of ids, except those without an
	// entity, even a deleted one. If nobody writes, it costs hardly anything. It returns a project whose
	// graph cannot be read, and ViewProject then returns the reason.
	WithGraphs(ctx context.Context, org loci.OrgID, ids []loci.ProjectID) ([]loci.ProjectID, error)
	// InWorkspace reports whether a workspace has projects, including archived ones.
	InWorkspace(ctx context.Context, org loci.OrgID, workspace loci.WorkspaceID) (bool, error)
}

// ProjectMembers stores who belongs to which project: its entered members, or every user of the org
// if Project.Everyone is set.
type ProjectMembers interface {
	// Of returns the ids of the projects that a user of the org belongs to, in order, including archived ones. They
	// become Viewer.ProjectIDs. The result stays the same while Org.ProjectsVersion does and the user is in the org. It
	// includes only projects of workspace in; the zero workspace includes all.
	Of(ctx context.Context, org loci.OrgID, user loci.UserID, in loci.WorkspaceID) ([]loci.ProjectID, error)
	// All returns the ids of all projects of the org, in order, for admins. in works as in Of.
	All(ctx context.Context, org loci.OrgID, in loci.WorkspaceID) ([]loci.ProjectID, error)
	// List returns the entered members, by id. It fails with NotFound if the project doesn't exist.
	List(ctx context.Context, org loci.OrgID, id loci.ProjectID) ([]loci.ProjectMember, error)
	// Put adds a member or changes their role. It fails with NotFound if the project doesn't exist or
	// the user isn't in the org.
	Put(ctx context.Context, org loci.OrgID, id loci.ProjectID, m loci.ProjectMember) error
	// Remove removes a member. It may be repeated. It fails with NotFound if the project doesn't exist.
	Remove(ctx context.Context, org loci.OrgID, id loci.ProjectID, user loci.UserID) error
	// Adopt moves every project without a workspace into this one and returns their number.
	Adopt(ctx context.Context, org loci.OrgID, workspace loci.WorkspaceID) (int, error)
}

// Connections stores which project an MCP connection works on, for all processes. Archiving or
// deleting a project clears it for all connections.
type Connections interface {
	// Get returns what a connection works on, or NotFound.
	Get(ctx context.Context, key [32]byte) (Connection, error)
	// Put stores a connection and replaces its previous state. It fails with NotFound if the org,
	// project or user doesn't exist, and with Conflict if the project is archived.
	Put(ctx context.Context, s Connection) error
	// Use stores when a connection was last used, unless it works on another project than at by now.
	Use(ctx context.Context, at Connection, used time.Time) error
	// Leave deletes what a connection works on, unless that is another project than in at by now.
	Leave(ctx context.Context, at Connection) error
	// Remove deletes a connection and what it works on. It may be repeated.
	Remove(ctx context.Context, key [32]byte) error
	// Purge deletes at most limit connections, and at most limit records of what connections work
	// on, that were last used before then. It returns their number.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)

	// Open stores a connection that any process can continue. If its subject has more than keep of
	// them, Open deletes those unused for longest. NotFound if the org or user doesn't exist.
	Open(ctx context.Context, c OpenConnection, keep int) error
	// Opened returns a connection that Open stored, or NotFound.
	Opened(ctx context.Context, key [32]byte) (OpenConnection, error)
	// Touch stores when a connection that Open stored was last used.
	Touch(ctx context.Context, key [32]byte, used time.Time) error
}

// OpenConnection is an MCP connection that any process can continue.
type OpenConnection struct {
	Key     [32]byte // as in Connection
	OrgID   loci.OrgID
	UserID  loci.UserID
	Subject [32]byte // a hash of the principal's subject, which alone may use the connection
	State   []byte   // what the client told when it connected; opaque to the store
	UsedAt  time.Time
}

// Connection is what an MCP connection works on.
type Connection struct {
	Key       [32]byte // a hash of the connection's id, because anyone who knows the id can use it
	OrgID     loci.OrgID
	UserID    loci.UserID
	ProjectID loci.ProjectID
	UsedAt    time.Time
}

// ProjectQuery asks for one page of projects.
type ProjectQuery struct {
	Status loci.ProjectStatus // "": all
	Limit  int                // at least 1
	After  string             // the name of the last project on the previous page
}

// ProjectPage is one page of projects.
type ProjectPage struct {
	Projects []loci.Project
	More     bool
}

// GraphTx is a transaction on the graph of one project. It must not be kept after fn returns. What the viewer may not
// see doesn't exist for any method, including the search for duplicates and suggestions. A viewer outside the project
// sees nothing. Engines create ids and times. They contain no rule about who may write.
//
// Methods with several items apply all or none, because the caller's fn returns their error. They fail with a
// *loci.ItemsError that has a reason for each rejected item. Its codes are NotFound for an entity that doesn't exist,
// with the nearest names, and Conflict for a reference without a type whose name several types of entity have.
type GraphTx interface {
	// Project returns the project as it was when the transaction began.
	Project() loci.Project
	Entities() Entities
	Graph() Graph
	// Spare makes the deletions and the merge that follow leave each row that may rejects, and each entity with a visible
	// observation or relation that may rejects. They add these to the result instead. A merge of an entity that is left
	// changes nothing.
	Spare(may func(*loci.GraphAccess) bool) *Spared
	// Texts returns what the index of the graph reads.
	Texts() Texts
	// Record adds what the transaction does to the audit trail, with the project as its target.
	// Audit.List returns the entry after the next Projects.GatherAudit. Record requires an Update.
	Record(ctx context.Context, e loci.AuditEntry) error
	// Try runs fn. If fn fails, Try undoes what fn wrote.
	Try(fn func() error) error
	// Rebuild rebuilds the data derived from the rows. It requires an Update.
	Rebuild(ctx context.Context) error
	// Check returns the places where derived data differs from the rows. It requires an Update.
	Check(ctx context.Context) ([]string, error)
}

// Entities changes a graph. New rows get the access in by. The history records deletions with by's
// user and origin. The caller has validated by, items, rows and vendors.
type Entities interface {
	// Create stores entities. If the viewer can see an entity with the same name and type, Create adds
	// the observations that it lacks and returns that one.
	Create(ctx context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.NewEntity) ([]PutEntity, error)
	// Observe adds observations to entities. It reports those that the viewer can already see and
	// doesn't store them again. It rejects an entity that doesn't exist, and names the nearest names
	// for the first MaxSuggested such entities.
	Observe(ctx context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.Contents) ([]Observed, error)
	// Relate stores relations between entities. If the viewer can already see one, Relate returns that
	// one. It rejects ends that don't exist like the entities of Observe.
	Relate(ctx context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.NewRelation) ([]PutRelation, error)
	// Delete marks all visible entities with these names as deleted, with all their observations and relations, and
	// returns the entities without those. It ignores names that don't exist, so that deletions may be repeated.
	Delete(ctx context.Context, v loci.Viewer, by loci.GraphAccess, refs []loci.EntityRef) ([]loci.Entity, error)
	// DeleteObservations marks visible observations with these contents as deleted and returns their
	// number. It ignores those that don't exist.
	DeleteObservations(ctx context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.Contents) (int, error)
	// DeleteRelations works like DeleteObservations for relations.
	DeleteRelations(ctx context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.NewRelation) (int, error)
	// DeleteRows marks these rows as deleted, as the methods above do, and returns how many of them were live and visible.
	DeleteRows(ctx context.Context, v loci.Viewer, by loci.GraphAccess, ids GraphIDs) (int, error)
	// Restore undoes deletions: of an entity with everything deleted with it, and of observations and relations whose
	// entities aren't deleted. Errors number the items in the order Entities, Observations, Relations. It fails with
	// NotFound for what the viewer can't see as deleted. It fails with Conflict for an entity if another with its name
	// and type is visible, and for an observation or relation of a deleted entity.
	Restore(ctx context.Context, v loci.Viewer, by loci.GraphAccess, items GraphIDs) (int, error)
	// Merge merges from into into. It copies the live observations and relations of from to into.
	// Copies differ only in their ids and in the name of one end. It skips what into already has, and
	// a relation between the two. It also copies what the caller may not see.
	//
	// No vendor may read a copy if it couldn't read the original, or couldn't read from. So the copy's
	// allowed_vendors are those that both allow, if necessary only people. A row counts as already
	// there only if everyone who may read the copy may read that row.
	//
	// Then Merge deletes from as Delete does, so that Restore can bring it back. The histories of both
	// record the merge, for readers who see both. Merge fails with NotFound if either doesn't exist,
	// and with Invalid if they are the same.
	Merge(ctx context.Context, v loci.Viewer, by loci.GraphAccess, from, into loci.EntityID) (loci.Entity, error)
	// SetVendors sets who may read these live rows and returns the number of changed rows. Rows that
	// already have these vendors don't count. It fails as a whole with NotFound, with a reason for
	// each item, if an item isn't visible or doesn't belong to by.UserID.
	SetVendors(ctx context.Context, v loci.Viewer, by loci.GraphAccess, items GraphIDs, vendors []loci.Vendor) (int, error)
	// SettleSecrets stores what remove makes of all texts that a person wrote, also of deleted ones, and nothing of the
	// old texts stays on the disk. The caller then calls Rebuild. nil: the rows with these ids keep their secrets.
	SettleSecrets(ctx context.Context, user loci.UserID, ids GraphIDs, remove func(string) string) error
	// Insert stores live rows unchanged, with their ids, times and writers, for import. Ends and
	// entities may be in the same call or already stored. A row counts as present if its id exists and
	// everything that is exported is the same, except the time of an entity's last change.
	//
	// Insert fails with an ItemsError that numbers the items in the order Entities, Observations, Relations. The code is
	// Conflict if the id belongs to something else, or if a live entity with the same allowed_vendors has that name and
	// type. It is NotFound if a row belongs to an entity that doesn't exist.
	Insert(ctx context.Context, v loci.Viewer, rows GraphRows) (added, present int, err error)
}

// MaxSuggested is the number of missing names for which one call searches the nearest names. Each
// search reads thousands of names.
const MaxSuggested = 20

// PutEntity is the result of Create for one item.
type PutEntity struct {
	Entity  loci.Entity // with what the viewer now sees of it
	Created bool
	Added   []loci.Observation
	// Alike are other visible names that differ only in case or blanks, for the first MaxAlike entities of a call.
	Alike []string
}

// MaxAlike is for how many entities one call looks for names that are alike.
const MaxAlike = 50

// Observed is the result of Observe for one item.
type Observed struct {
	Entity     loci.EntityRef
	Added      []loci.Observation
	Duplicates []loci.Observation // what already existed
}

// PutRelation is the result of Relate for one item.
type PutRelation struct {
	Relation loci.Relation
	Created  bool
}

// GraphIDs names rows of a graph. See loci.GraphIDs.
type GraphIDs = loci.GraphIDs

// Spared is what deletions left in a graph.
type Spared struct {
	GraphIDs
	AllowedVendors []loci.Vendor // that see all these rows, and the rows of entities because of which those were left
}

// GraphRows are separate rows of a graph. Its entities have no observations and relations.
type GraphRows struct {
	Entities     []loci.Entity
	Observations []loci.Observation
	Relations    []loci.Relation
}

// Limits of the entities in one answer. An answer keeps the newest rows, and
// Entity.ObservationsLeft and RelationsLeft count the others.
const (
	MaxEntityRows = 1_000   // observations of an entity, and relations of one
	MaxGraphText  = 1 << 20 // bytes of text in the observations and relations of all entities, and GraphRow for each
	GraphRow      = 200     // bytes counted for ids, times and names of fields
)

// Graph reads a graph. The entities that it returns have their live, visible observations and
// relations, oldest first, up to these limits.
type Graph interface {
	// Get returns the live entities with these ids, in the order of ids. It skips those that don't exist.
	Get(ctx context.Context, v loci.Viewer, ids ...loci.EntityID) ([]loci.Entity, error)
	// Find returns the live entities with these names, in the order of refs, each once. For one name,
	// it returns at most loci.MaxGraphItems, the oldest. It skips those that don't exist. It fails
	// with Invalid if there are more than MaxFound.
	Find(ctx context.Context, v loci.Viewer, refs []loci.EntityRef) ([]loci.Entity, error)
	// Resolve returns the id of the one live entity that a reference means. It fails with NotFound and
	// the nearest names, and with Conflict if several entities have the name: of several types, or of
	// one type because they were once for different vendors. Then the error has their ids.
	Resolve(ctx context.Context, v loci.Viewer, ref loci.EntityRef) (loci.EntityID, error)
	// Suggest returns at most limit names of live entities that are similar to this name.
	Suggest(ctx context.Context, v loci.Viewer, name string, limit int) ([]string, error)
	// Read returns the live entities in the order in which they were stored. It fails with Invalid if
	// q.After is not the Next of such a page.
	Read(ctx context.Context, v loci.Viewer, q GraphQuery) (GraphPage, error)
	// Owners returns the live visible entity to which each of these texts belongs, by the id of the text: an entity, or
	// a live visible observation of one. Other ids are missing.
	Owners(ctx context.Context, v loci.Viewer, texts [][16]byte) (map[[16]byte]loci.EntityID, error)
	// Neighbours returns an entity and its neighbours within that many hops, over relations in either
	// direction, nearest first, at most limit. It fails with NotFound.
	Neighbours(ctx context.Context, v loci.Viewer, id loci.EntityID, hops, limit int) ([]loci.Entity, error)
	// History returns the changes of an entity, live or deleted, and of its visible observations and relations, oldest
	// first. It returns at most limit, and no more than fit in MaxGraphText. It fails with NotFound.
	History(ctx context.Context, v loci.Viewer, id loci.EntityID, limit int) ([]loci.GraphChange, error)
	// Observations returns one page of the live observations of a live entity, oldest first. The page ends early at
	// MaxGraphText. It fails with NotFound, and with Invalid if q.After is not the Next of such a page.
	Observations(ctx context.Context, v loci.Viewer, id loci.EntityID, q GraphQuery) (ObservationPage, error)
	// Relations works like Observations for the relations that begin or end at an entity.
	Relations(ctx context.Context, v loci.Viewer, id loci.EntityID, q GraphQuery) (RelationPage, error)
	// Rows returns one page of separate rows, for export. All pages together contain each live row
	// once: first the entities in the order in which they were stored, each with its observations,
	// then the relations. So they can be imported page by page. A page ends early at MaxGraphText.
	// Rows fails with Invalid if q.After is not a Position of such a page.
	Rows(ctx context.Context, v loci.Viewer, q GraphQuery) (GraphRows, Position, error)
	// Named returns the visible rows with these ids, in any state or only live ones, without the observations and
	// relations of entities.
	Named(ctx context.Context, v loci.Viewer, ids GraphIDs, l loci.Lifecycle) (GraphRows, error)
	// Trash returns what can be restored on its own, last deleted first, at most limit of each kind.
	// Observations also end at MaxGraphText.
	Trash(ctx context.Context, v loci.Viewer, limit int) (GraphTrash, error)
}

// MaxFound is the maximum number of entities that the names of one call may mean, including those
// of one name and many types.
const MaxFound = 5_000

// ObservationPage is one page of an entity's observations.
type ObservationPage struct {
	Observations []loci.Observation
	Next         Position // "": this is the last page
}

// RelationPage is one page of an entity's relations.
type RelationPage struct {
	Relations []loci.Relation
	Next      Position // "": this is the last page
}

// GraphQuery asks for one page of a graph.
type GraphQuery struct {
	Limit int // rows, at least 1
	After Position
	// Bare leaves the observations out of Rows. Such a page does not end early among entities. The other lists ignore it.
	Bare bool
}

// GraphPage is one page of a graph. It ends early, after at least one entity, at MaxGraphText. It has the relations
// that begin at one of its entities, so all pages together contain each relation once. An entity whose RelationsLeft
// is not zero ends its page. If even this page has no room for all of its relations, the following pages contain only
// further relations, and no entities, until all were returned.
type GraphPage struct {
	Entities  []loci.Entity
	Relations []loci.Relation
	Next      Position // "": this is the last page
	Left      int      // entities on later pages; if 0, relations may still follow
}

// Texts reads the texts of a graph for its full-text index: names with types, and observations. A text is live if it
// and its entity are not deleted. Texts applies no visibility rule, so nothing that it returns may be shown to anybody.
type Texts interface {
	// End returns the position after all changes so far.
	End(ctx context.Context) (Position, error)
	// Changed returns what changed after a position from End or Changed. It fails with Conflict or Invalid if the reader
	// must read all texts again: changes may have been forgotten, or the graph is from a backup.
	Changed(ctx context.Context, after Position) (TextChanges, error)
	// Read returns the live texts among ids, and all live observations of the entities among them.
	Read(ctx context.Context, ids [][16]byte) ([]GraphText, error)
	// List returns live texts, those of entities first and of each kind the newest first, at most limit, and the position
	// after them, which is "" at the end. It fails with Invalid if after is not such a position.
	List(ctx context.Context, after Position, limit int) ([]GraphText, Position, error)
}

// GraphText is a text of a graph.
type GraphText struct {
	ID             [16]byte
	Entity         loci.EntityID // whose text it is
	Name, Type     string        // of an entity
	Content        string        // of an observation
	AllowedVendors []loci.Vendor // those that see it, and its entity
	CreatedAt      time.Time
}

// TextChanges is a part of what changed.
type TextChanges struct {
	Texts   []GraphText // the live texts that are new or changed, each once
	Changed [][16]byte  // ids of texts that changed or went
	Erased  [][16]byte  // ids of texts of which an earlier wording must not be kept anywhere
	Next    Position
	More    bool // there is more to read after Next
	// Ahead is set if the transaction comes before the position, as in RowChanges.
	Ahead bool
}

// GraphTrash is deleted rows. Its entities have no observations and relations.
type GraphTrash struct {
	Entities     []loci.Entity
	Observations []loci.Observation
	Relations    []loci.Relation
	More         bool // some observations were left out for lack of room
}
