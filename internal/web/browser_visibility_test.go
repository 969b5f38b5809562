package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
)

// vendorKey makes a key of a vendor that acts for Mara.
func (w *world) vendorKey(v loci.Vendor) string {
	w.t.Helper()
	_, key, err := w.app.Identity.CreateKey(w.t.Context(), w.local(w.mara), auth.KeyRequest{Name: "k", Vendor: v})
	if err != nil {
		w.t.Fatal(err)
	}
	return key.Reveal()
}

// titlesFor asks the API with a key which memories it gets.
func (w *world) titlesFor(key, filter string) []string {
	w.t.Helper()
	b := w.browser()
	a := b.do(http.MethodPost, "/api/v1/agent/memories/browse", http.Header{"Authorization": {"Bearer " + key},
		"Content-Type": {"application/json"}}, `{"filter":`+filter+`,"limit":200}`)
	var page struct {
		Memories []struct{ Title string } `json:"memories"`
	}
	if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.status != http.StatusOK {
		w.t.Fatalf("browse: %d %s", a.status, a.body)
	}
	titles := []string{}
	for _, m := range page.Memories {
		titles = append(titles, m.Title)
	}
	slices.Sort(titles)
	return titles
}

// titles are those of the list in the page, in the order of the alphabet.
func (b *tab) titles() string {
	return b.evaluate(`[...document.querySelectorAll(".list .memory-row strong")].map((e) => e.innerText).sort().join()`)
}

// seeWorld has memories of several origins, scopes, projects, tags and vendors.
func seeWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	ctx, mara := t.Context(), w.local(w.mara)
	shop, err := w.app.Project.Create(ctx, mara, project.Draft{Name: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	bot, err := w.app.Agent.Create(ctx, mara, agent.Draft{Name: "bot", Vendor: "claude"})
	if err != nil {
		t.Fatal(err)
	}
	session, err := w.app.Agent.CreateSession(ctx, mara, agent.SessionDraft{Agent: bot.Name, Title: "work"})
	if err != nil {
		t.Fatal(err)
	}
	mara = w.local(w.mara) // who now belongs to the project
	mara.SessionID, mara.AgentID = session.ID, bot.ID
	for i, vendors := range [][]loci.Vendor{{"*"}, {"claude"}, {"chatgpt"}, {"claude", "cursor"}} {
		for _, d := range []memory.Draft{{Title: fmt.Sprint("plain ", i), Tags: []string{"ops"}},
			{Title: fmt.Sprint("project ", i), Scope: loci.ScopeProject, ProjectID: shop.ID},
			{Title: fmt.Sprint("agent ", i), Scope: loci.ScopeAgent, AgentID: bot.ID, Category: "rule"}} {
			d.Content, d.AllowedVendors = "text of "+d.Title, vendors
			if _, err := w.app.Memory.Create(ctx, mara, d); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, err = w.app.Memory.Create(ctx, w.agent("cursor"), memory.Draft{Title: "by cursor", Content: "text by cursor"})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestBrowserDashboardVisibilityIsThatOfKeys requires that what the view shows for a vendor is exactly what a key of
// that vendor gets from the API, and that all the rest is listed as hidden.
func TestBrowserDashboardVisibilityIsThatOfKeys(t *testing.T) {
	t.Parallel()
	w := seeWorld(t)
	all := w.titlesOf()
	b := w.dashboard("/app/visibility")
	for _, vendor := range []loci.Vendor{"claude", "chatgpt", "cursor", "gemini"} {
		key := w.vendorKey(vendor)
		for _, cell := range []struct{ query, filter string }{{"", `{}`}, {"&scope=project", `{"scope":"project"}`},
			{"&tag=ops", `{"tags":["ops"]}`}, {"&q=text", `{"by":"search","term":"text"}`}} {
			want := w.titlesFor(key, cell.filter)
			b.open(w.base + "/app/visibility/" + string(vendor) + "?x=1" + cell.query)
			b.until(fmt.Sprintf(`[...document.querySelectorAll(".see-sides .count")][0]?.innerText === "%d"`, len(want)))
			if len(want) > 0 {
				b.until(`document.querySelector(".list .memory-row")`)
			}
			if got := b.titles(); got != strings.Join(want, ",") {
				t.Errorf("%s%s: the view shows %s, the key gets %s", vendor, cell.query, got, want)
			}
		}
		seen := w.titlesFor(key, `{}`)
		hidden := slices.DeleteFunc(slices.Clone(all), func(title string) bool { return slices.Contains(seen, title) })
		b.open(w.base + "/app/visibility/" + string(vendor) + "?list=hidden")
		b.until(fmt.Sprintf(`[...document.querySelectorAll(".see-sides .count")][1]?.innerText === "%d"`, len(hidden)))
		b.until(`document.querySelector(".list .memory-row")`)
		if got := b.titles(); got != strings.Join(hidden, ",") {
			t.Errorf("%s: the view says that %s are hidden, but these are: %s", vendor, got, hidden)
		}
	}
	b.clean()
}

// titlesOf are those of all of Mara's memories.
func (w *world) titlesOf() []string {
	w.t.Helper()
	page, err := w.app.Memory.List(w.t.Context(), w.local(w.mara), memory.ListRequest{Limit: 500})
	if err != nil {
		w.t.Fatal(err)
	}
	titles := []string{}
	for _, m := range page.Items {
		titles = append(titles, m.Title)
	}
	slices.Sort(titles)
	return titles
}

// cell is a number in the matrix: the line by its name, the column by its vendor, 0 what is seen and 1 what is hidden.
func cell(line, vendor string, link int) string {
	return fmt.Sprintf(`[...[...document.querySelectorAll(".see-table tbody tr")]
		.find((tr) => tr.cells[0].innerText.startsWith(%q))
		?.querySelectorAll('[data-vendor=%s] a') ?? []][%d]`, line, vendor, link)
}

// TestBrowserDashboardVisibility goes through the matrix, views as ChatGPT and takes memories away, by mouse and by
// keyboard.
func TestBrowserDashboardVisibility(t *testing.T) {
	t.Parallel()
	w := seeWorld(t)
	key := w.vendorKey("chatgpt")
	b := w.dashboard("/app/visibility")
	b.sees("All memories 13", "ChatGPT")
	b.until(cell("All memories", "chatgpt", 0) + `?.innerText === "5"`)
	b.until(cell("All memories", "chatgpt", 1) + `?.innerText === "8 hidden"`)
	b.look("visibility")
	b.axe("the matrix")
	for i, name := range []string{"Scope", "Project", "Category", "Tag"} {
		b.keys(fmt.Sprint(i + 2))
		b.until(fmt.Sprintf(`document.querySelector(".see-table thead th")?.innerText === %q`, name))
	}
	b.until(cell("#ops", "chatgpt", 0) + `?.innerText === "2"`)
	b.click("Scope")
	b.until(cell("of one agent", "claude", 1) + `?.innerText === "4 hidden"`)
	b.click("8 more assistants")
	b.until(cell("All memories", "gemini", 0) + `?.innerText === "3"`)
	b.look("visibility-scopes")
	b.axe("the matrix by scope")

	// By keyboard: to a cell, its list, why.
	b.keys("v")
	b.until(`!document.querySelector("[data-vendor=gemini]")`)
	b.keys("jlj")
	b.until(`document.activeElement.closest("td")?.dataset.vendor === "chatgpt"`)
	b.keys(kb.Enter)
	b.sees("View as ChatGPT", "ChatGPT gets", "Hidden from ChatGPT")
	b.keys("h")
	b.until(`document.querySelectorAll(".list .memory-row").length === 2`)
	b.look("visibility-hidden")
	b.axe("what is hidden")
	b.keys("j")
	b.sees("ChatGPT does not get this memory.")
	b.sees("ChatGPT is not among the assistants that may read it.")
	b.look("visibility-why")
	b.axe("why it is hidden")
	b.click("Scope: global")
	b.until(`document.querySelectorAll(".list .memory-row").length === 8`)
	b.do("an agent's", clickOn(`.memory-row a:has(strong)`))
	b.sees("ChatGPT does not get this memory.")
	b.write("input[type=search]", "agent")
	b.keys(kb.Enter)
	b.until(`document.querySelectorAll(".list .memory-row").length === 4`)
	b.keys("j")
	b.sees("It belongs to one agent")
	b.keys(kb.Escape)
	b.keys(kb.Escape)
	b.until(`document.querySelector(".see-table")`)

	// Take everything of ChatGPT's away: one memory would have no reader left.
	b.open(w.base + "/app/visibility/chatgpt")
	b.click("Take all of these away")
	b.sees("3 memories would change.", "3 of them are open to all assistants now.",
		"2 memories would have no assistant left.")
	b.look("visibility-narrow")
	b.axe("narrowing")
	before := w.titlesFor(key, `{}`)
	b.click("Change 3 memories")
	b.sees("3 memories are narrowed.")
	b.until(`document.querySelectorAll(".list .memory-row").length === 2`)
	if got := w.titlesFor(key, `{}`); len(got) != 2 {
		t.Errorf("the key of ChatGPT still gets %s", got)
	}
	b.keys("u")
	b.sees("Undone.")
	b.until(`document.querySelectorAll(".list .memory-row").length === 5`)
	if got := w.titlesFor(key, `{}`); !slices.Equal(got, before) {
		t.Errorf("after the undo the key of ChatGPT gets %s, before %s", got, before)
	}

	// Some of them, by keyboard, to a list of vendors.
	b.keys("j")
	b.keys("s")
	b.sees("1 selected")
	b.keys("x")
	b.sees("Who may read them afterwards")
	b.do("only", clickOn(`dialog label:nth-of-type(2) input`))
	b.until(`document.querySelector("dialog .chips")`)
	b.click("Change 1 memory")
	b.sees("1 memory is narrowed.")
	b.until(`document.querySelectorAll(".list .memory-row").length === 4`)
	b.clean()
}

// TestBrowserDashboardVisibilityAttacks has attacks in everything that the view shows.
func TestBrowserDashboardVisibilityAttacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, text := range attacks[:len(attacks)-1] { // names have no characters that turn text around
		p, err := w.app.Project.Create(t.Context(), w.local(w.mara), project.Draft{Name: text})
		if err != nil {
			t.Fatal(err)
		}
		w.save(memory.Draft{Title: text, Content: text, Tags: []string{text}, Category: text, Scope: loci.ScopeProject,
			ProjectID: p.ID})
	}
	b := w.dashboard("/app/visibility")
	for i := range 5 {
		b.keys(fmt.Sprint(i + 1))
		b.until(cell("All memories", "chatgpt", 0))
		b.safe("the matrix")
	}
	b.look("visibility-attacks")
	b.open(w.base + "/app/visibility/chatgpt?tag=%3Cimg%20src%3Dx%20onerror%3D%22window.hacked%3D1%22%3E")
	b.until(`document.querySelectorAll(".list .memory-row").length === 1`)
	b.keys("j")
	b.sees("ChatGPT gets this memory.")
	b.safe("why it is visible")
	b.open(w.base + "/app/visibility/%3Cimg%20src%3Dx%20onerror%3D%22window.hacked%3D1%22%3E")
	b.sees("That did not work")
	b.safe("a vendor that cannot be")
	b.clean()
}

// TestBrowserDashboardVisibilityLive shows changes of others as they happen, and comes back with the server.
func TestBrowserDashboardVisibilityLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.dashboard("/app/visibility")
	b.sees("There is nothing to see yet")
	b.look("visibility-empty")
	b.axe("the empty matrix")
	b.until(`document.querySelector(".live.live")`)
	w.remember("for claude", "claude")
	b.until(cell("All memories", "claude", 0) + `?.innerText === "1"`)
	w.down.Store(true)
	w.dropStreams()
	b.sees("The server does not answer.")
	b.click("10 more")
	b.sees("Check your connection, then try again.")
	b.look("visibility-offline")
	w.remember("for all")
	w.down.Store(false)
	b.until(cell("All memories", "claude", 0) + `?.innerText === "2"`)
}
