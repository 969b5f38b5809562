package sqlite

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// recorder keeps statements, so that a test can look at their plans. It writes nothing.
type recorder struct {
	t        *testing.T
	conn     conn
	list     []statement
	sorted   bool // what is found is few
	pretends int  // so many more look-ups find something, whatever there is
}

// planner is a transaction on an org whose statements are kept.
type planner struct {
	*sqlstore.Tx
	*recorder
	index index
}

type statement struct {
	text string
	args sqlstore.Args
}

// plans runs look in the default org.
func plans(t *testing.T, s *Store, look func(*planner)) {
	t.Helper()
	err := s.with(t.Context(), loci.DefaultOrg, func(f *orgFile) error {
		return f.DB.View(t.Context(), func(c *sqlitedb.Conn) error {
			tx := s.tx(f, c)
			p := &planner{recorder: &recorder{t: t, conn: sharedConn(c)}, index: indexOf(tx)}
			o := *tx.Options
			o.NewIndex = func(*sqlstore.Tx) sqlstore.Index { return somewhere{p.index} }
			p.Tx = sqlstore.New(p.recorder, dialect, &o)
			look(p)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// registryPlans runs look on the registry.
func registryPlans(t *testing.T, s *Store, look func(*recorder, *sqlstore.Registry)) {
	t.Helper()
	err := s.meta.View(t.Context(), func(c *sqlitedb.Conn) error {
		r := &recorder{t: t, conn: sharedConn(c)}
		look(r, sqlstore.NewRegistry(r, dialect, time.Now))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (p *recorder) View(_ context.Context, fn func(sqlstore.Conn) error) error { return fn(p) }

func (p *recorder) Update(_ context.Context, fn func(sqlstore.Conn) error) error { return fn(p) }

// check demands the plan of the statement that do runs as its nth, counted from 0.
func (p *recorder) check(name string, nth int, do func() error, want ...string) {
	p.t.Helper()
	p.list = nil
	err := do()
	if len(p.list) <= nth {
		p.t.Errorf("%s: %d statements, %v", name, len(p.list), err)
		return
	}
	text := p.list[nth].text
	if p.sorted {
		text, _, _ = strings.Cut(text, " ORDER BY")
	}
	checkPlan(p.t, p.conn.Conn, name, text, p.list[nth].args, want...)
}

// checkRows is check without the sorting of the few rows that are found.
func (p *recorder) checkRows(name string, nth int, do func() error, want ...string) {
	p.t.Helper()
	p.sorted = true
	p.check(name, nth, do, want...)
	p.sorted = false
}

// pretending makes the first n look-ups of do find something.
func (p *recorder) pretending(n int, do func() error) func() error {
	return func() error {
		p.pretends = n
		return do()
	}
}

const byRowID = "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"

// lists checks all ways in which a list is read.
func (p *planner) lists(name string, v loci.Viewer, f store.Filter, want []string) {
	p.t.Helper()
	for _, oldest := range []bool{false, true} {
		l := listingOf(v, f)
		l.Oldest = oldest
		w, err := p.index.walk(l)
		if err != nil {
			p.t.Fatal(err)
		}
		for _, ranges := range [][]postingRange{w.ranges[:1], w.ranges} {
			w.ranges = ranges
			for _, form := range []form{formPage, formCount} {
				var loops []string
				for _, r := range ranges {
					if loops = append(loops, want...); w.joined(r) && !slices.Contains(want, byRowID) {
						loops = append(loops, byRowID)
					}
				}
				p.plan(name, w, form, loops)
			}
		}
	}
	p.check(name+" rows", 0,
		func() error { _, err := p.Lists().List(bg, v, store.ListQuery{Filter: f, Limit: 2}); return err },
		"SCAN 2-ROW VALUES", "SCAN j", byRowID)
}

// plan checks the statement over the ranges of a list.
func (p *planner) plan(name string, w *walk, form form, want []string) {
	p.t.Helper()
	var q sqlstore.Query
	w.selects(&q, w.ranges, form, place{}, 20)
	checkPlan(p.t, p.index.shared, name, q.String(), q.Args, want...)
}

func listingOf(v loci.Viewer, f store.Filter) sqlstore.Listing {
	return sqlstore.Listing{Viewer: v, Filter: &f, Now: time.Now()}
}

func (p *recorder) keep(text string, args sqlstore.Args) {
	p.list = append(p.list, statement{text, args})
}

func (p *recorder) Exec(text string, args ...any) error {
	p.keep(text, args)
	return nil
}

func (p *recorder) Query(text string, args sqlstore.Args, row func(sqlstore.Row) error) error {
	p.keep(text, args)
	return p.conn.Query(text, args, row)
}

func (p *recorder) One(text string, args sqlstore.Args, row func(sqlstore.Row) error) (bool, error) {
	p.keep(text, args)
	found, err := p.conn.One(text, args, row)
	p.pretends--
	return found || p.pretends >= 0, err
}

func (p *recorder) Insert(text string, args ...any) (int64, error) { return 1, p.Exec(text, args...) }

func (p *recorder) Changes() int64 { return 1 }

func (p *recorder) Try(fn func() error) error { return fn() }

// somewhere is an index whose lists have two places.
type somewhere struct{ index }

func (x somewhere) Walk(sqlstore.Listing) (sqlstore.Walk, error) { return twoPlaces{}, nil }

type twoPlaces struct{}

func (twoPlaces) Parts() int { return 1 }

func (twoPlaces) Select(q *sqlstore.Query, _ int, _ place, n int) {
	q.Add("SELECT 1 AS at, column1 AS seq FROM (VALUES (2), (4)) LIMIT ?", n)
}

func (twoPlaces) Total(int) (int, error) { return 0, errors.ErrUnsupported }
