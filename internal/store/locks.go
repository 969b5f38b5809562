package store

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

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

// LockOptions configure Locks. Rows and Now are required.
type LockOptions struct {
	Rows LockRows
	Now  func() time.Time
	// Self is the number of this process. Lives reports whether another process may still live; nil: it may until its
	// lease is over, and Self is random.
	Self  int64
	Lives func(holder int64) bool
}

// Locks are the locks of one process on a store. A process renews the lease of each lock that it holds, so a lock ends
// with its process. They are safe for concurrent use.
type Locks struct {
	o      LockOptions
	mu     sync.Mutex
	queues map[string]*lockQueue
}

// lockQueue lets one caller of a process at a time compete with other processes.
type lockQueue struct {
	place chan struct{} // capacity 1
	users int           // that wait or have the place
}

// NewLocks returns the locks of this process.
func NewLocks(o LockOptions) *Locks {
	if o.Lives == nil {
		o.Self, o.Lives = rand.Int64(), func(int64) bool { return true }
	}
	return &Locks{o: o, queues: map[string]*lockQueue{}}
}

// How often a caller checks whether another process has released a lock.
const (
	shortestWait = time.Millisecond
	longestWait  = 64 * time.Millisecond
)

// Lock waits for the lock of that name and holds it until unlock. See Store.
func (l *Locks) Lock(ctx context.Context, name string) (held context.Context, unlock func(), err error) {
	return l.lock(ctx, name, true)
}

// TryLock works like Lock. It fails with Conflict instead of waiting.
func (l *Locks) TryLock(ctx context.Context, name string) (held context.Context, unlock func(), err error) {
	return l.lock(ctx, name, false)
}

func (l *Locks) lock(ctx context.Context, name string, patient bool) (
	held context.Context, unlock func(), err error) {
	leave, err := l.enter(ctx, name, patient)
	if err != nil {
		return nil, nil, err
	}
	for wait := shortestWait; ; wait = min(2*wait, longestWait) {
		row, err := l.take(ctx, name)
		switch {
		case err == nil && row != Lease{}:
			held, unlock = l.hold(ctx, name, row, leave)
			return held, unlock, nil
		case err == nil && !patient:
			err = errLocked()
		case err == nil:
			err = pause(ctx, wait)
		}
		if err != nil {
			leave()
			return nil, nil, err
		}
	}
}

func errLocked() error {
	return loci.Errorf(loci.Conflict, "another caller is doing this at the moment; try again later")
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enter waits for the place of this process at a lock.
func (l *Locks) enter(ctx context.Context, name string, patient bool) (leave func(), err error) {
	l.mu.Lock()
	q := l.queues[name]
	if q == nil {
		q = &lockQueue{place: make(chan struct{}, 1)}
		l.queues[name] = q
	}
	q.users++
	l.mu.Unlock()
	quit := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if q.users--; q.users == 0 {
			delete(l.queues, name)
		}
	}
	select {
	case q.place <- struct{}{}:
		return func() { <-q.place; quit() }, nil
	default:
	}
	if !patient {
		quit()
		return nil, errLocked()
	}
	select {
	case q.place <- struct{}{}: // Go serves the waiting callers in their order
		return func() { <-q.place; quit() }, nil
	case <-ctx.Done():
		quit()
		return nil, ctx.Err()
	}
}

// take returns zero if another process has the lock. A row of this process is left over from a release that failed.
func (l *Locks) take(ctx context.Context, name string) (Lease, error) {
	was, err := l.o.Rows.Lease(ctx, name)
	if err != nil || was.Until.After(l.o.Now()) && was.Holder != l.o.Self && l.o.Lives(was.Holder) {
		return Lease{}, err
	}
	row := l.fresh()
	took, err := l.o.Rows.SetLease(ctx, name, was, row)
	if !took || err != nil {
		return Lease{}, err
	}
	return row, nil
}

func (l *Locks) fresh() Lease { return Lease{l.o.Self, loci.CutTime(l.o.Now().Add(LockLease))} }

// hold renews the lease until the caller calls unlock.
func (l *Locks) hold(ctx context.Context, name string, row Lease, leave func()) (held context.Context, unlock func()) {
	held, end := context.WithCancelCause(ctx)
	ctx = context.WithoutCancel(ctx) // the lock outlasts ctx until unlock
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		l.keep(ctx, name, row, done, end)
	}()
	return held, func() {
		close(done)
		<-ended
		end(nil)
		_ = l.o.Rows.EndLease(ctx, name, l.o.Self) // if it fails, the lease ends, or this process takes the row again
		leave()
	}
}

// renewEvery leaves time for two attempts before a lease ends.
const renewEvery = LockLease / 3

// keep renews the lease until done is closed. It calls end if the lease is lost.
func (l *Locks) keep(ctx context.Context, name string, row Lease, done <-chan struct{}, end context.CancelCauseFunc) {
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
		kept, err := l.o.Rows.SetLease(try, name, row, next)
		cancel()
		switch {
		case kept:
			row = next
		case err == nil || !l.o.Now().Before(row.Until):
			end(loci.Errorf(loci.Unavailable, "this process no longer holds the lock %s; try again", name))
			<-done
			return
		}
	}
}
