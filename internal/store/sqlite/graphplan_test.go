package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// TestGraphPlans runs all that can be asked of a graph and looks at how SQLite
// ran it: nothing reads a whole table.
func TestGraphPlans(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	v := loci.Viewer{OrgID: p.OrgID, UserID: loci.NewUserID(), ProjectIDs: []loci.ProjectID{p.ID}}
	seen := 0
	for _, vendor := range []loci.Vendor{"", "claude"} {
		v.Vendor = vendor
		err := s.UpdateProject(t.Context(), p.OrgID, p.ID, func(tx store.GraphTx) error {
			if err := everything(t.Context(), tx, v); err != nil {
				return err
			}
			c := tx.(*graphTx).c
			params := map[string]int{}
			for statement := range c.Raw().Stmts() {
				params[statement.SQL()] = statement.BindCount()
			}
			for sql, n := range params {
				if !strings.HasPrefix(sql, "EXPLAIN") && !strings.HasPrefix(sql, "INSERT") &&
					!strings.Contains(sql, "_migrations") {
					seen++
					checkGraphPlan(t, c, sql, n)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(explain(err))
		}
	}
	if seen < 80 {
		t.Errorf("looked at %d statements only", seen)
	}
}

// newestNames goes through a table in its order, and stops at a limit.
const newestNames = "SELECT name FROM (SELECT e.name FROM entities e WHERE "

func checkGraphPlan(t *testing.T, c *sqlitedb.Conn, sql string, params int) {
	t.Helper()
	var plan []string
	err := c.Query("EXPLAIN QUERY PLAN "+sql, make(sqlitedb.Args, params),
		func(r *sqlitedb.Row) error { plan = append(plan, r.Text(3)); return nil })
	if err != nil {
		t.Fatalf("%v in %s", err, sql)
	}
	sorts := false
	for _, line := range plan {
		sorts = sorts || strings.Contains(line, "TEMP B-TREE")
		table, isScan := strings.CutPrefix(line, "SCAN ")
		derived := strings.Contains(line, "VIRTUAL TABLE") || strings.HasPrefix(table, "(subquery") ||
			table == "CONSTANT ROW" || table == "n" || table == "x"
		if isScan && !derived && !(table == "e" && strings.HasPrefix(sql, newestNames)) {
			t.Errorf("%s scans %s: %q", sql, table, plan)
		}
	}
	if one := strings.Contains(sql, "FROM observations o WHERE  o.entity_id") ||
		strings.Contains(sql, "r.to_entity = ? AND r.from_entity <> r.to_entity"); one && sorts &&
		!strings.HasPrefix(sql, "WITH") {
		t.Errorf("%s sorts all that hangs on an entity: %q", sql, plan)
	}
}

// everything asks for all that there is, so that all statements are prepared.
func everything(ctx context.Context, tx store.GraphTx, v loci.Viewer) error {
	n, g := tx.Entities(), tx.Graph()
	by := loci.GraphAccess{UserID: v.UserID, Origin: "x", AllowedVendors: []loci.Vendor{loci.AnyVendor}}
	ref := func(name string) loci.EntityRef { return loci.EntityRef{Name: name} }
	var errs []error
	step := 0
	do := func(err error) {
		if step++; err != nil {
			errs = append(errs, fmt.Errorf("step %d: %w", step, err))
		}
	}
	put, err := n.Create(ctx, v, by,
		[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: "a", Type: "t"}, Observations: []string{"1", "2"}},
			{EntityRef: loci.EntityRef{Name: "b", Type: "t"}, Observations: []string{"3", "4"}},
			{EntityRef: loci.EntityRef{Name: "c", Type: "t"}}})
	if err != nil {
		return err
	}
	a, b, o := put[0].Entity.ID, put[1].Entity.ID, put[0].Added[0].ID
	out, err := n.Relate(ctx, v, by,
		[]loci.NewRelation{{From: ref("a"), To: ref("b"), Type: "r"}, {From: ref("b"), To: ref("a"), Type: "r"},
			{From: ref("a"), To: ref("c"), Type: "r"}})
	if err != nil {
		return err
	}
	r := out[0].Relation.ID
	_, err = n.Observe(ctx, v, by, []loci.Contents{{Entity: ref("a"), Contents: []string{"1", "5"}}})
	do(err)
	_, err = n.SetVendors(ctx, v, by,
		store.GraphIDs{Entities: []loci.EntityID{a}, Observations: []loci.ObservationID{o}, Relations: []loci.RelationID{r}},
		[]loci.Vendor{"claude", "x"})
	do(err)
	_, err = g.Find(ctx, v, []loci.EntityRef{ref("a"), {Name: "b", Type: "t"}})
	do(err)
	_, err = g.Suggest(ctx, v, "ab", 3)
	do(err)
	_, err = g.Read(ctx, v, store.GraphQuery{Limit: 1})
	do(err)
	_, err = g.Read(ctx, v, store.GraphQuery{Limit: 1, After: store.Position(a.String() + ":" + r.String())})
	do(err)
	var big []string // so much that it is shared out
	for i := range 11 {
		big = append(big, fmt.Sprint(i, strings.Repeat("x", loci.MaxObservation-2)))
	}
	_, err = n.Observe(ctx, v, by, []loci.Contents{{Entity: ref("c"), Contents: big}})
	do(err)
	_, err = g.Get(ctx, v, put[2].Entity.ID)
	do(err)
	_, err = g.Neighbours(ctx, v, a, 2, 9)
	do(err)
	_, err = g.Observations(ctx, v, a, store.GraphQuery{Limit: 1, After: store.Position(o.String())})
	do(err)
	_, err = g.Relations(ctx, v, a, store.GraphQuery{Limit: 1, After: store.Position(r.String())})
	do(err)
	rows, _, err := g.Rows(ctx, v, store.GraphQuery{Limit: 99})
	do(err)
	_, _, err = n.Insert(ctx, v, rows)
	do(err)
	_, err = n.DeleteObservations(ctx, v, by, []loci.Contents{{Entity: ref("a"), Contents: []string{"2"}}})
	do(err)
	_, err = n.DeleteRelations(ctx, v, by, []loci.NewRelation{{From: ref("b"), To: ref("a"), Type: "r"}})
	do(err)
	_, err = n.Merge(ctx, v, by, a, b)
	do(err)
	_, err = n.Restore(ctx, v, by,
		store.GraphIDs{Entities: []loci.EntityID{a}, Observations: []loci.ObservationID{put[0].Added[1].ID},
			Relations: []loci.RelationID{out[1].Relation.ID}})
	do(err)
	_, err = g.History(ctx, v, a, 99)
	do(err)
	_, err = g.Trash(ctx, v, 9)
	do(err)
	_, err = g.Owners(ctx, v, [][16]byte{a, o})
	do(err)
	texts := tx.Texts()
	end, err := texts.End(ctx)
	do(err)
	_, err = texts.Changed(ctx, end)
	do(err)
	_, err = texts.Changed(ctx, "{}")
	do(err)
	_, next, err := texts.List(ctx, "", 1)
	do(err)
	_, _, err = texts.List(ctx, next, 99)
	do(err)
	_, err = g.Get(ctx, v, a, b)
	do(err)
	_, err = n.Delete(ctx, v, by, []loci.EntityRef{ref("a"), ref("b"), ref("c")})
	do(err)
	return errors.Join(errs...)
}
