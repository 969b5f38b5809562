package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
)

// wander shows another place without a reload.
func (b *tab) wander(path string) {
	b.t.Helper()
	b.evaluate(fmt.Sprintf(`(() => { history.pushState(null, "", "/app/" + %q);
		dispatchEvent(new PopStateEvent("popstate")); return "" })()`, path))
}

// well waits until nothing in the view is on its way or has failed.
func (b *tab) well() {
	b.t.Helper()
	b.until(`document.querySelector("#main > *") && !document.querySelector("#main :is(.spinner, .failed)")`)
}

// retry clicks on what reads again, unless the page has noticed by itself that the server is back.
func (b *tab) retry() {
	b.t.Helper()
	b.evaluate(`(document.querySelector("#main :is(.failed, .stale) button")?.click(), "")`)
}

// TestBrowserDashboardStates opens each view while the server is slow and then away. It says that it loads, then what
// is wrong and how to go on, and that way leads on once the server is back.
func TestBrowserDashboardStates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, mara := t.Context(), w.local(w.mara)
	_, err := w.app.Identity.SetUserRole(ctx, mara, w.mara.UserID, loci.RoleAdmin)
	w.must(err)
	_, err = w.app.Org.CreateTeam(ctx, mara, "Platform")
	w.must(err)
	shop, work := w.shop().ID.String(), w.session("Login page").ID.String()
	w.remember("Deploy day")
	views := []string{"memories", "inbox", "inbox?list=suggestions", "inbox?list=dream", "visibility",
		"visibility/chatgpt", "time?origin=cursor&since=2026-11-01T00:00:00Z", "sessions", "sessions/" + work,
		"graph/" + shop, "projects", "nodes", "agents", "connections", "keys", "org", "org/people", "org/team",
		"org/workspaces", "org/usage", "org/audit", "org/admin", "transfer", "evaluate", "settings", "account"}
	b := w.dashboard("/app/")
	b.until(`document.querySelector(".live.live")`)
	for _, view := range strings.Fields(b.evaluate(`[...document.querySelectorAll("nav a, .menu-items a")]
		.map((e) => e.pathname.split("/")[2]).filter(Boolean).join(" ")`)) {
		if !slices.ContainsFunc(views, func(v string) bool { return strings.HasPrefix(v, view) }) {
			t.Errorf("this test lacks the view %s", view)
		}
	}
	last := ""
	for _, view := range views { // loads its files
		if first := strings.FieldsFunc(view, func(r rune) bool { return r == '/' || r == '?' })[0]; first != last {
			last = first
			b.wander(view)
			b.well()
		}
	}
	b.impatient()
	for _, view := range views {
		release := w.hold()
		b.wander(view)
		b.until(`document.querySelector("#main .spinner")?.parentElement.innerText.includes("Loading")`)
		w.down.Store(true)
		release()
		b.until(`!document.querySelector("#main .spinner") && document.querySelector("#main .failed")`)
		w.down.Store(false)
		b.wants("The server does not answer", "Check your connection, then try again.")
		b.evaluate(`String([...document.querySelectorAll("#main .failed button")].map((e) => e.click()).length)`)
		b.well()
	}
}
