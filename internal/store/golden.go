package store

import (
	"context"

	"github.com/loci-memory/loci"
)

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
