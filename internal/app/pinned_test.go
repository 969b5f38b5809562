package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// pins saves pinned memories that are called so, each of another importance, and then so many newer ones that are not
// pinned.
func (w *world) pins(newer int, titles ...string) {
	w.t.Helper()
	for i, title := range titles {
		w.add(w.owner, memory.Draft{Title: title, Content: "The rule is " + title, Importance: 10 - i, Pinned: new(true)})
	}
	for i := range newer {
		w.add(w.owner, memory.Draft{Title: fmt.Sprint("note ", i), Content: fmt.Sprint("zebra ", i)})
	}
}

func pinnedTitles(b *loci.Briefing) (list []string) {
	for _, m := range b.Pinned {
		list = append(list, m.Title)
	}
	return list
}

// What is pinned is in the briefing however old it is, the most important first, with what it says.
func TestBriefingHasWhatIsPinned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pins(205, "first", "second", "third")
	w.add(w.owner, memory.Draft{Title: "hidden", Content: "secret", Pinned: new(true),
		AllowedVendors: []loci.Vendor{"cursor"}})
	w.add(w.owner, memory.Draft{Title: "long", Content: strings.Repeat("word ", 1000), Summary: new("in\nshort"),
		Pinned: new(true), Importance: 1})
	trashed := w.add(w.owner, memory.Draft{Title: "trashed", Content: "c", Pinned: new(true)})
	if _, err := w.Memory.Trash(t.Context(), w.local, trashed.ID, 0); err != nil {
		t.Fatal(err)
	}
	w.add(w.owner, memory.Draft{Title: "over", Content: "c", Pinned: new(true), ExpiresAt: w.now.Add(time.Minute)})
	w.now = w.now.Add(time.Hour)
	b, err := w.Memory.Briefing(t.Context(), w.claude, loci.When{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := pinnedTitles(b), []string{"first", "second", "third", "long"}; !slices.Equal(got, want) ||
		b.MorePinned {
		t.Errorf("pinned: %q, more %v; want %q", got, b.MorePinned, want)
	}
	text := b.Markdown()
	at := strings.Index(text, "## Pinned")
	if at < 0 || at > strings.Index(text, "## Newest") || !strings.Contains(text, "\n  The rule is first\n") ||
		!strings.Contains(text, "\n  in short\n") {
		t.Errorf("the briefing does not begin with what is pinned:\n%s", text)
	}
}

// More than MaxPinned are cut to the newest, and what they say to a bounded length.
func TestBriefingIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range memory.MaxPinned + 1 {
		w.add(w.owner, memory.Draft{Title: fmt.Sprint(i), Content: strings.Repeat("é", 700), Pinned: new(true)})
	}
	b, err := w.Memory.Briefing(t.Context(), w.claude, loci.When{})
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Pinned) != memory.MaxPinned || !b.MorePinned || b.Pinned[0].Title != fmt.Sprint(memory.MaxPinned) ||
		b.Pinned[memory.MaxPinned-1].Title != "1" {
		t.Errorf("%d pinned from %q to %q, more %v", len(b.Pinned), b.Pinned[0].Title, b.Pinned[len(b.Pinned)-1].Title,
			b.MorePinned)
	}
	total := 0
	for _, m := range b.Pinned {
		n := len([]rune(m.Text))
		total += n
		if n > 500 || n == 500 && !strings.HasSuffix(m.Text, "…") {
			t.Errorf("%s says %d characters, ending in %q", m.Title, n, m.Text[len(m.Text)-4:])
		}
	}
	if total != 8000 {
		t.Errorf("%d characters of pinned memories, want 8000", total)
	}
}

func askPinned(t *testing.T, w *world, p loci.Principal, r memory.QueryRequest) (
	used []string, answer *memory.QueryAnswer) {
	t.Helper()
	answer, err := w.Memory.Query(t.Context(), p, r)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range answer.Used {
		used = append(used, m.Title+" "+string(answer.ReasonOf(i)))
	}
	return used, answer
}

// Pinned memories are in the prompt first, whatever the question, within the limit and what the filter asks for.
func TestQueryHasWhatIsPinned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pins(12, "first", "second", "third", "fourth")
	w.add(w.owner, memory.Draft{Title: "hidden", Content: "secret zebra", Pinned: new(true),
		AllowedVendors: []loci.Vendor{"cursor"}})
	w.add(w.owner, memory.Draft{Title: "giraffe", Content: "giraffe", Importance: 1, Pinned: new(true),
		Tags: []string{"tall"}})
	tall := w.add(w.owner, memory.Draft{Title: "okapi", Content: "okapi zebra", Tags: []string{"tall"}})
	all := []string{"first pinned", "second pinned", "third pinned", "fourth pinned", "giraffe pinned"}
	for name, tt := range map[string]struct {
		r    memory.QueryRequest
		want []string
	}{
		"a match": {memory.QueryRequest{Query: "okapi", Limit: 20}, append(slices.Clone(all), "okapi match")},
		"nothing fits": {memory.QueryRequest{Query: "platypus", Limit: 6},
			[]string{"first pinned", "second pinned", "third pinned", "okapi recent", "giraffe recent", "note 11 recent"}},
		"half of the limit": {memory.QueryRequest{Query: "zebra okapi", Limit: 5},
			[]string{"first pinned", "second pinned", "third pinned", "okapi match", "note 11 match"}},
		"one":                {memory.QueryRequest{Query: "okapi", Limit: 1}, []string{"first pinned"}},
		"fits and is pinned": {memory.QueryRequest{Query: "giraffe", Limit: 20}, all},
		"fits, not among the first": {memory.QueryRequest{Query: "giraffe okapi", Limit: 4},
			[]string{"first pinned", "second pinned", "okapi match", "giraffe match"}},
		"a filter": {memory.QueryRequest{Query: "zebra", Filter: memory.Filter{Tags: []string{"tall"}}},
			[]string{"giraffe pinned", "okapi match"}},
		"ids": {memory.QueryRequest{Query: "zebra", IDs: []loci.MemoryID{tall.ID}}, []string{"okapi match"}},
	} {
		used, answer := askPinned(t, w, w.claude, tt.r)
		if name == "fits, not among the first" {
			slices.Sort(used[2:])
			slices.Sort(tt.want[2:])
		}
		if !slices.Equal(used, tt.want) {
			t.Errorf("%s: %q, want %q", name, used, tt.want)
		}
		if strings.Contains(answer.Prompt, "secret") {
			t.Errorf("%s: what claude may not see is in the prompt", name)
		}
	}
}

// TestBriefingHasDecisions demands the newest decisions with their text, however many other memories are newer, and
// only those that the reader sees.
func TestBriefingHasDecisions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(w.owner, memory.Draft{Title: "Queue", Content: "We use NATS, because it needs no broker", Category: "decision"})
	w.add(w.owner, memory.Draft{Title: "Cache", Content: "None for now", Tags: []string{"Decisions"}})
	w.add(w.owner, memory.Draft{Title: "Rule", Content: "Keep it", Category: "decision", Pinned: new(true)})
	w.add(w.owner, memory.Draft{Title: "Hidden", Content: "not for Claude", Category: "decision",
		AllowedVendors: []loci.Vendor{"cursor"}})
	for i := range 20 {
		w.add(w.owner, memory.Draft{Title: fmt.Sprint("note ", i), Content: fmt.Sprint("c", i)})
	}
	b, err := w.Memory.Briefing(t.Context(), w.claude, loci.When{})
	if err != nil || len(b.Decisions) != 2 || b.Decisions[0].Title != "Cache" ||
		b.Decisions[1].Text != "We use NATS, because it needs no broker" {
		t.Fatalf("got %+v, %v", b.Decisions, err)
	}
	if text := b.Markdown(); !strings.Contains(text, "\n## Decisions\n\n- Cache (") ||
		!strings.Contains(text, "\n  We use NATS, because it needs no broker\n") {
		t.Error(text)
	}
}
