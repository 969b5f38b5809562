package embedded

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

const acme = loci.OrgID("acme")

// clock is a clock that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time { return c.move(0) }

func (c *clock) move(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	return c.at
}

// twoMonths is how long events of now need to get into the file of their month.
const twoMonths = 62 * 24 * time.Hour

var person = loci.Viewer{OrgID: acme, UserID: loci.UserID{15: 1}}

// newEvent returns an event of the person. Each is a microsecond after the one before.
func newEvent(c *clock, content string, change ...func(*loci.Event)) *loci.Event {
	e := &loci.Event{Content: content, RecordedAt: c.move(time.Microsecond),
		EventAccess: loci.EventAccess{OrgID: acme, UserID: person.UserID, Origin: "person"}}
	for _, fn := range change {
		fn(e)
	}
	e.SetDefaults(e.RecordedAt)
	e.ID = loci.NewEventID(e.Time)
	return e
}

func newEvents(c *clock, n int) []*loci.Event {
	events := make([]*loci.Event, n)
	for i := range events {
		events[i] = newEvent(c, fmt.Sprint("event ", i), func(e *loci.Event) { e.Tags = []string{fmt.Sprint("t", i%10)} })
	}
	return events
}

func put(tb testing.TB, l *Log, d eventlog.Dedup, events ...*loci.Event) (outcomes []eventlog.Outcome) {
	tb.Helper()
	for part := range slices.Chunk(events, loci.MaxEvents) {
		got, err := l.Append(tb.Context(), person, part, d)
		if err != nil {
			tb.Fatal(err)
		}
		outcomes = append(outcomes, got...)
	}
	return outcomes
}

// found returns the ids of a query's events.
func found(tb testing.TB, l *Log, f eventlog.Filter) (ids []loci.EventID) {
	tb.Helper()
	page, err := l.Find(tb.Context(), person, eventlog.Query{Filter: f, Order: eventlog.Oldest, Limit: 1_000_000})
	if err != nil {
		tb.Fatal(err)
	}
	return idsOf(page.Events)
}

func idsOf(events []*loci.Event) (ids []loci.EventID) {
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	return ids
}

// inTime sorts events by time and id.
func inTime(events []*loci.Event) []*loci.Event {
	sorted := slices.Clone(events)
	sortByID(sorted, false)
	return sorted
}

func wantIDs(tb testing.TB, what string, got, want []loci.EventID) {
	tb.Helper()
	if !slices.Equal(got, want) {
		tb.Errorf("%s: %d events, want %d\ngot  %.200v\nwant %.200v", what, len(got), len(want), got, want)
	}
}

// sound fails if Check finds a problem.
func sound(tb testing.TB, l *Log) {
	tb.Helper()
	if problems, err := l.Check(tb.Context()); err != nil || len(problems) > 0 {
		tb.Errorf("Check: %v, %q", err, problems)
	}
}

// inLog runs fn in a transaction on log.db.
func inLog(tb testing.TB, l *Log, fn func(*orgLog, *sqlitedb.Conn) error) {
	tb.Helper()
	err := l.read(tb.Context(), acme, func(f *orgLog) error {
		return f.DB.Update(tb.Context(), func(c *sqlitedb.Conn) error { return fn(f, c) })
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// inSide runs fn in a transaction on a side file.
func inSide(tb testing.TB, l *Log, name string, fn func(*sqlitedb.Conn) error) {
	tb.Helper()
	there, err := l.withSide(tb.Context(), acme, name, false, func(db *sqlitedb.DB) error {
		return db.Update(tb.Context(), fn)
	})
	if err != nil || !there {
		tb.Fatalf("%s: there %v, %v", name, there, err)
	}
}

// number returns the one number of a query.
func number(tb testing.TB, c *sqlitedb.Conn, sql string) (n int64) {
	tb.Helper()
	if _, err := c.One(sql, nil, readNumber(&n)); err != nil {
		tb.Fatal(err)
	}
	return n
}

// sealedLog returns a log with five events of a month that has its own file.
func sealedLog(tb testing.TB) (*clock, *Log) {
	tb.Helper()
	c := newClock()
	l := open(tb, filepath.Join(tb.TempDir(), "events"), c.now)
	put(tb, l, day, newEvents(c, 5)...)
	upkeep(tb, l, acme)
	c.move(twoMonths)
	upkeep(tb, l, acme)
	return c, l
}
