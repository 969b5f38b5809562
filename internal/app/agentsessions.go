package app

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// AgentSessionDraft is loci.NewAgentSession.
type AgentSessionDraft = loci.NewAgentSession

// AgentSessionList asks for one page of sessions of agents, the one opened last first. Zero fields do not filter.
type AgentSessionList struct {
	State   loci.SessionState
	AgentID loci.AgentID
	Limit   int    // 0: 50; at most 500
	Cursor  string // NextCursor of the page before
}

// AgentSessionPage is one page of sessions of agents.
type AgentSessionPage struct {
	Sessions   []loci.Session
	NextCursor string // "": this was the last page
}

// OpenAgentSession opens a session of the person, in the active workspace. A person without an agent and a vendor opens one that only
// the person may name. Invalid for an agent that p does not see or that is of another vendor, and for a project that
// the person does not belong to; Conflict for an archived one; otherwise its errors are those of CreateAgent.
func (a *App) OpenAgentSession(ctx context.Context, p loci.Principal, d AgentSessionDraft) (loci.Session, error) {
	if err := a.begin(ctx, p, WorkOpen); err != nil {
		return loci.Session{}, err
	}
	s := loci.Session{ID: loci.NewSessionID(), OrgID: p.OrgID, UserID: p.UserID, WorkspaceID: p.WorkspaceID, ProjectID: d.ProjectID,
		AgentID: d.AgentID, Title: d.Title, State: loci.SessionActive, CreatedAt: a.time()}
	var err error
	if s.Vendor, err = a.vendorOf(ctx, p, WorkOpen, d.Vendor); err != nil {
		return loci.Session{}, err
	}
	if err := s.Validate(); err != nil {
		return loci.Session{}, err
	}
	if !s.ProjectID.IsZero() && !slices.Contains(p.ProjectIDs, s.ProjectID) {
		return loci.Session{}, errNotInProject()
	}
	if err := a.openProject(ctx, p, s.ProjectID); err != nil {
		return loci.Session{}, err
	}
	err = a.write(ctx, p, WorkOpen, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = s.ID.String()
		one := s
		if err := ofAgent(ctx, tx, p, &one, d.Vendor); err != nil {
			return err
		}
		if err := tx.Sessions().Insert(ctx, one); err != nil {
			return err
		}
		s = one
		return nil
	})
	if err != nil {
		return loci.Session{}, err
	}
	return s, nil
}

// ofAgent gives a session the vendor of its agent, if it has one that p sees.
func ofAgent(ctx context.Context, tx store.Tx, p loci.Principal, s *loci.Session, asked loci.Vendor) error {
	if s.AgentID.IsZero() {
		return nil
	}
	of, err := tx.Agents().Get(ctx, p.Viewer(), s.AgentID)
	if loci.CodeOf(err) == loci.NotFound {
		return loci.FieldErrorf("agent_id", "names no agent of yours")
	}
	if err != nil {
		return err
	}
	if asked != "" && asked != of.Vendor {
		return loci.FieldErrorf("vendor", "must be that of the agent; leave it out")
	}
	s.Vendor = of.Vendor
	return nil
}

// AgentSessions returns the person's sessions of agents, the one opened last first; a vendor's credential gets those of
// its vendor. Invalid if the cursor belongs to another query or principal.
func (a *App) AgentSessions(ctx context.Context, p loci.Principal, r AgentSessionList) (*AgentSessionPage, error) {
	if err := a.begin(ctx, p, WorkRead); err != nil {
		return nil, err
	}
	const kind = "agent sessions"
	switch r.State {
	case "", loci.SessionActive, loci.SessionClosed:
	default:
		return nil, loci.FieldErrorf("state", "must be one of: active, closed; leave it out for all")
	}
	bound := AgentSessionList{State: r.State, AgentID: r.AgentID}
	q := store.SessionQuery{State: r.State, AgentID: r.AgentID}
	var err error
	if q.Limit, err = pageSize("limit", r.Limit, DefaultPage, MaxPage); err != nil {
		return nil, err
	}
	if r.Cursor != "" {
		position, err := openCursor(p, bound, kind, r.Cursor)
		if err != nil {
			return nil, err
		}
		q.After = store.Position(position)
	}
	var list []loci.Session
	var next store.Position
	err = a.store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		list, next, err = tx.Sessions().List(ctx, p.Viewer(), q)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := &AgentSessionPage{Sessions: list}
	if next != "" {
		out.NextCursor = sealCursor(p, bound, kind, string(next))
	}
	return out, nil
}

// AgentSession returns a session of agents. NotFound if it is not there or not visible.
func (a *App) AgentSession(ctx context.Context, p loci.Principal, id loci.SessionID) (s loci.Session, err error) {
	if err := a.begin(ctx, p, WorkRead); err != nil {
		return s, err
	}
	err = a.store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		s, err = tx.Sessions().Get(ctx, p.Viewer(), id)
		return err
	})
	return s, err
}

// CloseAgentSession ends a session: no request can name it from then on. What was written in it stays. NotFound if it is
// not there or not visible; Conflict if it is closed.
func (a *App) CloseAgentSession(ctx context.Context, p loci.Principal, id loci.SessionID) (s loci.Session, err error) {
	if err := a.begin(ctx, p, WorkClose); err != nil {
		return s, err
	}
	err = a.write(ctx, p, WorkClose, func(tx store.Tx, e *loci.AuditEntry) (err error) {
		e.Target = id.String()
		if err = tx.Sessions().Close(ctx, p.Viewer(), id, a.time()); err != nil {
			return err
		}
		s, err = tx.Sessions().Get(ctx, p.Viewer(), id)
		return err
	})
	return s, err
}
