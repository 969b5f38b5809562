package web_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/project"
)

// keysOf returns the keys of Mara and her agents.
func (w *world) keysOf(kind loci.Kind) []loci.Credential {
	w.t.Helper()
	list, err := w.app.Identity.Keys(w.t.Context(), w.local(w.mara), kind)
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

func (w *world) key(r auth.KeyRequest) loci.Credential {
	w.t.Helper()
	c, _, err := w.app.Identity.CreateKey(w.t.Context(), w.local(w.mara), r)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// secret returns the key that the page shows, after it was copied.
func (b *tab) secret() string {
	b.t.Helper()
	b.until(`document.querySelector("dialog .secret")`)
	b.do("copy", clickOn("dialog .copyable button"))
	b.until(`document.querySelector("dialog .copyable button").innerText.startsWith("Copied")`)
	return b.evaluate(`document.querySelector("dialog .secret").textContent`)
}

// TestBrowserDashboardKeys creates, rotates and revokes keys by mouse.
func TestBrowserDashboardKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shop, err := w.app.Project.Create(t.Context(), w.local(w.mara), project.Draft{Name: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	w.key(auth.KeyRequest{Name: "everything"})
	b := w.dashboard("/app/keys")
	b.sees("everything", "never expires", "your own")
	b.click("New key")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.look("key-new")
	b.axe("a new key")
	b.write("dialog input", "nightly <script>")
	b.write(`dialog input[list]`, "Not A Vendor")
	b.click("Create key") // the browser refuses the vendor
	b.write(`dialog input[list]`, "cursor")
	b.seesNo("administer the org")
	b.do("limits", clickOn(`dialog fieldset:nth-of-type(1) label:first-child input`),
		clickOn(`dialog fieldset:nth-of-type(2) label:first-child input`))
	b.evaluate(`(() => { const e = document.querySelector("dialog select"); e.value = "30";
		e.dispatchEvent(new Event("change", {bubbles: true})); return "" })()`)
	w.clock.advance(6 * time.Minute)
	b.click("Create key")
	b.sees("Confirm that it is you")
	b.click("Confirm")
	b.until(`location.pathname === "/app/step-up"`)
	b.fill("#password", maraPassword.Reveal())
	b.press(button("/app/step-up"))
	b.until(`document.querySelector("dialog input")?.value === "nightly <script>"`) // what was typed is still there
	b.click("Create key")
	b.sees("Your key “nightly <script>”", "only this once")
	b.look("key-made")
	b.axe("a key")
	secret := b.secret()
	b.keys(kb.Escape + kb.Escape + kb.Escape) // does not lose it
	b.until(`document.querySelector("dialog").open`)
	if !strings.HasPrefix(secret, "loci_agent_") || b.secret() != secret {
		t.Errorf("the key is %q", secret)
	}
	b.click("I have copied it")
	b.seesNo(secret)
	b.sees("nightly <script>", "read memories · only project shop")
	b.look("keys")
	b.axe("the keys")
	made := w.keysOf(loci.KindAgent)
	if len(made) != 1 || made[0].Vendor != "cursor" || !slices.Equal(made[0].Rights, []loci.Right{loci.RightRead}) ||
		!slices.Equal(made[0].ProjectIDs, []loci.ProjectID{shop.ID}) || made[0].ExpiresAt.IsZero() {
		t.Fatalf("%+v", made)
	}

	b.do("rotate", clickOn(`button[aria-label="Rotate nightly <script>"]`))
	b.sees("Replace the key “nightly <script>” by a new one?")
	b.look("key-rotate")
	b.axe("a rotation")
	b.click("Rotate")
	b.sees("The new key “nightly <script>”")
	if next := b.secret(); next == secret || !strings.HasPrefix(next, "loci_agent_") {
		t.Errorf("the new key is %q", next)
	}
	b.click("I have copied it")
	if made = w.keysOf(loci.KindAgent); len(made) != 2 {
		t.Errorf("%+v", made)
	}
	b.do("revoke", clickOn(`button[aria-label="Revoke everything"]`))
	b.sees("Revoke the key “everything”?", "You cannot undo this.")
	b.click("Cancel")
	b.seesNo("Revoke the key “everything”?")
	if own := w.keysOf(loci.KindUser); !own[0].RevokedAt.IsZero() {
		t.Error("the question revoked it")
	}
	b.do("revoke", clickOn(`button[aria-label="Revoke everything"]`))
	b.click("Revoke the key")
	b.sees("The key “everything” is revoked.")
	b.click("ended")
	b.sees("revoked")
	if own := w.keysOf(loci.KindUser); own[0].RevokedAt.IsZero() {
		t.Error("it is not revoked")
	}
	b.clean()
}

// TestBrowserDashboardKeysByKeyboard creates and revokes a key without a mouse, and sees what another makes and
// revokes.
func TestBrowserDashboardKeysByKeyboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.dashboard("/app/keys")
	b.sees("You have no keys")
	b.look("keys-none")
	b.axe("no keys")
	b.keys("n")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.write("dialog input", "first") // the tool sends the n of the key after the window has opened
	b.keys(kb.Enter)
	b.sees("Your key “first”")
	b.click("I have copied it")
	b.sees("first", "everything")
	w.clock.advance(time.Second)
	other := w.key(auth.KeyRequest{Name: "second", Vendor: "claude"})
	b.evaluate(`String(document.dispatchEvent(new Event("visibilitychange")))`) // as after another tab
	b.sees("second")
	b.keys("j")
	b.until(`document.activeElement?.innerText.startsWith("second")`)
	b.keys("j")
	b.until(`document.activeElement?.innerText.startsWith("first")`)
	b.keys("r")
	b.sees("Replace the key “first”")
	b.keys(kb.Escape)
	b.until(`document.activeElement?.innerText.startsWith("first")`)
	b.keys("x")
	b.sees("Revoke the key “first”?")
	b.keys(kb.Enter)
	b.sees("The key “first” is revoked.")
	if err := w.app.Identity.RevokeKey(t.Context(), w.local(w.mara), other.ID); err != nil {
		t.Fatal(err)
	}
	b.evaluate(`String(document.dispatchEvent(new Event("visibilitychange")))`)
	b.sees("No such key")
	b.keys("?")
	b.sees("Next card", "Rotate", "Revoke")
	b.keys(kb.Escape)
	b.clean()
}
