package app_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/pack"
	"github.com/loci-memory/loci/internal/recall"
)

// unfit has one word of the memory below, and many that no memory has.
const unfit = "Which orchestra plays Beethoven quartets tonight, in Vienna near the station behind Danube canal, " +
	"with opera, gloves, lyres, horns, bells, zithers, marble, banjos, whistles, oboes, ballet, fiddles, on Tuesdays?"

func TestNothingFits(t *testing.T) {
	t.Parallel()
	w, model := newMeaning(t)
	w.fill()
	deploys := w.add(w.owner, memory.Draft{Title: "Deploys", Content: "We deploy on Tuesdays, never on Fridays."})
	w.catchUp()
	for _, limit := range []int{1, 5, 50} {
		page := w.recall(w.other, memory.SearchRequest{Query: unfit, Limit: limit})
		if len(page.Items) != 0 || !page.NothingFits || page.Total != 0 || page.TotalIsLowerBound || page.NextCursor != "" {
			t.Errorf("limit %d: got %+v, want nothing", limit, page)
		}
	}
	all := w.recall(w.other, memory.SearchRequest{Query: unfit, MinConfidence: new(float64)})
	if len(all.Items) == 0 || all.NothingFits || all.Total == 0 || slices.ContainsFunc(all.Items,
		func(m loci.Recalled) bool { return m.Confidence >= recall.DefaultConfidence }) {
		t.Errorf("everything: got %+v, want memories with little confidence", all)
	}
	for _, query := range []string{"when do we deploy", "tuesdays"} {
		page := w.recall(w.other, memory.SearchRequest{Query: query})
		if len(page.Items) == 0 || page.Items[0].ID != deploys.ID || page.Items[0].Confidence < 0.5 {
			t.Errorf("%s: got %+v, want the memory with much confidence", query, page.Items)
		}
	}
	model.Fail = func([]string) error { return &embed.Fault{Text: "down"} }
	if page := w.recall(w.other, memory.SearchRequest{Query: unfit + " Now!"}); len(page.Items) != 1 {
		t.Errorf("without the model: got %+v, want the memory with a word", page)
	}
	if found, err := w.Memory.Search(t.Context(), w.other, memory.SearchRequest{Query: unfit}); err != nil ||
		len(found.Items) != 1 || found.NothingFits {
		t.Errorf("a search for words: got %+v, %v", found, err)
	}
	for _, least := range []float64{-0.1, 1.1} {
		_, err := w.Memory.Recall(t.Context(), w.other, memory.SearchRequest{Query: "deploy", MinConfidence: &least})
		if loci.CodeOf(err) != loci.Invalid {
			t.Errorf("min_confidence %v: got %v", least, err)
		}
	}
}

// TestWordsAskedForStay asks for what a memory has, in a way that gives it little confidence.
func TestWordsAskedForStay(t *testing.T) {
	t.Parallel()
	w, _ := newMeaning(t)
	w.fill()
	w.add(w.owner, memory.Draft{Title: "Ada", Content: "tea daily, from plum3, says the keeper of the garden"})
	w.catchUp()
	const rest = " orchestra plays Beethoven quartets tonight in Vienna near the station"
	for _, query := range []string{"plum3" + rest, `"keeper of the garden"` + rest, "ada" + rest, "tea"} {
		page := w.recall(w.owner, memory.SearchRequest{Query: query})
		if len(page.Items) == 0 || page.Items[0].Title != "Ada" {
			t.Errorf("%s: got %+v, want the memory about Ada", query, page)
		}
	}
}

func TestMinConfidencePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fill()
	for i := range 12 { // one of the words counts so much in a short text that it comes first
		w.add(w.owner, memory.Draft{Title: fmt.Sprint("Green ", i), Content: "Green."})
		w.add(w.owner, memory.Draft{Title: fmt.Sprint("Note ", i), Content: "The green lamp." + strings.Repeat(" More.", 90)})
	}
	least, seen := 0.5, map[loci.MemoryID]bool{}
	r := memory.SearchRequest{Query: "green lamp", MinConfidence: &least, Limit: 5}
	for {
		page := w.recall(w.owner, r)
		if page.Total != 12 || page.TotalIsLowerBound {
			t.Fatalf("got a total of %d (%v)", page.Total, page.TotalIsLowerBound)
		}
		for _, m := range page.Items {
			if seen[m.ID] = true; m.Confidence < least || !strings.Contains(m.Content, "lamp") {
				t.Errorf("got %s with %v", m.Content, m.Confidence)
			}
		}
		if r.Cursor = page.NextCursor; r.Cursor == "" {
			break
		}
	}
	if len(seen) != 12 {
		t.Errorf("the pages have %d memories, want 12", len(seen))
	}
}

func TestQueryWithConfidence(t *testing.T) {
	t.Parallel()
	w, _ := newMeaning(t)
	w.fill()
	deploys := w.add(w.owner, memory.Draft{Title: "Deploys", Content: "We deploy on Tuesdays, never on Fridays."})
	pinned := w.add(w.owner, memory.Draft{Title: "Language", Content: "Answer in English.", Pinned: new(true)})
	w.catchUp()
	share := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		query  string
		least  *float64
		reason memory.Reason
	}{
		{unfit, nil, memory.IsRecent}, {unfit, share(recall.DefaultConfidence), memory.IsRecent},
		{unfit, share(0), memory.FitsQuestion},
		{"When do we deploy?", share(0.5), memory.FitsQuestion}, {"When do we deploy?", share(1), memory.IsRecent},
	} {
		got, err := w.Memory.Query(t.Context(), w.owner, memory.QueryRequest{Query: c.query, MinConfidence: c.least})
		if err != nil || got.Reason != c.reason || got.Pinned != 1 || got.Used[0].ID != pinned.ID {
			t.Fatalf("%s: got %+v, %v, want a %s", c.query, got, err, c.reason)
		}
		if c.least != nil && *c.least == 0.5 && (len(got.Used) != 2 || got.Total != 1 || got.Used[1].ID != deploys.ID) {
			t.Errorf("%s: got %+v, want one memory", c.query, got)
		}
	}
	for _, r := range []memory.QueryRequest{{MinConfidence: share(-0.1)}, {MinConfidence: share(1.1)},
		{MinConfidence: share(math.NaN())}, {MinConfidence: share(0.5), IDs: []loci.MemoryID{deploys.ID}}} {
		r.Query = "deploy"
		if _, err := w.Memory.Query(t.Context(), w.owner, r); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("%+v: got %v", r, err)
		}
	}
}

func TestPackWithoutWhatHardlyFits(t *testing.T) {
	t.Parallel()
	w, _ := newMeaning(t)
	w.fill()
	w.add(w.owner, memory.Draft{Title: "Deploys", Content: "We deploy on Tuesdays, never on Fridays."})
	pinned := w.add(w.owner, memory.Draft{Title: "Language", Content: "Answer in English.", Pinned: new(true)})
	w.catchUp()
	got := w.context(w.other, pack.Request{Goal: unfit})
	if !got.NothingFits || !strings.Contains(got.Context, "(nothing fits this goal)\n</memories>") ||
		len(got.Receipt.Included) != 1 || got.Receipt.Included[0].ID != pinned.ID.String() {
		t.Errorf("got %+v, want what is pinned only", got)
	}
	got = w.context(w.other, pack.Request{Goal: unfit, MinConfidence: new(float64)})
	if got.NothingFits || !slices.Contains(slices.Collect(maps.Values(reasons(got))), "match") {
		t.Errorf("everything: got %+v", got)
	}
	got = w.context(w.other, pack.Request{Goal: unfit, MatchesOnly: true})
	if !got.NothingFits || strings.Contains(got.Context, "(nothing fits") {
		t.Errorf("matches only: got %+v", got)
	}
}
