package store

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/loci-memory/loci"
)

// Lease is the row of a lock.
type Lease struct {
	Holder int64 // the number of a process
	Until  time.Time
}

// LockRows are the rows of locks, which an engine has.
type LockRows interface {
	// Lease returns the row of a lock, or zero.
	Lease(ctx context.Context, name string) (Lease, error)
	// SetLease replaces the row of a lock, or inserts it if was is zero. It reports whether the row was as expected.
	SetLease(ctx context.Context, name string, was, l Lease) (bool, error)
	// EndLease deletes the row of a lock if holder has it.
	EndLease(ctx context.Context, name string, holder int64) error
}

// Locks are the locks of one process on a store. They are safe for concurrent use.
type Locks struct {
	rows  LockRows
	now   func() time.Time
	self  int64                   // the number of this process
	lives func(holder int64) bool // nil: holders renew their leases
	turns sync.Map                // by name: of the callers in this process. The names stay, one for each changed project
}

// NewLocks returns the locks of a process with the number self. If lives can tell whether a process lives, a lock ends
// with its process. If it is nil, self is random, and a lock ends with its lease.
func NewLocks(rows LockRows, now func() time.Time, self int64, lives func(holder int64) bool) *Locks {
	if lives == nil {
		self = rand.Int64()
	}
	return &Locks{rows: rows, now: now, self: self, lives: lives}
}

// How often a caller checks whether another process has released a lock.
const (
	shortestWait = time.Millisecond
	longestWait  = 64 * time.Millisecond
)

// Lock waits for the lock of that name and holds it until unlock. See Store.
func (l *Locks) Lock(ctx context.Context, name string) (held context.Context, unlock func(), err error) {
	turn := l.turn(name)
	if err := turn.Acquire(ctx, 1); err != nil {
		return nil, nil, err
	}
	for wait := shortestWait; ; wait = min(2*wait, longestWait) {
		row, err := l.take(ctx, name)
		if err == nil && row == (Lease{}) {
			select {
			case <-time.After(wait):
				continue
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		return l.hold(ctx, name, row, turn, err)
	}
}

// TryLock works like Lock. It fails with Conflict instead of waiting.
func (l *Locks) TryLock(ctx context.Context, name string) (held context.Context, unlock func(), err error) {
	taken := loci.Errorf(loci.Conflict, "another caller is doing this at the moment; try again later")
	turn := l.turn(name)
	if !turn.TryAcquire(1) {
		return nil, nil, taken
	}
	row, err := l.take(ctx, name)
	if err == nil && row == (Lease{}) {
		err = taken
	}
	return l.hold(ctx, name, row, turn, err)
}

func (l *Locks) turn(name string) *semaphore.Weighted {
	turn, _ := l.turns.LoadOrStore(name, semaphore.NewWeighted(1))
	return turn.(*semaphore.Weighted) //nolint:forcetypeassert // the map has nothing else
}

// take returns zero if another process has the lock. A row of this process is left over from a release that failed.
func (l *Locks) take(ctx context.Context, name string) (Lease, error) {
	was, err := l.rows.Lease(ctx, name)
	if err != nil {
		return Lease{}, err
	}
	if was.Holder != l.self && was != (Lease{}) {
		taken := was.Until.After(l.now())
		if l.lives != nil {
			taken = l.lives(was.Holder)
		}
		if taken {
			return Lease{}, nil
		}
	}
	row := l.fresh()
	if took, err := l.rows.SetLease(ctx, name, was, row); !took || err != nil {
		return Lease{}, err
	}
	return row, nil
}

func (l *Locks) fresh() Lease { return Lease{l.self, loci.CutTime(l.now().Add(LockLease))} }

// hold returns the taken lock, and renews its lease if necessary. If there is an error, it ends the caller's turn.
func (l *Locks) hold(ctx context.Context, name string, row Lease, turn *semaphore.Weighted, err error) (
	held context.Context, unlock func(), _ error) {
	if err != nil {
		turn.Release(1)
		return nil, nil, err
	}
	held, end := context.WithCancelCause(ctx)
	ctx = context.WithoutCancel(ctx) // the lock outlasts ctx until unlock
	var renewing sync.WaitGroup
	done := make(chan struct{})
	if l.lives == nil {
		renewing.Go(func() { l.renew(ctx, name, row, done, end) })
	}
	return held, func() {
		close(done)
		renewing.Wait()
		end(nil)
		_ = l.rows.EndLease(ctx, name, l.self) // if it fails, the lease ends, or this process takes the row again
		turn.Release(1)
	}, nil
}

// renewEvery leaves time for two attempts before a lease ends.
const renewEvery = LockLease / 3

// renew renews a lease until done is closed. It calls end if the lease is lost.
func (l *Locks) renew(ctx context.Context, name string, row Lease, done <-chan struct{},
	end context.CancelCauseFunc) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		try, cancel := context.WithTimeout(ctx, renewEvery)
		next := l.fresh()
		kept, err := l.rows.SetLease(try, name, row, next)
		cancel()
		switch {
		case kept:
			row = next
		case err == nil || !l.now().Before(row.Until):
			end(loci.Errorf(loci.Unavailable, "this process no longer holds the lock %s; try again", name))
			return
		}
	}
}
