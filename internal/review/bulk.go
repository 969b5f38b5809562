package review

import (
	"cmp"
	"context"
	"time"

	"github.com/loci-memory/loci"
)

// MaxBulk is how many candidates one call of Bulk decides about.
const MaxBulk = 100

// BulkRequest is one decision about several candidates.
type BulkRequest struct {
	Action string // accept, reject, archive, defer or undo
	IDs    []loci.CandidateID
	Reason string
	Until  time.Time // for defer
	// Supersedes are the memories that the accepted candidate replaces. They need a single id.
	Supersedes []loci.MemoryID
}

// BulkResult is what became of one of them.
type BulkResult struct {
	ID        loci.CandidateID
	Candidate *loci.Candidate // nil: Err says why
	Err       error
}

// Bulk decides about each candidate by itself, in the order of the ids, so one that fails stops no other. Invalid for
// an unknown action, no ids, too many or the same twice.
func (s *Service) Bulk(ctx context.Context, p loci.Principal, r BulkRequest) ([]BulkResult, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	decide := map[string]func(loci.CandidateID, Decision) (*loci.Candidate, error){
		"accept":  func(id loci.CandidateID, d Decision) (*loci.Candidate, error) { return s.Accept(ctx, p, id, d) },
		"reject":  func(id loci.CandidateID, d Decision) (*loci.Candidate, error) { return s.Reject(ctx, p, id, d) },
		"archive": func(id loci.CandidateID, d Decision) (*loci.Candidate, error) { return s.Archive(ctx, p, id, d) },
		"undo":    func(id loci.CandidateID, d Decision) (*loci.Candidate, error) { return s.Undo(ctx, p, id, d) },
		"defer": func(id loci.CandidateID, d Decision) (*loci.Candidate, error) {
			return s.Defer(ctx, p, id, r.Until, d)
		},
	}[r.Action]
	if decide == nil {
		return nil, loci.FieldErrorf("action", "must be accept, reject, archive, defer or undo")
	}
	act := Decide
	if r.Action == "accept" {
		act = Accept
	}
	if err := s.Also(ctx, p, act); err != nil {
		return nil, err
	}
	if len(r.IDs) == 0 || len(r.IDs) > MaxBulk || len(loci.Unique(r.IDs)) < len(r.IDs) {
		return nil, loci.FieldErrorf("ids", "must be 1 to %d candidates, each once", MaxBulk)
	}
	if len(r.Supersedes) > 0 && (r.Action != "accept" || len(r.IDs) > 1) {
		return nil, loci.FieldErrorf("supersedes", "is only for accept with one candidate; leave it out, or accept that "+
			"candidate alone")
	}
	out := make([]BulkResult, len(r.IDs))
	for i, id := range r.IDs {
		c, err := decide(id, Decision{Reason: r.Reason, Supersedes: r.Supersedes})
		out[i] = BulkResult{ID: id, Candidate: c, Err: err}
		if err != nil && loci.CodeOf(err) == "" && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "a decision of a bulk call failed", "index", i, "error", err)
		}
		if ctx.Err() != nil {
			return out[:i+1], ctx.Err()
		}
	}
	return out, nil
}

// Outcomes returns what the results of Bulk say, without the candidates and without internal errors.
func Outcomes(results []BulkResult) []loci.Reviewed {
	out := make([]loci.Reviewed, len(results))
	for i, r := range results {
		out[i] = loci.Reviewed{Index: i, ID: r.ID}
		if c := r.Candidate; c != nil {
			out[i].State, out[i].Version, out[i].MemoryID = c.State, c.Version, c.MemoryID
			out[i].Replaced, out[i].Suggested = c.Replaced, c.Suggested
		}
		if r.Err != nil {
			out[i].Error = &loci.ItemError{Index: i, Code: cmp.Or(loci.CodeOf(r.Err), "internal"), Text: loci.SafeText(r.Err)}
		}
	}
	return out
}
