package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/embed/embedtest"
	"github.com/loci-memory/loci/internal/golden"
	"github.com/loci-memory/loci/internal/memory"
)

// TestBrowserDashboardMeaning searches while not every memory has a vector, and for what hardly fits.
func TestBrowserDashboardMeaning(t *testing.T) {
	t.Parallel()
	model := &embedtest.Model{Fail: func(texts []string) error {
		if strings.Contains(strings.Join(texts, " "), "refused") {
			return &embed.Fault{Refused: true, Text: "too long"}
		}
		return nil
	}}
	w := newWorldWith(t, model)
	for i := range 30 {
		w.save(memory.Draft{Title: fmt.Sprint("note ", i), Content: fmt.Sprintf("alpha%d beta%d gamma%d", i, i%7, i%3)})
	}
	w.save(memory.Draft{Title: "Deploy day", Content: "We deploy on Tuesdays, never on Fridays."})
	w.save(memory.Draft{Title: "Long", Content: "refused"})
	w.must(w.app.Vectors.CatchUp(t.Context(), w.mara.OrgID))
	b := w.dashboard("/app/")
	b.sees("Deploy day")
	b.write("input[type=search]", "station gloves marble fiddles tonight Danube Tuesdays")
	b.click("Search")
	b.sees("Nothing fits", "96 % of these memories can be found by it so far")
	b.look("nothing-fits")
	b.axe("a search that nothing fits")
	b.click("Show what hardly fits")
	b.sees("“Tuesdays” in Text")
	b.write("input[type=search]", "deploy")
	b.click("Search")
	b.sees("“deploy” in Title")
	b.until(`!location.search.includes("weak")`)
	b.clean()
}

// TestBrowserDashboardMeaningPartial searches and asks a golden question while the model is not ready.
func TestBrowserDashboardMeaningPartial(t *testing.T) {
	t.Parallel()
	model := &embedtest.Model{ID: "transformer:m@1+b", Known: 40}
	w := newWorldWith(t, model)
	id := w.save(memory.Draft{Title: "Deploy day", Content: "We deploy on Tuesdays, never on Fridays."})
	w.must(w.app.Vectors.CatchUp(t.Context(), w.mara.OrgID))
	_, err := w.app.Golden.Create(t.Context(), w.local(w.mara), golden.Draft{Question: "When do we deploy?",
		Expected: []loci.MemoryID{id}})
	w.must(err)
	model.Fail = func([]string) error { return &embed.Fault{Text: "reading", Loading: true} }
	b := w.dashboard("/app/?q=deploy")
	b.sees("Deploy day", "The model in use was not ready: found by words and by the built-in model.")
	b.look("meaning-partial")
	b.axe("a search without the larger model")
	b.open(w.base + "/app/evaluate")
	b.sees("When do we deploy?")
	b.keys("r")
	b.sees("(was not ready; words and the built-in model only)")
	b.axe("golden questions without the larger model")
	b.clean()
}
