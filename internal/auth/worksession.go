package auth

import (
	"context"
	"net/http"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// SessionHeader is the HTTP header in which a request names the session of agents
// that it is a part of.
const SessionHeader = "Loci-Session"

// sessionField is what REST bodies and tools call that session.
const sessionField = "session_id"

// InSession returns p as a part of a session of agents: with its id, and with the agent whose
// session it is, so that p reaches that agent's memories. It is asked for every request, because a session
// may be closed meanwhile. A zero id is no session and returns p as it is.
//
// Invalid, about session_id, if p does not see such a session, whatever the reason, or is in another one already;
// Conflict if it is closed.
func (a *Authenticator) InSession(ctx context.Context, p loci.Principal, id loci.SessionID) (loci.Principal, error) {
	return a.inSession(ctx, p, sessionField, id)
}

// InNamedSession is InSession for the text of an id; "" is no session. Text of another form is
// answered as an id that leads to nothing.
func (a *Authenticator) InNamedSession(ctx context.Context, p loci.Principal, text string) (loci.Principal, error) {
	return a.inNamed(ctx, p, sessionField, text)
}

// InHeaderSession is InNamedSession for what a request says in SessionHeader, which is the field of its errors. Invalid
// also if it says it twice.
func (a *Authenticator) InHeaderSession(r *http.Request, p loci.Principal) (loci.Principal, error) {
	sent := r.Header.Values(SessionHeader)
	if len(sent) > 1 {
		return loci.Principal{}, loci.FieldErrorf(SessionHeader, "stands twice in the request; send it once")
	}
	if len(sent) == 0 {
		return p, nil
	}
	return a.inNamed(r.Context(), p, SessionHeader, strings.TrimSpace(sent[0]))
}

func (a *Authenticator) inNamed(ctx context.Context, p loci.Principal, field, text string) (loci.Principal, error) {
	if text == "" {
		return p, nil
	}
	var id loci.SessionID
	if err := id.UnmarshalText([]byte(text)); err != nil || id.IsZero() {
		return loci.Principal{}, noOpenSession(field)
	}
	return a.inSession(ctx, p, field, id)
}

func (a *Authenticator) inSession(ctx context.Context, p loci.Principal, field string, id loci.SessionID) (
	loci.Principal, error) {
	if id.IsZero() || id == p.SessionID {
		return p, nil
	}
	if !p.SessionID.IsZero() {
		return loci.Principal{},
			loci.FieldErrorf(field, "is another session than the one that this request is in already; name one of the two")
	}
	if p.IsZero() {
		return loci.Principal{}, loci.Errorf(loci.Unauthenticated, "no credential: send Authorization: Bearer <key>")
	}
	var in loci.Session
	err := a.store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		in, err = tx.Sessions().Get(ctx, p.Viewer(), id)
		return err
	})
	if loci.CodeOf(err) == loci.NotFound {
		return loci.Principal{}, noOpenSession(field)
	}
	if err != nil {
		return loci.Principal{}, err
	}
	if in.State != loci.SessionActive {
		return loci.Principal{}, loci.Errorf(loci.Conflict, "the session is closed; open another one")
	}
	p.SessionID, p.AgentID = in.ID, in.AgentID
	return p, nil
}

// noOpenSession must not depend on why: the id is of no session, of another person's, of
// another vendor's, or of another workspace.
func noOpenSession(field string) error {
	return loci.FieldErrorf(field, "names no session of yours that is open")
}
