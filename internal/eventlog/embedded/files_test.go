package embedded

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

func TestReadsCreateNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "events")
	c := newClock()
	l := open(t, dir, c.now)
	found(t, l, eventlog.Filter{})
	found(t, l, eventlog.Filter{Tags: []string{"a"}})
	upkeep(t, l, acme)
	if err := l.Drop(t.Context(), acme); err != nil {
		t.Fatal(err)
	}
	if _, err := l.End(t.Context(), acme); err != nil {
		t.Fatal(err)
	}
	for org, want := range map[loci.OrgID]loci.Code{acme: "", "": loci.Invalid, "../" + acme: loci.Invalid} {
		n, err := l.Purge(t.Context(), org, eventlog.Selection{Type: "a"}, 1)
		if n != 0 || loci.CodeOf(err) != want {
			t.Errorf("purge of %q: %d, %v, want code %q", org, n, err, want)
		}
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory exists (%v)", err)
	}
}

func TestManyOrgs(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	for round := range 2 {
		for i := range idleSides + 4 {
			v := loci.Viewer{OrgID: loci.OrgID(fmt.Sprintf("org%d", i)), UserID: person.UserID}
			e := newEvent(c, fmt.Sprint(round))
			e.OrgID = v.OrgID
			if _, err := l.Append(t.Context(), v, []*loci.Event{e}, day); err != nil {
				t.Fatal(err)
			}
			upkeep(t, l, v.OrgID)
			page, err := l.Find(t.Context(), v, eventlog.Query{Limit: 10})
			if err != nil || len(page.Events) != round+1 {
				t.Fatalf("%s has %d events, %v, want %d", v.OrgID, len(page.Events), err, round+1)
			}
			if logs, sides := l.logs.Len(), l.sides.Len(); logs > idleLogs || sides > idleSides {
				t.Fatalf("%d logs and %d other files are open, want at most %d and %d", logs, sides, idleLogs, idleSides)
			}
		}
	}
}

// A log that another process deleted is gone, and may begin again.
func TestDropByAnotherProcess(t *testing.T) {
	t.Parallel()
	c := newClock()
	dir := filepath.Join(t.TempDir(), "events")
	a, b := open(t, dir, c.now), open(t, dir, c.now)
	for round := range 3 {
		events := newEvents(c, 5)
		put(t, a, day, events...)
		upkeep(t, a, acme)
		wantIDs(t, "before", found(t, b, eventlog.Filter{Tags: []string{"t1"}}), idsOf(events[1:2]))
		if err := b.Drop(t.Context(), acme); err != nil {
			t.Fatal(err)
		}
		if round%2 == 0 {
			wantIDs(t, "after", found(t, a, eventlog.Filter{}), nil)
		}
	}
	events := newEvents(c, 2)
	put(t, a, day, events...)
	wantIDs(t, "in the end", found(t, b, eventlog.Filter{}), idsOf(events))
}

// A process that was killed while it deleted a log leaves one that nobody reads, and that ends with
// the next event.
func TestDropThatWasKilled(t *testing.T) {
	t.Parallel()
	c, l := sealedLog(t)
	if err := l.markDropped(t.Context(), acme); err != nil {
		t.Fatal(err)
	}
	wantIDs(t, "after the mark", found(t, l, eventlog.Filter{}), nil)
	if _, err := l.Upkeep(t.Context(), acme); err != nil {
		t.Error(err)
	}
	e := newEvent(c, "new")
	put(t, l, day, e)
	wantIDs(t, "after a new event", found(t, l, eventlog.Filter{}), []loci.EventID{e.ID})
	sound(t, l)
}

func TestBackup(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	old := newEvents(c, 50)
	put(t, l, day, old...)
	upkeep(t, l, acme)
	c.move(twoMonths)
	rows, batch := due(t, l)
	halfSeal(t, l, rows, batch) // and killed before it deleted them
	fresh := newEvents(c, 5)
	put(t, l, eventlog.Dedup{}, fresh...)
	want := idsOf(slices.Concat(old, fresh))
	for _, stage := range []string{"while a month is compressed", "afterwards"} {
		to := t.TempDir()
		names, err := l.Backup(t.Context(), to)
		if want := []string{"events/acme/log.db", "events/acme/2026-03.db"}; err != nil || !slices.Equal(names, want) {
			t.Errorf("%s: files %q, %v, want %q", stage, names, err, want)
		}
		restored := open(t, filepath.Join(to, "events"), c.now)
		wantIDs(t, stage, found(t, restored, eventlog.Filter{}), want)
		sound(t, restored)
		upkeep(t, restored, acme)
		wantIDs(t, stage+", after upkeep", found(t, restored, eventlog.Filter{}), want)
		wantIDs(t, stage+", by a tag", found(t, restored, eventlog.Filter{Tags: []string{"t3"}}), idsOf([]*loci.Event{old[3],
			old[13], old[23], old[33], old[43], fresh[3]}))
		sound(t, restored)
		c.move(2 * sealAgain)
		upkeep(t, l, acme)
	}
}

// due returns what the next step of seal would move.
func due(t *testing.T, l *Log) (rows []sealed, batch int64) {
	t.Helper()
	err := l.read(t.Context(), acme, func(f *orgLog) (err error) {
		rows, batch, err = l.due(t.Context(), f, l.opts.Now().Add(-sealAge))
		return err
	})
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d events are due, %v", len(rows), err)
	}
	return rows, batch
}

// halfSeal does the first half of a step of seal.
func halfSeal(t *testing.T, l *Log, rows []sealed, batch int64) {
	t.Helper()
	_, err := l.withSide(t.Context(), acme, monthOfID(rows[0].id).file(), true, func(db *sqlitedb.DB) error {
		return db.Update(t.Context(), func(c *sqlitedb.Conn) error { return l.putBatch(c, rows, batch) })
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A step of seal that was killed between its two files has moved nothing, and nothing is there twice.
func TestSealThatWasKilled(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	events := newEvents(c, 30)
	put(t, l, day, events...)
	upkeep(t, l, acme)
	c.move(twoMonths)
	rows, batch := due(t, l)
	halfSeal(t, l, rows, batch)
	check := func(what string, want []*loci.Event) {
		t.Helper()
		wantIDs(t, what, found(t, l, eventlog.Filter{}), idsOf(want))
		stats, err := l.Stats(t.Context(), person, eventlog.Filter{Tags: []string{"t3"}})
		if err != nil || stats.Total != 3 {
			t.Errorf("%s: Stats counts %d, %v, want 3", what, stats.Total, err)
		}
		sound(t, l)
	}
	check("killed", events)
	n, err := l.Purge(t.Context(), acme, eventlog.Selection{IDs: idsOf(events[:1])}, 10)
	if n != 1 || err != nil {
		t.Fatalf("purge: %d, %v", n, err)
	}
	check("after a purge", events[1:])
	upkeep(t, l, acme)
	check("after upkeep", events[1:])
	late := newEvent(c, "late", func(e *loci.Event) { e.Time = events[5].Time })
	put(t, l, day, late)
	upkeep(t, l, acme)
	c.move(2 * sealAge)
	rows, batch = due(t, l)
	halfSeal(t, l, rows, batch)
	check("killed again", inTime(append(events[1:], late)))
	upkeep(t, l, acme)
	check("after upkeep again", inTime(append(events[1:], late)))
	inLog(t, l, func(_ *orgLog, c *sqlitedb.Conn) error {
		if n := number(t, c, "SELECT count(*) FROM events"); n != 0 {
			t.Errorf("%d events are left in log.db", n)
		}
		return nil
	})
	inSide(t, l, "2026-03.db", func(c *sqlitedb.Conn) error {
		if n := number(t, c, "SELECT count(*) FROM events"); n != 30 {
			t.Errorf("the month has %d events, want 30", n)
		}
		return nil
	})
}

// Another month that moves first must not let the batch count that was begun.
func TestSealThatWasKilledBeforeAnotherMonth(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	events := newEvents(c, 30)
	put(t, l, day, events...)
	upkeep(t, l, acme)
	c.move(twoMonths)
	rows, batch := due(t, l)
	halfSeal(t, l, rows, batch)
	older := newEvent(c, "older", func(e *loci.Event) { e.Time = events[0].Time.AddDate(0, -1, 0) })
	put(t, l, day, older)
	c.move(2 * sealAge)
	for more, step := true, 0; more; step++ {
		wantIDs(t, fmt.Sprint("step ", step), found(t, l, eventlog.Filter{}), idsOf(append([]*loci.Event{older}, events...)))
		var err error
		if more, err = l.Upkeep(t.Context(), acme); err != nil {
			t.Fatal(err)
		}
	}
	sound(t, l)
}

// A follower that reads an event of a month between the two parts of its deletion learns of it afterwards.
func TestPurgeOfMonthIsToldAtTheEnd(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	events := newEvents(c, 2)
	put(t, l, day, events...)
	upkeep(t, l, acme)
	c.move(twoMonths)
	upkeep(t, l, acme)
	at, err := l.End(t.Context(), acme)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Purge(t.Context(), acme, eventlog.Selection{IDs: idsOf(events[:1])}, 10); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"at the beginning", "at the end"} {
		got, err := l.Changed(t.Context(), acme, at, 1)
		if err != nil || !slices.Equal(got.Gone, idsOf(events[:1])) {
			t.Errorf("%s: followers learn %+v, %v", when, got, err)
		}
		at = got.Next
	}
}

// Texts of deleted events don't stay in the blocks of a month, and an empty month has no file.
func TestPurgeOfMonth(t *testing.T) {
	t.Parallel()
	c := newClock()
	dir := filepath.Join(t.TempDir(), "events")
	l := open(t, dir, c.now)
	events := newEvents(c, 20)
	put(t, l, day, events...)
	upkeep(t, l, acme)
	c.move(twoMonths)
	upkeep(t, l, acme)
	for i, e := range events {
		if n, err := l.Purge(t.Context(), acme, eventlog.Selection{IDs: []loci.EventID{e.ID}}, 10); n != 1 || err != nil {
			t.Fatalf("purge: %d, %v", n, err)
		}
		wantIDs(t, "left", found(t, l, eventlog.Filter{}), idsOf(events[i+1:]))
		if i == len(events)-1 {
			break
		}
		inSide(t, l, "2026-03.db", func(c *sqlitedb.Conn) error {
			data, err := l.zip.block(c, 1)
			for j, e := range events {
				if there := slices.Contains(bodies(t, data), e.Content); there != (j > i) {
					t.Errorf("after %d events were deleted, the block has event %d: %v", i+1, j, there)
				}
			}
			return err
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "acme", "2026-03.db")); !os.IsNotExist(err) {
		t.Errorf("the file of the empty month is still there (%v)", err)
	}
	sound(t, l)
	late := newEvent(c, "late", func(e *loci.Event) { e.Time = events[0].Time })
	put(t, l, day, late)
	upkeep(t, l, acme)
	c.move(twoMonths)
	upkeep(t, l, acme)
	wantIDs(t, "a late event of the month", found(t, l, eventlog.Filter{}), []loci.EventID{late.ID})
}

// bodies returns the contents in a block.
func bodies(t *testing.T, data []byte) (list []string) {
	t.Helper()
	for place := 0; place < len(data); {
		body, err := bodyAt(data, place)
		var e loci.Event
		if err == nil {
			err = readBody(body, &e)
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e.Content)
		place += len(appendText(nil, body))
	}
	return list
}

// The compressed file of a month is much smaller than the log was.
func TestMonthsAreCompressed(t *testing.T) {
	t.Parallel()
	c := newClock()
	dir := filepath.Join(t.TempDir(), "events")
	load := newLoad(20)
	load.at = c.now()
	l := open(t, dir, load.now)
	var raw int64
	for range 20 {
		events := load.batch(250)
		for _, e := range events {
			raw += int64(len(e.Content) + len(e.Metadata))
		}
		if _, err := l.Append(t.Context(), load.viewer, events, eventlog.Dedup{}); err != nil {
			t.Fatal(err)
		}
	}
	upkeep(t, l, acme)
	load.at = load.at.Add(twoMonths)
	upkeep(t, l, acme)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "acme", "2026-03.db"))
	if err != nil || info.Size() > raw*2/3 {
		t.Errorf("the file has %d bytes (%v) for %d bytes of text", info.Size(), err, raw)
	}
}

// The first writers of an org may come together. None of them fails because there is no directory yet.
func TestFirstEventsTogether(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	for i := range 40 {
		v := loci.Viewer{OrgID: loci.OrgID(fmt.Sprint("org-", i)), UserID: person.UserID}
		var wg sync.WaitGroup
		for range 6 {
			e := newEvent(c, "first", func(e *loci.Event) { e.OrgID = v.OrgID })
			wg.Go(func() {
				if _, err := l.Append(t.Context(), v, []*loci.Event{e}, eventlog.Dedup{}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}
