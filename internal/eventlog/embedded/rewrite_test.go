package embedded

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

// TestRewrite changes an event in log.db, one in the file of a past month, and one that is in both. No file has
// their old words.
func TestRewrite(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	secret := func(e *loci.Event) {
		e.Actor, e.Tags, e.Metadata = "tulip", []string{"tulip", "pw"}, json.RawMessage(`{"pin":"tulip"}`)
	}
	old, half := newEvent(c, "the old tulip", secret), newEvent(c, "the half tulip", secret)
	put(t, l, day, old, newEvent(c, "old and ordinary"))
	upkeep(t, l, acme)
	c.move(twoMonths)
	upkeep(t, l, acme)
	put(t, l, day, half)
	upkeep(t, l, acme)
	c.move(twoMonths)
	rows, batch := due(t, l)
	halfSeal(t, l, rows, batch)
	now := newEvent(c, "the new tulip", secret, func(e *loci.Event) { e.DedupKey = "tulip" })
	put(t, l, day, now, newEvent(c, "new and ordinary"))
	upkeep(t, l, acme)
	after, err := l.End(t.Context(), acme)
	if err != nil {
		t.Fatal(err)
	}
	absent := loci.NewEventID(c.now())
	fn := func(e *loci.Event) {
		e.Actor, e.Tags, e.DedupKey, e.SecretsKept = "", nil, "", true
		e.Content, e.Metadata = strings.ReplaceAll(e.Content, "tulip", "[gone]"), nil
	}
	left, err := l.Rewrite(t.Context(), acme, append(idsOf([]*loci.Event{old, half, now}), absent), fn)
	if err != nil || !slices.Equal(left, []loci.EventID{absent}) {
		t.Fatalf("left %v, %v", left, err)
	}
	upkeep(t, l, acme)
	list, err := l.Get(t.Context(), person, idsOf([]*loci.Event{old, half, now}))
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	for i, e := range list {
		want := "the " + []string{"old", "half", "new"}[i] + " [gone]"
		if e.Content != want || e.Actor != "" || e.Metadata != nil || len(e.Tags) > 0 || e.DedupKey != "" || !e.SecretsKept {
			t.Errorf("got %+v, want %q", e, want)
		}
	}
	changes, err := l.Changed(t.Context(), acme, after, 100)
	if err != nil || !slices.Contains(changes.Gone, old.ID) || !slices.Contains(changes.Gone, now.ID) {
		t.Errorf("followers read %+v, %v", changes, err)
	}
	sound(t, l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range filesIn(t, l.opts.Dir) {
		if data, err := os.ReadFile(path); err != nil || bytes.Contains(data, []byte("tulip")) {
			t.Errorf("%s has the old text, %v", path, err)
		}
	}
}

func filesIn(t *testing.T, dir string) (list []string) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(list) < 3 {
		t.Fatal(list, err)
	}
	return list
}

// TestRewriteOfQueued leaves what may be on its way to another system.
func TestRewriteOfQueued(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := open(t, filepath.Join(t.TempDir(), "events"), c.now)
	sent := newEvent(c, "a sent tulip")
	c.move(time.Second)
	waits := newEvent(c, "a waiting tulip")
	for _, e := range []*loci.Event{sent, waits} {
		if _, err := l.Queue(t.Context(), person, []*loci.Event{e}, day); err != nil {
			t.Fatal(err)
		}
	}
	queue, err := l.Queued(t.Context(), acme, 0, 10)
	if err != nil || len(queue) != 2 {
		t.Fatal(queue, err)
	}
	if err := l.Offer(t.Context(), acme, queue[0].Number); err != nil {
		t.Fatal(err)
	}
	left, err := l.Rewrite(t.Context(), acme, idsOf([]*loci.Event{sent, waits}),
		func(e *loci.Event) { e.Content = strings.ReplaceAll(e.Content, "tulip", "[gone]") })
	if err != nil || !slices.Equal(left, []loci.EventID{sent.ID}) {
		t.Errorf("left %v, %v", left, err)
	}
	queue, err = l.Queued(t.Context(), acme, 0, 10)
	if err != nil || queue[1].Event.Content != "a waiting [gone]" {
		t.Errorf("in the queue: %+v, %v", queue[1].Event, err)
	}
}
