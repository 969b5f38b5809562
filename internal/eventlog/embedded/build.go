package embedded

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

const (
	// buildRows is how many events one step of building a part takes.
	buildRows = 500
	// dirtyFor is how long the index may have words of deleted events, so that many deletions need one new table.
	dirtyFor = time.Hour
)

// build makes a new table of words for a month, if the index doesn't have the month, or has words of deleted
// events. It takes one step.
func (l *Log) build(ctx context.Context, f *orgLog) (more bool, err error) {
	_, err = l.withSide(ctx, f.org, wordsFile, false, func(db *sqlitedb.DB) error {
		b := building{l: l, f: f, db: db}
		more, err = b.step(ctx)
		return err
	})
	return more, err
}

type building struct {
	l  *Log
	f  *orgLog
	db *sqlitedb.DB

	month month
	table int64        // 0: not begun
	place loci.EventID // it has the events before this id
	done  int64        // of the index: later events come with the next step of index
}

const selectDue = `SELECT month, ifnull(building, 0), built FROM parts
	WHERE building IS NOT NULL OR words IS NULL OR dirty <= ? ORDER BY building IS NULL, month DESC LIMIT 1`

func (b *building) step(ctx context.Context) (more bool, err error) {
	due, err := b.find(ctx)
	if err != nil || !due {
		return false, err
	}
	events, more, err := b.read(ctx)
	if err != nil {
		return false, err
	}
	docs := newDocuments()
	for _, e := range events {
		docs.add(e)
		b.place = past(e.ID, false)
	}
	err = b.db.Update(ctx, func(c *sqlitedb.Conn) error {
		if err := b.begin(c); err != nil {
			return err
		}
		if err := docs.write(c, b.month, b.table); err != nil {
			return err
		}
		if more {
			return c.Exec("UPDATE parts SET built = ? WHERE month = ?", b.place[:], int(b.month))
		}
		return b.finish(c)
	})
	return true, err // there may be another part
}

func (b *building) find(ctx context.Context) (due bool, err error) {
	err = b.db.View(ctx, func(c *sqlitedb.Conn) error {
		dirty := b.l.opts.Now().Add(-dirtyFor).UnixMicro()
		due, err = c.One(selectDue, sqlitedb.Args{dirty}, func(r *sqlitedb.Row) error {
			b.month, b.table = month(r.Int(0)), r.Int64(1)
			b.place = r.ID(2)
			return nil
		})
		if err != nil {
			return err
		}
		_, err = c.One("SELECT done FROM state", nil, readNumber(&b.done))
		return err
	})
	return due, err
}

func (b *building) read(ctx context.Context) (events []*loci.Event, more bool, err error) {
	s := &collector{limit: buildRows + 1, within: b.month.span().rest(b.place, false)}
	w := want{}
	s.match = w.filter.Matcher()
	err = b.f.DB.Scan(ctx, func(c *sqlitedb.Conn) error {
		return b.l.readFrom(b.f, c, w, nil, func(r *reader) error {
			months, err := r.months()
			if err != nil {
				return err
			}
			scan := method((*source).scan)
			return s.collect(ctx, r, []part{{span: everything(), run: scan.on(logSource(c, 0, b.done))},
				{span: everything(), run: r.inMonth(b.month, months[b.month], scan)}})
		})
	})
	if more = len(s.found) > buildRows; more {
		s.found = s.found[:buildRows]
	}
	return s.found, more, err
}

// begin makes the table with the first step.
func (b *building) begin(c *sqlitedb.Conn) (err error) {
	if b.table != 0 {
		return nil
	}
	if b.table, err = newWordsTable(c); err != nil {
		return err
	}
	return c.Exec("UPDATE parts SET building = ?, built = NULL, dirty = NULL WHERE month = ?", b.table, int(b.month))
}

// finish puts the new table in the place of the old one.
func (b *building) finish(c *sqlitedb.Conn) error {
	var old int64
	_, err := c.One("SELECT ifnull(words, 0) FROM parts WHERE month = ?", sqlitedb.Args{int(b.month)}, readNumber(&old))
	if err == nil && old != 0 {
		if err = c.Exec(scrub); err == nil {
			err = c.Exec("DROP TABLE " + wordsTable(old))
		}
	}
	if err != nil {
		return err
	}
	return c.Exec("UPDATE parts SET words = building, building = NULL, built = NULL WHERE month = ?", int(b.month))
}
