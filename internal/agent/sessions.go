package agent

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store"
)

// SessionDraft is loci.NewAgentSession.
type SessionDraft = loci.NewAgentSession

// SessionList asks for one page of agents' sessions, last opened first. Zero fields do not
// filter.
type SessionList struct {
	State   loci.SessionState
	AgentID loci.AgentID
	Limit   int    // 0: 50; at most 500
	Cursor  string // NextCursor of the previous page
}

// OpenSession opens a session of the person, in the active workspace. A person without an agent and a vendor opens one
// that only the person may name. Invalid for an agent that p does not see or that is of another vendor, and for a
// project that the person does not belong to; Conflict for an archived one; otherwise its errors are those of Create.
func (s *Service) OpenSession(ctx context.Context, p loci.Principal, d SessionDraft) (loci.Session, error) {
	if err := s.Begin(ctx, p, SessionOpen); err != nil {
		return loci.Session{}, err
	}
	session := loci.Session{ID: loci.NewSessionID(), OrgID: p.OrgID, UserID: p.UserID, WorkspaceID: p.WorkspaceID,
		ProjectID: d.ProjectID,
		AgentID:   d.AgentID, Title: d.Title, State: loci.SessionActive, CreatedAt: s.Time()}
	var err error
	if session.Vendor, err = s.vendorOf(ctx, p, SessionOpen, d.Vendor); err != nil {
		return loci.Session{}, err
	}
	if err := session.Validate(); err != nil {
		return loci.Session{}, err
	}
	if !session.ProjectID.IsZero() && !slices.Contains(p.ProjectIDs, session.ProjectID) {
		return loci.Session{}, project.ErrNotIn()
	}
	if err := s.projects.MustBeOpen(ctx, p, session.ProjectID); err != nil {
		return loci.Session{}, err
	}
	err = s.Write(ctx, p, SessionOpen, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = session.ID.String()
		one := session
		if err := ofAgent(ctx, tx, p, &one, d.Vendor); err != nil {
			return err
		}
		if err := tx.Sessions().Insert(ctx, one); err != nil {
			return err
		}
		session = one
		return nil
	})
	if err != nil {
		return loci.Session{}, err
	}
	return session, nil
}

// ofAgent gives a session the vendor of its agent. It returns an error if p does not see the
// agent.
func ofAgent(ctx context.Context, tx store.Tx, p loci.Principal, s *loci.Session, asked loci.Vendor) error {
	if s.AgentID.IsZero() {
		return nil
	}
	of, err := tx.Agents().Get(ctx, p.Viewer(), s.AgentID)
	if loci.CodeOf(err) == loci.NotFound {
		return loci.FieldErrorf("agent_id", "must be one of your agents")
	}
	if err != nil {
		return err
	}
	if asked != "" && asked != of.Vendor {
		return loci.FieldErrorf("vendor", "must be the agent's vendor; leave it out")
	}
	s.Vendor = of.Vendor
	return nil
}

// Sessions returns the person's sessions of agents, the one opened last first; a vendor's credential gets those of
// its vendor. Invalid if the cursor belongs to another query or principal.
func (s *Service) Sessions(ctx context.Context, p loci.Principal, r SessionList) (gate.Page[loci.Session], error) {
	if err := s.Begin(ctx, p, SessionRead); err != nil {
		return gate.Page[loci.Session]{}, err
	}
	switch r.State {
	case "", loci.SessionActive, loci.SessionClosed:
	default:
		return gate.Page[loci.Session]{}, loci.FieldErrorf("state", "must be one of: active, closed; leave it out for all")
	}
	bound := SessionList{State: r.State, AgentID: r.AgentID}
	return gate.ReadPage(p, "agent sessions", bound, r.Limit, r.Cursor,
		func(after store.Position, limit int) (list []loci.Session, next store.Position, err error) {
			q := store.SessionQuery{State: r.State, AgentID: r.AgentID, After: after, Limit: limit}
			err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
				list, next, err = tx.Sessions().List(ctx, p.Viewer(), q)
				return err
			})
			return list, next, err
		})
}

// Session returns an agent's session. NotFound if it does not exist or is not visible.
func (s *Service) Session(ctx context.Context, p loci.Principal, id loci.SessionID) (session loci.Session, err error) {
	if err := s.Begin(ctx, p, SessionRead); err != nil {
		return session, err
	}
	return gate.View(ctx, s.Gate, p, func(tx store.Tx) (loci.Session, error) {
		return tx.Sessions().Get(ctx, p.Viewer(), id)
	})
}

// CloseSession closes a session. From then on, no request can use it. Loci keeps what was written
// in it. NotFound if it does not exist or is not visible; Conflict if it is closed already.
func (s *Service) CloseSession(ctx context.Context, p loci.Principal, id loci.SessionID) (
	session loci.Session, err error) {
	if err := s.Begin(ctx, p, SessionClose); err != nil {
		return session, err
	}
	err = s.Write(ctx, p, SessionClose, func(tx store.Tx, e *loci.AuditEntry) (err error) {
		e.Target = id.String()
		if err = tx.Sessions().Close(ctx, p.Viewer(), id, s.Time()); err != nil {
			return err
		}
		session, err = tx.Sessions().Get(ctx, p.Viewer(), id)
		return err
	})
	return session, err
}
