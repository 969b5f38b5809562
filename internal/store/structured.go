package store

import (
	"cmp"
	"context"
	"io"
	"slices"
	"time"

	"github.com/loci-memory/loci"
)

// Place is where a memory stands, and who wrote it there. A zero id means none, not any.
type Place struct {
	UserID      loci.UserID
	Origin      string // "": any
	Scope       loci.Scope
	ProjectID   loci.ProjectID
	AgentID     loci.AgentID
	WorkspaceID loci.WorkspaceID
}

// KeyQuery names a memory by its key. The key is unique in its place, except for memories created
// with dedupe "create".
type KeyQuery struct {
	Place
	Key string
	// Alike also means keys that differ from Key only in the case of ASCII letters or in blanks.
	Alike bool
	// From and Until limit the memories to those that are true at some time, at From or later and before Until. Zero:
	// no limit. A memory without valid_from is true from its creation on.
	From, Until time.Time
}

// Among returns what OfKey does for the key itself, of a list that OfKey has returned for the same place without times.
func (q KeyQuery) Among(list []*loci.Memory) []*loci.Memory {
	from, until := loci.CutTime(q.From), loci.CutTime(q.Until)
	begins := func(m *loci.Memory) time.Time { return cmp.Or(m.ValidFrom, m.CreatedAt) }
	list = slices.DeleteFunc(slices.Clone(list), func(m *loci.Memory) bool {
		return m.Key != q.Key || q.Origin != "" && m.Origin != q.Origin ||
			!from.IsZero() && !m.ValidTo.IsZero() && !m.ValidTo.After(from) || !until.IsZero() && !begins(m).Before(until)
	})
	if !from.IsZero() {
		later := func(m *loci.Memory) int { return max(0, begins(m).Compare(from)) }
		slices.SortStableFunc(list, func(a, b *loci.Memory) int { return cmp.Compare(later(a), later(b)) })
	}
	return list
}

// TextQuery names memories by their text, exactly as stored.
type TextQuery struct {
	Place
	Title, Content string
	Limit          int // at least 1
}

// EditQuery selects changes by who or what made them. Zero fields match everything.
type EditQuery struct {
	Editor     string
	Credential loci.CredentialID
	Session    loci.SessionID
	Since      time.Time     // at or after
	Until      time.Time     // before
	After      loci.MemoryID // continue after this one
	Limit      int           // at least 1
}

// IDRange asks for memories, or for what belongs to memories in a lifecycle, by a range of ids.
type IDRange[ID any] struct {
	First, Last ID // both included
	Lifecycle   loci.Lifecycle
	Limit       int // at least 1
}

// IDQuery asks for memories by a range of ids.
type IDQuery struct {
	IDRange[loci.MemoryID]
	Superseded bool // also superseded ones; only with LiveOnly
}

// Timeless is the part of Memories that reads past states of rows.
type Timeless interface {
	// OfKey returns the live visible memories with that key, at most limit: those that are true at From
	// before those that become true later, and among these the one that changed last first. In an Update, no other
	// write can come between OfKey and a write. So two saves of one key never create two memories.
	OfKey(ctx context.Context, v loci.Viewer, q KeyQuery, limit int) ([]*loci.Memory, error)
	// ByText returns the live visible memories with that title and content, stored last first. Like
	// OfKey, no other write can come between it and a write. It fails with Invalid without a limit.
	ByText(ctx context.Context, v loci.Viewer, q TextQuery) ([]*loci.Memory, error)
	// Between returns the visible memories whose ids are in a range, in the order of their ids. It
	// fails with Invalid without a limit, or if Superseded is used with a Lifecycle other than LiveOnly.
	Between(ctx context.Context, v loci.Viewer, q IDQuery) ([]*loci.Memory, error)
	// GetAt returns a memory as SeesAt defines it, or NotFound. The version stored at w.KnownAt is the
	// one with UpdatedAt at or before that time and ReplacedAt after it. If there are several, which
	// only an import can cause, it is the last.
	GetAt(ctx context.Context, v loci.Viewer, id loci.MemoryID, w loci.When) (*loci.Memory, error)
	// EditedBy returns, by id, the ids of v.UserID's memories that v sees in any state and of which
	// the query selects a version. An old version counts if it belonged to v.UserID and v sees it, as
	// SeesVersion defines. It fails with Invalid without a limit.
	EditedBy(ctx context.Context, v loci.Viewer, q EditQuery) ([]loci.MemoryID, error)
}

// Agents stores the registered agents of the org.
type Agents interface {
	// Insert stores an agent. It fails with Conflict if the org has an agent with that name or the id
	// is taken, and with NotFound if the user doesn't exist.
	Insert(ctx context.Context, a loci.Agent) error
	// Get returns a visible agent, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.AgentID) (loci.Agent, error)
	// List returns visible agents by name. It fails with Invalid without a limit.
	List(ctx context.Context, v loci.Viewer, q AgentQuery) ([]loci.Agent, error)
	// Update stores the name, description, config and time of change of an agent. It fails with NotFound
	// if the agent doesn't exist, and with Conflict if another has its name.
	Update(ctx context.Context, a loci.Agent) error
	// Touch records that an agent was active, unless it was later. It does nothing if the agent doesn't exist.
	Touch(ctx context.Context, id loci.AgentID, at time.Time) error
	// Delete deletes an agent. Rows that name it stay. It fails with NotFound.
	Delete(ctx context.Context, id loci.AgentID) error
}

// AgentQuery asks for agents. Zero fields match everything.
type AgentQuery struct {
	Name        string       // exactly this one
	First, Last loci.AgentID // ids from First to Last, both included, if Last is set
	After       string       // continue after this name
	Limit       int          // at least 1
}

// Sessions stores sessions of agents and people. They are unrelated to sign-ins and MCP connections.
type Sessions interface {
	// Insert stores a session. It fails with Conflict if the id is taken, and with NotFound if the user
	// doesn't exist. It doesn't look for the agent, which may be deleted.
	Insert(ctx context.Context, s loci.Session) error
	// Get returns a visible session, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.SessionID) (loci.Session, error)
	// Stored returns a session, whoever may see it, or NotFound. It is for the server itself.
	Stored(ctx context.Context, id loci.SessionID) (loci.Session, error)
	// List returns visible sessions, last stored first, and the position after them, which is "" at
	// the end. It fails with Invalid if q.After is not a Position of such a list.
	List(ctx context.Context, v loci.Viewer, q SessionQuery) ([]loci.Session, Position, error)
	// Count returns how many visible sessions pass the query, and how many of them are active.
	Count(ctx context.Context, v loci.Viewer, q SessionQuery) (all, active int, err error)
	// Update stores all fields of a session except id, org, user, origin, project and creation. If the
	// state or the access changed, it also increases the revision and leaves a change. It sets
	// s.Revision. It fails with NotFound if the session doesn't exist.
	Update(ctx context.Context, s *loci.Session) error
	// Touch records that a session was active, unless it was later. It does nothing if the session doesn't exist.
	Touch(ctx context.Context, id loci.SessionID, at time.Time) error
	// Expire closes at most limit active sessions whose last activity was before then, as of at, and
	// returns their number. Each leaves a change.
	Expire(ctx context.Context, then, at time.Time, limit int) (int, error)
	// Release gives the sessions that a person shared with a team the reach private. Each leaves a change.
	Release(ctx context.Context, user loci.UserID, team loci.TeamID, at time.Time) error
	// Changes returns changes that Applied has not removed, at most limit.
	Changes(ctx context.Context, limit int) ([]SessionChange, error)
	// Applied removes a change, unless the session has changed again since.
	Applied(ctx context.Context, c SessionChange) error
}

// SessionQuery asks for one page of sessions. Zero fields match everything.
type SessionQuery struct {
	State       loci.SessionState
	AgentID     loci.AgentID
	ProjectID   loci.ProjectID
	Reach       loci.Reach
	Title       string         // exactly this one
	First, Last loci.SessionID // ids from First to Last, both included, if Last is set
	Limit       int            // at least 1; Count ignores it
	After       Position       // Count ignores it
}

// SessionChange says that the state of a session, or who sees it, changed. Engines leave it in the
// transaction of the change, so that another store, such as the log of events, can follow.
type SessionChange struct {
	ID       loci.SessionID
	Revision int64
	Session  *loci.Session // as it is now; nil: deleted with its person
}

// Suggestions stores suggested changes of memories and of graphs.
type Suggestions interface {
	// Insert stores a pending suggestion, with s.UserID set to the memory's owner. It fails with
	// Conflict if the same suggestion is pending or the id is taken, with NotFound if one of its
	// memories doesn't exist, and with Invalid if both memories are the same. With s.Graph, s.UserID is the person
	// whose assistant suggests it, and the caller has seen the rows. With s.Row, s.UserID is the row's owner.
	Insert(ctx context.Context, s loci.Suggestion) error
	// Get returns a suggestion for which v sees both memories, in any state, or NotFound. One about a graph is visible
	// in the project to s.Graph.AllowedVendors; the graph knows whether the rows are visible still.
	Get(ctx context.Context, v loci.Viewer, id loci.SuggestionID) (loci.Suggestion, error)
	// Pending returns the pending suggestion that is the same as s, or NotFound. It asks for
	// no viewer: it serves a save that has seen the one memory and written the other, and which may
	// have just written it for other vendors than its own.
	Pending(ctx context.Context, s *loci.Suggestion) (loci.Suggestion, error)
	// List returns visible suggestions, last stored first, and the position after them, which is "" at the end. An empty
	// state means all. Of the pending ones it leaves out those that nobody can accept, because one of the memories is
	// not live. It fails with Invalid if after is not a Position of such a list.
	List(ctx context.Context, v loci.Viewer, state loci.SuggestionState, after Position, limit int) ([]loci.Suggestion,
		Position, error)
	// Settle accepts or declines a pending suggestion, or accepts a declined one about a secret. Of what the transaction
	// replaces after it accepts, nothing stays on the disk. It fails with NotFound, with Conflict if the suggestion is
	// settled, and with Invalid for another state.
	Settle(ctx context.Context, id loci.SuggestionID, state loci.SuggestionState, at time.Time) error
	// Disagreements returns which visible live memories say something else than these, which v sees,
	// newest first. Memories without any are not in the map. If ctx ends with loci.ErrSpent, it returns
	// those that it has found by then.
	Disagreements(ctx context.Context, v loci.Viewer, memories []*loci.Memory) (map[loci.MemoryID]loci.Disagreement,
		error)
	// Disputable returns those of memories for which Disagreements has to look. It takes no time.
	Disputable(memories []*loci.Memory) []*loci.Memory
}

// Assets stores the descriptions of attachments; Blobs stores their bytes.
type Assets interface {
	// Insert stores an attachment whose bytes are in Blobs. It fails with NotFound if the memory doesn't exist, and with
	// Conflict if the id is taken or the bytes are gone because Put was too long ago.
	Insert(ctx context.Context, a loci.Asset) error
	// Get returns an attachment of a memory that is visible in that lifecycle, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.AssetID, l loci.Lifecycle) (loci.Asset, error)
	// Between returns the attachments of visible memories whose ids are in a range, in the order of
	// their ids. It fails with Invalid without a limit.
	Between(ctx context.Context, v loci.Viewer, r IDRange[loci.AssetID]) ([]loci.Asset, error)
	// List returns the attachments of a memory, oldest first. It fails with NotFound if the memory is not visible.
	List(ctx context.Context, v loci.Viewer, memory loci.MemoryID, l loci.Lifecycle) ([]loci.Asset, error)
	// Remove deletes an attachment. It fails with NotFound.
	Remove(ctx context.Context, id loci.AssetID) error
	// Usage returns the total size in bytes of a person's attachments. Equal attachments count each
	// time. The zero user means the whole org.
	Usage(ctx context.Context, user loci.UserID) (int64, error)
}

// Blobs stores bytes by their SHA-256, once per org. A sweep removes bytes that no asset refers to.
type Blobs interface {
	// Put stores the bytes of r and returns their hash and size once they are durable. It fails with
	// TooLarge beyond limit in bytes, and with NotFound if the org doesn't exist. After an error, a
	// sweep removes everything that is left.
	Put(ctx context.Context, org loci.OrgID, r io.Reader, limit int64) (sum [32]byte, size int64, err error)
	// Open returns a reader of the bytes. The caller closes it. It fails with NotFound.
	Open(ctx context.Context, org loci.OrgID, sum [32]byte) (io.ReadSeekCloser, error)
	// Sweep removes bytes that no asset of the org refers to and that were last Put before then, and
	// the leftovers of killed writers. It returns their number. A writer at work since before that
	// time fails with Unavailable. Sweep does nothing while a backup, an export or a check is running.
	Sweep(ctx context.Context, org loci.OrgID, before time.Time) (int, error)
	// Check reads all bytes. It returns one sentence for each that is missing or has changed.
	Check(ctx context.Context, org loci.OrgID) ([]string, error)
}

// Sources stores where memories come from.
type Sources interface {
	// Insert stores a source. It fails with NotFound if the memory doesn't exist, and with Conflict if
	// the id is taken or one user and origin would have more than loci.MaxSources for the memory. It
	// fails with Full if the sources of others, visible or not, leave no room.
	Insert(ctx context.Context, s loci.Source) error
	// Get returns a visible source of a memory that is visible in that lifecycle, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.SourceID, l loci.Lifecycle) (loci.Source, error)
	// Between returns the visible sources of visible memories whose ids are in a range, in the order
	// of their ids. It fails with Invalid without a limit.
	Between(ctx context.Context, v loci.Viewer, r IDRange[loci.SourceID]) ([]loci.Source, error)
	// List returns the visible sources of memories that are visible in that lifecycle, oldest first.
	List(ctx context.Context, v loci.Viewer, memories []loci.MemoryID, l loci.Lifecycle) ([]loci.Source, error)
	// Of returns the memories of a person, in any state, that have a source of this kind and reference.
	Of(ctx context.Context, user loci.UserID, kind loci.SourceKind, ref string) ([]loci.MemoryID, error)
	// Remove deletes a source. It fails with NotFound.
	Remove(ctx context.Context, id loci.SourceID) error
}

// MemoryNodes stores structured recall graphs.
type MemoryNodes interface {
	// Insert stores a node. It fails with NotFound if its user doesn't exist, and with Conflict if its id is taken.
	Insert(ctx context.Context, n *loci.MemoryNode) error
	// Get returns a visible node, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.NodeID, l loci.Lifecycle) (*loci.MemoryNode, error)
	// List returns visible nodes, last changed first, and the position after them, which is "" at the
	// end. A change of items doesn't count as a change of the node, because others may see fewer of
	// them. It fails with Invalid if q.After is not a Position of such a list.
	List(ctx context.Context, v loci.Viewer, q NodeQuery) ([]*loci.MemoryNode, Position, error)
	// Update stores all fields of a node except id, org, user, origin and creation time. It fails with NotFound.
	Update(ctx context.Context, n *loci.MemoryNode) error
	// Erase permanently deletes a node with its items. It fails with NotFound.
	Erase(ctx context.Context, id loci.NodeID) error
	// Purge permanently deletes at most limit nodes that were trashed before then, and returns their number.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)
	// Items returns the visible items of a live node in order, each followed by the items below it.
	// The caller must check that entities exist, because they are in other files.
	Items(ctx context.Context, v loci.Viewer, id loci.NodeID) ([]loci.NodeItem, error)
	// OwnItems returns the items of v's user in one of their nodes, for export. The node and its
	// memories may be in any state, and for any agent. A memory must belong to the user and to the
	// active workspace. If an item is left out, the items below it move up to the item above. OwnItems
	// fails with NotFound if the node is not visible or belongs to another user.
	OwnItems(ctx context.Context, v loci.Viewer, id loci.NodeID) ([]loci.NodeItem, error)
	// InsertItem stores an item after all others below i.ParentID, for import. The node and its memory
	// may be in any state. It fails with NotFound if one of them doesn't exist, with Conflict if the
	// id is taken, and with Full beyond the limit for all writers of a node together.
	InsertItem(ctx context.Context, i loci.NodeItem) error
	// PutItem stores a new item below i.ParentID, directly before the visible item before (zero: last). It fails with
	// NotFound for a node, parent, before or memory that v doesn't see, and with Invalid if before is not below the same
	// parent. It fails with Conflict if v would see more than loci.MaxNodeItems or loci.MaxNodeDepth, or if the id is
	// taken. It fails with Full if items that v doesn't see leave no room.
	PutItem(ctx context.Context, v loci.Viewer, i loci.NodeItem, before loci.NodeItemID) error
	// MoveItem moves an item within its node, with everything below it, visible or not. It fails with
	// Invalid if the target is the item itself or below it. Otherwise it works like PutItem.
	MoveItem(ctx context.Context, v loci.Viewer, id, parent, before loci.NodeItemID) error
	// EditItem stores what fn makes of the text and SecretsKept of an item that v's user added to a visible node in any
	// state, if fn returns true. It fails with NotFound.
	EditItem(ctx context.Context, v loci.Viewer, id loci.NodeItemID, fn func(*loci.NodeItem) bool) error
	// RemoveItem deletes an item with everything below it, visible or not. It fails with NotFound if v
	// doesn't see the item.
	RemoveItem(ctx context.Context, v loci.Viewer, id loci.NodeItemID) error
}

// NodeQuery asks for one page of nodes. Zero fields match everything.
type NodeQuery struct {
	Scope     loci.Scope
	ProjectID loci.ProjectID
	Tag       string
	Lifecycle loci.Lifecycle
	Limit     int // at least 1
	After     Position
}

// Idempotency stores requests, so that a repeated request is carried out once. Two callers may carry out the same
// request only if the first didn't finish in time. Then Finish fails for all but one of them. So a caller that calls
// Finish in the transaction that stores the result stores it exactly once.
type Idempotency interface {
	// Begin stores a request under its key. began reports whether it is new, and must be carried out. Otherwise Begin
	// returns the known request; its Status is 0 if another caller is carrying it out. If a request began before stale
	// and isn't finished, it begins again. Begin fails with Conflict if the same key came with another body.
	Begin(ctx context.Context, r IdempotentRequest, stale time.Time) (known IdempotentRequest, began bool, err error)
	// Finish stores r.Status, above 0, and r.Answer. r.Key and r.At must be those of Begin. It fails
	// with Conflict if the request was already finished, began again or was forgotten.
	Finish(ctx context.Context, r IdempotentRequest) error
	// Forget removes a failed request. It may be repeated. It does nothing where Finish would fail with Conflict.
	Forget(ctx context.Context, r IdempotentRequest) error
	// Purge deletes at most limit requests from before then and returns their number.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)
}

// IdempotentRequest is a request with an idempotency key.
type IdempotentRequest struct {
	Key    [32]byte // a hash of the principal, the route and the client's key
	Body   [32]byte // a hash
	At     time.Time
	Status int // 0: not finished
	// Answer is what a repetition receives. It is an id, never text, so that it keeps nothing that was erased.
	Answer []byte
}

// Tasks stores the tasks of projects.
type Tasks interface {
	// Insert stores a task. It fails with Conflict if the id is taken, and with NotFound if the user
	// doesn't exist. It doesn't look for the project.
	Insert(ctx context.Context, t loci.Task) error
	// Get returns a visible task, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.TaskID) (loci.Task, error)
	// List returns visible tasks, last stored first, and the position after them, which is "" at the
	// end. It fails with Invalid if q.After is not a Position of such a list.
	List(ctx context.Context, v loci.Viewer, q TaskQuery) ([]loci.Task, Position, error)
	// Count returns how many visible tasks pass the query. It counts up to q.Limit.
	Count(ctx context.Context, v loci.Viewer, q TaskQuery) (int, error)
	// Update stores the workspace, vendors, title, notes, state, times and version of a task. It fails
	// with Conflict unless the stored task is at t.Version-1, and with NotFound if the task doesn't exist.
	Update(ctx context.Context, t loci.Task) error
	// Delete permanently deletes a task, or fails with NotFound.
	Delete(ctx context.Context, id loci.TaskID) error
}

// TaskQuery asks for tasks. Zero fields don't filter.
type TaskQuery struct {
	ProjectID   loci.ProjectID
	State       loci.TaskState
	Open        bool        // not done
	Title       string      // exactly this one
	First, Last loci.TaskID // ids from First to Last, both included, if Last is set
	Limit       int         // at least 1
	After       Position    // Count ignores it
}
