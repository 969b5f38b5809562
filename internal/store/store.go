// Package store is the storage contract: what an engine must do to keep
// Loci's rows. The engines are sub-packages; storetest is the suite that all
// of them pass.
//
// A transaction is confined to one tenant when it opens, so no method takes a
// tenant and none can reach another. The visibility rule is part of candidate
// generation in every method that takes a viewer: what the viewer may not see
// is absent, and NotFound is the same for both. Engines return raw features,
// never scores. They repeat the visibility rule of package loci as SQL, and
// decide nothing about who may write.
//
// Times are cut to microseconds and text is valid UTF-8 without NUL before it
// gets here. Errors carry a loci code where a method says so, and Full or
// Unavailable when the disk is full or cannot be written.
package store

import (
	"context"
	"errors"
	"time"

	"github.com/loci-memory/loci"
)

// Store keeps the rows of all tenants. It is safe for concurrent use, also by
// several processes.
type Store interface {
	// View runs fn in one read transaction: a snapshot of org's rows.
	// NotFound if there is no such org.
	View(ctx context.Context, org loci.OrgID, fn func(Tx) error) error
	// Scan is View for reads that may take long, such as a search or an export.
	// View and Update never wait for it.
	Scan(ctx context.Context, org loci.OrgID, fn func(Tx) error) error
	// Update runs fn in one transaction and returns after it is durable on
	// disk. If fn returns an error nothing is written. fn may be run twice, so
	// it touches only tx and its own variables.
	Update(ctx context.Context, org loci.OrgID, fn func(Tx) error) error
	// Orgs is the registry of tenants.
	Orgs() Orgs
	// People is the directory of who belongs to which org.
	People() People
	// Credentials is the registry of keys, browser sessions and tokens.
	Credentials() Credentials
	// OAuth keeps OAuth clients and what people granted them.
	OAuth() OAuth
	// Limits counts what is limited, for all processes together.
	Limits() Limits
	// Projects is the registry of projects.
	Projects() Projects
	// ProjectMembers says who belongs to which project.
	ProjectMembers() ProjectMembers
	// Connections remembers on which projects MCP sessions work.
	Connections() Connections
	// ViewProject runs fn in one read transaction on a project's graph.
	// NotFound if there is no such org or project, Conflict if it is archived.
	ViewProject(ctx context.Context, org loci.OrgID, project loci.ProjectID, fn func(GraphTx) error) error
	// UpdateProject is to ViewProject what Update is to View.
	UpdateProject(ctx context.Context, org loci.OrgID, project loci.ProjectID, fn func(GraphTx) error) error
	// Blobs keeps the bytes of attachments.
	Blobs() Blobs
	// Ready returns nil if the store can read and write.
	Ready(ctx context.Context) error
	// Close waits for running transactions. Later calls fail.
	Close() error
}

// Tx is a transaction on one tenant. It must not be kept after fn returns.
type Tx interface {
	Memories() Memories
	Lists() Lists
	Users() Users
	Teams() Teams
	Workspaces() Workspaces
	SignIn() SignIn
	Audit() Audit
	Agents() Agents
	Sessions() Sessions
	Suggestions() Suggestions
	Assets() Assets
	Sources() Sources
	MemoryNodes() MemoryNodes
	Feed() Feed
	Idempotency() Idempotency
}

// Memories keeps memories with all their versions.
type Memories interface {
	Timeless
	// Insert stores m. Conflict if m.ID is taken, also by another user;
	// NotFound if its user does not exist; Invalid if m is of another org.
	// The caller must not change m until Insert returns.
	Insert(ctx context.Context, m *loci.Memory) error
	// Get returns a visible memory, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.MemoryID, l loci.Lifecycle) (*loci.Memory, error)
	// GetMany returns the visible ones among ids, in the order of ids.
	GetMany(ctx context.Context, v loci.Viewer, ids []loci.MemoryID, l loci.Lifecycle) ([]*loci.Memory, error)
	// Replace stores m over the row of the same id, which must be at
	// m.Version-1, and keeps that row as a version. Conflict if it is at
	// another version, NotFound if there is none or its user does not exist.
	Replace(ctx context.Context, m *loci.Memory) error
	// Versions returns the visible old versions of a visible memory with a
	// number below before (0: all), newest first, at most limit. NotFound if
	// the memory is not visible.
	Versions(ctx context.Context, v loci.Viewer, id loci.MemoryID, l loci.Lifecycle, before, limit int) ([]*loci.Version,
		error)
	// InsertVersion adds an old version of a stored memory, for import.
	// Conflict unless it is below the current version and not taken, NotFound
	// if there is no such memory.
	InsertVersion(ctx context.Context, old *loci.Version) error
	// SharedBy returns the ids of the memories that a person shared with a team,
	// trashed ones too, at most limit.
	SharedBy(ctx context.Context, user loci.UserID, team loci.TeamID, limit int) ([]loci.MemoryID, error)
	// Erase deletes a memory for good, with all its versions. NotFound if there
	// is none of that id.
	Erase(ctx context.Context, id loci.MemoryID) error
	// EraseOf erases at most limit memories of a person, whatever their state,
	// and returns how many.
	EraseOf(ctx context.Context, user loci.UserID, limit int) (int, error)
	// Purge deletes for good at most limit memories that were trashed before
	// then, with all their versions, and returns how many.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)
}

// Lists finds memories.
type Lists interface {
	// List returns the visible memories that pass the filter, newest first by
	// CreatedAt (trash: by DeletedAt), of equal times the one stored last first.
	// At another time that is CreatedAt as it is now. Invalid if q.After is not a
	// Position of such a list, or When comes with another Lifecycle than LiveOnly.
	List(ctx context.Context, v loci.Viewer, q ListQuery) (Page, error)
	// Match returns the visible memories in which the terms occur, in no
	// promised order. Nothing that the viewer may not see has any influence on
	// the answer. Invalid if there are no terms, too many, or empty ones.
	Match(ctx context.Context, v loci.Viewer, q MatchQuery) (Matches, error)
	// Contains returns those of the newest visible memories that pass the filter in whose title, content, summary, key,
	// category or a tag q.Text stands, newest first in the order of List. Letters of either case are the same, one
	// by one, as Unicode pairs them. Nothing that the viewer may not see has any influence on the answer. Invalid
	// if q.Text is empty, q.Look or q.Limit below 1, or When comes with another Lifecycle than LiveOnly.
	Contains(ctx context.Context, v loci.Viewer, q ContainsQuery) (Contained, error)
	// Rebuild drops everything derived from the rows, such as the full-text
	// index, and makes it anew. It needs an Update; Check does not.
	Rebuild(ctx context.Context) error
	// Check compares everything derived with the rows and returns what
	// differs, one sentence each.
	Check(ctx context.Context) ([]string, error)
}

// Filter narrows a list or a search. Zero fields do not filter; the others
// must all hold.
type Filter struct {
	Tags      []string // exact
	AllTags   bool     // every one of Tags, instead of any
	Origin    string
	Type      loci.MemoryType
	Category  string
	Key       string // exact
	Scope     loci.Scope
	ProjectID loci.ProjectID
	AgentID   loci.AgentID
	SessionID loci.SessionID
	TeamID    loci.TeamID // only what is shared with this team
	Pinned    bool        // only pinned ones
	From      time.Time   // CreatedAt at or after
	To        time.Time   // CreatedAt before
	Lifecycle loci.Lifecycle
	// another time than the present; only with LiveOnly, and then the rule is loci.Viewer.SeesAt and the other fields
	// hold for the row as it was
	When loci.When
}

// Position is a place in a list. Only the engine that made it can read it.
type Position string

// ListQuery asks for one page.
type ListQuery struct {
	Filter
	Limit  int      // at least 1
	After  Position // "": from the beginning
	Offset int      // rows to skip after that, for callers without cursors
	Oldest bool     // oldest first; for export
	Total  bool     // also count, up to MaxTotal
}

// MaxTotal is as far as List counts.
const MaxTotal = 1000

// Page is one page of a list.
type Page struct {
	Memories []*loci.Memory
	Next     Position // "": this was the last page
	// Total is the number of rows that pass the filter if it was asked for, at
	// most MaxTotal; Exact says whether there are no more than that.
	Total int
	Exact bool
}

// MatchQuery asks for candidates of a search.
type MatchQuery struct {
	Filter
	Terms []loci.Term // 1 to loci.MaxTerms
	All   bool        // every term must occur, instead of any
	Limit int         // look at no more than the newest so many matches
}

// Matches is what a search found.
type Matches struct {
	Hits []loci.Match
	// More says that there were more than Limit, which were not looked at.
	More bool
	// Cut says that ctx ended by ErrSpent before all rows were looked at. The newest come first.
	Cut bool
}

// ContainsQuery asks for memories that have a text anywhere, also within words.
type ContainsQuery struct {
	Filter
	Text  string
	Look  int // look at no more than the newest so many that pass the filter
	Limit int // return at most so many
}

// Contained is what has the text.
type Contained struct {
	IDs []loci.MemoryID
	// More says that there may be more: there were more than Limit, or more rows than Look.
	More bool
	// Cut says that ctx ended by ErrSpent before all rows were looked at.
	Cut bool
}

// ErrSpent is the cause that ends the context of a search that has used up its
// time. Match and Contains then return what they have found, marked as Cut. A
// context that ends for another reason fails them.
var ErrSpent = errors.New("the search used up its time")

// Spent reports whether ctx ended by ErrSpent.
func Spent(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrSpent) }
