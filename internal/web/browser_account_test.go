package web_test

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// evaluate returns what an expression gives on the page.
func (b *tab) evaluate(expression string) string {
	b.t.Helper()
	s, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return s
}

func clickOn(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

// fingerprint gives the browser an authenticator that says yes.
func (b *tab) fingerprint() {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
		b.t.Fatal(err)
	}
	_, err := chromedp.Call(b.ctx, webauthn.AddVirtualAuthenticator,
		webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true}})
	if err != nil {
		b.t.Fatal(err)
	}
}

// TestBrowserDashboardPasskey adds a passkey, signs in and proves with it, and removes it.
func TestBrowserDashboardPasskey(t *testing.T) {
	t.Parallel()
	w, b := newWorld(t), newTab(t)
	b.open(w.base + "/app/sign-in")
	b.fingerprint()
	b.signIn()
	b.open(w.base + "/app/sign-in-methods") // the address of the earlier page
	b.sees("Your account has a password.", "Your account has no passkeys.")
	b.keys("n")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.axe("a new passkey")
	b.look("passkey-new")
	b.write("dialog input", "My laptop")
	b.keys(kb.Enter)
	b.sees("Your passkey is added.", "My laptop")
	b.seesNo("Your account has no passkeys.")
	b.click("Add a passkey")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.write("dialog input", "My laptop again")
	b.click("Continue")
	b.sees("This device already has a passkey of yours.")
	b.answers(true) // what was typed may be lost
	b.keys(kb.Escape)

	b.click("☰")
	b.click("Sign out")
	b.sees("You are signed out.")
	b.shot("sign-in")
	b.press(`form[data-passkey="sign-in"] button`)
	b.sees("You have no memories yet")

	w.clock.advance(6 * time.Minute)
	b.open(w.base + "/app/account")
	b.sees("My laptop", "last used")
	b.do("remove it", clickOn(`[aria-label="Remove the passkey My laptop"]`))
	b.sees("Remove the passkey My laptop?")
	b.axe("the removal of a passkey")
	b.keys(kb.Enter)
	b.sees("Confirm that it is you")
	b.keys(kb.Enter)
	b.until(`location.pathname === "/app/step-up"`)
	b.shot("step-up")
	b.press(`form[data-passkey="step-up"] button`)
	b.sees("Your passkey is removed.", "Your account has no passkeys.")
	b.clean()
}

// TestBrowserDashboardPassword changes the password and removes it.
func TestBrowserDashboardPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.passkey("Laptop")
	other := w.browser()
	other.signIn()
	b := w.dashboard("/app/account")
	b.sees("Your account has a password.", "Laptop")
	b.keys("p")
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.axe("a new password")
	b.look("password")
	const next = "another long password"
	fill := func(password, again string) {
		t.Helper()
		b.write(`dialog label:nth-of-type(1) input`, password)
		b.write(`dialog label:nth-of-type(2) input`, again)
		b.keys(kb.Enter)
	}
	fill(next, next+"!")
	b.sees("The two passwords differ.")
	b.write(`dialog label:nth-of-type(2) input`, next)
	b.keys(kb.Enter)
	b.sees("Your password is set.")
	b.until(`!document.querySelector("dialog")`)
	if a := other.get("/app/"); a.status != 303 {
		t.Errorf("another sign-in after the new password: %d", a.status)
	}
	b.seesNo("a browser")
	if a := w.browser().post("/app/sign-in", "email", maraMail, "password", next); a.status != 303 {
		t.Errorf("the new password: %d", a.status)
	}
	b.sees("a browser") // which moves what is below it

	w.clock.advance(6 * time.Minute)
	b.click("Change the password")
	b.sees("Confirm that it is you") // before anybody types a password in vain
	b.keys(kb.Enter)
	b.until(`location.pathname === "/app/step-up"`)
	b.fill("#password", next)
	b.press(button("/app/step-up"))
	b.until(`document.activeElement?.closest("dialog[open]")`)
	b.keys(kb.Escape)
	b.click("Remove the password")
	b.sees("Remove the password?")
	b.click("Remove the password")
	b.sees("Your password is removed.", "Your account has no password.")
	b.seesNo("a browser") // whose sign-in ended, too
	b.keys("j")
	b.keys("j")
	b.until(`document.activeElement?.textContent?.includes("Laptop")`)
	b.keys("x")
	b.sees("Remove the passkey Laptop?")
	b.keys(kb.Enter)
	b.sees("Cannot remove your last sign-in method")
	b.clean()
}

// TestBrowserDashboardWelcome greets who came by a link and has no way to sign in again.
func TestBrowserDashboardWelcome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.owner("home", "")
	token, err := w.signIn.NewLink(t.Context(), ann, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.watchErrors()
	b.open(w.base + "/app/link?token=" + token.Reveal())
	b.press(button("/app/link"))
	b.sees("Set a password or add a passkey, so that you can sign in again.", "because it has no e-mail address",
		"loci user set "+ann.UserID.String()+" --email")
	b.axe("the first steps")
	b.look("welcome")
	b.clean()
}

func TestBrowserLink(t *testing.T) {
	t.Parallel()
	w, b := newWorld(t), newTab(t)
	token, err := w.signIn.NewLink(t.Context(), w.mara, 15*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	link := w.base + "/app/link?token=" + token.Reveal()
	b.open(link)
	b.open(link) // looking at it does not use it up
	b.shot("link")
	b.press(button("/app/link"))
	b.sees("Memories", "You have no memories yet")
	b.shot("memories-empty")
	b.open(link)
	b.wants("was already used or has expired")
	b.shot("link-used")
	b.open(w.base + "/app/nowhere")
	b.sees("Page not found", "Connections")
	b.shot("error")
	b.axe("a page that does not exist")
	b.click("Go to your memories")
	b.sees("You have no memories yet")
	b.open(w.base + "/app/step-up")
	b.fill("#password", "not the password")
	b.press(button("/app/step-up"))
	b.wants("Confirm that it is you")
	b.shot("step-up-wrong")
	b.fill("#password", maraPassword.Reveal())
	b.press(button("/app/step-up"))
	b.sees("You have no memories yet")
	b.clean()
}
