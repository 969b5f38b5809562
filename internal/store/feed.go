package store

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
)

// Feed is the sequence of changes, as loci.Viewer.Notices reports them. Engines record every change
// of a row in the org's file in the transaction that makes it. Adding an old version isn't a change,
// and neither is the time at which something was last used. Expiry isn't one either, so a reader must
// check expires_at, and when a candidate that was put off comes back.
//
// Keys, grants, sign-ins, projects, graphs, events and the org's own row may be elsewhere than the feed. Then an
// engine records their changes shortly after they happened: one event for all changes of a row in that
// time. If the process is killed in between, or if the change may not have happened, such an event is
// missing or superfluous, so it is a hint to read the row again. It is for nobody who may not see the row.
// An event about a graph or about the events of a session is for people only: each sees every row of the graphs of
// their projects and every event of the sessions that they see, which an assistant may not.
//
// A position belongs to one viewer, whichever kinds they ask for. It is valid while everything that
// decides what the viewer may see stays the same. Then the viewer knows what they can see from where they
// began and what the feed reported since. A position doesn't reveal how much comes before it. Two positions
// of the same place differ, so that nobody can tell from them whether others changed something.
type Feed interface {
	// Now returns the position after all changes so far. If a reader calls Now in the transaction in
	// which it lists the rows, it can continue from there.
	Now(ctx context.Context, v loci.Viewer) (Position, error)
	// After returns events after a position from Now or After. It fails with Conflict if the reader must start again:
	// the events after the position were purged, all memories moved to a workspace, v is not the viewer of the position,
	// or the rows come from a backup older than the position. It fails with Invalid if q.After is not a position.
	After(ctx context.Context, v loci.Viewer, q FeedQuery) (FeedPage, error)
	// Attached records that origin added something to m or deleted it there: a source or an attachment. It is an
	// update of the memory without a new version, for those who see the memory and, if they are of a vendor, whose
	// vendor is among readers.
	Attached(ctx context.Context, m *loci.Memory, origin string, readers []loci.Vendor) error
	// Purge deletes at most limit events from before then and returns their number. It never deletes
	// an event after one that stays.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)
}

// FeedQuery asks for one page of the feed.
type FeedQuery struct {
	After Position
	Limit int             // at least 1
	Kinds []loci.FeedKind // events of other kinds are left out
	// All are the kinds of which the viewer may list every row of the org, such as its members for an
	// admin. The caller decides that, because it depends on roles.
	All []loci.FeedKind
}

// FeedWindow is the number of events that one call of After examines. It limits the cost of events
// that the viewer may not see.
const FeedWindow = 1000

// FeedPage is a part of the feed.
type FeedPage struct {
	Events []FeedRow
	Next   Position // after every examined event, even if none was for the viewer
	// More is set if there are more events to examine, so the caller should ask again at once. It counts events that the
	// viewer may not see. So a client must not learn of it, nor of the number of events on a page with More set.
	More bool
}

// FeedHint is a change of a row that is elsewhere than the feed of its org.
type FeedHint struct {
	Org    loci.OrgID
	Kind   loci.FeedKind
	ID     [16]byte
	Change loci.Change
	Access []loci.Access // of who sees it, besides those who may list all of the kind
	At     time.Time     // of the change; zero: now
}

// FeedRow is an event with the position after it.
type FeedRow struct {
	loci.FeedEvent
	Position Position
}
