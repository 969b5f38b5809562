package auth_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

func TestHosts(t *testing.T) {
	t.Parallel()
	const here, everywhere = "127.0.0.1:5624", "192.0.2.7:5624"
	none, public := auth.NewHostRule(auth.Site{}), auth.NewHostRule(auth.Site{PublicURL: "https://loci.example/base"})
	named := auth.NewHostRule(auth.Site{Hosts: []string{"host.docker.internal"}})
	tests := []struct {
		name         string
		rule         auth.HostRule
		listener     string
		host, origin string
		want         bool
	}{
		{"loopback", none, here, "127.0.0.1:5624", "", true},
		{"IPv6", none, "[::1]:5624", "[::1]:5624", "", true},
		{"name in capitals", none, here, "LOCALHOST:5624", "", true},
		{"a rebound name", none, here, "evil.example:5624", "", false},
		{"a rebound name that begins well", none, here, "localhost.evil.example:5624", "", false},
		{"a name as the port", none, here, "localhost:5624.evil.example", "", false},
		{"words as the port", none, here, "localhost:a b", "", false},
		{"a name that ends like the public one", public, here, "evilloci.example", "", false},
		{"no host", none, here, "", "", false},
		{"own page", none, here, "127.0.0.1:5624", "http://127.0.0.1:5624", true},
		{"page of this machine at another port", none, here, "127.0.0.1:5624", "http://localhost:3000", true},
		{"strange page", none, here, "127.0.0.1:5624", "https://evil.example", false},
		{"strange page that begins well", none, here, "127.0.0.1:5624", "http://127.0.0.1.evil.example", false},
		{"file or sandbox", none, here, "127.0.0.1:5624", "null", false},
		{"empty origin", none, here, "127.0.0.1:5624", " ", false},
		{"another scheme", none, here, "127.0.0.1:5624", "chrome-extension://127.0.0.1:5624", false},
		{"a further name", named, here, "Host.docker.internal:5624", "", true},
		{"a further name, its own page", named, here, "host.docker.internal:5624", "http://host.docker.internal:5624", true},
		{"loopback beside a further name", named, here, "localhost:5624", "", true},
		{"a further name's page at another port", named, here, "host.docker.internal:5624",
			"http://host.docker.internal:3000", false},
		{"below a further name", named, here, "a.host.docker.internal:5624", "", false},
		{"public name", public, here, "loci.example", "https://loci.example", true},
		{"public name with port", public, here, "LOCI.example:443", "https://loci.example", true},
		{"public page behind a gateway", public, here, "localhost:5624", "https://loci.example", true},
		{"public name, page without TLS", public, here, "loci.example", "http://loci.example", false},
		{"public name at another port", public, here, "loci.example:8443", "https://loci.example:8443", true},
		{"public name without TLS", public, here, "localhost:5624", "http://loci.example", false},
		{"open listener, any host", none, everywhere, "whatever.example", "", true},
		{"open listener, own page", none, everywhere, "whatever.example", "http://whatever.example", true},
		{"open listener, strange page", none, everywhere, "whatever.example", "https://evil.example", false},
		{"open listener, page of somebody's machine", none, everywhere, "whatever.example", "http://localhost:3000", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			listener, err := net.ResolveTCPAddr("tcp", tt.listener)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(http.MethodGet, "/health", nil)
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(listener)))
			r.Host = tt.host
			if tt.origin != "" {
				r.Header.Set("Origin", tt.origin)
			}
			if err := tt.rule.Check(r); (err == nil) != tt.want || err != nil && loci.CodeOf(err) != loci.Forbidden {
				t.Errorf("got %v, want allowed = %v", err, tt.want)
			}
		})
	}
}

func TestRequestOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		header http.Header
		bearer loci.Secret
		code   loci.Code
	}{
		{"none", http.Header{}, "", ""},
		{"one", http.Header{"Authorization": {"Bearer a"}}, "a", ""},
		{"another scheme", http.Header{"Authorization": {"Basic a"}}, "", ""},
		{"two", http.Header{"Authorization": {"Bearer a", "Bearer b"}}, "", loci.Invalid},
		{"the same twice", http.Header{"Authorization": {"Bearer a", "Bearer a"}}, "", loci.Invalid},
		{"two tokens", http.Header{"Authorization": {"Bearer a"}, "X-Dashboard-Token": {"a", "b"}}, "", loci.Invalid},
	}
	for _, tt := range tests {
		got, err := auth.RequestOf(&http.Request{Header: tt.header})
		if got.Bearer != tt.bearer || loci.CodeOf(err) != tt.code {
			t.Errorf("%s: got %q, %v", tt.name, got.Bearer.Reveal(), err)
		}
	}
}
