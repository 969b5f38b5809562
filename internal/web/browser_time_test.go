package web_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
)

// set gives a field a value as a person would.
func (b *tab) set(selector, value string) {
	b.t.Helper()
	b.evaluate(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.value = %q;
		for (const name of ["input", "change"]) e.dispatchEvent(new Event(name, { bubbles: true })); return "" })()`,
		selector, value))
}

// field is a time as a field for a day and a time has it, in the zone of the browser.
func (b *tab) field(at time.Time) string {
	b.t.Helper()
	return b.evaluate(fmt.Sprintf(`(() => { const at = new Date(%d);
		return new Date(at.getTime() - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16) })()`, at.UnixMilli()))
}

// TestBrowserDashboardTime takes back what an assistant did in the last hour, and takes that back.
func TestBrowserDashboardTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cursor := t.Context(), w.agent("cursor")
	edited, err := w.app.Memory.Create(ctx, cursor, memory.Draft{Title: "Deploy day", Content: "We deploy on Tuesdays."})
	if err != nil {
		t.Fatal(err)
	}
	w.clock.advance(30 * time.Minute)
	since := w.clock.Now().Add(-time.Minute)
	later := "We deploy on Fridays."
	if _, err := w.app.Memory.Patch(ctx, cursor, edited.ID, 0, memory.Patch{Content: loci.Set(later)}); err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"wrong", "rota"} {
		m, err := w.app.Memory.Create(ctx, cursor, memory.Draft{Title: title, Content: "text of " + title})
		if err != nil {
			t.Fatal(err)
		}
		mine := "mine now"
		if title == "rota" {
			if _, err := w.app.Memory.Patch(ctx, w.local(w.mara), m.ID, 0, memory.Patch{Content: loci.Set(mine)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	b := w.dashboard("/app/time")
	b.sees("Choose whose changes to take back")
	b.look("time-empty")
	b.axe("undo without a choice")
	b.keys("/")
	b.until(`document.activeElement?.name === "origin"`)
	b.until(`document.activeElement.options.length > 3`)
	b.choose(`select[name=origin]`, "cursor")
	b.sees("Choose since when.")
	b.keys(kb.Escape)
	b.set("input[name=since]", b.field(since))
	b.sees("Would undo the changes of 2 memories.", "1 memory would be left alone", "left alone")
	b.keys("j")
	b.keys("j")
	b.keys("j")
	b.until(`document.querySelector(".reading h2")?.innerText === "rota"`)
	b.sees("It is left alone: updated by cli")
	b.click("Deploy day")
	b.sees("From version 2 back to version 1")
	b.until(`document.querySelector(".diff del")?.innerText === "Fridays" &&
		document.querySelector(".diff ins")?.innerText === "Tuesdays"`)
	b.until(`(() => { const [since, until] = [...document.querySelectorAll(".fields [type=datetime-local]")]
		.map((e) => e.getBoundingClientRect());
		return since.width > 200 && (since.right <= until.left || since.bottom <= until.top); })()`)
	b.look("time")
	b.axe("a dry run")
	b.click("wrong")
	b.sees("Would become: in the trash, because it was created then.", "text of wrong")
	content := func() string {
		m, err := w.app.Memory.Get(ctx, w.local(w.mara), edited.ID)
		if err != nil {
			t.Fatal(err)
		}
		return m.Content
	}
	if content() != later {
		t.Error("the dry run has changed something")
	}
	b.keys("x")
	b.sees("2 memories become as they were before.")
	b.look("time-question")
	b.keys(kb.Enter)
	b.sees("The changes of 2 memories are undone.", "You can take this back.")
	if got := content(); got != "We deploy on Tuesdays." {
		t.Errorf("after the undo: %s", got)
	}
	b.look("time-done")
	b.axe("an undo")
	w.clock.advance(time.Second)
	b.keys("u")
	b.sees("Undone.", "There is nothing to undo.") // the undo and its undo are later changes
	if got := content(); got != later {
		t.Errorf("after the undo of the undo: %s", got)
	}

	// By mouse, after the proof of who Mara is has become too old. The dry run needs none.
	w.clock.advance(6 * time.Minute)
	again, err := w.app.Memory.Create(ctx, cursor, memory.Draft{Title: "again", Content: "wrong again"})
	if err != nil {
		t.Fatal(err)
	}
	gone := func() bool {
		m, err := w.app.Memory.Get(ctx, w.local(w.mara), again.ID)
		return err == nil && !m.DeletedAt.IsZero()
	}
	b.sees("Would undo the changes of 1 memory.")
	b.click("Undo them")
	b.sees("Undo these changes?")
	b.click("Undo them")
	b.sees("Confirm that it is you")
	b.click("Confirm")
	b.until(`location.pathname === "/app/step-up"`)
	b.fill("#password", maraPassword.Reveal())
	b.press(button("/app/step-up"))
	b.sees("Undo these changes?")
	b.click("Undo them")
	b.sees("The changes of 1 memory are undone.")
	if !gone() {
		t.Error("the new memory is not in the trash")
	}
	w.clock.advance(time.Second)
	b.click("Undo the undo")
	b.sees("Undone.", "There is nothing to undo.")
	if gone() {
		t.Error("the new memory is in the trash")
	}
	b.clean()
}

// TestBrowserDashboardKnownAt shows a list as it was known at a time, by the slider and by the exact time.
func TestBrowserDashboardKnownAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.save(memory.Draft{Title: "Rent", Content: "900 a month"})
	w.clock.advance(2 * time.Hour)
	then := w.clock.Now().Add(-time.Hour)
	now := "950 a month"
	if _, err := w.app.Memory.Patch(t.Context(), w.local(w.mara), id, 0,
		memory.Patch{Content: loci.Set(now)}); err != nil {
		t.Fatal(err)
	}
	w.remember("new since")
	b := w.dashboard("/app/memories")
	b.sees("950 a month", "2 memories")
	b.keys("t")
	b.sees("This is what is known now.")
	b.set(".known input[type=datetime-local]", b.field(then))
	b.sees("1 memory", "900 a month", "As it was known on Nov 3")
	b.seesNo("new since", "950 a month")
	b.keys("j")
	b.until(`document.querySelector(".reading .markdown")?.innerText === "900 a month"`)
	b.look("known-at")
	b.axe("a list of another time")
	b.click("Show it as it is now")
	b.sees("950 a month", "2 memories")
	b.until(`document.querySelector(".known input[type=range]")`)
	b.choose(".known select", "year")
	b.set(".known input[type=range]", "0")
	b.sees("Nothing was known then")
	b.clean()
}

// TestBrowserDashboardFacets filters by who may read a memory, with counts of the present filter, and lists what has
// expired.
func TestBrowserDashboardFacets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.save(memory.Draft{Title: "for all", Content: "a", Tags: []string{"ops"}, Category: "rule"})
	w.save(memory.Draft{Title: "for claude", Content: "b", Tags: []string{"ops", "home"},
		AllowedVendors: []loci.Vendor{"claude"}})
	w.save(memory.Draft{Title: "parking", Content: "level 2", ExpiresAt: w.clock.Now().Add(time.Hour)})
	b := w.dashboard("/app/memories")
	b.sees("3 memories")
	b.keys("f")
	b.sees("ops2", "home1", "cli3", "rule1")
	b.look("facets")
	b.axe("the filters with counts")
	b.choose(".filters .fields label:nth-of-type(3) select", "chatgpt") // read by
	b.sees("2 memories", "ops1")
	b.seesNo("for claude", "home1")
	b.choose(".filters .fields label:nth-of-type(4) select", "chatgpt") // hidden from
	b.sees("1 memory", "for claude", "home1")
	b.seesNo("for all")
	w.clock.advance(2 * time.Hour)
	b.click("Expired")
	b.sees("parking", "1 memory")
	b.keys("j")
	b.sees("level 2", "Expired on")
	b.look("expired")
	b.axe("what has expired")
	b.keys("/")
	b.keys("boats" + kb.Enter)
	b.sees("No memory matches “boats”")
	b.keys("/")
	b.write("input[type=search]", "park"+kb.Enter)
	b.sees("1 memory", "parking")
	b.click("All memories")
	b.sees("2 memories")
	b.clean()
}

// TestBrowserDashboardTimeAttacks has attacks in everything that the view shows.
func TestBrowserDashboardTimeAttacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	since := w.clock.Now().Add(-time.Minute)
	cursor := w.agent("cursor")
	w.session(attacks[1])
	for _, text := range attacks {
		w.key(auth.KeyRequest{Name: cut(text, loci.MaxKeyName), Vendor: "cursor"})
		m, err := w.app.Memory.Create(t.Context(), cursor, memory.Draft{Title: text, Content: text})
		if err != nil {
			t.Fatal(err)
		}
		if text == attacks[0] {
			other := text + " changed"
			if _, err := w.app.Memory.Patch(t.Context(), w.local(w.mara), m.ID, 0,
				memory.Patch{Content: loci.Set(other)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	b := w.dashboard("/app/time?origin=cursor&since=" + since.Format(time.RFC3339))
	b.sees("Would undo the changes of 16 memories.", "1 memory would be left alone", attacks[1])
	for range attacks {
		b.keys("j")
		b.until(`document.querySelector(".reading")`)
		b.safe("the dry run")
	}
	b.keys("x")
	b.sees("16 memories become as they were before.")
	b.safe("the question")
	b.open(w.base + "/app/time?origin=%3Cimg%20src%3Dx%20onerror%3D%22window.hacked%3D1%22%3E&since=" +
		since.Format(time.RFC3339))
	b.sees("There is nothing to undo.")
	b.safe("a writer that cannot be")
	b.clean()
}

// TestBrowserDashboardSeeInGerman has the views in German: no text is missing, and none is too wide.
func TestBrowserDashboardSeeInGerman(t *testing.T) {
	t.Parallel()
	w := seeWorld(t)
	w.logEvents(w.vendorKey("claude"), w.session("Anmeldung"), loci.Event{Content: "Der Test läuft."})
	b := w.dashboard("/app/visibility")
	b.do("the menu", clickOn(".menu summary"))
	b.choose(".menu-items label:nth-of-type(2) select", "de")
	b.sees("Sichtbarkeit", "Alle Erinnerungen 13")
	b.look("german-visibility")
	b.open(w.base + "/app/visibility/chatgpt?list=hidden")
	b.sees("Sehen wie ChatGPT", "ChatGPT verborgen", "text of")
	b.keys("j")
	b.sees("ChatGPT bekommt diese Erinnerung nicht.")
	b.look("german-view-as")
	b.open(w.base + "/app/time?origin=cursor&since=2026-11-01T00:00:00Z")
	b.sees("Würde die Änderungen an 1 Erinnerung zurücknehmen.")
	b.keys("j")
	b.look("german-time")
	b.open(w.base + "/app/sessions")
	b.sees("Alle Ereignisse", "Anmeldung")
	b.keys("jj")
	b.sees("Der Test läuft.", "Live folgen")
	b.look("german-sessions")
	b.clean()
}
