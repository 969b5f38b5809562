package event

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// Draft is loci.NewEvent.
type Draft = loci.NewEvent

// Outcome is what became of an event.
type Outcome = eventlog.Outcome

// DuplicateError is the Conflict of an event that is there already.
type DuplicateError struct {
	Of loci.EventID // the earlier event
	error
}

// Unwrap returns the Conflict.
func (e *DuplicateError) Unwrap() error { return e.error }

// Record logs one event and returns its id. Conflict, as a DuplicateError, if it is a duplicate; otherwise its errors
// are those of Append.
func (s *Service) Record(ctx context.Context, p loci.Principal, d Draft) (loci.EventID, error) {
	if err := s.Begin(ctx, p, Log); err != nil {
		return loci.EventID{}, err
	}
	outcomes, err := s.append(ctx, p, []Draft{d})
	if failed := (*draftError)(nil); errors.As(err, &failed) {
		err = failed.error
	}
	if err != nil {
		return loci.EventID{}, err
	}
	if id := outcomes[0].ID; outcomes[0].Duplicate {
		return id, &DuplicateError{id, loci.Errorf(loci.Conflict, "this is a duplicate of event %s, which Loci has; "+
			"to store it nevertheless, send a dedup_key of its own", id)}
	}
	return outcomes[0].ID, nil
}

// Append logs events, all or none of them, and returns what became of each, in their order. A duplicate is not stored.
// Invalid names the first event that breaks a limit, or whose session, agent, project or parent the caller does not
// see; Conflict if its session is closed or its project archived.
func (s *Service) Append(ctx context.Context, p loci.Principal, drafts []Draft) ([]Outcome, error) {
	if err := s.Begin(ctx, p, Log); err != nil {
		return nil, err
	}
	if n := len(drafts); n == 0 || n > loci.MaxEvents {
		return nil, loci.FieldErrorf("events", "must be a list of 1 to %d events", loci.MaxEvents)
	}
	outcomes, err := s.append(ctx, p, drafts)
	if failed := (*draftError)(nil); errors.As(err, &failed) {
		err = failed.at(fmt.Sprintf("events[%d]", failed.index))
	}
	return outcomes, err
}

func (s *Service) append(ctx context.Context, p loci.Principal, drafts []Draft) ([]Outcome, error) {
	log, err := s.of(ctx, p.OrgID)
	if err != nil {
		return nil, err
	}
	w := &writing{s: s, p: p, now: s.Time()}
	events, err := w.prepare(ctx, log, drafts)
	if err != nil {
		return nil, err
	}
	for _, session := range w.sessions {
		if !slices.Contains(session.AllowedVendors, loci.AnyVendor) { // the log limits the vendors of its events
			if err := s.tell(ctx, log, session); err != nil {
				return nil, err
			}
		}
	}
	outcomes, err := log.Append(ctx, p.Viewer(), events, s.o.Dedup(ctx))
	if err != nil {
		return nil, err
	}
	s.due.add(p.OrgID)
	s.index.Touch(p.OrgID)
	err = s.Notice(context.WithoutCancel(ctx), p.OrgID, events, outcomes)
	s.warn(ctx, "cannot put the secret of an event into the inbox", p.OrgID, err)
	s.touch(ctx, w)
	s.announce(ctx, w)
	return outcomes, nil
}

// draftError is an error about one of several events.
type draftError struct {
	index int
	error
}

func (e *draftError) Unwrap() error { return e.error }

// at returns the error with the name of its event.
func (e *draftError) at(name string) error {
	field := loci.FieldOf(e.error)
	switch code := loci.CodeOf(e.error); {
	case code == "":
		return e.error
	case code != loci.Invalid || field == "":
		return loci.WrapError(code, e.error, "%s: %s", name, loci.SafeText(e.error))
	}
	return loci.AtField(e.error, name+"."+field)
}
