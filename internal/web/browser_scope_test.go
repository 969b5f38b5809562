package web_test

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// TestBrowserDashboardScope moves two memories into a project, takes it back, and moves one where its key is taken.
func TestBrowserDashboardScope(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	garden := w.project("Garden", nil)
	ids := []loci.MemoryID{w.save(memory.Draft{Title: "Tulips", Content: "They bloom in May.", Key: "tulips"}),
		w.save(memory.Draft{Title: attacks[0], Content: "Water them."})}
	scopes := func() (all string) {
		for _, id := range ids {
			m, err := w.app.Memory.Get(t.Context(), w.local(w.mara), id)
			if err != nil {
				t.Fatal(err)
			}
			all += string(m.Scope) + " "
		}
		return all
	}
	b := w.dashboard("/app/")
	b.sees("2 memories")
	pick := func() {
		b.evaluate(`(() => { document.querySelectorAll(".list input[type=checkbox]").forEach((one) => one.click());
			return "" })()`)
		b.sees("2 selected")
		b.click("Change scope")
		b.until(`document.querySelector("dialog select option[value='` + garden.ID.String() + `']")`)
		b.choose("dialog select", garden.ID.String())
	}
	pick()
	b.look("scope")
	b.axe("another scope")
	b.safe("another scope")
	b.click("Change 2 memories")
	b.sees("2 memories changed.")
	if got := scopes(); got != "project project " {
		t.Errorf("after the move: %s", got)
	}
	b.keys("u")
	b.sees("Undone.")
	if got := scopes(); got != "global global " {
		t.Errorf("after Undo: %s", got)
	}

	w.save(memory.Draft{Title: "Tulips of all", Content: "Red ones.", Key: "tulips", Scope: loci.ScopeProject,
		ProjectID: garden.ID})
	b.sees("3 memories")
	b.open(w.base + "/app/?scope=global")
	b.sees("Tulips")
	pick()
	b.click("Change 2 memories")
	b.sees("has the key")
	if got := scopes(); got != "global global " {
		t.Errorf("after a move that is refused: %s", got)
	}
	b.clean()
}
