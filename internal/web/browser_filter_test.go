package web_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/golden"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
)

// TestBrowserDashboardViewIsAway opens a view for the first time while the server is away, and again when it is back.
func TestBrowserDashboardViewIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.dashboard("/app/")
	b.until(`document.querySelector(".live.live")`)
	w.down.Store(true)
	w.dropStreams()
	b.view("projects")
	b.sees("This view could not be loaded", "or it has a new version", "Reload the page")
	b.look("view-away")
	b.axe("a view that could not be loaded")
	b.seesNo("TypeError")
	w.down.Store(false)
	b.click("Try again")
	b.sees("You belong to no project yet")
	b.until(`[...document.querySelectorAll("link[rel=stylesheet]")].every(({ sheet }) => sheet)`)

	// Another view, after the page is loaded again.
	w.down.Store(true)
	w.dropStreams()
	b.view("nodes")
	b.sees("This view could not be loaded")
	w.down.Store(false)
	b.click("Reload the page")
	b.sees("There are no memory nodes yet")
}

// filter leads to the field for words by its key, and types into it.
func (b *tab) filter(words string) {
	b.t.Helper()
	b.evaluate(`(document.activeElement?.blur(), "")`)
	b.keys("/")
	b.until(`document.activeElement?.matches(".filter input")`)
	b.write(".filter input", words)
}

// TestBrowserDashboardFilter filters the rows of views by words, and keeps them with a notice while the server is away.
func TestBrowserDashboardFilter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, mara := t.Context(), w.local(w.mara)
	for _, name := range []string{"website", "shop"} {
		w.project(name, nil)
		_, err := w.app.Agent.Create(ctx, mara, agent.Draft{Name: name + " agent", Vendor: "claude"})
		w.must(err)
		_, err = w.app.Node.Create(ctx, mara, node.Draft{Name: name + " node"})
		w.must(err)
	}
	b := w.dashboard("/app/projects")
	for _, view := range []string{"projects", "agents", "nodes"} {
		b.view(view)
		b.sees("website", "shop")
		b.filter("WEB")
		b.sees("website", "1 fits")
		b.seesNo("shop")
		b.keys(" zebra")
		b.sees("Nothing has these words", "0 fit")
		b.axe("no row of " + view + " fits")
		b.keys(kb.Escape)
		b.sees("website", "shop")
		b.seesNo("0 fit")
		b.filter("sho")
		b.keys(kb.Enter + "j")
		b.until(`document.querySelector(".reading h2")?.innerText.startsWith("shop")`)
		b.seesNo("website")
		b.look("filter-" + view)
	}
	for view, words := range map[string][2]string{"settings": {"dream.at", "dedup"},
		"connections": {"Cursor", "VS Code"}} {
		b.view(view)
		b.sees(words[0], words[1])
		b.filter(words[0])
		b.sees(words[0])
		b.seesNo(words[1])
		b.axe(view + " with words")
	}
	b.clean()

	b.view("projects")
	b.sees("website")
	w.down.Store(true)
	w.dropStreams()
	b.evaluate(`(document.dispatchEvent(new Event("visibilitychange")), "")`)
	b.sees("This may be out of date. The server does not answer", "website")
	b.axe("rows that may be out of date")
	w.down.Store(false)
	b.retry()
	b.seesNo("This may be out of date.")
}

// TestBrowserDashboardRoles asks before a person changes their own role, makes an owner, or empties a workspace.
func TestBrowserDashboardRoles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	noor := w.colleague("noor@example.org")
	b := w.dashboard("/app/org/people")
	b.sees("Noor (noor@example.org)")
	b.filter("noor")
	b.sees("1 fits", "2 people")
	b.until(`document.querySelectorAll(".plain-member select").length === 1`)
	ask := `select[aria-label^="Role of Noor"]`
	b.choose(ask, "owner")
	b.sees("Noor (noor@example.org) may then do everything that owners may")
	b.axe("a new owner")
	b.keys(kb.Escape)
	b.until(`document.querySelector('` + ask + `').value === "member"`)
	if role := w.user(noor.ID).OrgRole; role != loci.Member {
		t.Errorf("Noor is %s", role)
	}
	b.choose(ask, "owner")
	b.click("Change the role")
	b.sees("Saved.")
	if role := w.user(noor.ID).OrgRole; role != loci.MemberOwner {
		t.Errorf("Noor is %s", role)
	}
	b.until(`document.querySelector('` + ask + `').value === "owner"`)
	b.filter("mara")
	b.until(`document.querySelector('select[aria-label^="Role of Mara"]')`)
	b.choose(`select[aria-label^="Role of Mara"]`, "member")
	b.sees("You change your own role to “member”")
	b.keys(kb.Escape)
	b.until(`!document.querySelector("dialog[open]")`)
	if role := w.user(w.mara.UserID).OrgRole; role != loci.MemberOwner {
		t.Errorf("Mara is %s", role)
	}

	_, err := w.app.Org.CreateWorkspace(t.Context(), w.local(w.mara), "Research")
	w.must(err)
	b.open(w.base + "/app/org/workspaces")
	b.click("Members")
	b.sees("Mara (mara@example.org)")
	b.click("Remove")
	b.sees("You then no longer belong to “Research”")
	b.axe("a question before somebody leaves a workspace")
	b.click("Remove")
	b.sees("is removed.")
	b.clean()
}

// TestBrowserDashboardReadsAgain reads again what the stream of changes does not have, when a person comes back to the
// page, and the trash of a graph after changes of others.
func TestBrowserDashboardReadsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, mara := t.Context(), w.local(w.mara)
	w.become(loci.RoleAdmin, loci.MemberOwner)
	shop := w.shop()
	id := w.save(memory.Draft{Title: "Deploy day", Content: "We deploy on Tuesdays."})
	b := w.dashboard("/app/evaluate")
	back := func() { b.evaluate(`(document.dispatchEvent(new Event("visibilitychange")), "")`) }
	b.sees("There are no questions yet")
	_, err := w.app.Golden.Create(ctx, mara, golden.Draft{Question: "When do we deploy?", Expected: []loci.MemoryID{id}})
	w.must(err)
	back()
	b.sees("When do we deploy?")

	b.open(w.base + "/app/org/admin")
	b.sees("There are no backups", "Acme")
	w.colleague("noor@example.org")
	back()
	b.sees("Noor (noor@example.org)")

	b.open(w.base + "/app/graph/" + shop.ID.String() + "?trash=1")
	b.sees("Trash")
	_, err = w.app.Graph.DeleteEntities(ctx, w.local(w.mara), shop.ID, []loci.EntityRef{{Name: "lonely"}})
	w.must(err)
	b.until(`document.querySelector(".graph-trash")?.innerText.includes("lonely")`)
	b.clean()
}
