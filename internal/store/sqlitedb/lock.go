package sqlitedb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
)

const lockSuffix = ".lock"

// The lock file has two locks: the turn and the pen. A writer takes the turn, then the pen, then releases the turn. A
// process that has just released the pen queues for the turn after the one that waits, so it cannot starve that one.
const (
	turn = 0
	pen  = 1
)

var errGaveUp = errors.New("gave up waiting for another process's lock")

// fileLock is the queue of processes that write one database. Only Remove removes its file, and holds the pen then.
type fileLock struct{ f *os.File }

// lockAt opens the lock file of a database and waits for the pen. A file that was removed meanwhile is of
// no use, because others may have made the next one.
func lockAt(ctx context.Context, path string) (*fileLock, error) {
	for {
		l, err := openLock(path + lockSuffix)
		if err != nil {
			return nil, explainPath(path, err)
		}
		if err := l.acquire(ctx.Done()); err != nil {
			l.close()
			if ctx.Err() != nil {
				err = fmt.Errorf("%w: %w", ctx.Err(), err)
			}
			return nil, err
		}
		if l.inPlace(path + lockSuffix) {
			return l, nil
		}
		l.close()
	}
}

func (l *fileLock) inPlace(path string) bool {
	was, err := l.f.Stat()
	return err == nil && same(path, was) == nil
}

func openLock(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &fileLock{f}, nil
}

// acquire waits for the pen. If done is closed first, acquire fails with ErrBusy and the lock
// cannot be used any more. The waiting system call cannot be cancelled, so a goroutine keeps the
// file and releases the lock as soon as it gets it.
func (l *fileLock) acquire(done <-chan struct{}) error {
	if l.f == nil {
		return ErrBusy
	}
	hasTurn, err := tryLock(l.f, turn)
	if err != nil {
		return classifyLock(err)
	}
	if hasTurn {
		if ok, err := tryLock(l.f, pen); ok || err != nil {
			return classifyLock(errors.Join(err, unlock(l.f, turn)))
		}
	}
	f, got := l.f, make(chan error, 1)
	go func() { got <- waitForPen(f, hasTurn) }()
	select {
	case err := <-got:
		return classifyLock(err)
	case <-done:
		l.f = nil
		go func() {
			<-got //nolint:errcheck // whether it got the lock or not, closing the file releases it
			_ = f.Close()
		}()
		return &Error{Class: ErrBusy, Cause: errGaveUp}
	}
}

// try takes the pen if no process has it or waits for it.
func (l *fileLock) try() bool {
	if l.f == nil {
		return false
	}
	if ok, err := tryLock(l.f, turn); !ok || err != nil {
		return false
	}
	ok, err := tryLock(l.f, pen)
	return errors.Join(err, unlock(l.f, turn)) == nil && ok
}

func waitForPen(f *os.File, hasTurn bool) error {
	if !hasTurn {
		if err := lock(f, turn); err != nil {
			return err
		}
	}
	err := lock(f, pen)
	return errors.Join(err, unlock(f, turn))
}

func (l *fileLock) release() {
	// Releasing our own lock fails only on a closed file, which is unlocked, too.
	_ = unlock(l.f, pen)
}

func (l *fileLock) close() {
	if l.f != nil {
		_ = l.f.Close()
		l.f = nil
	}
}

func classifyLock(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Class: ErrIO, Cause: err}
}

// Presence shows other processes that this one lives. It locks the byte with its number in the lock file of a database.
type Presence struct {
	f      *os.File
	number int64
}

// Appear starts a presence at the database with this path. It ends with Close or with the process.
func Appear(path string) (*Presence, error) {
	l, err := openLock(path + lockSuffix)
	if err != nil {
		return nil, err
	}
	p := &Presence{l.f, pen + 1 + rand.Int64N(1<<31)} // Windows locks the first 4 GB
	if ok, err := tryLock(p.f, p.number); !ok || err != nil {
		l.close()
		return nil, classifyLock(cmp.Or(err, errGaveUp))
	}
	return p, nil
}

// Number identifies the process among those that live.
func (p *Presence) Number() int64 { return p.number }

// Lives reports whether the process with a number lives. It returns true if it can't tell.
func (p *Presence) Lives(number int64) bool {
	if number == p.number {
		return true
	}
	free, err := tryLock(p.f, number)
	return !free || err != nil || unlock(p.f, number) != nil
}

// Close ends the presence. A nil presence has ended.
func (p *Presence) Close() error {
	if p == nil {
		return nil
	}
	return p.f.Close()
}
