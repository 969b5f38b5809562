package embedded

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// What others wait for goes before upkeep, which may be called again and again.
func TestUpkeepLeavesTheTurn(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	put(t, l, day, newEvents(c, 3)...)
	const oldIndex = "words.db"
	if err := os.WriteFile(l.path(acme, oldIndex), []byte("of an earlier version"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{upkeepTurn, upkeepLock} {
		held := l.lock(acme, name)
		if ok, err := held.TryLock(); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if more, err := l.Upkeep(t.Context(), acme); more || err != nil {
			t.Errorf("%s is held: %v, %v", name, more, err)
		}
		if there, _ := l.exists(acme, oldIndex); !there {
			t.Errorf("upkeep did something while %s was held", name)
		}
		if err := held.Close(); err != nil {
			t.Fatal(err)
		}
	}
	upkeep(t, l, acme)
	if there, err := l.exists(acme, oldIndex); there || err != nil {
		t.Errorf("the index of an earlier version is there: %v, %v", there, err)
	}
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

// Sparse and dense matches, so that a walk leaps and reads on.
func TestLeaps(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	var events, want []*loci.Event
	for i := range 6000 {
		e := newEvent(c, "x")
		events = append(events, e)
		if i%97 == 0 || i > 3000 && i < 3900 || i > 4500 && i%3 == 0 {
			want = append(want, e)
		}
	}
	put(t, l, eventlog.Dedup{}, events...)
	by := func(o eventlog.Order) eventlog.Filter {
		ids := idsOf(want)
		if o == eventlog.Newest {
			slices.Reverse(ids)
		}
		return eventlog.Filter{Among: func(_ context.Context, order eventlog.Order, after loci.EventID, limit int) (
			[]loci.EventID, bool, error) {
			left := ids[slices.Index(ids, after)+1:]
			if !after.IsZero() && after != lastID && len(left) == len(ids) || order != o {
				t.Errorf("it asks for ids after %v in the order %s", after, order)
			}
			return left[:min(limit, len(left))], len(left) > limit, nil
		}}
	}
	for _, stage := range []string{"log", "month"} {
		wantIDs(t, stage, found(t, l, by(eventlog.Oldest)), idsOf(want))
		page, err := l.Find(t.Context(), person, eventlog.Query{Filter: by(eventlog.Newest), Limit: 10_000})
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
