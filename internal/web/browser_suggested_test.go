package web_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
)

// TestBrowserDashboardGraphSuggestions decides what assistants suggest to delete in a graph: read, keep after a
// failure, accept, take back, decline.
func TestBrowserDashboardGraphSuggestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	garden := w.project("garden", nil)
	_, err := w.app.Graph.CreateEntities(ctx, w.agent("cursor"), garden.ID, nil,
		[]loci.NewEntity{thing("Rose", "plant", "Needs sun."), thing("Tulip", "plant")})
	w.must(err)
	suggests := func(name string) {
		t.Helper()
		d, err := w.app.Graph.DeleteEntities(ctx, w.agent("claude"), garden.ID, []loci.EntityRef{{Name: name}})
		w.must(err)
		if d.Suggestion == nil {
			t.Fatalf("no suggestion about %s: %+v", name, d)
		}
	}
	there := func(name string, want bool) {
		t.Helper()
		if e := w.entity(garden.ID, name); (e != nil) != want {
			t.Errorf("%s is there: %v, want %v", name, e != nil, want)
		}
	}
	suggests("Tulip")
	suggests("Rose")
	b := w.dashboard("/app/inbox?list=suggestions")
	b.until(`document.querySelector(".live.live")`)
	b.sees("Suggestions2", "claude suggests to delete this from a graph", "Rose (plant)", "Tulip (plant)")
	b.axe("suggestions about a graph")
	b.keys("j")
	b.sees("claude suggests to delete this from the graph, with what others wrote:", "Rose: Needs sun.",
		"observation · cursor", "entity · cursor", "Open the graph")
	b.look("suggestion-graph")
	b.axe("a suggestion about a graph")

	// The server is away: the suggestion and its buttons stay.
	b.impatient()
	w.down.Store(true)
	b.keys("a")
	b.sees("The server does not answer: Check your connection, then try again.", "Rose: Needs sun.")
	b.until(`document.querySelectorAll(".reading .actions button").length === 2`)
	w.down.Store(false)
	there("Rose", true)
	b.evaluate(`(document.querySelector("#main .failed button")?.click(), "")`)
	b.until(`!document.querySelector("#main .failed")`)

	b.keys("a")
	b.sees("Accepted. It is in the trash of the graph.", "Suggestions1")
	there("Rose", false)
	b.keys("u")
	b.sees("Undone.")
	there("Rose", true)

	b.sees("Tulip (plant)")
	b.until(`document.querySelector(".reading h2")?.innerText === "Tulip (plant)"`)
	b.keys("x")
	b.sees("The graph stays as it is. You cannot undo this.")
	b.keys(kb.Enter)
	b.sees("Declined. Nothing changed.", "No suggestions wait")
	there("Tulip", true)

	// Somebody else decides while the page does not hear of it: the page says why nothing happens.
	suggests("Tulip")
	b.click("Tulip")
	b.until(`document.querySelector(".reading h2")?.innerText === "Tulip (plant)"`)
	release := w.hold()
	b.keys("a")
	_, err = w.app.Graph.DeleteEntities(ctx, w.local(w.mara), garden.ID, []loci.EntityRef{{Name: "Tulip"}})
	w.must(err)
	release()
	b.until(`document.querySelector(".toast.bad")`)
	b.sees("No suggestions wait")
	b.clean()
}
