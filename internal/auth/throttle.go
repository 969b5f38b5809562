package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"net/netip"
	"strings"
	"time"

	"github.com/loci-memory/loci"
)

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
	n, last, err := s.store.Limits().Failures(ctx, t.key)
	if err != nil || n == 0 {
		return 0, err
	}
	now := s.now()
	if now.Sub(last) > failureMemory {
		return 0, s.store.Limits().Clear(ctx, t.key)
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
	n, err := s.store.Limits().Fail(ctx, t.key, loci.CutTime(s.now()))
	if err != nil {
		return 0, err
	}
	if n > t.free && n != before+1 {
		return 0, errWait(t.wait(n))
	}
	return n, nil
}
