package auth_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// FuzzCredentialsOfStrangers sends random headers and cookies: whatever they
// are, nobody gets in, and the answer is one of the two that there are.
func FuzzCredentialsOfStrangers(f *testing.F) {
	w := newWorld(f)
	_, key := w.key(f, auth.KeyRequest{Name: "k"})
	a := w.auth(f, auth.Options{OwnerKey: "owner-secret",
		AgentKeys: map[loci.Vendor]loci.Secret{"claude": "claude-secret"},
		Dashboard: auth.Dashboard{ServiceKey: "service", JWTSecret: "0123456789abcdef0123456789abcdef"}})
	f.Add("Bearer x", "", "", "loci=x", "127.0.0.1")
	f.Add("", "key", "", "__Host-loci=x", "loci.example")
	f.Add("Bearer service", "", "a.b.c", "", "localhost")
	f.Add("bearer\towner-secret", "\x00", "", `loci="a"; loci=b`, "::1")
	f.Fuzz(func(t *testing.T, authorization, apiKey, token, cookie, host string) {
		r := arrived("127.0.0.1:8080", "127.0.0.1:5", "127.0.0.1")
		r.Host, r.Header = host,
			http.Header{"Authorization": {authorization}, "X-Api-Key": {apiKey}, "X-Dashboard-Token": {token},
				"Cookie": {cookie}}
		c, err := auth.RequestOf(r)
		if err != nil {
			if loci.CodeOf(err) != loci.Invalid {
				t.Errorf("got %v", err)
			}
			return
		}
		for _, known := range []loci.Secret{"owner-secret", "claude-secret", key} {
			if c.Bearer == known {
				return
			}
		}
		if p, err := a.Authenticate(t.Context(), c); loci.CodeOf(err) != loci.Unauthenticated || !p.IsZero() {
			t.Errorf("%q %q %q %q got in as %+v, %v", authorization, apiKey, token, cookie, p, err)
		}
	})
}

// FuzzDashboardToken changes tokens that the dashboard signed: only the signed
// ones are good.
func FuzzDashboardToken(f *testing.F) {
	const secret = "0123456789abcdef0123456789abcdef"
	w := newWorld(f)
	a := w.auth(f, auth.Options{Dashboard: auth.Dashboard{ServiceKey: "service", JWTSecret: secret}})
	claims := jwt.MapClaims{"email": "mara@example.org", "iss": "loci-dashboard", "aud": "loci", "email_verified": true,
		"exp": w.now.Add(time.Hour).Unix()}
	good, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(secret))
	if err != nil {
		f.Fatal(err)
	}
	none, err := jwt.NewWithClaims(jwt.SigningMethodNone, claims).SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		f.Fatal(err)
	}
	signed, signature, _ := strings.Cut(good[strings.Index(good, ".")+1:], ".")
	for _, s := range []string{good, none, good + ".", strings.ToUpper(good), "." + signed + "." + signature, "a.b", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, token string) {
		p, err := a.Authenticate(t.Context(), auth.Request{Bearer: "service", DashboardToken: loci.Secret(token)})
		if err == nil && token != good || err != nil && (loci.CodeOf(err) != loci.Unauthenticated || !p.IsZero()) {
			t.Errorf("%q: %+v, %v", token, p, err)
		}
	})
}

func FuzzClientAddress(f *testing.F) {
	trusted, err := auth.ParseProxies("10.0.0.0/8")
	if err != nil {
		f.Fatal(err)
	}
	f.Add("10.0.0.1:5", "198.51.100.1, 10.1.1.1", `for="[::1]:5"`)
	f.Add("192.0.2.1:5", "8.8.8.8", "")
	f.Add("10.0.0.1:5", ",,,[", "for=;for==,")
	f.Fuzz(func(t *testing.T, remote, xff, forwarded string) {
		r := arrived("10.0.0.9:80", remote, "loci.example")
		r.Header = http.Header{"X-Forwarded-For": {xff}, "Forwarded": {forwarded}}
		got := trusted.ClientAddress(r)
		if direct := (auth.Proxies)(nil).ClientAddress(r); !strings.HasPrefix(direct.String(), "10.") && got != direct {
			t.Errorf("%q with %q is %v: a stranger was believed", remote, xff, got)
		}
		if got.IsValid() && (got.Is4In6() || got.Zone() != "" || got != netip.MustParseAddr(got.String())) {
			t.Errorf("got %#v", got)
		}
	})
}

func FuzzResourceIsOurs(f *testing.F) {
	for _, s := range []string{"https://loci.example/mcp", "https://loci.example@evil.example/mcp",
		"https://loci.example:443/", "HTTPS://loci.example", "https://loci.example/mcp/%2e%2e"} {
		f.Add(s)
	}
	s := auth.Site{PublicURL: "https://loci.example"}
	r := arrived("127.0.0.1:8080", "127.0.0.1:5", "127.0.0.1:8080")
	f.Fuzz(func(t *testing.T, resource string) {
		if !s.IsResource(r, resource) {
			return
		}
		u, err := url.Parse(resource)
		if err != nil || u.Scheme != "https" || !strings.EqualFold(u.Hostname(), "loci.example") ||
			u.Port() != "" && u.Port() != "443" || u.User != nil ||
			u.Fragment != "" || strings.Trim(u.Path, "/") != "" && strings.Trim(u.Path, "/") != "mcp" {
			t.Errorf("%q is taken for ours", resource)
		}
	})
}
