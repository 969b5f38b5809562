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

// How many failures in a row are free, and how long to wait after the next
// ones: firstWait, doubled with each, up to maxWait. Failures older than
// failureMemory are forgotten.
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

// RetryAfter returns how long the caller of a RateLimited error must wait, in
// whole seconds; 0 for other errors.
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

// throttle is one thing that can fail too often.
type throttle struct {
	key  string
	free int
}

// byAccount is keyed by the address as sent, so that it behaves the same for
// one that nobody has. It is hashed: the table of failures names no one.
func byAccount(email string) throttle {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(email))))
	return throttle{"signin:account:" + hex.EncodeToString(sum[:]), freePerAccount}
}

// byAddress treats the addresses that one IPv6 customer can choose from as one.
func byAddress(a netip.Addr) throttle {
	return throttle{"signin:address:" + AddressKey(a), freePerAddress}
}

func byPerson(id loci.UserID) throttle { return throttle{"stepup:" + id.String(), freePerAccount} }

func (t throttle) wait(n int) time.Duration {
	if n < t.free {
		return 0
	}
	if n-t.free > 20 { // beyond any doubling that stays below maxWait
		return maxWait
	}
	return min(firstWait<<(n-t.free), maxWait)
}

// check returns the failures so far, or RateLimited while one must wait.
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

// attempt counts a failure before the password is looked at, and lets it pass
// or refuses with RateLimited. Counting first is what makes guesses that are
// sent at once no cheaper than guesses in a row: of those beyond the free ones
// only one gets through. Within a process one is counted after the other, so that
// the refused ones do not count: a crowd would make the wait as long as it gets.
func (s *SignIn) attempt(ctx context.Context, t throttle) error {
	counting := &s.counting[crc32.ChecksumIEEE([]byte(t.key))%uint32(len(s.counting))]
	counting.Lock()
	defer counting.Unlock()
	before, err := s.check(ctx, t)
	if err != nil {
		return err
	}
	n, err := s.store.Limits().Fail(ctx, t.key, loci.CutTime(s.now()))
	if err != nil {
		return err
	}
	if n > t.free && n != before+1 {
		return errWait(t.wait(n))
	}
	return nil
}
