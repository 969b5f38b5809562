package embedded

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"path/filepath"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/eventlogtest"
)

// Positions tell a viewer who sees only the last events nothing about the others: neither their ids nor
// their times nor their number.
func TestPositionsRevealNothing(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	other := loci.Viewer{OrgID: acme, UserID: loci.NewUserID()}
	hidden := newEvents(c, 600)
	for _, e := range hidden {
		e.Reach = loci.ReachPrivate
	}
	visible := newEvents(c, 3)
	put(t, l, eventlog.Dedup{}, append(hidden, visible...)...)
	after := newEvent(c, "hidden, too", func(e *loci.Event) { e.Reach = loci.ReachPrivate })
	var positions []eventlog.Position
	tail := func(after eventlog.Position) eventlog.Position {
		t.Helper()
		page, err := l.Tail(t.Context(), other, after, 10)
		if err != nil || len(page.Events) > 0 {
			t.Fatalf("tail: %d events, %v", len(page.Events), err)
		}
		positions = append(positions, page.Next)
		return page.Next
	}
	first := tail("")
	if second := tail(first); second == first {
		t.Error("two positions of one place are equal, so others tell that something happened in between")
	}
	put(t, l, eventlog.Dedup{}, after)
	tail(first)
	for _, order := range []eventlog.Order{eventlog.Newest, eventlog.Oldest} {
		for asked := range 4 { // until the time is up, the search gets as far as a hidden event
			ctx := eventlogtest.EndingAfter(t.Context(), asked, loci.ErrSpent)
			page, err := l.Find(ctx, other, eventlog.Query{Order: order, Limit: 2})
			if err != nil || page.Next == "" {
				t.Fatalf("find: next %q, %v", page.Next, err)
			}
			positions = append(positions, page.Next)
		}
	}
	for _, p := range positions {
		raw, err := base64.RawURLEncoding.DecodeString(string(p))
		if err != nil {
			t.Fatal(err)
		}
		for n, e := range append(hidden, after) {
			seq := binary.BigEndian.AppendUint64(nil, uint64(n+1))
			for what, secret := range map[string][]byte{"time": e.ID[:8], "id": e.ID[8:], "number": seq} {
				if bytes.Contains(raw, secret) || bytes.Contains([]byte(p), secret) {
					t.Fatalf("position %s has the %s of a hidden event", p, what)
				}
			}
		}
	}
}

// A cursor that is forged without the key is invalid, also if its sum is right.
func TestForgedCursors(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	put(t, l, day, newEvents(c, 5)...)
	page, err := l.Find(t.Context(), person, eventlog.Query{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	newest, oldest := cursors{acme, newestFirst}, cursors{acme, oldestFirst}
	real, err := newest.parse(page.Next)
	if err != nil {
		t.Fatal(err)
	}
	changed := cursor{real.epoch, bytes.Clone(real.sealed)}
	changed.sealed[20]++
	for name, q := range map[string]eventlog.Query{
		"changed":        {After: newest.format(changed)},
		"without a seal": {After: newest.format(cursor{real.epoch, nil})},
		"of no log":      {After: newest.format(cursor{[epochBytes]byte{1}, real.sealed})},
		"before all":     {After: newest.format(cursor{sealed: real.sealed})},
		"another order":  {After: oldest.format(real), Order: eventlog.Oldest},
	} {
		q.Limit = 2
		if _, err := l.Find(t.Context(), person, q); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("%s: %v, want an invalid error", name, err)
		}
	}
}
