package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// searches compares a search by the index with what was stored. It must not find those in lost.
func searches(t *testing.T, what string, l *Log, events []*loci.Event, lost ...*loci.Event) {
	t.Helper()
	want := slices.Clone(events)
	want = slices.DeleteFunc(want, func(e *loci.Event) bool { return !slices.Contains(e.Tags, "t7") })
	wantIDs(t, what, found(t, l, eventlog.Filter{Tags: []string{"t7"}}), idsOf(want))
	wantIDs(t, what+", all", found(t, l, eventlog.Filter{}), idsOf(slices.Concat(lost, events)))
}

// The index comes back if its file is lost, also for months that have a file.
func TestLostIndex(t *testing.T) {
	t.Parallel()
	c := newClock()
	dir := filepath.Join(t.TempDir(), "events")
	l := open(t, dir, c.now)
	events := newEvents(c, 1200)
	put(t, l, day, events...)
	upkeep(t, l, acme)
	c.move(twoMonths)
	upkeep(t, l, acme)
	more := newEvents(c, 100)
	put(t, l, eventlog.Dedup{}, more...)
	events = append(events, more...)
	upkeep(t, l, acme)
	other := open(t, dir, c.now) // as another process that has the file open
	searches(t, "at first", other, events)
	for _, file := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(filepath.Join(dir, "acme", wordsFile+file)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	searches(t, "lost", l, events)
	for more, step := true, 0; more; step++ {
		var err error
		if more, err = l.Upkeep(t.Context(), acme); err != nil {
			t.Fatal(err)
		}
		searches(t, fmt.Sprint("step ", step), l, events)
	}
	searches(t, "built again", other, events)
	sound(t, l)
	indexed(t, l, 2)
}

// indexed fails unless the index has so many complete months.
func indexed(t *testing.T, l *Log, want int64) {
	t.Helper()
	inSide(t, l, wordsFile, func(c *sqlitedb.Conn) error {
		if n := number(t, c, "SELECT count(*) FROM parts WHERE words IS NOT NULL AND building IS NULL"); n != want {
			t.Errorf("%d months are indexed, want %d", n, want)
		}
		return nil
	})
}

// An index of a later state of the log counts for nothing, such as beside a restored log.
func TestIndexOfLaterLog(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	events := newEvents(c, 20)
	put(t, l, day, events...)
	upkeep(t, l, acme)
	backup := t.TempDir()
	if _, err := l.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	put(t, l, eventlog.Dedup{}, newEvents(c, 20)...)
	upkeep(t, l, acme)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	copyIndex(t, l.opts.Dir, filepath.Join(backup, "events"))
	restored := open(t, filepath.Join(backup, "events"), c.now)
	searches(t, "restored", restored, events)
	more := newEvents(c, 10)
	put(t, restored, eventlog.Dedup{}, more...)
	events = append(events, more...)
	searches(t, "restored, then written", restored, events)
	upkeep(t, restored, acme)
	searches(t, "after upkeep", restored, events)
	sound(t, restored)
}

// copyIndex puts the index of one log beside another. Both are closed.
func copyIndex(t *testing.T, from, to string) {
	t.Helper()
	words, err := os.ReadFile(filepath.Join(from, "acme", wordsFile))
	if err == nil {
		err = os.WriteFile(filepath.Join(to, "acme", wordsFile), words, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The index of another log counts for nothing.
func TestIndexOfAnotherLog(t *testing.T) {
	t.Parallel()
	c := newClock()
	var dirs []string
	var events [][]*loci.Event
	for range 2 {
		l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
		dirs, events = append(dirs, l.opts.Dir), append(events, newEvents(c, 20))
		put(t, l, day, events[len(events)-1]...)
		upkeep(t, l, acme)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	copyIndex(t, dirs[0], dirs[1])
	l := open(t, dirs[1], c.now)
	searches(t, "with another index", l, events[1])
	upkeep(t, l, acme)
	searches(t, "after upkeep", l, events[1])
	sound(t, l)
}

// An index counts for nothing if events moved that it doesn't have.
func TestIndexOfEarlierLog(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	events := newEvents(c, 50)
	put(t, l, day, events...)
	upkeep(t, l, acme)
	inSide(t, l, wordsFile, func(c *sqlitedb.Conn) error {
		if err := c.Exec("INSERT INTO words_1 (words_1) VALUES ('delete-all')"); err != nil {
			return err
		}
		return c.Exec("UPDATE state SET done = 10")
	})
	searches(t, "in log.db", l, events[10:], events[:10]...)
	c.move(twoMonths)
	if rows, _ := due(t, l); len(rows) != 10 {
		t.Errorf("%d events may move, want those of the index", len(rows))
	}
	inSide(t, l, wordsFile, func(c *sqlitedb.Conn) error { return c.Exec("UPDATE state SET done = 50") })
	rows, batch := due(t, l)
	halfSeal(t, l, rows, batch)
	inLog(t, l, func(_ *orgLog, c *sqlitedb.Conn) error { return closeBatch(c, monthOfID(rows[0].id), rows, batch) })
	inSide(t, l, wordsFile, func(c *sqlitedb.Conn) error { return c.Exec("UPDATE state SET done = 10") })
	searches(t, "moved", l, events)
	upkeep(t, l, acme)
	searches(t, "after upkeep", l, events)
	sound(t, l)
}

// The words of deleted events leave the index an hour later.
func TestWordsOfDeletedEvents(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	secret := newEvent(c, "the secret is pomegranate")
	put(t, l, day, secret, newEvent(c, "something else"))
	upkeep(t, l, acme)
	has := func() (n int64) {
		t.Helper()
		inSide(t, l, wordsFile, func(c *sqlitedb.Conn) error {
			table := wordsTable(number(t, c, "SELECT words FROM parts"))
			n = number(t, c, "SELECT count(*) FROM "+table+" WHERE "+table+" MATCH '\"pomegran\"'")
			return nil
		})
		return n
	}
	if n := has(); n != 1 {
		t.Fatalf("the index has the word %d times, want 1", n)
	}
	if _, err := l.Purge(t.Context(), acme, eventlog.Selection{IDs: idsOf([]*loci.Event{secret})}, 1); err != nil {
		t.Fatal(err)
	}
	upkeep(t, l, acme)
	if n := has(); n != 1 {
		t.Errorf("the index has lost the word already")
	}
	c.move(dirtyFor)
	upkeep(t, l, acme)
	if n := has(); n != 0 {
		t.Errorf("the index still has the word")
	}
	sound(t, l)
}

// What others wait for goes before upkeep, which may be called again and again.
func TestUpkeepLeavesTheTurn(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	put(t, l, day, newEvents(c, 3)...)
	for _, name := range []string{upkeepTurn, upkeepLock} {
		held := l.lock(acme, name)
		if ok, err := held.TryLock(); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if more, err := l.Upkeep(t.Context(), acme); more || err != nil {
			t.Errorf("%s is held: %v, %v", name, more, err)
		}
		if there, _ := l.exists(acme, wordsFile); there {
			t.Errorf("upkeep did something while %s was held", name)
		}
		if err := held.Close(); err != nil {
			t.Fatal(err)
		}
	}
	upkeep(t, l, acme)
	indexed(t, l, 1)
}

// Positions of events that moved, and of changes that were forgotten, are not known any more.
func TestLostPositions(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	type both struct{ end, tail eventlog.Position }
	end := func() both {
		t.Helper()
		p, err := l.End(t.Context(), acme)
		tail, err2 := l.Tail(t.Context(), person, "", 1)
		if err = errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		return both{p, tail.Next}
	}
	want := func(what string, p both, want loci.Code) {
		t.Helper()
		_, err := l.Changed(t.Context(), acme, p.end, 10)
		_, err2 := l.Tail(t.Context(), person, p.tail, 10)
		if loci.CodeOf(err) != want || loci.CodeOf(err2) != want {
			t.Errorf("%s: %v, %v, want code %q", what, err, err2, want)
		}
	}
	empty := end()
	put(t, l, day, newEvents(c, 3)...)
	three := end()
	put(t, l, eventlog.Dedup{}, newEvents(c, 3)...)
	six := end()
	upkeep(t, l, acme)
	want("all are in the log", empty, "")
	c.move(twoMonths)
	upkeep(t, l, acme)
	want("the first, after all have moved", empty, loci.Conflict)
	want("half, after all have moved", three, loci.Conflict)
	want("the end, after all have moved", six, "")
	inLog(t, l, func(_ *orgLog, c *sqlitedb.Conn) error {
		return c.Exec(`INSERT INTO changes (gone) SELECT zeroblob(16) FROM
			(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ?) SELECT i FROM n)`, keepChanges)
	})
	later := end()
	upkeep(t, l, acme)
	want("before changes that were forgotten", six, loci.Conflict)
	want("after them", later, "")
}

// Many events without an index are read in the order of time.
func TestLongTail(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	first := newEvents(c, 30)
	put(t, l, day, first...)
	upkeep(t, l, acme)
	late := newEvent(c, "late", func(e *loci.Event) { e.Time, e.Tags = first[10].Time, []string{"t7"} })
	rest := append(newEvents(c, fewRows), late)
	put(t, l, eventlog.Dedup{}, rest...)
	all := slices.Concat(first, rest)
	searches(t, "a long tail", l, inTime(all))
	page, err := l.Find(t.Context(), person, eventlog.Query{Filter: eventlog.Filter{Tags: []string{"t7"}}, Limit: 1})
	if err != nil || page.Events[0].ID != rest[fewRows-3].ID {
		t.Errorf("the newest is %v (%v), want %s", page.Events, err, rest[fewRows-3].ID)
	}
}

// Events of one time share a place in the index, and still are found one by one.
func TestEventsOfOneTime(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	at := c.now()
	var events []*loci.Event
	for i := range 500 {
		events = append(events, newEvent(c, fmt.Sprint("event ", i), func(e *loci.Event) {
			e.Time = at.Add(time.Duration(i/100) * time.Microsecond)
			e.Tags = []string{fmt.Sprint("t", i%10)}
		}))
	}
	put(t, l, day, events[:250]...)
	upkeep(t, l, acme)
	put(t, l, day, events[250:]...)
	events = inTime(events)
	searches(t, "half indexed", l, events)
	upkeep(t, l, acme)
	searches(t, "indexed", l, events)
	c.move(twoMonths)
	upkeep(t, l, acme)
	searches(t, "compressed", l, events)
	sound(t, l)
}

// Sparse and dense matches, so that a walk leaps and reads on.
func TestLeaps(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	var events, want []*loci.Event
	for i := range 6000 {
		e := newEvent(c, "x", func(e *loci.Event) {
			if i%97 == 0 || i > 3000 && i < 3900 || i > 4500 && i%3 == 0 {
				e.Tags = []string{"t7"}
			}
		})
		events = append(events, e)
		if len(e.Tags) > 0 {
			want = append(want, e)
		}
	}
	put(t, l, eventlog.Dedup{}, events...)
	upkeep(t, l, acme)
	for _, stage := range []string{"log", "month"} {
		wantIDs(t, stage, found(t, l, eventlog.Filter{Tags: []string{"t7"}}), idsOf(want))
		page, err := l.Find(t.Context(), person, eventlog.Query{Filter: eventlog.Filter{Tags: []string{"t7"}}, Limit: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		newest := idsOf(page.Events)
		slices.Reverse(newest)
		wantIDs(t, stage+", the newest first", newest, idsOf(want))
		c.move(twoMonths)
		upkeep(t, l, acme)
	}
}
