package sqlite

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// A hash that is wrong or missing, as in rows that another program wrote, is
// found and made anew.
func TestGraphHashes(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	v := loci.Viewer{OrgID: p.OrgID, UserID: loci.NewUserID(), ProjectIDs: []loci.ProjectID{p.ID}}
	by := loci.GraphAccess{UserID: v.UserID, Origin: "x"}
	a := loci.EntityRef{Name: "a", Type: "t"}
	err := s.UpdateProject(bg, p.OrgID, p.ID, func(tx store.GraphTx) error {
		if _, err := tx.Entities().Create(bg, v, by,
			[]loci.NewEntity{{EntityRef: a, Observations: []string{"1", "2"}}}); err != nil {
			return err
		}
		if _, err := tx.Entities().Relate(bg, v, by, []loci.NewRelation{{From: a, To: a, Type: "r"}}); err != nil {
			return err
		}
		check := func(want int) {
			t.Helper()
			if problems, err := tx.Check(bg); err != nil || len(problems) != want {
				t.Errorf("got %q, %v; want %d problems", problems, err, want)
			}
		}
		check(0)
		for _, change := range []string{"UPDATE observations SET hash = NULL WHERE content = '1'",
			"UPDATE relations SET hash = hash + 1"} {
			if err := tx.(*graphTx).c.Exec(change); err != nil {
				return err
			}
		}
		check(2)
		if err := tx.Rebuild(bg); err != nil {
			return err
		}
		check(0)
		out, err := tx.Entities().Observe(bg, v, by, []loci.Contents{{Entity: a, Contents: []string{"1", "2"}}})
		if err == nil && len(out[0].Duplicates) != 2 {
			t.Errorf("after a rebuild %d are known", len(out[0].Duplicates))
		}
		return err
	})
	if err != nil {
		t.Fatal(explain(err))
	}
}
