package web_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// dashboard opens the dashboard in a browser that is signed in.
func (w *world) dashboard(path string) *tab {
	w.t.Helper()
	b := newTab(w.t)
	b.watchErrors()
	b.do("wide window", chromedp.EmulateViewport(1280, 800))
	b.open(w.base + path)
	b.signIn()
	b.sees("Memories")
	return b
}

// watchErrors counts errors in the console as refusals, so that clean fails.
func (b *tab) watchErrors() {
	calls := chromedp.Events(b.ctx, runtime.ConsoleAPICalled)
	go func() {
		for e, err := range calls {
			if err != nil {
				return
			}
			if e.Type == "error" {
				b.mu.Lock()
				b.refused = append(b.refused, fmt.Sprint("console.error: ", e.Args))
				b.mu.Unlock()
			}
		}
	}()
	thrown := chromedp.Events(b.ctx, runtime.ExceptionThrown)
	go func() {
		for e, err := range thrown {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.refused = append(b.refused, "exception: "+e.ExceptionDetails.Text)
			b.mu.Unlock()
		}
	}()
}

// until waits until an expression is true in the page, or in the one that comes after it.
func (b *tab) until(expression string) {
	b.t.Helper()
	poll := chromedp.Poll[bool]("!!("+expression+")", chromedp.WithPollingTimeout(time.Minute))
	_, err := chromedp.Run(b.ctx, poll)
	for err != nil && (strings.Contains(err.Error(), "navigated") ||
		strings.Contains(err.Error(), "Cannot find context")) {
		_, err = chromedp.Run(b.ctx, poll)
	}
	if err != nil {
		b.t.Fatalf("%s did not become true: %v; at %s:\n%s\nrefused: %v", expression, err, b.where(), b.text(),
			b.violations())
	}
}

// sees waits until the page shows all the texts.
func (b *tab) sees(texts ...string) {
	b.t.Helper()
	for _, text := range texts {
		b.until(fmt.Sprintf("document.body.innerText.includes(%q)", text))
	}
}

// seesNo waits until the page shows none of the texts.
func (b *tab) seesNo(texts ...string) {
	b.t.Helper()
	for _, text := range texts {
		b.until(fmt.Sprintf("!document.body.innerText.includes(%q)", text))
	}
}

// keys presses keys.
func (b *tab) keys(keys string) {
	b.t.Helper()
	b.do("press "+keys, chromedp.KeyEvent(keys))
}

// write types a text into a field in place of what it has.
func (b *tab) write(selector, text string) {
	b.t.Helper()
	b.until(fmt.Sprintf("document.querySelector(%q)?.checkVisibility()", selector))
	b.evaluate(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.focus(); e.select(); return "" })()`,
		selector))
	b.keys(text)
}

// click clicks on the first button or link with a text, or else on what a selector finds.
func (b *tab) click(text string) {
	b.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("dialog[open] button, dialog[open] a, button, a, summary")]
		.filter((e) => !document.querySelector("dialog[open]") || e.closest("dialog[open]"))
		.find((e) => e.innerText.trim().startsWith(%q) && e.checkVisibility())`, text)
	for range 5 { // the dashboard may replace the button that was found with a new one
		b.until(find)
		b.evaluate(`String((` + find + `)?.setAttribute("data-test", "here"))`)
		short, cancel := context.WithTimeout(b.ctx, 5*time.Second)
		err := chromedp.Do(short, clickOn(`[data-test=here]`))
		cancel()
		if err == nil {
			// Where the click leads to another page, the mark is gone with the page.
			_, _ = chromedp.Run(b.ctx, chromedp.Evaluate[string](
				`String(document.querySelector("[data-test=here]")?.removeAttribute("data-test"))`))
			return
		}
	}
	b.t.Fatalf("cannot click on %s; at %s:\n%s", text, b.where(), b.text())
}

// axe looks for faults of accessibility, in both themes, if LOCI_AXE names the file of axe-core.
func (b *tab) axe(view string) {
	b.t.Helper()
	file := os.Getenv("LOCI_AXE")
	if file == "" {
		return
	}
	script, err := os.ReadFile(file)
	if err != nil {
		b.t.Fatal(err)
	}
	if b.evaluate(`typeof axe`) == "undefined" {
		b.evaluate(string(script) + `; "loaded"`)
	}
	// A theme is nothing but colours: all rules about other things find the same in both.
	for _, run := range [][2]string{{"light", ""}, {"dark", `runOnly: ["color-contrast", "link-in-text-block"],`}} {
		theme, rules := run[0], run[1]
		b.evaluate(`document.documentElement.dataset.theme = "` + theme + `"`)
		found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`axe.run({`+rules+`
			resultTypes: ["violations"]}).then((r) => r.violations.map((v) => v.id + ": " +
				v.nodes.map((n) => n.html + " " + n.failureSummary).join("; ")).join("\n"))`,
			chromedp.EvalAwaitPromise))
		if err != nil || found != "" {
			b.t.Errorf("axe on %s in the %s theme: %v\n%s", view, theme, err, found)
		}
	}
	b.evaluate(`String(delete document.documentElement.dataset.theme)`)
}

// look takes screenshots of a view for somebody to look at: narrow and wide, light and dark.
func (b *tab) look(name string) {
	b.t.Helper()
	b.do("narrow window", chromedp.EmulateViewport(360, 780))
	over, err := chromedp.Run(b.ctx,
		chromedp.Evaluate[int](`document.documentElement.scrollWidth - document.documentElement.clientWidth`))
	if err != nil || over > 0 {
		b.t.Errorf("%s is %d pixels wider than a window of 360 (%v)", name, over, err)
	}
	if b.shots != "" {
		b.do("phone", chromedp.EmulateViewport(390, 844))
		b.save("dashboard-" + name + "-390")
		b.do("wide", chromedp.EmulateViewport(1280, 800))
		b.save("dashboard-" + name + "-1280")
		_, _ = chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
		b.save("dashboard-" + name + "-1280-dark")
		_, _ = chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	}
	b.do("wide window", chromedp.EmulateViewport(1280, 800))
}

// save stores a memory of Mara's.
func (w *world) save(d memory.Draft) loci.MemoryID {
	w.t.Helper()
	m, err := w.app.Memory.Create(w.t.Context(), w.local(w.mara), d)
	if err != nil {
		w.t.Fatal(err)
	}
	return m.ID
}

func TestBrowserDashboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 60 {
		w.remember(fmt.Sprint("note ", i))
	}
	w.save(memory.Draft{Title: "Deploy day", Content: "# Deploys\n\n" +
		"We deploy on **Tuesdays**, see https://example.org/x.\n\n* from `main`\n" +
		"* never on Fridays\n\n```sh\nmake release\n```", Tags: []string{"ops", "team"}, Key: "deploy/day"})
	b := w.dashboard("/app/")
	b.sees("Deploy day", "61 memories")
	b.look("list")
	b.axe("the list")

	// By mouse: search, open.
	b.click("Filters")
	b.sees("ops")
	b.look("filters")
	b.axe("the filters")
	b.click("Filters")
	b.write("input[type=search]", "deploy")
	b.click("Search")
	b.sees("1 memory", "“deploy” in Title")
	b.until(`document.querySelector("mark")`)
	b.click("Deploy day")
	b.sees("make release", "Why it was found", "What the rank consists of")
	b.look("reading")
	b.axe("the reading pane")

	// By keyboard: edit, undo.
	b.keys("e")
	b.until(`document.activeElement?.closest(".editor")`)
	b.look("editor")
	b.axe("the editor")
	b.write(".editor textarea", "We deploy on Wednesdays.")
	b.click("Preview")
	b.click("Save")
	b.sees("We deploy on Wednesdays.", "Saved. Loci keeps the old version.")
	b.click("Versions")
	b.click("Compare with now")
	b.sees("Tuesdays")
	b.look("versions")
	b.axe("the versions")
	b.keys("u")
	b.sees("Undone.", "Versions (3)", "make release")
	b.keys("?")
	b.sees("Next memory")
	b.look("keys")
	b.axe("the keys")
	b.keys(kb.Escape)
	b.clean()
}

// TestBrowserDashboardTrash moves memories to the trash and back, by keyboard and by mouse.
func TestBrowserDashboardTrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, title := range []string{"third", "second", "first"} {
		w.remember(title)
	}
	b := w.dashboard("/app/")
	b.sees("about first")
	b.keys("j")
	b.until(`document.querySelector(".reading h2")?.innerText === "first"`)
	b.keys("j")
	b.until(`document.querySelector(".reading h2")?.innerText === "second"`)
	b.keys("k")
	b.until(`document.querySelector(".reading h2")?.innerText === "first"`)
	b.keys("p")
	b.sees("Pinned. It is in every briefing.")
	b.keys("u")
	b.sees("Undone.")
	b.keys("x")
	b.sees("Move to the trash?", "“first” is then hidden from everybody")
	b.look("question")
	b.axe("a question")
	b.keys(kb.Enter)
	b.sees("1 memory is in the trash.", "2 memories", "In the trash since")
	b.keys("u")
	b.sees("Undone.", "3 memories", "Pin")

	// Several at once. The proof of who Mara is has become too old.
	b.keys(kb.Escape)
	w.clock.advance(6 * time.Minute)
	b.do("pick", clickOn(`input[aria-label="Select second"]`), clickOn(`input[aria-label="Select third"]`))
	b.sees("2 selected")
	b.look("selection")
	b.axe("a selection")
	b.click("Move to the trash")
	b.sees("2 memories are then hidden")
	b.click("Move to the trash")
	b.sees("Confirm that it is you")
	b.click("Confirm")
	b.until(`location.pathname === "/app/step-up"`)
	b.fill("#password", maraPassword.Reveal())
	b.press(button("/app/step-up"))
	b.sees("2 memories are then hidden")
	b.click("Move to the trash")
	b.sees("2 memories are in the trash.", "1 memory")
	b.click("Trash")
	b.sees("second", "third", "Loci deletes them permanently after 30 days.")
	b.keys("f")
	b.sees("Written by")
	b.seesNo("Read by")
	b.choose(".filters select", "project")
	b.sees("No memory passes these filters")
	b.click("Clear the filters")
	b.sees("2 memories")
	b.click("cli")
	b.sees("2 memories", "Filters (1)")
	b.keys("/")
	b.keys("second" + kb.Enter)
	b.sees("1 memory")
	b.seesNo("about third")
	b.look("trash")
	b.axe("the trash")
	b.click("second")
	b.sees("In the trash since")
	b.keys("r")
	b.sees("1 memory is restored.")
	b.clean()
}

// TestBrowserDashboardTags changes the tags and the readers of several memories, and takes it back.
func TestBrowserDashboardTags(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.save(memory.Draft{Title: "first", Content: "text of first", Tags: []string{"old"}})
	w.save(memory.Draft{Title: "second", Content: "text of second"})
	b := w.dashboard("/app/memories")
	b.sees("text of first")
	b.do("pick", clickOn(`input[aria-label="Select first"]`), clickOn(`input[aria-label="Select second"]`))
	b.click("Tags")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.keys("ops, home")
	b.evaluate(`(() => { const e = document.querySelectorAll("dialog input")[1]; e.focus(); return "" })()`)
	b.keys("old")
	b.look("tags")
	b.axe("the tags of a selection")
	b.click("Change 2 memories")
	b.sees("2 memories changed.", "#ops")
	tags := func() string {
		m, err := w.app.Memory.Get(t.Context(), w.local(w.mara), first)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(m.Tags)
	}
	if got := tags(); got != "[ops home]" && got != "[home ops]" {
		t.Errorf("the tags are %s", got)
	}
	b.keys("u")
	b.seesNo("#ops")
	if got := tags(); got != "[old]" {
		t.Errorf("after the undo the tags are %s", got)
	}
	b.do("pick", clickOn(`input[aria-label="Select first"]`))
	b.click("Assistants")
	b.do("some", clickOn(`dialog label:nth-of-type(2) input`))
	b.click("Change 1 memory")
	b.sees("1 memory changed.", "only claude")
	b.clean()
}

// TestBrowserDashboardLive sees changes of others, and what happens while another edits the same memory.
func TestBrowserDashboardLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.save(memory.Draft{Title: "Rent", Content: "900"})
	b := w.dashboard("/app/memories/" + id.String())
	b.sees("900")
	b.until(`document.querySelector(".live.live")`)
	w.remember("a new one")
	b.sees("about a new one", "2 memories")
	b.keys("e")
	b.until(`document.activeElement?.closest(".editor")`)
	theirs := "950, says another"
	_, err := w.app.Memory.Patch(t.Context(), w.local(w.mara), id, 0, memory.Patch{Content: loci.Set(theirs)})
	if err != nil {
		t.Fatal(err)
	}
	b.write(".editor textarea", "1000")
	b.click("Save")
	b.sees("Somebody else changed this memory", theirs)
	b.look("conflict")
	b.axe("a conflict")
	b.click("Save my changes over it")
	b.sees("Saved.")
	m, err := w.app.Memory.Get(t.Context(), w.local(w.mara), id)
	if err != nil || m.Content != "1000" {
		t.Errorf("%v %v", m, err)
	}
	if _, err := w.app.Memory.Trash(t.Context(), w.local(w.mara), id, 0); err != nil {
		t.Fatal(err)
	}
	b.sees("In the trash since", "1 memory")
	w.down.Store(true)
	w.dropStreams()
	b.sees("The server does not answer.")
	b.look("offline")
	b.axe("offline")
	w.remember("written while away")
	w.down.Store(false)
	b.sees("about written while away")
	b.seesNo("The server does not answer.")
}

// TestBrowserDashboardMenu changes the language and the colors, and decides a suggestion by a key.
func TestBrowserDashboardMenu(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old, err := w.app.Memory.Create(t.Context(), w.agent("cursor"), memory.Draft{Title: "Release day", Content: "Friday"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.app.Memory.Create(t.Context(), w.agent("claude"), memory.Draft{Title: "Release day", Content: "Tuesday",
		Supersedes: []loci.MemoryID{old.ID}})
	if err != nil {
		t.Fatal(err)
	}
	b := w.dashboard("/app/memories/" + old.ID.String())
	b.sees("Friday", "claude suggests a replacement:", "Tuesday")
	b.do("the menu", clickOn(".menu summary"))
	b.sees("Sign out", "as the system", "Acme")
	b.look("menu")
	b.axe("the menu")
	b.do("close the menu", clickOn(".menu summary"))
	b.view("agents")
	b.until(`location.pathname === "/app/agents" && !document.querySelector(".menu").open &&
		document.querySelector("nav [aria-current]").innerText === "Agents"`)
	b.open(w.base + "/app/memories/" + old.ID.String())
	b.do("the menu", clickOn(".menu summary"))
	b.choose(".menu-items label:nth-of-type(1) select", "dark")
	b.until(`document.documentElement.dataset.theme === "dark"`)
	b.choose(".menu-items label:nth-of-type(2) select", "de")
	b.sees("Erinnerungen", "claude schlägt einen Ersatz vor:")
	b.look("german")
	b.open(w.base + "/app/memories/" + old.ID.String())
	b.sees("Erinnerungen", "claude schlägt einen Ersatz vor:")
	b.until(`document.documentElement.lang === "de" && document.documentElement.dataset.theme === "dark"`)
	b.keys("a")
	b.sees("Angenommen.", "Ersetzt durch")
	m, err := w.app.Memory.GetAt(t.Context(), w.local(w.mara), old.ID, loci.When{Superseded: true})
	if err != nil || m.SupersededBy.IsZero() {
		t.Errorf("%v %v", m, err)
	}
	b.clean()
}

// choose chooses an entry of a list.
func (b *tab) choose(selector, value string) {
	b.t.Helper()
	b.evaluate(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.value = %q;
		e.dispatchEvent(new Event("change", { bubbles: true })); return "" })()`, selector, value))
}

// view leads to a view as a person does: by its name at the top, or in the menu.
func (b *tab) view(path string) {
	b.t.Helper()
	link := fmt.Sprintf("nav a[href=%q]", "/app/"+path)
	if b.evaluate(fmt.Sprintf(`String(document.querySelector(%q) !== null)`, link)) != "true" {
		b.do("the menu", clickOn(".menu summary"))
		link = fmt.Sprintf(".menu-items a[href=%q]", "/app/"+path)
	}
	b.do(path, clickOn(link))
}
