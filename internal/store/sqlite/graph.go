package sqlite

import (
	"fmt"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// graphTx is a transaction on one project's file.
type graphTx struct {
	p   loci.Project
	c   *sqlitedb.Conn
	now func() time.Time
}

func (s *Store) graphTx(p loci.Project, c *sqlitedb.Conn) *graphTx {
	return &graphTx{p: p, c: c, now: s.opts.Now}
}

type (
	nodes struct{ *graphTx }
	graph struct{ *graphTx }
)

func (tx *graphTx) Project() loci.Project { return tx.p }
func (tx *graphTx) Nodes() store.Nodes    { return nodes{tx} }
func (tx *graphTx) Graph() store.Graph    { return graph{tx} }

func (tx *graphTx) Try(fn func() error) error { return tx.c.Try(fn) }

// sees is loci.Viewer.SeesGraph over a row of the graph. Every statement that
// returns text or existence uses it; a property test holds it against the rule.
func (tx *graphTx) sees(q *query, v loci.Viewer, alias string, l loci.Lifecycle) {
	if !v.InProject(&tx.p) {
		q.add("0")
		return
	}
	switch l {
	case loci.LiveOnly:
		q.add(alias + ".deleted_at IS NULL")
	case loci.TrashOnly:
		q.add(alias + ".deleted_at IS NOT NULL")
	case loci.LiveOrTrash, loci.AnyState:
		q.add("1")
	default:
		q.add("0")
	}
	vendorMay(q, v, alias)
}

const accessColumns = "user_id, %[1]s.origin, %[1]s.allowed_vendors, %[1]s.deleted_at, %[1]s.created_at"

func withAccess(alias, own string) string {
	return own + ", " + alias + "." + fmt.Sprintf(accessColumns, alias)
}

var (
	entityColumns      = withAccess("e", "e.id, e.name, e.entity_type, e.updated_at")
	observationColumns = withAccess("o", "o.id, o.entity_id, o.content")
	relationColumns    = withAccess("r", "r.id, r.from_entity, r.to_entity, f.name, t.name, r.relation_type")
)

// fromRelations has both ends beside each relation.
const fromRelations = "relations r CROSS JOIN entities f ON f.id = r.from_entity CROSS JOIN entities t ON t.id = r.to_entity"

func scanAccess(r *sqlitedb.Row, i int, a *loci.GraphAccess, created *time.Time) (err error) {
	if a.UserID, err = idAt[loci.UserID](r, i); err != nil {
		return err
	}
	a.Origin, a.DeletedAt, *created = r.Text(i+1), isoAt(r, i+3), isoAt(r, i+4)
	a.AllowedVendors, err = fromJSON[loci.Vendor](r.Text(i + 2))
	return err
}

func scanEntity(r *sqlitedb.Row) (e loci.Entity, err error) {
	if e.ID, err = idAt[loci.EntityID](r, 0); err != nil {
		return e, err
	}
	e.Name, e.Type, e.UpdatedAt = r.Text(1), r.Text(2), isoAt(r, 3)
	e.Observations, e.Relations = []loci.Observation{}, []loci.Relation{}
	return e, scanAccess(r, 4, &e.GraphAccess, &e.CreatedAt)
}

func scanObservation(r *sqlitedb.Row) (o loci.Observation, err error) {
	if o.ID, err = idAt[loci.ObservationID](r, 0); err != nil {
		return o, err
	}
	if o.EntityID, err = idAt[loci.EntityID](r, 1); err != nil {
		return o, err
	}
	o.Content = r.Text(2)
	return o, scanAccess(r, 3, &o.GraphAccess, &o.CreatedAt)
}

func scanRelation(r *sqlitedb.Row) (x loci.Relation, err error) {
	if x.ID, err = idAt[loci.RelationID](r, 0); err != nil {
		return x, err
	}
	if x.FromID, err = idAt[loci.EntityID](r, 1); err != nil {
		return x, err
	}
	if x.ToID, err = idAt[loci.EntityID](r, 2); err != nil {
		return x, err
	}
	x.From, x.To, x.Type = r.Text(3), r.Text(4), r.Text(5)
	return x, scanAccess(r, 6, &x.GraphAccess, &x.CreatedAt)
}

// all runs a query and gathers its rows.
func all[T any](c *sqlitedb.Conn, q *query, scan func(*sqlitedb.Row) (T, error)) (list []T, err error) {
	err = c.Query(q.String(), q.args, func(r *sqlitedb.Row) error {
		row, err := scan(r)
		list = append(list, row)
		return err
	})
	return list, err
}

// entities returns the visible entities that where admits, in the order stored.
func (tx *graphTx) entities(v loci.Viewer, l loci.Lifecycle, where string, args ...any) ([]loci.Entity, error) {
	var q query
	q.add("SELECT " + entityColumns + " FROM entities e WHERE ")
	tx.sees(&q, v, "e", l)
	q.add(" AND "+where, args...)
	return all(tx.c, &q, scanEntity)
}

// named returns at most limit of the live visible entities of a name, oldest first.
func (tx *graphTx) named(v loci.Viewer, ref loci.EntityRef, limit int) ([]loci.Entity, error) {
	if ref.Type == "" {
		return tx.entities(v, loci.LiveOnly, "e.name = ? ORDER BY e.seq LIMIT ?", ref.Name, limit)
	}
	return tx.entities(v, loci.LiveOnly, "e.name = ? AND e.entity_type = ? ORDER BY e.seq LIMIT ?", ref.Name, ref.Type, limit)
}

// seesRelation holds for a relation and both its ends.
func (tx *graphTx) seesRelation(q *query, v loci.Viewer, l loci.Lifecycle) {
	tx.sees(q, v, "r", l)
	q.add(" AND ")
	tx.sees(q, v, "f", l)
	q.add(" AND ")
	tx.sees(q, v, "t", l)
}

// countHits is the SQL function hits(table): how often the words of a query occur in the first
// column of a matching row, and, times 2³², in the second. bm25 would look at rows that the reader may not see.
func countHits(ctx fts5.Context, result sqlite3.Context, _ ...sqlite3.Value) {
	n, err := ctx.InstCount()
	var counts [2]int64
	for i := 0; i < n && err == nil; i++ {
		var column int
		if _, column, _, err = ctx.Inst(i); err == nil {
			counts[column]++
		}
	}
	if err != nil {
		result.ResultError(err)
		return
	}
	result.ResultInt64(counts[0] | counts[1]<<32)
}

// matchText writes a query in FTS5's syntax. Words are quoted, so nothing in
// them is an operator.
func matchText(q *loci.GraphQuery) string {
	if q.Op == loci.GraphWords {
		text := `"` + strings.ReplaceAll(q.Text, `"`, `""`) + `"`
		if q.Prefix {
			text += " *"
		}
		return text
	}
	parts := make([]string, len(q.Parts))
	for i, p := range q.Parts {
		parts[i] = matchText(p)
	}
	return "(" + strings.Join(parts, " "+strings.ToUpper(string(q.Op))+" ") + ")"
}
