package auth

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// The names of the session cookie: over TLS one that no other host and no
// plain connection can set. On loopback a plain one, because Safari drops
// Secure cookies that come over plain HTTP, there too.
const (
	SecureCookie   = "__Host-loci"
	LoopbackCookie = "loci"
)

// How long a browser session lasts, and how long it may be left unused.
const (
	SessionLife = 30 * 24 * time.Hour
	SessionIdle = 7 * 24 * time.Hour
)

// StartSignIn makes a browser session for somebody who just proved who they
// are. The token is new at every sign-in, so none that was known before becomes
// good by it. The caller ends the session that the browser had with SignOut.
// Forbidden if the org is suspended, Unauthenticated if the person is gone.
func (a *Authenticator) StartSignIn(ctx context.Context, who loci.Person, browser string) (
	loci.Principal, loci.Secret, error) {
	org, err := a.store.Orgs().Get(ctx, who.OrgID)
	if loci.CodeOf(err) == loci.NotFound {
		return loci.Principal{}, "", errBadKey()
	}
	if err != nil {
		return loci.Principal{}, "", err
	}
	now, token := loci.CutTime(a.now()), NewSecret(sessionPrefix)
	c := loci.Credential{ID: loci.NewCredentialID(), OrgID: who.OrgID, UserID: who.UserID, Kind: loci.KindUser,
		Method: loci.BySignIn,
		Name:   browser, Hash: Hash(token), Prefix: sessionPrefix, ProvedAt: now, IdleAfter: SessionIdle, CreatedAt: now,
		ExpiresAt: now.Add(SessionLife)}
	p, err := a.member(ctx, org, principalFor(&c))
	if err != nil {
		return loci.Principal{}, "", err
	}
	if err := record(ctx, a.store, p, SessionStarted, now); err != nil {
		return loci.Principal{}, "", err
	}
	if err := a.store.Credentials().Insert(ctx, c); err != nil {
		return loci.Principal{}, "", err
	}
	return p, token, nil
}

// What the audit trail says of sessions besides the actions of the capabilities.
const (
	SessionStarted = "sign_in.start"
	SessionProved  = "sign_in.prove"
	SessionEnded   = "sign_in.end"
)

// record writes an entry of the audit trail before what it says is done: what
// cannot be recorded is not done.
func record(ctx context.Context, st store.Store, p loci.Principal, action string, at time.Time) error {
	e := loci.AuditEntry{At: at, Action: action, Allowed: true, Kind: p.Kind, Method: p.Method, UserID: p.UserID,
		CredentialID: p.CredentialID, Target: p.CredentialID.String()}
	return st.Update(ctx, p.OrgID, func(tx store.Tx) error { return tx.Audit().Add(ctx, e) })
}

// SignOut ends the session with that token. That there is none is no error.
func (a *Authenticator) SignOut(ctx context.Context, token loci.Secret) error {
	if token == "" || len(token) > maxToken {
		return nil
	}
	c, err := a.store.Credentials().ByHash(ctx, Hash(token))
	if err == nil && c.Method == loci.BySignIn && c.RevokedAt.IsZero() {
		p := principalFor(&c.Credential)
		p.OrgID = c.OrgID
		if err = record(ctx, a.store, p, SessionEnded, loci.CutTime(a.now())); err == nil {
			err = a.store.Credentials().Revoke(ctx, c.OrgID, c.UserID, c.ID, loci.CutTime(a.now()))
		}
	}
	if loci.CodeOf(err) == loci.NotFound {
		return nil
	}
	return err
}

// SetSignInCookie gives the browser its session; secure as Site.Secure says.
func SetSignInCookie(w http.ResponseWriter, token loci.Secret, secure bool) {
	http.SetCookie(w, sessionCookie(token.Reveal(), int(SessionLife/time.Second), secure))
}

// ClearSignInCookie takes the session from the browser.
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

// SignInOf returns the session token in the cookies of a request, or "". The
// plain cookie counts only on a connection of this machine to this machine
// under a loopback name: anywhere else a stranger could have set it.
func SignInOf(r *http.Request) loci.Secret {
	token, _ := sessionOf(r)
	return token
}

// SignInRequest returns a Request with nothing but the session of a browser,
// for pages: they act for nobody else, whatever headers there are.
func SignInRequest(r *http.Request) Request {
	token, plain := sessionOf(r)
	return Request{Session: token, plain: plain}
}

// sessionOf also says whether the token came in the plain cookie.
func sessionOf(r *http.Request) (token loci.Secret, plain bool) {
	if c := onlyCookie(r, SecureCookie); c != "" {
		return loci.Secret(c), false
	}
	if !plainLoopback(r) {
		return "", false
	}
	return loci.Secret(onlyCookie(r, LoopbackCookie)), true
}

// onlyCookie returns the value of the cookie of that name. Of two neither
// counts: one of them was set by somebody else.
func onlyCookie(r *http.Request, name string) string {
	cookies := r.CookiesNamed(name)
	if len(cookies) != 1 || len(cookies[0].Value) > maxToken {
		return ""
	}
	return cookies[0].Value
}

// plainLoopback reports whether a browser on this machine sent the request
// here itself, with no proxy between that would speak for others.
func plainLoopback(r *http.Request) bool {
	if r.TLS != nil || !fromLoopback(r) || !isLoopback(hostname(r.Host)) {
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

// BrowserName returns a name for a browser that people recognise in a list,
// such as "Chrome on Linux", from its User-Agent.
func BrowserName(userAgent string) string {
	find := func(names ...string) string { // pairs: what stands in the header, what it means
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
