package app_test

import (
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/store"
)

func (c *company) pool(p loci.Principal) string {
	c.t.Helper()
	page, err := c.Memory.TeamMemories(c.t.Context(), p, memory.ListRequest{})
	c.must(err)
	return titles(page.Items)
}

// again is what the person's next request comes with.
func (c *company) again(p loci.Principal) loci.Principal {
	c.t.Helper()
	who, err := c.st.People().ByID(c.t.Context(), p.UserID)
	c.must(err)
	return c.session(loci.User{ID: who.UserID, OrgID: who.OrgID, Email: who.Email})
}

func TestWhoLeavesTakesTheirMemoriesAlong(t *testing.T) {
	ways := map[string]func(*company) error{
		"leaves":  func(c *company) error { return c.Org.LeaveTeam(t.Context(), c.tom, c.team) },
		"removed": func(c *company) error { return c.Org.RemoveFromTeam(t.Context(), c.mara, c.team, c.tom.UserID) },
		"deleted": func(c *company) error { return c.Org.DeleteTeam(t.Context(), c.mara, c.team, true) },
		"disabled": func(c *company) error {
			return second(c.Org.SetMember(t.Context(), c.owner, c.tom.UserID, org.MemberChange{Disabled: new(true)}))
		},
	}
	for name, leave := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCompany(t)
			ctx := t.Context()
			m := c.add(c.tom, memory.Draft{Title: "toms", Content: "c"})
			gone := c.add(c.tom, memory.Draft{Title: "toms old", Content: "c"})
			for _, id := range []loci.MemoryID{m.ID, gone.ID} {
				_, err := c.Memory.Share(ctx, c.tom, id)
				c.must(err)
			}
			_, err := c.Memory.Trash(ctx, c.tom, gone.ID, 0)
			c.must(err)
			_, err = c.Memory.Share(ctx, c.mara, c.memory.ID)
			c.must(err)
			if got := c.pool(c.mara); got != "zebra toms" && got != "toms zebra" {
				t.Errorf("pool %q", got)
			}
			c.must(leave(c))
			_, err = c.Memory.Get(ctx, c.mara, m.ID)
			wantCode(t, err, loci.NotFound)
			if name == "disabled" {
				if _, _, err := c.who.StartSignIn(ctx, loci.Person{UserID: c.tom.UserID, OrgID: "acme"}, "x"); err == nil {
					t.Error("signs in although disabled")
				}
				return
			}
			tom := c.again(c.tom)
			_, err = c.Memory.TeamMemories(ctx, tom, memory.ListRequest{})
			wantCode(t, err, loci.Conflict)
			_, err = c.Memory.Get(ctx, tom, c.memory.ID)
			wantCode(t, err, loci.NotFound)
			back, err := c.Memory.Get(ctx, tom, m.ID)
			c.must(err)
			if !back.TeamID.IsZero() || back.Version != 3 || back.Change != loci.Updated {
				t.Errorf("got %+v", back)
			}
		})
	}
}

// Loci authenticated these requests before the person left their team.
func TestWhoHasLeftATeamSharesNothingWithIt(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	m := c.add(c.tom, memory.Draft{Title: "t", Content: "c"})
	n, err := c.Node.Create(ctx, c.tom, node.Draft{Name: "n"})
	c.must(err)
	c.must(c.Org.LeaveTeam(ctx, c.tom, c.team))
	for name, err := range map[string]error{
		"share": second(c.Memory.Share(ctx, c.tom, m.ID)),
		"save":  second(c.Memory.Create(ctx, c.tom, memory.Draft{Title: "u", Content: "d", Share: true})),
		"node":  second(c.Node.Create(ctx, c.tom, node.Draft{Name: "o", Shared: true})),
		"move":  second(c.Node.Change(ctx, c.tom, n.ID, node.Patch{Shared: loci.Set(true)})),
	} {
		refused(t, name, err, loci.Conflict, memory.ErrNoTeam().Error())
	}
}

// An agent shares what its own vendor wrote; a person shares all of theirs.
func TestAgentsShareOnlyWhatTheyWrote(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	claude := loci.Principal{Kind: loci.KindAgent, OrgID: c.mara.OrgID, UserID: c.mara.UserID, TeamID: c.mara.TeamID,
		Vendor: "claude", Origin: "claude"}
	add := func(p loci.Principal) loci.MemoryID {
		saved, err := c.Memory.Create(ctx, p, memory.Draft{Title: "t", Content: "c"})
		c.must(err)
		return saved.ID
	}
	own := add(claude)
	cursor := claude
	cursor.Vendor, cursor.Origin = "cursor", "cursor"
	for _, id := range []loci.MemoryID{add(cursor), add(c.mara)} {
		_, err := c.Memory.Share(ctx, claude, id)
		wantCode(t, err, loci.Forbidden)
		_, err = c.Memory.Share(ctx, c.mara, id)
		c.must(err)
		_, err = c.Memory.Unshare(ctx, claude, id)
		wantCode(t, err, loci.Forbidden)
	}
	shared, err := c.Memory.Share(ctx, claude, own)
	c.must(err)
	if shared.TeamID != c.mara.TeamID {
		t.Errorf("got %+v", shared.Access)
	}
}

func TestVendorRuleHoldsInThePool(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	m := c.add(c.mara, memory.Draft{Title: "for claude", Content: "c", AllowedVendors: []loci.Vendor{"claude"}})
	_, err := c.Memory.Share(t.Context(), c.mara, m.ID)
	c.must(err)
	claude, cursor := c.stage.key(c.tom, auth.KeyRequest{Vendor: "claude"}),
		c.stage.key(c.tom, auth.KeyRequest{Vendor: "cursor"})
	if got := c.pool(claude); got != "for claude" {
		t.Errorf("claude sees %q", got)
	}
	if got := c.pool(cursor); got != "" {
		t.Errorf("cursor sees %q", got)
	}
	_, err = c.Memory.Share(t.Context(), claude, m.ID) // another's
	wantCode(t, err, loci.Forbidden)
	same, err := c.Memory.Share(t.Context(), c.mara, m.ID)
	if err != nil || same.Version != 2 {
		t.Errorf("sharing twice: %+v, %v", same, err)
	}
	alone, err := c.Memory.Unshare(t.Context(), c.mara, m.ID)
	if err != nil || !alone.TeamID.IsZero() || alone.Version != 3 {
		t.Errorf("unsharing: %+v, %v", alone, err)
	}
	if again, err := c.Memory.Unshare(t.Context(), c.mara, m.ID); err != nil || again.Version != 3 {
		t.Errorf("unsharing twice: %+v, %v", again, err)
	}
}

func TestATeamKeepsAnOwner(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	wantCode(t, c.Org.LeaveTeam(ctx, c.mara, c.team), loci.Conflict)
	_, err := c.Org.SetTeamRole(ctx, c.mara, c.team, c.mara.UserID, loci.Member)
	wantCode(t, err, loci.Conflict)
	wantCode(t, c.Org.DeleteTeam(ctx, c.mara, c.team, false), loci.Conflict)
	_, err = c.Org.SetTeamRole(ctx, c.tom, c.team, c.tom.UserID, loci.MemberOwner)
	wantCode(t, err, loci.Forbidden)
	_, err = c.Org.SetMember(ctx, c.owner, c.mara.UserID, org.MemberChange{Disabled: new(true)})
	c.must(err)
	view, err := c.Org.Team(ctx, c.again(c.tom), c.team)
	c.must(err)
	if len(view.Members) != 1 || view.Members[0].TeamRole != loci.MemberOwner {
		t.Errorf("the heir is missing: %+v", view.Members)
	}
	c.must(c.Org.LeaveTeam(ctx, c.tom, c.team))
	_, err = c.Org.Team(ctx, c.owner, c.team)
	wantCode(t, err, loci.NotFound)
}

func TestInvitationsEndWithTheRoleInTheTeam(t *testing.T) {
	ways := map[string]func(*company) error{
		"leaves":  func(c *company) error { return c.Org.LeaveTeam(t.Context(), c.tom, c.team) },
		"removed": func(c *company) error { return c.Org.RemoveFromTeam(t.Context(), c.mara, c.team, c.tom.UserID) },
		"demoted": func(c *company) error {
			return second(c.Org.SetTeamRole(t.Context(), c.mara, c.team, c.tom.UserID, loci.Member))
		},
	}
	for name, lose := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCompany(t)
			ctx := t.Context()
			_, err := c.Org.SetTeamRole(ctx, c.mara, c.team, c.tom.UserID, loci.MemberAdmin)
			c.must(err)
			made, err := c.Org.InviteToTeam(ctx, c.tom, c.team, []string{"late@acme.example"}, loci.Member)
			c.must(err)
			kept, err := c.Org.InviteToTeam(ctx, c.mara, c.team, []string{"kept@acme.example"}, loci.Member)
			c.must(err)
			c.must(lose(c))
			wantCode(t, c.Org.RevokeInvite(ctx, c.owner, made[0].Invite.ID), loci.NotFound)
			c.must(c.Org.RevokeInvite(ctx, c.owner, kept[0].Invite.ID))
		})
	}
}

func TestWhoHoldsTheOrgStaysItsOwner(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	_, err := c.Org.SetMember(ctx, c.owner, c.tom.UserID, org.MemberChange{Role: new(loci.MemberOwner)})
	c.must(err)
	_, err = c.Org.SetMember(ctx, c.again(c.tom), c.owner.UserID, org.MemberChange{Role: new(loci.Member)})
	wantCode(t, err, loci.Conflict)
}

// Whoever shut a person out may have been killed before the keys were revoked.
func TestNobodyComesBackWithAnOldKey(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	_, key, err := c.Identity.CreateKey(ctx, c.tom, auth.KeyRequest{Name: "old"})
	c.must(err)
	c.must(c.st.Update(ctx, "acme", func(tx store.Tx) error {
		u, err := tx.Users().Get(ctx, c.tom.UserID)
		c.must(err)
		u.Disabled = true
		return tx.Users().Update(ctx, u)
	}))
	_, err = c.Org.SetMember(ctx, c.owner, c.tom.UserID, org.MemberChange{Disabled: new(false)})
	c.must(err)
	_, err = c.who.Authenticate(ctx, auth.Request{Bearer: key})
	wantCode(t, err, loci.Unauthenticated)
}

func TestNobodyGivesMoreThanTheyHave(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	_, err := c.Org.SetMember(ctx, c.owner, c.tom.UserID, org.MemberChange{Role: new(loci.MemberAdmin)})
	c.must(err)
	tom := c.again(c.tom)
	made, err := c.Org.InviteToOrg(ctx, tom, []string{"late@acme.example"}, loci.MemberAdmin)
	c.must(err)
	for _, role := range []loci.MemberRole{loci.Member, loci.MemberAdmin} {
		_, err = c.Org.SetMember(ctx, c.owner, c.tom.UserID, org.MemberChange{Role: new(role)})
		c.must(err)
	}
	wantCode(t, c.Org.RevokeInvite(ctx, c.owner, made[0].Invite.ID), loci.NotFound) // ended with the role
	_, err = c.Org.SetMember(ctx, tom, c.mara.UserID, org.MemberChange{Role: new(loci.MemberOwner)})
	wantCode(t, err, loci.Forbidden)
	_, err = c.Org.SetMember(ctx, tom, c.owner.UserID, org.MemberChange{Role: new(loci.Member)})
	wantCode(t, err, loci.Forbidden)
	_, err = c.Org.InviteToOrg(ctx, tom, []string{"a@b.example"}, loci.MemberOwner)
	wantCode(t, err, loci.Forbidden)
	wantCode(t, c.Identity.DeleteUser(ctx, tom, c.owner.UserID), loci.Forbidden)
	for _, change := range []org.MemberChange{{Role: new(loci.Member)}, {Disabled: new(true)}} {
		_, err = c.Org.SetMember(ctx, c.owner, c.owner.UserID, change) // the last owner
		wantCode(t, err, loci.Conflict)
	}
	wantCode(t, c.Identity.DeleteAccount(ctx, c.owner, c.owner.UserID.String()), loci.Conflict)
	_, err = c.Org.SetMember(ctx, tom, c.tom.UserID, org.MemberChange{Transfer: true})
	wantCode(t, err, loci.Forbidden)
	_, err = c.Org.SetMember(ctx, c.owner, c.tom.UserID, org.MemberChange{Transfer: true})
	c.must(err)
	c.must(c.Identity.DeleteAccount(ctx, c.owner, "boss@acme.example"))
	org, err := c.Org.Get(ctx, c.again(c.tom))
	if err != nil || org.OwnerID != c.tom.UserID {
		t.Errorf("got %+v, %v", org, err)
	}
}

func TestInvitationsAreBoundToTheAddress(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	_, unknown := c.Org.AcceptInvite(ctx, c.owner, "loci_invite_nothing")
	wantCode(t, unknown, loci.NotFound)
	_, err := c.Org.AcceptInvite(ctx, c.owner, c.invite.Token)
	if err == nil || err.Error() != unknown.Error() {
		t.Errorf("another's invitation: %v", err)
	}
	c.must(c.Org.RevokeInvite(ctx, c.mara, c.invite.Invite.ID))
	_, err = c.Org.AcceptInvite(ctx, c.ines, c.invite.Token)
	wantCode(t, err, loci.NotFound)
	made, err := c.Org.InviteToTeam(ctx, c.mara, c.team, []string{"INESmail@acme.example "}, loci.Member)
	c.must(err)
	c.st.mu.Lock()
	c.now = c.now.Add(loci.InviteLife)
	c.st.mu.Unlock()
	_, err = c.Org.AcceptInvite(ctx, c.ines, made[0].Token)
	wantCode(t, err, loci.NotFound)
	mara := c.again(c.mara)
	made, err = c.Org.InviteToTeam(ctx, mara, c.team, []string{"inesmail@acme.example"}, loci.Member)
	c.must(err)
	own, err := c.Org.CreateTeam(ctx, c.ines, "own")
	c.must(err)
	_, err = c.Org.AcceptInvite(ctx, c.ines, made[0].Token)
	wantCode(t, err, loci.Conflict)
	c.must(c.Org.LeaveTeam(ctx, c.ines, own.ID))
	joined, err := c.Org.AcceptInvite(ctx, c.ines, made[0].Token)
	if err != nil || joined.Team == nil || joined.Team.ID != c.team || len(joined.Team.Members) != 3 {
		t.Errorf("got %+v, %v", joined, err)
	}
	_, stranger := c.org("other", "stranger@b.example")
	made, err = c.Org.InviteToTeam(ctx, mara, c.team, []string{"stranger@b.example"}, loci.Member)
	c.must(err)
	_, err = c.Org.AcceptInvite(ctx, c.session(stranger), made[0].Token)
	wantCode(t, err, loci.Conflict)
}

func TestWorkspacesHoldEverybodyAndEverything(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	_, err := c.Org.Set(ctx, c.owner, org.Settings{Workspaces: new(true)})
	c.must(err)
	nils := c.user(c.operator, "nils@acme.example", loci.Member)
	if _, err := c.Memory.Create(ctx, c.session(nils), memory.Draft{Title: "t", Content: "c"}); err != nil {
		t.Errorf("a new member: %v", err)
	}
	mara, tom := c.again(c.mara), c.again(c.tom)
	if _, err := c.Memory.Get(ctx, mara, c.memory.ID); err != nil {
		t.Errorf("a memory from before: %v", err)
	}
	wantCode(t, c.Identity.EnterWorkspace(ctx, mara, loci.CredentialID{}, c.space), loci.NotFound) // of others
	c.must(c.Identity.EnterWorkspace(ctx, tom, loci.CredentialID{}, c.space))
	key := c.stage.key(tom, auth.KeyRequest{WorkspaceID: c.space})
	m := c.add(key, memory.Draft{Title: "in second", Content: "c"})
	_, err = c.Memory.Get(ctx, c.again(c.tom), m.ID) // a new session is in the first workspace
	wantCode(t, err, loci.NotFound)
	wantCode(t, c.Org.DeleteWorkspace(ctx, c.owner, c.space), loci.Conflict)
	_, _, err = c.Identity.CreateKey(ctx, mara, auth.KeyRequest{Name: "k", WorkspaceID: c.space})
	wantCode(t, err, loci.Invalid)
}

func TestKeysAreNoWiderThanTheirMaker(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	limited := c.mara
	limited.Rights = []loci.Right{loci.RightAccount, loci.RightRead}
	_, _, err := c.Identity.CreateKey(ctx, limited, auth.KeyRequest{Name: "k", Rights: []loci.Right{loci.RightWrite}})
	wantCode(t, err, loci.Invalid)
	made, _, err := c.Identity.CreateKey(ctx, limited, auth.KeyRequest{Name: "k", Vendor: "claude"})
	if err != nil || len(made.Rights) != 1 || made.Rights[0] != loci.RightRead {
		t.Errorf("got %v, %v", made.Rights, err)
	}
	_, _, err = c.Identity.RotateKey(ctx, limited, c.key.CredentialID, 0)
	wantCode(t, err, loci.Forbidden)
	_, _, err = c.Identity.CreateKey(ctx, c.mara, auth.KeyRequest{Name: "k", ProjectIDs: []loci.ProjectID{{1}}})
	wantCode(t, err, loci.Invalid)

	narrow := auth.KeyRequest{Name: "n", Vendor: "claude", Rights: []loci.Right{loci.RightRead},
		ExpiresAt: c.now.Add(48 * time.Hour)}
	old, _, err := c.Identity.CreateKey(ctx, c.mara, narrow)
	c.must(err)
	next, secret, err := c.Identity.RotateKey(ctx, c.mara, old.ID, time.Hour)
	c.must(err)
	p := c.with(secret)
	if p.Vendor != "claude" || len(p.Rights) != 1 || next.Replaces != old.ID || next.Name != "n" ||
		next.ExpiresAt.Sub(next.CreatedAt).Round(time.Minute) != 48*time.Hour {
		t.Errorf("got %+v", next)
	}
	_, _, err = c.Identity.RotateKey(ctx, c.mara, old.ID, time.Hour)
	wantCode(t, err, loci.Conflict)
	wantCode(t, c.Identity.RevokeKey(ctx, c.tom, next.ID), loci.NotFound)
	c.must(c.Identity.RevokeKey(ctx, c.operator, next.ID))
	_, err = c.who.Authenticate(ctx, auth.Request{Bearer: secret})
	wantCode(t, err, loci.Unauthenticated)
}

func TestAgentsTrashOnlyWhatTheirVendorWrote(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	claude := c.stage.key(c.mara, auth.KeyRequest{Vendor: "claude"})
	own := c.add(claude, memory.Draft{Title: "own", Content: "c"})
	_, err := c.Memory.Trash(ctx, claude, c.memory.ID, 0)
	wantCode(t, err, loci.Forbidden)
	_, err = c.Memory.TrashMany(ctx, claude, []loci.MemoryID{own.ID, c.memory.ID})
	wantCode(t, err, loci.Forbidden)
	if _, err := c.Memory.Get(ctx, claude, own.ID); err != nil {
		t.Errorf("all or nothing: %v", err)
	}
	_, err = c.Memory.TrashMany(ctx, claude, []loci.MemoryID{own.ID, loci.NewMemoryID()})
	wantCode(t, err, loci.NotFound)
	out, err := c.Memory.TrashMany(ctx, claude, []loci.MemoryID{own.ID})
	if err != nil || len(out) != 1 || out[0].Version != 2 {
		t.Errorf("got %+v, %v", out, err)
	}
	_, err = c.Org.Set(ctx, c.owner, org.Settings{Deletion: new(loci.DeleteWithStepUp)})
	c.must(err)
	claude.Deletion = loci.DeleteWithStepUp
	another := c.add(claude, memory.Draft{Title: "own", Content: "c"})
	elsewhere := claude // another credential of the same vendor
	elsewhere.CredentialID = loci.NewCredentialID()
	_, err = c.Memory.Trash(ctx, elsewhere, another.ID, 0)
	wantCode(t, err, loci.Forbidden)
	_, err = c.Memory.TrashMany(ctx, elsewhere, []loci.MemoryID{another.ID})
	wantCode(t, err, loci.Forbidden)
	_, err = c.Memory.Trash(ctx, claude, another.ID, 0) // it has just written it
	c.must(err)
}

func TestErasedIsGone(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	wantCode(t, c.Memory.Erase(ctx, c.mara, c.trashed.ID, 1), loci.Precondition)
	wantCode(t, c.Memory.Erase(ctx, c.tom, c.trashed.ID, 0), loci.NotFound)
	c.must(c.Memory.Erase(ctx, c.mara, c.trashed.ID, 2))
	_, _, err := c.Memory.Versions(ctx, c.mara, c.trashed.ID, 0, 0)
	wantCode(t, err, loci.NotFound)
	_, err = c.Memory.Restore(ctx, c.mara, c.trashed.ID, 0)
	wantCode(t, err, loci.NotFound)
}

func TestAnotherPasswordEndsOtherSessions(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	c.must(c.Identity.SetPassword(ctx, c.mara, "correct horse battery"))
	left, err := c.Identity.SignIns(ctx, c.mara)
	if err != nil || len(left) != 1 || left[0].ID != c.mara.CredentialID {
		t.Errorf("got %+v, %v; want the one that asked", left, err)
	}
}

func TestOrgsAndTheLastWayToSignIn(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	c.must(c.Identity.RemovePassword(ctx, c.mara))
	wantCode(t, c.Identity.RemovePasskey(ctx, c.mara, c.passkey), loci.Conflict)
	_, err := c.Org.Delete(ctx, c.owner, "acme")
	wantCode(t, err, loci.Conflict) // other people
	_, err = c.Org.Delete(ctx, c.owner, "other")
	wantCode(t, err, loci.Invalid)
	_, err = c.Org.Delete(ctx, c.local, string(loci.DefaultOrg))
	wantCode(t, err, loci.Conflict)
	r, err := c.Org.Delete(ctx, c.operator, "acme")
	if err != nil || r.Users != 5 || r.Memories != 2 {
		t.Errorf("receipt %+v, %v", r, err)
	}
	_, _, err = c.Org.Create(ctx, c.local, org.Draft{Name: "default"})
	wantCode(t, err, loci.Conflict)
	m, err := c.Identity.AdminMetrics(ctx, c.local)
	if err != nil || m.Orgs != 1 || m.Users != 1 {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestAdminPagesThroughEverybody(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	_, err := c.Identity.SetUserRole(ctx, c.operator, c.ines.UserID, loci.RoleAdmin)
	c.must(err)
	admin := c.again(c.ines)
	seen, after := map[loci.UserID]bool{}, ""
	for range 10 {
		page, next, err := c.Identity.AdminUsers(ctx, admin, identity.AdminUsersQuery{After: after, Limit: 2})
		c.must(err)
		for _, u := range page {
			seen[u.ID] = true
		}
		if after = next; after == "" {
			break
		}
	}
	if len(seen) != 6 {
		t.Errorf("saw %d people, want 6", len(seen))
	}
	_, _, err = c.Identity.AdminUsers(ctx, admin, identity.AdminUsersQuery{After: "acme/nobody"})
	wantCode(t, err, loci.Invalid)
	_, err = c.Memory.Get(ctx, admin, c.memory.ID)
	wantCode(t, err, loci.NotFound)
	_, _, err = c.Identity.AdminUsers(ctx, c.owner, identity.AdminUsersQuery{})
	wantCode(t, err, loci.Forbidden)
}

func TestPreviewCountsWhatAVendorSees(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.add(c.mara, memory.Draft{Title: "t", Content: "c", AllowedVendors: []loci.Vendor{"claude"}})
	got, err := c.Identity.Preview(t.Context(), c.mara, []loci.Vendor{"claude", "cursor"})
	c.must(err)
	if got[0].Sees != 2 || got[1].Sees != 1 || got[1].Total != 2 {
		t.Errorf("got %+v", got)
	}
	_, err = c.Identity.Preview(t.Context(), c.mara, []loci.Vendor{"api"})
	wantCode(t, err, loci.Invalid)
	_, err = c.Identity.Preview(t.Context(), c.key, nil)
	wantCode(t, err, loci.Forbidden)
}
