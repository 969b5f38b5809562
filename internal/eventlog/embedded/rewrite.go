package embedded

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// scrub makes a connection overwrite everything that it deletes from now on.
const scrub = "PRAGMA secure_delete = on"

// Rewrite implements eventlog.Keeper. An event may be in log.db and in the file of its month for a while. Followers
// hear that the events are gone, and read them again.
func (l *Log) Rewrite(ctx context.Context, org loci.OrgID, ids []loci.EventID, fn func(*loci.Event)) (
	left []loci.EventID, err error) {
	leave, err := l.alone(ctx, org)
	if err != nil || leave == nil || len(ids) == 0 {
		return ids, translate(err)
	}
	defer leave()
	err = l.read(ctx, org, func(f *orgLog) error {
		left = nil
		for _, id := range ids {
			found := false
			change := func(in func(*sqlitedb.Conn, loci.EventID, func(*loci.Event)) (bool, error)) func(*sqlitedb.DB) error {
				return func(db *sqlitedb.DB) error {
					return db.Update(ctx, func(c *sqlitedb.Conn) error {
						there, err := in(c, id, fn)
						found = found || there
						return err
					})
				}
			}
			err := change(rewriteInLog)(f.DB)
			if err == nil {
				_, err = l.withSide(ctx, org, monthOfID(id).file(), false, change(l.rewriteInMonth))
			}
			if err == nil && !found {
				left = append(left, id)
			}
			if err != nil {
				return err
			}
		}
		return f.DB.Update(ctx, func(c *sqlitedb.Conn) error { return tellGone(c, ids) })
	})
	return left, err
}

// rewriteInLog changes an event that has not left for another system.
func rewriteInLog(c *sqlitedb.Conn, id loci.EventID, fn func(*loci.Event)) (found bool, err error) {
	var body []byte
	found, err = c.One(`SELECT body FROM events e WHERE id = ? AND NOT EXISTS (SELECT 1 FROM queue q JOIN outbox o
		WHERE q.seq = e.seq AND q.number <= o.offered)`, sqlitedb.Args{[16]byte(id)},
		func(r *sqlitedb.Row) (err error) { body, err = rewritten(r.Raw(0), fn); return err })
	if err = errors.Join(err, c.Exec(scrub)); err == nil && found {
		err = c.Exec("UPDATE events SET body = ? WHERE id = ?", body, [16]byte(id))
	}
	return found, err
}

func (l *Log) rewriteInMonth(c *sqlitedb.Conn, id loci.EventID, fn func(*loci.Event)) (found bool, err error) {
	var block int64
	found, err = c.One("SELECT block FROM events WHERE id = ?", sqlitedb.Args{[16]byte(id)}, readNumber(&block))
	if err = errors.Join(err, c.Exec(scrub)); err == nil && found {
		err = l.rewriteBlock(c, block, func(one loci.EventID, body []byte) ([]byte, error) {
			if one == id {
				return rewritten(body, fn)
			}
			return body, nil
		})
	}
	return found, err
}

func rewritten(body []byte, fn func(*loci.Event)) ([]byte, error) {
	var e loci.Event
	err := readBody(body, &e)
	fn(&e)
	return appendBody(nil, &e), err
}
