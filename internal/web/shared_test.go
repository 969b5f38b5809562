package web_test

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// TestAcceptingAsksWhetherToShare accepts replacements of a shared memory. The team reads the new one only if the
// person ticks the box.
func TestAcceptingAsksWhetherToShare(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.invite("noor@example.org") // makes a team
	cursor, claude := w.agent("cursor"), w.agent("claude")
	b := w.browser()
	b.signIn()
	for _, share := range []string{"", "on"} {
		old, err := w.app.Memory.Create(t.Context(), cursor,
			memory.Draft{Title: "Release day", Content: "Friday, " + share, Share: true})
		if err != nil {
			t.Fatal(err)
		}
		by, err := w.app.Memory.Create(t.Context(), claude,
			memory.Draft{Title: "Release day", Content: "Tuesday, " + share, Supersedes: []loci.MemoryID{old.ID}})
		if err != nil {
			t.Fatal(err)
		}
		page := b.get("/app/suggestions")
		want(t, "the page", page, 200, `<span class="tag">shared with the team</span>`,
			`<input type="checkbox" name="share"> <span>Share the new memory with the team, too`)
		if n := strings.Count(page.body, "shared with the team"); n != 1 {
			t.Errorf("%d memories are shared, want the old one: %s", n, page.body)
		}
		a := b.post("/app/suggestions", "id", by.Suggestions[0].ID.String(), "answer", "accept", "share", share)
		said := "Accepted. The old memory is superseded."
		if share == "" {
			said = "others who could read it cannot read the new one"
		}
		want(t, "accepted", b.get(a.location()), 200, said)
		m, err := w.app.Memory.Get(t.Context(), w.local(w.mara), by.ID)
		if err != nil || (m.SharedWith("the project") == "the team") != (share == "on") {
			t.Errorf("share %q: shared with %q, %v", share, m.SharedWith("the project"), err)
		}
	}
}
