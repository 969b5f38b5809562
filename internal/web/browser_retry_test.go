package web_test

import (
	"testing"

	"github.com/loci-memory/loci/internal/memory"
)

const missingPart = "A part of this page is missing. The server does not answer"

// impatient shortens the pause before the dashboard asks a second time.
func (b *tab) impatient() {
	b.t.Helper()
	b.evaluate(`(() => { const ours = setTimeout;
		window.setTimeout = (run, ms) => ours(run, ms > 300 && ms < 700 ? 10 : ms); return "" })()`)
}

// TestBrowserDashboardKeepsChoices lets reads fail whose answers are only choices. The page keeps what a person can
// click on, says what is missing, and reads it again.
func TestBrowserDashboardKeepsChoices(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.project("website", nil)
	w.save(memory.Draft{Title: "Deploy day", Content: "Tuesday", Tags: []string{"release", "team"}})
	w.save(memory.Draft{Title: "Lasagne", Content: "45 minutes", Tags: []string{"kitchen"}})
	b := w.dashboard("/app/keys") // loads its files
	b.until(`document.querySelector(".live.live")`)
	b.view("memories")
	b.keys("f")
	b.until(`document.querySelector(".filters").innerText.includes("kitchen1")`)
	b.impatient()
	w.down.Store(true)
	b.click("team")
	b.sees(missingPart)
	b.until(`["release", "team", "kitchen"].every((tag) => [...document.querySelectorAll(".facet .chip")]
		.some((chip) => chip.innerText === tag))`) // numbers would be those of other filters
	b.look("filters-away")
	b.axe("filters without counts")
	w.down.Store(false)
	b.evaluate(`(document.querySelector(".filters .stale button")?.click(), "")`)
	b.seesNo(missingPart)
	b.until(`document.querySelector(".filters").innerText.includes("team1")`)
	b.click("team")
	b.until(`document.querySelector(".filters").innerText.includes("kitchen1")`)

	w.down.Store(true)
	b.wander("keys")
	b.until(`document.querySelector("#main .failed")`)
	b.keys("n")
	b.until(`document.querySelector("dialog .stale")?.innerText.includes("` + missingPart + `")`)
	b.axe("a new key without choices")
	w.down.Store(false)
	b.evaluate(`(document.querySelector("dialog .stale button")?.click(), "")`)
	b.until(`document.querySelector("dialog")?.innerText.includes("website") && !document.querySelector("dialog .stale")`)
}

// TestBrowserDashboardSurvives lets a view fail while it is drawn: the page says so, and goes on.
func TestBrowserDashboardSurvives(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.remember("Deploy day")
	b := w.dashboard("/app/keys")
	b.sees("You have no keys")
	b.evaluate(`(() => { window.whole = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, "format");
		Object.defineProperty(Intl.DateTimeFormat.prototype, "format", { configurable: true,
			get() { throw new Error("no clock") } }); return "" })()`)
	b.wander("memories")
	b.sees("This page made a mistake", "no clock", "Reload the page", "Connections")
	b.axe("a view that could not be drawn")
	b.evaluate(`(Object.defineProperty(Intl.DateTimeFormat.prototype, "format", window.whole), "")`)
	b.click("Try again")
	b.sees("Deploy day")
	b.seesNo("This page made a mistake")
}
