package web_test

import (
	"testing"
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
	b.click("Try again")
	b.sees("This view could not be loaded")
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
