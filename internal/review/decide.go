package review

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/reflection"
	"github.com/loci-memory/loci/internal/store"
)

// Decision is what somebody decides about one candidate.
type Decision struct {
	Reason string // why; at most loci.MaxReviewReason characters
	// Supersedes are the memories that the new one replaces, by a person only; none: it replaces nothing.
	Supersedes []loci.MemoryID
	// IfVersion, unless 0, is the version that the caller saw: Precondition if the candidate has changed since.
	IfVersion int
}

// check also takes secrets out of the reason, which others read.
func (d *Decision) check(accepts bool) error {
	if !accepts && len(d.Supersedes) > 0 {
		return loci.FieldErrorf("supersedes", "is only for accept; leave it out")
	}
	d.Reason = withoutSecrets(d.Reason)
	return loci.CheckText("reason", d.Reason, 0, loci.MaxReviewReason)
}

// MaxDefer is how long a candidate can be deferred.
const MaxDefer = 366 * 24 * time.Hour

// DefaultDefer is how long it is deferred if nobody says until when.
const DefaultDefer = 7 * 24 * time.Hour

// Accept promotes a candidate: it becomes a memory of the origin that proposed it. It replaces d.Supersedes and nothing
// else, whatever the checks found; a memory of another person is only suggested to be superseded. Accepting a promoted
// candidate again changes nothing. NotFound if p does not see it; Forbidden if another person owns it or, for an agent,
// if another vendor proposed it, if waits has a reason, or with d.Supersedes; Invalid if d.Supersedes names no live
// memory that p sees; Conflict if it was rejected or archived, if it was promoted without d.Supersedes, or if another
// decision is at work; Precondition for d.IfVersion.
func (s *Service) Accept(ctx context.Context, p loci.Principal, id loci.CandidateID, d Decision) (*loci.Candidate,
	error) {
	if err := s.Begin(ctx, p, Accept, d.check(true)); err != nil {
		return nil, err
	}
	c, err := gate.View(ctx, s.Gate, p, func(tx store.Tx) (*loci.Candidate, error) { return decidable(ctx, tx, p, id, d) })
	switch {
	case err != nil:
		return nil, err
	case c.State == loci.ReviewPromoted && !slices.ContainsFunc(d.Supersedes,
		func(id loci.MemoryID) bool { return !slices.Contains(c.Superseded, id) }):
		return s.shown(ctx, p, c)
	case !open(c):
		return nil, settled(c)
	}
	if err := s.mayAccept(ctx, p, c, d); err != nil {
		return nil, err
	}
	next := *c
	next.Version++
	var saved *loci.Saved
	err = s.memories.Promote(ctx, p, Accept, []memory.Promotion{draftOf(c, d.Supersedes)},
		func(tx store.Tx, e *loci.AuditEntry, all []*loci.Saved) error {
			e.Target, saved = id.String(), all[0]
			s.accept(&next, p, d.Reason, saved)
			return tx.Candidates().Replace(ctx, &next)
		})
	if err != nil {
		return nil, err
	}
	s.intoGraph(ctx, p, &next)
	for _, made := range saved.Suggestions {
		next.Suggested = append(next.Suggested, loci.TitledMemory{ID: made.MemoryID})
	}
	return s.shown(ctx, p, &next)
}

// mayAccept returns why p may not make a memory of c.
func (s *Service) mayAccept(ctx context.Context, p loci.Principal, c *loci.Candidate, d Decision) error {
	if p.Vendor != "" {
		now := *c
		if err := s.recheck(ctx, p, &now); err != nil {
			return err
		}
		err := onlyPerson(&now, d)
		if err != nil {
			s.Refused(ctx, p, Accept)
		}
		return err
	}
	if len(c.AllowedVendors) == 0 {
		return loci.FieldErrorf("allowed_vendors", "is empty, because the session is open to no assistant any more; "+
			"name the vendors that may read the memory, with `loci review edit`")
	}
	return nil
}

// accept records that a candidate became a memory.
func (s *Service) accept(c *loci.Candidate, p loci.Principal, reason string, saved *loci.Saved) {
	c.State, c.MemoryID, c.Existing = loci.ReviewPromoted, saved.Memory.ID, !saved.Created()
	c.Superseded = saved.Superseded
	c.GraphPending = s.wantsGraph(p, c)
	c.Exceptions, c.DeferredTo, c.Attempts, c.NextAttempt = nil, time.Time{}, 0, time.Time{}
	s.reviewed(c, p, "accept", reason)
}

// reviewed records who decided. The version of c must be its next one.
func (s *Service) reviewed(c *loci.Candidate, p loci.Principal, action, reason string) {
	now := gate.Later(s.Time(), c.UpdatedAt)
	c.UpdatedAt = now
	c.Review = &loci.Review{Action: action, UserID: p.UserID, Origin: p.Origin, Reason: reason, At: now,
		Versions: c.Version}
}

// decidable returns a candidate about which p may decide.
func decidable(ctx context.Context, tx store.Tx, p loci.Principal, id loci.CandidateID, d Decision) (*loci.Candidate,
	error) {
	c, err := tx.Candidates().Get(ctx, p.Viewer(), id)
	switch {
	case err != nil:
		return nil, err
	case c.UserID != p.UserID:
		return nil, loci.Errorf(loci.Forbidden, "another person owns this candidate, and only they decide about it")
	case !p.Owns(c.UserID, c.Origin):
		return nil, loci.Errorf(loci.Forbidden, "%q proposed this candidate, not you; the person decides about it, with "+
			"`loci review`", c.Origin)
	case d.IfVersion != 0 && d.IfVersion != c.Version:
		return nil, loci.Errorf(loci.Precondition, "the candidate is at version %d now, not %d; read it again", c.Version,
			d.IfVersion)
	}
	return c, nil
}

func settled(c *loci.Candidate) error {
	return loci.Errorf(loci.Conflict, "the candidate is %s; undo that first", c.State)
}

// decide changes a candidate in one transaction. fn returns an error, or changes it.
func (s *Service) decide(ctx context.Context, p loci.Principal, id loci.CandidateID, d Decision, action string,
	fn func(tx store.Tx, c *loci.Candidate) error) (c *loci.Candidate, err error) {
	if err := d.check(false); err != nil {
		return nil, err
	}
	err = s.Write(ctx, p, Decide, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		c, err = decidable(ctx, tx, p, id, d)
		if err != nil {
			return err
		}
		before := c.State
		if err := fn(tx, c); err != nil {
			return err
		}
		if before == c.State && (action == "reject" || action == "archive") {
			e.Action = "" // it was decided so before
			return nil
		}
		c.Version++
		s.reviewed(c, p, action, d.Reason)
		return tx.Candidates().Replace(ctx, c)
	})
	if err != nil {
		return nil, err
	}
	return s.shown(ctx, p, c)
}

// open reports whether somebody may decide about c: it waits or is deferred.
func open(c *loci.Candidate) bool {
	return c.State == loci.ReviewPending || c.State == loci.ReviewDeferred
}

// Reject refuses a candidate. Its errors are those of Accept.
func (s *Service) Reject(ctx context.Context, p loci.Principal, id loci.CandidateID, d Decision) (*loci.Candidate,
	error) {
	if err := s.Begin(ctx, p, Decide); err != nil {
		return nil, err
	}
	return s.close(ctx, p, id, d, "reject", loci.ReviewRejected)
}

// Archive puts a candidate away that says what is known. Its errors are those of Accept.
func (s *Service) Archive(ctx context.Context, p loci.Principal, id loci.CandidateID, d Decision) (*loci.Candidate,
	error) {
	if err := s.Begin(ctx, p, Decide); err != nil {
		return nil, err
	}
	return s.close(ctx, p, id, d, "archive", loci.ReviewArchived)
}

func (s *Service) close(ctx context.Context, p loci.Principal, id loci.CandidateID, d Decision, action string,
	state loci.ReviewState) (*loci.Candidate, error) {
	return s.decide(ctx, p, id, d, action, func(_ store.Tx, c *loci.Candidate) error {
		if !open(c) && c.State != state {
			return settled(c)
		}
		c.State, c.DeferredTo = state, time.Time{}
		return nil
	})
}

// Defer lets a candidate wait until a time; zero: for DefaultDefer. Then it is pending again. Invalid for a time in the
// past or after MaxDefer; otherwise its errors are those of Accept.
func (s *Service) Defer(ctx context.Context, p loci.Principal, id loci.CandidateID, until time.Time, d Decision) (
	*loci.Candidate, error) {
	if err := s.Begin(ctx, p, Decide); err != nil {
		return nil, err
	}
	now := s.Time()
	if until.IsZero() {
		until = now.Add(DefaultDefer)
	}
	if !until.After(now) || until.After(now.Add(MaxDefer)) {
		return nil, loci.FieldErrorf("until", "must be in the future, at most 366 days from now")
	}
	return s.decide(ctx, p, id, d, "defer", func(_ store.Tx, c *loci.Candidate) error {
		if !open(c) {
			return settled(c)
		}
		c.State, c.DeferredTo = loci.ReviewDeferred, loci.CutTime(until)
		return nil
	})
}

// Edit is a change of a candidate. An agent may only narrow its vendors.
type Edit = loci.CandidateChange

// Change edits a candidate that waits. It keeps the evidence. Invalid if a limit is exceeded; Forbidden if an agent
// would let more vendors read it; otherwise its errors are those of Accept.
func (s *Service) Change(ctx context.Context, p loci.Principal, id loci.CandidateID, ch Edit, d Decision) (
	*loci.Candidate, error) {
	if err := s.Begin(ctx, p, Decide); err != nil {
		return nil, err
	}
	return s.decide(ctx, p, id, d, "edit", func(_ store.Tx, c *loci.Candidate) error {
		if !open(c) {
			return settled(c)
		}
		gate.Set(&c.Kind, ch.Kind)
		if ch.Title == nil && ch.Content != nil && c.Title == reflection.TitleOf(c.Content) {
			c.Title = cmp.Or(reflection.TitleOf(*ch.Content), c.Title)
		}
		gate.Set(&c.Title, ch.Title)
		gate.Set(&c.Content, ch.Content)
		gate.Set(&c.Domain, ch.Domain)
		if ch.Tags != nil {
			c.Tags = slices.Clone(*ch.Tags)
		}
		if ch.AllowedVendors != nil {
			if p.Vendor != "" && !loci.Covers(c.AllowedVendors, *ch.AllowedVendors) {
				return loci.Errorf(loci.Forbidden, "only a person may let more vendors read a candidate")
			}
			c.AllowedVendors = slices.Clone(*ch.AllowedVendors)
			if err := loci.CheckVendors(c.AllowedVendors); err != nil {
				return err
			}
		}
		clean(c)
		return c.Validate()
	})
}

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
