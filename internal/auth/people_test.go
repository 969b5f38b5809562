package auth_test

import (
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

// invite stores an invitation into the org of w, and a team if it has a name.
func (w *world) invite(t testing.TB, email, team string) (loci.Invite, loci.Secret) {
	t.Helper()
	token := auth.NewSecret(auth.InvitePrefix)
	i := loci.Invite{ID: loci.NewInviteID(), Email: email, OrgRole: loci.MemberAdmin, InvitedBy: w.org.OwnerID,
		State:     loci.InvitePending,
		CreatedAt: w.now, ExpiresAt: w.now.Add(loci.InviteLife), Hash: auth.Hash(token)}
	err := w.store.Update(t.Context(), w.org.ID, func(tx store.Tx) error {
		if team != "" {
			i.TeamID, i.TeamRole = loci.NewTeamID(), loci.Member
			if err := tx.Teams().Insert(t.Context(), loci.Team{ID: i.TeamID, Name: team, CreatedAt: w.now}); err != nil {
				return err
			}
		}
		return tx.Teams().Invite(t.Context(), i)
	})
	if err == nil {
		err = w.store.People().Announce(t.Context(), w.org.ID, i)
	}
	if err != nil {
		t.Fatal(err)
	}
	return i, token
}

func (w *world) user(t testing.TB, who loci.Person) (u loci.User) {
	t.Helper()
	if err := w.store.View(t.Context(), who.OrgID, func(tx store.Tx) (err error) {
		u, err = tx.Users().Get(t.Context(), who.UserID)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return u
}

func TestDashboardStrangersGetAnOrgOfTheirOwn(t *testing.T) {
	t.Parallel()
	const service, secret = "service-key", "0123456789abcdef0123456789abcdef"
	w := newWorld(t)
	of := func(open bool) *auth.Authenticator {
		return w.auth(t, auth.Options{Dashboard: auth.Dashboard{ServiceKey: service, JWTSecret: secret, Open: open}})
	}
	a, invited := of(true), of(false)
	try := func(a *auth.Authenticator, email string) (loci.Principal, error) {
		t.Helper()
		token, err := jwt.NewWithClaims(jwt.SigningMethodHS256,
			jwt.MapClaims{"email": email, "email_verified": true, "iss": "loci-dashboard", "aud": "loci",
				"exp": w.now.Add(time.Hour).Unix()}).SignedString([]byte(secret))
		if err != nil {
			t.Fatal(err)
		}
		return a.Authenticate(t.Context(), auth.Request{Bearer: service, DashboardToken: loci.Secret(token)})
	}
	enter := func(email string) loci.Principal {
		t.Helper()
		p, err := try(a, email)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if _, err := try(invited, "ida@example.org"); loci.CodeOf(err) != loci.Forbidden {
		t.Errorf("a stranger, where only the invited sign up: %v", err)
	}
	if _, err := w.store.People().ByEmail(t.Context(), "ida@example.org"); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("the stranger has an account: %v", err)
	}
	w.invite(t, "una@example.org", "")
	if p, err := try(invited, "una@example.org"); err != nil || p.OrgID != w.org.ID {
		t.Errorf("an invited person, where only these sign up: %+v, %v", p, err)
	}
	p := enter("Ida@example.org")
	if p.OrgID == w.org.ID || p.OrgRole != loci.MemberOwner || len(p.OrgID) != 14 || p.OrgID[:2] != "u-" {
		t.Errorf("got %+v", p)
	}
	if org, err := w.store.Orgs().Get(t.Context(), p.OrgID); err != nil || org.Name != "ida" {
		t.Errorf("org is %+v, %v", org, err)
	}
	if again := enter("ida@example.org "); again.UserID != p.UserID || again.OrgID != p.OrgID {
		t.Errorf("the second visit made another person: %+v", again)
	}
	invite, _ := w.invite(t, "tom@example.org", "Platform")
	if p := enter("tom@example.org"); p.OrgID != w.org.ID || p.TeamID != invite.TeamID || p.TeamRole != loci.Member ||
		p.OrgRole != loci.MemberAdmin {
		t.Errorf("the invited person is %+v", p)
	}
}

func TestFindOrCreateNeedsAnInvitation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.auth(t, auth.Options{})
	if _, err := a.FindOrCreate(t.Context(), "ida@example.org", false); loci.CodeOf(err) != loci.Forbidden {
		t.Errorf("a stranger: %v", err)
	}
	w.invite(t, "ida@example.org", "")
	w.now = w.now.Add(loci.InviteLife)
	if _, err := a.FindOrCreate(t.Context(), "ida@example.org", false); loci.CodeOf(err) != loci.Forbidden {
		t.Errorf("an invitation of seven days ago: %v", err)
	}
	if _, err := a.FindOrCreate(t.Context(), "not an address", true); loci.CodeOf(err) != loci.Invalid {
		t.Errorf("no address: %v", err)
	}
}

func TestManyFirstVisitsMakeOnePerson(t *testing.T) {
	t.Parallel()
	for _, invited := range []bool{false, true} {
		w := newWorld(t)
		a := w.auth(t, auth.Options{})
		if invited {
			w.invite(t, "ida@example.org", "")
		}
		var wg sync.WaitGroup
		people := make([]loci.Person, 8)
		for i := range people {
			wg.Go(func() {
				var err error
				if people[i], err = a.FindOrCreate(t.Context(), "ida@example.org", true); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, p := range people {
			if p != people[0] || invited != (p.OrgID == w.org.ID) {
				t.Errorf("invited %v: got %+v and %+v", invited, p, people[0])
			}
		}
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.signIn(t, auth.SignInOptions{})
	_, token := w.invite(t, "ida@example.org", "Platform")
	org, invite, err := s.Invitation(t.Context(), token)
	if err != nil || org.ID != w.org.ID || invite.Email != "ida@example.org" {
		t.Fatalf("got %+v, %+v, %v", org, invite, err)
	}
	who, err := s.Join(t.Context(), token)
	if err != nil || who.OrgID != w.org.ID {
		t.Fatalf("got %+v, %v", who, err)
	}
	if u := w.user(t, who); u.TeamID != invite.TeamID || u.OrgRole != loci.MemberAdmin || u.Role != loci.RoleUser {
		t.Errorf("got %+v", u)
	}
	for name, token := range map[string]loci.Secret{"used": token, "unknown": "loci_invite_x", "empty": "",
		"huge": loci.Secret(make([]byte, 1<<20))} {
		if _, err := s.Join(t.Context(), token); loci.CodeOf(err) != loci.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, second := w.invite(t, "ida@example.org", "Second")
	if _, err := s.Join(t.Context(), second); loci.CodeOf(err) != loci.Conflict {
		t.Errorf("an address that has an account: %v", err)
	}
	_, third := w.invite(t, "tom@example.org", "")
	w.now = w.now.Add(loci.InviteLife)
	if _, _, err := s.Invitation(t.Context(), third); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("expired: %v", err)
	}
}

// TestJoinNeedsTheAddressProvedWhereItCanBe plays somebody who invites an address
// that is not theirs, and takes the invitation themselves: its holder would later
// be signed in to an account of which somebody else has the password.
func TestJoinNeedsTheAddressProvedWhereItCanBe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	provided := auth.OIDCProvider{ID: "acme", Issuer: "https://id.acme.example", ClientID: "loci",
		Domains: []string{"acme.example"}}
	site := auth.Site{PublicURL: "https://loci.example"}
	for name, tt := range map[string]struct {
		o     auth.SignInOptions
		email string
		want  loci.Code
	}{
		"a provider knows the domain": {auth.SignInOptions{Site: site, Egress: true, OIDC: []auth.OIDCProvider{provided}},
			"one@ACME.example", loci.Forbidden},
		"anybody may sign up": {
			auth.SignInOptions{Site: site, Egress: true, OIDC: []auth.OIDCProvider{provided}, Open: true}, "two@example.org",
			loci.Forbidden},
		"nobody knows the domain": {auth.SignInOptions{Site: site, Egress: true, OIDC: []auth.OIDCProvider{provided}},
			"three@example.org", ""},
		"the provider is off": {auth.SignInOptions{Site: site, OIDC: []auth.OIDCProvider{provided}, Open: true},
			"four@acme.example", ""},
	} {
		_, token := w.invite(t, tt.email, "")
		who, err := w.signIn(t, tt.o).Join(t.Context(), token)
		if loci.CodeOf(err) != tt.want || (err == nil) == who.UserID.IsZero() {
			t.Errorf("%s: got %+v, %v; want code %q", name, who, err, tt.want)
		}
	}
	_, token := w.invite(t, "five@example.org", "")
	s, err := auth.NewSignIn(auth.SignInOptions{Store: w.store, Now: w.clock,
		Authenticator: w.auth(t,
			auth.Options{Dashboard: auth.Dashboard{ServiceKey: "service", JWTSecret: "0123456789abcdef0123456789abcdef"}})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Join(t.Context(), token); loci.CodeOf(err) != loci.Forbidden {
		t.Errorf("a dashboard vouches for addresses: %v", err)
	}
}

func TestLinkSignsInOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.signIn(t, auth.SignInOptions{})
	owner := loci.Person{UserID: w.org.OwnerID, OrgID: w.org.ID}
	link, err := s.NewLink(t.Context(), owner, auth.LinkLife)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	good := 0
	for range 8 {
		wg.Go(func() {
			who, err := s.UseLink(t.Context(), link, auth.From{})
			mu.Lock()
			defer mu.Unlock()
			if err == nil && who.UserID == owner.UserID {
				good++
			} else if loci.CodeOf(err) != loci.Unauthenticated {
				t.Errorf("got %+v, %v", who, err)
			}
		})
	}
	wg.Wait()
	if good != 1 {
		t.Errorf("%d of 8 got in by one link", good)
	}
	late, err := s.NewLink(t.Context(), owner, auth.LinkLife)
	if err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(auth.LinkLife)
	if _, err := s.UseLink(t.Context(), late, auth.From{}); loci.CodeOf(err) != loci.Unauthenticated {
		t.Errorf("after its time: %v", err)
	}
	a := w.auth(t, auth.Options{})
	_, key := w.key(t, auth.KeyRequest{Name: "k"})
	if _, err := s.UseLink(t.Context(), key, auth.From{}); loci.CodeOf(err) != loci.Unauthenticated {
		t.Errorf("a key as link: %v", err)
	}
	if _, err := a.Authenticate(t.Context(), bearer(key)); err != nil {
		t.Errorf("the key that was pasted as a link is revoked: %v", err)
	}
	fresh, err := s.NewLink(t.Context(), owner, auth.LinkLife)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Authenticate(t.Context(), bearer(fresh)); loci.CodeOf(err) != loci.Unauthenticated {
		t.Errorf("a link as key: %v", err)
	}
}
