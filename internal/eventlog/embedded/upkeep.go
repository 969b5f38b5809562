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
	// upkeepTurn is held by the call that is next. Upkeep does nothing while somebody waits, because it
	// may be called again and again.
	upkeepTurn = "upkeep.turn"
	// upkeepWait is how often a waiting call looks whether the lock is free.
	upkeepWait = 10 * time.Millisecond
)

// Upkeep implements eventlog.Keeper. It puts new events into the index, moves events of past months
// into their files, builds missing parts of the index, and forgets old changes.
func (l *Log) Upkeep(ctx context.Context, org loci.OrgID) (more bool, err error) {
	err = l.read(ctx, org, func(f *orgLog) error {
		more = false
		leave, err := l.aloneNow(org)
		if err != nil || leave == nil {
			return err
		}
		defer leave()
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

func (l *Log) lock(org loci.OrgID, name string) *flock.Flock {
	return flock.New(l.path(org, name), flock.SetPermissions(0o600))
}

// alone waits until no other call moves or deletes events of an org.
func (l *Log) alone(ctx context.Context, org loci.OrgID) (leave func(), err error) {
	turn, lock := l.lock(org, upkeepTurn), l.lock(org, upkeepLock)
	if _, err = turn.TryLockContext(ctx, upkeepWait); err == nil {
		_, err = lock.TryLockContext(ctx, upkeepWait)
	}
	if err = errors.Join(err, turn.Close()); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return func() { _ = lock.Close() }, nil
}

// aloneNow is alone for a call that doesn't wait. leave is nil if there is another one.
func (l *Log) aloneNow(org loci.OrgID) (leave func(), err error) {
	turn, lock := l.lock(org, upkeepTurn), l.lock(org, upkeepLock)
	free, err := turn.TryLock()
	if free && err == nil {
		free, err = lock.TryLock()
	}
	if err = errors.Join(err, turn.Close()); err != nil || !free {
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
