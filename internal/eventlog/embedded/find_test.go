package embedded

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// A search keeps in memory what it may return, however many pass.
func TestSearchKeepsFewEvents(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	events := newEvents(c, 500)
	put(t, l, eventlog.Dedup{}, events...)
	slices.Reverse(events)
	s := &collector{desc: true, limit: 3, within: everything()}
	most := 0
	w := want{also: func(*loci.Event) bool {
		most = max(most, len(s.found))
		return true
	}}
	if err := l.collect(t.Context(), acme, w, s); err != nil {
		t.Fatal(err)
	}
	wantIDs(t, "found", idsOf(s.found), idsOf(events[:3]))
	if most > 3 {
		t.Errorf("the search kept %d events, want at most 3", most)
	}
}

// Only the end of its time makes a search partial, and no other error that comes after it.
func TestErrorsAfterTheTime(t *testing.T) {
	t.Parallel()
	l, _ := checked(t)
	inLog(t, l, func(_ *orgLog, c *sqlitedb.Conn) error { return c.Exec("UPDATE events SET body = x'00'") })
	ctx, end := context.WithCancelCause(t.Context())
	s := &collector{limit: 100, within: everything()}
	w := want{also: func(*loci.Event) bool { end(loci.ErrSpent); return true }}
	if err := l.collect(ctx, acme, w, s); !errors.Is(err, errDamaged) || s.cut {
		t.Errorf("a damaged event after the time: %v, cut %v", err, s.cut)
	}
	if isSpent(ctx, errors.New("another error")) || !isSpent(ctx, ctx.Err()) || isSpent(ctx, nil) {
		t.Errorf("the search is over by another error than %v", ctx.Err())
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if isSpent(gone, gone.Err()) {
		t.Error("the search of a caller who has gone is partial")
	}
}

// Ids tell in which month their events are, so the files of other months stay closed.
func TestIDsOpenTheirMonths(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	var ids []loci.EventID
	for range 3 {
		e := newEvent(c, "a")
		put(t, l, eventlog.Dedup{}, e)
		ids = append(ids, e.ID)
		c.move(twoMonths)
	}
	upkeep(t, l, acme)
	again := open(t, l.opts.Dir, c.now)
	for n, id := range ids {
		got, err := again.Get(t.Context(), person, []loci.EventID{id, {15: 1}, loci.NewEventID(c.now())})
		if err != nil || len(got) != 1 {
			t.Fatalf("get: %d events, %v", len(got), err)
		}
		if files := again.sides.Len(); files != n+1 {
			t.Errorf("after %d ids, %d files are open", n+1, files)
		}
	}
	if got, err := again.Get(t.Context(), person, []loci.EventID{}); len(got) > 0 || err != nil {
		t.Errorf("no ids: %d events, %v", len(got), err)
	}
}
