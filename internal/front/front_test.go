package front_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/front"
)

// answer is a surface that answers with a status and the path.
func answer(status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(r.URL.Path))
	})
}

// newDoor returns a front door whose API answers 200.
func newDoor(o front.Options) http.Handler {
	if o.REST == nil {
		o.REST = answer(http.StatusOK)
	}
	if o.Auth == nil {
		o.Auth = &auth.Authenticator{} // for requests without a cookie
	}
	return front.New(o)
}

// do sends one request. A header is "Name: value".
func do(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	return doAt(h, "localhost:5624", method, path, headers...)
}

// doAt is do under a name of the host.
func doAt(h http.Handler, host, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	r.Host = host
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestHeaders(t *testing.T) {
	h := do(newDoor(front.Options{}), "GET", "/health").Header()
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
		"Referrer-Policy":           "no-referrer",
		"Strict-Transport-Security": "", "Access-Control-Allow-Origin": ""} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	public := newDoor(front.Options{Site: auth.Site{PublicURL: "https://loci.example"}})
	if got := do(public, "GET", "/health").Header().Get("Strict-Transport-Security"); got == "" {
		t.Error("no HSTS with a public https address")
	}
}

// TestRetryAfter demands that each 429 has the header, and that the door keeps what a surface has put there.
func TestRetryAfter(t *testing.T) {
	busy := func(after string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if after != "" {
				w.Header().Set("Retry-After", after)
			}
			w.WriteHeader(http.StatusTooManyRequests)
		})
	}
	for sent, want := range map[string]string{"": "2", "17": "17"} {
		if got := do(newDoor(front.Options{REST: busy(sent)}), "GET", "/x").Header().Get("Retry-After"); got != want {
			t.Errorf("a surface sends Retry-After %q: got %q, want %q", sent, got, want)
		}
	}
	if got := do(newDoor(front.Options{}), "GET", "/x").Header().Get("Retry-After"); got != "" {
		t.Errorf("an answer 200 has Retry-After %q", got)
	}
}

func TestRequestID(t *testing.T) {
	h := newDoor(front.Options{})
	for sent, kept := range map[string]bool{"trace-1.A_b": true, "": false, "two words": false, "a\"b": false,
		strings.Repeat("a", 129): false} {
		got := do(h, "GET", "/health", "X-Request-Id: "+sent).Header().Get("X-Request-Id")
		if (got == sent) != kept || got == "" {
			t.Errorf("sent %q, got %q, want it kept: %v", sent, got, kept)
		}
	}
}

// TestServerTiming demands that people get it, and neither vendors nor
// strangers do.
func TestServerTiming(t *testing.T) {
	for name, tt := range map[string]struct {
		p    loci.Principal
		want string
	}{"a person": {loci.Principal{Kind: loci.KindUser, OrgID: loci.DefaultOrg, UserID: loci.NewUserID()},
		`^app;dur=\d+\.\d{3}$`},
		"an agent":   {loci.Principal{Kind: loci.KindAgent, OrgID: loci.DefaultOrg, Vendor: "claude"}, "^$"},
		"a stranger": {loci.Principal{}, "^$"}} {
		h := newDoor(front.Options{REST: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.(interface{ Admitted(loci.Principal) }).Admitted(tt.p)
		})})
		if got := do(h, "GET", "/whoami").Header().Get("Server-Timing"); !regexp.MustCompile(tt.want).MatchString(got) {
			t.Errorf("%s: got %q, want %s", name, got, tt.want)
		}
	}
}

func TestPanics(t *testing.T) {
	var log bytes.Buffer
	h := newDoor(front.Options{Log: slog.New(slog.NewTextHandler(&log, nil)),
		REST: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				_, _ = w.Write([]byte("half an ans"))
			}
			panic("s3cret state")
		})})
	w := do(h, "POST", "/memories")
	if w.Code != 500 || strings.Contains(w.Body.String(), "s3cret") || !strings.Contains(w.Body.String(),
		`"internal error"`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "s3cret state") || !strings.Contains(log.String(), "stack=") {
		t.Errorf("the panic is not in the log:\n%s", &log)
	}
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, http.ErrAbortHandler) {
			t.Errorf("a torn answer ended with %v, want %v", err, http.ErrAbortHandler)
		}
	}()
	do(h, "PUT", "/memories")
}

// TestMCPRefusesForeignPagesItself demands that a foreign Origin reaches nothing but /mcp, which answers in JSON-RPC.
func TestMCPRefusesForeignPagesItself(t *testing.T) {
	h := newDoor(front.Options{MCP: answer(http.StatusTeapot)})
	for path, want := range map[string]int{"/mcp": http.StatusTeapot, "/mcp/": http.StatusTeapot, "/mcp/x": 403,
		"/memories": 403} {
		if w := do(h, "POST", path, "Origin: https://evil.example"); w.Code != want {
			t.Errorf("%s: got %d, want %d", path, w.Code, want)
		}
	}
	if w := do(newDoor(front.Options{}), "POST", "/mcp", "Origin: https://evil.example"); w.Code != 403 {
		t.Errorf("without MCP: got %d, want 403", w.Code)
	}
}

// TestRouting demands that every surface gets its own paths, and the API the
// rest, unclean ones too.
func TestRouting(t *testing.T) {
	full := newDoor(front.Options{MCP: answer(http.StatusAccepted), Web: answer(http.StatusTeapot)})
	bare := newDoor(front.Options{})
	for path, want := range map[string]int{"/mcp": 202, "/mcp/": 202, "/mcp/x": 200, "/app/": 418, "/app/sign-in": 418,
		"/oauth/token": 418,
		"/.well-known/oauth-authorization-server": 418, "/app/../memories": 200, "//app/": 200,
		"/memories": 200, "/": 200} {
		w := do(full, "GET", path)
		if w.Code != want || w.Body.String() != path || w.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s: got %d %s %v, want %d", path, w.Code, w.Body, w.Header(), want)
		}
		if w := do(bare, "GET", path); w.Code != 200 {
			t.Errorf("%s without MCP and pages: got %d, want the API", path, w.Code)
		}
	}
	if w := do(full, "GET", "/", "Accept: text/html,*/*"); w.Code != 303 || w.Header().Get("Location") != "/app/" {
		t.Errorf("/ in a browser: got %d %s", w.Code, w.Header().Get("Location"))
	}
	if w := do(full, "GET", "/app"); w.Code != 303 || w.Header().Get("Location") != "/app/" {
		t.Errorf("/app: got %d %s", w.Code, w.Header().Get("Location"))
	}
	if w := do(bare, "GET", "/app"); w.Code != 200 {
		t.Errorf("/app without pages: got %d, want the API", w.Code)
	}
	if w := do(bare, "GET", "/", "Accept: text/html,*/*"); w.Code != 200 {
		t.Errorf("/ in a browser without pages: got %d", w.Code)
	}
}

// TestPagesHaveOneName demands that browsers get pages under localhost only, and that programs may use any name.
func TestPagesHaveOneName(t *testing.T) {
	surfaces := front.Options{MCP: answer(http.StatusAccepted), Web: answer(http.StatusTeapot)}
	h := newDoor(surfaces)
	for _, host := range []string{"127.0.0.1:5624", "[::1]:5624"} {
		for _, path := range []string{"/app/keys?a=b", "/oauth/authorize?state=x%20y", "/app/link?token=t"} {
			w := doAt(h, host, "GET", path)
			if to := w.Header().Get("Location"); w.Code != 307 || to != "http://localhost:5624"+path {
				t.Errorf("%s%s: got %d to %q", host, path, w.Code, to)
			}
		}
		if w := doAt(h, host, "GET", "/", "Accept: text/html"); w.Header().Get("Location") != "http://localhost:5624/" {
			t.Errorf("%s in a browser: got %d to %q", host, w.Code, w.Header().Get("Location"))
		}
		for request, want := range map[string]int{"POST /mcp": 202, "GET /mcp": 202, "POST /mcp/": 202,
			"DELETE /mcp/?toolsets=graph": 202, "POST /mcp//": 200, "POST /mcp/x": 200, "POST /oauth/token": 418,
			"GET /.well-known/oauth-protected-resource/mcp": 418, "GET /memories": 200, "GET /": 200, "POST /app/link": 418} {
			method, path, _ := strings.Cut(request, " ")
			if w := doAt(h, host, method, path); w.Code != want {
				t.Errorf("%s at %s: got %d, want %d", request, host, w.Code, want)
			}
		}
	}
	surfaces.Site.Hosts = []string{"host.docker.internal"}
	named := newDoor(surfaces)
	if w := doAt(named, "host.docker.internal:5624", "GET", "/app/keys"); w.Code != http.StatusTemporaryRedirect ||
		w.Header().Get("Location") != "http://localhost:5624/app/keys" {
		t.Errorf("a page under a further name: got %d to %q", w.Code, w.Header().Get("Location"))
	}
	if w := doAt(named, "host.docker.internal:5624", "POST", "/mcp"); w.Code != http.StatusAccepted {
		t.Errorf("MCP under a further name: got %d", w.Code)
	}
	surfaces.Site.PublicURL = "https://loci.example"
	if w := doAt(newDoor(surfaces), "127.0.0.1:5624", "GET", "/app/"); w.Code != http.StatusTeapot {
		t.Errorf("behind a proxy: got %d, want the page", w.Code)
	}
}

func TestPagesOfOtherSites(t *testing.T) {
	h := newDoor(front.Options{Web: answer(http.StatusTeapot)})
	if w := do(h, "POST", "/oauth/token", "Origin: https://inspector.example"); w.Code != http.StatusTeapot {
		t.Errorf("/oauth/token from a page: got %d", w.Code)
	}
	if w := do(h, "POST", "/app/keys", "Origin: https://evil.example"); w.Code != 403 {
		t.Errorf("/app/keys from a page of another site: got %d, want 403", w.Code)
	}
}

// TestForeignHosts sends requests as a loopback listener gets them.
func TestForeignHosts(t *testing.T) {
	h := newDoor(front.Options{})
	for _, tt := range []struct {
		host, origin string
		want         int
	}{{"127.0.0.1:5624", "", 200}, {"evil.example", "", 403}, {"127.0.0.1:5624", "https://evil.example", 403}} {
		r := httptest.NewRequest(http.MethodGet, "/whoami", nil)
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey,
			net.Addr(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 5624})))
		r.Host = tt.host
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != tt.want {
			t.Errorf("Host %q, Origin %q: got %d, want %d", tt.host, tt.origin, w.Code, tt.want)
		}
	}
}

// TestPagesAreCounted demands that strangers who ask for pages are counted by
// their address.
func TestPagesAreCounted(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 15, 0, time.UTC)
	limiter := auth.NewLimiter(auth.LimitOptions{PerAddress: 2, Now: func() time.Time { return now }})
	h := newDoor(front.Options{Web: answer(http.StatusTeapot), Gate: auth.Gate{Limiter: limiter}})
	for i, want := range []int{418, 418, 429} {
		if w := do(h, "GET", "/app/sign-in"); w.Code != want {
			t.Errorf("request %d: got %d, want %d", i+1, w.Code, want)
		}
	}
}

func TestStreamsCanBeFlushed(t *testing.T) {
	h := newDoor(front.Options{MCP: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Errorf("a stream cannot be flushed: %v", err)
		}
	})})
	if w := do(h, "POST", "/mcp"); w.Code != http.StatusAccepted || !w.Flushed {
		t.Errorf("got %d, flushed %v", w.Code, w.Flushed)
	}
}

// api is an API that has one path.
type api struct{ http.Handler }

func (api) Serves(r *http.Request) bool { return r.URL.Path == "/health" }

func TestUnknownPathsArePagesForBrowsers(t *testing.T) {
	h := newDoor(front.Options{REST: api{answer(http.StatusOK)}, Web: answer(http.StatusNotFound)})
	for _, c := range []struct {
		method, path, accept string
		page                 bool
	}{
		{"GET", "/nowhere", "text/html,*/*", true},
		{"GET", "/nowhere", "application/json", false},
		{"GET", "/nowhere", "", false},
		{"POST", "/nowhere", "text/html,*/*", false},
		{"GET", "/health", "text/html,*/*", false},
	} {
		if got := do(h, c.method, c.path, "Accept: "+c.accept).Code == http.StatusNotFound; got != c.page {
			t.Errorf("%s %s for %q: a page: %v, want %v", c.method, c.path, c.accept, got, c.page)
		}
	}
}
