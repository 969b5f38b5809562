package sqlstore

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Index is what an engine derives from memories in order to find them, in one transaction. It
// only proposes rows. The shared statements apply the visibility rule again to each of them.
type Index interface {
	// Change updates what is derived from row seq. old is nil for a new row, now is nil for an
	// erased one.
	Change(seq int64, old, now *loci.Memory) error
	// Adopt moves all rows without a workspace into w.
	Adopt(w loci.WorkspaceID) error
	// Near returns a viewer that sees the same rows in this transaction and is cheaper to query
	// for.
	Near(v loci.Viewer, f *store.Filter) (loci.Viewer, error)
	// Walk begins a list.
	Walk(l Listing) (Walk, error)
	// Within runs fn and stops its statements when ctx ends. The transaction remains usable.
	Within(ctx context.Context, fn func() error) error
	// Rebuild drops the derived data and derives it again. Check compares it with the rows.
	Rebuild(ctx context.Context) error
	Check(ctx context.Context) ([]string, error)
}

// Listing is the content and order of a list.
type Listing struct {
	Viewer loci.Viewer
	Filter *store.Filter
	Oldest bool // oldest first
	Now    time.Time
}

// Walk goes through the places of one list in order. It may return places of rows that the viewer
// cannot see.
type Walk interface {
	// Next returns at most n places after the given one. An empty result means that the walk has
	// ended.
	Next(after Place, n int) ([]Place, error)
	// Total counts the rows of the whole list, up to limit.
	Total(limit int) (int, error)
}

// Place is a place in a list: the time and number of the last row shown.
type Place struct{ At, Seq int64 }
