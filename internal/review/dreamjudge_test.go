package review

import (
	"testing"

	"github.com/loci-memory/loci"
)

// An event that moved to another project or workspace has other readers, so nothing that comes from it stays as it
// is.
func TestNarrow(t *testing.T) {
	t.Parallel()
	at := loci.EventAccess{ProjectID: loci.ProjectID{1}, WorkspaceID: loci.WorkspaceID{2}, Reach: loci.ReachOrg,
		AllowedVendors: []loci.Vendor{"*"}}
	private, project, workspace := at, at, at
	private.Reach, project.ProjectID, workspace.WorkspaceID = loci.ReachPrivate, loci.ProjectID{3}, loci.WorkspaceID{4}
	for name, tt := range map[string]struct {
		to   loci.EventAccess
		ok   bool
		want loci.Reach
	}{"the same": {at, true, loci.ReachOrg}, "private now": {private, true, loci.ReachPrivate},
		"another project": {project, false, loci.ReachOrg}, "another workspace": {workspace, false, loci.ReachOrg}} {
		c := &loci.Candidate{EventAccess: at}
		if ok := narrow(c, &tt.to); ok != tt.ok || c.Reach != tt.want {
			t.Errorf("%s: got %t, %s; want %t, %s", name, ok, c.Reach, tt.ok, tt.want)
		}
	}
}

// Only a person decides about what comes from more readers than one person or the members of one project.
func TestWide(t *testing.T) {
	t.Parallel()
	project := loci.ProjectID{1}
	for _, tt := range []struct {
		reach   loci.Reach
		project loci.ProjectID
		alone   bool
		want    bool
	}{
		{loci.ReachPrivate, loci.ProjectID{}, false, false}, {loci.ReachPrivate, project, false, false},
		{loci.ReachOrg, project, false, false}, {loci.ReachOrg, loci.ProjectID{}, false, true},
		{loci.ReachOrg, loci.ProjectID{}, true, false},
		{loci.ReachTeam, project, true, true}, {loci.ReachTeam, loci.ProjectID{}, true, true},
	} {
		d, c := &dreaming{alone: &tt.alone}, &loci.Candidate{}
		c.Reach, c.ProjectID = tt.reach, tt.project
		if got, err := d.wide(t.Context(), c); err != nil || got != tt.want {
			t.Errorf("%+v: got %t, %v", tt, got, err)
		}
	}
}

// A memory is of the scope of its candidate only if everyone in the project sees the candidate.
func TestScopeOf(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reach   loci.Reach
		project loci.ProjectID
		want    loci.Scope
	}{
		"of the project":          {loci.ReachOrg, loci.ProjectID{1}, loci.ScopeProject},
		"private":                 {loci.ReachPrivate, loci.ProjectID{1}, loci.ScopeGlobal},
		"of no project":           {loci.ReachOrg, loci.ProjectID{}, loci.ScopeGlobal},
		"private, of no projects": {loci.ReachPrivate, loci.ProjectID{}, loci.ScopeGlobal},
	} {
		c := &loci.Candidate{SuggestedScope: loci.ScopeProject}
		c.Reach, c.ProjectID = tt.reach, tt.project
		if got := scopeOf(c); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}
