package embedded

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/loci-memory/loci"
)

const (
	// upkeepLock is held by the one call that moves or deletes events, copies the log, or writes the index.
	upkeepLock = "upkeep.lock"
	// upkeepTurn is held by the call that is next. Upkeep does nothing while somebody waits, because it
	// may be called again and again.
	upkeepTurn = "upkeep.turn"
	// upkeepWait is how often a waiting call looks whether the lock is free.
	upkeepWait = 10 * time.Millisecond
)

func (l *Log) lock(org loci.OrgID, name string) *flock.Flock {
	return flock.New(l.path(org, name), flock.SetPermissions(0o600))
}

// alone waits until no other call moves or deletes events of an org. leave is nil if the org has no
// directory: then it has no events either.
func (l *Log) alone(ctx context.Context, org loci.OrgID) (leave func(), err error) {
	return l.enter(org, func(f *flock.Flock) (bool, error) { return f.TryLockContext(ctx, upkeepWait) })
}

// aloneNow is alone for a call that doesn't wait. leave is also nil if there is another one.
func (l *Log) aloneNow(org loci.OrgID) (leave func(), err error) {
	return l.enter(org, (*flock.Flock).TryLock)
}

func (l *Log) enter(org loci.OrgID, try func(*flock.Flock) (bool, error)) (leave func(), err error) {
	turn, lock := l.lock(org, upkeepTurn), l.lock(org, upkeepLock)
	free, err := take(turn, try)
	if free {
		free, err = take(lock, try)
	}
	if err = errors.Join(err, turn.Close()); err != nil || !free {
		err = errors.Join(err, lock.Close())
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	return func() { _ = lock.Close() }, nil
}

// take takes a lock. It begins again if the file that it has locked was removed meanwhile (see
// removeLocks), because others may hold the lock of the next file.
func take(lock *flock.Flock, try func(*flock.Flock) (bool, error)) (free bool, err error) {
	for {
		if free, err = try(lock); !free || err != nil {
			return false, err
		}
		has, err := lock.Stat()
		if err != nil {
			return false, err
		}
		there, err := os.Stat(lock.Path())
		if err == nil && os.SameFile(has, there) {
			return true, nil
		}
		if err := lock.Close(); err != nil {
			return false, err
		}
	}
}

// removeLocks removes the files of the locks for a caller that is alone. If somebody is waiting, they stay.
func (l *Log) removeLocks(org loci.OrgID) {
	turn := l.lock(org, upkeepTurn)
	if free, err := take(turn, (*flock.Flock).TryLock); free && err == nil {
		_ = os.Remove(l.path(org, upkeepLock)) // where an open file can't be removed, both stay
		_ = os.Remove(l.path(org, upkeepTurn))
		_ = turn.Close()
	}
}
