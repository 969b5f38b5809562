package embedded

import (
	"context"
	"fmt"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// wordsFile has the index of a log. The number of an event in it is its time in microseconds, so a
// number may stand for several events, and the index tells only where to look.
const wordsFile = "words.db"

// words is a snapshot of the index for one query.
type words struct {
	c      *sqlitedb.Conn
	match  string
	epoch  [8]byte
	done   int64 // it has the events up to this seq
	months []month
	tables map[month]int64 // 0: not complete yet
}

// withWords runs fn with a snapshot of an org's index, or with nil if there is none.
func (l *Log) withWords(ctx context.Context, org loci.OrgID, match string, fn func(*words) error) error {
	found, err := l.withSide(ctx, org, wordsFile, false, func(db *sqlitedb.DB) error {
		return db.Scan(ctx, func(c *sqlitedb.Conn) error {
			w, err := loadWords(c, match)
			if err != nil {
				return err
			}
			return fn(w)
		})
	})
	if !found && err == nil {
		err = fn(nil)
	}
	return err
}

// loadWords returns nil for an index that was never written.
func loadWords(c *sqlitedb.Conn, match string) (*words, error) {
	w := &words{c: c, match: match, tables: map[month]int64{}}
	found, err := c.One("SELECT epoch, done FROM state", nil, func(r *sqlitedb.Row) error {
		copy(w.epoch[:], r.Raw(0))
		w.done = r.Int64(1)
		return nil
	})
	if err != nil || !found {
		return nil, err
	}
	err = c.Query("SELECT month, ifnull(words, 0) FROM parts", nil, func(r *sqlitedb.Row) error {
		m := month(r.Int(0))
		w.months, w.tables[m] = append(w.months, m), r.Int64(1)
		return nil
	})
	return w, err
}

func wordsTable(n int64) string { return fmt.Sprintf("words_%d", n) }

// times returns the times of events that may match, in order, at most limit, or all if it is negative.
func (w *words) times(table int64, s span, desc bool, limit int) (list []int64, err error) {
	name, order := wordsTable(table), ""
	first, last := s.times()
	if desc {
		order = " DESC"
	}
	err = w.c.Query("SELECT rowid FROM "+name+" WHERE "+name+" MATCH ? AND rowid >= ? AND rowid <= ? ORDER BY rowid"+order+
		" LIMIT ?", sqlitedb.Args{w.match, first, last, limit}, func(r *sqlitedb.Row) error {
		list = append(list, r.Int64(0))
		return nil
	})
	return list, err
}

// A walk reads few times at first, because most searches need few events.
const (
	firstTimes = 64
	mostTimes  = 4096
)

// leap returns a search of a source that visits only rows whose times match.
func (w *words) leap(table int64) method {
	return func(src *source, ctx context.Context, s span, desc bool, fn visit) error {
		budget := mostMisses
		for size := firstTimes; !s.empty(); size = min(4*size, mostTimes) {
			times, err := w.times(table, s, desc, size)
			if err != nil || len(times) == 0 {
				return err
			}
			l := leaper{src: src, times: times, desc: desc, fn: fn, budget: budget}
			if err := l.walk(ctx, s); err != nil || l.over {
				return err
			}
			s, budget = s.rest(l.place(l.next), desc), l.budget
		}
		return nil
	}
}

// leaper walks through the rows of a source and a list of times, and always moves on where it is behind.
type leaper struct {
	src    *source
	times  []int64 // that are left
	desc   bool
	fn     visit
	next   int64 // the time of the first row after all times
	over   bool  // there are no more rows, or fn wants none
	budget int   // how many rows in a row without one of the times it reads before it looks for the next time
	hits   int
}

const (
	// mostMisses is the largest budget. To look for a time costs as much as to read some more rows. The
	// budget shrinks when looking would have been better.
	mostMisses = 4
	// tryAgain is after how many rows a walk with a small budget tries a large one.
	tryAgain = 32
)

// walk visits the rows of s that have one of the times.
func (l *leaper) walk(ctx context.Context, s span) error {
	for len(l.times) > 0 && !l.over {
		misses, jump := 0, false
		err := l.src.scan(ctx, s.rest(l.place(l.times[0]), l.desc), l.desc, func(src *source, r *sqlitedb.Row) (bool, error) {
			at := micros(idOf(r))
			l.pass(at)
			switch {
			case len(l.times) == 0:
				l.next = at
				return false, nil
			case l.times[0] == at:
				misses = 0
				more, err := l.hit(src, r)
				return more, err
			}
			misses++
			jump = misses > l.budget
			return !jump, nil
		})
		if err != nil {
			return err
		}
		if jump {
			l.budget /= 2
		} else if len(l.times) > 0 {
			l.over = true
		}
	}
	return nil
}

// pass drops the times that come before at.
func (l *leaper) pass(at int64) {
	for len(l.times) > 0 && l.times[0] != at && (l.times[0] < at) != l.desc {
		l.times = l.times[1:]
	}
}

func (l *leaper) hit(src *source, r *sqlitedb.Row) (more bool, err error) {
	if l.hits++; l.hits%tryAgain == 0 {
		l.budget = mostMisses
	}
	more, err = l.fn(src, r)
	l.over = !more
	return more, err
}

// place returns where a walk stands before the events of a time.
func (l *leaper) place(at int64) loci.EventID {
	if l.desc {
		at++
	}
	return firstAt(at)
}
