package auth

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// The limits of what says nothing else, in requests a minute.
const (
	DefaultPerPrincipal = 600
	DefaultPerAddress   = 100
)

// limitWindow is what limits count in: fixed windows, which begin with the
// minute.
const limitWindow = time.Minute

// maxTallies bounds the memory of a Limiter: so many keys a minute.
const maxTallies = 1 << 17

// takeTime is how long a request waits for the shared count.
const takeTime = time.Second

// LimitOptions configure a Limiter.
type LimitOptions struct {
	Store        store.Store // nil: this process counts for itself
	PerPrincipal int         // requests a minute of one credential; 0: no limit, nor any of a class of routes
	// requests a minute of one client address without a valid credential; 0: 100, below 0: no limit
	PerAddress int
	Now        func() time.Time // default: time.Now
}

// Limiter counts requests in fixed windows of a minute, for all processes on a
// store together. It is safe for concurrent use.
//
// Ordinary use costs no write: a process spends a tenth of a limit on its own
// account (at least one request), and only then takes shares from the store, in
// tenths, the one that it has spent included. So one process never exceeds a
// limit, and P processes never exceed limit + P*limit/10.
type Limiter struct {
	store        store.Store
	perPrincipal int
	perAddress   int
	now          func() time.Time

	mu     sync.Mutex
	window time.Time
	counts map[string]*tally // of this window; those before are dropped
}

// NewLimiter returns a Limiter.
func NewLimiter(o LimitOptions) *Limiter {
	l := &Limiter{store: o.Store, perPrincipal: o.PerPrincipal, perAddress: o.PerAddress, now: o.Now,
		counts: map[string]*tally{}}
	if l.now == nil {
		l.now = time.Now
	}
	if l.perAddress == 0 {
		l.perAddress = DefaultPerAddress
	}
	return l
}

// Decision says whether a request may pass, and what is left of its limit.
type Decision struct {
	OK        bool
	Limit     int
	Remaining int           // as far as this process knows
	Reset     time.Duration // until the next window
}

// tally is what one process knows of one key in one window.
type tally struct {
	window   time.Time
	used     int  // requests that passed here
	granted  int  // that may pass here without asking the store again
	legit    int  // of granted, what the store said yes to
	reported int  // uses that the store was told of
	total    int  // uses of all processes when the store was last asked
	last     bool // the store has no more to give

	asking sync.Mutex // held while the store is asked
}

// Allow counts one request of key, of which there may be limit in a minute; 0
// is no limit. Where the store does not answer, this process counts alone: the
// decision holds then too, and the error is for the log.
func (l *Limiter) Allow(ctx context.Context, key string, limit int) (Decision, error) {
	if limit <= 0 {
		return Decision{OK: true}, nil
	}
	now := l.now()
	for {
		t, d, done := l.pass(key, limit, now)
		if done {
			return d, nil
		}
		if err := l.ask(ctx, t, key, limit); err != nil {
			_, d, _ = l.pass(key, limit, now)
			return d, err
		}
	}
}

// pass lets a request through, or refuses it, if that can be known without the
// store.
func (l *Limiter) pass(key string, limit int, now time.Time) (t *tally, d Decision, done bool) {
	window := now.Truncate(limitWindow)
	l.mu.Lock()
	defer l.mu.Unlock()
	if window.After(l.window) || window.Before(l.window.Add(-limitWindow)) { // the second: the clock was set back
		l.window, l.counts = window, map[string]*tally{}
	}
	if t = l.counts[key]; t == nil {
		t = l.begin(key, limit)
	}
	d = Decision{OK: t.used < t.granted, Limit: limit, Reset: t.window.Add(limitWindow).Sub(now)}
	if d.OK {
		t.used++
		d.Remaining = max(0, limit-t.used-max(0, t.total-t.reported))
	}
	return t, d, d.OK || t.last
}

func (l *Limiter) begin(key string, limit int) *tally {
	if len(l.counts) >= maxTallies {
		for other := range l.counts { // which one does not matter
			delete(l.counts, other)
			break
		}
	}
	t := &tally{window: l.window, granted: share(limit)}
	if l.store == nil {
		t.granted, t.last = limit, true
	}
	l.counts[key] = t
	return t
}

// share is how much a process may use before it asks, and takes at once.
func share(limit int) int { return max(1, limit/10) }

// ask takes the next share from the store, and reports what was used before.
func (l *Limiter) ask(ctx context.Context, t *tally, key string, limit int) error {
	t.asking.Lock()
	defer t.asking.Unlock()
	l.mu.Lock()
	want := t.used - t.reported + share(limit)
	enough := t.used < t.granted || t.last // somebody else asked meanwhile
	l.mu.Unlock()
	if enough {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, takeTime)
	defer cancel()
	total, err := l.store.Limits().Take(ctx, key, t.window, want)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		t.granted = min(limit, t.used+share(limit))
		t.last = t.granted == t.used
		return err
	}
	t.reported += want
	t.total = total
	t.legit += min(want, max(0, limit-(total-want)))
	t.granted = max(t.granted, t.legit)
	t.last = total >= limit
	return nil
}

// Policy is a limit of its own for some routes, besides the one for all.
type Policy struct {
	Name  string // in lower case; shown to clients
	Limit int    // requests a minute
}

// Gate counts HTTP requests: those of a principal together, those without a
// valid credential by the client's address.
type Gate struct {
	Limiter *Limiter // nil: nothing is limited
	Proxies Proxies
	Log     *slog.Logger // hears of a store that does not answer; default: discard
}

// Count counts a request of p, or of nobody if p is zero, and writes to h what
// is left. RateLimited if there is nothing left; h says when there is again.
// own are further limits of the route. If the store does not answer, this
// process counts the request alone and logs that.
func (g Gate) Count(h http.Header, r *http.Request, p loci.Principal, own ...Policy) error {
	if g.Limiter == nil {
		return nil
	}
	limit, who := g.Limiter.perPrincipal, ""
	if p.IsZero() {
		limit, who = g.Limiter.perAddress, AddressKey(g.Proxies.ClientAddress(r))
	} else {
		who = p.Subject()
	}
	if limit <= 0 {
		return nil // no limit also means none for a class of routes
	}
	if err := g.count(h, r, Policy{"default", limit}, who); err != nil {
		return err
	}
	for _, policy := range own {
		if err := g.count(h, r, policy, who); err != nil {
			return err
		}
	}
	return nil
}

func (g Gate) count(h http.Header, r *http.Request, policy Policy, who string) error {
	d, err := g.Limiter.Allow(r.Context(), policy.Name+"/"+who, policy.Limit)
	if err != nil && g.Log != nil {
		g.Log.WarnContext(r.Context(), "cannot reach the shared count of requests; this process counts alone", "error", err)
	}
	d.write(h, policy.Name)
	if d.OK {
		return nil
	}
	h.Set("Retry-After", strconv.Itoa(seconds(d.Reset)))
	return loci.Errorf(loci.RateLimited, "too many requests: at most %d a minute; try again in %d seconds", d.Limit,
		seconds(d.Reset))
}

// write adds the fields of draft-ietf-httpapi-ratelimit-headers, whose names
// are spelt here as package http keeps them.
func (d Decision) write(h http.Header, name string) {
	b := make([]byte, 0, 48)
	b = append(append(append(b, '"'), name...), `";q=`...)
	b = strconv.AppendInt(b, int64(d.Limit), 10)
	h["Ratelimit-Policy"] = append(h["Ratelimit-Policy"], string(append(b, ";w=60"...)))
	b = append(append(append(b[:0], '"'), name...), `";r=`...)
	b = strconv.AppendInt(b, int64(d.Remaining), 10)
	b = append(b, ";t="...)
	h["Ratelimit"] = append(h["Ratelimit"], string(strconv.AppendInt(b, int64(seconds(d.Reset)), 10)))
}

func seconds(d time.Duration) int { return max(1, int((d+time.Second-1)/time.Second)) }

// AddressKey names who is behind an address. Whoever has one address of IPv6
// has the /64 that it is in.
func AddressKey(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		if net, err := a.Prefix(64); err == nil {
			return net.String()
		}
	}
	return a.String()
}
