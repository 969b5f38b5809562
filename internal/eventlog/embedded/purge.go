package embedded

import (
	"context"
	"errors"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// Purge implements eventlog.Keeper. It tells the followers first, so that they never keep an event
// that is gone. It tells them once more of what it has deleted from files of months, because a follower
// may have read it there in between.
func (l *Log) Purge(ctx context.Context, org loci.OrgID, s eventlog.Selection, limit int) (n int, err error) {
	if s.Empty() {
		return 0, loci.Errorf(loci.Invalid, "select the events to delete")
	}
	if err := org.Validate(); err != nil {
		return 0, err
	}
	if there, err := l.exists(org, logFile); err != nil || !there {
		return 0, translate(err)
	}
	leave, err := l.alone(ctx, org)
	if err != nil || leave == nil {
		return 0, translate(err)
	}
	defer leave()
	ids, err := l.Selected(ctx, org, s, limit)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	err = l.read(ctx, org, func(f *orgLog) error {
		if err := f.DB.Update(ctx, func(c *sqlitedb.Conn) error { return deleteFromLog(c, ids) }); err != nil {
			return err
		}
		found, err := l.deleteFromMonths(ctx, f, ids)
		if err != nil || !found {
			return err
		}
		return f.DB.Update(ctx, func(c *sqlitedb.Conn) error { return tellGone(c, ids) })
	})
	if err != nil {
		return 0, err
	}
	return len(ids), nil
}

// Selected implements eventlog.Outbox.
func (l *Log) Selected(ctx context.Context, org loci.OrgID, sel eventlog.Selection, limit int) (
	ids []loci.EventID, err error) {
	w := want{filter: sel.Filter(), also: sel.Matches, heads: true}
	s := &collector{limit: limit, within: spanOf(&w.filter)}
	err = l.collectAll(ctx, org, w, s)
	for _, e := range s.found {
		ids = append(ids, e.ID)
	}
	return ids, err
}

func deleteFromLog(c *sqlitedb.Conn, ids []loci.EventID) error {
	var last int64
	for _, id := range ids {
		var seq int64
		_, err := c.One("DELETE FROM events WHERE id = ? RETURNING seq", sqlitedb.Args{[16]byte(id)}, readNumber(&seq))
		if err == nil && seq > 0 { // mark one that is to be delivered
			err = c.Exec("UPDATE queue SET erased = 1, digest = x'' WHERE seq = ?", seq)
		}
		if err == nil && seq > 0 {
			err = c.Exec("DELETE FROM dead WHERE seq = ?", seq)
		}
		if err != nil {
			return err
		}
		last = max(last, seq)
	}
	if err := tellGone(c, ids); err != nil {
		return err
	}
	return c.Exec("UPDATE state SET floor = max(floor, ?)", last)
}

// tellGone tells followers that events were deleted.
func tellGone(c *sqlitedb.Conn, ids []loci.EventID) error {
	blob := make([]byte, 0, len(ids)*len(loci.EventID{}))
	for _, id := range ids {
		blob = append(blob, id[:]...)
	}
	return c.Exec("INSERT INTO changes (gone) VALUES (?)", blob)
}

// deleteFromMonths reports whether there are files of these months.
func (l *Log) deleteFromMonths(ctx context.Context, f *orgLog, ids []loci.EventID) (there bool, err error) {
	byMonth := map[month][]loci.EventID{}
	for _, id := range ids {
		byMonth[monthOfID(id)] = append(byMonth[monthOfID(id)], id)
	}
	for m, list := range byMonth {
		empty := false
		found, err := l.withSide(ctx, f.org, m.file(), false, func(db *sqlitedb.DB) error {
			return db.Update(ctx, func(c *sqlitedb.Conn) (err error) {
				empty, err = l.deleteFromMonth(c, list)
				return err
			})
		})
		if err == nil && found && empty {
			err = l.removeMonth(ctx, f, m)
		}
		if err != nil {
			return there, err
		}
		there = there || found
	}
	return there, nil
}

// removeMonth removes the file of a month without events.
func (l *Log) removeMonth(ctx context.Context, f *orgLog, m month) error {
	err := f.DB.Update(ctx, func(c *sqlitedb.Conn) error { return c.Exec("DELETE FROM months WHERE month = ?", int(m)) })
	if err != nil {
		return err
	}
	return l.removeSide(ctx, f.org, m.file())
}

// deleteFromMonth deletes events from the file of a month, and their texts from its blocks.
func (l *Log) deleteFromMonth(c *sqlitedb.Conn, ids []loci.EventID) (empty bool, err error) {
	var blocks []int64
	for _, id := range ids {
		_, err := c.One("DELETE FROM events WHERE id = ? RETURNING block", sqlitedb.Args{[16]byte(id)},
			func(r *sqlitedb.Row) error {
				if n := r.Int64(0); !slices.Contains(blocks, n) {
					blocks = append(blocks, n)
				}
				return nil
			})
		if err != nil {
			return false, err
		}
	}
	for _, n := range blocks {
		if err := l.rewriteBlock(c, n, nil); err != nil {
			return false, err
		}
	}
	left, err := c.One("SELECT 1 FROM events", nil, func(*sqlitedb.Row) error { return nil })
	return !left, err
}

// rewriteBlock removes from a block what belongs to no event any more. change returns the new bodies; nil: they stay.
func (l *Log) rewriteBlock(c *sqlitedb.Conn, n int64, change func(loci.EventID, []byte) ([]byte, error)) error {
	old, err := l.zip.block(c, n)
	if err != nil {
		return err
	}
	var ids []loci.EventID
	var places []int
	err = c.Query(`SELECT e.id, e.place FROM blocks b JOIN events e ON e.id BETWEEN b.first AND b.last AND e.block = b.n
		WHERE b.n = ? ORDER BY e.id`, sqlitedb.Args{n}, func(r *sqlitedb.Row) error {
		ids, places = append(ids, r.ID(0)), append(places, r.Int(1))
		return nil
	})
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return c.Exec("DELETE FROM blocks WHERE n = ?", n)
	}
	var data []byte
	for i, id := range ids {
		body, err := bodyAt(old, places[i])
		if err == nil && change != nil {
			body, err = change(id, body)
		}
		if err != nil {
			return err
		}
		if err := c.Exec("UPDATE events SET place = ? WHERE id = ?", len(data), [16]byte(id)); err != nil {
			return err
		}
		data = appendText(data, body)
	}
	packed, err := l.zip.compress(data)
	if err != nil {
		return err
	}
	return c.Exec("UPDATE blocks SET data = ? WHERE n = ?", packed, n)
}

// Upkeep implements eventlog.Keeper. It moves events of past months into their files, and forgets old changes.
func (l *Log) Upkeep(ctx context.Context, org loci.OrgID) (more bool, err error) {
	err = l.read(ctx, org, func(f *orgLog) error {
		more = false
		leave, err := l.aloneNow(org)
		if err != nil || leave == nil {
			return err
		}
		defer leave()
		for _, job := range []func(context.Context, *orgLog) (bool, error){l.dropWords, l.seal, l.forget,
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

// dropWords removes the index of events that an earlier version made.
func (l *Log) dropWords(ctx context.Context, f *orgLog) (more bool, err error) {
	const name = "words.db"
	if there, err := l.exists(f.org, name); err != nil || !there {
		return false, err
	}
	return false, l.removeSide(ctx, f.org, name)
}

// keepChanges is how many changes stay for followers.
const keepChanges = 10_000

// forget deletes old changes.
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
