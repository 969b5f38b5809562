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
