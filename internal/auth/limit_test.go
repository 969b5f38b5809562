package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

// sharedLimits stands for a store that several processes share.
type sharedLimits struct {
	store.Store
	mu    sync.Mutex
	used  map[string]int
	takes int
	fails bool
}

func (s *sharedLimits) Limits() store.Limits { return limitsOf{s} }

type limitsOf struct{ *sharedLimits }

func (s limitsOf) Take(_ context.Context, key string, window time.Time, n int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takes++
	if s.fails {
		return 0, errors.New("the disk is gone")
	}
	if s.used == nil {
		s.used = map[string]int{}
	}
	key += window.String()
	s.used[key] += n
	return s.used[key], nil
}

func (s limitsOf) Failures(context.Context, string) (int, time.Time, error) {
	return 0, time.Time{}, nil
}
func (s limitsOf) Fail(context.Context, string, time.Time) (int, error) { return 0, nil }
func (s limitsOf) Clear(context.Context, string) error                  { return nil }
func (s limitsOf) Purge(context.Context, time.Time) error               { return nil }

var noon = time.Date(2026, 11, 20, 12, 0, 15, 0, time.UTC)

// TestOneProcessKeepsTheLimit demands the exact limit of a process alone, with
// and without a store, no writes for a tenth of it, and a fresh start in the
// next window.
func TestOneProcessKeepsTheLimit(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 3, 10, 100, 600} {
		for _, shared := range []bool{false, true} {
			now, st := noon, &sharedLimits{}
			o := auth.LimitOptions{Now: func() time.Time { return now }}
			if shared {
				o.Store = st
			}
			l := auth.NewLimiter(o)
			for range 2 {
				for i := range limit {
					d, err := l.Allow(t.Context(), "k", limit)
					if want := (auth.Decision{OK: true, Limit: limit, Remaining: limit - i - 1,
						Reset: 45 * time.Second}); err != nil || d != want {
						t.Fatalf("request %d of %d, shared %v: got %+v, %v; want %+v", i+1, limit, shared, d, err, want)
					}
					if i+1 == limit/10 && st.takes > 0 {
						t.Errorf("a tenth of %d took %d writes, want none", limit, st.takes)
					}
				}
				for range 3 {
					if d, _ := l.Allow(t.Context(), "k", limit); d.OK || d.Remaining != 0 {
						t.Errorf("beyond %d, shared %v: got %+v", limit, shared, d)
					}
				}
				if d, _ := l.Allow(t.Context(), "other", limit); !d.OK {
					t.Error("another key is refused too")
				}
				if st.takes > 12 {
					t.Errorf("%d requests took %d writes, want at most 12", limit+3, st.takes)
				}
				now, st.takes = now.Add(time.Minute), 0
			}
		}
	}
}

// TestProcessesShareALimit demands that several processes together stay within
// the limit and a tenth of it each, however the requests fall.
func TestProcessesShareALimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 120).Draw(rt, "limit")
		processes := rapid.IntRange(1, 5).Draw(rt, "processes")
		st := &sharedLimits{}
		ls := make([]*auth.Limiter, processes)
		for i := range ls {
			ls[i] = auth.NewLimiter(auth.LimitOptions{Store: st, Now: func() time.Time { return noon }})
		}
		passed := 0
		for _, at := range rapid.SliceOfN(rapid.IntRange(0, processes-1), 3*limit, 3*limit).Draw(rt, "requests") {
			if d, _ := ls[at].Allow(context.Background(), "k", limit); d.OK {
				passed++
			}
		}
		for _, l := range ls { // whatever is left
			for range 2 * limit {
				if d, _ := l.Allow(context.Background(), "k", limit); d.OK {
					passed++
				}
			}
		}
		if most := limit + processes*max(1, limit/10); passed > most || passed < limit {
			rt.Errorf("%d processes let %d requests pass, want %d to %d", processes, passed, limit, most)
		}
		if processes == 1 && passed != limit {
			rt.Errorf("one process let %d requests pass, want %d", passed, limit)
		}
	})
}

func TestLimitWithoutItsStore(t *testing.T) {
	t.Parallel()
	l := auth.NewLimiter(auth.LimitOptions{Store: &sharedLimits{fails: true}, Now: func() time.Time { return noon }})
	passed, errs := 0, 0
	for range 250 {
		d, err := l.Allow(t.Context(), "k", 100)
		if d.OK {
			passed++
		}
		if err != nil {
			errs++
		}
	}
	if passed != 100 || errs == 0 || errs > 10 {
		t.Errorf("%d passed with %d errors, want 100 and a few", passed, errs)
	}
}

func TestLimitManyAtOnce(t *testing.T) {
	t.Parallel()
	l := auth.NewLimiter(auth.LimitOptions{Store: &sharedLimits{}, Now: func() time.Time { return noon }})
	var wg sync.WaitGroup
	var mu sync.Mutex
	passed := 0
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if d, _ := l.Allow(context.Background(), "k", 300); d.OK {
					mu.Lock()
					passed++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if passed != 300 {
		t.Errorf("%d passed, want 300", passed)
	}
}

// TestGate demands who is counted together, and what the client is told.
func TestGate(t *testing.T) {
	t.Parallel()
	proxies, err := auth.ParseProxies("10.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	now := noon
	g := auth.Gate{Proxies: proxies,
		Limiter: auth.NewLimiter(auth.LimitOptions{PerPrincipal: 2, PerAddress: 1, Now: func() time.Time { return now }})}
	ada := loci.Principal{Kind: loci.KindUser, OrgID: "a", UserID: loci.NewUserID(), CredentialID: loci.NewCredentialID()}
	other := ada
	other.CredentialID = loci.NewCredentialID()
	steps := []struct {
		who       loci.Principal
		from, xff string
		own       []auth.Policy
		ok        bool
		limit     string
	}{
		{who: ada, from: "192.0.2.1:9", ok: true, limit: `["default";r=1;t=45]`},
		{who: ada, from: "192.0.2.2:9", ok: true, limit: `["default";r=0;t=45]`},
		{who: ada, from: "192.0.2.3:9", ok: false, limit: `["default";r=0;t=45]`},
		{who: other, from: "192.0.2.3:9", ok: true, limit: `["default";r=1;t=45 "keys";r=0;t=45]`,
			own: []auth.Policy{{Name: "keys", Limit: 1}}},
		{who: other, from: "192.0.2.3:9", ok: false, limit: `["default";r=0;t=45 "keys";r=0;t=45]`,
			own: []auth.Policy{{Name: "keys", Limit: 1}}},
		{from: "192.0.2.3:9", ok: true, limit: `["default";r=0;t=45]`},
		{from: "192.0.2.3:7", ok: false, limit: `["default";r=0;t=45]`},
		{from: "192.0.2.3:7", xff: "192.0.2.99", ok: false, limit: `["default";r=0;t=45]`}, // no proxy of ours
		{from: "10.1.1.1:7", xff: "192.0.2.98", ok: true, limit: `["default";r=0;t=45]`},
		{from: "10.1.1.1:7", xff: "192.0.2.97", ok: true, limit: `["default";r=0;t=45]`},
		{from: "10.1.1.1:7", xff: "192.0.2.1, 192.0.2.98", ok: false, limit: `["default";r=0;t=45]`},
		{from: "[2001:db8::1]:7", ok: true, limit: `["default";r=0;t=45]`},
		{from: "[2001:db8::ffff:2]:7", ok: false, limit: `["default";r=0;t=45]`},
		{from: "[2001:db8:0:1::1]:7", ok: true, limit: `["default";r=0;t=45]`},
		{from: "[::ffff:192.0.2.3]:7", ok: false, limit: `["default";r=0;t=45]`},
	}
	for i, step := range steps {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = step.from
		if step.xff != "" {
			r.Header.Set("X-Forwarded-For", step.xff)
		}
		h := http.Header{}
		err := g.Count(h, r, step.who, step.own...)
		if ok := err == nil; ok != step.ok ||
			err != nil && (loci.CodeOf(err) != loci.RateLimited || h.Get("Retry-After") != "45") {
			t.Errorf("step %d: got %v with Retry-After %q, want ok = %v", i, err, h.Get("Retry-After"), step.ok)
		}
		if got := fmt.Sprint(h.Values("RateLimit")); got != step.limit {
			t.Errorf("step %d: got RateLimit %s, want %s", i, got, step.limit)
		}
		if got, want := h.Values("RateLimit-Policy")[0],
			map[bool]string{true: `"default";q=1;w=60`, false: `"default";q=2;w=60`}[step.who.IsZero()]; got != want {
			t.Errorf("step %d: got RateLimit-Policy %s, want %s", i, got, want)
		}
	}
	now = now.Add(44 * time.Second)
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	h := http.Header{}
	if err := g.Count(h, r, ada); err == nil || h.Get("Retry-After") != "1" {
		t.Errorf("a second before the minute: got %v, Retry-After %q", err, h.Get("Retry-After"))
	}
	now = now.Add(2 * time.Second)
	if err := g.Count(http.Header{}, r, ada); err != nil {
		t.Errorf("in the next minute: %v", err)
	}
	if err := (auth.Gate{}).Count(h, r, loci.Principal{}); err != nil {
		t.Errorf("without a Limiter: %v", err)
	}
}

// BenchmarkGate is what an allowed request pays for being counted.
func BenchmarkGate(b *testing.B) {
	l := auth.NewLimiter(auth.LimitOptions{PerPrincipal: 1 << 40})
	g := auth.Gate{Limiter: l}
	p := loci.Principal{Kind: loci.KindUser, OrgID: "a", UserID: loci.NewUserID(), CredentialID: loci.NewCredentialID()}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	b.Run("Allow", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if d, _ := l.Allow(b.Context(), "default/someone", 1<<40); !d.OK {
				b.Fatal("refused")
			}
		}
	})
	b.Run("Count", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := g.Count(http.Header{}, r, p); err != nil {
				b.Fatal(err)
			}
		}
	})
}
