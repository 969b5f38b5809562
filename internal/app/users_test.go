package app_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/identity"
)

func TestSetUser(t *testing.T) {
	t.Parallel()
	s := newStage(t, loci.DeleteWithKey)
	ctx := t.Context()
	operator, boss := s.org("acme", "boss@acme.example")
	set := func(p loci.Principal, id loci.UserID, c identity.UserChange) (loci.User, error) {
		return s.Identity.SetUser(ctx, p, id, c)
	}

	// The owner of a laptop has no address until then.
	u, err := set(s.local, s.local.UserID, identity.UserChange{Email: new(" Ann@Home.example ")})
	s.must(err)
	found, err := s.st.People().ByEmail(ctx, "ann@home.example")
	s.must(err)
	if u.Email != "ann@home.example" || found.UserID != s.local.UserID {
		t.Errorf("got %+v, found %+v", u, found)
	}
	u, err = set(s.local, s.local.UserID, identity.UserChange{Name: new("Ann")})
	s.must(err)
	if me, err := s.Identity.WhoAmI(ctx, s.local); err != nil || me.User != u || u.Name != "Ann" ||
		u.Email != "ann@home.example" {
		t.Errorf("got %+v, %v, want %+v", me, err, u)
	}

	// An address is used once; whoever asks for another's changes nothing.
	s.st.entries = nil
	_, err = set(s.local, s.local.UserID, identity.UserChange{Email: &boss.Email, Name: new("Bob")})
	wantCode(t, err, loci.Conflict)
	_, err = set(s.local, s.local.UserID, identity.UserChange{Email: new("nonsense")})
	wantCode(t, err, loci.Invalid)
	_, err = set(s.local, s.local.UserID, identity.UserChange{Email: new("")})
	wantCode(t, err, loci.Invalid)
	_, err = set(s.local, boss.ID, identity.UserChange{Name: new("of another org")})
	wantCode(t, err, loci.NotFound)
	_, err = set(s.local, s.local.UserID, identity.UserChange{Email: &u.Email, Name: &u.Name}) // as it is
	s.must(err)
	if me, err := s.Identity.WhoAmI(ctx, s.local); err != nil || me.User != u || len(s.st.entries) != 0 {
		t.Errorf("got %+v, %v, want %+v; entries %+v", me, err, u, s.st.entries)
	}

	// Nobody but the operator gives addresses.
	_, err = set(s.session(boss), boss.ID, identity.UserChange{Name: new("Boss")})
	wantCode(t, err, loci.Forbidden)
	_, err = set(operator, boss.ID, identity.UserChange{Name: new("Boss")})
	s.must(err)
}

func TestOwnerEmail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, bad := range []string{"", "mara", "@x", "a@", "a b@x.org", "a@b@c", strings.Repeat("x", 320) + "@x.org"} {
		wantCode(t, w.Identity.SetOwnerEmail(t.Context(), bad), loci.Invalid)
	}
	for range 2 {
		if err := w.Identity.SetOwnerEmail(t.Context(), " Mara@Example.org "); err != nil {
			t.Fatal(err)
		}
	}
	if who, err := w.Identity.WhoAmI(t.Context(), w.owner); err != nil || who.User.Email != "mara@example.org" {
		t.Errorf("%+v, %v", who, err)
	}
}

// TestAnInvitationChangesNoRole has a person accept an invitation to their own team, which has invited their new
// address. Their role stays.
func TestAnInvitationChangesNoRole(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	made, err := c.Org.InviteToTeam(ctx, c.mara, c.team, []string{"mara@new.example"}, loci.Member)
	c.must(err)
	c.must(second(c.Identity.SetUser(ctx, c.operator, c.mara.UserID, identity.UserChange{Email: new("mara@new.example")})))
	joined, err := c.Org.AcceptInvite(ctx, c.mara, made[0].Token)
	c.must(err)
	at := slices.IndexFunc(joined.Team.Members, func(u loci.User) bool { return u.ID == c.mara.UserID })
	if at < 0 || joined.Team.Members[at].TeamRole != loci.MemberOwner {
		t.Errorf("the members are %+v", joined.Team.Members)
	}
}
