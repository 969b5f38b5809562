package app_test

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store"
)

// TestOnlyDisablingEndsCredentials requires that a change of a member leaves their keys, and that disabling revokes
// them at once.
func TestOnlyDisablingEndsCredentials(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	c.newKey(c.tom)
	usable := func() int {
		list, err := c.st.Credentials().List(ctx, store.CredentialQuery{OrgID: "acme", UserID: c.tom.UserID,
			Usable: c.clock()})
		c.must(err)
		return len(list)
	}
	before := usable()
	for _, tt := range []struct {
		name   string
		change org.MemberChange
		ends   bool
	}{
		{"a role", org.MemberChange{Role: new(loci.MemberAdmin)}, false},
		{"enabling an account that is enabled", org.MemberChange{Disabled: new(false)}, false},
		{"disabling", org.MemberChange{Disabled: new(true)}, true},
	} {
		c.st.entries = nil
		c.must(second(c.Org.SetMember(ctx, c.owner, c.tom.UserID, tt.change)))
		if got := usable(); got == 0 != tt.ends || !tt.ends && got != before {
			t.Errorf("after %s: %d usable credentials, before %d", tt.name, got, before)
		}
	}
	if e := c.st.entries; len(e) != 1 || e[0].Action != string(org.MemberRemove) {
		t.Errorf("disabling is recorded as %+v", e)
	}
	c.st.entries = nil
	c.must(second(c.Org.SetMember(ctx, c.owner, c.tom.UserID, org.MemberChange{Disabled: new(false)})))
	if e := c.st.entries; len(e) != 1 || e[0].Action != string(org.MemberEnable) {
		t.Errorf("enabling is recorded as %+v", e)
	}
}

// TestTheLastOwner requires the reason of a rejection, and that a disabled owner does not count and can lose the
// role.
func TestTheLastOwner(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	role := func(who loci.UserID, role loci.MemberRole) error {
		return second(c.Org.SetMember(ctx, c.owner, who, org.MemberChange{Role: &role}))
	}
	wantCode(t, role(c.tom.UserID, "king"), loci.Invalid)
	c.must(role(c.owner.UserID, loci.MemberOwner)) // as before
	refused(t, "the last owner", role(c.owner.UserID, loci.Member), loci.Conflict,
		"cannot remove the last owner of the org")
	c.must(role(c.mara.UserID, loci.MemberOwner))
	refused(t, "the holder", role(c.owner.UserID, loci.Member), loci.Conflict, "this person holds the org")
	out := org.MemberChange{Disabled: new(true)}
	c.must(second(c.Org.SetMember(ctx, c.owner, c.mara.UserID, out)))
	refused(t, "beside a disabled one", role(c.owner.UserID, loci.Member), loci.Conflict, "cannot remove the last owner")
	c.must(second(c.Org.SetMember(ctx, c.owner, c.mara.UserID, out)))
	c.must(role(c.mara.UserID, loci.Member))
}

// TestJoiningAndLeavingATeam requires that an invitation to the org leads into no team, that those who stay keep
// what they have when others leave, and that members can leave a team without an owner.
func TestJoiningAndLeavingATeam(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	made, err := c.Org.InviteToOrg(ctx, c.owner, []string{"inesmail@acme.example"}, loci.Member)
	c.must(err)
	if joined, err := c.Org.AcceptInvite(ctx, c.ines, made[0].Token); err != nil || joined.Team != nil {
		t.Errorf("got %+v, %v", joined, err)
	}
	_, err = c.Org.AcceptInvite(ctx, c.ines, made[0].Token)
	refused(t, "a used invitation", err, loci.NotFound, "was used or revoked")
	c.must(second(c.Org.AcceptInvite(ctx, c.ines, c.invite.Token)))
	feed, err := c.Memory.Changes(ctx, c.owner, "", string(loci.FeedMember))
	c.must(err)
	c.must(c.Org.LeaveTeam(ctx, c.ines, c.team))
	page, err := feed.Read(ctx, c.owner)
	c.must(err)
	for _, e := range page.Events {
		if e.ID != c.ines.UserID.String() {
			t.Errorf("leaving changed %+v", e)
		}
	}
	c.must(c.st.Update(ctx, "acme", func(tx store.Tx) error {
		mara, err := tx.Users().Get(ctx, c.mara.UserID)
		c.must(err)
		mara.TeamRole = loci.Member
		return tx.Users().Update(ctx, mara)
	}))
	c.must(c.Org.LeaveTeam(ctx, c.tom, c.team))
}

// TestSettingsMakeNoWorkspace requires that only turning on workspaces makes the first one, which stays as long as
// they are on.
func TestSettingsMakeNoWorkspace(t *testing.T) {
	t.Parallel()
	s := newStage(t, loci.DeleteWithKey)
	ctx := t.Context()
	operator, _ := s.org("acme", "boss@acme.example")
	for n, change := range []org.Settings{{Deletion: new(loci.DeleteWithStepUp)}, {Workspaces: new(true)},
		{Deletion: new(loci.DeleteWithKey)}} {
		s.must(second(s.Org.Set(ctx, operator, change)))
		list, err := s.Org.Workspaces(ctx, operator)
		if want := min(n, 1); err != nil || len(list) != want {
			t.Errorf("after %+v: got %+v, %v; want %d", change, list, err, want)
		}
	}
	list, err := s.Org.Workspaces(ctx, operator)
	s.must(err)
	refused(t, "deleting it", s.Org.DeleteWorkspace(ctx, operator, list[0].ID), loci.Conflict, "the last workspace")
	s.must(second(s.Org.Set(ctx, operator, org.Settings{Workspaces: new(false)})))
	s.must(s.Org.DeleteWorkspace(ctx, operator, list[0].ID))
}

// TestLeavingAProjectKeepsTheirsPrivate requires that people still change and withdraw what they wrote in a project
// that they left, and put nothing into it.
func TestLeavingAProjectKeepsTheirsPrivate(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	in := c.add(c.tom, memory.Draft{Title: "in", Content: "i", Scope: loci.ScopeProject, ProjectID: c.project})
	about := c.add(c.tom, memory.Draft{Title: "about", Content: "a", ProjectID: c.project})
	c.must(second(c.Project.Change(ctx, c.mara, c.project, project.Patch{Everyone: new(false)})))
	c.must(c.Project.RemoveMember(ctx, c.mara, c.project, c.tom.UserID))
	tom := c.again(c.tom)
	into := memory.Patch{Scope: loci.Set(loci.ScopeProject), ProjectID: loci.Set(c.project)}
	for _, tt := range []struct {
		name  string
		id    loci.MemoryID
		to    memory.Patch
		field string
	}{
		{"another title", in.ID, memory.Patch{Title: loci.Set("t")}, ""},
		{"the same scope", in.ID, memory.Patch{Scope: loci.Set(loci.ScopeProject)}, ""},
		{"out of the project", in.ID, memory.Patch{Scope: loci.Set(loci.ScopeGlobal), ProjectID: loci.Set(c.project)}, ""},
		{"back into it", in.ID, into, "project_id"},
		{"into it", about.ID, into, "project_id"},
	} {
		if err := second(c.Memory.Patch(ctx, tom, tt.id, 0, tt.to)); (err != nil) != (tt.field != "") ||
			loci.FieldOf(err) != tt.field {
			t.Errorf("%s: got %v, want an error about %q", tt.name, err, tt.field)
		}
	}
	for _, id := range []loci.MemoryID{in.ID, about.ID} {
		if m, err := c.Memory.Get(ctx, tom, id); err != nil || m.Scope != loci.ScopeGlobal || m.ProjectID != c.project {
			t.Errorf("got %+v, %v", m, err)
		}
	}
}

// TestAWorkspaceOfAnOrgWithoutThemIsLeft requires that people leave also their last one then.
func TestAWorkspaceOfAnOrgWithoutThemIsLeft(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	list, err := c.Org.Workspaces(t.Context(), c.owner)
	c.must(err)
	for _, w := range list {
		c.must(c.Org.LeaveWorkspace(t.Context(), c.owner, w.ID, c.tom.UserID))
	}
	c.must(c.st.View(t.Context(), "acme", func(tx store.Tx) error {
		of, err := tx.Workspaces().Of(t.Context(), c.tom.UserID)
		if len(list) < 2 || len(of) != 0 {
			t.Errorf("left %v, still in %v", list, of)
		}
		return err
	}))
}
