package embedded

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
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
		for _, job := range []func(context.Context, *orgLog) (bool, error){l.index, l.seal, l.build, l.forget,
			l.expireForgotten} {
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
