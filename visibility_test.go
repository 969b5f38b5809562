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
		{"in my project, by a key for projects",
			with(person, func(v *loci.Viewer) { v.OnlyProjects, v.ProjectIDs = true, []loci.ProjectID{project} }),
			row(func(a *loci.Access) { a.Scope, a.ProjectID = loci.ScopeProject, project }), loci.LiveOnly, true},
		{"expired, one id of another", with(person, func(v *loci.Viewer) { v.TeamID = teamID }),
			row(func(a *loci.Access) { a.UserID, a.TeamID, a.ExpiresAt = you, teamID, now }), loci.LiveOrTrash, false},
		{"trashed and expired, one id", claude, row(func(a *loci.Access) { a.DeletedAt, a.ExpiresAt = now, now }),
			loci.LiveOrTrash, true},
		{"trashed and superseded, one id", person,
			row(func(a *loci.Access) { a.DeletedAt, a.SupersededBy = now, loci.NewMemoryID() }), loci.LiveOrTrash, true},
		{"expired and superseded, in that list", person,
			row(func(a *loci.Access) { a.ExpiresAt, a.SupersededBy = now, loci.NewMemoryID() }), loci.ExpiredOnly, false},
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

// TestZeroIDsAdmitNothing requires that two zero ids are never the same org, person or project.
func TestZeroIDsAdmitNothing(t *testing.T) {
	me := loci.NewUserID()
	for name, v := range map[string]loci.Viewer{
		"no org":    {UserID: me, ProjectIDs: []loci.ProjectID{{1}}},
		"no person": {OrgID: "o", ProjectIDs: []loci.ProjectID{{1}}},
	} {
		row := loci.Access{OrgID: v.OrgID, UserID: v.UserID, Scope: loci.ScopeGlobal, AllowedVendors: []loci.Vendor{"*"}}
		work := loci.EventAccess{OrgID: v.OrgID, UserID: v.UserID, Reach: loci.ReachOrg, AllowedVendors: []loci.Vendor{"*"}}
		for what, sees := range map[string]bool{
			"a row":             v.Sees(&row, loci.AnyState, time.Time{}),
			"an event":          v.SeesEvent(&work),
			"an agent":          v.SeesAgent(&loci.Agent{OrgID: v.OrgID}),
			"a project":         v.InProject(&loci.Project{OrgID: v.OrgID, ID: loci.ProjectID{1}}),
			"a golden question": v.SeesGolden(v.OrgID, v.UserID, loci.WorkspaceID{}),
		} {
			if sees {
				t.Errorf("a viewer with %s sees %s", name, what)
			}
		}
	}
	limited := loci.Viewer{OrgID: "o", UserID: me, OnlyProjects: true, ProjectIDs: []loci.ProjectID{{}}}
	row := loci.Access{OrgID: "o", UserID: me, Scope: loci.ScopeProject, AllowedVendors: []loci.Vendor{"*"}}
	work := loci.EventAccess{OrgID: "o", UserID: me, Reach: loci.ReachOrg, AllowedVendors: []loci.Vendor{"*"}}
	if limited.Sees(&row, loci.AnyState, time.Time{}) || limited.SeesEvent(&work) ||
		limited.InProject(&loci.Project{OrgID: "o"}) {
		t.Error("no project is one of the viewer's projects")
	}
}

// TestSeesGraph requires that the state of a row counts in a graph as well.
func TestSeesGraph(t *testing.T) {
	project := loci.Project{ID: loci.NewProjectID(), OrgID: "o"}
	v := loci.Viewer{OrgID: "o", UserID: loci.NewUserID(), ProjectIDs: []loci.ProjectID{project.ID}}
	live := loci.GraphAccess{AllowedVendors: []loci.Vendor{"*"}}
	gone := live
	gone.DeletedAt = time.UnixMicro(1)
	for l, want := range map[loci.Lifecycle][2]bool{loci.LiveOnly: {true, false}, loci.TrashOnly: {false, true},
		loci.LiveOrTrash: {true, true}, loci.AnyState: {true, true}} {
		if got := [2]bool{v.SeesGraph(&project, &live, l), v.SeesGraph(&project, &gone, l)}; got != want {
			t.Errorf("lifecycle %d: sees a live and a deleted row %v, want %v", l, got, want)
		}
	}
}

// TestSeesVersion requires the workspace of the old version, if it had one.
func TestSeesVersion(t *testing.T) {
	me, space, other := loci.NewUserID(), loci.NewWorkspaceID(), loci.NewWorkspaceID()
	in := func(w loci.WorkspaceID) *loci.Access {
		return &loci.Access{OrgID: "o", UserID: me, Scope: loci.ScopeGlobal, WorkspaceID: w}
	}
	for _, tt := range []struct {
		name              string
		active, then, now loci.WorkspaceID
		want              bool
	}{
		{"in the active one, always", space, space, space, true},
		{"in the active one, and in another one before", space, other, space, false},
		{"in the active one, and from before there were any", space, loci.WorkspaceID{}, space, true},
		{"in another one now", space, space, other, false},
		{"from a workspace, while they are off", loci.WorkspaceID{}, other, other, true},
	} {
		v := loci.Viewer{OrgID: "o", UserID: me, WorkspaceID: tt.active}
		if got := v.SeesVersion(in(tt.then), in(tt.now), loci.LiveOnly, time.Time{}); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
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

// TestNotSharedBy says which people lose a memory that another one replaces.
func TestNotSharedBy(t *testing.T) {
	team, project := loci.NewTeamID(), loci.NewProjectID()
	pool := loci.Access{Scope: loci.ScopeGlobal, TeamID: team}
	inProject := loci.Access{Scope: loci.ScopeProject, ProjectID: project}
	for _, tt := range []struct {
		name    string
		old, by loci.Access
		want    string
	}{
		{"private, by one in a pool", loci.Access{Scope: loci.ScopeGlobal}, pool, ""},
		{"in a pool, by one in it", pool, pool, ""},
		{"in a pool, by a private one", pool, loci.Access{Scope: loci.ScopeGlobal}, "the team"},
		{"in a pool, by one of another team", pool, loci.Access{Scope: loci.ScopeGlobal, TeamID: loci.NewTeamID()},
			"the team"},
		{"in a pool, by one of an agent", pool, loci.Access{Scope: loci.ScopeAgent, TeamID: team}, "the team"},
		{"in a project, by one in it", inProject, inProject, ""},
		{"in a project, by one of another project", inProject,
			loci.Access{Scope: loci.ScopeProject, ProjectID: loci.NewProjectID()}, "the project"},
		{"in a project, by one that is only about it", inProject,
			loci.Access{Scope: loci.ScopeGlobal, ProjectID: project}, "the project"},
	} {
		if got := tt.old.NotSharedBy(&tt.by); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
