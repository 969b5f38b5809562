package web_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
)

// TestBrowserDashboardTimeBy finds what a session and what a key did, without what others did then.
func TestBrowserDashboardTimeBy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, work := t.Context(), w.session("Login page")
	in := w.local(w.mara)
	in.SessionID = work.ID
	_, err := w.app.Memory.Create(ctx, in, memory.Draft{Title: "by the session", Content: "x"})
	w.must(err)
	key, secret, err := w.app.Identity.CreateKey(ctx, w.local(w.mara), auth.KeyRequest{Name: "desk", Vendor: "cursor"})
	w.must(err)
	by, err := w.auth.Authenticate(ctx, auth.Request{Bearer: secret})
	w.must(err)
	_, err = w.app.Memory.Create(ctx, by, memory.Draft{Title: "by the key", Content: "y"})
	w.must(err)
	w.remember("by nobody of them")
	b := w.dashboard("/app/time")
	b.until(`document.querySelector("select[name=session]")?.options.length > 1`)
	b.choose("select[name=session]", work.ID.String())
	b.set("input[name=since]", b.field(w.clock.Now().Add(-time.Hour)))
	b.sees("Would undo the changes of 1 memory.", "by the session")
	b.choose("select[name=session]", "")
	b.choose("select[name=key]", key.ID.String())
	b.sees("Would undo the changes of 1 memory.", "by the key")
	b.seesNo("by the session")
	b.click("Undo them")
	b.click("Undo them")
	b.sees("The changes of 1 memory are undone.")
	b.view("memories")
	b.sees("2 memories", "by the session", "by nobody of them")
}

// TestBrowserDashboardTeam joins a team by keyboard, changes the role of another, removes them, and leaves.
func TestBrowserDashboardTeam(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.invite("noor@example.org")
	noor := w.colleague("noor@example.org")
	w.setPassword(loci.Person{UserID: noor.ID, OrgID: noor.OrgID, Email: noor.Email}, maraPassword)
	b := newTab(t)
	b.watchErrors()
	b.open(w.base + "/app/org/team")
	b.fill("#email", noor.Email)
	b.fill("#password", maraPassword.Reveal())
	b.press(button("/app/sign-in"))
	b.sees("You are in no team")
	b.do("by keyboard", chromedp.Focus(chromedp.CSS(`.state .actions button:nth-of-type(2)`)))
	b.keys(kb.Enter)
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.keys(w.base + "/app/invite?token=" + url.QueryEscape(token))
	b.keys(kb.Enter)
	b.sees("Platform", "Leave the team")

	mara := w.dashboard("/app/org/team")
	role := `select[aria-label^="Role of Noor"]`
	mara.sees("Noor (noor@example.org)")
	mara.choose(role, "admin")
	mara.sees("Saved.")
	if u := w.user(noor.ID); u.TeamRole != loci.MemberAdmin {
		t.Errorf("Noor is %+v", u)
	}
	mara.keys("u")
	mara.sees("Undone.")
	mara.until(fmt.Sprintf("document.querySelector(%q).value === 'member'", role))
	mara.click("Remove")
	mara.sees("shared with the team belongs only to them again")
	mara.keys(kb.Enter)
	mara.sees("is removed.")
	b.sees("You are in no team")
	mara.click("Leave the team")
	mara.sees("What you shared with")
	mara.keys(kb.Enter)
	mara.sees("You left the team.", "You are in no team")
}

// TestBrowserDashboardByKeys selects memories and begins an import by keys.
func TestBrowserDashboardByKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.remember("first")
	w.remember("second")
	b := w.dashboard("/app/memories")
	b.sees("about second")
	b.keys("jsjs")
	b.sees("2 selected")
	b.keys(kb.Escape)
	b.seesNo("selected")
	b.wander("transfer")
	b.sees("Import memories")
	b.keys("i")
	b.until(`document.activeElement?.type === "file"`)
}
