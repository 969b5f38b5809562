package store

import (
	"context"
	"math"

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
	// Before returns the memories, in any state, that were stored before the one with that number (0:
	// all), the last stored first, at most limit. next is the number for the next call, and 0 after
	// the first memory.
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
	// Ahead is set if the last change that the transaction sees comes before the position. Either the
	// position is from a later transaction, or the rows are from a backup. Then nothing else is set but
	// Next, which is the same position.
	Ahead bool
}
