package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
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
	b.until(`document.querySelector("dialog[open]")`)
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

// reach presses Tab until a button, link or field with a name has the focus.
func (b *tab) reach(name string) {
	b.t.Helper()
	for range 80 {
		b.keys(kb.Tab)
		got := b.evaluate(`(() => { const e = document.activeElement;
			return e.getAttribute("aria-label") ?? e.labels?.[0]?.innerText ?? e.innerText })()`)
		if strings.HasPrefix(strings.TrimSpace(got), name) {
			return
		}
	}
	b.t.Fatalf("no Tab leads to %s; at %s:\n%s", name, b.where(), b.text())
}

// TestBrowserDashboardPeopleByKeys changes a role in the org and in a team, invites somebody, and goes through a
// workspace, without a mouse.
func TestBrowserDashboardPeopleByKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	noor := w.colleague("noor@example.org")
	b := w.dashboard("/app/org/people")
	b.sees("Noor (noor@example.org)")
	b.keys("j")
	b.until(`document.activeElement?.dataset.card`)
	if !strings.HasPrefix(b.evaluate(`document.activeElement.innerText`), "Noor") {
		b.keys("j")
	}
	b.until(`document.activeElement.innerText.startsWith("Noor")`)
	b.reach("Role of Noor")
	b.keys(kb.ArrowDown)
	b.sees("Saved.")
	if u := w.user(noor.ID); u.OrgRole != loci.MemberAdmin {
		t.Errorf("Noor is %s", u.OrgRole)
	}
	b.reach("Suspend")
	b.keys(kb.Enter)
	b.sees("loses sign-ins, keys")
	b.keys(kb.Enter)
	b.sees("Let in again")
	b.reach("Let in again")
	b.keys(kb.Enter)
	b.until(`![...document.querySelectorAll("button")].some((e) => e.innerText === "Let in again")`)
	if u := w.user(noor.ID); u.Disabled {
		t.Error("Noor is still suspended")
	}

	b.keys("3")
	b.sees("You are in no team")
	b.keys("n")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.keys("Core" + kb.Enter)
	b.sees("The team is there.", "Leave the team")
	b.keys("n")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.keys("ada@example.org")
	b.reach("Role")
	b.keys(kb.ArrowDown)
	b.reach("Invite")
	b.keys(kb.Enter)
	b.sees("Pass these links on")
	b.keys(kb.Escape)
	b.sees("ada@example.org · admin")
	b.keys("j")
	b.reach("Role of Mara")
	b.keys(kb.ArrowUp)
	b.sees("You change your own role to “admin”")
	b.keys(kb.Escape)
	b.until(`!document.querySelector("dialog[open]")`)
	b.reach("Invite people") // a list of choices has its own keys

	b.keys("4")
	b.sees("New workspace")
	b.keys("n")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.keys("Research" + kb.Enter)
	b.sees("“Research” is there.")
	b.until(`document.querySelector("[data-card]")?.innerText.startsWith("Research")`)
	b.keys("j")
	b.until(`document.activeElement?.innerText.startsWith("Research")`)
	b.reach("Change the name")
	b.keys(kb.Enter)
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.keys("Lab")
	b.keys(kb.Enter)
	b.sees("Saved.", "ResearchLab")
	b.until(`!document.querySelector("dialog[open]")`)
	b.keys("u")
	b.sees("Undone.")
	b.reach("Members")
	b.keys(kb.Enter)
	b.until(`document.querySelector(".org-inner")`)
	b.axe("people, by keyboard")
	b.clean()
}

// hold keeps a key down until a condition is true and for some repeats more, as a hand that lets go late.
func (b *tab) hold(key rune, until string) {
	b.t.Helper()
	events := kb.Encode(key)
	down, up := events[:len(events)-1], events[len(events)-1]
	press := func(repeated bool, events ...*input.DispatchKeyEventParams) {
		for _, e := range events {
			e.AutoRepeat = &repeated
			if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, *e); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	press(false, down...)
	b.until(until)
	for range 3 {
		press(true, down...)
	}
	press(false, up)
}

// TestBrowserDashboardHeldKeys keeps keys down for long: a deed happens once, a move goes on, and the key that opened a
// form does not type into it.
func TestBrowserDashboardHeldKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, title := range []string{"first", "second", "third"} {
		w.remember(title)
	}
	b := w.dashboard("/app/memories")
	b.sees("about first")
	b.hold('j', `document.querySelector(".row.current")`)
	b.until(`document.querySelector(".row.current")?.innerText.includes("first")`)
	b.hold('s', `document.body.innerText.includes("1 selected")`)
	b.sees("1 selected")
	b.keys(kb.Escape)
	b.seesNo("selected")
	b.hold('n', `document.activeElement?.tagName === "INPUT"`)
	b.keys("noon")
	b.until(`document.activeElement.value === "noon"`)
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
