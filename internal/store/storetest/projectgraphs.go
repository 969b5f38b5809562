package storetest

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Only active projects with an entity have a graph. Each change takes effect with the next call, although
// every call before had the time to remember its answer.
func testProjectsWithGraphs(e *env) {
	ctx, ps := e.Context(), e.st.Projects()
	a, b, c := e.project("a"), e.project("b"), e.project("c")
	v := e.in(a, b, c)
	ids := []loci.ProjectID{c.ID, loci.NewProjectID(), a.ID, b.ID}
	for _, tt := range []struct {
		name string
		do   func() error
		want []loci.ProjectID
	}{
		{"new projects", func() error { return nil }, nil},
		{"an entity", func() error { e.putEntities(a, v, ent("x", "thing")); return nil }, []loci.ProjectID{a.ID}},
		{"a second project", func() error { e.putEntities(c, v, ent("x", "thing")); return nil },
			[]loci.ProjectID{c.ID, a.ID}},
		{"an entity that is deleted", func() error {
			return e.tryGraph(a, func(ctx context.Context, tx store.GraphTx) error {
				_, err := tx.Entities().Delete(ctx, v, by(v), named("x"))
				return err
			})
		}, []loci.ProjectID{c.ID, a.ID}},
		{"an archived project", func() error { return ps.Archive(ctx, e.org, c.ID) }, []loci.ProjectID{a.ID}},
		{"an archived empty project", func() error { return ps.Archive(ctx, e.org, b.ID) }, []loci.ProjectID{a.ID}},
		{"a restored project", func() error { return ps.Restore(ctx, e.org, c.ID) }, []loci.ProjectID{c.ID, a.ID}},
		{"a restored empty project", func() error { return ps.Restore(ctx, e.org, b.ID) }, []loci.ProjectID{c.ID, a.ID}},
		{"its first entity", func() error { e.putEntities(b, v, ent("x", "thing")); return nil },
			[]loci.ProjectID{c.ID, a.ID, b.ID}},
		{"a deleted project", func() error { return ps.Delete(ctx, e.org, c.ID) }, []loci.ProjectID{a.ID, b.ID}},
	} {
		if err := tt.do(); err != nil {
			e.Fatalf("%s: %v", tt.name, explain(err))
		}
		for range 2 {
			if got, err := ps.WithGraphs(ctx, e.org, ids); err != nil || !slices.Equal(got, tt.want) {
				e.Errorf("%s: got %v, %v, want %v", tt.name, got, err, tt.want)
			}
		}
	}
	e.ensure("other", loci.NewUserID())
	if got, err := ps.WithGraphs(ctx, "other", ids); err != nil || len(got) > 0 {
		e.Errorf("through another org: got %v, %v", got, err)
	}
	_, err := ps.WithGraphs(ctx, "", ids)
	e.wantCode("through no org", err, loci.Invalid)
}
