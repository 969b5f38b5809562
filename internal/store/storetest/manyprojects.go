package storetest

import (
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Who belongs to very many projects sees in lists and searches just what is in them, live, expired and
// trashed, whether they have memories or not.
func testManyProjects(e *env) {
	other := e.addUser().ID
	mine := make([]loci.ProjectID, 40)
	for i := range mine {
		mine[i] = newID[loci.ProjectID]()
	}
	in := func(title string, p loci.ProjectID, change ...func(*loci.Memory)) {
		e.insert(append([]func(*loci.Memory){titled(title), func(m *loci.Memory) {
			m.UserID, m.Scope, m.ProjectID, m.Content = other, loci.ScopeProject, p, "red"
		}}, change...)...)
	}
	in("a", mine[0])
	in("b", mine[39])
	in("c", mine[39])
	in("x", newID[loci.ProjectID]())
	in("y", mine[7], func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"b"} })
	in("e", mine[8], func(m *loci.Memory) { m.ExpiresAt = e.clock.now() })
	in("t", mine[9], func(m *loci.Memory) { m.DeletedAt, m.UserID = e.clock.now(), e.user })
	e.insert(titled("o"), func(m *loci.Memory) { m.Content = "red" })
	v := e.person()
	v.ProjectIDs = mine
	for _, tt := range []struct {
		name   string
		change func(*loci.Viewer, *store.Filter)
		want   string
	}{
		{"a person", func(*loci.Viewer, *store.Filter) {}, "abcoy"},
		{"a vendor", func(v *loci.Viewer, _ *store.Filter) { v.Vendor = "a" }, "abco"},
		{"a limited key", func(v *loci.Viewer, _ *store.Filter) { v.OnlyProjects = true }, "abcy"},
		{"limited to empty ones", func(v *loci.Viewer, _ *store.Filter) { v.OnlyProjects, v.ProjectIDs = true, mine[10:30] },
			""},
		{"any state", func(_ *loci.Viewer, f *store.Filter) { f.Lifecycle = loci.AnyState }, "abceoty"},
	} {
		v, f := v, store.Filter{}
		tt.change(&v, &f)
		page := e.list(v, store.ListQuery{Filter: f, Limit: 50, Total: true})
		var got []string
		for _, m := range page.Memories {
			got = append(got, m.Title)
		}
		slices.Sort(got)
		if list := strings.Join(got, ""); list != tt.want || page.Total != len(tt.want) {
			e.Errorf("%s lists %q of %d, want %q", tt.name, list, page.Total, tt.want)
		}
		if found := strings.Join(e.containing(v, f, "red"), ""); found != tt.want {
			e.Errorf("%s finds %q, want %q", tt.name, found, tt.want)
		}
	}
}
