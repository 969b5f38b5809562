package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/embed/embedtest"
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
