package sqlstore

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Index is what an engine derives from memories in order to find them, in one transaction. It only proposes rows: the
// shared statements apply the visibility rule to each of them again.
type Index interface {
	// Change replaces what is derived from row seq. old is nil for a new row, now is nil for an erased one.
	Change(seq int64, old, now *loci.Memory) error
	// Adopt puts all rows that are in no workspace into w.
	Adopt(w loci.WorkspaceID) error
	// Near returns a viewer that sees the same in this transaction and is cheaper to ask for.
	Near(v loci.Viewer, f *store.Filter) (loci.Viewer, error)
	// Walk begins a list.
	Walk(l Listing) (Walk, error)
	// Match returns the newest visible rows in which the terms occur, one more than q.Limit if there are so many. At
	// another time it returns those that have not changed since. If it fails, the hits so far are good.
	Match(ctx context.Context, v loci.Viewer, q *store.MatchQuery) ([]Hit, error)
	// Within runs fn and stops its statements when ctx ends. The transaction stays usable.
	Within(ctx context.Context, fn func() error) error
	// Rebuild drops what is derived, and derives it again. Check compares it with the rows.
	Rebuild(ctx context.Context) error
	Check(ctx context.Context) ([]string, error)
}

// Listing is what a list shows, and in which order.
type Listing struct {
	Viewer loci.Viewer
	Filter *store.Filter
	Oldest bool // first
	Now    time.Time
}

// Walk goes through the places of one list in order. It may return places of rows that the viewer does not see.
type Walk interface {
	// Next returns at most n places that come after a place. None means that the walk has ended.
	Next(after Place, n int) ([]Place, error)
	// Total counts the rows of the whole list, up to limit.
	Total(limit int) (int, error)
}

// Place is where a list stands: the time and number of the last row shown.
type Place struct{ At, Seq int64 }

// Hit is a match with the number of its row.
type Hit struct {
	loci.Match
	Seq int64
}
