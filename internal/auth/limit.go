package auth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// DefaultPerAddress is the default limit for an address, in requests a minute.
const DefaultPerAddress = 100

// limitWindow is the fixed window in which limits count. Windows begin at full minutes.
const limitWindow = time.Minute

// maxTallies limits the memory of a Limiter: the number of keys per minute.
const maxTallies = 1 << 17

// takeTime is the maximum time for which a request waits for the shared count.
const takeTime = time.Second

// LimitOptions configure a Limiter.
type LimitOptions struct {
	Store        store.Store // nil: this process counts alone
	PerPrincipal int         // requests a minute of one credential; 0: no limit, not even for a class of routes
	// PerAddress limits the requests a minute of one client address without a valid credential. If it
	// is 0, the limit is 100; if it is negative, there is none.
	PerAddress int
	Now        func() time.Time // default: time.Now
}

// Limiter counts requests in fixed windows of a minute, for all processes on a store together. It
// is safe for concurrent use.
//
// Ordinary use costs no write. A process first uses a tenth of a limit on its own (at least one request). Only then
// does it take shares of a tenth from the store, which include the tenth already used. So one process never exceeds a
// limit, and P processes never exceed limit + P*limit/10.
type Limiter struct {
	store        store.Store
	perPrincipal int
	perAddress   int
	now          func() time.Time

	mu     sync.Mutex
	window time.Time
	counts map[string]*tally // of this window; older ones are dropped
}

// NewLimiter returns a Limiter.
func NewLimiter(o LimitOptions) *Limiter {
	l := &Limiter{store: o.Store, perPrincipal: o.PerPrincipal, perAddress: o.PerAddress, now: o.Now,
		counts: map[string]*tally{}}
	if l.now == nil {
		l.now = time.Now
	}
	l.perAddress = cmp.Or(l.perAddress, DefaultPerAddress)
	return l
}

// Decision is whether a request may pass, and how much of its limit is left.
type Decision struct {
	OK        bool
	Limit     int
	Remaining int           // as far as this process knows
	Reset     time.Duration // until the next window
}

// tally is the state of one key in one window in this process.
type tally struct {
	window   time.Time
	used     int  // requests that passed in this process
	granted  int  // requests that may pass in this process before it asks the store
	legit    int  // the part of granted that the store confirmed
	reported int  // uses reported to the store
	total    int  // uses in all processes at the last request to the store
	last     bool // the store has nothing left to grant

	asking sync.Mutex // held while this process asks the store
}

// Allow counts one request of key, with a maximum of limit in a minute. 0 means no limit. If the store doesn't
// answer, this process counts alone. The decision is valid even then, and the error is only for the log.
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

// pass decides whether a request may pass, if it can decide that without the store.
func (l *Limiter) pass(key string, limit int, now time.Time) (t *tally, d Decision, done bool) {
	window := now.Truncate(limitWindow)
	l.mu.Lock()
	defer l.mu.Unlock()
	if window.After(l.window) || window.Before(l.window.Add(-limitWindow)) { // the second case: the clock was set back
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
		for other := range l.counts { // any other will do
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

// share returns the number of requests that a process takes from the store at once.
func share(limit int) int { return max(1, limit/10) }

// ask takes the next share from the store and reports the uses so far.
func (l *Limiter) ask(ctx context.Context, t *tally, key string, limit int) error {
	t.asking.Lock()
	defer t.asking.Unlock()
	l.mu.Lock()
	want := t.used - t.reported + share(limit)
	enough := t.used < t.granted || t.last // another request asked meanwhile
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

// Policy is an additional limit for some routes.
type Policy struct {
	Name  string // in lower case; shown to clients
	Limit int    // requests a minute
}

// Gate counts HTTP requests: per principal, or per client address if there is no valid credential.
type Gate struct {
	Limiter *Limiter // nil: no limits
	Proxies Proxies
	Log     *slog.Logger // logs when the store doesn't answer; default: discard
}

// Count counts a request of p, or of an unknown caller if p is zero, and writes the remaining limit to h. It fails
// with RateLimited if nothing is left; h then has the time of the next window. own are additional limits of the
// route. If the store doesn't answer, this process counts the request alone and logs that.
func (g Gate) Count(h http.Header, r *http.Request, p loci.Principal, own ...Policy) error {
	if g.Limiter == nil {
		return nil
	}
	limit := g.Limiter.perPrincipal
	if p.IsZero() {
		limit = g.Limiter.perAddress
	}
	if limit <= 0 {
		return nil // no general limit also means no limit for a class of routes
	}
	var who string
	if p.IsZero() {
		who = AddressKey(g.Proxies.ClientAddress(r))
	} else {
		who = p.Subject()
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

// write adds the fields of draft-ietf-httpapi-ratelimit-headers. Their names are spelled as package http stores them.
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

// AddressKey returns the key under which an address is counted. For IPv6 that is its /64, because
// one customer has all addresses of a /64.
func AddressKey(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		if net, err := a.Prefix(64); err == nil {
			return net.String()
		}
	}
	return a.String()
}

// Limits on consecutive failures: how many are free, and how long to wait after each further one. The wait starts at
// firstWait and doubles with each failure up to maxWait. Failures older than failureMemory are forgotten.
const (
	freePerAccount = 5
	freePerAddress = 20
	firstWait      = 2 * time.Second
	maxWait        = 15 * time.Minute
	failureMemory  = 24 * time.Hour
)

// waitError is the cause of a RateLimited error.
type waitError struct{ wait time.Duration }

func (e *waitError) Error() string { return "wait " + e.wait.String() }

// RetryAfter returns how long the caller must wait after a RateLimited error, in whole seconds. It
// returns 0 for other errors.
func RetryAfter(err error) time.Duration {
	var w *waitError
	if !errors.As(err, &w) {
		return 0
	}
	return (w.wait + time.Second - 1).Truncate(time.Second)
}

func errWait(wait time.Duration) error {
	e := &waitError{wait}
	return loci.WrapError(loci.RateLimited, e, "too many failed attempts; wait %s, then try again", fmtWait(RetryAfter(e)))
}

func fmtWait(d time.Duration) string {
	if d >= 2*time.Minute {
		return fmt.Sprintf("%d minutes", int((d+time.Minute-1)/time.Minute))
	}
	return fmt.Sprintf("%d seconds", int(d/time.Second))
}

// throttle limits the failures of one thing.
type throttle struct {
	key  string
	free int
}

// byAccount uses the address as sent as its key, so that unknown addresses behave the same. The key
// is hashed, so that the table of failures names no one.
func byAccount(email string) throttle {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(email))))
	return throttle{"signin:account:" + hex.EncodeToString(sum[:]), freePerAccount}
}

// byAddress treats all addresses that one IPv6 customer can choose from as one.
func byAddress(a netip.Addr) throttle {
	return throttle{"signin:address:" + AddressKey(a), freePerAddress}
}

func byPerson(id loci.UserID) throttle { return throttle{"stepup:" + id.String(), freePerAccount} }

func (t throttle) wait(n int) time.Duration {
	if n < t.free {
		return 0
	}
	if n-t.free > 20 { // beyond any doubling below maxWait
		return maxWait
	}
	return min(firstWait<<(n-t.free), maxWait)
}

// check returns the number of failures so far, or RateLimited if the caller must wait.
func (s *SignIn) check(ctx context.Context, t throttle) (int, error) {
	n, last, err := s.o.Store.Limits().Failures(ctx, t.key)
	if err != nil || n == 0 {
		return 0, err
	}
	now := s.o.Now()
	if now.Sub(last) > failureMemory {
		return 0, s.o.Store.Limits().Clear(ctx, t.key)
	}
	if until := last.Add(t.wait(n)); now.Before(until) {
		return n, errWait(until.Sub(now))
	}
	return n, nil
}

// attempt counts a failure before the password is checked. It then lets the attempt pass or fails with RateLimited.
// It returns the number of failures, if this one is another. Counting first makes simultaneous guesses as expensive
// as consecutive ones: beyond the free ones, only one gets through. Within a process, attempts are counted one after
// the other, so that rejected ones don't count. Otherwise a crowd would lengthen the wait without end.
func (s *SignIn) attempt(ctx context.Context, t throttle) (int, error) {
	counting := &s.counting[crc32.ChecksumIEEE([]byte(t.key))%uint32(len(s.counting))]
	counting.Lock()
	defer counting.Unlock()
	before, err := s.check(ctx, t)
	if err != nil {
		return 0, err
	}
	n, err := s.o.Store.Limits().Fail(ctx, t.key, loci.CutTime(s.o.Now()))
	if err != nil {
		return 0, err
	}
	if n > t.free && n != before+1 {
		return 0, errWait(t.wait(n))
	}
	return n, nil
}
