package sqlite

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// holdForever takes a lock and never ends.
func holdForever(s *Store, _ loci.Project) error {
	if _, _, err := s.Lock(bg, "job"); err != nil {
		return err
	}
	fmt.Println("holds")
	select {}
}

// TestLockEndsWithItsProcess kills a process that holds a lock: the next caller gets it at once.
func TestLockEndsWithItsProcess(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, Options{})
	c := startJob(t, "hold", s, loci.Project{})
	defer func() { _ = c.cmd.Wait() }()
	if n := len(readLines(c, 1, func() {
		if _, _, err := s.TryLock(bg, "job"); loci.CodeOf(err) != loci.Conflict {
			t.Errorf("while another process holds the lock: %v, want Conflict", err)
		}
	})); n != 1 {
		t.Fatalf("the holder ended: %s", c.err.String())
	}
	_ = c.cmd.Wait() // it is killed
	_, unlock, err := s.TryLock(bg, "job")
	if err != nil {
		t.Fatalf("after the holder was killed: %v", explain(err))
	}
	unlock()
}

// readLines runs fn after the n-th line of a process, then kills it.
func readLines(c *process, n int, fn func()) (all []string) {
	for len(all) < n {
		var line string
		if _, err := fmt.Fscanln(c.out, &line); err != nil {
			break
		}
		all = append(all, line)
	}
	fn()
	_ = c.cmd.Process.Kill()
	return all
}

// leased returns two processes' locks that end with their leases, as those of an engine of many hosts. The clock of the
// first process stands still if it is suspended.
func leased(t *testing.T, suspended bool) (a, b *store.Locks) {
	s, now := openStore(t, Options{Dir: t.TempDir()}), time.Now()
	clock := time.Now
	if suspended {
		clock = func() time.Time { return now }
	}
	return store.NewLocks(s.registry, clock, 0, nil), store.NewLocks(s.registry, time.Now, 0, nil)
}

// TestLockWaitsForAnotherProcess lets a caller wait longer than a lease while the holder works.
func TestLockWaitsForAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := leased(t, false)
		held, unlock, err := a.Lock(t.Context(), "x")
		if err != nil {
			t.Fatal(explain(err))
		}
		var order []string
		got := make(chan error)
		go func() {
			_, leave, err := b.Lock(t.Context(), "x")
			if order = append(order, "b"); err == nil {
				leave()
			}
			got <- err
		}()
		<-time.After(3 * store.LockLease)
		if order = append(order, "a"); held.Err() != nil {
			t.Errorf("the lock of a living holder ended: %v", context.Cause(held))
		}
		unlock()
		if err := <-got; err != nil || !slices.Equal(order, []string{"a", "b"}) {
			t.Errorf("the lock was held by %v, %v; want a, then b", order, explain(err))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, unlock, err = b.Lock(t.Context(), "x"); err != nil {
			t.Fatal(explain(err))
		}
		if _, _, err := a.Lock(ctx, "x"); err == nil || err.Error() != ctx.Err().Error() {
			t.Errorf("a caller with a deadline: %v, want that of its context", explain(err))
		}
		unlock()
	})
}

// TestLostLockEndsItsHolder lets a lease end. Another process takes the lock, and the context of the old holder ends.
func TestLostLockEndsItsHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := leased(t, true)
		held, unlock, err := a.Lock(t.Context(), "x")
		if err != nil {
			t.Fatal(explain(err))
		}
		before, cancel := context.WithTimeout(t.Context(), store.LockLease-time.Second)
		defer cancel()
		if _, _, err := b.Lock(before, "x"); err == nil {
			t.Error("another process took the lock before its lease was over")
		}
		after, stop := context.WithTimeout(t.Context(), 2*store.LockLease)
		defer stop()
		_, leave, err := b.Lock(after, "x")
		if err != nil {
			t.Fatal(explain(err))
		}
		select {
		case <-held.Done():
		case <-after.Done():
		}
		if got := context.Cause(held); loci.CodeOf(got) != loci.Unavailable {
			t.Errorf("the context of the old holder ended with %v, want Unavailable", got)
		}
		unlock()
		if _, _, err := a.TryLock(t.Context(), "x"); loci.CodeOf(err) != loci.Conflict {
			t.Errorf("after the old holder unlocks: %v, want that the new one still holds the lock", err)
		}
		leave()
	})
}
