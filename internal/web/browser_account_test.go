package web_test

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
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

func TestBrowserPasskey(t *testing.T) {
	t.Parallel()
	w, b := newWorld(t), newTab(t)
	b.open(w.base + "/app/sign-in")
	b.fingerprint()
	b.signIn()
	b.shot("home")
	b.open(w.base + "/app/sign-in-methods")
	b.wants("Your account has a password.", "Your account has no passkeys.")
	b.fill("#name", "My laptop")
	b.press(button("/app/sign-in-methods/passkeys"))
	b.wants("Your passkey is added.", "My laptop")
	b.shot("sign-in-methods")

	b.press(button("/app/sign-out"))
	b.wants("You are signed out.")
	b.press(`form[data-for="sign-in"] button`)
	if at := b.where(); at != w.base+"/app/" {
		t.Fatalf("after the passkey the browser is at %s:\n%s", at, b.text())
	}

	w.clock.advance(6 * time.Minute)
	b.open(w.base + "/app/sign-in-methods")
	b.wants("confirm that it is you")
	b.press(`main a[href^="/app/step-up"]`)
	b.shot("step-up")
	b.press(`form[data-for="step-up"] button`)
	if at := b.where(); at != w.base+"/app/sign-in-methods" {
		t.Fatalf("after the step-up the browser is at %s:\n%s", at, b.text())
	}
	b.press(button("/app/sign-in-methods/passkeys/remove"))
	b.wants("Your passkey is removed.")
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
	b.wants("Page not found")
	b.shot("error")
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
