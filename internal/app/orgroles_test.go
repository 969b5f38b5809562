package app_test

import (
	"context"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store"
)

// TestInvitationsOutliveWhatTakesNoRole requires that an invitation ends with the role that allowed it, and with
// nothing else.
func TestInvitationsOutliveWhatTakesNoRole(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	inTeam := func(role loci.MemberRole) func() error {
		return func() error { return second(c.Org.SetTeamRole(ctx, c.mara, c.team, c.tom.UserID, role)) }
	}
	inOrg := func(change org.MemberChange) func() error {
		return func() error { return second(c.Org.SetMember(ctx, c.owner, c.tom.UserID, change)) }
	}
	c.must(inTeam(loci.MemberAdmin)())
	for _, tt := range []struct {
		name   string
		change func() error
		ends   bool
	}{
		{"an account that is enabled", inOrg(org.MemberChange{Disabled: new(false)}), false},
		{"the same role in the org", inOrg(org.MemberChange{Role: new(loci.Member)}), false},
		{"a higher role in the team", inTeam(loci.MemberOwner), false},
		{"a lower role in the team", inTeam(loci.MemberAdmin), true},
		{"a higher role in the org", inOrg(org.MemberChange{Role: new(loci.MemberOwner)}), false},
		{"a lower role in the org", inOrg(org.MemberChange{Role: new(loci.MemberAdmin)}), true},
		{"a lower role in the team, of an admin of the org", inTeam(loci.Member), false},
		{"leaving the team, of an admin of the org", func() error { return c.Org.LeaveTeam(ctx, c.tom, c.team) }, false},
	} {
		made, err := c.Org.InviteToTeam(ctx, c.tom, c.team, []string{"late@acme.example"}, loci.Member)
		c.must(err)
		c.must(tt.change())
		if err := c.Org.RevokeInvite(ctx, c.owner, made[0].Invite.ID); (err != nil) != tt.ends {
			t.Errorf("%s: revoking it then answers %v, want an error: %t", tt.name, err, tt.ends)
		}
	}
}

// TestRolesInTeamsAndProjects requires that an admin of the org keeps what they may do as the owner of a team or
// project, that a member of the org has no role in a project, and that the only member of a team deletes it without
// force.
func TestRolesInTeamsAndProjects(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	refused(t, "a change", second(c.Project.Change(ctx, c.ines, c.project, project.Patch{Description: new("d")})),
		loci.Forbidden, "requires an owner or admin of the project")
	refused(t, "a deletion", c.Project.Delete(ctx, c.ines, c.project), loci.Forbidden, "requires an owner of the project")
	wantCode(t, second(c.Org.CreateTeam(ctx, c.mara, "another")), loci.Conflict) // she is in one
	own, err := c.Org.CreateTeam(ctx, c.ines, "own")
	c.must(err)
	c.must(c.Org.DeleteTeam(ctx, c.ines, own.ID, false))
	c.must(second(c.Org.SetMember(ctx, c.owner, c.mara.UserID, org.MemberChange{Role: new(loci.MemberAdmin)})))
	mara := c.again(c.mara)
	c.st.entries = nil
	for range 2 { // the second time changes nothing
		c.must(second(c.Org.SetTeamRole(ctx, mara, c.team, c.tom.UserID, loci.MemberOwner)))
	}
	if len(c.st.entries) != 1 {
		t.Errorf("recorded %+v", c.st.entries)
	}
	c.must(c.Project.Delete(ctx, mara, c.project))
}

// TestInvitationsAreForOneAddress requires that an address is invited once in a call, however it is written, and that
// a token for another address says nothing about the org that it is to.
func TestInvitationsAreForOneAddress(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	made, err := c.Org.InviteToTeam(ctx, c.mara, c.team,
		[]string{"late@acme.example", "Late@Acme.example ", "other@acme.example"}, loci.Member)
	if err != nil || len(made) != 2 || made[1].Invite.Email != "other@acme.example" {
		t.Errorf("got %+v, %v", made, err)
	}
	_, boss := c.org("other", "stranger@b.example")
	made, err = c.Org.InviteToOrg(ctx, c.session(boss), []string{"late@b.example"}, loci.Member)
	c.must(err)
	_, unknown := c.Org.AcceptInvite(ctx, c.ines, "loci_invite_nothing")
	_, err = c.Org.AcceptInvite(ctx, c.ines, made[0].Token)
	if err == nil || err.Error() != unknown.Error() {
		t.Errorf("got %v, want %v", err, unknown)
	}
}

// handsOver is a store in which another transfer of the org is written just before one.
type handsOver struct {
	store.Store
	to loci.UserID
}

type handedOver struct {
	store.Orgs
	to loci.UserID
}

func (h handsOver) Orgs() store.Orgs { return handedOver{h.Store.Orgs(), h.to} }

func (h handedOver) Update(ctx context.Context, id loci.OrgID, change func(*loci.Org) error) (loci.Org, error) {
	_, err := h.Orgs.Update(ctx, id, func(o *loci.Org) error { o.OwnerID = h.to; return nil })
	if err != nil {
		return loci.Org{}, err
	}
	return h.Orgs.Update(ctx, id, change)
}

// TestOnlyTheHolderTransfersTheOrg requires that the rejection leaves every role as it is, and that of two transfers
// at the same time the second is rejected.
func TestOnlyTheHolderTransfersTheOrg(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	transfer := org.MemberChange{Transfer: true}
	c.must(second(c.Org.SetMember(ctx, c.owner, c.mara.UserID, org.MemberChange{Role: new(loci.MemberOwner)})))
	wantCode(t, second(c.Org.SetMember(ctx, c.again(c.mara), c.tom.UserID, transfer)), loci.Forbidden)
	if tom := c.again(c.tom); tom.OrgRole != loci.Member {
		t.Errorf("tom is %s", tom.OrgRole)
	}
	meanwhile := app.New(app.Options{Store: handsOver{c.st, c.mara.UserID}, Now: c.clock})
	wantCode(t, second(meanwhile.Org.SetMember(ctx, c.owner, c.tom.UserID, transfer)), loci.Forbidden)
	if o, err := c.Org.Get(ctx, c.owner); err != nil || o.OwnerID != c.mara.UserID {
		t.Errorf("the org is held by %s, %v", o.OwnerID, err)
	}
}
