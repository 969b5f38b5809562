package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/memory"
)

// session makes a session of Mara's.
func (w *world) session(title string) loci.Session {
	w.t.Helper()
	s, err := w.app.Agent.CreateSession(w.t.Context(), w.local(w.mara), agent.SessionDraft{Title: title})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// logEvents logs events with a key.
func (w *world) logEvents(key string, session loci.Session, events ...loci.Event) {
	w.t.Helper()
	list := []map[string]any{}
	for _, e := range events {
		one := map[string]any{"content": e.Content, "session_id": session.ID, "time": w.clock.Now(), "actor": e.Actor}
		if e.Type != "" {
			one["event_type"] = e.Type
		}
		if e.Tags != nil {
			one["tags"], one["metadata"] = e.Tags, map[string]any{"note": e.Content}
		}
		list = append(list, one)
	}
	body, err := json.Marshal(map[string]any{"events": list})
	if err != nil {
		w.t.Fatal(err)
	}
	a := w.browser().do(http.MethodPost, "/api/v1/events", http.Header{"Authorization": {"Bearer " + key},
		"Content-Type": {"application/json"}}, string(body))
	if a.status != http.StatusCreated {
		w.t.Fatalf("log: %d %s", a.status, a.body)
	}
}

// TestBrowserDashboardSessions reads the events of a session by type, follows it live, previews a context pack and puts
// candidates into the inbox.
func TestBrowserDashboardSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.save(memory.Draft{Title: "Deploy day", Content: "We deploy the login page on Tuesdays.", Category: "decision"})
	b := w.dashboard("/app/sessions")
	b.sees("There are no sessions yet", "All events", "Connect one.")
	b.until(`document.querySelector(".side .state").getBoundingClientRect().top < 300`)
	b.look("sessions-none")
	b.axe("no sessions")
	b.open(w.base + "/app/sessions?state=closed")
	b.sees("No session has this state")
	work, key := w.session("Login page"), w.vendorKey("claude")
	w.session("Another piece of work")
	for i := range 40 {
		w.clock.advance(time.Minute)
		w.logEvents(key, work, loci.Event{Content: fmt.Sprint("Ran the test number ", i), Type: "tool_call", Actor: "claude"})
	}
	w.logEvents(key, work, loci.Event{Content: "The login test fails with 401.", Type: "error", Actor: "claude"},
		loci.Event{Content: "We decided to keep the old API, because clients use it.", Type: "message", Actor: "user"})
	b.open(w.base + "/app/sessions")
	b.sees("Login page", "Another piece of work", "No session is open")
	b.look("sessions-list")
	b.axe("the list of sessions")
	b.keys("jjj")
	b.sees("42 events", "tool_call40", "error1", "We decided to keep the old API")
	b.until(chartFits)
	b.look("sessions")
	b.axe("a session")

	// The chart is enlarged by keyboard; the picture changes, and comes back.
	b.until(chartFits)
	drawn := `document.querySelector(".sessions-chart canvas").toDataURL()`
	b.evaluate(`(() => { window.whole = ` + drawn + `
		document.querySelector(".sessions-chart [tabindex]").focus(); return "" })()`)
	b.keys("+")
	b.until(drawn + ` !== window.whole`)
	b.keys("0")
	b.until(drawn + ` === window.whole`)
	b.evaluate(`(() => { document.activeElement.blur(); return "" })()`)

	// By type, by words, in full.
	b.click("error")
	b.sees("1 event,", "fails with 401")
	b.seesNo("Ran the test number 39")
	b.click("error")
	b.sees("Ran the test number 39")
	b.keys("/")
	b.keys("old API")
	b.keys(kb.Enter)
	b.until(`document.querySelectorAll(".sessions-list .row").length === 1`)
	b.keys("n")
	b.keys("o")
	b.until(`document.querySelector("dialog .sessions-text")?.innerText.includes("because clients use it")`)
	b.look("sessions-event")
	b.axe("an event")
	b.click("Close")

	// Live.
	b.open(w.base + "/app/sessions/" + work.ID.String())
	b.sees("42 events")
	w.logEvents(key, work, loci.Event{Content: "Fixed the token refresh.", Type: "message", Actor: "claude"})
	b.sees("Fixed the token refresh.", "43 events")
	b.keys("f")
	b.until(`document.querySelector(".sessions-search .chip[aria-pressed=false]")`)

	// What an assistant would get.
	b.keys("c")
	b.until(`document.activeElement?.name === "goal"`)
	b.write("input[name=goal]", "deploy the login page")
	b.keys(kb.Enter)
	b.sees("of 1,000 tokens", "We deploy the login page on Tuesdays.", "fits the goal", "Receipt")
	b.click("Included")
	b.look("sessions-context")
	b.axe("a context pack")

	// Reflect: into the inbox.
	b.keys("r")
	b.sees("The notes below are 43 events")
	b.look("sessions-reflect")
	b.axe("reflection")
	b.click("Find what to keep")
	b.sees("Nothing is stored yet.")
	b.isState("")
	b.click("Put ")
	b.until(`location.pathname.startsWith("/app/inbox")`)
	b.sees("keep the old API")
	b.clean()
}

// chartFits is true once the chart has the width of its place. It gets it a moment after the window changed.
const chartFits = `document.querySelector(".sessions-chart canvas") &&
	document.querySelector(".sessions-chart .uplot").offsetWidth ===
		document.querySelector(".sessions-chart [tabindex]").clientWidth`

// TestBrowserDashboardSessionsAttacks has attacks in everything that the view shows.
func TestBrowserDashboardSessionsAttacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, text := range attacks {
		w.save(memory.Draft{Title: text, Content: text + " goal", Pinned: new(true)})
	}
	work, key := w.session(attacks[1]), w.vendorKey("claude")
	for _, text := range attacks[:len(attacks)-1] {
		w.logEvents(key, work, loci.Event{Content: text + "\u202e", Actor: text, Tags: []string{text}})
	}
	b := w.dashboard("/app/sessions/" + work.ID.String())
	b.sees(attacks[0], attacks[1], "general")
	b.until(`document.querySelector(".sessions-chart canvas")`)
	b.safe("the events")
	b.keys("n")
	b.keys("o")
	b.until(`document.querySelector("dialog .sessions-text")`)
	if got := b.evaluate(`String(window.hacked)`); got != "undefined" {
		t.Error("a stored text ran as a script in an event")
	}
	b.click("Close")
	b.keys("c")
	b.write("input[name=goal]", "goal")
	b.keys(kb.Enter)
	b.sees("Receipt")
	b.safe("the context pack")
	b.clean()
}
