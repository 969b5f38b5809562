package embedded

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// part is a part of a search. The parts of a plan have each event once.
type part struct {
	span
	run func(ctx context.Context, s span, desc bool, fn visit) error
}

// plan returns the parts of a search in all events or, if ids is not nil, in these, those parts first that come first
// in its order.
func (r *reader) plan(ids []loci.EventID, desc bool) ([]part, error) {
	months, err := r.months()
	if err != nil {
		return nil, err
	}
	search := method((*source).scan)
	if ids != nil {
		search = leap(ids)
		months = monthsOf(months, ids)
	}
	parts := []part{{everything(), search.on(logSource(r.c, 0, allSeqs))}}
	for _, m := range inOrder(maps.Keys(months), desc) {
		parts = append(parts, part{m.span(), r.inMonth(m, months[m], search)})
	}
	return parts, nil
}

// mostAmong is how many ids a search asks for at a time. At first it asks for fewer, because most searches need few.
const mostAmong = 4096

// plans calls fn with the parts of a search within a span: with all of them or, if the filter has Among, with those for
// some of its ids after another and the span that they cover, as long as fn wants more.
func (r *reader) plans(ctx context.Context, within span, desc bool, size int,
	fn func(parts []part, within span) (more bool, err error)) error {
	if r.filter.Among == nil {
		parts, err := r.plan(r.filter.IDs, desc)
		if err == nil {
			_, err = fn(parts, within)
		}
		return err
	}
	order := eventlog.Oldest
	if desc {
		order = eventlog.Newest
	}
	for more := true; more && !within.empty(); size = min(4*size, mostAmong) {
		ids, left, err := r.filter.Among(ctx, order, within.before(desc), size)
		if err != nil || len(ids) == 0 {
			return err
		}
		parts, err := r.plan(ids, desc)
		if err != nil {
			return err
		}
		place := past(ids[len(ids)-1], desc)
		more, err = fn(parts, within.and(upTo(place, desc)))
		if err != nil {
			return err
		}
		more, within = more && left, within.rest(place, desc)
	}
	return nil
}

// upTo is the span of everything before a place in an order.
func upTo(place loci.EventID, desc bool) span {
	if desc {
		return span{place, lastID}
	}
	return span{to: place}
}

// monthsOf returns those of months that may have some of the ids, because an id has the time of its event.
func monthsOf(months map[month]int64, ids []loci.EventID) map[month]int64 {
	of := map[month]int64{}
	for _, id := range ids {
		m := monthOfID(id)
		if batch, there := months[m]; there {
			of[m] = batch
		}
	}
	return of
}

func inOrder(months iter.Seq[month], desc bool) []month {
	list := slices.Sorted(months)
	if desc {
		slices.Reverse(list)
	}
	return list
}

// months returns the months that have a file, and the last batch that counts in each.
func (r *reader) months() (map[month]int64, error) {
	batches := map[month]int64{}
	err := r.c.Query("SELECT month, batch FROM months", nil, func(row *sqlitedb.Row) error {
		batches[month(row.Int(0))] = row.Int64(1)
		return nil
	})
	return batches, err
}

func (r *reader) inMonth(m month, batch int64, search method) func(context.Context, span, bool, visit) error {
	return func(ctx context.Context, s span, desc bool, fn visit) error {
		_, err := r.l.withMonth(ctx, r.f.org, m, func(c *sqlitedb.Conn) error {
			return search(r.l.monthSource(c, batch), ctx, s, desc, fn)
		})
		return err
	}
}

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

// span is a range of ids, and so of time: from the first to before the second.
type span struct{ from, to loci.EventID }

// lastID is after the ids of all events.
var lastID = loci.EventID(bytes.Repeat([]byte{0xff}, len(loci.EventID{})))

func everything() span { return span{to: lastID} }

// spanOf returns the span of all events that may pass a filter.
func spanOf(f *eventlog.Filter) span {
	s := everything()
	if !f.Since.IsZero() {
		s.from = loci.FirstEventID(f.Since)
	}
	if !f.Until.IsZero() {
		s.to = loci.FirstEventID(f.Until.Add(time.Microsecond - 1))
	}
	return s
}

func less(a, b loci.EventID) bool { return bytes.Compare(a[:], b[:]) < 0 }

func (s span) empty() bool { return !less(s.from, s.to) }

func (s span) has(id loci.EventID) bool { return !less(id, s.from) && less(id, s.to) }

// and returns what both spans have.
func (s span) and(t span) span {
	if less(s.from, t.from) {
		s.from = t.from
	}
	if less(t.to, s.to) {
		s.to = t.to
	}
	return s
}

// start returns where a walk through the span begins. after is past an id, and rest what is left there.
// For the newest first, a place is before the ids that are less; otherwise it is before its own id.
func (s span) start(desc bool) loci.EventID {
	if desc {
		return s.to
	}
	return s.from
}

// before returns the last id before the span, or zero if there is none.
func (s span) before(desc bool) loci.EventID {
	id := s.start(desc)
	for i := len(id) - 1; i >= 0 && !desc && !id.IsZero(); i-- {
		if id[i]--; id[i] != 0xff {
			break
		}
	}
	return id
}

func (s span) end(desc bool) loci.EventID { return s.start(!desc) }

func past(id loci.EventID, desc bool) loci.EventID {
	for i := len(id) - 1; i >= 0 && !desc; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}

func (s span) rest(place loci.EventID, desc bool) span {
	if desc {
		return s.and(span{to: place})
	}
	return s.and(span{place, lastID})
}

// month counts the months of the calendar, in UTC.
type month int

const monthLayout = "2006-01"

func monthOf(at time.Time) month {
	at = at.UTC()
	return month(at.Year()*12 + int(at.Month()) - 1)
}

func monthOfID(id loci.EventID) month {
	at, _ := loci.EventTime(id)
	return monthOf(at)
}

func (m month) begin() time.Time {
	return time.Date(int(m)/12, time.Month(int(m)%12+1), 1, 0, 0, 0, 0, time.UTC)
}

func (m month) span() span {
	return span{loci.FirstEventID(m.begin()), loci.FirstEventID((m + 1).begin())}
}

func (m month) file() string { return m.begin().Format(monthLayout) + ".db" }
