package storetest

import (
	"context"
	"maps"
	"strconv"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// compareFacets requires the counts to be those of the rows that the rule shows.
func (w *world) compareFacets(ctx context.Context, tx store.Tx, v loci.Viewer, f store.Filter,
	all []*loci.Memory) error {
	got, err := tx.Lists().Facets(ctx, v, f)
	if !f.When.IsPresent() {
		if loci.CodeOf(err) != loci.Invalid {
			w.t.Fatalf("facets of another time: %v", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	want := map[string]int{}
	for _, m := range all {
		for _, key := range facetsOf(m) {
			want[key]++
		}
	}
	counts := map[string]int{}
	for facet, values := range got.Facets {
		for i, x := range values {
			counts[string(facet)+" "+x.Value] = x.Count
			if i > 0 && values[i-1].Count < x.Count {
				w.t.Fatalf("%s is not sorted: %v", facet, values)
			}
		}
	}
	if got.Total != len(all) || !maps.Equal(counts, want) {
		w.t.Fatalf("Facets for %+v are %+v of %d, the rule %+v of %d; %+v", v, counts, got.Total, want, len(all), f)
	}
	return nil
}

func facetsOf(m *loci.Memory) []string {
	keys := []string{"origin " + m.Origin, "category " + m.Category, "memory_type " + string(m.Type),
		"scope " + string(m.Scope), "pinned " + strconv.FormatBool(m.Pinned)}
	if !m.ProjectID.IsZero() {
		keys = append(keys, "project_id "+m.ProjectID.String())
	}
	for _, tag := range m.Tags {
		keys = append(keys, "tag "+tag)
	}
	for _, vendor := range m.AllowedVendors {
		keys = append(keys, "allowed_vendor "+string(vendor))
	}
	return keys
}

// testOwnRowsOfAgents lists the pool of a team for a person: their own rows of agent scope are in it, and those of
// others are not.
func testOwnRowsOfAgents(e *env) {
	v := e.person()
	v.TeamID = newID[loci.TeamID]()
	shared := func(m *loci.Memory) { m.Scope, m.TeamID = loci.ScopeAgent, v.TeamID }
	own := e.insert(titled("own"), shared)
	e.insert(titled("of another person"), shared, func(m *loci.Memory) { m.UserID = e.addUser().ID })
	page := e.list(v, store.ListQuery{Filter: store.Filter{TeamID: v.TeamID}, Limit: 9, Total: true})
	if len(page.Memories) != 1 || page.Memories[0].ID != own.ID || page.Total != 1 {
		e.Errorf("got %d: %q", page.Total, titles(page.Memories))
	}
}
