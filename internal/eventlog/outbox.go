package eventlog

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
)

// Local is a log of Loci's own from which events move to another system, such as Arc. Its methods as
// an Engine return what it has itself, which includes everything in the queue and all dead letters.
type Local interface {
	Engine
	Outbox
	DeadLetters
	Accesses
	Cursors
}

// Outbox is the queue of events that another system is to get. An event enters it in the transaction
// that stores the event, and stays in the log until Forget.
//
// Each event in the queue has a number. Numbers increase in the order in which events enter, and no
// number is used twice, even if an old copy of the log is restored: a number is the time in
// microseconds, or one more than the last number if that is larger.
//
// Purge removes an event of the queue at once for all readers, but leaves an entry with Erased set,
// because the event may be on its way.
type Outbox interface {
	// Queue works like Append, and puts the events that it stores at the end of the queue.
	Queue(ctx context.Context, v loci.Viewer, events []*loci.Event, d Dedup) ([]Outcome, error)
	// Queued returns the entries with numbers above after, by number, at most limit.
	Queued(ctx context.Context, org loci.OrgID, after int64, limit int) ([]Queued, error)
	// Erased returns the entries with Erased set, by number, at most limit.
	Erased(ctx context.Context, org loci.OrgID, limit int) ([]Queued, error)
	// State returns where the queue begins and ends.
	State(ctx context.Context, org loci.OrgID) (QueueState, error)
	// Offer records, before they are sent, that the entries up to a number may have been sent. 0: none were.
	Offer(ctx context.Context, org loci.OrgID, upTo int64) error
	// Selected returns the events of the log that pass a selection, the oldest first, at most limit.
	Selected(ctx context.Context, org loci.OrgID, s Selection, limit int) ([]loci.EventID, error)
	// Forget removes the entries up to a number with their events, because the other system has them.
	// Followers don't see that as a deletion. The log keeps what it needs of the events for
	// deduplication, for Accesses and for SetSession.
	Forget(ctx context.Context, org loci.OrgID, upTo int64) error
	// Gone says that events which the log has forgotten were deleted: it tells its followers, and keeps nothing of them.
	Gone(ctx context.Context, org loci.OrgID, ids []loci.EventID) error
	// Claim makes one sender the only one until a time. It returns false while another has the claim.
	// The same sender may extend its claim.
	Claim(ctx context.Context, org loci.OrgID, sender string, until time.Time) (bool, error)
}

// Cursors makes positions for callers out of places in lists that other logs know. Nobody can read the
// place of a position.
type Cursors interface {
	// Hide returns a position in a list of an org. If the org has no log yet, that is the beginning of the
	// list, whatever the place.
	Hide(ctx context.Context, org loci.OrgID, l List, place []byte) (Position, error)
	// Reveal returns the place that Hide got, or nil for the beginning of the list. It fails with Conflict if
	// the log was deleted since, and with Invalid for anything but a position of the list.
	Reveal(ctx context.Context, org loci.OrgID, l List, p Position) ([]byte, error)
}

// List names a list for Cursors. It is an ASCII character.
type List byte

// Queued is an entry of the queue.
type Queued struct {
	Number int64
	// Event has the access that it was stored with, which may not be the present one; see Accesses.
	// The caller must not change it.
	Event *loci.Event
	// Erased is set if the event was purged. Then Event has only its id and its time.
	Erased bool
}

// QueueState says where a queue begins and ends.
type QueueState struct {
	First   int64 // the first number in the queue; 0: it is empty
	Last    int64 // the last number that was given, also if it is not in the queue any more
	Offered int64 // as Offer recorded it
	// Forgotten is the last number that Forget removed; 0: none.
	Forgotten int64
}

// DeadLetters are the events that the other system refused. They stay readable in the log, and are not in the queue.
type DeadLetters interface {
	// Bury moves the entry with a number from the queue to the dead letters, unless it is Erased.
	Bury(ctx context.Context, org loci.OrgID, number int64, reason string) error
	// Dead returns dead letters with numbers above after, by number, at most limit.
	Dead(ctx context.Context, org loci.OrgID, after int64, limit int) ([]DeadLetter, error)
	// Replay puts dead letters at the end of the queue, with new numbers, and returns how many. nil
	// means all of them. It ignores ids without a dead letter.
	Replay(ctx context.Context, org loci.OrgID, ids []loci.EventID) (int, error)
}

// DeadLetter is an event that the other system refused.
type DeadLetter struct {
	Number   int64       `json:"number"`
	Event    *loci.Event `json:"event"`
	Reason   string      `json:"reason"`
	BuriedAt time.Time   `json:"buried_at"`
}

// Accesses tells who may see the events of a log, including those that it has forgotten.
type Accesses interface {
	// Accesses returns all accesses, or nil if nothing has changed since the revision known.
	Accesses(ctx context.Context, org loci.OrgID, known int64) (*AccessTable, error)
	// SessionsOf returns the sessions of the visible events that pass the filter, without duplicates.
	SessionsOf(ctx context.Context, v loci.Viewer, f Filter) ([]loci.SessionID, error)
}

// AccessTable has every access that events of a log have or had. Origin is empty in all of them.
type AccessTable struct {
	Revision int64
	Stored   []loci.EventAccess // with which events were stored
	// Moved has the present access of the events whose session changed since they were stored.
	Moved []Move
}

// Move says that the events of a session that were stored with one access have another one now.
type Move struct {
	SessionID loci.SessionID
	From, To  loci.EventAccess
}
