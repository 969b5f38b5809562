package auth

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// The names of the sign-in cookie. Over TLS, no other host and no plain connection can set it. On
// loopback it is a plain cookie, because Safari drops Secure cookies over plain HTTP even there.
const (
	SecureCookie   = "__Host-loci"
	LoopbackCookie = "loci"
)

// Maximum lifetime of a browser sign-in, and maximum time without use.
const (
	SessionLife = 30 * 24 * time.Hour
	SessionIdle = 7 * 24 * time.Hour
)

// StartSignIn creates a browser sign-in for a person who just proved who they are. The token is new
// at every sign-in, so a token known before never becomes valid. The caller must end the browser's
// previous sign-in with SignOut. StartSignIn fails with Forbidden if the org is suspended or the
// person is disabled, and with Unauthenticated if the person no longer exists.
func (a *Authenticator) StartSignIn(ctx context.Context, who loci.Person, browser string) (
	loci.Principal, loci.Secret, error) {
	org, err := a.o.Store.Orgs().Get(ctx, who.OrgID)
	if loci.CodeOf(err) == loci.NotFound {
		return loci.Principal{}, "", errBadKey()
	}
	if err != nil {
		return loci.Principal{}, "", err
	}
	now, token := loci.CutTime(a.o.Now()), NewSecret(sessionPrefix)
	c := loci.Credential{ID: loci.NewCredentialID(), OrgID: who.OrgID, UserID: who.UserID, Kind: loci.KindUser,
		Method: loci.BySignIn,
		Name:   browser, Hash: Hash(token), Prefix: sessionPrefix, ProvedAt: now, IdleAfter: SessionIdle, CreatedAt: now,
		ExpiresAt: now.Add(SessionLife)}
	p, err := a.member(ctx, org, principalFor(&c))
	if errors.Is(err, errDisabled) { // who has proved to be the person may learn it
		err = loci.Errorf(loci.Forbidden, "this account is disabled; ask an admin of your org to enable it")
	}
	if err != nil {
		return loci.Principal{}, "", err
	}
	if err := record(ctx, a.o.Store, p, SessionStarted, now); err != nil {
		return loci.Principal{}, "", err
	}
	if err := a.o.Store.Credentials().Insert(ctx, c); err != nil {
		return loci.Principal{}, "", err
	}
	return p, token, nil
}

// Actions in the audit trail for sign-ins, in addition to those of the capabilities.
const (
	SessionStarted = "sign_in.start"
	SessionProved  = "sign_in.prove"
	SessionEnded   = "sign_in.end"
)

// record writes an entry to the audit trail before the action, because Loci doesn't do what it can't record.
func record(ctx context.Context, st store.Store, p loci.Principal, action string, at time.Time) error {
	e := loci.AuditEntry{At: at, Action: action, Allowed: true, Kind: p.Kind, Method: p.Method, UserID: p.UserID,
		CredentialID: p.CredentialID, Target: p.CredentialID.String()}
	return st.Update(ctx, p.OrgID, func(tx store.Tx) error { return tx.Audit().Add(ctx, e) })
}

// SignOut ends the sign-in with that token. It isn't an error if there is none.
func (a *Authenticator) SignOut(ctx context.Context, token loci.Secret) error {
	if token == "" || len(token) > maxToken {
		return nil
	}
	c, err := a.o.Store.Credentials().ByHash(ctx, Hash(token))
	if err == nil && c.Method == loci.BySignIn && c.RevokedAt.IsZero() {
		p := principalFor(&c.Credential)
		p.OrgID = c.OrgID
		if err = record(ctx, a.o.Store, p, SessionEnded, loci.CutTime(a.o.Now())); err == nil {
			err = a.o.Store.Credentials().Revoke(ctx, c.OrgID, c.UserID, c.ID, loci.CutTime(a.o.Now()))
		}
	}
	if loci.CodeOf(err) == loci.NotFound {
		return nil
	}
	return err
}

// SetSignInCookie sets the sign-in cookie in the browser; secure is Site.Secure.
func SetSignInCookie(w http.ResponseWriter, token loci.Secret, secure bool) {
	http.SetCookie(w, sessionCookie(token.Reveal(), int(SessionLife/time.Second), secure))
}

// ClearSignInCookie deletes the sign-in cookie in the browser.
func ClearSignInCookie(w http.ResponseWriter, secure bool) {
	http.SetCookie(w, sessionCookie("", -1, secure))
}

func sessionCookie(value string, maxAge int, secure bool) *http.Cookie {
	name := LoopbackCookie
	if secure {
		name = SecureCookie
	}
	return &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: maxAge, Secure: secure, HttpOnly: true,
		SameSite: http.SameSiteLaxMode}
}

// SignInOf returns the token of a sign-in in the cookies of a request, or "". The plain cookie counts only on a
// connection within this machine under a loopback name. Anywhere else, a stranger could have set it.
func SignInOf(r *http.Request) loci.Secret {
	token, _ := sessionOf(r)
	return token
}

// SignInRequest returns a Request with only the browser sign-in, for pages. Pages ignore all other
// credentials in the headers.
func SignInRequest(r *http.Request) Request {
	token, plain := sessionOf(r)
	return Request{Session: token, plain: plain}
}

// sessionOf also reports whether the token came in the plain cookie.
func sessionOf(r *http.Request) (token loci.Secret, plain bool) {
	if c := onlyCookie(r, SecureCookie); c != "" {
		return loci.Secret(c), false
	}
	if !plainLoopback(r) {
		return "", false
	}
	return loci.Secret(onlyCookie(r, LoopbackCookie)), true
}

// onlyCookie returns the value of the cookie with that name. If there are two, neither counts,
// because someone else set one of them.
func onlyCookie(r *http.Request, name string) string {
	cookies := r.CookiesNamed(name)
	if len(cookies) != 1 || len(cookies[0].Value) > maxToken {
		return ""
	}
	return cookies[0].Value
}

// plainLoopback reports whether a browser on this machine sent the request directly, without a
// proxy that would speak for others.
func plainLoopback(r *http.Request) bool {
	if r.TLS != nil || !fromLoopback(r) || !IsLoopback(hostname(r.Host)) {
		return false
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	addr, err2 := netip.ParseAddr(host)
	if err != nil || err2 != nil || !addr.Unmap().IsLoopback() {
		return false
	}
	for _, name := range []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
		"X-Real-Ip"} {
		if len(r.Header.Values(name)) > 0 {
			return false
		}
	}
	return true
}

// BrowserName returns a browser name that people recognize in a list, such as "Chrome on Linux", from its User-Agent.
func BrowserName(userAgent string) string {
	find := func(names ...string) string { // pairs of the text in the header and its meaning
		for i := 0; i < len(names); i += 2 {
			if strings.Contains(userAgent, names[i]) {
				return names[i+1]
			}
		}
		return ""
	}
	browser := find("Edg/", "Edge", "OPR/", "Opera", "Firefox/", "Firefox", "FxiOS/", "Firefox", "CriOS/", "Chrome",
		"Chrome/", "Chrome", "Safari/", "Safari")
	system := find("iPhone", "iPhone", "iPad", "iPad", "Android", "Android", "Windows", "Windows", "CrOS", "ChromeOS",
		"Mac OS X", "macOS", "Linux", "Linux")
	switch {
	case browser == "" && system == "":
		return "a browser"
	case browser == "":
		return "a browser on " + system
	case system == "":
		return browser
	}
	return browser + " on " + system
}

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
	err = a.o.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
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
	now := loci.CutTime(a.o.Now())
	if now.Sub(s.LastActiveAt) < time.Minute && (agent.ID.IsZero() || now.Sub(agent.LastActiveAt) < time.Minute) {
		return
	}
	err := a.o.Store.Update(ctx, s.OrgID, func(tx store.Tx) error {
		if err := tx.Sessions().Touch(ctx, s.ID, now); err != nil || agent.ID.IsZero() {
			return err
		}
		return tx.Agents().Touch(ctx, agent.ID, now)
	})
	if err != nil {
		a.o.Log.WarnContext(ctx, "cannot record the use of a session", "session", s.ID.String(), "error", err)
	}
}
