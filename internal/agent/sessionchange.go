package agent

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// SessionPatch is loci.SessionChange.
type SessionPatch = loci.SessionChange

// UpdateSession changes some fields of a session, and merges its metadata. Forbidden unless the caller is the person
// who created it, or an agent of theirs that works in it; for an agent also if more readers would see the session.
// Invalid for the reach team without a team; otherwise its errors are those of Session.
func (s *Service) UpdateSession(ctx context.Context, p loci.Principal, text string, c SessionPatch) (
	loci.Session, error) {
	if err := s.Begin(ctx, p, SessionChange); err != nil {
		return loci.Session{}, err
	}
	cleared := string(c.Metadata) == "null" // as in any other merge patch
	if err := loci.CheckObject("metadata", c.Metadata, loci.MaxSessionMetadata); err != nil && !cleared {
		return loci.Session{}, err
	}
	return s.changeSession(ctx, p, SessionChange, text, func(session *loci.Session) (err error) {
		if c.Title != nil && *c.Title != session.Title {
			if err := loci.CheckNewName("title", *c.Title); err != nil {
				return err
			}
			session.Title = *c.Title
		}
		if cleared {
			session.Metadata = nil
		} else if session.Metadata, err = loci.MergeObject(session.Metadata, c.Metadata); err != nil {
			return err
		}
		if c.Reach != nil && *c.Reach != session.Reach {
			session.Reach, session.TeamID = *c.Reach, p.TeamID
		}
		if err := loci.CheckNewNames("allowed_vendors", c.AllowedVendors, session.AllowedVendors); err != nil {
			return err
		}
		if c.AllowedVendors != nil {
			session.AllowedVendors = slices.Clone(c.AllowedVendors)
		}
		return session.Validate()
	})
}

// CloseSession closes a session. From then on, no request can work in it. Loci keeps what was written in it. A closed
// session stays as it is. Its errors are those of UpdateSession.
func (s *Service) CloseSession(ctx context.Context, p loci.Principal, text string) (loci.Session, error) {
	if err := s.Begin(ctx, p, SessionClose); err != nil {
		return loci.Session{}, err
	}
	return s.changeSession(ctx, p, SessionClose, text, func(session *loci.Session) error {
		if session.State == loci.SessionActive {
			session.State, session.ClosedAt = loci.SessionClosed, s.Time()
		}
		return nil
	})
}

// ReopenSession makes a closed session active again. An active one stays as it is. Its errors are those of
// UpdateSession.
func (s *Service) ReopenSession(ctx context.Context, p loci.Principal, text string) (loci.Session, error) {
	if err := s.Begin(ctx, p, SessionReopen); err != nil {
		return loci.Session{}, err
	}
	return s.changeSession(ctx, p, SessionReopen, text, func(session *loci.Session) error {
		if session.State == loci.SessionClosed {
			session.State, session.ClosedAt, session.Expired = loci.SessionActive, time.Time{}, false
			session.ReopenedAt = s.Time()
			session.LastActiveAt = session.ReopenedAt
		}
		return nil
	})
}

// changeSession changes a session that p may change. A change without effect is not recorded.
func (s *Service) changeSession(ctx context.Context, p loci.Principal, act gate.Action, text string,
	change func(*loci.Session) error) (after loci.Session, err error) {
	revision := int64(0)
	err = s.Write(ctx, p, act, func(tx store.Tx, e *loci.AuditEntry) error {
		before, err := store.FindSession(ctx, tx, p.Viewer(), text)
		if err == nil {
			err = mayChange(ctx, tx, p, &before)
		}
		if err != nil {
			return err
		}
		e.Target = before.ID.String()
		after, revision = before, before.Revision
		if err := change(&after); err != nil {
			return err
		}
		switch {
		case reflect.DeepEqual(before, after):
			e.Action = ""
			return nil
		case p.Vendor != "" && before.Widens(&after.EventAccess):
			return loci.Errorf(loci.Forbidden,
				"only a person may let more readers see a session; leave reach and allowed_vendors out to keep them")
		}
		after.UpdatedAt = s.Time()
		return tx.Sessions().Update(ctx, &after)
	})
	if err != nil {
		return loci.Session{}, err
	}
	if after.Revision != revision {
		s.events.Follow(ctx, p.OrgID)
	}
	return after, nil
}

// mayChange returns an error unless p may change a session that it sees: the person who created it may, and so may the
// agents that act for that person, if their vendor created it or owns its agent.
func mayChange(ctx context.Context, tx store.Tx, p loci.Principal, s *loci.Session) error {
	refused := loci.Errorf(loci.Forbidden,
		"only the person who created the session, and their agents that work in it, may change it")
	switch {
	case s.UserID != p.UserID:
		return refused
	case p.Vendor == "" || p.Origin == s.Origin:
		return nil
	}
	a, err := tx.Agents().Get(ctx, p.Viewer(), s.AgentID)
	if loci.CodeOf(err) == loci.NotFound || err == nil && a.Vendor != p.Vendor {
		return refused
	}
	return err
}
