package store

import (
	"context"
	"math"
	"time"

	"github.com/loci-memory/loci"
)

// Rows reads memories for data that is derived from all of them, such as the full-text index. It
// applies no visibility rule, so nothing that it returns may be shown to anybody.
type Rows interface {
	// End returns the position after all changes so far.
	End(ctx context.Context) (Position, error)
	// Changed returns which memories changed after a position from End or Changed. It fails with
	// Conflict if the reader must read all memories again, for the reasons of Feed.After, except that
	// a position which the transaction doesn't know yet is Ahead.
	Changed(ctx context.Context, after Position) (RowChanges, error)
	// Read returns the memories among ids that exist, in any state and in no particular order.
	Read(ctx context.Context, ids []loci.MemoryID) ([]*loci.Memory, error)
	// Before returns the memories, in any state, that were stored before the one with that number (0: all), the last
	// stored first, at most limit. next is the number for the next call, and 0 after the first memory.
	Before(ctx context.Context, number int64, limit int) (memories []*loci.Memory, next int64, err error)
}

// Erased is the version of a memory that does not exist any more.
const Erased = math.MaxInt

// RowChanges is a part of what changed.
type RowChanges struct {
	IDs      []loci.MemoryID // each once; a memory may have been erased since
	Versions []int           // of IDs: the last one of these changes, or Erased
	Next     Position
	More     bool // there is more to read after Next
	// Ahead is set if the last change that the transaction sees comes before the position. Either the position is from a
	// later transaction, or the rows are from a backup. Then nothing else is set but Next, which is the same position.
	Ahead bool
}

// MaxSent is how many things Loci keeps of what a subject has received in a session.
const MaxSent = 1000

// Packs stores what sessions have received in context packs: ids and versions, never texts. What it has goes with the
// session.
type Packs interface {
	// Sent returns what a subject has received in a session, by Place.
	Sent(ctx context.Context, session loci.SessionID, subject string) ([]Sent, error)
	// Revision returns the last revision of Add; 0: they have received nothing.
	Revision(ctx context.Context, session loci.SessionID, subject string) (int, error)
	// Add adds to it, and stores the revision. A thing that is there gets the new version. Of more than MaxSent things,
	// it forgets the oldest that have no Place. It fails with NotFound if the session doesn't exist.
	Add(ctx context.Context, session loci.SessionID, subject string, revision int, list []Sent, now time.Time) error
	// Forget forgets what has a Place, or everything.
	Forget(ctx context.Context, session loci.SessionID, subject string, all bool) error
	// TakeBack forgets some things, which a subject has not received after all.
	TakeBack(ctx context.Context, session loci.SessionID, subject string, ids [][16]byte) error
	// Leave forgets what a person has received in all sessions by a key or a grant; zero: by all of them.
	Leave(ctx context.Context, user loci.UserID, holder [16]byte) error
	// Purge forgets what callers received who have received nothing since a time, of at most limit callers, and returns
	// how many things. A caller's things go together, because a part of a prefix is another prefix.
	Purge(ctx context.Context, before time.Time, limit int) (int, error)
}

// Sent is something that a session has received.
type Sent struct {
	ID      [16]byte // of a memory, an event or an entity; zero: the session has begun
	Version int      // of what the line says; of the zero ID, the revision
	Place   int      // in the prefix, from 1; 0: after the prefix; -1: the session has begun
	Cut     int      // how many quarters of a token a line of the prefix had room for, if it was cut
}

// ForgetPacks forgets what a person has received in context packs by a key or a grant, which is revoked; zero: by all
// of them. Credentials are in another file, so it cannot be one transaction with them. What an interrupted call
// leaves goes with the next purge.
func ForgetPacks(ctx context.Context, st Store, org loci.OrgID, user loci.UserID, holder [16]byte) error {
	return st.Update(ctx, org, func(tx Tx) error { return tx.Packs().Leave(ctx, user, holder) })
}

// Dreams stores the receipts of the dream-cycle, and how far it has come. It applies no visibility rule: receipts have
// no text of anybody.
type Dreams interface {
	// Progress returns how far the dream-cycle has come; zero: it has never run.
	Progress(ctx context.Context) (DreamProgress, error)
	// SetProgress stores it.
	SetProgress(ctx context.Context, p DreamProgress) error
	// Put stores a receipt. It replaces the one with the same id.
	Put(ctx context.Context, d *loci.Dream) error
	// Get returns a receipt, or NotFound.
	Get(ctx context.Context, id loci.DreamID) (*loci.Dream, error)
	// List returns receipts, last begun first, at most limit, and the position after them, which is "" at the end. It
	// fails with Invalid if after is not a Position of such a list.
	List(ctx context.Context, limit int, after Position) ([]*loci.Dream, Position, error)
}

// DreamProgress is how far the dream-cycle of an org has come.
type DreamProgress struct {
	// Holder names the run that may write until Until, and Run its receipt. "": none.
	Holder string       `json:"holder,omitempty"`
	Until  time.Time    `json:"until,omitzero"`
	Run    loci.DreamID `json:"run,omitzero"`
	// Events is the place in the log of events after which events are new; "": the dream-cycle has read none.
	Events string `json:"events,omitempty"`
	// Behind is set while it has not read all events from before Events. Older is where it goes on among them.
	Behind bool   `json:"behind,omitempty"`
	Older  string `json:"older,omitempty"`
	Notes  int64  `json:"notes,omitempty"` // the number of the last notes that it has looked at
}

// Golden stores the golden questions of people, and their runs. Visible is what loci.Viewer.SeesGolden allows.
type Golden interface {
	// Insert stores a question. It fails with Conflict if the id is taken, and with NotFound if the user doesn't exist.
	Insert(ctx context.Context, q loci.GoldenQuestion) error
	// Get returns a visible question, or NotFound. The expected memories have no titles.
	Get(ctx context.Context, v loci.Viewer, id loci.GoldenID) (loci.GoldenQuestion, error)
	// List returns the visible questions, first stored first, at most limit. They have no titles, either.
	List(ctx context.Context, v loci.Viewer, limit int) ([]loci.GoldenQuestion, error)
	// Update stores the question, the expected memories and the time of the change, or fails with NotFound.
	Update(ctx context.Context, q loci.GoldenQuestion) error
	// Delete permanently deletes a question, or fails with NotFound.
	Delete(ctx context.Context, id loci.GoldenID) error
	// InsertRun stores a run and forgets all but the newest loci.MaxGoldenRuns of its person. Its errors are those of
	// Insert.
	InsertRun(ctx context.Context, r *loci.GoldenRun) error
	// Run returns a visible run, or NotFound.
	Run(ctx context.Context, v loci.Viewer, id loci.GoldenRunID) (*loci.GoldenRun, error)
	// Runs returns visible runs, last stored first, at most limit, and the position after them, which is "" at the end.
	// It fails with Invalid if after is not a Position of such a list.
	Runs(ctx context.Context, v loci.Viewer, limit int, after Position) ([]*loci.GoldenRun, Position, error)
}
