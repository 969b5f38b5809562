package web_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// answers has the page answer questions about what was typed, and count them.
func (b *tab) answers(yes bool) {
	b.t.Helper()
	b.evaluate(fmt.Sprintf(`(() => { window.asked = 0; window.confirm = (text) => {
		if (text === "Discard your changes?") window.asked++; return %v }; return "" })()`, yes))
}

// asked waits until the page has asked so often.
func (b *tab) asked(n int) {
	b.t.Helper()
	b.until(fmt.Sprintf("window.asked === %d", n))
}

// TestBrowserDashboardUnsaved leaves forms by keys and by mouse: with something typed they ask first, and stay if the
// answer is no.
func TestBrowserDashboardUnsaved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.remember("first")
	b := w.dashboard("/app/")
	b.sees("about first")
	b.keys("j")
	b.answers(false)
	edits := func() {
		t.Helper()
		b.sees("Where it comes from")
		b.keys("e")
		b.until(`document.activeElement?.closest(".editor")`)
	}
	edits()
	b.keys(kb.Escape)
	b.until(`!document.querySelector(".editor")`)
	b.asked(0)
	edits()
	b.write(".editor textarea", "typed")
	b.keys(kb.Escape)
	b.asked(1)
	b.click("Cancel")
	b.asked(2)
	b.until(`document.querySelector(".editor textarea")?.value === "typed"`)
	b.answers(true)
	b.keys(kb.Escape)
	b.until(`!document.querySelector(".editor")`)
	b.asked(1)

	// A new memory: the question comes once.
	b.keys("n")
	b.until(`document.activeElement?.closest(".editor")`)
	b.keys("typed" + kb.Escape)
	b.until(`!document.querySelector(".editor")`)
	b.asked(2)

	// A window with a form of its own, and one with a common form.
	for _, view := range []string{"memories", "projects"} {
		b.view(view)
		b.until(fmt.Sprintf("location.pathname.startsWith(%q)", "/app/"+view))
		b.answers(false)
		if b.sees("New"); view == "memories" {
			b.sees("about first")
		}
		opens := func() { // by mouse: on a slow machine, the sign of a key can come after the window has the focus
			if view == "memories" {
				b.keys("js")
				b.click("Tags")
			} else {
				b.click("New")
			}
			b.until(`document.activeElement?.closest("dialog[open] input")`)
		}
		opens()
		b.keys(kb.Escape)
		b.until(`!document.querySelector("dialog")`)
		b.keys(kb.Escape)
		b.keys(kb.Escape)
		opens()
		b.keys("typed")
		b.keys(kb.Escape)
		b.asked(1)
		b.keys(kb.Escape) // the browser closes the window now, and it opens again
		b.asked(2)
		b.until(`document.querySelector("dialog[open] input")?.value === "typed"`)
		b.click("Cancel")
		b.asked(3)
		b.do("beside the window", chromedp.MouseClickXY(5, 5))
		b.asked(4)
		b.until(`document.querySelector("dialog[open] input")?.value === "typed"`)
		b.answers(true)
		b.keys(kb.Escape)
		b.until(`!document.querySelector("dialog")`)
		b.asked(1)
	}
	b.clean()
}

// TestBrowserDashboardUndoStack undoes what was done earlier, after the messages have gone, and what needs a proof.
func TestBrowserDashboardUndoStack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.remember("second")
	w.remember("first")
	b := w.dashboard("/app/")
	b.sees("about first")
	b.keys("u")
	b.sees("There is nothing to undo.")
	for _, title := range []string{"first", "second"} {
		b.keys("j")
		b.until(fmt.Sprintf(`document.querySelector(".reading h2")?.innerText === %q`, title))
		b.sees("Where it comes from")
		b.keys("p")
		b.sees("Pinned. It is in every briefing.", "Unpin")
	}
	pinned := func(n int) {
		t.Helper()
		b.until(fmt.Sprintf(`[...document.querySelectorAll(".list .tag")].filter((e) =>
			e.innerText === "pinned").length === %d`, n))
	}
	pinned(2)
	b.until(`(() => { document.querySelectorAll(".toast [aria-label=Close]").forEach((e) => e.click());
		return !document.querySelector(".toast") })()`)
	b.view("projects") // the undo works in other views, too
	b.sees("You belong to no project yet")
	b.keys("u")
	b.sees("Undone.")
	b.view("memories")
	pinned(1)
	b.keys("u")
	pinned(0)
	b.keys("u")
	b.sees("There is nothing to undo.")
	b.clean()
}

// TestBrowserDashboardUndoProof undoes something for which the server asks for a proof. It is not lost meanwhile.
func TestBrowserDashboardUndoProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m, err := w.app.Memory.Create(t.Context(), w.agent("cursor"), memory.Draft{Title: "wrong", Content: "text of wrong"})
	if err != nil {
		t.Fatal(err)
	}
	b := w.dashboard("/app/time")
	b.sees("Choose whose changes to take back")
	b.until(`document.querySelector("select[name=origin]").options.length > 2`)
	b.choose(`select[name=origin]`, "cursor")
	b.set("input[name=since]", b.field(w.clock.Now().Add(-time.Hour)))
	b.sees("Would undo the changes of 1 memory.")
	b.keys("x")
	b.sees("Undo these changes?")
	b.keys(kb.Enter)
	b.sees("The changes of 1 memory are undone.")
	w.clock.advance(6 * time.Minute)
	b.keys("u")
	b.sees("Not undone yet:", "come back to this page, and undo again.")
	b.look("undo-proof")
	b.axe("an undo that needs a proof")
	b.until(`document.activeElement?.matches(".toast a[target=_blank]")`)
	ctx, stop := chromedp.NewContext(b.ctx)
	defer stop()
	tab2 := &tab{t: t, ctx: ctx}
	tab2.open(b.evaluate(`document.activeElement.href`))
	tab2.fill("#password", maraPassword.Reveal())
	tab2.press(button("/app/step-up"))
	b.sees("Not undone yet:")
	b.keys("u")
	b.sees("Undone.")
	b.seesNo("Not undone yet:")
	if m, err := w.app.Memory.Get(t.Context(), w.local(w.mara), m.ID); err != nil || !m.DeletedAt.IsZero() {
		t.Errorf("the undo is not undone: %+v %v", m, err)
	}
	b.keys("u")
	b.sees("There is nothing to undo.")
	b.clean()
}

// TestBrowserDashboardSuggested decides a suggestion beside its memory: accepting can be undone, and declining asks.
func TestBrowserDashboardSuggested(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old, err := w.app.Memory.Create(t.Context(), w.agent("cursor"), memory.Draft{Title: "Release day", Content: "Friday"})
	if err != nil {
		t.Fatal(err)
	}
	suggests := func(text string) {
		t.Helper()
		_, err := w.app.Memory.Create(t.Context(), w.agent("claude"), memory.Draft{Title: "Release day", Content: text,
			Supersedes: []loci.MemoryID{old.ID}})
		if err != nil {
			t.Fatal(err)
		}
	}
	replaced := func(want bool) {
		t.Helper()
		m, err := w.app.Memory.GetAt(t.Context(), w.local(w.mara), old.ID, loci.When{Superseded: true})
		if err != nil || m.SupersededBy.IsZero() == want {
			t.Errorf("superseded is not %v: %+v %v", want, m, err)
		}
	}
	suggests("Tuesday")
	b := w.dashboard("/app/memories/" + old.ID.String())
	b.sees("claude suggests a replacement:", "Tuesday")
	b.axe("a suggestion beside its memory")
	b.keys("a")
	b.sees("Accepted. The old memory is superseded.")
	replaced(true)
	b.keys("u")
	b.sees("Undone.")
	replaced(false)
	suggests("Monday")
	b.open(b.where())
	b.sees("claude suggests a replacement:", "Monday")
	b.keys("d")
	b.sees("Both memories stay. You cannot undo this.")
	b.keys(kb.Escape)
	b.until(`!document.querySelector("dialog")`)
	b.sees("claude suggests a replacement:")
	b.keys("d")
	b.sees("Both memories stay. You cannot undo this.")
	b.keys(kb.Enter)
	b.sees("Declined. Nothing changed.")
	b.seesNo("claude suggests a replacement:")
	replaced(false)
	b.clean()
}

// TestBrowserDashboardDisagreement shows what another memory under the same key says, and keeps one of the two by name.
func TestBrowserDashboardDisagreement(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kitchen := memory.Draft{Title: "Kitchen", Content: "It may cost 19,500 euros.", Key: "house.kitchen"}
	other := kitchen
	other.Content = "It may cost 21,000 euros."
	var ids [2]loci.MemoryID
	for i, d := range []memory.Draft{kitchen, other} {
		m, err := w.app.Memory.Create(t.Context(), w.agent([]loci.Vendor{"cursor", "claude"}[i]), d)
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = m.ID
	}
	b := w.dashboard("/app/memories/" + ids[0].String())
	b.sees("19,500", "claude says something else under this key", "From this memory to that one:", "21,000")
	b.until(`document.querySelector(".diff .changed del")?.innerText === "19,500" &&
		document.querySelector(".diff .changed ins").innerText === "21,000"`)
	b.look("disagreement")
	b.axe("a disagreement")
	b.click("Keep this one")
	b.sees("“Kitchen” is then hidden from everybody.")
	b.click("Move to the trash")
	b.sees("1 memory is in the trash.")
	b.seesNo("claude says something else under this key")
	if m, err := w.app.Memory.Get(t.Context(), w.local(w.mara), ids[1]); err != nil || m.DeletedAt.IsZero() {
		t.Errorf("the other one stays: %+v %v", m, err)
	}
	b.keys("u")
	b.sees("claude says something else under this key")
	b.clean()
}

// TestBrowserDashboardRange selects everything between two rows with Shift, and all rows by a key.
func TestBrowserDashboardRange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 6 {
		w.remember(fmt.Sprint("note ", i))
	}
	b := w.dashboard("/app/")
	for _, path := range []string{"/app/memories", "/app/visibility/chatgpt"} {
		b.open(w.base + path)
		b.sees("about note 0", "about note 5")
		b.do("first", clickOn(`input[aria-label="Select note 1"]`))
		b.sees("1 selected")
		b.evaluate(`(() => { document.querySelector("input[aria-label='Select note 4']").focus(); return "" })()`)
		b.do("Shift and the space bar", chromedp.KeyEvent(" ", chromedp.KeyModifiers(8)))
		b.sees("4 selected")
		b.keys("S")
		b.sees("6 selected")
		b.click("Clear the selection")
		b.seesNo("selected")
		b.keys("jsj")
		b.sees("1 selected")
		b.click("Select all")
		b.sees("6 selected")
		b.keys(kb.Escape)
		b.seesNo("6 selected")
	}
	b.clean()
}
