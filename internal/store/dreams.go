package store

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
)

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
