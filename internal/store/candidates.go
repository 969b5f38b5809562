package store

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
)

// Candidates stores proposed memories with what they were before.
type Candidates interface {
	// Insert stores a candidate. It fails with Conflict if the id is taken, and with NotFound if the user doesn't exist.
	Insert(ctx context.Context, c *loci.Candidate) error
	// InsertNew works like Insert, but does nothing if the id is taken. added reports whether it stored c.
	InsertNew(ctx context.Context, c *loci.Candidate) (added bool, err error)
	// Get returns a visible candidate, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.CandidateID) (*loci.Candidate, error)
	// List returns visible candidates, last stored first, and the position after them, which is "" at
	// the end. It fails with Invalid if q.After is not a Position of such a list.
	List(ctx context.Context, v loci.Viewer, q CandidateQuery) ([]*loci.Candidate, Position, error)
	// Count returns how many visible candidates there are in each state.
	Count(ctx context.Context, v loci.Viewer, q CandidateQuery) (map[loci.ReviewState]int, error)
	// Replace stores a new version of a candidate and keeps the old one. It fails with Conflict if the stored one is not
	// at c.Version-1, and with NotFound if it doesn't exist. Its org, user, origin, project and creation stay.
	Replace(ctx context.Context, c *loci.Candidate) error
	// Versions returns what a visible candidate was before, newest first, with the readers that it had then. Whoever sees
	// the candidate sees all of them. It fails with NotFound if the candidate is not visible.
	Versions(ctx context.Context, v loci.Viewer, id loci.CandidateID) ([]*loci.Candidate, error)
	// VersionOf returns the version of a candidate, whoever may see it, or NotFound. It is for the server itself.
	VersionOf(ctx context.Context, id loci.CandidateID) (int, error)
	// Due returns candidates that the dream-cycle should look at by then, at most limit: waiting ones, deferred ones whose
	// time has come, and promoted ones that are not in the graph yet. They come in turn, one of each person, and of each
	// person the longest waiting first. It applies no visibility rule: it is for the server itself.
	Due(ctx context.Context, then time.Time, limit int) ([]*loci.Candidate, error)
	// Graphed records whether the entity of a promoted candidate is in the graph, which it is if it was made, and when the
	// dream-cycle tries again: GraphPending, EntityID, Attempts and NextAttempt of c. It is no new version. It fails with
	// Conflict if c was not promoted to that memory or is so no more, and with NotFound if it does not exist.
	Graphed(ctx context.Context, c *loci.Candidate) error
	// Release gives the candidates and notes that a person shared with a team the reach private.
	Release(ctx context.Context, user loci.UserID, team loci.TeamID) error
}

// CandidateQuery asks for candidates. Zero fields do not filter.
type CandidateQuery struct {
	State       loci.ReviewState
	Kind        loci.CandidateKind
	ProjectID   loci.ProjectID
	SourceID    loci.ReflectionID
	MemoryID    loci.MemoryID
	First, Last loci.CandidateID // ids from First to Last, both included, if Last is set
	Now         time.Time        // deferred candidates whose time has come by then are pending; zero: they are deferred
	Limit       int              // at least 1; Count ignores it
	After       Position         // Count ignores it
}

// Reflections stores the raw notes from which candidates come.
type Reflections interface {
	// Insert stores notes. If the id is taken, they are there: the same writer's same notes are the same. Then their
	// readers are those who may read both. It fails with NotFound if the user doesn't exist.
	Insert(ctx context.Context, r *loci.Reflection) error
	// Get returns visible notes, or NotFound.
	Get(ctx context.Context, v loci.Viewer, id loci.ReflectionID) (*loci.Reflection, error)
	// Unread returns notes from which no candidate comes, in the order in which they were stored, at most
	// limit of those after a number, and the number of the last notes that it looked at. It applies no
	// visibility rule: it is for the server itself.
	Unread(ctx context.Context, after int64, limit int) (list []*loci.Reflection, last int64, err error)
}
