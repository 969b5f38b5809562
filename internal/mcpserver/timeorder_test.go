package mcpserver_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/memory"
)

// TestHitsInOrderOfTime asks for an order: the best hits come, the oldest first, each with its rank.
func TestHitsInOrderOfTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.rawAt(key, stateful, allTools)
	now := w.clock.Now()
	for _, m := range []struct {
		text string
		days int // since it is true
	}{
		{"the new roof, a flat roof", 10}, {"a roof", 400}, {"the roof of the long shed behind the old garden wall", 800},
	} {
		since := now.AddDate(0, 0, -m.days)
		_, err := w.app.Memory.Create(t.Context(), w.owner, memory.Draft{Title: m.text, Content: "We built " + m.text,
			ValidFrom: since})
		if err == nil {
			_, err = w.app.Event.Record(t.Context(), w.owner, event.Draft{Content: "We looked at " + m.text,
				Time: since.Add(time.Hour)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	list := func(tool, question string) (days, times []string, ranked map[float64]bool, order any) {
		t.Helper()
		got := r.must(tool, fmt.Sprintf(`{"query":%q,"limit":6}`, question))
		ranked = map[float64]bool{}
		for _, m := range got["memories"].([]any) {
			days = append(days, m.(map[string]any)["date"].(string))
			ranked[m.(map[string]any)["rank"].(float64)] = true
		}
		for _, e := range got["events"].([]any) {
			times = append(times, e.(map[string]any)["time"].(string))
			ranked[e.(map[string]any)["rank"].(float64)] = true
		}
		return days, times, ranked, got["order"]
	}
	day := func(n int) string { return now.AddDate(0, 0, -n).Format(time.DateOnly) }
	for _, tool := range []string{"recall_memories", "search_memories"} {
		days, times, ranked, order := list(tool, "in which order did we build the roof")
		if want := []string{day(800), day(400), day(10)}; fmt.Sprint(days) != fmt.Sprint(want) || order != "time" {
			t.Errorf("%s: got order %v and days %v, want %v", tool, order, days, want)
		}
		if len(times) != 3 || times[0] > times[1] || times[1] > times[2] || len(ranked) != 6 {
			t.Errorf("%s: got events of %v, and ranks %v", tool, times, ranked)
		}
		if days, _, _, order := list(tool, "did we build the roof"); days[0] != day(0) || order != nil {
			t.Errorf("%s, no question for an order: got order %v and days %v", tool, order, days)
		}
	}
}
