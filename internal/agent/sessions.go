package agent

import (
	"cmp"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
	"github.com/loci-memory/loci/internal/store"
)

// SessionDraft is loci.NewSession.
type SessionDraft = loci.NewSession

// SessionList asks for one page of sessions, last created first. Zero fields do not filter.
type SessionList struct {
	Agent     string // as store.FindAgent reads it; an id may be that of a deleted agent
	State     loci.SessionState
	ProjectID loci.ProjectID
	Reach     loci.Reach
	Key       string // NewSession.Key of one that p created
	Limit     int    // 0: 50; at most 500
	Cursor    string // NextCursor of the previous page
}

// CreateSession creates a session of the person, in the active workspace. If an agent's credential names an unknown
// agent, CreateSession registers it. If p has a session with the draft's key, CreateSession returns that one. Invalid
// for an agent that does not exist or is of another vendor than the credential, for the reach team without a team,
// and for a project that the person does not belong to; Conflict for an archived one.
func (s *Service) CreateSession(ctx context.Context, p loci.Principal, d SessionDraft) (loci.Session, error) {
	if err := s.Begin(ctx, p, SessionCreate); err != nil {
		return loci.Session{}, err
	}
	session, err := s.newSession(p, d)
	if err != nil {
		return loci.Session{}, err
	}
	if err := s.projects.MustBeOpen(ctx, p, session.ProjectID); err != nil {
		return loci.Session{}, err
	}
	err = s.Write(ctx, p, SessionCreate, func(tx store.Tx, e *loci.AuditEntry) error {
		if d.Key != "" {
			there, found, err := keyed(ctx, tx, p, d.Key)
			if err != nil {
				return err
			}
			if found {
				e.Action, session = "", there
				return nil
			}
			session.ID = there.ID
		}
		e.Target = session.ID.String()
		agent, err := s.agentOf(ctx, tx, p, d.Agent)
		if err != nil {
			return err
		}
		session.AgentID, session.Hint = agent.ID, agent.Hint
		if !agent.ID.IsZero() && agent.Vendor == p.Vendor && session.Open() {
			if err := tx.Agents().Touch(ctx, agent.ID, session.CreatedAt); err != nil {
				return err
			}
		}
		return tx.Sessions().Insert(ctx, session)
	})
	return session, err
}

// keyed returns the session of p with a key, or not found with the id that it would have.
func keyed(ctx context.Context, tx store.Tx, p loci.Principal, key string) (there loci.Session, found bool, err error) {
	of := &loci.EventAccess{OrgID: p.OrgID, WorkspaceID: p.WorkspaceID, UserID: p.UserID, Origin: p.Origin}
	for hidden := 0; ; hidden++ {
		id := loci.KeyedSessionID(of, key, hidden)
		there, err = tx.Sessions().Get(ctx, p.Viewer(), id)
		if loci.CodeOf(err) != loci.NotFound {
			return there, err == nil, err
		}
		_, err = tx.Sessions().Stored(ctx, id)
		switch {
		case loci.CodeOf(err) == loci.NotFound:
			return loci.Session{ID: id}, false, nil
		case err != nil:
			return there, false, err
		}
	}
}

// newSession checks everything that does not depend on the agent.
func (s *Service) newSession(p loci.Principal, d SessionDraft) (loci.Session, error) {
	now := s.Time()
	session := loci.Session{ID: loci.NewSessionID(), Title: d.Title, Metadata: d.Metadata, CreatedAt: now, UpdatedAt: now,
		LastActiveAt: now, Revision: 1, EventAccess: loci.EventAccess{OrgID: p.OrgID, UserID: p.UserID,
			WorkspaceID: p.WorkspaceID, ProjectID: d.ProjectID, Reach: d.Reach, TeamID: p.TeamID, Origin: p.Origin,
			AllowedVendors: slices.Clone(d.AllowedVendors)}}
	session.SetDefaults()
	if err := cmp.Or(session.Validate(), loci.CheckText("key", d.Key, 0, loci.MaxSessionKey),
		loci.CheckNewName("title", session.Title),
		loci.CheckNewNames("allowed_vendors", session.AllowedVendors, nil)); err != nil {
		return session, err
	}
	if p.OnlyProjects && d.ProjectID.IsZero() {
		return session, loci.FieldErrorf("project_id",
			"is required: this key is limited to projects and could not see the session otherwise")
	}
	return session, nil
}

// agentOf returns the agent that text names, which p may use; "" is none. An agent's credential registers an unknown
// one.
func (s *Service) agentOf(ctx context.Context, tx store.Tx, p loci.Principal, text string) (loci.Agent, error) {
	if text == "" {
		return loci.Agent{}, nil
	}
	a, err := store.FindAgent(ctx, tx, p.Viewer(), text)
	switch {
	case loci.CodeOf(err) == loci.NotFound:
		return s.registered(ctx, tx, p, text)
	case loci.CodeOf(err) == loci.Invalid:
		return a, loci.FieldErrorf("agent_id", "is not clear: %s", loci.SafeText(err))
	case err == nil && p.Vendor != "" && a.Vendor != p.Vendor:
		return a, loci.FieldErrorf("agent_id", "is an agent of another vendor, %s; choose another name", a.Vendor)
	}
	return a, err
}

func (s *Service) registered(ctx context.Context, tx store.Tx, p loci.Principal, name string) (loci.Agent, error) {
	_, notID := loci.ParseID[struct{}](name)
	if notID == nil || p.Vendor == "" || p.OnlyProjects {
		return loci.Agent{}, loci.FieldErrorf("agent_id", "is not an agent of the org that you can see; register it first")
	}
	if err := s.May(p, Create); err != nil {
		return loci.Agent{}, err
	}
	made, err := s.draft(p, Draft{Name: name})
	if err != nil {
		return made, loci.FieldErrorf("agent_id", "cannot be the name of a new agent: %s", loci.SafeText(err))
	}
	if err := s.insert(ctx, tx, p, &made); err != nil {
		return made, err
	}
	entry := s.Entry(p, Create)
	entry.Target = made.ID.String()
	return made, tx.Audit().Add(ctx, entry)
}

// Sessions returns the visible sessions, the one created last first. Invalid if the cursor belongs to another query or
// principal, and for an unknown agent.
func (s *Service) Sessions(ctx context.Context, p loci.Principal, r SessionList) (gate.Page[loci.Session], error) {
	if err := s.Begin(ctx, p, SessionRead, checkSessionList(&r)); err != nil {
		return gate.Page[loci.Session]{}, err
	}
	bound := r
	bound.Limit, bound.Cursor = 0, ""
	return gate.ReadPage(p, "sessions", bound, r.Limit, r.Cursor,
		func(after store.Position, limit int) (list []loci.Session, next store.Position, err error) {
			err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
				q := store.SessionQuery{State: r.State, ProjectID: r.ProjectID, Reach: r.Reach, After: after, Limit: limit}
				if r.Key != "" {
					there, _, err := keyed(ctx, tx, p, r.Key)
					if err != nil {
						return err
					}
					q.First, q.Last = there.ID, there.ID
				}
				if q.AgentID, err = agentIn(ctx, tx, p, r.Agent); err == nil {
					list, next, err = tx.Sessions().List(ctx, p.Viewer(), q)
				}
				return err
			})
			for i := range list {
				list[i].Title = sensitive.Mask(list[i].Title, false)
			}
			return list, next, err
		})
}

func checkSessionList(r *SessionList) error {
	switch r.State {
	case "", loci.SessionActive, loci.SessionClosed:
	default:
		return loci.FieldErrorf("state", "must be one of: active, closed; leave it out for all")
	}
	switch r.Reach {
	case "", loci.ReachOrg, loci.ReachTeam, loci.ReachPrivate:
		return nil
	}
	return loci.FieldErrorf("reach", "must be one of: org, team, private; leave it out for all")
}

// agentIn returns the id of an agent for a filter. A whole id may be that of a deleted agent.
func agentIn(ctx context.Context, tx store.Tx, p loci.Principal, text string) (loci.AgentID, error) {
	if id, err := loci.ParseID[struct{}](text); text == "" || err == nil {
		return loci.AgentID(id), nil
	}
	a, err := store.FindAgent(ctx, tx, p.Viewer(), text)
	return a.ID, store.NameError(err, "agent_id", "names no agent that you can see")
}

// Session returns the session that text names, as store.FindSession reads it. NotFound if it does not exist or is not
// visible; Invalid if text names several.
func (s *Service) Session(ctx context.Context, p loci.Principal, text string) (loci.Session, error) {
	return gate.BeginView(ctx, s.Gate, p, SessionRead, func(tx store.Tx) (loci.Session, error) {
		return store.FindSession(ctx, tx, p.Viewer(), text)
	})
}
