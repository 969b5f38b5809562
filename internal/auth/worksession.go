package auth

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// SessionHeader is the HTTP header in which a request names its session.
const SessionHeader = "Loci-Session"

// sessionField is the name of that session in REST bodies and tools.
const sessionField = "session_id"

// InSession returns p as part of a session: with the session's id and, if p may act as the session's
// agent, with that agent, so that p reaches the agent's memories. A person may act as every agent,
// and a vendor's credential as the agents of its vendor. It is called for every request, because the
// session may have been closed. If id is zero, it returns p unchanged.
//
// It fails with Invalid about session_id if p doesn't see such a session, for any reason, or is
// already in another one. In a closed session, p can only read; see gate.Begin.
func (a *Authenticator) InSession(ctx context.Context, p loci.Principal, id loci.SessionID) (loci.Principal, error) {
	if id.IsZero() {
		return p, nil
	}
	return a.inNamed(ctx, p, sessionField, id.String())
}

// InNamedSession works like InSession with what store.FindSession reads; "" means no session.
func (a *Authenticator) InNamedSession(ctx context.Context, p loci.Principal, text string) (loci.Principal, error) {
	return a.inNamed(ctx, p, sessionField, text)
}

// InHeaderSession works like InNamedSession with the value of SessionHeader, which is then the
// field of its errors. It also fails with Invalid if the header appears twice.
func (a *Authenticator) InHeaderSession(r *http.Request, p loci.Principal) (loci.Principal, error) {
	sent := r.Header.Values(SessionHeader)
	if len(sent) > 1 {
		return loci.Principal{}, loci.FieldErrorf(SessionHeader, "appears twice in the request; send it once")
	}
	if len(sent) == 0 {
		return p, nil
	}
	return a.inNamed(r.Context(), p, SessionHeader, strings.TrimSpace(sent[0]))
}

func (a *Authenticator) inNamed(ctx context.Context, p loci.Principal, field, text string) (loci.Principal, error) {
	if text == "" || !p.SessionID.IsZero() && text == p.SessionID.String() {
		return p, nil
	}
	if p.Views {
		return loci.Principal{}, loci.FieldErrorf(field, "cannot be combined with %s", ViewAsHeader)
	}
	if p.IsZero() {
		return loci.Principal{}, loci.Errorf(loci.Unauthenticated, "no credential: send Authorization: Bearer <key>")
	}
	in, agent, err := a.sessionOf(ctx, p, text)
	code := loci.CodeOf(err)
	switch {
	case err != nil && code != loci.NotFound && code != loci.Invalid:
		return loci.Principal{}, err
	case !p.SessionID.IsZero() && in.ID == p.SessionID:
		return p, nil
	case !p.SessionID.IsZero():
		return loci.Principal{},
			loci.FieldErrorf(field, "is not the session that this request already names; send only one of the two")
	case code == loci.NotFound: // unknown, or hidden for any reason
		return loci.Principal{}, loci.FieldErrorf(field, "is not a session that you can see")
	case code == loci.Invalid:
		return loci.Principal{}, loci.FieldErrorf(field, "is not clear: %s", loci.SafeText(err))
	}
	p.SessionID, p.AgentID, p.SessionClosed = in.ID, agent.ID, in.State != loci.SessionActive
	if !p.SessionClosed {
		a.touchWork(ctx, &in, &agent)
	}
	return p, nil
}

// sessionOf finds a session, and its agent if p may act as that.
func (a *Authenticator) sessionOf(ctx context.Context, p loci.Principal, text string) (
	in loci.Session, agent loci.Agent, err error) {
	err = a.store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		agent = loci.Agent{}
		if in, err = store.FindSession(ctx, tx, p.Viewer(), text); err != nil || in.AgentID.IsZero() {
			return err
		}
		agent, err = tx.Agents().Get(ctx, p.Viewer(), in.AgentID)
		if loci.CodeOf(err) == loci.NotFound { // deleted, or p is limited to projects
			err = nil
		}
		return err
	})
	if p.Vendor != "" && agent.Vendor != p.Vendor {
		agent = loci.Agent{}
	}
	return in, agent, err
}

// touchWork records that a session and its agent are active, at most once a minute. The agent belongs to the org, so
// only work that everybody there sees counts as its activity. A failure is only logged, as in touch.
func (a *Authenticator) touchWork(ctx context.Context, s *loci.Session, agent *loci.Agent) {
	if !s.Open() {
		agent = &loci.Agent{}
	}
	now := loci.CutTime(a.now())
	if now.Sub(s.LastActiveAt) < time.Minute && (agent.ID.IsZero() || now.Sub(agent.LastActiveAt) < time.Minute) {
		return
	}
	err := a.store.Update(ctx, s.OrgID, func(tx store.Tx) error {
		if err := tx.Sessions().Touch(ctx, s.ID, now); err != nil || agent.ID.IsZero() {
			return err
		}
		return tx.Agents().Touch(ctx, agent.ID, now)
	})
	if err != nil {
		a.log.WarnContext(ctx, "cannot record the use of a session", "session", s.ID.String(), "error", err)
	}
}
