package event

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store"
)

// followBatch is how many changes of sessions are brought to the log at a time.
const followBatch = 100

// Follow brings to the log what became of the sessions of an org. Call it after each change of a session. A failure is
// only logged: every later call of the Service brings the change first, or fails.
func (s *Service) Follow(ctx context.Context, org loci.OrgID) {
	if s.keepsNone() {
		return
	}
	ctx = context.WithoutCancel(ctx) // the session has changed, whether or not somebody waits for the answer
	_, err := s.of(ctx, org)
	if loci.CodeOf(err) == loci.NotFound { // the org is gone
		return
	}
	s.warn(ctx, "cannot tell the log of events what became of a session; the next call tries again", org, err)
}

// follow brings the changes that are left to the log. Several processes may do it at the same time. It looks only if
// somebody has committed to the org since it found that none is left.
func (s *Service) follow(ctx context.Context, org loci.OrgID, log eventlog.Engine) error {
	stamp, ok := s.Store.Stamp(ctx, org)
	if _, done := s.followed.Get(org, stamp); ok && done {
		return nil
	}
	for {
		var list []store.SessionChange
		err := s.Store.View(ctx, org, func(tx store.Tx) (err error) {
			list, err = tx.Sessions().Changes(ctx, followBatch)
			return err
		})
		if err == nil && len(list) == 0 && ok {
			s.followed.Put(org, stamp, struct{}{}, 1)
		}
		if err != nil || len(list) == 0 {
			return err
		}
		for _, c := range list {
			if c.Session == nil { // deleted with its person, of whom Forget has deleted the events
				continue
			}
			if err := s.tell(ctx, log, c.Session); err != nil {
				return err
			}
		}
		err = s.Store.Update(ctx, org, func(tx store.Tx) error {
			for _, c := range list {
				if err := tx.Sessions().Applied(ctx, c); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(list) < followBatch {
			return err
		}
	}
}

// tell tells the log about a session, unless this process has done so.
func (s *Service) tell(ctx context.Context, log eventlog.Engine, session *loci.Session) error {
	if known, _ := s.told.Get(session.ID, always); known >= session.Revision {
		return nil
	}
	err := log.SetSession(ctx, session.OrgID, known(session))
	if err == nil {
		s.told.Put(session.ID, always, session.Revision, 1)
	}
	return err
}

// known is what a log knows of a session.
func known(s *loci.Session) eventlog.Session {
	return eventlog.Session{ID: s.ID, Revision: s.Revision, Closed: s.State == loci.SessionClosed, Access: s.EventAccess}
}

// forgetBatch is how many events are deleted at a time.
const forgetBatch = 1000

// Forget permanently deletes the events of a person, before the person is deleted. It can be repeated. Conflict if
// the org is under legal hold.
func (s *Service) Forget(ctx context.Context, org loci.OrgID, user loci.UserID) error {
	if s.keepsNone() {
		return nil
	}
	log, err := s.of(ctx, org)
	for n := 1; n > 0 && err == nil; {
		n, err = s.forget(ctx, org, log, user)
	}
	return err
}

// forget deletes a part of the events of a person.
func (s *Service) forget(ctx context.Context, org loci.OrgID, log eventlog.Engine, user loci.UserID) (int, error) {
	switch held, err := s.held(ctx, org); {
	case err != nil:
		return 0, err
	case held:
		return 0, loci.HoldError(org, "the events of this person")
	}
	return log.Purge(ctx, org, eventlog.Selection{UserID: user}, forgetBatch)
}

// Drop permanently deletes the events of an org that is deleted. If it fails, Run tries again.
func (s *Service) Drop(ctx context.Context, org loci.OrgID) {
	if s.keepsNone() {
		return
	}
	s.index.Drop(ctx, org)
	log, err := s.o.Logs.Of(ctx, org)
	if err == nil {
		err = log.Drop(ctx, org)
	}
	s.warn(ctx, "cannot delete the events of a deleted org; the next start of the server tries again", org, err)
}

// Newest returns the newest events of a session or of a project, the newest first, at most limit. Call it after Begin
// of what needs it. It returns none if the caller may not read events.
func (s *Service) Newest(ctx context.Context, p loci.Principal, session loci.SessionID, project loci.ProjectID,
	limit int) ([]*loci.Event, error) {
	if s.May(p, Read) != nil {
		return nil, nil
	}
	log, err := s.of(ctx, p.OrgID)
	if err != nil {
		return nil, err
	}
	f := eventlog.Filter{SessionID: session, ProjectID: project}
	if err := s.narrow(ctx, log, p, &f, ""); err != nil {
		return nil, err
	}
	page, err := log.Find(ctx, p.Viewer(), eventlog.Query{Filter: f, Order: eventlog.Newest, Limit: limit})
	return page.Events, err
}
