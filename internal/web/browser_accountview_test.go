package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
)

// TestBrowserDashboardAccount changes the name, and ends sign-ins.
func TestBrowserDashboardAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.passkey("Laptop")
	other, third := w.browser(), w.browser()
	other.signIn()
	third.signIn()
	b := w.dashboard("/app/account")
	b.sees("Mara", maraMail, "Acme", "owner", "this browser", "Chrome on Linux", "Your account has a password.", "Laptop")
	b.look("account")
	b.axe("the account")
	b.keys("e")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.write("dialog input", "Mara <b>")
	b.keys(kb.Enter)
	b.sees("Your name is changed.", "Mara <b>")
	b.keys("u")
	b.sees("Undone.")
	b.seesNo("Mara <b>")

	end := `.card:not(:has(.tag)) button`
	b.do("end", clickOn(end))
	b.sees("That browser must sign in again.")
	b.look("sign-in-end")
	b.axe("the end of a sign-in")
	b.keys(kb.Enter)
	b.sees("The sign-in has ended.")
	b.click("End all other sign-ins")
	b.sees("End all other sign-ins?")
	b.click("End all other sign-ins")
	b.sees("1 other sign-in has ended.")
	for _, gone := range []*browser{other, third} {
		if a := gone.get("/app/"); a.status != 303 {
			t.Errorf("another browser is still signed in: %d", a.status)
		}
	}
	b.until(`document.querySelectorAll("[aria-label=Sign-ins] .card").length === 1`)
	b.open(w.base + "/app/sign-ins") // the address of the earlier page
	b.sees("this browser")
	b.keys("j")
	b.keys("x")
	b.sees("You will be signed out.")
	b.keys(kb.Enter)
	b.until(`location.pathname === "/app/sign-in"`)
	b.clean()
}

// TestBrowserDashboardWorkspace switches to another workspace.
func TestBrowserDashboardWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	on := true
	if _, err := w.app.Org.Set(t.Context(), w.local(w.mara), org.Settings{Workspaces: &on}); err != nil {
		t.Fatal(err)
	}
	w.clock.advance(time.Second)
	second, err := w.app.Org.CreateWorkspace(t.Context(), w.local(w.mara), "Second")
	if err == nil {
		err = w.app.Org.JoinWorkspace(t.Context(), w.local(w.mara), second.ID, w.mara.UserID)
	}
	if err != nil {
		t.Fatal(err)
	}
	b := w.dashboard("/app/account")
	b.sees("Workspace")
	b.until(`document.querySelectorAll("#workspace option").length === 2`)
	b.evaluate(`(() => { const e = document.querySelector("#workspace"); e.value = "` + second.ID.String() + `";
		e.dispatchEvent(new Event("change", {bubbles: true})); return "" })()`)
	b.sees("You are now in this workspace.")
	b.until(`document.querySelector("#workspace")?.value === "` + second.ID.String() + `"`)
	b.clean()
}

// TestBrowserDashboardAccountOffline shows what it knows while the server is away, and goes on when it is back.
func TestBrowserDashboardAccountOffline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.key(auth.KeyRequest{Name: "script"})
	b := w.dashboard("/app/connections")
	b.sees("No assistant is connected")
	b.view("keys")
	b.sees("script")
	w.down.Store(true)
	w.dropStreams()
	b.sees("The server does not answer")
	b.evaluate(`String(document.dispatchEvent(new Event("visibilitychange")))`)
	b.until(`document.querySelector(".stale")`)
	b.sees("script", "Try again")
	b.axe("offline")
	b.click("Connections")
	b.until(`document.querySelector(".failed") && location.pathname === "/app/connections"`)
	w.down.Store(false)
	b.until(`document.querySelector(".live.live")`)
	b.evaluate(`String(document.dispatchEvent(new Event("visibilitychange")))`)
	b.sees("No assistant is connected")
	b.until(`!document.querySelector(".failed, .stale")`)
}

// TestBrowserDashboardAccountTexts stores attacks in every field that these views show.
func TestBrowserDashboardAccountTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	shop, err := w.app.Project.Create(ctx, w.local(w.mara), project.Draft{Name: attacks[0]})
	if err != nil {
		t.Fatal(err)
	}
	b := w.dashboard("/app/")
	for i, text := range attacks {
		text = cut(text, loci.MaxKeyName)
		w.key(auth.KeyRequest{Name: text})
		w.key(auth.KeyRequest{Name: text, Vendor: "claude", ProjectIDs: []loci.ProjectID{shop.ID}})
		w.grant(fmt.Sprint("client", i), text)
		w.passkey(text)
		if _, _, err := w.auth.StartSignIn(ctx, w.mara, text); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.app.Identity.RenameMe(ctx, w.local(w.mara), attacks[1]); err != nil {
		t.Fatal(err)
	}
	for view, sees := range map[string]string{"keys": attacks[0], "connections": attacks[2], "account": attacks[1]} {
		b.open(w.base + "/app/" + view)
		b.sees(sees, attacks[3])
		b.safe(view)
		b.look(view + "-attacks")
	}
	b.open(w.base + "/app/keys")
	b.sees(attacks[0])
	b.keys("j")
	b.keys("x")
	b.sees("Revoke the key")
	b.safe("a question")
	b.keys(kb.Escape)
	b.keys("n")
	b.sees("Only these projects", attacks[0])
	b.safe("a new key")
	b.keys(kb.Escape)
	b.clean()
}

// cut shortens a text.
func cut(text string, most int) string { return string([]rune(text)[:min(most, len([]rune(text)))]) }

// TestBrowserDashboardAccountOfOthers shows nothing of one person's access to another, not even in the same org.
func TestBrowserDashboardAccountOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	noor := w.member("noor@example.org")
	w.setPassword(noor, maraPassword)
	const marker = "marker-of-mara"
	w.key(auth.KeyRequest{Name: marker})
	w.key(auth.KeyRequest{Name: marker, Vendor: "cursor"})
	w.grant("client", marker)
	w.passkey(marker)
	if _, _, err := w.auth.StartSignIn(t.Context(), w.mara, marker); err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.watchErrors()
	b.open(w.base + "/app/keys")
	b.fill("#email", noor.Email)
	b.fill("#password", maraPassword.Reveal())
	b.press(button("/app/sign-in"))
	b.sees("You have no keys")
	b.evaluate(`(() => { window.sent = ""; const ours = fetch;
		window.fetch = async (...args) => { const a = await ours(...args);
			a.clone().text().then((text) => window.sent += text); return a }; return "" })()`)
	for view, sees := range map[string]string{"connections": "No assistant is connected", "account": noor.Email,
		"keys": "You have no keys"} {
		b.view(view)
		b.sees(sees)
		if got := b.evaluate(`document.documentElement.outerHTML + window.sent`); strings.Contains(got, marker) {
			t.Errorf("%s of another has it: %s", view, got)
		}
	}
	b.until(`window.sent.includes("sign_ins") && window.sent.includes("grants")`)
	b.clean()
}
