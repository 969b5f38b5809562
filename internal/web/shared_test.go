package web_test

import (
	"fmt"
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

// TestPagesNameTheOwner shows whose memory it is that a colleague shares.
func TestPagesNameTheOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	noor := w.member("noor@example.org")
	w.setPassword(noor, "noor's own password")
	token := w.invite(noor.Email)
	if _, err := w.app.Org.AcceptInvite(t.Context(), w.local(noor), loci.Secret(token)); err != nil {
		t.Fatal(err)
	}
	m, err := w.app.Memory.Create(t.Context(), w.local(w.mara),
		memory.Draft{Title: "Release day", Content: "Friday", Share: true})
	if err != nil {
		t.Fatal(err)
	}
	noors, maras := w.browser(), w.browser()
	maras.signIn()
	noors.post("/app/sign-in", "email", noor.Email, "password", "noor's own password")
	want(t, "the list", noors.get("/app/"), 200, "Release day", "· of "+maraMail)
	want(t, "a search", noors.get("/app/?q=release"), 200, "· of "+maraMail)
	want(t, "the memory", noors.get("/app/memories/"+m.ID.String()), 200, "<dt>Owner</dt><dd>"+maraMail)
	lacks(t, "the owner's list", maras.get("/app/"), "· of ")
	lacks(t, "the owner's page", maras.get("/app/memories/"+m.ID.String()), "<dt>Owner</dt>")
}

// TestTrashIsListed leads from the memories to the trash, and back to a memory that is in it.
func TestTrashIsListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	want(t, "nothing", b.get("/app/trash"), 200, "<h1>Trash</h1>", "The trash is empty.")
	for i := range 26 {
		m, err := w.app.Memory.Create(t.Context(), w.local(w.mara),
			memory.Draft{Title: fmt.Sprint("Old ", i), Content: fmt.Sprint("text ", i)})
		if err == nil {
			_, err = w.app.Memory.Trash(t.Context(), w.local(w.mara), m.ID, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w.remember("Kept")
	home := b.get("/app/")
	want(t, "the memories", home, 200, "Kept", `<a href="/app/trash">Trash</a>`)
	lacks(t, "the memories", home, "Old ")
	page := b.get("/app/trash")
	want(t, "the trash", page, 200, "Old 25", "in the trash since", "permanently after 30 days",
		`href="/app/trash?cursor=`, `<a href="/app/">All memories</a>`)
	lacks(t, "the trash", page, "Kept", `role="search"`)
	_, rest, _ := strings.Cut(page.body, `href="/app/trash?cursor=`)
	cursor, _, _ := strings.Cut(rest, `"`)
	want(t, "its next page", b.get("/app/trash?cursor="+cursor), 200, "Old 0")
}
