package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// writeAs stores n entities with two observations each, and a relation from each to the
// next, as one user. Of every third one something is deleted again.
func writeAs(t testing.TB, s *Store, p loci.Project, user loci.UserID, prefix string, n int) {
	t.Helper()
	v, by := loci.Viewer{OrgID: p.OrgID, UserID: user, ProjectIDs: []loci.ProjectID{p.ID}},
		loci.GraphAccess{UserID: user, Origin: "api"}
	ref := func(i int) loci.EntityRef { return loci.EntityRef{Name: fmt.Sprint(prefix, i), Type: "note"} }
	for i := range n {
		err := s.UpdateProject(bg, p.OrgID, p.ID, func(tx store.GraphTx) error {
			_, err := tx.Entities().Create(bg, v, by,
				[]loci.NewEntity{{EntityRef: ref(i), Observations: []string{"one", "two of " + prefix}}})
			if err == nil && i > 0 {
				_, err = tx.Entities().Relate(bg, v, by, []loci.NewRelation{{From: ref(i - 1), To: ref(i), Type: "before"}})
			}
			if err == nil && i%3 == 2 {
				_, err = tx.Entities().Delete(bg, v, by, []loci.EntityRef{ref(i - 1)})
			}
			if err == nil && i%3 == 2 {
				_, err = tx.Entities().DeleteObservations(bg, v, by, []loci.Contents{{Entity: ref(i), Contents: []string{"one"}}})
			}
			return err
		})
		if err != nil {
			t.Fatal(explain(err))
		}
	}
}

// graphRowsOf counts the rows of each table that have a user, and all.
func graphRowsOf(t testing.TB, s *Store, p loci.Project, user loci.UserID) (own, all map[string]int) {
	t.Helper()
	own, all = map[string]int{}, map[string]int{}
	err := s.withProject(bg, p.OrgID, p.ID, func(f *projectFile, _ loci.Project) error {
		return f.DB.View(bg, func(c *sqlitedb.Conn) (err error) {
			for _, table := range []string{"entities", "observations", "relations", "changes"} {
				_, e := c.One("SELECT count(*) FILTER (WHERE user_id = ?), count(*) FROM "+table, sqlitedb.Args{user.String()},
					func(r *sqlitedb.Row) error { own[table], all[table] = r.Int(0), r.Int(1); return nil })
				err = errors.Join(err, e)
			}
			return err
		})
	})
	if err != nil {
		t.Fatal(explain(err))
	}
	return own, all
}

// Everything that a person wrote goes, live and deleted, in several batches; an entity on which
// others wrote stays. The file is sound, and looks after what hangs on its rows as before.
func TestEraseFromGraphs(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	leaver, stayer := loci.NewUserID(), loci.NewUserID()
	writeAs(t, s, p, leaver, "shared ", 1)
	writeAs(t, s, p, stayer, "mine ", 30)
	_, before := graphRowsOf(t, s, p, leaver)
	before["observations"]-- // of those on the shared entity two will go, and one comes
	writeAs(t, s, p, leaver, "theirs ", eraseBatch+50)
	v := loci.Viewer{OrgID: p.OrgID, UserID: stayer, ProjectIDs: []loci.ProjectID{p.ID}}
	err := s.UpdateProject(bg, p.OrgID, p.ID, func(tx store.GraphTx) error {
		_, err := tx.Entities().Observe(bg, v, loci.GraphAccess{UserID: stayer, Origin: "api"},
			[]loci.Contents{{Entity: loci.EntityRef{Name: "shared 0"}, Contents: []string{"the other's"}}})
		return err
	})
	if err != nil {
		t.Fatal(explain(err))
	}
	for range 2 { // it may be repeated
		if err := s.eraseFromGraphs(bg, p.OrgID, leaver); err != nil {
			t.Fatal(explain(err))
		}
		own, all := graphRowsOf(t, s, p, leaver)
		for table, n := range own {
			if n != 0 {
				t.Errorf("%d rows of %s are left", n, table)
			}
		}
		if all["entities"] != before["entities"] || all["observations"] != before["observations"] ||
			all["relations"] != before["relations"] || all["changes"] != before["changes"] {
			t.Errorf("there are %v rows, want %v", all, before)
		}
	}
	if got := notes(t, s, p); !slices.Contains(got, "shared 0") || !slices.Contains(got, "mine 0") {
		t.Errorf("got %q", got)
	}
	wantSound(t, s)
	wantCascade(t, s, p)
}

// wantCascade demands that the writer's connection looks after foreign keys.
func wantCascade(t *testing.T, s *Store, p loci.Project) {
	t.Helper()
	err := s.withProject(bg, p.OrgID, p.ID, func(f *projectFile, _ loci.Project) error {
		return f.DB.Update(bg, func(c *sqlitedb.Conn) error {
			return c.Exec("DELETE FROM entities WHERE name = 'shared 0'")
		})
	})
	if err != nil {
		t.Fatal(explain(err))
	}
	wantSound(t, s) // no observation refers to the missing row
}

// fillAs stores entities with observations as one user.
func fillAs(b *testing.B, s *Store, p loci.Project, user loci.UserID, entities, observations int) {
	b.Helper()
	v, by := loci.Viewer{OrgID: p.OrgID, UserID: user, ProjectIDs: []loci.ProjectID{p.ID}},
		loci.GraphAccess{UserID: user, Origin: "api"}
	for i := 0; i < entities; i += loci.MaxGraphItems {
		var items []loci.NewEntity
		for j := i; j < min(entities, i+loci.MaxGraphItems); j++ {
			item := loci.NewEntity{EntityRef: loci.EntityRef{Name: fmt.Sprint(user, " ", j), Type: "note"}}
			for k := range observations {
				item.Observations = append(item.Observations, fmt.Sprint("what is known of it, part ", k, " of ", j))
			}
			items = append(items, item)
		}
		err := s.UpdateProject(bg, p.OrgID, p.ID, func(tx store.GraphTx) error {
			_, err := tx.Entities().Create(bg, v, by, items)
			return err
		})
		if err != nil {
			b.Fatal(explain(err))
		}
	}
}

// BenchmarkEraseFromGraph removes what one person wrote from a graph to which another
// wrote 10,000 entities with 100,000 observations.
func BenchmarkEraseFromGraph(b *testing.B) {
	for name, size := range map[string][2]int{"1,000 entities with 1 observation": {1_000, 1},
		"10,000 entities with 10 observations": {10_000, 10}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s, p := newProject(b, Options{})
				leaver := loci.NewUserID()
				fillAs(b, s, p, loci.NewUserID(), 10_000, 10)
				fillAs(b, s, p, leaver, size[0], size[1])
				b.StartTimer()
				if err := s.eraseFromGraphs(bg, p.OrgID, leaver); err != nil {
					b.Fatal(explain(err))
				}
			}
		})
	}
}
