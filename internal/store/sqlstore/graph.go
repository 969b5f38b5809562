package sqlstore

import (
	"fmt"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// GraphTx is a transaction on the graph of one project. It implements store.GraphTx except for Check and Rebuild.
type GraphTx struct {
	p    loci.Project
	c    Conn
	d    *Dialect
	now  func() time.Time
	may  func(*loci.GraphAccess) bool // nil: deletions leave nothing
	left store.Spared
}

// GraphOptions are what a transaction needs besides its connection. All fields are required.
type GraphOptions struct {
	Project loci.Project
	Now     func() time.Time
}

// NewGraph returns a transaction that runs on c, which is confined to o.Project.
func NewGraph(c Conn, d *Dialect, o GraphOptions) *GraphTx {
	return &GraphTx{p: o.Project, c: c, d: d, now: o.Now}
}

type (
	entities struct{ *GraphTx }
	graph    struct{ *GraphTx }
)

// Project returns the project, as it was when the transaction began.
func (tx *GraphTx) Project() loci.Project { return tx.p }

// Entities returns the writes to the graph.
func (tx *GraphTx) Entities() store.Entities { return entities{tx} }

// Graph returns the reads of the graph.
func (tx *GraphTx) Graph() store.Graph { return graph{tx} }

// Try runs fn and rolls back its writes if it fails.
func (tx *GraphTx) Try(fn func() error) error { return tx.c.Try(fn) }

// Sees adds loci.Viewer.SeesGraph over a row of the graph. Every statement that returns text or
// existence uses it. A property test compares it with the rule.
func (tx *GraphTx) Sees(q *Query, v loci.Viewer, alias string, l loci.Lifecycle) {
	if !v.InProject(&tx.p) {
		q.Add("FALSE")
		return
	}
	switch l {
	case loci.LiveOnly:
		q.Add(alias + ".deleted_at IS NULL")
	case loci.TrashOnly:
		q.Add(alias + ".deleted_at IS NOT NULL")
	case loci.LiveOrTrash, loci.AnyState:
		q.Add("TRUE")
	default:
		q.Add("FALSE")
	}
	vendorMay(q, v, alias)
}

const accessColumns = "user_id, %[1]s.origin, %[1]s.allowed_vendors, %[1]s.deleted_at, %[1]s.created_at, " +
	"%[1]s.secrets_kept"

func withAccess(alias, own string) string {
	return own + ", " + alias + "." + fmt.Sprintf(accessColumns, alias)
}

var (
	entityColumns      = withAccess("e", "e.id, e.name, e.entity_type, e.updated_at")
	observationColumns = withAccess("o", "o.id, o.entity_id, o.content")
	relationColumns    = withAccess("r", "r.id, r.from_entity, r.to_entity, f.name, t.name, r.relation_type")
)

const (
	// fromRelations joins both ends to each relation.
	fromRelations = "relations r" + relationEnds
	relationEnds  = " {join} entities f ON {graph f} f.id = r.from_entity {join} entities t ON {graph t} " +
		"t.id = r.to_entity"
	// relationsFrom and relationsTo join the relations to each value of a list of entities.
	relationsFrom = " FROM {each ?} {join} relations r ON {graph r} r.from_entity = value" + relationEnds + " WHERE "
	relationsTo   = " FROM {each ?} {join} relations r ON {graph r} r.to_entity = value" + relationEnds + " WHERE "
)

func scanAccess(r Row, i int, a *loci.GraphAccess, created *time.Time) (err error) {
	if a.UserID, err = IDAt[loci.UserID](r, i); err != nil {
		return err
	}
	a.Origin, a.DeletedAt, *created, a.SecretsKept = r.Text(i+1), isoAt(r, i+3), isoAt(r, i+4), r.Bool(i+5)
	a.AllowedVendors, err = fromJSON[loci.Vendor](r.Raw(i + 2))
	return err
}

func scanEntity(r Row) (e loci.Entity, err error) {
	if e.ID, err = IDAt[loci.EntityID](r, 0); err != nil {
		return e, err
	}
	e.Name, e.Type, e.UpdatedAt = r.Text(1), r.Text(2), isoAt(r, 3)
	e.Observations, e.Relations = []loci.Observation{}, []loci.Relation{}
	return e, scanAccess(r, 4, &e.GraphAccess, &e.CreatedAt)
}

func scanObservation(r Row) (o loci.Observation, err error) {
	if o.ID, err = IDAt[loci.ObservationID](r, 0); err != nil {
		return o, err
	}
	if o.EntityID, err = IDAt[loci.EntityID](r, 1); err != nil {
		return o, err
	}
	o.Content = r.Text(2)
	return o, scanAccess(r, 3, &o.GraphAccess, &o.CreatedAt)
}

func scanRelation(r Row) (x loci.Relation, err error) {
	if x.ID, err = IDAt[loci.RelationID](r, 0); err != nil {
		return x, err
	}
	if x.FromID, err = IDAt[loci.EntityID](r, 1); err != nil {
		return x, err
	}
	if x.ToID, err = IDAt[loci.EntityID](r, 2); err != nil {
		return x, err
	}
	x.From, x.To, x.Type = r.Text(3), r.Text(4), r.Text(5)
	return x, scanAccess(r, 6, &x.GraphAccess, &x.CreatedAt)
}

func all[T any](c Conn, text string, args Args, scan func(Row) (T, error)) (list []T, err error) {
	err = c.Query(text, args, func(r Row) error {
		row, err := scan(r)
		list = append(list, row)
		return err
	})
	return list, err
}

// each is all for rows that can always be read.
func each[T any](c Conn, text string, args Args, scan func(Row) T) ([]T, error) {
	return all(c, text, args, func(r Row) (T, error) { return scan(r), nil })
}

// entities returns the visible entities that match where, in the order stored.
func (tx *GraphTx) entities(v loci.Viewer, l loci.Lifecycle, where string, args ...any) ([]loci.Entity, error) {
	var q Query
	q.Add("SELECT " + entityColumns + " FROM entities e WHERE {graph e} ")
	tx.Sees(&q, v, "e", l)
	q.Add(" AND "+where, args...)
	return all(tx.c, q.String(), q.Args, scanEntity)
}

// named returns the live visible entities with a name, oldest first, at most limit.
func (tx *GraphTx) named(v loci.Viewer, ref loci.EntityRef, limit int) ([]loci.Entity, error) {
	if ref.Type == "" {
		return tx.entities(v, loci.LiveOnly, "e.name = ? ORDER BY e.seq LIMIT ?", ref.Name, limit)
	}
	return tx.entities(v, loci.LiveOnly, "e.name = ? AND e.entity_type = ? ORDER BY e.seq LIMIT ?", ref.Name, ref.Type,
		limit)
}

// meant is named for a name that a caller refers to. If no entity has it, it is read as Loci stores new names.
func (tx *GraphTx) meant(v loci.Viewer, ref loci.EntityRef, limit int) ([]loci.Entity, error) {
	list, err := tx.named(v, ref, limit)
	if label := loci.Label(ref.Name); err == nil && len(list) == 0 && label != ref.Name {
		ref.Name = label
		return tx.named(v, ref, limit)
	}
	return list, err
}

// seesRelation requires that the viewer sees the relation and both its ends.
func (tx *GraphTx) seesRelation(q *Query, v loci.Viewer, l loci.Lifecycle) {
	tx.Sees(q, v, "r", l)
	q.Add(" AND ")
	tx.Sees(q, v, "f", l)
	q.Add(" AND ")
	tx.Sees(q, v, "t", l)
}
