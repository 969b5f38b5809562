package web_test

import (
	"net/url"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

// invite makes a team of Mara's with an invitation, and returns its token.
func (w *world) invite(email string) string {
	w.t.Helper()
	p := w.local(w.mara)
	team, err := w.app.Org.CreateTeam(w.t.Context(), p, "Platform")
	if err != nil {
		w.t.Fatal(err)
	}
	made, err := w.app.Org.InviteToTeam(w.t.Context(), w.local(w.mara), team.ID, []string{email}, loci.Member)
	if err != nil || len(made) != 1 {
		w.t.Fatalf("%v, %v", made, err)
	}
	return made[0].Token.Reveal()
}

func TestInvitationMakesAnAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.invite("noor@example.org")
	path := "/app/invite?token=" + token
	for range 2 { // looking does not accept
		want(t, "the page", w.browser().get(path), 200, "Mara", "Acme", "Platform", "noor@example.org",
			"memories that you save with scope project", "<button>Accept</button>")
	}
	mara := w.browser()
	mara.signIn()
	page := mara.get(path)
	want(t, "as somebody else", page, 200, "You are signed in as "+maraMail)
	lacks(t, "as somebody else", page, "<button>Accept")
	want(t, "as somebody else", page, 200, `action="/app/sign-out"><input type="hidden" name="next" value="`+path)
	other := w.browser()
	other.signIn()
	if a := other.post("/app/sign-out", "next", path); a.status != 303 || a.location() != path {
		t.Errorf("signing out: %d %s", a.status, a.location())
	}
	want(t, "then", other.get(path), 200, "<button>Accept</button>")
	if a := other.post("/app/sign-out", "next", "https://evil.example/"); a.location() != "/app/sign-in?done=signed-out" {
		t.Errorf("signing out to another site leads to %s", a.location())
	}
	owner := w.browser()
	owner.byLink(w.owner("home", ""))
	want(t, "as the owner", owner.get(path), 200, "You are signed in as the owner of this machine")
	want(t, "accepted by somebody else", mara.post("/app/invite", "token", token), 404)
	b := w.browser()
	if a := b.post("/app/invite", "token", token); a.status != 303 || a.location() != "/app/account?done=welcome" {
		t.Fatalf("accept: %d %s %s", a.status, a.location(), a.body)
	}
	want(t, "password", b.setPassword("noor's own password"), 204)
	want(t, "the account", b.get("/api/v1/whoami"), 200, "noor@example.org", "Acme", "Platform")
	want(t, "the invitation again", w.browser().get(path), 404, "used or revoked")
	if a := w.browser().post("/app/sign-in", "email", "noor@example.org", "password",
		"noor's own password"); a.status != 303 {
		t.Errorf("sign-in: %d", a.status)
	}
}

// member adds a person to Mara's org.
func (w *world) member(email string) loci.Person {
	w.t.Helper()
	u := loci.User{ID: loci.NewUserID(), OrgID: w.mara.OrgID, Email: email, Role: loci.RoleUser, OrgRole: loci.Member,
		CreatedAt: w.clock.Now()}
	if err := w.store.People().Add(w.t.Context(), u, func(store.Tx) error { return nil }); err != nil {
		w.t.Fatal(err)
	}
	return loci.Person{UserID: u.ID, OrgID: u.OrgID, Email: u.Email}
}

func TestInvitationOfSomebodyWithAnAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u := w.member("olu@example.org")
	w.setPassword(u, "olu's own password")
	token := w.invite(u.Email)
	b := w.browser()
	a := b.post("/app/invite", "token", token)
	if a.status != 303 || a.location() != "/app/sign-in?next=%2Fapp%2Finvite%3Ftoken%3D"+token {
		t.Fatalf("a stranger: %d %s %s", a.status, a.location(), a.body)
	}
	page := b.get(a.location())
	want(t, "the sign-in", page, 200, "You already have an account, <strong>olu@example.org</strong>",
		"loci user link olu@example.org", `value="olu@example.org"`)
	want(t, "after a wrong password", b.post("/app/sign-in", "email", u.Email, "password", "wrong", "next",
		"/app/invite?token="+token), 401, "You already have an account")
	stranger, err := w.app.Org.InviteToOrg(t.Context(), w.local(w.mara), []string{"nobody@example.org"}, loci.Member)
	if err != nil {
		t.Fatal(err)
	}
	for _, next := range []string{"/app/invite?token=" + stranger[0].Token.Reveal(), "/app/invite?token=x", "/app/",
		"/app/invite?token=" + token + "x"} {
		lacks(t, next, w.browser().get("/app/sign-in?next="+url.QueryEscape(next)), "already have an account")
	}
	a = b.post("/app/sign-in", "email", u.Email, "password", "olu's own password", "next", "/app/invite?token="+token)
	if a.status != 303 || a.location() != "/app/invite?token="+token {
		t.Fatalf("sign-in: %d %s", a.status, a.location())
	}
	want(t, "their page", b.get(a.location()), 200, "<button>Accept</button>")
	if a := b.post("/app/invite", "token", token); a.status != 303 || a.location() != "/app/?done=joined" {
		t.Errorf("accept: %d %s", a.status, a.body)
	}
	want(t, "the account", b.get("/api/v1/whoami"), 200, "Platform")
	want(t, "an unknown one", b.get("/app/invite?token=loci_invite_x"), 404)
	want(t, "none", b.get("/app/invite"), 404)
}

// TestInvitationTellsNothingBeforeAProof keeps the inviter, who has the token, from learning who has an account where
// the holder of the address proves that it is theirs.
func TestInvitationTellsNothingBeforeAProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) auth.OIDCProvider {
		provider := newProvider(t, w.clock.Now, maraMail)
		return auth.OIDCProvider{ID: "corp", Name: "Acme", Issuer: provider.URL, ClientID: "loci", ClientSecret: "s3cret",
			Domains: []string{"example.org"}}
	})
	token := w.invite(w.member("olu@example.org").Email)
	page := w.browser().get("/app/sign-in?next=" + url.QueryEscape("/app/invite?token="+token))
	want(t, "the sign-in", page, 200, "Continue with Acme")
	lacks(t, "the sign-in", page, "already have an account", "olu@example.org")
}
