package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/store"
)

// byLink signs somebody in by a one-time link and returns where that leads.
func (b *browser) byLink(who loci.Person) (to string) {
	b.w.t.Helper()
	token, err := b.w.signIn.NewLink(b.w.t.Context(), who, time.Minute)
	if err != nil {
		b.w.t.Fatal(err)
	}
	a := b.post("/app/link", "token", token.Reveal())
	if a.status != 303 {
		b.w.t.Fatalf("by a link: %d %s", a.status, a.body)
	}
	return a.location()
}

func lacks(t *testing.T, what string, a answer, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(a.body, text) {
			t.Errorf("%s: %q is in %s", what, text, a.body)
		}
	}
}

// Who has no address is offered no password, and told how to come by one.
func TestNoPasswordWithoutAnAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.owner("home", "")
	b := w.browser()
	if to := b.byLink(ann); to != "/app/account?done=welcome" {
		t.Errorf("the first page is %s", to)
	}
	want(t, "their methods", b.get("/api/v1/users/me/sign-in"), 200, `"email":false`)
	want(t, "a password", b.setPassword(maraPassword.Reveal()), 409, "cannot set a password")
	if have, err := w.app.Identity.SignInMethods(t.Context(), w.local(ann)); err != nil || have.Password {
		t.Errorf("%+v, %v", have, err)
	}

	w.clock.advance(time.Hour)
	proof := b.get("/app/step-up")
	want(t, "step-up with nothing to prove it by", proof, 200, "loci user link "+ann.UserID.String())
	lacks(t, "step-up with nothing to prove it by", proof, `type="password"`, `data-passkey="step-up"`, "loci open")
	operator := w.browser()
	operator.get(operator.byLink(w.owner(loci.DefaultOrg, "")))
	w.clock.advance(time.Hour)
	own := operator.get("/app/step-up")
	want(t, "step-up of the operator", own, 200, "<code>loci open</code>")
	lacks(t, "step-up of the operator", own, "loci user link")
	err := w.store.Update(t.Context(), ann.OrgID, func(tx store.Tx) error {
		return tx.SignIn().PutPasskey(t.Context(), ann.UserID,
			loci.Passkey{ID: []byte("x"), Name: "Laptop", Data: []byte("{}"), CreatedAt: w.clock.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
	proof = b.get("/app/step-up")
	want(t, "step-up with a passkey", proof, 200, `data-passkey="step-up"`)
	lacks(t, "step-up with a passkey", proof, `type="password"`, "loci user link")

	if _, err := w.app.Identity.SetUser(t.Context(), w.local(ann), ann.UserID,
		identity.UserChange{Email: new("ann@home.example")}); err != nil {
		t.Fatal(err)
	}
	b.byLink(ann)
	want(t, "their methods with an address", b.get("/api/v1/users/me/sign-in"), 200, `"email":true`)
	want(t, "a password with an address", b.setPassword(maraPassword.Reveal()), 204)
	want(t, "step-up with a password", b.get("/app/step-up"), 200, `type="password"`)
	if a := w.browser().post("/app/sign-in", "email", "ann@home.example", "password",
		maraPassword.Reveal()); a.status != 303 {
		t.Errorf("signing in with it: %d %s", a.status, a.body)
	}
}
