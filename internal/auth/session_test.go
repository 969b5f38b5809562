package auth_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

// arrived is a request as the server sees it when it came to that address.
func arrived(at, from, host string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "http://"+host+"/app/", nil)
	r.RemoteAddr = from
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey,
		net.Addr(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(at)))))
}

func TestSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.auth(t, auth.Options{})
	owner := loci.Person{UserID: w.org.OwnerID, OrgID: w.org.ID}
	p, token, err := a.StartSignIn(t.Context(), owner, "Firefox on Linux")
	if err != nil || p.Method != loci.BySignIn || p.Origin != "dashboard" || !p.Fresh(w.now) || p.Kind != loci.KindUser {
		t.Fatalf("got %+v, %v", p, err)
	}
	_, again, err := a.StartSignIn(t.Context(), owner, "Firefox on Linux")
	if err != nil || again == token || len(token) < 50 {
		t.Fatalf("tokens %q and %q, %v", token.Reveal(), again.Reveal(), err)
	}
	good := func(token loci.Secret) bool {
		q, err := a.Authenticate(t.Context(), auth.Request{Session: token})
		return err == nil && q.UserID == owner.UserID
	}
	if !good(token) || !good(again) {
		t.Error("a new session does not work")
	}
	if _, err := a.Authenticate(t.Context(), bearer(token)); loci.CodeOf(err) != loci.Unauthenticated {
		t.Errorf("a session as key: %v", err)
	}
	_, key := w.key(t, auth.KeyRequest{Name: "k"})
	if good(key) {
		t.Error("a key works as cookie")
	}
	if err := a.SignOut(t.Context(), token); err != nil || good(token) || !good(again) {
		t.Errorf("after signing out: %v, %v, %v", err, good(token), good(again))
	}
	for _, nothing := range []loci.Secret{token, "", "unknown", key} {
		if err := a.SignOut(t.Context(), nothing); err != nil {
			t.Error(err)
		}
	}
	if _, err := a.Authenticate(t.Context(), bearer(key)); err != nil {
		t.Errorf("signing out revoked a key: %v", err)
	}
	for range 4 { // used every six days: it lives for thirty
		w.now = w.now.Add(6 * 24 * time.Hour)
		if !good(again) {
			t.Fatalf("useless after %v", w.now)
		}
	}
	w.now = w.now.Add(6 * 24 * time.Hour)
	if good(again) {
		t.Error("a session lives for more than 30 days")
	}
	_, idle, err := a.StartSignIn(t.Context(), owner, "")
	if err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(auth.SessionIdle)
	if good(idle) {
		t.Error("a session that nobody used for 7 days works")
	}
	if _, _, err := a.StartSignIn(t.Context(), loci.Person{UserID: loci.NewUserID(), OrgID: w.org.ID}, ""); loci.CodeOf(
		err) != loci.Unauthenticated {
		t.Errorf("nobody's session: %v", err)
	}
	_, err = w.store.Orgs().Update(t.Context(), w.org.ID,
		func(o *loci.Org) error { o.State = loci.OrgSuspended; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.StartSignIn(t.Context(), owner, ""); loci.CodeOf(err) != loci.Forbidden {
		t.Errorf("a suspended org: %v", err)
	}
}

// TestSessionsAreRecorded signs in, proves again and signs out.
func TestSessionsAreRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.auth(t, auth.Options{})
	s, err := auth.NewSignIn(auth.SignInOptions{Authenticator: a, Store: w.store, Now: w.clock})
	if err != nil {
		t.Fatal(err)
	}
	p, token, err := a.StartSignIn(t.Context(), loci.Person{UserID: w.org.OwnerID, OrgID: w.org.ID}, "Firefox on Linux")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.StepUp(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second finds nothing to end
		if err := a.SignOut(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	err = w.store.View(t.Context(), w.org.ID, func(tx store.Tx) error {
		rows, err := tx.Audit().List(t.Context(), store.AuditQuery{Limit: 10})
		for _, r := range rows {
			if r.UserID != w.org.OwnerID || r.CredentialID != p.CredentialID || !r.Allowed || r.Method != loci.BySignIn {
				t.Errorf("got %+v", r)
			}
			got = append(got, r.Action)
		}
		return err
	})
	if want := "sign_in.end sign_in.prove sign_in.start"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("got %v, %v; want %s", got, err, want)
	}
}

func TestCookies(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	auth.SetSignInCookie(rec, "token", true)
	if got := rec.Header().Get("Set-Cookie"); got != "__Host-loci=token; Path=/; Max-Age=2592000; HttpOnly; Secure; "+
		"SameSite=Lax" {
		t.Error(got)
	}
	rec = httptest.NewRecorder()
	auth.ClearSignInCookie(rec, false)
	if got := rec.Header().Get("Set-Cookie"); got != "loci=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax" {
		t.Error(got)
	}
	for _, tt := range []struct {
		name, at, from, host string
		headers              []string
		want                 loci.Secret
	}{
		{"secure", "10.0.0.1:443", "192.0.2.1:5", "loci.example", []string{"Cookie", "__Host-loci=a; loci=b"}, "a"},
		{"plain on loopback", "127.0.0.1:8080", "127.0.0.1:5", "127.0.0.1:8080", []string{"Cookie", "loci=b"}, "b"},
		{"plain on localhost", "[::1]:8080", "[::1]:5", "localhost:8080", []string{"Cookie", "loci=b"}, "b"},
		{"plain on a network", "10.0.0.1:8080", "192.0.2.1:5", "10.0.0.1:8080", []string{"Cookie", "loci=b"}, ""},
		{"plain, Host made up", "10.0.0.1:8080", "192.0.2.1:5", "localhost", []string{"Cookie", "loci=b"}, ""},
		{"plain behind a proxy", "127.0.0.1:8080", "127.0.0.1:5", "loci.example", []string{"Cookie", "loci=b"}, ""},
		{"plain behind a proxy that hides", "127.0.0.1:8080", "127.0.0.1:5", "127.0.0.1:8080",
			[]string{"Cookie", "loci=b", "X-Forwarded-For", "192.0.2.1"}, ""},
		{"two secure", "10.0.0.1:443", "192.0.2.1:5", "loci.example", []string{"Cookie", "__Host-loci=a; __Host-loci=b"}, ""},
		{"two plain", "127.0.0.1:8080", "127.0.0.1:5", "127.0.0.1:8080", []string{"Cookie", "loci=a; loci=b"}, ""},
	} {
		r := arrived(tt.at, tt.from, tt.host)
		for i := 0; i < len(tt.headers); i += 2 {
			r.Header.Add(tt.headers[i], tt.headers[i+1])
		}
		if got := auth.SignInOf(r); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got.Reveal(), tt.want.Reveal())
		}
	}
}

func TestPlainCookieOfAnHTTPSSite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for public, want := range map[string]loci.Code{"": "", "http://localhost:8080": "",
		"https://loci.example": loci.Unauthenticated} {
		a := w.auth(t, auth.Options{Site: auth.Site{PublicURL: public}})
		_, token, err := a.StartSignIn(t.Context(), loci.Person{UserID: w.org.OwnerID, OrgID: w.org.ID}, "")
		if err != nil {
			t.Fatal(err)
		}
		r := arrived("127.0.0.1:8080", "127.0.0.1:5", "127.0.0.1:8080")
		r.AddCookie(&http.Cookie{Name: "loci", Value: token.Reveal()})
		credentials, err := auth.RequestOf(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Authenticate(t.Context(), credentials); loci.CodeOf(err) != want {
			t.Errorf("at %q: %v", public, err)
		}
	}
}

func TestBrowserName(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) " +
			"Chrome/140.0 Safari/537.36": "Chrome on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) " +
			"AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0": "Edge on Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 " +
			"Version/19.0 Mobile Safari/604.1": "Safari on iPhone",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) " +
			"Gecko/20100101 Firefox/140.0": "Firefox on macOS",
		"curl/8": "a browser", "": "a browser",
	} {
		if got := auth.BrowserName(agent); got != want {
			t.Errorf("%q: got %q, want %q", agent, got, want)
		}
	}
}

func TestSite(t *testing.T) {
	t.Parallel()
	local := arrived("127.0.0.1:8080", "127.0.0.1:5", "127.0.0.1:8080")
	laptop, server := auth.Site{}, auth.Site{PublicURL: "https://loci.example/"}
	if got := laptop.Base(local); got != "http://127.0.0.1:8080" || laptop.Secure(local) {
		t.Error(got)
	}
	if got := server.Base(local); got != "https://loci.example" || !server.Secure(local) {
		t.Error(got)
	}
	for _, host := range []string{"127.0.0.1:8080", "[::1]:8080", "localhost:8080"} {
		r := arrived("127.0.0.1:8080", "127.0.0.1:5", host)
		if got := laptop.Home(r); got != "http://localhost:8080" || laptop.AtHome(r) != (host == "localhost:8080") {
			t.Errorf("the home of %s is %s", host, got)
		}
	}
	// The name localhost does not stand for these.
	for _, host := range []string{"127.0.0.2:8080", "192.0.2.1:8080", "loci.example"} {
		r := arrived("127.0.0.2:8080", "127.0.0.1:5", host)
		if got := laptop.Home(r); got != "http://"+host || !laptop.AtHome(r) {
			t.Errorf("the home of %s is %s", host, got)
		}
	}
	container := auth.Site{Hosts: []string{"host.docker.internal"}}
	named := arrived("127.0.0.1:8080", "127.0.0.1:5", "host.docker.internal:8080")
	if got := container.Home(named); got != "http://localhost:8080" || container.AtHome(named) ||
		container.Base(named) != "http://host.docker.internal:8080" {
		t.Errorf("the home of a further name is %s", got)
	}
	for _, at := range []*http.Request{local, named} {
		if !container.IsResource(at, "http://host.docker.internal:8080/mcp") {
			t.Errorf("the resource under a further name is another's at %s", at.Host)
		}
	}
	if got := server.Home(local); got != "https://loci.example" {
		t.Errorf("the home of a server with a public address is %s", got)
	}
	for resource, want := range map[string]bool{"http://127.0.0.1:8080/mcp": true, "http://localhost:8080/mcp/": true,
		"http://[::1]:8080": true, "http://127.0.0.1:8080/": true,
		"http://127.0.0.1:8081/mcp": false, "https://127.0.0.1:8080/mcp": false, "http://127.0.0.1:8080/mcp/x": false,
		"http://127.0.0.1:8080/mcp?toolsets=search": true, "http://localhost:8080/mcp/?": true,
		"http://evil.example:8080/?x=http://127.0.0.1:8080/mcp": false, "http://127.0.0.1:8080/mcp#": false,
		"http://127.0.0.1:8080/x?y=/mcp": false, "http://host.docker.internal:8080/mcp": false,
		"http://u@127.0.0.1:8080/mcp": false, "http://evil.example:8080/mcp": false, "": false, "mcp": false} {
		if laptop.IsResource(local, resource) != want {
			t.Errorf("%s on a laptop: %v", resource, !want)
		}
	}
	for resource, want := range map[string]bool{"https://loci.example/mcp": true, "https://LOCI.example:443": true,
		"https://loci.example": true, "http://loci.example/mcp": false,
		"https://loci.example.evil.example/mcp": false, "https://loci.example/MCP": false,
		"https://loci.example//mcp": false} {
		if server.IsResource(local, resource) != want {
			t.Errorf("%s on a server: %v", resource, !want)
		}
	}
	if _, err := laptop.RP(local); loci.CodeOf(err) != loci.Unavailable ||
		!strings.Contains(err.Error(), "http://localhost:8080") {
		t.Errorf("passkeys under an address: %v", err)
	}
	if rp, err := laptop.RP(arrived("127.0.0.1:8080", "127.0.0.1:5", "localhost:8080")); err != nil ||
		rp != (auth.RP{ID: "localhost", Origin: "http://localhost:8080"}) {
		t.Errorf("got %+v, %v", rp, err)
	}
	if rp, err := server.RP(local); err != nil || rp != (auth.RP{ID: "loci.example", Origin: "https://loci.example"}) {
		t.Errorf("got %+v, %v", rp, err)
	}
}

func TestClientAddress(t *testing.T) {
	t.Parallel()
	proxies, err := auth.ParseProxies("10.0.0.0/8, ::1 2001:db8::/32")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, from string
		headers    []string
		want       string
	}{
		{"direct", "192.0.2.1:5", nil, "192.0.2.1"},
		{"not trusted", "192.0.2.1:5", []string{"X-Forwarded-For", "198.51.100.1"}, "192.0.2.1"},
		{"one proxy", "10.0.0.1:5", []string{"X-Forwarded-For", "198.51.100.1"}, "198.51.100.1"},
		{"what the client made up", "10.0.0.1:5", []string{"X-Forwarded-For", "127.0.0.1, 8.8.8.8, 198.51.100.1"},
			"198.51.100.1"},
		{"two proxies", "10.0.0.1:5", []string{"X-Forwarded-For", "8.8.8.8, 198.51.100.1:77, 10.2.2.2"}, "198.51.100.1"},
		{"two headers", "10.0.0.1:5", []string{"X-Forwarded-For", "8.8.8.8", "X-Forwarded-For", "198.51.100.1"},
			"198.51.100.1"},
		{"nonsense", "10.0.0.1:5", []string{"X-Forwarded-For", "198.51.100.1, unknown"}, "10.0.0.1"},
		{"no header", "10.0.0.1:5", nil, "10.0.0.1"},
		{"only proxies", "10.0.0.1:5", []string{"X-Forwarded-For", "10.3.3.3, 10.2.2.2"}, "10.3.3.3"},
		{"forwarded", "[::1]:5", []string{"Forwarded", `for=8.8.8.8, for="[2001:db9::1]:77";proto=https`}, "2001:db9::1"},
		{"obfuscated", "[::1]:5", []string{"Forwarded", `for=8.8.8.8, for=_hidden`}, "::1"},
		{"mapped", "[::ffff:10.0.0.1]:5", []string{"X-Forwarded-For", "::ffff:198.51.100.1"}, "198.51.100.1"},
	} {
		r := arrived("10.0.0.9:80", tt.from, "loci.example")
		for i := 0; i < len(tt.headers); i += 2 {
			r.Header.Add(tt.headers[i], tt.headers[i+1])
		}
		if got := proxies.ClientAddress(r); got.String() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, got, tt.want)
		}
	}
	for _, bad := range []string{"x", "10.0.0.0/33", "10.0.0.1:80", "::ffff:10.0.0.0/104", "localhost"} {
		if _, err := auth.ParseProxies(bad); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if none, err := auth.ParseProxies(""); err != nil || len(none) != 0 {
		t.Errorf("got %v, %v", none, err)
	}
}
