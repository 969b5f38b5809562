package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/org"
)

// TestWhoSeesTeamsAndWorkspaces: admins of the org see all, other people only those that they are in.
func TestWhoSeesTeamsAndWorkspaces(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	_, err := c.Org.CreateTeam(ctx, c.ines, "Lynxes")
	c.must(err)
	pablo := c.session(c.user(c.operator, "pablo@acme.example", loci.MemberAdmin))
	c.must(second(c.Org.Set(ctx, c.owner, org.Settings{Workspaces: new(true)})))
	asTom, err := c.who.LocalAs(ctx, "acme", c.tom.UserID)
	c.must(err)
	for name, tt := range map[string]struct {
		who                                 loci.Principal
		teams, workspaces, members, invites string
	}{
		"an owner of the team": {c.mara, "Rhinos", "Main", "no such", "yes"},
		"a member of the team": {c.tom, "Rhinos", "Main Second", "boss tom", ""},
		"of another team":      {c.again(c.ines), "Lynxes", "Main", "no such", "no such"},
		"an admin of the org":  {pablo, "Lynxes Rhinos", "Main Second", "boss tom", "yes"},
		"an owner of the org":  {c.owner, "Lynxes Rhinos", "Main Second", "boss tom", "yes"},
		"the operator":         {c.operator, "Lynxes Rhinos", "Main Second", "boss tom", "yes"},
		"the operator, as tom": {asTom, "Lynxes Rhinos", "Main Second", "boss tom", "yes"},
	} {
		var teams, workspaces []string
		list, err := c.Org.Teams(ctx, tt.who)
		c.must(err)
		for _, x := range list {
			teams = append(teams, x.Name)
		}
		spaces, err := c.Org.Workspaces(ctx, tt.who)
		c.must(err)
		for _, x := range spaces {
			workspaces = append(workspaces, x.Name)
		}
		people, err := c.Org.WorkspaceMembers(ctx, tt.who, c.space)
		members := emailsOf(people, err)
		view, err := c.Org.Team(ctx, tt.who, c.team)
		invites := emailsOf(nil, err)
		if err == nil && len(view.Invites) > 0 {
			invites = "yes"
		}
		if got := strings.Join(teams, " "); got != tt.teams {
			t.Errorf("%s sees the teams %q, want %q", name, got, tt.teams)
		}
		if got := strings.Join(workspaces, " "); got != tt.workspaces {
			t.Errorf("%s sees the workspaces %q, want %q", name, got, tt.workspaces)
		}
		if members != tt.members || invites != tt.invites {
			t.Errorf("%s sees the members %q, want %q; invitations %q, want %q", name, members, tt.members, invites,
				tt.invites)
		}
	}
}

// emailsOf returns the beginnings of addresses, sorted, or that there is no such thing.
func emailsOf(people []loci.User, err error) string {
	if loci.CodeOf(err) == loci.NotFound {
		return "no such"
	}
	var names []string
	for _, u := range people {
		name, _, _ := strings.Cut(u.Email, "@")
		names = append(names, strings.TrimSuffix(name, "smail"))
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// A disabled owner leaves the team to the member with the highest role, also if another one joined first.
func TestATeamGoesToItsHighestRole(t *testing.T) {
	t.Parallel()
	for n := range 2 {
		c := newCompany(t)
		ctx := t.Context()
		c.must(second(c.Org.AcceptInvite(ctx, c.ines, c.invite.Token)))
		heir := []loci.UserID{c.tom.UserID, c.ines.UserID}[n]
		c.must(second(c.Org.SetTeamRole(ctx, c.mara, c.team, heir, loci.MemberAdmin)))
		c.must(second(c.Org.SetMember(ctx, c.owner, c.mara.UserID, org.MemberChange{Disabled: new(true)})))
		view, err := c.Org.Team(ctx, c.owner, c.team)
		c.must(err)
		for _, u := range view.Members {
			if owns := u.TeamRole == loci.MemberOwner; owns != (u.ID == heir) {
				t.Errorf("%s got the role %s", u.Email, u.TeamRole)
			}
		}
	}
}

func TestWhoDeletesATeam(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	c.must(second(c.Org.SetTeamRole(ctx, c.mara, c.team, c.tom.UserID, loci.MemberAdmin)))
	wantCode(t, c.Org.DeleteTeam(ctx, c.tom, c.team, true), loci.Forbidden) // an admin of the team alone
	wantCode(t, c.Org.DeleteTeam(ctx, c.ines, c.team, true), loci.NotFound)
	c.must(second(c.Org.SetMember(ctx, c.owner, c.ines.UserID, org.MemberChange{Role: new(loci.MemberAdmin)})))
	c.must(c.Org.DeleteTeam(ctx, c.again(c.ines), c.team, true))
}

// TestWhoFollowsInvitations: admins of a team follow those to their team, admins of the org all of them.
func TestWhoFollowsInvitations(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	asTom, err := c.who.LocalAs(ctx, "acme", c.tom.UserID)
	c.must(err)
	readers := map[string]loci.Principal{"owner of the team": c.mara, "member": c.tom, "of no team": c.ines,
		"owner of the org": c.owner, "operator": c.operator, "operator as tom": asTom}
	want := map[string]string{"owner of the team": "team", "owner of the org": "team org", "operator": "team org",
		"operator as tom": "team org"}
	feeds := map[string]*memory.Changes{}
	for name, p := range readers {
		feeds[name], err = c.Memory.Changes(ctx, p, "", string(loci.FeedInvitation))
		c.must(err)
	}
	got := map[string]string{}
	follow := func(which string) {
		for name, p := range readers {
			page, err := feeds[name].Read(ctx, p)
			c.must(err)
			if len(page.Events) > 0 {
				got[name] = strings.TrimSpace(got[name] + " " + which)
			}
		}
	}
	c.must(second(c.Org.InviteToTeam(ctx, c.mara, c.team, []string{"late@acme.example"}, loci.Member)))
	follow("team")
	c.must(second(c.Org.InviteToOrg(ctx, c.owner, []string{"later@acme.example"}, loci.Member)))
	follow("org")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("who follows invitations (-want +got):\n%s", diff)
	}
}

// TestRolesInATeam: tom is an admin of the team, ines a member, mara its only owner.
func TestRolesInATeam(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	c.must(second(c.Org.AcceptInvite(ctx, c.ines, c.invite.Token)))
	c.must(second(c.Org.SetTeamRole(ctx, c.mara, c.team, c.tom.UserID, loci.MemberAdmin)))
	late := []string{"late@acme.example"}
	toOrg, err := c.Org.InviteToOrg(ctx, c.owner, late, loci.Member)
	c.must(err)
	toTeam, err := c.Org.InviteToTeam(ctx, c.mara, c.team, late, loci.Member)
	c.must(err)
	for name, tt := range map[string]struct {
		err  error
		code loci.Code
	}{
		"an admin removes the owner":     {c.Org.RemoveFromTeam(ctx, c.tom, c.team, c.mara.UserID), loci.Forbidden},
		"a member removes an admin":      {c.Org.RemoveFromTeam(ctx, c.ines, c.team, c.tom.UserID), loci.Forbidden},
		"the last owner removes herself": {c.Org.RemoveFromTeam(ctx, c.mara, c.team, c.mara.UserID), loci.Conflict},
		"an admin demotes the owner": {second(c.Org.SetTeamRole(ctx, c.tom, c.team, c.mara.UserID, loci.Member)),
			loci.Forbidden},
		"an admin makes an owner": {second(c.Org.SetTeamRole(ctx, c.tom, c.team, c.ines.UserID, loci.MemberOwner)),
			loci.Forbidden},
		"an admin invites an owner": {second(c.Org.InviteToTeam(ctx, c.tom, c.team, late, loci.MemberOwner)),
			loci.Forbidden},
		"a member invites": {second(c.Org.InviteToTeam(ctx, c.ines, c.team, late, loci.Member)), loci.Forbidden},
		"who is in it is invited": {second(c.Org.InviteToTeam(ctx, c.mara, c.team, []string{"inesmail@acme.example"},
			loci.Member)), loci.Conflict},
		"a member revokes an invitation":  {c.Org.RevokeInvite(ctx, c.ines, toTeam[0].Invite.ID), loci.NotFound},
		"an admin revokes one to the org": {c.Org.RevokeInvite(ctx, c.tom, toOrg[0].Invite.ID), loci.NotFound},
		"who is not in it leaves":         {c.Org.LeaveTeam(ctx, c.owner, c.team), loci.NotFound},
		"who is not in it is removed":     {c.Org.RemoveFromTeam(ctx, c.mara, c.team, c.owner.UserID), loci.NotFound},
		"who is not in it gets a role": {second(c.Org.SetTeamRole(ctx, c.mara, c.team, c.owner.UserID,
			loci.Member)), loci.NotFound},
		"an admin of the team revokes": {c.Org.RevokeInvite(ctx, c.tom, toTeam[0].Invite.ID), ""},
		"an admin of the org revokes":  {c.Org.RevokeInvite(ctx, c.owner, toOrg[0].Invite.ID), ""},
	} {
		if loci.CodeOf(tt.err) != tt.code {
			t.Errorf("%s: got %v, want code %q", name, tt.err, tt.code)
		}
	}
}

// TestWhoHoldsAnOrg: an owner may not shut out the holder or themselves, and only the holder and the operator may
// transfer the org.
func TestWhoHoldsAnOrg(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	c.must(second(c.Org.SetMember(ctx, c.owner, c.tom.UserID, org.MemberChange{Role: new(loci.MemberOwner)})))
	tom := c.again(c.tom)
	out, transfer := org.MemberChange{Disabled: new(true)}, org.MemberChange{Transfer: true}
	for name, tt := range map[string]struct {
		who  loci.Principal
		user loci.UserID
		org.MemberChange
		code loci.Code
	}{
		"shuts out the holder":      {tom, c.owner.UserID, out, loci.Conflict},
		"shuts out themselves":      {tom, tom.UserID, out, loci.Conflict},
		"transfers the org":         {tom, c.mara.UserID, transfer, loci.Forbidden},
		"transfers to the disabled": {c.owner, c.disabled, transfer, loci.Conflict},
	} {
		if err := second(c.Org.SetMember(ctx, tt.who, tt.user, tt.MemberChange)); loci.CodeOf(err) != tt.code {
			t.Errorf("%s: got %v, want code %q", name, err, tt.code)
		}
	}
	c.must(second(c.Org.SetMember(ctx, c.operator, c.mara.UserID, transfer)))
	o, err := c.Org.Get(ctx, c.owner)
	if err != nil || o.OwnerID != c.mara.UserID {
		t.Errorf("got %+v, %v", o, err)
	}
	c.must(second(c.Org.SetMember(ctx, tom, c.owner.UserID, out)))
}

// An invitation with a role gives what a change of the role gives, so it needs the same fresh proof.
func TestInvitationsWithARoleNeedAProof(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	stale, boss := c.mara, c.owner
	stale.ProvedAt, boss.ProvedAt = c.now.Add(-loci.StepUpAge-time.Minute), c.now.Add(-loci.StepUpAge-time.Minute)
	email := []string{"late@acme.example"}
	for role, want := range map[loci.MemberRole]loci.Code{loci.Member: "", loci.MemberAdmin: loci.StepUp,
		loci.MemberOwner: loci.StepUp} {
		wantCode(t, second(c.Org.InviteToTeam(ctx, stale, c.team, email, role)), want)
		wantCode(t, second(c.Org.InviteToOrg(ctx, boss, email, role)), want)
	}
}

// An admin of the server could not let their own org in again.
func TestAdminsSuspendOtherOrgs(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	c.org("other", "stranger@b.example")
	admin := c.owner
	admin.Kind = loci.KindAdmin
	wantCode(t, second(c.Org.Suspend(ctx, admin, "acme", true)), loci.Conflict)
	c.must(second(c.Org.Suspend(ctx, admin, "acme", false)))
	c.must(second(c.Org.Suspend(ctx, admin, "other", true)))
	c.must(second(c.Org.Suspend(ctx, c.operator, "acme", true)))
}
