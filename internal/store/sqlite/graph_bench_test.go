package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// median notes the median and the 95th percentile of what it measures.
func median(b *testing.B, fn func(i int)) {
	b.Helper()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		fn(i)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-us")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-us")
}

// BenchmarkGraphOpen opens one entity with its ten observations among 1,000,000.
func BenchmarkGraphOpen(b *testing.B) {
	st, v, p := scaleProject(b, 100_000)
	var names []string
	view := func(fn func(store.Graph) error) {
		err := st.ViewProject(bg, p.OrgID, p.ID, func(tx store.GraphTx) error { return fn(tx.Graph()) })
		if err != nil {
			b.Fatal(explain(err))
		}
	}
	err := st.ViewProject(bg, p.OrgID, p.ID, func(tx store.GraphTx) error {
		return tx.(*graphTx).c.Query("SELECT name FROM entities WHERE seq % 97 = 0", nil,
			func(r *sqlitedb.Row) error { names = append(names, r.Text(0)); return nil })
	})
	if err != nil {
		b.Fatal(explain(err))
	}
	for _, vendor := range []loci.Vendor{"", "claude"} {
		v.Vendor = vendor
		b.Run("vendor="+string(vendor), func(b *testing.B) {
			median(b, func(i int) {
				view(func(g store.Graph) error {
					list, err := g.Find(bg, v, []loci.EntityRef{{Name: names[i*7919%len(names)]}})
					if len(list) != 1 || len(list[0].Observations) != 10 {
						b.Fatalf("found %d", len(list))
					}
					return err
				})
			})
		})
	}
	b.Run("read", func(b *testing.B) {
		median(b, func(int) {
			view(func(g store.Graph) error { _, err := g.Read(bg, v, store.GraphQuery{Limit: 100}); return err })
		})
	})
}

// BenchmarkGraphCreate stores 1,000 entities with two observations each in one
// transaction, in a graph that grows, ...
func BenchmarkGraphCreate(b *testing.B) {
	st, user := newStore(b, Options{})
	p, err := st.Projects().Create(bg, loci.Project{OrgID: loci.DefaultOrg, Name: "p", Everyone: true}, user)
	if err != nil {
		b.Fatal(explain(err))
	}
	v := loci.Viewer{OrgID: p.OrgID, UserID: user, ProjectIDs: []loci.ProjectID{p.ID}, Vendor: "claude"}
	by := loci.GraphAccess{UserID: v.UserID, Origin: "claude", AllowedVendors: []loci.Vendor{"*"}}
	median(b, func(i int) {
		err := st.UpdateProject(bg, p.OrgID, p.ID, func(tx store.GraphTx) error {
			out, err := tx.Entities().Create(bg, v, by, thousand(i))
			if err == nil && !out[0].Created {
				err = errors.New("not created")
			}
			return err
		})
		if err != nil {
			b.Fatal(explain(err))
		}
	})
}

func thousand(i int) []loci.NewEntity {
	z := newZipf(uint64(i))
	items := make([]loci.NewEntity, 1000)
	for k := range items {
		items[k] = loci.NewEntity{
			EntityRef:    loci.EntityRef{Name: fmt.Sprint(z.text(2), " ", i, " ", k), Type: zipfWord(k % 20)},
			Observations: []string{z.text(14), z.text(14)}}
	}
	return items
}

// BenchmarkGraphCreateDriver ... and the same rows through the driver alone, with the same schema.
func BenchmarkGraphCreateDriver(b *testing.B) {
	c, err := sqlite3.Open(filepath.Join(b.TempDir(), "plain.db"))
	if err != nil {
		b.Fatal(err)
	}
	schema, err := os.ReadFile("migrations/project/0001_graph.sql")
	if err != nil {
		b.Fatal(err)
	}
	exec := func(sql string) {
		if err := c.Exec(sql); err != nil {
			b.Fatal(err)
		}
	}
	if err := fts5.Register(c); err != nil {
		b.Fatal(err)
	}
	exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -1024")
	exec(string(schema))
	prepare := func(sql string) *sqlite3.Stmt {
		s, _, err := c.Prepare(sql)
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	entity := prepare("INSERT INTO entities (id, name, entity_type, created_at, updated_at, user_id, origin) VALUES " +
		"(?, ?, ?, ?, ?, ?, 'claude')")
	observation := prepare("INSERT INTO observations (id, entity_id, created_at, user_id, origin, hash, content) " +
		"VALUES (?, ?, ?, ?, 'claude', ?, ?)")
	put := func(s *sqlite3.Stmt, args ...any) {
		for i, a := range args {
			switch x := a.(type) {
			case string:
				err = errors.Join(err, s.BindText(i+1, x))
			case int64:
				err = errors.Join(err, s.BindInt64(i+1, x))
			}
		}
		if err = errors.Join(err, s.Exec()); err != nil {
			b.Fatal(err)
		}
	}
	user, now := loci.NewUserID().String(), sqlstore.ISO(time.Now())
	median(b, func(i int) {
		exec("BEGIN IMMEDIATE")
		for _, item := range thousand(i) {
			id := loci.NewEntityID().String()
			put(entity, id, item.Name, item.Type, now, now, user)
			for _, text := range item.Observations {
				put(observation, loci.NewObservationID().String(), id, now, user, sqlstore.GraphHash(id, text), text)
			}
		}
		exec("COMMIT")
	})
	if err := errors.Join(entity.Close(), observation.Close(), c.Close()); err != nil {
		b.Fatal(err)
	}
}
