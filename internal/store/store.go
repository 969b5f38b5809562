// Package store is the storage contract: what an engine must do to store Loci's rows. The engines
// are sub-packages. All of them pass the test suite storetest.
//
// A transaction is confined to one tenant when it opens. So no method takes a tenant, and none can reach another
// tenant. Every method with a viewer applies the visibility rule when it selects candidates: what the viewer may not
// see doesn't exist, and both cases return the same NotFound. Engines return raw features, never scores. They
// implement the visibility rule of package loci in SQL. They contain no rule about who may write.
//
// Callers truncate times to microseconds and pass only valid UTF-8 without NUL. Errors have the loci codes that each
// method documents. They have Full or Unavailable if the disk is full or can't be written.
package store

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
)

// Store stores the rows of all tenants. It is safe for concurrent use, also by several processes.
type Store interface {
	// View runs fn in one read transaction on a snapshot of org's rows. It fails with NotFound if the org doesn't exist.
	View(ctx context.Context, org loci.OrgID, fn func(Tx) error) error
	// Scan works like View for reads that may take long, such as a search or an export. View and
	// Update never wait for it.
	Scan(ctx context.Context, org loci.OrgID, fn func(Tx) error) error
	// Update runs fn in one transaction and returns after the result is durable on disk. If fn returns
	// an error, nothing is written. fn may run twice, so it must change only tx and its own variables.
	Update(ctx context.Context, org loci.OrgID, fn func(Tx) error) error
	// Stamp identifies what the registry contains, or an org's rows if org is not empty. If two stamps
	// are equal, nobody has committed between the two calls, in any process. To cache something, take
	// the stamp before reading it. ok is false if the engine can't tell; then cache nothing.
	Stamp(ctx context.Context, org loci.OrgID) (s Stamp, ok bool)
	// PeopleStamp is Stamp for the people and workspaces of an org. A change of other rows changes it as seldom as the
	// engine can tell.
	PeopleStamp(ctx context.Context, org loci.OrgID) (s Stamp, ok bool)
	// Hint lets the feed of an org tell of a change that this store doesn't make, such as new events, shortly
	// afterwards (see Feed).
	Hint(ctx context.Context, h FeedHint)
	// Lock waits until no other caller in any process holds the lock of that name, and then holds it until unlock.
	// Callers of one process get it in their order. If a process ends, its locks end, at the latest when LockLease is
	// over. held ends with ctx and with unlock, and with an Unavailable cause if the lock is lost. Then its holder must
	// stop. Lock fails like ctx.
	Lock(ctx context.Context, name string) (held context.Context, unlock func(), err error)
	// TryLock works like Lock, but doesn't wait. It fails with Conflict while another caller holds the lock.
	TryLock(ctx context.Context, name string) (held context.Context, unlock func(), err error)
	Registry
	// Orgs is the registry of tenants.
	Orgs() Orgs
	// People is the directory of all people and their orgs.
	People() People
	// Projects is the registry of projects.
	Projects() Projects
	// ViewProject runs fn in one read transaction on a project's graph. It fails with NotFound if the
	// org or project doesn't exist, and with Conflict if the project is archived.
	ViewProject(ctx context.Context, org loci.OrgID, project loci.ProjectID, fn func(GraphTx) error) error
	// UpdateProject works like Update on a project's graph. It fails like ViewProject.
	UpdateProject(ctx context.Context, org loci.OrgID, project loci.ProjectID, fn func(GraphTx) error) error
	// Blobs stores the bytes of attachments.
	Blobs() Blobs
	// Ready returns nil if the store can read and write.
	Ready(ctx context.Context) error
	// Close waits for running transactions. Later calls fail.
	Close() error
}

// Registry has the stores that Loci reads before it knows the org.
type Registry interface {
	// StateKey returns the key that seals the state of sign-ins in a period, for all processes together. If the period
	// has none, it stores fresh. It deletes the keys of all but the last periods.
	StateKey(ctx context.Context, period int64, fresh loci.Secret) (loci.Secret, error)
	// Credentials is the registry of keys, browser sign-ins and tokens.
	Credentials() Credentials
	// OAuth stores OAuth clients and the grants that people gave them.
	OAuth() OAuth
	// ArcBindings stores where the events of orgs on Arc are.
	ArcBindings() ArcBindings
	// Jobs stores what the jobs of the server did last.
	Jobs() Jobs
	// Limits counts uses and failures for rate limits, for all processes together.
	Limits() Limits
	// Settings stores the settings that people changed while Loci runs.
	Settings() Settings
	// ProjectMembers stores who belongs to which project.
	ProjectMembers() ProjectMembers
	// Connections stores which projects MCP connections work on.
	Connections() Connections
}

// LockLease is how long a lock outlives a holder that no longer renews it.
const LockLease = 30 * time.Second

// Stamp is a value to compare. Only its engine knows what it means.
type Stamp [64]byte

// Tx is a transaction on one tenant. It must not be kept after fn returns.
type Tx interface {
	Memories() Memories
	Lists() Lists
	Rows() Rows
	Users() Users
	Teams() Teams
	Workspaces() Workspaces
	SignIn() SignIn
	Audit() Audit
	Agents() Agents
	Sessions() Sessions
	Tasks() Tasks
	Packs() Packs
	Golden() Golden
	Suggestions() Suggestions
	Candidates() Candidates
	Reflections() Reflections
	Dreams() Dreams
	Assets() Assets
	Sources() Sources
	MemoryNodes() MemoryNodes
	Feed() Feed
	Idempotency() Idempotency
}

// Memories stores memories with all their versions.
type Memories interface {
	Timeless
	// Insert stores m. It fails with Conflict if m.ID is taken, even by another user, with NotFound if its user doesn't
	// exist, and with Invalid if m belongs to another org. The caller must not change m until Insert returns.
	Insert(ctx context.Context, m *loci.Memory) error
	// Get returns a visible memory, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.MemoryID, l loci.Lifecycle) (*loci.Memory, error)
	// GetMany returns the visible memories among ids, in the order of ids.
	GetMany(ctx context.Context, v loci.Viewer, ids []loci.MemoryID, l loci.Lifecycle) ([]*loci.Memory, error)
	// ReplacedBy returns the visible memories that id superseded, in the order they were stored, at
	// most limit. It leaves out those in the trash and the expired ones.
	ReplacedBy(ctx context.Context, v loci.Viewer, id loci.MemoryID, limit int) ([]*loci.Memory, error)
	// Replace replaces the row with the same id by m and keeps the old row as a version. The old row
	// must be at m.Version-1. Replace fails with Conflict if it is at another version, and with
	// NotFound if the row or its user doesn't exist.
	Replace(ctx context.Context, m *loci.Memory) error
	// Versions returns the visible old versions of a visible memory with numbers below before (0:
	// all), newest first, at most limit. It fails with NotFound if the memory is not visible.
	Versions(ctx context.Context, v loci.Viewer, id loci.MemoryID, l loci.Lifecycle, before, limit int) ([]*loci.Version,
		error)
	// InsertVersion adds an old version of a stored memory, for import. It fails with Conflict unless
	// its number is below the current version and free, and with NotFound if the memory doesn't exist.
	InsertVersion(ctx context.Context, old *loci.Version) error
	// Rewrite replaces each text of the old versions and the sources of a memory by what fn returns for it. It fails with
	// NotFound if the memory doesn't exist.
	Rewrite(ctx context.Context, id loci.MemoryID, fn func(text string) string) error
	// SharedBy returns the ids of the memories that a person shared with a team, including trashed ones, at most limit.
	SharedBy(ctx context.Context, user loci.UserID, team loci.TeamID, limit int) ([]loci.MemoryID, error)
	// Erase permanently deletes a memory with all its versions. It fails with NotFound if the id doesn't exist.
	Erase(ctx context.Context, id loci.MemoryID) error
	// EraseOf erases at most limit memories of a person, in any state, and returns their number.
	EraseOf(ctx context.Context, user loci.UserID, limit int) (int, error)
	// Purge permanently deletes at most limit memories that were trashed before then, with all their
	// versions, and returns their number.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)
}

// Lists finds memories.
type Lists interface {
	// List returns the visible memories that pass the filter, newest first by CreatedAt (in the trash
	// by DeletedAt). If times are equal, the memory stored last comes first. With When, List still
	// sorts by the present CreatedAt. It fails with Invalid if q.After is not a Position of such a
	// list, or if When is used with a Lifecycle other than LiveOnly.
	List(ctx context.Context, v loci.Viewer, q ListQuery) (Page, error)
	// IDs returns the ids of the visible memories that pass the filter, at most limit, in the order of
	// List. more reports whether there are others. It fails like List.
	IDs(ctx context.Context, v loci.Viewer, f Filter, limit int) (ids []loci.MemoryID, more bool, err error)
	// Facets counts the visible memories that pass the filter by their values. It reads all of them. It fails with
	// Invalid if When is used.
	Facets(ctx context.Context, v loci.Viewer, f Filter) (loci.Facets, error)
	// Passing returns those of ids that are visible and pass the filter, in the order of ids.
	Passing(ctx context.Context, v loci.Viewer, f Filter, ids []loci.MemoryID) ([]loci.MemoryID, error)
	// Tagged returns those of tags that visible live memories have, other than the one with that id.
	Tagged(ctx context.Context, v loci.Viewer, tags []string, except loci.MemoryID) ([]string, error)
	// Rebuild drops and rebuilds all data derived from the rows, such as the full-text index. It
	// requires an Update; Check doesn't.
	Rebuild(ctx context.Context) error
	// Check compares all derived data with the rows. It returns one sentence for each difference.
	Check(ctx context.Context) ([]string, error)
}

// Filter narrows a list or a search. A row must match every field that is set.
type Filter struct {
	Tags      []string // exact
	AllTags   bool     // every one of Tags, instead of any
	Origin    string
	Type      loci.MemoryType
	Category  string
	Key       string // exact
	Scope     loci.Scope
	ProjectID loci.ProjectID
	// OrGlobal also admits rows of no project, if ProjectID is set.
	OrGlobal  bool
	AgentID   loci.AgentID
	SessionID loci.SessionID
	TeamID    loci.TeamID // only what is shared with this team
	Pinned    bool        // only pinned ones
	// HiddenFrom selects what the viewer sees, but the assistants of this vendor outside of sessions do not.
	HiddenFrom loci.Vendor
	From       time.Time // CreatedAt at or after
	To         time.Time // CreatedAt before
	Lifecycle  loci.Lifecycle
	// When selects a time other than the present. It works only with LiveOnly. The rule is then
	// loci.Viewer.SeesAt, and the other fields apply to the row as it was.
	When loci.When
}

// IsAll reports whether f narrows nothing but the states of Lifecycle and the time of When.
func (f *Filter) IsAll() bool {
	return len(f.Tags) == 0 && f.Origin == "" && f.Type == "" && f.Category == "" && f.Key == "" && f.Scope == "" &&
		f.ProjectID.IsZero() && f.AgentID.IsZero() && f.SessionID.IsZero() && f.TeamID.IsZero() && !f.Pinned &&
		f.HiddenFrom == "" && f.From.IsZero() && f.To.IsZero()
}

// Position is a place in a list. Only the engine that created it can read it.
type Position string

// ListQuery asks for one page.
type ListQuery struct {
	Filter
	Limit  int      // at least 1
	After  Position // "": from the beginning
	Offset int      // rows to skip after After, for callers without cursors
	Oldest bool     // oldest first; for export
	Total  bool     // also count, up to MaxTotal
	All    bool     // Total counts every row
}

// MaxTotal is the number up to which List counts.
const MaxTotal = 1000

// Page is one page of a list.
type Page struct {
	Memories []*loci.Memory
	Next     Position // "": this is the last page
	// Total is the number of rows that pass the filter, if requested, at most MaxTotal unless all were requested. Exact
	// reports whether there are no more than that.
	Total int
	Exact bool
}
