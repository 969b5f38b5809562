package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

// ownPages are the pages of somebody who is signed in.
var ownPages = []string{"/app/", "/app/step-up", "/app/account"}

func TestStrangersAreSentToSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	for _, path := range append(ownPages, "/app/keys", "/app/connections",
		"/oauth/authorize?client_id=x&state=a%26b") {
		a := b.get(path)
		if want := "/app/sign-in?next=" + url.QueryEscape(path); a.status != http.StatusSeeOther || a.location() != want {
			t.Errorf("%s: %d %s, want %s", path, a.status, a.location(), want)
		}
	}
	for _, path := range []string{"/app/workspace", "/app/step-up", "/oauth/authorize"} {
		a := b.post(path, "id", "x")
		if a.status != http.StatusSeeOther || !strings.HasPrefix(a.location(), "/app/sign-in?next=%2Fapp%2F") {
			t.Errorf("POST %s: %d %s", path, a.status, a.location())
		}
	}
	// Neither does a key open a page.
	_, key, err := w.app.Identity.CreateKey(t.Context(), w.local(w.mara), auth.KeyRequest{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if a := b.do(http.MethodGet, "/app/keys", http.Header{"Authorization": {"Bearer " + key.Reveal()}},
		""); a.status != http.StatusSeeOther {
		t.Errorf("with a key: %d", a.status)
	}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	want(t, "the page", b.get("/app/sign-in?next=/app/keys"), 200, `name="next" value="/app/keys"`,
		`autocomplete="current-password"`)
	bad := b.post("/app/sign-in", "email", maraMail, "password", "wrong wrong wrong", "next", "/app/keys")
	want(t, "a wrong password", bad, 401, `role="alert"`, `aria-invalid="true"`, `value="`+maraMail+`"`,
		`name="next" value="/app/keys"`)
	if strings.Contains(bad.body, "wrong wrong") {
		t.Error("the password is shown again")
	}
	unknown := b.post("/app/sign-in", "email", "nobody@example.org", "password", "wrong wrong wrong", "next", "/app/keys")
	if got := strings.ReplaceAll(unknown.body, "nobody@example.org", maraMail); got != bad.body ||
		unknown.status != bad.status {
		t.Errorf("an unknown address is answered differently: %s", got)
	}
	a := b.post("/app/sign-in", "email", maraMail, "password", maraPassword.Reveal(), "next", "/app/keys")
	if a.status != 303 || a.location() != "/app/keys" {
		t.Fatalf("%d %s", a.status, a.location())
	}
	cookie := a.header.Get("Set-Cookie")
	for _, part := range []string{"HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("%s is not in the cookie %s", part, cookie)
		}
	}
	if a := b.get("/app/sign-in?next=/app/account"); a.status != 303 || a.location() != "/app/account" {
		t.Errorf("signed in already: %d %s", a.status, a.location())
	}
	for _, next := range []string{"//evil.example", `/\evil.example`, "https://evil.example/app/", "https:evil.example",
		"javascript:alert(1)"} {
		if a := w.browser().post("/app/sign-in", "email", maraMail, "password", maraPassword.Reveal(), "next",
			next); a.location() != "/app/" {
			t.Errorf("next %q leads to %q", next, a.location())
		}
		if a := b.get("/app/sign-in?next=" + url.QueryEscape(next)); a.location() != "/app/" {
			t.Errorf("signed in, next %q leads to %q", next, a.location())
		}
	}
}

func TestSignInGivesAFreshSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	site, err := url.Parse(w.base)
	if err != nil {
		t.Fatal(err)
	}
	before := b.client.Jar.Cookies(site)
	b.signIn()
	if after := b.client.Jar.Cookies(site); after[0].Value == before[0].Value {
		t.Error("the second sign-in gave the same session")
	}
	if _, err := w.auth.Authenticate(t.Context(), auth.Request{Session: loci.Secret(before[0].Value)}); err == nil {
		t.Error("the session before still is good")
	}
	a := b.post("/app/sign-out")
	if a.status != 303 || a.location() != "/app/sign-in?done=signed-out" {
		t.Errorf("sign-out: %d %s", a.status, a.location())
	}
	if a := b.get("/app/"); a.status != 303 {
		t.Errorf("after sign-out: %d", a.status)
	}
}

func TestSignInIsThrottled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	for range 5 {
		want(t, "a wrong password", b.post("/app/sign-in", "email", maraMail, "password", "wrong wrong wrong"), 401)
	}
	a := b.post("/app/sign-in", "email", maraMail, "password", maraPassword.Reveal())
	want(t, "too many", a, 429, "too many failed attempts; wait")
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	w.clock.advance(time.Hour)
	if a := b.post("/app/sign-in", "email", maraMail, "password", maraPassword.Reveal()); a.status != 303 {
		t.Errorf("an hour later: %d %s", a.status, a.body)
	}
}

func TestOtherSitesCannotPost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	for _, path := range []string{"/app/sign-in", "/app/sign-out", "/app/link", "/app/invite", "/app/step-up",
		"/app/workspace", "/app/passkey/options", "/oauth/authorize"} {
		for _, header := range []http.Header{{"Sec-Fetch-Site": {"cross-site"}}, {"Sec-Fetch-Site": {"same-site"}},
			{"Sec-Fetch-Site": nil, "Origin": {"https://evil.example"}}, {"Sec-Fetch-Site": nil, "Origin": {"null"}},
			{"Sec-Fetch-Site": nil}} {
			header["Content-Type"] = formType["Content-Type"]
			if a := b.do(http.MethodPost, path, header, ""); a.status != http.StatusForbidden || !strings.Contains(a.body,
				"another site") {
				t.Errorf("%s with %v: %d %s", path, header, a.status, a.body)
			}
		}
	}
	if a := b.get("/app/"); a.status != 200 {
		t.Errorf("it is signed out: %d", a.status)
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	for _, path := range append(ownPages, "/app/sign-in", "/app/link?token=x", "/app/nowhere", "/oauth/authorize",
		"/.well-known/oauth-authorization-server", "/app/static/style.css") {
		a := b.get(path)
		csp := a.header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
			"connect-src 'self'", "form-action 'self'",
			"frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(csp+";", part+";") {
				t.Errorf("%s: %q is not in %q", path, part, csp)
			}
		}
		if a.header.Get("X-Frame-Options") != "DENY" || a.header.Get("Referrer-Policy") != "same-origin" ||
			a.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, a.header)
		}
		if cache := a.header.Get("Cache-Control"); cache != "no-store" && path != "/app/" && path != "/app/account" &&
			!strings.HasPrefix(path, "/app/static/") && !strings.HasPrefix(path, "/.well-known/") {
			t.Errorf("%s: Cache-Control %q", path, cache)
		}
		if regexp.MustCompile(`(?i)<script>|<style|style=|\son[a-z]+=|(src|href)="https?:`).MatchString(a.body) {
			t.Errorf("%s has something inline or from elsewhere: %s", path, a.body)
		}
		if a.header.Get("Access-Control-Allow-Origin") != "" && !strings.HasPrefix(path, "/.well-known/") {
			t.Errorf("%s can be read by other sites", path)
		}
	}
}

func TestLinkIsUsedByTheButtonOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, err := w.signIn.NewLink(t.Context(), w.mara, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	path := "/app/link?token=" + token.Reveal()
	for range 2 {
		want(t, "looking at it", w.browser().get(path), 200, token.Reveal(), "<button>Sign in</button>")
	}
	b := w.browser()
	if a := b.post("/app/link", "token", token.Reveal()); a.status != 303 || a.location() != "/app/" {
		t.Fatalf("using it: %d %s %s", a.status, a.location(), a.body)
	}
	want(t, "signed in", b.get("/api/v1/whoami"), 200, maraMail)
	want(t, "looking at a used one", w.browser().get(path), 401, "used or has expired", "<code>loci open</code>",
		"sign in another way")
	want(t, "looking at it signed in", b.get(path), 401, "used or has expired", `<a href="/app/">To your memories</a>`)
	want(t, "using it twice", w.browser().post("/app/link", "token", token.Reveal()), 401, "used or has expired")
}

// passkey stores a passkey of Mara's.
func (w *world) passkey(name string) {
	w.t.Helper()
	err := w.store.Update(w.t.Context(), w.mara.OrgID, func(tx store.Tx) error {
		return tx.SignIn().PutPasskey(w.t.Context(), w.mara.UserID,
			loci.Passkey{ID: []byte(name), Name: name, Data: []byte("{}"), CreatedAt: w.clock.Now()})
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestSessionsOfOthersStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.owner("other", "otto@example.org")
	w.setPassword(other, "otto's own password")
	a, b := w.browser(), w.browser()
	a.signIn()
	if got := b.post("/app/sign-in", "email", other.Email, "password", "otto's own password"); got.status != 303 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	list, err := w.app.Identity.SignIns(t.Context(), w.local(w.mara))
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	const path = "/api/v1/users/me/sign-ins/"
	theirs := b.do(http.MethodDelete, path+list[0].ID.String(), nil, "")
	none := b.do(http.MethodDelete, path+loci.NewCredentialID().String(), nil, "")
	id := regexp.MustCompile(`"request_id":"[^"]*"`)
	if theirs.status != 404 || id.ReplaceAllString(theirs.body, "") != id.ReplaceAllString(none.body, "") {
		t.Errorf("%d %s, want as for none: %s", theirs.status, theirs.body, none.body)
	}
	want(t, "mara", a.get("/api/v1/whoami"), 200, maraMail)
}

func TestSuspendedOrgCanStillBeLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	_, err := w.store.Orgs().Update(t.Context(), w.mara.OrgID,
		func(o *loci.Org) error { o.State = loci.OrgSuspended; return nil })
	if err != nil {
		t.Fatal(err)
	}
	want(t, "the account", b.get("/app/"), 403, "suspended", `action="/app/sign-out"`)
	want(t, "a new sign-in", w.browser().post("/app/sign-in", "email", maraMail, "password", maraPassword.Reveal()), 403,
		"suspended")
	if a := b.post("/app/sign-out"); a.status != 303 {
		t.Errorf("sign-out: %d", a.status)
	}
	if a := b.get("/app/"); a.status != 303 {
		t.Errorf("after sign-out: %d", a.status)
	}
}
