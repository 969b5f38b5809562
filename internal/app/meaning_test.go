package app_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/embed/embedtest"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/vectors"
)

// withModel gives a world a model of embeddings for which these words mean the same.
func withModel(t *testing.T, m *embedtest.Model) func(*app.Options) {
	return func(o *app.Options) { o.Models, o.Vectors = m, vectors.NewFiles(filepath.Join(t.TempDir(), "vectors")) }
}

func newMeaning(t *testing.T) (*world, *embedtest.Model) {
	t.Helper()
	m := &embedtest.Model{Groups: [][]string{{"beverage", "tea", "drinks"}, {"car", "automobile"}}}
	w := newWorld(t, withModel(t, m))
	t.Cleanup(func() {
		if err := w.Vectors.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, m
}

func (w *world) catchUp() {
	w.t.Helper()
	if err := w.Vectors.CatchUp(w.t.Context(), w.owner.OrgID); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) recall(p loci.Principal, r memory.SearchRequest) *memory.SearchPage[loci.Recalled] {
	w.t.Helper()
	page, err := w.Memory.Recall(w.t.Context(), p, r)
	if err != nil {
		w.t.Fatal(err)
	}
	return page
}

// fill saves memories about other things.
func (w *world) fill() {
	for i := range 30 {
		w.add(w.owner, memory.Draft{Title: fmt.Sprint("note ", i), Content: fmt.Sprintf("alpha%d beta%d gamma%d", i,
			i%7, i%3)})
	}
}

func TestRecallFindsByMeaning(t *testing.T) {
	t.Parallel()
	w, model := newMeaning(t)
	w.fill()
	half := memory.SearchRequest{Query: "alpha0", Kinds: []memory.Kind{memory.KindMemory}}
	tea := w.add(w.claude, memory.Draft{Title: "Ada", Content: "tea daily", Tags: []string{"ada"}})
	secret := w.add(w.claude, memory.Draft{Title: "Secret", Content: "drinks daily",
		AllowedVendors: []loci.Vendor{"claude"}})
	if page := w.recall(w.other, memory.SearchRequest{Query: "beverage"}); page.Meaning != vectors.Building ||
		len(page.Items) != 0 {
		t.Errorf("before the vectors are there: %d found (%s)", len(page.Items), page.Meaning)
	}
	w.catchUp()
	if page := w.recall(w.other, half); page.MeaningDone != 0 {
		t.Errorf("at the end, %d %% are done", page.MeaningDone)
	}
	page := w.recall(w.other, memory.SearchRequest{Query: "beverage", Explain: true})
	if len(page.Items) == 0 || page.Items[0].ID != tea.ID || page.Items[0].Why.Meaning < 0.1 ||
		page.Items[0].Why.Signals.Meaning == 0 || len(page.Items[0].Why.Terms) != 0 || page.Meaning != vectors.Ready {
		t.Errorf("got %+v (%s), want the memory about tea", page.Items, page.Meaning)
	}
	for _, m := range page.Items {
		if m.ID == secret.ID {
			t.Error("found a memory of another vendor")
		}
	}
	if found := w.recall(w.claude, memory.SearchRequest{Query: "beverage"}); len(found.Items) < 2 {
		t.Errorf("its own vendor finds %d", len(found.Items))
	}
	tagged := w.recall(w.other, memory.SearchRequest{Query: "beverage", Filter: memory.Filter{Tags: []string{"ada"}}})
	if len(tagged.Items) != 1 {
		t.Errorf("with a filter, found %d, want 1", len(tagged.Items))
	}
	if found, err := w.Memory.Search(t.Context(), w.other, memory.SearchRequest{Query: "beverage"}); err != nil ||
		len(found.Items) != 0 {
		t.Errorf("a search for words found %d (%v)", len(found.Items), err)
	}
	if page := w.recall(w.other, memory.SearchRequest{Query: "alpha1*"}); len(page.Items) == 0 ||
		!strings.HasPrefix(page.Items[0].Content, "alpha1") {
		t.Error("a prefix comes after what only means something similar")
	}
	if page := w.recall(w.other, memory.SearchRequest{Query: "lpha17"}); len(page.Items) == 0 ||
		!strings.HasPrefix(page.Items[0].Content, "alpha17") {
		t.Error("a part of a word comes after what only means something similar")
	}
	model.Fail = func([]string) error { return &embed.Fault{Text: "down"} }
	if page := w.recall(w.other, memory.SearchRequest{Query: "gamma1"}); page.Meaning != vectors.Unavailable ||
		len(page.Items) == 0 {
		t.Errorf("without the model, found %d (%s)", len(page.Items), page.Meaning)
	}
}

// TestRecallWithoutTheLargerModel has a model that has not answered when its time is over. The part of the vectors that
// is there at once finds memories, and the state of the answer is partial. The next recall has all of it.
func TestRecallWithoutTheLargerModel(t *testing.T) {
	t.Parallel()
	m := &embedtest.Model{ID: "transformer:m@1+b", Known: 40, Groups: [][]string{{"beverage", "tea"}}}
	w := newWorld(t, withModel(t, m), func(o *app.Options) { o.ModelPatience = 1 })
	t.Cleanup(func() {
		if err := w.Vectors.Close(); err != nil {
			t.Error(err)
		}
	})
	w.fill()
	w.add(w.claude, memory.Draft{Title: "Ada", Content: "tea daily"})
	w.catchUp()
	answer := make(chan struct{})
	m.Fail = func([]string) error { <-answer; return nil }
	for query, title := range map[string]string{"beverage": "Ada", "alpha3": "note 3"} {
		page := w.recall(w.other, memory.SearchRequest{Query: query})
		if page.Meaning != vectors.Partial || len(page.Items) == 0 || page.Items[0].Title != title ||
			page.Items[0].Why.Meaning < 0.3 || page.Items[0].Why.Meaning > 1 {
			t.Errorf("%s: got %+v (%s), want %s first (partial)", query, page.Items, page.Meaning, title)
		}
	}
	close(answer)
	if _, state := w.Vectors.Meaning(t.Context(), w.owner.OrgID, "beverage"); state != vectors.Ready {
		t.Fatalf("the model has answered, but it is %s", state)
	}
}

// TestHiddenMemoriesChangeNoMeaning saves memories that a vendor may not see, also such that are nearest to its
// question, and compares whole answers.
func TestHiddenMemoriesChangeNoMeaning(t *testing.T) {
	t.Parallel()
	w, _ := newMeaning(t)
	w.fill()
	w.add(w.claude, memory.Draft{Title: "Ada", Content: "tea daily"})
	w.catchUp()
	ask := func() string {
		page := w.recall(w.other, memory.SearchRequest{Query: "automobile or beverage", Explain: true, Limit: 20})
		for i := range page.Items {
			page.Items[i].Why.Boosts = nil
		}
		text, err := json.Marshal(page)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	before := ask()
	for i := range 20 {
		w.add(w.claude, memory.Draft{Title: fmt.Sprint("hidden ", i), Content: "car beverage",
			AllowedVendors: []loci.Vendor{"claude"}})
	}
	w.catchUp()
	if after := ask(); after != before {
		t.Errorf("hidden memories changed an answer:\n%s\nbefore:\n%s", after, before)
	}
}

// TestMeaningDoneIsOfTheReader tells readers how many of the memories that they see have a vector, and of no others.
func TestMeaningDoneIsOfTheReader(t *testing.T) {
	t.Parallel()
	w, model := newMeaning(t)
	model.Fail = func(texts []string) error {
		if strings.Contains(strings.Join(texts, " "), "refused") {
			return &embed.Fault{Refused: true, Text: "too hard"}
		}
		return nil
	}
	w.fill() // 30 memories
	w.add(w.claude, memory.Draft{Title: "Hard", Content: "refused", AllowedVendors: []loci.Vendor{"claude"}})
	for i := range 9 {
		w.add(w.claude, memory.Draft{Title: fmt.Sprint("Mine ", i), Content: "car", AllowedVendors: []loci.Vendor{"claude"}})
	}
	w.catchUp()
	ask := memory.SearchRequest{Query: "alpha1", Kinds: []memory.Kind{memory.KindMemory}}
	for want, reader := range map[int]loci.Principal{100: w.other, 97: w.claude} {
		if page := w.recall(reader, ask); page.MeaningDone != want || page.Meaning != vectors.Building {
			t.Errorf("%d %% are done (%s), want %d", page.MeaningDone, page.Meaning, want)
		}
	}
}
