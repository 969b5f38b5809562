package embedded

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

var _ eventlog.Local = (*Log)(nil)

// Queue implements eventlog.Outbox.
func (l *Log) Queue(ctx context.Context, v loci.Viewer, events []*loci.Event, d eventlog.Dedup) (
	[]eventlog.Outcome, error) {
	return l.append(ctx, v, events, d, true)
}

// Hide implements eventlog.Cursors.
func (l *Log) Hide(ctx context.Context, org loci.OrgID, name eventlog.List, place []byte) (eventlog.Position, error) {
	s, err := l.stateOf(ctx, org)
	if err != nil {
		return "", err
	}
	cs := cursors{org, listOfOthers(name)}
	c, err := cs.seal(&s, place)
	return cs.format(c), err
}

// Reveal implements eventlog.Cursors.
func (l *Log) Reveal(ctx context.Context, org loci.OrgID, name eventlog.List, p eventlog.Position) ([]byte, error) {
	cs := cursors{org, listOfOthers(name)}
	c, err := cs.parse(p)
	if err != nil {
		return nil, err
	}
	s, err := l.stateOf(ctx, org)
	if err != nil {
		return nil, err
	}
	return cs.open(&s, c)
}

// stateOf returns the state of the log of an org, or of none.
func (l *Log) stateOf(ctx context.Context, org loci.OrgID) (s state, err error) {
	err = l.read(ctx, org, func(f *orgLog) error {
		return f.DB.View(ctx, func(c *sqlitedb.Conn) (err error) {
			s, err = loadState(c)
			return err
		})
	})
	return s, err
}

// numbers gives numbers to entries of the queue, in one transaction.
type numbers struct{ last, now int64 }

func newNumbers(c *sqlitedb.Conn, now time.Time) (n numbers, err error) {
	n.now = now.UnixMicro()
	err = c.Exec("INSERT INTO outbox (one, last, offered, forgotten, sender, until) VALUES (1, 0, 0, 0, '', 0) " +
		"ON CONFLICT DO NOTHING")
	if err == nil {
		_, err = c.One("SELECT last FROM outbox", nil, readNumber(&n.last))
	}
	return n, err
}

func (n *numbers) next() int64 {
	n.last = max(n.last+1, n.now)
	return n.last
}

// save must end the transaction.
func (n *numbers) save(c *sqlitedb.Conn) error { return c.Exec("UPDATE outbox SET last = ?", n.last) }

const enqueue = "INSERT INTO queue (number, seq, id, digest, erased) VALUES (?, ?, ?, ?, 0)"

// selectQueued has the columns of logRows, except that the number is that of the entry.
const (
	queuedColumns = "e.id, e.stream, e.class, e.type, e.importance, e.recorded, q.number, e.body, "
	selectQueued  = "SELECT " + queuedColumns + "q.erased, q.id FROM queue q LEFT JOIN events e ON e.seq = q.seq " +
		"WHERE q.number > ? ORDER BY q.number LIMIT ?"
	selectDead = "SELECT " + queuedColumns + "q.reason, q.buried FROM dead q JOIN events e ON e.seq = q.seq " +
		"WHERE q.number > ? ORDER BY q.number LIMIT ?"
)

// Queued implements eventlog.Outbox.
func (l *Log) Queued(ctx context.Context, org loci.OrgID, after int64, limit int) (list []eventlog.Queued, err error) {
	err = l.outbox(ctx, org, func(r *queueReader) error {
		list = nil
		return r.c.Query(selectQueued, sqlitedb.Args{after, limit}, func(row *sqlitedb.Row) error {
			q := eventlog.Queued{Number: row.Int64(colNumber), Erased: row.Bool(8)}
			if q.Erased {
				q.Event = &loci.Event{ID: row.ID(9)}
				q.Event.Time, _ = loci.EventTime(q.Event.ID)
			} else if q.Event, err = r.event(row); err != nil {
				return err
			}
			list = append(list, q)
			return nil
		})
	})
	return list, err
}

// queueReader reads events with the access that they were stored with.
type queueReader struct {
	c       *sqlitedb.Conn
	org     loci.OrgID
	streams map[int64]*work
}

// outbox runs fn on a snapshot, or does nothing if the org has no log. fn may run twice.
func (l *Log) outbox(ctx context.Context, org loci.OrgID, fn func(*queueReader) error) error {
	return l.read(ctx, org, func(f *orgLog) error {
		return f.DB.View(ctx, func(c *sqlitedb.Conn) error {
			if _, err := loadState(c); err != nil {
				return err
			}
			return fn(&queueReader{c, org, map[int64]*work{}})
		})
	})
}

const selectOwn = `SELECT s.session, s.agent, s.origin, s.own, c.access FROM streams s
	JOIN classes c ON c.n = s.own WHERE s.n = ?`

func (r *queueReader) event(row *sqlitedb.Row) (*loci.Event, error) {
	n := row.Int64(colStream)
	w := r.streams[n]
	if w == nil {
		var err error
		if w, err = loadWork(r.c, r.org, n, selectOwn); err != nil {
			return nil, err
		}
		r.streams[n] = w
	}
	e := &loci.Event{ID: idOf(row), Class: loci.EventClass(row.Text(colClass)), Type: row.Text(colType),
		Importance: row.Int(colImportance), RecordedAt: time.UnixMicro(row.Int64(colRecorded)).UTC()}
	e.Time, _ = loci.EventTime(e.ID)
	w.set(e)
	return e, readBody(row.Raw(colBody), e)
}

// Erased implements eventlog.Outbox.
func (l *Log) Erased(ctx context.Context, org loci.OrgID, limit int) (list []eventlog.Queued, err error) {
	err = l.outbox(ctx, org, func(r *queueReader) error {
		list = nil
		return r.c.Query("SELECT number, id FROM queue WHERE erased = 1 ORDER BY number LIMIT ?", sqlitedb.Args{limit},
			func(row *sqlitedb.Row) error {
				e := &loci.Event{ID: row.ID(1)}
				e.Time, _ = loci.EventTime(e.ID)
				list = append(list, eventlog.Queued{Number: row.Int64(0), Event: e, Erased: true})
				return nil
			})
	})
	return list, err
}

// State implements eventlog.Outbox.
func (l *Log) State(ctx context.Context, org loci.OrgID) (s eventlog.QueueState, err error) {
	err = l.outbox(ctx, org, func(r *queueReader) error {
		_, err := r.c.One("SELECT (SELECT min(number) FROM queue), last, offered, forgotten FROM outbox", nil,
			func(row *sqlitedb.Row) error {
				s = eventlog.QueueState{First: row.Int64(0), Last: row.Int64(1), Offered: row.Int64(2),
					Forgotten: row.Int64(3)}
				return nil
			})
		return err
	})
	return s, err
}

// Offer implements eventlog.Outbox.
func (l *Log) Offer(ctx context.Context, org loci.OrgID, upTo int64) error {
	return l.change(ctx, org, func(c *sqlitedb.Conn) error { return c.Exec("UPDATE outbox SET offered = ?", upTo) })
}

// change runs fn in a transaction on the outbox of an org, which it creates if necessary.
func (l *Log) change(ctx context.Context, org loci.OrgID, fn func(*sqlitedb.Conn) error) error {
	return l.write(ctx, org, func(f *orgLog) error {
		return f.DB.Update(ctx, func(c *sqlitedb.Conn) error {
			if _, err := newState(c); err != nil {
				return err
			}
			if _, err := newNumbers(c, l.opts.Now()); err != nil {
				return err
			}
			return fn(c)
		})
	})
}

// Claim implements eventlog.Outbox.
func (l *Log) Claim(ctx context.Context, org loci.OrgID, sender string, until time.Time) (ours bool, err error) {
	err = l.change(ctx, org, func(c *sqlitedb.Conn) error {
		err := c.Exec("UPDATE outbox SET sender = ?1, until = ?2 WHERE sender = ?1 OR until <= ?3", sender,
			until.UnixMicro(), l.opts.Now().UnixMicro())
		ours = c.Changes() == 1
		return err
	})
	return ours, err
}

// forgetRows is how many events one transaction forgets, because appends wait for it.
const forgetRows = 2000

// Forget implements eventlog.Outbox.
func (l *Log) Forget(ctx context.Context, org loci.OrgID, upTo int64) error {
	for more := true; more; {
		err := l.change(ctx, org, func(c *sqlitedb.Conn) (err error) {
			more, err = forget(c, upTo)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func forget(c *sqlitedb.Conn, upTo int64) (more bool, err error) {
	var last, n int64
	_, err = c.One("SELECT max(number), count(*) FROM "+
		"(SELECT number FROM queue WHERE number <= ? ORDER BY number LIMIT ?)", sqlitedb.Args{upTo, forgetRows},
		func(r *sqlitedb.Row) error { last, n = r.Int64(0), r.Int64(1); return nil })
	if err != nil || n == 0 {
		return false, err
	}
	for _, text := range []string{
		`INSERT INTO forgotten (seq, id, stream, recorded, hash, digest)
			SELECT e.seq, e.id, e.stream, e.recorded, e.hash, q.digest FROM queue q JOIN events e ON e.seq = q.seq
			WHERE q.number <= ?`,
		"UPDATE state SET floor = max(floor, (SELECT max(seq) FROM queue WHERE number <= ?))",
		"DELETE FROM events WHERE seq IN (SELECT seq FROM queue WHERE number <= ?)",
		"DELETE FROM queue WHERE number <= ?",
		"UPDATE outbox SET forgotten = ?",
	} {
		if err := c.Exec(text, last); err != nil {
			return false, err
		}
	}
	return n == forgetRows, nil
}

// Gone implements eventlog.Outbox.
func (l *Log) Gone(ctx context.Context, org loci.OrgID, ids []loci.EventID) error {
	return l.change(ctx, org, func(c *sqlitedb.Conn) error {
		for _, id := range ids {
			if err := c.Exec("DELETE FROM forgotten WHERE id = ?", [16]byte(id)); err != nil {
				return err
			}
		}
		return tellGone(c, ids)
	})
}

// expireForgotten deletes what no deduplication needs any more.
func (l *Log) expireForgotten(ctx context.Context, f *orgLog) (more bool, err error) {
	const old = "SELECT max(seq) FROM (SELECT seq, recorded FROM forgotten ORDER BY seq LIMIT ?) WHERE recorded < ?"
	var last int64
	before := l.opts.Now().Add(-keepRuns).UnixMicro()
	err = f.DB.View(ctx, func(c *sqlitedb.Conn) error {
		_, err := c.One(old, sqlitedb.Args{forgetRows, before}, readNumber(&last))
		return err
	})
	if err != nil || last == 0 {
		return false, err
	}
	return true, f.DB.Update(ctx, func(c *sqlitedb.Conn) error {
		return c.Exec("DELETE FROM forgotten WHERE seq <= ? AND recorded < ?", last, before)
	})
}

// Bury implements eventlog.DeadLetters.
func (l *Log) Bury(ctx context.Context, org loci.OrgID, number int64, reason string) error {
	return l.change(ctx, org, func(c *sqlitedb.Conn) error {
		err := c.Exec(`INSERT INTO dead (number, seq, digest, reason, buried)
			SELECT number, seq, digest, ?, ? FROM queue WHERE number = ? AND erased = 0`, reason, l.opts.Now().UnixMicro(),
			number)
		if err != nil {
			return err
		}
		return c.Exec("DELETE FROM queue WHERE number = ? AND erased = 0", number)
	})
}

// Dead implements eventlog.DeadLetters.
func (l *Log) Dead(ctx context.Context, org loci.OrgID, after int64, limit int) (
	list []eventlog.DeadLetter, err error) {
	err = l.outbox(ctx, org, func(r *queueReader) error {
		list = nil
		return r.c.Query(selectDead, sqlitedb.Args{after, limit}, func(row *sqlitedb.Row) error {
			e, err := r.event(row)
			list = append(list, eventlog.DeadLetter{Number: row.Int64(colNumber), Event: e, Reason: row.Text(8),
				BuriedAt: time.UnixMicro(row.Int64(9)).UTC()})
			return err
		})
	})
	return list, err
}

// Replay implements eventlog.DeadLetters.
func (l *Log) Replay(ctx context.Context, org loci.OrgID, ids []loci.EventID) (replayed int, err error) {
	err = l.change(ctx, org, func(c *sqlitedb.Conn) error {
		type letter struct {
			seq    int64
			id     loci.EventID
			digest []byte
		}
		var letters []letter
		err := c.Query("SELECT d.seq, e.id, d.digest FROM dead d JOIN events e ON e.seq = d.seq ORDER BY d.number", nil,
			func(r *sqlitedb.Row) error {
				if id := loci.EventID(r.ID(1)); ids == nil || slices.Contains(ids, id) {
					letters = append(letters, letter{r.Int64(0), id, r.Blob(2)})
				}
				return nil
			})
		if err != nil {
			return err
		}
		n, err := newNumbers(c, l.opts.Now())
		for _, x := range letters {
			if err == nil {
				err = c.Exec(enqueue, n.next(), x.seq, [16]byte(x.id), x.digest)
			}
			if err == nil {
				err = c.Exec("DELETE FROM dead WHERE seq = ?", x.seq)
			}
		}
		if err != nil {
			return err
		}
		replayed = len(letters)
		return n.save(c)
	})
	return replayed, err
}

const (
	// selectRevision changes whenever the result of Accesses does: the second part only increases as long
	// as access is the same.
	selectRevision = `SELECT (access << 40) + ifnull((SELECT max(n) FROM classes), 0) +
		ifnull((SELECT max(n) FROM streams WHERE own <> class), 0) FROM state`
	selectMoved = `SELECT DISTINCT s.session, o.access, c.access FROM streams s JOIN classes o ON o.n = s.own
		JOIN classes c ON c.n = s.class WHERE s.own <> s.class`
)

// Accesses implements eventlog.Accesses.
func (l *Log) Accesses(ctx context.Context, org loci.OrgID, known int64) (t *eventlog.AccessTable, err error) {
	found := false
	err = l.outbox(ctx, org, func(r *queueReader) error {
		found, t = true, &eventlog.AccessTable{}
		if _, err := r.c.One(selectRevision, nil, readNumber(&t.Revision)); err != nil || t.Revision == known {
			t = nil
			return err
		}
		return r.accesses(t)
	})
	if err == nil && !found && known != 0 {
		t = &eventlog.AccessTable{}
	}
	return t, err
}

func (r *queueReader) accesses(t *eventlog.AccessTable) error {
	err := r.c.Query("SELECT access FROM classes", nil, func(row *sqlitedb.Row) error {
		a, err := decodeAccess(r.org, row.Raw(0))
		t.Stored = append(t.Stored, a)
		return err
	})
	if err != nil {
		return err
	}
	return r.c.Query(selectMoved, nil, func(row *sqlitedb.Row) (err error) {
		m := eventlog.Move{SessionID: row.ID(0)}
		if m.From, err = decodeAccess(r.org, row.Raw(1)); err == nil {
			m.To, err = decodeAccess(r.org, row.Raw(2))
		}
		t.Moved = append(t.Moved, m)
		return err
	})
}

// SessionsOf implements eventlog.Accesses.
func (l *Log) SessionsOf(ctx context.Context, v loci.Viewer, f eventlog.Filter) ([]loci.SessionID, error) {
	t, err := l.tally(ctx, v, f)
	return slices.Collect(maps.Keys(t.Seen)), err
}
