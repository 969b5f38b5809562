package embedded

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// source is a table of events in one snapshot: of log.db or of the file of a month. The rows of both begin alike.
type source struct {
	c         *sqlitedb.Conn
	asc, desc string // statements for the ids of a span
	// Only rows whose number is greater than after, and at most upTo, exist for the reader. The number is
	// the seq in log.db, and the batch in the file of a month: later batches are still in the log.
	after, upTo int64
	body        func(*sqlitedb.Row) ([]byte, error)
}

// The columns of a source.
const (
	colID = iota
	colStream
	colClass
	colType
	colImportance
	colRecorded
	colNumber
	colBody
	colPlace // of the body in its block
)

const (
	logRows   = "SELECT id, stream, class, type, importance, recorded, seq, body FROM events"
	monthRows = "SELECT id, stream, class, type, importance, recorded, batch, block, place FROM events"
	inSpan    = " WHERE id >= ? AND id < ? ORDER BY id"
	logSince  = logRows + " WHERE seq > ? ORDER BY seq"
)

// logSource returns the events of log.db whose seq is greater than after, and at most upTo.
func logSource(c *sqlitedb.Conn, after, upTo int64) *source {
	return &source{c: c, asc: logRows + inSpan, desc: logRows + inSpan + " DESC", after: after, upTo: upTo,
		body: func(r *sqlitedb.Row) ([]byte, error) { return r.Raw(colBody), nil }}
}

const allSeqs = math.MaxInt64

// visit gets a row. It returns false to end the scan.
type visit func(*source, *sqlitedb.Row) (more bool, err error)

func (src *source) scan(ctx context.Context, s span, desc bool, fn visit) error {
	text := src.asc
	if desc {
		text = src.desc
	}
	if s.empty() {
		return nil
	}
	return src.query(ctx, text, sqlitedb.Args{[16]byte(s.from), [16]byte(s.to)}, fn)
}

// checkRows is after how many rows a scan asks whether its context has ended.
const checkRows = 64

func (src *source) query(ctx context.Context, text string, args sqlitedb.Args, fn visit) error {
	n := 0
	return src.c.Query(text, args, func(r *sqlitedb.Row) error {
		if n++; n%checkRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if number := r.Int64(colNumber); number <= src.after || number > src.upTo {
			return nil
		}
		more, err := fn(src, r)
		if err == nil && !more {
			err = sqlitedb.ErrStop
		}
		return err
	})
}

func idOf(r *sqlitedb.Row) loci.EventID { return r.ID(colID) }

// method is a way to search a source.
type method func(src *source, ctx context.Context, s span, desc bool, fn visit) error

func (m method) on(src *source) func(context.Context, span, bool, visit) error {
	return func(ctx context.Context, s span, desc bool, fn visit) error { return m(src, ctx, s, desc, fn) }
}

// leap returns a search of a source that visits only the rows with these ids.
func leap(ids []loci.EventID) method {
	ids = slices.SortedFunc(slices.Values(ids), func(a, b loci.EventID) int { return bytes.Compare(a[:], b[:]) })
	return func(src *source, ctx context.Context, s span, desc bool, fn visit) error {
		list := slices.DeleteFunc(slices.Compact(slices.Clone(ids)), func(id loci.EventID) bool { return !s.has(id) })
		if desc {
			slices.Reverse(list)
		}
		l := leaper{src: src, ids: list, desc: desc, fn: fn, budget: mostMisses}
		return l.walk(ctx, s)
	}
}

// leaper walks through the rows of a source and a list of ids, and always moves on where it is behind.
type leaper struct {
	src    *source
	ids    []loci.EventID // that are left
	desc   bool
	fn     visit
	over   bool // there are no more rows, or fn wants none
	budget int  // how many rows in a row without one of the ids it reads before it looks for the next id
	visits int
}

const (
	// mostMisses is the largest budget. To look for an id costs as much as to read some more rows. The
	// budget shrinks when looking would have been better.
	mostMisses = 4
	// tryAgain is after how many rows a walk with a small budget tries a large one.
	tryAgain = 32
)

// walk visits the rows of s that have one of the ids.
func (l *leaper) walk(ctx context.Context, s span) error {
	for jumps := 1; len(l.ids) > 0 && !l.over; jumps++ {
		if jumps%checkRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		place := l.ids[0]
		if l.desc {
			place = past(place, false)
		}
		misses, jump := 0, false
		err := l.src.scan(ctx, s.rest(place, l.desc), l.desc, func(src *source, r *sqlitedb.Row) (bool, error) {
			id := idOf(r)
			l.pass(id)
			if len(l.ids) > 0 && l.ids[0] == id {
				misses = 0
				return l.visit(src, r)
			}
			misses++
			jump = misses > l.budget
			return len(l.ids) > 0 && !jump, nil
		})
		if err != nil {
			return err
		}
		if jump {
			l.budget /= 2
		} else {
			l.over = true
		}
	}
	return nil
}

// pass drops the ids that come before one.
func (l *leaper) pass(id loci.EventID) {
	for len(l.ids) > 0 && l.ids[0] != id && less(l.ids[0], id) != l.desc {
		l.ids = l.ids[1:]
	}
}

func (l *leaper) visit(src *source, r *sqlitedb.Row) (more bool, err error) {
	if l.visits++; l.visits%tryAgain == 0 {
		l.budget = mostMisses
	}
	l.ids = l.ids[1:]
	more, err = l.fn(src, r)
	return more && len(l.ids) > 0, err
}
