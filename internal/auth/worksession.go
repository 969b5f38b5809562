package auth

import (
	"context"
	"net/http"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// SessionHeader is the HTTP header in which a request names its agent session.
const SessionHeader = "Loci-Session"

// sessionField is the name of that session in REST bodies and tools.
const sessionField = "session_id"

// InSession returns p as part of an agent session: with the session's id and agent, so that p
// reaches that agent's memories. It is called for every request, because the session may have been
// closed. If id is zero, it returns p unchanged.
//
// It fails with Invalid about session_id if p doesn't see such a session, for any reason, or is
// already in another one. It fails with Conflict if the session is closed.
func (a *Authenticator) InSession(ctx context.Context, p loci.Principal, id loci.SessionID) (loci.Principal, error) {
	return a.inSession(ctx, p, sessionField, id)
}

// InNamedSession works like InSession with an id as text; "" means no session. It treats malformed
// text like an id that doesn't exist.
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
			loci.FieldErrorf(field, "is not the session that this request already names; send only one of the two")
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

// noOpenSession returns an error that must not depend on why: the id may be unknown, or belong to
// another person, vendor or workspace.
func noOpenSession(field string) error {
	return loci.FieldErrorf(field, "is not an open session of yours")
}
