package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// TestSearchThatUsesUpItsTime says that it is not the whole answer, whichever way is asked. The index answers whole,
// also with what begins like a word or contains it.
func TestSearchThatUsesUpItsTime(t *testing.T) {
	t.Parallel()
	for _, patience := range []int{-1, 0} {
		w := newWorld(t, func(o *app.Options) { o.Patience = time.Duration(patience) })
		w.add(w.owner, memory.Draft{Title: "deploys", Content: "We deploy on Tuesdays"})
		for _, when := range []loci.When{{}, {AsOf: w.Time()}} {
			partial, by := patience < 0 && !when.IsZero(), memory.StoppedByNothing
			if partial {
				by = memory.StoppedByTime
			}
			for _, query := range []string{"tuesday", "deploy", "uesda", "?"} {
				r := memory.SearchRequest{Query: query, Filter: memory.Filter{When: when}}
				s, err := w.Memory.Search(t.Context(), w.owner, r)
				if err != nil || s.Partial() != partial || s.StoppedBy != by || len(s.Items) > 1 || s.TotalIsLowerBound != partial {
					t.Errorf("search for %q, patience %d: %+v, %v", query, patience, s, err)
				}
				found, err := w.Memory.Recall(t.Context(), w.claude, r)
				if err != nil || found.Partial() != partial || found.StoppedBy != by {
					t.Errorf("recall of %q, patience %d: %+v, %v", query, patience, found, err)
				}
				answer, err := w.Memory.Query(t.Context(), w.owner, memory.QueryRequest{Query: query, Filter: r.Filter})
				if err != nil || answer.StoppedBy != by || len(answer.Used) != 1 {
					t.Errorf("query %q, patience %d: %+v, %v", query, patience, answer, err)
				}
			}
		}
		if _, err := w.Memory.Create(t.Context(), w.owner,
			memory.Draft{Title: "deploys", Content: "We deploy on Tuesdays"}); err != nil {
			t.Error(err)
		}
	}
}

// TestStarsStandForFewWords refuses what would look at a large part of the index, and tells how to ask instead.
func TestStarsStandForFewWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(w.owner, memory.Draft{Title: "wombat", Content: "東京 wombat"})
	for query, want := range map[string]string{
		"a* b* w*": `"a*"`, "wo*": `"wo*"`, "user_w*": `"user_w*"`, "ж*": `"ж*"`,
		"wom*": "", "東*": "", "w": "", "w * x": "", `"w*"`: "",
		strings.Repeat("wom* ", 9): "", fmt.Sprint("aaa*", " bbb*", " ccc* ddd* eee* fff* ggg* hhh* iii*"): "9 words",
	} {
		r := memory.SearchRequest{Query: query}
		_, err := w.Memory.Search(t.Context(), w.owner, r)
		if want == "" && err != nil ||
			want != "" && (loci.CodeOf(err) != loci.Invalid || !strings.Contains(err.Error(), want)) {
			t.Errorf("search for %q: %v, want %q", query, err, want)
		}
		if _, err := w.Memory.Query(t.Context(), w.owner, memory.QueryRequest{Query: query}); err != nil {
			t.Errorf("the question %q: %v", query, err)
		}
	}
	// Words found nowhere are tried as the beginnings of others, but not short ones.
	for query, want := range map[string]string{"womba": "prefix", "w qqq": "substring", "womb q": "prefix"} {
		got, err := w.Memory.Search(t.Context(), w.owner, memory.SearchRequest{Query: query})
		if err != nil || len(got.Items) > 0 && got.Items[0].Why.Fallback != want || len(got.Items) == 0 && want == "prefix" {
			t.Errorf("search for %q: %+v, %v; want %s", query, got, err, want)
		}
	}
}

// TestWordsThatAreNowhere reads no texts for what the index shows to be in none.
func TestWordsThatAreNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *app.Options) { o.Patience, o.IndexDir = 1, t.TempDir() }) // no time to walk through texts
	w.add(w.owner, memory.Draft{Title: "deploys", Content: "We deploy on Tuesdays, and write it in C++"})
	w.add(w.owner, memory.Draft{Title: "sums", Content: "1 + 1", Category: "maths"})
	if err := w.Index.Rebuild(t.Context(), w.owner.OrgID); err != nil {
		t.Fatal(err)
	}
	type want struct {
		by         memory.StoppedBy
		hits, fact int // without and with a filter
	}
	for query, want := range map[string]want{"qqq": {}, "qqq xxx": {}, "8443": {}, "q=q": {}, "🎉": {}, "\x01\x02": {},
		"ตาราง": {}, "++": {hits: 1, fact: 1}, "+": {hits: 2, fact: 1}, "q.q": {}, `"qqq xxx"`: {},
		`"ploy on tues"`: {hits: 1, fact: 1},
		"qßq":            {by: memory.StoppedByTime}} {
		for category, hits := range map[string]int{"": want.hits, "fact": want.fact} {
			r := memory.SearchRequest{Query: query, Filter: memory.Filter{Category: category}}
			got, err := w.Memory.Search(t.Context(), w.owner, r)
			if err != nil || got.StoppedBy != want.by || len(got.Items) != hits {
				t.Errorf("search for %q, category %q: %+v, %v; want %+v", query, category, got, err, want)
			}
		}
	}
}

// TestPartsOfOldMemories finds a part of a word in a memory that is older than 5,000 others.
func TestPartsOfOldMemories(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *app.Options) { o.Patience = time.Hour })
	old := w.add(w.owner, memory.Draft{Title: "old", Content: "Krankenversicherung"})
	err := w.st.Update(t.Context(), w.owner.OrgID, func(tx store.Tx) error {
		for i := range 5_500 {
			m := *old
			m.ID, m.Content, m.CreatedAt = loci.NewMemoryID(), fmt.Sprint("memory ", i), old.CreatedAt.Add(time.Second)
			if err := tx.Memories().Insert(t.Context(), &m); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.Memory.Search(t.Context(), w.owner, memory.SearchRequest{Query: "versicherung"})
	if err != nil || len(got.Items) != 1 || got.Items[0].Memory.ID != old.ID || got.StoppedBy != memory.StoppedByNothing {
		t.Errorf("found %+v, %v; want the memory that is older than 5,500 others", got, err)
	}
}
