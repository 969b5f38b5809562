package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/rest"
	"github.com/loci-memory/loci/internal/store"
)

// limited is a server whose clock stands still.
func limited(t *testing.T, principal, address int) *server {
	return newServer(t, func(ro *rest.Options, ao *app.Options) {
		now := ao.Now()
		ro.Gate.Limiter = auth.NewLimiter(auth.LimitOptions{Store: ao.Store, PerPrincipal: principal, PerAddress: address,
			Now: func() time.Time { return now }})
	})
}

// TestLimitOfACredential demands that a credential is counted on every route
// together, that another one of the same person is not touched, and what the
// answer says.
func TestLimitOfACredential(t *testing.T) {
	t.Parallel()
	s := limited(t, 5, 100)
	for i, path := range []string{"/whoami", "/api/v1/memories", "/memories/" + absent, "/nowhere", "/agent/briefing"} {
		w := s.do("GET", path, owner, "")
		if w.Code == 429 {
			t.Fatalf("request %d: got 429", i+1)
		}
		if got, want := w.Header().Get("RateLimit"), fmt.Sprintf(`"default";r=%d;t=`, 4-i); !strings.HasPrefix(got, want) {
			t.Errorf("request %d: RateLimit is %q, want %q…", i+1, got, want)
		}
		if got := w.Header().Get("RateLimit-Policy"); got != `"default";q=5;w=60` {
			t.Errorf("request %d: RateLimit-Policy is %q", i+1, got)
		}
	}
	w := s.do("GET", "/whoami", owner, "")
	p := problemOf(t, w.Body.Bytes())
	if w.Code != 429 || p.Code != "rate_limited" || w.Header().Get("Retry-After") == "" || !strings.Contains(p.Detail,
		w.Header().Get("Retry-After")+" seconds") {
		t.Errorf("beyond the limit: got %d %s %v", w.Code, w.Body, w.Header())
	}
	if w := s.do("GET", "/whoami", claude, ""); w.Code != 200 {
		t.Errorf("another credential: got %d", w.Code)
	}
}

// TestLimitOfAnAddress demands that strangers are counted by address, a bad key
// like none, and that a good one still gets in from there.
func TestLimitOfAnAddress(t *testing.T) {
	t.Parallel()
	s := limited(t, 100, 3)
	from := func(address, path, key string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host, r.RemoteAddr = "127.0.0.1:5624", address
		return s.send(r, key)
	}
	for _, tt := range []struct {
		path, key string
		want      int
	}{{"/ready", "", 200}, {"/nowhere", "", 404}, {"/whoami", "", 401}, {"/whoami", "loci_live_guess", 401},
		{"/whoami", "loci_live_guess", 429}, {"/nowhere", "", 429}, {"/ready", "", 200}, {"/api/v1/ready", "", 200},
		{"/health", "", 200}, {"/health?probe=1", "", 200}, {"/api/v1/health", "", 200}, {"/whoami", owner, 200}} {
		if w := from("192.0.2.7:1", tt.path, tt.key); w.Code != tt.want {
			t.Errorf("%s with %q: got %d %s, want %d", tt.path, tt.key, w.Code, w.Body, tt.want)
		}
	}
	if w := from("192.0.2.8:1", "/nowhere", ""); w.Code != 404 {
		t.Errorf("another address: got %d", w.Code)
	}
}

// TestLimitsOfRoutes demands the limits that some routes have of their own.
func TestLimitsOfRoutes(t *testing.T) {
	t.Parallel()
	s := limited(t, 10_000, 0)
	ctx := context.Background()
	err := s.store.Update(ctx, loci.DefaultOrg, func(tx store.Tx) error {
		u, err := tx.Users().Get(ctx, s.owner.UserID)
		if err != nil {
			return err
		}
		u.Role = loci.RoleAdmin
		return tx.Users().Update(ctx, u)
	})
	if err != nil {
		t.Fatal(err)
	}
	for request, limit := range map[string]int{"GET /admin/metrics": 10, "GET /users/me/export": 10,
		`POST /teams/join {"token":"x"}`: 30} {
		for i := range limit + 1 {
			w := s.request(owner, request)
			if over := i >= limit; over != (w.Code == 429) {
				t.Fatalf("%s: request %d: got %d %s", request, i+1, w.Code, w.Body)
			}
		}
	}
	if w := s.request(owner, "GET /admin/users"); w.Code != 429 {
		t.Errorf("/admin/users after 10 of /admin/metrics: got %d, want 429", w.Code)
	}
}

// TestNoLimit demands that 0 means no limit at all for a credential, not even
// on routes that have one of their own.
func TestNoLimit(t *testing.T) {
	t.Parallel()
	s := limited(t, 0, 0)
	for range 40 {
		for _, request := range []string{`POST /memories/bulk {"operations":[]}`, "GET /users/me/export", "GET /nowhere"} {
			if w := s.request(owner, request); w.Code == 429 || w.Header().Get("RateLimit") != "" {
				t.Fatalf("%s: got %d with RateLimit %q", request, w.Code, w.Header().Get("RateLimit"))
			}
		}
	}
}

// TestLimitsOfProjects demands the limits that making and deleting projects, and
// moving graphs in and out, share with their neighbours.
func TestLimitsOfProjects(t *testing.T) {
	t.Parallel()
	s := limited(t, 10_000, 0)
	at := "/projects/" + absent
	for request, limit := range map[string]int{`POST /projects {}`: 30, "GET " + at + "/graph/export": 10} {
		for i := range limit + 1 {
			if w := s.request(owner, request); (i >= limit) != (w.Code == 429) {
				t.Fatalf("%s: request %d: got %d %s", request, i+1, w.Code, w.Body)
			}
		}
	}
	for request, want := range map[string]int{"DELETE " + at: 429, "POST " + at + "/graph/import {}": 429,
		"GET /users/me/export": 429, "GET " + at: 404,
		"POST " + at + `/graph/entities {"entities":[{"name":"x","entity_type":"y"}]}`: 404} {
		if w := s.request(owner, request); w.Code != want {
			t.Errorf("%s after the limit: got %d %s, want %d", request, w.Code, w.Body, want)
		}
	}
}
