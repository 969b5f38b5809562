package embedded

import (
	"context"
	"errors"
	"time"

	"github.com/gofrs/flock"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

const (
	// upkeepLock is held by the one call that moves or deletes events, or writes the index.
	upkeepLock = "upkeep.lock"
	// upkeepWait is how often a waiting call looks whether the lock is free.
	upkeepWait = 10 * time.Millisecond
)

// Upkeep implements eventlog.Keeper. It puts new events into the index, moves events of past months
// into their files, builds missing parts of the index, and forgets old changes.
func (l *Log) Upkeep(ctx context.Context, org loci.OrgID) (more bool, err error) {
	err = l.read(ctx, org, func(f *orgLog) error {
		lock := l.upkeepLock(org)
		free, err := lock.TryLock()
		if err != nil || !free {
			return errors.Join(err, lock.Close())
		}
		defer func() { _ = lock.Close() }()
		more = false
		for _, job := range []func(context.Context, *orgLog) (bool, error){l.index, l.seal, l.build, l.forget} {
			again, err := job(ctx, f)
			if err != nil {
				return err
			}
			more = more || again
		}
		return nil
	})
	return more, err
}

func (l *Log) upkeepLock(org loci.OrgID) *flock.Flock {
	return flock.New(l.path(org, upkeepLock), flock.SetPermissions(0o600))
}

// alone waits for the lock.
func (l *Log) alone(ctx context.Context, org loci.OrgID) (leave func(), err error) {
	lock := l.upkeepLock(org)
	if _, err := lock.TryLockContext(ctx, upkeepWait); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return func() { _ = lock.Close() }, nil
}

// keepChanges is how many changes stay for followers.
const keepChanges = 10_000

// forget deletes old changes that the index has taken into account.
func (l *Log) forget(ctx context.Context, f *orgLog) (more bool, err error) {
	const old = "SELECT max(n) FROM changes WHERE n <= (SELECT seq FROM sqlite_sequence WHERE name = 'changes') - ?"
	var n int64
	err = f.DB.View(ctx, func(c *sqlitedb.Conn) error {
		_, err := c.One(old, sqlitedb.Args{keepChanges}, readNumber(&n))
		return err
	})
	if err != nil || n == 0 {
		return false, err
	}
	return false, f.DB.Update(ctx, func(c *sqlitedb.Conn) error {
		if err := c.Exec("UPDATE state SET forgotten = ?", n); err != nil {
			return err
		}
		return c.Exec("DELETE FROM changes WHERE n <= ?", n)
	})
}
