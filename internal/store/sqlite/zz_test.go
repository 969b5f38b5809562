package sqlite

import (
	"fmt"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

func TestZZ(t *testing.T) {
	st, user := newStore(t, Options{})
	p, _ := st.Projects().Create(bg, loci.Project{OrgID: loci.DefaultOrg, Name: "p", Everyone: true}, user)
	by := loci.GraphAccess{UserID: user, Origin: "claude", AllowedVendors: []loci.Vendor{"*"}}
	v := loci.Viewer{OrgID: p.OrgID, UserID: user, ProjectIDs: []loci.ProjectID{p.ID}, Vendor: "claude"}
	z := newZipf(1)
	n := 0
	for range 15 {
		items := make([]loci.NewEntity, 1000)
		for k := range items {
			n++
			items[k] = loci.NewEntity{EntityRef: loci.EntityRef{Name: fmt.Sprint(frequentText(z, 2), " ", n), Type: zipfWord(k % 20)},
				Observations: []string{frequentText(z, 12), frequentText(z, 12)}}
		}
		st.UpdateProject(bg, p.OrgID, p.ID, func(tx store.GraphTx) error { _, err := tx.Nodes().Create(bg, v, by, items); return err })
	}
	var words []string
	for r := 60; r < 460; r++ {
		words = append(words, zipfWord(r))
	}
	vis := func(a string) string {
		return a + ".deleted_at IS NULL AND (" + a + `.allowed_vendors = '["*"]' OR EXISTS (SELECT 1 FROM json_each(` + a + ".allowed_vendors) WHERE value = '*' OR value = 'claude'))"
	}
	for _, cache := range []int{2048, 65536} {
		st.ViewProject(bg, p.OrgID, p.ID, func(tx store.GraphTx) error {
			c := tx.(*graphTx).c
			c.Script(fmt.Sprintf("PRAGMA cache_size = -%d", cache))
			for _, s := range []struct{ name, sql string; cols int }{
				{"count", "SELECT count(*) FROM (SELECT 1 FROM observations_fts WHERE observations_fts MATCH ?1 LIMIT 101)", 1},
				{"counts4", "SELECT (SELECT count(*) FROM (SELECT 1 FROM entities_fts WHERE entities_fts MATCH ?1 LIMIT 101)) + (SELECT count(*) FROM (SELECT 1 FROM observations_fts WHERE observations_fts MATCH ?1 LIMIT 101))", 1},
				{"fts desc", "SELECT rowid FROM observations_fts WHERE observations_fts MATCH ?1 ORDER BY rowid DESC", 1},
				{"fts asc", "SELECT rowid FROM observations_fts WHERE observations_fts MATCH ?1 ORDER BY rowid", 1},
				{"fts +o", "SELECT o.deleted_at FROM observations_fts CROSS JOIN observations o ON o.seq = observations_fts.rowid WHERE observations_fts MATCH ?1 ORDER BY observations_fts.rowid DESC", 1},
				{"fts +o entity", "SELECT o.entity_id FROM observations_fts CROSS JOIN observations o ON o.seq = observations_fts.rowid WHERE observations_fts MATCH ?1 AND " + vis("o") + " ORDER BY observations_fts.rowid DESC", 1},
				{"fts +o +e idx", "SELECT e.seq FROM observations_fts CROSS JOIN observations o ON o.seq = observations_fts.rowid CROSS JOIN entities e ON e.id = o.entity_id WHERE observations_fts MATCH ?1 AND " + vis("o") + " ORDER BY observations_fts.rowid DESC", 1},
				{"full", "SELECT e.id, e.seq, e.name, e.entity_type FROM observations_fts CROSS JOIN observations o ON o.seq = observations_fts.rowid CROSS JOIN entities e ON e.id = o.entity_id WHERE observations_fts MATCH ?1 AND " + vis("o") + " AND " + vis("e") + " ORDER BY observations_fts.rowid DESC", 4},
				{"full hits", "SELECT e.id, e.seq, e.name, e.entity_type, hits(observations_fts, 1.0, octet_length(o.content)) FROM observations_fts CROSS JOIN observations o ON o.seq = observations_fts.rowid CROSS JOIN entities e ON e.id = o.entity_id WHERE observations_fts MATCH ?1 AND " + vis("o") + " AND " + vis("e") + " ORDER BY observations_fts.rowid DESC", 4},
				{"names full", "SELECT e.id, e.seq, e.name, e.entity_type FROM entities_fts CROSS JOIN entities e ON e.seq = entities_fts.rowid WHERE entities_fts MATCH ?1 AND " + vis("e") + " ORDER BY entities_fts.rowid DESC", 4},
			} {
				for round := range 2 {
					start := time.Now()
					rows := 0
					for _, w := range words {
						k := 0
						err := c.Query(s.sql, sqlitedb.Args{`"` + w + `"`}, func(r *sqlitedb.Row) error {
							if k++; k > 101 {
								return sqlitedb.ErrStop
							}
							for i := range s.cols {
								r.Text(i)
							}
							rows++
							return nil
						})
						if err != nil {
							t.Fatal(err)
						}
					}
					if round == 1 {
						d := time.Since(start)
						fmt.Printf("cache %d %-15s %6.1f us/query %5.1f rows/query %5.2f us/row\n", cache, s.name, float64(d.Microseconds())/float64(len(words)), float64(rows)/float64(len(words)), float64(d.Microseconds())/float64(rows))
					}
				}
			}
			return nil
		})
	}
}
