package loci_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

// TestSees spells out the rule by hand; storetest holds the engines to it with
// random rows.
func TestSees(t *testing.T) {
	now := time.UnixMicro(1_000_000)
	me, you := loci.NewUserID(), loci.NewUserID()
	var teamID loci.TeamID
	copy(teamID[:], "team-of-the-test")
	var project, elsewhere loci.ProjectID
	copy(project[:], "project-one-0000")
	copy(elsewhere[:], "project-two-0000")
	var robot loci.AgentID
	copy(robot[:], "agent-0000000000")
	var space loci.WorkspaceID
	copy(space[:], "workspace-000000")
	row := func(change func(*loci.Access)) loci.Access {
		a := loci.Access{OrgID: "o", UserID: me, Scope: loci.ScopeGlobal, AllowedVendors: []loci.Vendor{"*"}}
		change(&a)
		return a
	}
	person := loci.Viewer{OrgID: "o", UserID: me}
	claude := loci.Viewer{OrgID: "o", UserID: me, Vendor: "claude"}
	with := func(v loci.Viewer, change func(*loci.Viewer)) loci.Viewer { change(&v); return v }
	tests := []struct {
		name string
		v    loci.Viewer
		a    loci.Access
		life loci.Lifecycle
		want bool
	}{
		{"mine", person, row(func(*loci.Access) {}), loci.LiveOnly, true},
		{"nobody", loci.Viewer{}, row(func(*loci.Access) {}), loci.LiveOnly, false},
		{"nobody and no org", loci.Viewer{UserID: me}, row(func(a *loci.Access) { a.OrgID = "" }), loci.LiveOnly, false},
		{"another org", person, row(func(a *loci.Access) { a.OrgID = "p" }), loci.AnyState, false},
		{"another person's", person, row(func(a *loci.Access) { a.UserID = you }), loci.AnyState, false},
		{"in my team's pool", with(person, func(v *loci.Viewer) { v.TeamID = teamID }),
			row(func(a *loci.Access) { a.UserID, a.TeamID = you, teamID }), loci.LiveOnly, true},
		{"in a pool, and I have no team", person, row(func(a *loci.Access) { a.UserID, a.TeamID = you, teamID }),
			loci.LiveOnly, false},
		{"in my project", with(person, func(v *loci.Viewer) { v.ProjectIDs = []loci.ProjectID{project} }),
			row(func(a *loci.Access) { a.UserID, a.Scope, a.ProjectID = you, loci.ScopeProject, project }), loci.LiveOnly, true},
		{"about my project, but not of its scope",
			with(person, func(v *loci.Viewer) { v.ProjectIDs = []loci.ProjectID{project} }),
			row(func(a *loci.Access) { a.UserID, a.ProjectID = you, project }), loci.LiveOnly, false},
		{"in another project", with(person, func(v *loci.Viewer) { v.ProjectIDs = []loci.ProjectID{elsewhere} }),
			row(func(a *loci.Access) { a.UserID, a.Scope, a.ProjectID = you, loci.ScopeProject, project }), loci.LiveOnly,
			false},
		{"agent scope, its agent", with(claude, func(v *loci.Viewer) { v.AgentID = robot }),
			row(func(a *loci.Access) { a.Scope, a.AgentID = loci.ScopeAgent, robot }), loci.LiveOnly, true},
		{"agent scope, its owner", person, row(func(a *loci.Access) { a.Scope, a.AgentID = loci.ScopeAgent, robot }),
			loci.LiveOnly, true},
		{"agent scope, its owner's trash", person,
			row(func(a *loci.Access) { a.Scope, a.AgentID, a.DeletedAt = loci.ScopeAgent, robot, now }), loci.TrashOnly, true},
		{"agent scope, its owner by a key for projects", with(person, func(v *loci.Viewer) { v.OnlyProjects = true }),
			row(func(a *loci.Access) { a.Scope, a.AgentID = loci.ScopeAgent, robot }), loci.AnyState, false},
		{"agent scope, another of the team", with(person, func(v *loci.Viewer) { v.TeamID = teamID }),
			row(func(a *loci.Access) { a.UserID, a.TeamID, a.Scope, a.AgentID = you, teamID, loci.ScopeAgent, robot }),
			loci.AnyState, false},
		{"agent scope, no agent", claude, row(func(a *loci.Access) { a.Scope, a.AgentID = loci.ScopeAgent, robot }),
			loci.LiveOnly, false},
		{"agent scope without an agent", claude, row(func(a *loci.Access) { a.Scope = loci.ScopeAgent }), loci.LiveOnly,
			false},
		{"active workspace", with(person, func(v *loci.Viewer) { v.WorkspaceID = space }),
			row(func(a *loci.Access) { a.WorkspaceID = space }), loci.LiveOnly, true},
		{"not in the active workspace", with(person, func(v *loci.Viewer) { v.WorkspaceID = space }),
			row(func(*loci.Access) {}), loci.LiveOnly, false},
		{"vendor listed", claude, row(func(a *loci.Access) { a.AllowedVendors = []loci.Vendor{"cursor", "claude"} }),
			loci.LiveOnly, true},
		{"vendor not listed", claude, row(func(a *loci.Access) { a.AllowedVendors = []loci.Vendor{"cursor"} }), loci.AnyState,
			false},
		{"vendor, empty list", claude, row(func(a *loci.Access) { a.AllowedVendors = nil }), loci.AnyState, false},
		{"a person is not limited by vendor", person,
			row(func(a *loci.Access) { a.AllowedVendors = []loci.Vendor{"cursor"} }), loci.LiveOnly, true},
		{"a prefix of a vendor is another vendor", claude,
			row(func(a *loci.Access) { a.AllowedVendors = []loci.Vendor{"claude-code"} }), loci.LiveOnly, false},
		{"trashed", person, row(func(a *loci.Access) { a.DeletedAt = now }), loci.LiveOnly, false},
		{"trashed, in the trash", person, row(func(a *loci.Access) { a.DeletedAt = now }), loci.TrashOnly, true},
		{"live, in the trash", person, row(func(*loci.Access) {}), loci.TrashOnly, false},
		{"expires now", person, row(func(a *loci.Access) { a.ExpiresAt = now }), loci.LiveOnly, false},
		{"expires later", person, row(func(a *loci.Access) { a.ExpiresAt = now.Add(1) }), loci.LiveOnly, true},
		{"expired, one id", person, row(func(a *loci.Access) { a.ExpiresAt = now }), loci.LiveOrTrash, true},
		{"expired, in that list", person, row(func(a *loci.Access) { a.ExpiresAt = now }), loci.ExpiredOnly, true},
		{"expired, in that list of another", with(person, func(v *loci.Viewer) { v.TeamID = teamID }),
			row(func(a *loci.Access) { a.UserID, a.TeamID, a.ExpiresAt = you, teamID, now }), loci.ExpiredOnly, false},
		{"expired, in that list of an agent", claude, row(func(a *loci.Access) { a.ExpiresAt = now }), loci.ExpiredOnly,
			false},
		{"superseded", person, row(func(a *loci.Access) { a.SupersededBy = loci.NewMemoryID() }), loci.LiveOnly, false},
		{"superseded, history", person, row(func(a *loci.Access) { a.SupersededBy = loci.NewMemoryID() }), loci.AnyState,
			true},
		{"unknown lifecycle", person, row(func(*loci.Access) {}), loci.Lifecycle(99), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.v.Sees(&tt.a, tt.life, now); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	open, closed := row(func(*loci.Access) {}), row(func(a *loci.Access) { a.AllowedVendors = []loci.Vendor{"cursor"} })
	if claude.SeesVersion(&closed, &open, loci.LiveOnly, now) || claude.SeesVersion(&open, &closed, loci.LiveOnly, now) ||
		!claude.SeesVersion(&open, &open, loci.LiveOnly, now) {
		t.Error("an old version needs its own list and the current one")
	}
}

// TestLifecyclesDiffer requires of each lifecycle that no other selects the same memories.
func TestLifecyclesDiffer(t *testing.T) {
	now := time.UnixMicro(1_000_000)
	v := loci.Viewer{OrgID: "o", UserID: loci.NewUserID()}
	states := []func(*loci.Memory){
		func(*loci.Memory) {},
		func(m *loci.Memory) { m.DeletedAt = now },
		func(m *loci.Memory) { m.ExpiresAt = now },
		func(m *loci.Memory) { m.SupersededBy = loci.NewMemoryID() },
		func(m *loci.Memory) { m.ValidTo = now },
	}
	seen := map[string]loci.Lifecycle{"": -1}
	for _, l := range loci.Lifecycles() {
		selected := ""
		for i, change := range states {
			m := loci.Memory{Access: loci.Access{OrgID: v.OrgID, UserID: v.UserID, Scope: loci.ScopeGlobal}}
			if change(&m); v.SeesMemory(&m, l, now) {
				selected += strconv.Itoa(i) + " "
			}
		}
		if other, ok := seen[selected]; ok {
			t.Errorf("lifecycle %d selects the states %q, like %d", l, selected, other)
		}
		seen[selected] = l
	}
}

func TestListsOfVendors(t *testing.T) {
	list := func(vendors ...loci.Vendor) []loci.Vendor { return vendors }
	for _, tt := range []struct {
		all, some []loci.Vendor
		covers    bool
		narrowed  []loci.Vendor
	}{
		{list("*"), list("*"), true, list("*")},
		{list("*"), list("claude"), true, list("claude")},
		{list("claude"), list("*"), false, list("claude")},
		{list("claude", "cursor"), list("cursor"), true, list("cursor")},
		{list("cursor"), list("claude", "cursor"), false, list("cursor")},
		{list("claude"), list("cursor"), false, list()},
		{list("claude"), list(), true, list()},
		{list(), list("claude"), false, list()},
	} {
		if got := loci.Covers(tt.all, tt.some); got != tt.covers {
			t.Errorf("Covers(%q, %q) = %v, want %v", tt.all, tt.some, got, tt.covers)
		}
		if got := loci.Narrowed(tt.all, tt.some); !slices.Equal(got, tt.narrowed) {
			t.Errorf("Narrowed(%q, %q) = %q, want %q", tt.all, tt.some, got, tt.narrowed)
		}
	}
}

// TestSharedWith holds what a person is told about other readers to the rule itself.
func TestSharedWith(t *testing.T) {
	now := time.UnixMicro(1_000_000)
	me, you := loci.NewUserID(), loci.NewUserID()
	var teamID loci.TeamID
	copy(teamID[:], "team-of-the-test")
	var project loci.ProjectID
	copy(project[:], "project-one-0000")
	mate := loci.Viewer{OrgID: "o", UserID: you, TeamID: teamID}
	colleague := loci.Viewer{OrgID: "o", UserID: you, ProjectIDs: []loci.ProjectID{project}}
	for _, scope := range []loci.Scope{loci.ScopeGlobal, loci.ScopeProject, loci.ScopeAgent} {
		for i := range 8 {
			a := loci.Access{OrgID: "o", UserID: me, Scope: scope, AllowedVendors: []loci.Vendor{"claude"}}
			if i&1 != 0 {
				a.TeamID = teamID
			}
			if i&2 != 0 {
				a.ProjectID = project
			}
			if i&4 != 0 {
				a.DeletedAt = now
			}
			told := a.SharedWith("the project")
			if got, want := strings.Contains(told, "the team"), mate.Sees(&a, loci.LiveOrTrash, now); got != want {
				t.Errorf("%+v: told %q, but a member of the team sees it: %v", a, told, want)
			}
			if got, want := strings.Contains(told, "the project"), colleague.Sees(&a, loci.LiveOrTrash, now); got != want {
				t.Errorf("%+v: told %q, but a member of the project sees it: %v", a, told, want)
			}
		}
	}
}
