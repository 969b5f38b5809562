package store

import (
	"context"
	"io"
	"time"

	"github.com/loci-memory/loci"
)

// KeyQuery names a memory by its key: it is unique in this context but for
// those that were made with dedupe "create". A zero id is none, not any.
type KeyQuery struct {
	UserID      loci.UserID
	Origin      string // "": any
	Scope       loci.Scope
	ProjectID   loci.ProjectID
	AgentID     loci.AgentID
	WorkspaceID loci.WorkspaceID
	Key         string
}

// EditQuery asks for what was changed through something. Zero fields do not filter.
type EditQuery struct {
	Editor     string
	Credential loci.CredentialID
	Session    loci.SessionID
	Since      time.Time     // at or after
	Until      time.Time     // before
	After      loci.MemoryID // continue after this one
	Limit      int           // at least 1
}

// Timeless is the part of Memories that this file adds; it reads other states of rows
// than the present one.
type Timeless interface {
	// ByKey returns the live visible memory of that name that was changed last, or NotFound. In an Update nothing
	// comes between it and a write, so two saves of one key never make two.
	ByKey(ctx context.Context, v loci.Viewer, q KeyQuery) (*loci.Memory, error)
	// GetAt returns a memory as SeesAt has it, or NotFound. What was stored at w.KnownAt is the version that was
	// from its UpdatedAt on and before its ReplacedAt; of several, which only an import brings, the last.
	GetAt(ctx context.Context, v loci.Viewer, id loci.MemoryID, w loci.When) (*loci.Memory, error)
	// EditedBy returns the ids of the memories of v.UserID that v sees, in whatever state, of which a
	// version was made as the query says, by id. An old version counts if it was of v.UserID and v sees it, as SeesVersion
	// has it. Invalid without a limit.
	EditedBy(ctx context.Context, v loci.Viewer, q EditQuery) ([]loci.MemoryID, error)
}

// Agents keeps the registered agents of the org.
type Agents interface {
	// Insert stores an agent. Conflict if the person has one of that vendor and name, or its id is taken; NotFound if
	// there is no such user.
	Insert(ctx context.Context, a loci.Agent) error
	// Get returns a visible agent, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.AgentID) (loci.Agent, error)
	// List returns the visible agents behind that one (zero: from the beginning), by name, those of one name by vendor, at
	// most limit. NotFound if v does not see after.
	List(ctx context.Context, v loci.Viewer, after loci.AgentID, limit int) ([]loci.Agent, error)
}

// Sessions keeps the sessions of agents. They have nothing to do with sessions of browsers or of MCP.
type Sessions interface {
	// Insert stores a session. Conflict if its id is taken, NotFound if there is no such user, or no such agent of that
	// person and, unless the session is only the person's, of its vendor.
	Insert(ctx context.Context, s loci.Session) error
	// Get returns a visible session, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.SessionID) (loci.Session, error)
	// List returns visible sessions, the one stored last first, and the position behind them, "" at the end. Invalid if
	// q.After is not a Position of such a list.
	List(ctx context.Context, v loci.Viewer, q SessionQuery) ([]loci.Session, Position, error)
	// Close ends a visible session. NotFound; Conflict if it is closed.
	Close(ctx context.Context, v loci.Viewer, id loci.SessionID, at time.Time) error
}

// SessionQuery asks for one page of sessions. Zero fields do not filter.
type SessionQuery struct {
	State   loci.SessionState
	AgentID loci.AgentID
	Limit   int // at least 1
	After   Position
}

// Suggestions keeps what others propose about memories.
type Suggestions interface {
	// Insert stores a pending suggestion; s.UserID is whoever owns the memory. Conflict if the same one is pending or its
	// id is taken; NotFound if a memory of it is not there; Invalid about a memory and itself.
	Insert(ctx context.Context, s loci.Suggestion) error
	// Get returns a suggestion of which v sees both memories, in whatever state, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.SuggestionID) (loci.Suggestion, error)
	// Pending returns the pending suggestion of that kind about two memories, or NotFound, as Get does.
	Pending(ctx context.Context, v loci.Viewer, kind loci.SuggestionKind, memory, by loci.MemoryID) (loci.Suggestion,
		error)
	// List returns visible suggestions, the one stored last first, and the position behind them, "" at the end; state ""
	// is all. Invalid if after is not a Position of such a list.
	List(ctx context.Context, v loci.Viewer, state loci.SuggestionState, after Position, limit int) ([]loci.Suggestion,
		Position, error)
	// Settle accepts or declines a pending suggestion. NotFound, Conflict if it is not pending, Invalid for another state.
	Settle(ctx context.Context, id loci.SuggestionID, state loci.SuggestionState, at time.Time) error
}

// Assets keeps what is known of attachments; Blobs keeps their bytes.
type Assets interface {
	// Insert stores an attachment, whose bytes Blobs has. NotFound if there is no such memory; Conflict if the bytes are
	// not there, as Put was too long ago, or its id is taken.
	Insert(ctx context.Context, a loci.Asset) error
	// Get returns an attachment of a memory that is visible in that lifecycle, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.AssetID, l loci.Lifecycle) (loci.Asset, error)
	// List returns the attachments of a memory, oldest first. NotFound if the memory is not visible.
	List(ctx context.Context, v loci.Viewer, memory loci.MemoryID, l loci.Lifecycle) ([]loci.Asset, error)
	// Remove deletes an attachment. NotFound.
	Remove(ctx context.Context, id loci.AssetID) error
	// Usage returns how many bytes the attachments of a person have, each counted; the zero user: all of the org.
	Usage(ctx context.Context, user loci.UserID) (int64, error)
}

// Blobs keeps bytes by their SHA-256, once in each org. What no asset names goes
// away at a sweep.
type Blobs interface {
	// Put stores what r gives and returns its hash and size, after it is durable. TooLarge beyond limit in bytes.
	// NotFound if there is no such org. After an error nothing is left that a sweep does not take.
	Put(ctx context.Context, org loci.OrgID, r io.Reader, limit int64) (sum [32]byte, size int64, err error)
	// Open returns the bytes for reading. The caller closes them. NotFound.
	Open(ctx context.Context, org loci.OrgID, sum [32]byte) (io.ReadSeekCloser, error)
	// Sweep removes what no asset of the org names and was last Put before then, and what killed writers have left, and
	// returns how many. A writer that is at work since before then fails with Unavailable. It does nothing while a
	// backup, an export or a check is under way.
	Sweep(ctx context.Context, org loci.OrgID, before time.Time) (int, error)
	// Check reads everything and returns what is missing or has changed, one sentence each.
	Check(ctx context.Context, org loci.OrgID) ([]string, error)
}

// Sources keeps where memories come from.
type Sources interface {
	// Insert stores a source. NotFound if there is no such memory; Conflict for more than loci.MaxSources of one from the
	// same user and origin, or if its id is taken. Full if what others have written, seen or not, leaves no room.
	Insert(ctx context.Context, s loci.Source) error
	// Get returns a visible source of a memory that is visible in that lifecycle, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.SourceID, l loci.Lifecycle) (loci.Source, error)
	// List returns the visible sources of memories that are visible in that lifecycle, oldest first.
	List(ctx context.Context, v loci.Viewer, memories []loci.MemoryID, l loci.Lifecycle) ([]loci.Source, error)
	// Remove deletes a source. NotFound.
	Remove(ctx context.Context, id loci.SourceID) error
}

// MemoryNodes keeps structured recall graphs.
type MemoryNodes interface {
	// Insert stores a node. NotFound if its user does not exist, Conflict if its id is taken.
	Insert(ctx context.Context, n *loci.MemoryNode) error
	// Get returns a visible node, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.NodeID, l loci.Lifecycle) (*loci.MemoryNode, error)
	// List returns visible nodes, last changed first, and the position behind them, "" at the end. What happens to items
	// is no change of the node: others may see less of them. Invalid if q.After is not a Position of such a list.
	List(ctx context.Context, v loci.Viewer, q NodeQuery) ([]*loci.MemoryNode, Position, error)
	// Update stores everything of a node but id, org, user, origin and the time of its creation. NotFound.
	Update(ctx context.Context, n *loci.MemoryNode) error
	// Erase deletes a node with its items for good. NotFound.
	Erase(ctx context.Context, id loci.NodeID) error
	// Purge deletes for good at most limit nodes that were trashed before then, and returns how many.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)
	// Items returns the visible items of a live node, each followed by those below it, in their order. Entities are in
	// other files: whoever asks has to look at them.
	Items(ctx context.Context, v loci.Viewer, id loci.NodeID) ([]loci.NodeItem, error)
	// OwnItems returns the items that v's user has in a node of theirs, for export: whatever state the node and the
	// memories in it are in, and whatever agents they are for. A memory has to be the user's and of the active workspace.
	// What is below an item that is left out is below the one above that. NotFound if the node is not visible or
	// another's.
	OwnItems(ctx context.Context, v loci.Viewer, id loci.NodeID) ([]loci.NodeItem, error)
	// InsertItem stores an item behind all others below i.ParentID, for import: whatever state the node and its memory
	// are in. NotFound if one of them is not there; Conflict if its id is taken. Full beyond what all writers of a node
	// together may have.
	InsertItem(ctx context.Context, i loci.NodeItem) error
	// PutItem stores a new item below i.ParentID, directly before the visible item before (zero: last). NotFound for a
	// node, parent, before or memory that v does not see; Invalid for a before that is elsewhere; Conflict for more than
	// loci.MaxNodeItems or loci.MaxNodeDepth of what v sees, or if its id is taken. Full if what v does not see leaves no
	// room.
	PutItem(ctx context.Context, v loci.Viewer, i loci.NodeItem, before loci.NodeItemID) error
	// MoveItem puts an item with all below it, seen or not, elsewhere in its node. Invalid below or before itself.
	// Otherwise like PutItem.
	MoveItem(ctx context.Context, v loci.Viewer, id, parent, before loci.NodeItemID) error
	// RemoveItem deletes an item with all below it, seen or not. NotFound for one that v does not see.
	RemoveItem(ctx context.Context, v loci.Viewer, id loci.NodeItemID) error
}

// NodeQuery asks for one page of nodes. Zero fields do not filter.
type NodeQuery struct {
	Scope     loci.Scope
	ProjectID loci.ProjectID
	Tag       string
	Lifecycle loci.Lifecycle
	Limit     int // at least 1
	After     Position
}

// Feed is what has changed, in order, as loci.Viewer.Notices has it. Engines enter every change of a memory and of a
// node by themselves, in its transaction; adding an old version is none. What expires changes nothing by itself, so
// a reader looks at expires_at.
//
// A position is one viewer's. It holds as long as that is the same in everything that decides what it may see: then
// what it sees follows from where it began and what it was told since. It says nothing about how much lies before it,
// and two of the same place differ, so that nobody learns from it whether others have changed something.
type Feed interface {
	// Now returns the position behind everything that has happened. Taken in the transaction in which a reader lists what
	// there is, it is where to go on.
	Now(ctx context.Context, v loci.Viewer) (Position, error)
	// After returns at most limit events behind a position of Now or of this method. Conflict if the reader has to begin
	// anew: what was behind the position has been purged, all memories have moved to a workspace, v is another viewer
	// than that of the position, or the rows are of a backup from before it. Invalid for what is no position.
	After(ctx context.Context, v loci.Viewer, after Position, limit int) (FeedPage, error)
	// Purge deletes at most limit events from before then, but none behind one that stays, and returns how many.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)
}

// FeedWindow is how many events a call of After looks at, so that those that the viewer may not see cost no
// more than so much.
const FeedWindow = 1000

// FeedPage is a part of the feed.
type FeedPage struct {
	Events []FeedRow
	Next   Position // behind everything that was looked at, also if there was nothing for the viewer
	// More says that there is more to look at: ask again at once. It counts what the viewer may not see, so
	// a client must not learn of it, nor of how many events a page has where More is set.
	More bool
}

// FeedRow is an event with the position behind it.
type FeedRow struct {
	loci.FeedEvent
	Position Position
}

// Idempotency remembers requests, so that one that is sent twice is carried out once. Two may carry out
// the same one only if the first did not finish in time; then Finish fails for all but one of them. So whoever finishes
// in the transaction that stores what was asked for stores it once, whatever happens.
type Idempotency interface {
	// Begin enters a request under its key. began says that it is new and to be carried out; otherwise it returns what is
	// known, which has Status 0 if another is about to do it. One that began before stale and has not finished is begun
	// anew. Conflict if the same key came with another body.
	Begin(ctx context.Context, r IdempotentRequest, stale time.Time) (known IdempotentRequest, began bool, err error)
	// Finish keeps r.Status, above 0, and r.Answer. r.Key and r.At are those of Begin. Conflict if it was finished
	// already, begun anew, or forgotten.
	Finish(ctx context.Context, r IdempotentRequest) error
	// Forget takes a request back that failed, and may be repeated. It does nothing where Finish would be a Conflict.
	Forget(ctx context.Context, r IdempotentRequest) error
	// Purge deletes at most limit requests from before then and returns how many.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)
}

// IdempotentRequest is a request that was made under a key.
type IdempotentRequest struct {
	Key    [32]byte // a hash of principal, route and what the client sent as key
	Body   [32]byte // a hash
	At     time.Time
	Status int // 0: not finished
	// Answer is what a repetition gets: an id, never text, so that nothing that
	// was erased stays here.
	Answer []byte
}
