package store

import (
	"context"

	"github.com/loci-memory/loci"
)

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
