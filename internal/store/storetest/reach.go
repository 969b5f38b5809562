package storetest

import (
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Who shares a memory does not share what it said before.
func testVersionsNeedBothReaches(e *env) {
	team, project := e.addTeam("team").ID, newID[loci.ProjectID]()
	m := e.insert(titled("private"))
	m = e.replace(m, titled("in the team"), func(m *loci.Memory) { m.TeamID = team })
	m = e.replace(m, titled("in the project"), func(m *loci.Memory) {
		m.TeamID, m.Scope, m.ProjectID = loci.TeamID{}, loci.ScopeProject, project
	})
	m = e.replace(m, titled("in both"), func(m *loci.Memory) { m.TeamID = team })
	stranger := loci.Viewer{OrgID: e.org, UserID: e.addUser().ID}
	inTeam, inProject, only := stranger, stranger, e.person()
	inTeam.TeamID, inProject.ProjectIDs = team, []loci.ProjectID{project}
	only.ProjectIDs, only.OnlyProjects = inProject.ProjectIDs, true
	for name, tt := range map[string]struct {
		v    loci.Viewer
		want []string
	}{
		"owner":                                  {e.person(), []string{"3 in the project", "2 in the team", "1 private"}},
		"team":                                   {inTeam, []string{"2 in the team"}},
		"project":                                {inProject, []string{"3 in the project"}},
		"the owner's credential for the project": {only, []string{"3 in the project"}},
	} {
		got, err := e.versions(tt.v, m.ID, loci.LiveOnly, 0, 10)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			e.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	_, err := e.versions(stranger, m.ID, loci.LiveOnly, 0, 10)
	e.wantCode("a stranger", err, loci.NotFound)
}

// The list of a team has what is in its pool and nothing else, for those whose
// team it is, and for others no more than they reach without it.
func testListOfTeam(e *env) {
	team, other := e.addTeam("team").ID, e.addTeam("other").ID
	u, project := e.addUser().ID, newID[loci.ProjectID]()
	e.insert(titled("mine alone"))
	e.insert(titled("mine, shared"), func(m *loci.Memory) { m.TeamID, m.Tags = team, []string{"t"} })
	e.insert(titled("theirs, shared"), func(m *loci.Memory) { m.TeamID, m.UserID = team, u })
	e.insert(titled("theirs, for cursor"), func(m *loci.Memory) {
		m.TeamID, m.UserID, m.AllowedVendors = team, u, []loci.Vendor{"cursor"}
	})
	e.insert(titled("theirs, in the project"), func(m *loci.Memory) {
		m.TeamID, m.UserID, m.Scope, m.ProjectID, m.Tags = team, u, loci.ScopeProject, project, []string{"t"}
	})
	e.insert(titled("other team's"), func(m *loci.Memory) { m.TeamID, m.UserID = other, u })
	member := e.person()
	member.TeamID = team
	agent, inProject, only := member, e.person(), member
	agent.Vendor = "claude"
	inProject.ProjectIDs = []loci.ProjectID{project}
	only.ProjectIDs, only.OnlyProjects = inProject.ProjectIDs, true
	for name, tt := range map[string]struct {
		v    loci.Viewer
		f    store.Filter
		want []string
	}{
		"a member": {member, store.Filter{},
			[]string{"theirs, in the project", "theirs, for cursor", "theirs, shared", "mine, shared"}},
		"an agent": {agent, store.Filter{}, []string{"theirs, in the project", "theirs, shared", "mine, shared"}},
		"by tag":   {member, store.Filter{Tags: []string{"t"}}, []string{"theirs, in the project", "mine, shared"}},
		"one without the team, but with a row in it and a project": {inProject, store.Filter{},
			[]string{"theirs, in the project", "mine, shared"}},
		"a credential for the project": {only, store.Filter{},
			[]string{"theirs, in the project"}},
		"another team": {member, store.Filter{TeamID: other}, nil},
	} {
		if tt.f.TeamID.IsZero() {
			tt.f.TeamID = team
		}
		page := e.list(tt.v, store.ListQuery{Filter: tt.f, Total: true})
		if got := titles(page.Memories); !slices.Equal(got, tt.want) || page.Total != len(tt.want) {
			e.Errorf("%s: %q, total %d; want %q", name, got, page.Total, tt.want)
		}
		want := slices.Sorted(slices.Values(tt.want))
		if got := e.containing(tt.v, tt.f, "content"); !slices.Equal(got, want) {
			e.Errorf("%s: Contains finds %q, want %q", name, got, want)
		}
	}
}

// A credential that is limited to projects does not reach even its person's
// other rows.
func testOnlyProjects(e *env) {
	mine, other := newID[loci.ProjectID](), newID[loci.ProjectID]()
	in := func(p loci.ProjectID) func(*loci.Memory) {
		return func(m *loci.Memory) { m.Scope, m.ProjectID = loci.ScopeProject, p }
	}
	u := e.addUser().ID
	e.insert(titled("global"))
	e.insert(titled("about the project"), func(m *loci.Memory) { m.ProjectID = mine })
	e.insert(titled("in the project"), in(mine))
	e.insert(titled("another's in the project"), in(mine), func(m *loci.Memory) { m.UserID = u })
	e.insert(titled("elsewhere"), in(other))
	v := e.person()
	v.OnlyProjects = true
	for _, tt := range []struct {
		projects []loci.ProjectID
		want     []string
	}{{nil, nil}, {[]loci.ProjectID{{}}, nil},
		{[]loci.ProjectID{mine}, []string{"another's in the project", "in the project"}}} {
		v.ProjectIDs = tt.projects
		page := e.list(v, store.ListQuery{Total: true})
		if got := titles(page.Memories); !slices.Equal(got, tt.want) || page.Total != len(tt.want) || !page.Exact {
			e.Errorf("%d projects: %q, total %d; want %q", len(tt.projects), got, page.Total, tt.want)
		}
		if got := e.containing(v, store.Filter{}, "content"); !slices.Equal(got, tt.want) {
			e.Errorf("%d projects: Contains finds %q, want %q", len(tt.projects), got, tt.want)
		}
	}
}
