package app_test

import (
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/pack"
)

// TestPacksInOrderOfTime asks for an order. The best lines come after what is pinned, in each section the oldest first.
func TestPacksInOrderOfTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := w.now
	w.add(w.owner, memory.Draft{Title: "Roof", Content: "The roof is pinned.", Pinned: new(true)})
	for _, m := range []struct {
		text string
		days int // since it is true
	}{{"a new roof, a flat roof", 10}, {"the roof", 400}, {"one roof of the long shed behind the old garden wall", 800},
		{"the new roof tiles of the roof of the house", 500}} {
		since := now.AddDate(0, 0, -m.days)
		w.add(w.owner, memory.Draft{Title: "Built", Content: "We built " + m.text, ValidFrom: since})
		_, err := w.Event.Record(t.Context(), w.owner, event.Draft{Content: "We paid for " + m.text, Time: since})
		w.must(err)
	}
	got := w.context(w.owner, pack.Request{Goal: "a timeline of the roof"})
	at := -1
	for _, text := range []string{"The roof is pinned", "We built one roof", "built the new roof tiles", "built the roof",
		"built a new roof", "paid for one roof", "paid for the new roof tiles", "paid for the roof", "paid for a new roof"} {
		next := strings.Index(got.Context, text)
		if next <= at {
			t.Fatalf("%q is not where it belongs:\n%s", text, got.Context)
		}
		at = next
	}
	if day := now.AddDate(0, 0, -800).UTC().Format(time.DateOnly); strings.Count(got.Context, day) != 2 {
		t.Errorf("the lines do not tell when it happened, as %s:\n%s", day, got.Context)
	}
	if got := w.context(w.owner, pack.Request{Goal: "a timeline of the roof", Limit: 3}); strings.Contains(got.Context,
		"shed") {
		t.Errorf("the oldest memory, which is not among the best, is in the pack:\n%s", got.Context)
	}
	if got := w.context(w.owner, pack.Request{Goal: "we built the roof"}); strings.Index(got.Context, "built one roof") <
		strings.Index(got.Context, "built the roof") {
		t.Errorf("a goal that asks for no order:\n%s", got.Context)
	}
}
