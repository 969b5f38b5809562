package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
)

// mergeRows is how many rows a merge keeps in memory at a time.
const mergeRows = 32

// merge is the state of merging one entity into another.
type merge struct {
	*GraphTx
	from, into *loci.Entity
	known      bool // everyone who sees into also sees that something was added
}

func (n entities) Merge(ctx context.Context, v loci.Viewer, by loci.GraphAccess, from, into loci.EntityID) (
	loci.Entity, error) {
	if err := n.mayEnter(v); err != nil {
		return loci.Entity{}, err
	}
	if from == into {
		return loci.Entity{}, loci.FieldErrorf("into", "must be another entity")
	}
	list, err := n.entities(v, loci.LiveOnly, "e.id IN (?, ?) ORDER BY e.id = ?", from.String(), into.String(),
		into.String())
	if err != nil {
		return loci.Entity{}, err
	}
	if len(list) < 2 {
		return loci.Entity{}, loci.NoSuchEntity()
	}
	m := merge{GraphTx: n.GraphTx, from: &list[0], into: &list[1]}
	spared, err := n.spareEntity(v, m.from)
	if err == nil && !spared {
		err = m.run(by)
	}
	if err != nil {
		return loci.Entity{}, err
	}
	merged, err := graph(n).Get(ctx, v, into)
	if err == nil && len(merged) == 0 {
		err = loci.NoSuchEntity()
	}
	if err != nil {
		return loci.Entity{}, err
	}
	return merged[0], nil
}

// run also moves rows that the caller cannot see. Otherwise nobody could reach them.
func (m *merge) run(by loci.GraphAccess) error {
	if err := m.observations(); err != nil {
		return err
	}
	if err := m.relations(); err != nil {
		return err
	}
	if m.known {
		if err := m.touch(m.into.ID.String()); err != nil {
			return err
		}
	}
	for _, e := range []*loci.Entity{m.from, m.into} {
		err := m.c.Exec("INSERT INTO changes ({graph} at, change, kind, row_id, user_id, origin, merged_from, "+
			"merged_into) VALUES ({graph ?} ?, 'merged', 'entity', ?, ?, ?, ?, ?)",
			ISO(m.now()), e.ID.String(), by.UserID.String(), by.Origin, m.from.ID.String(), m.into.ID.String())
		if err != nil {
			return err
		}
	}
	return m.deleteEntity(m.from.ID.String(), by)
}

func (m *merge) observations() error {
	return inBatches(m.c, batchQuery{"SELECT " + observationColumns + ", o.seq FROM observations o WHERE {graph o} " +
		"o.entity_id = ? AND o.deleted_at IS NULL AND o.seq > ? ORDER BY o.seq LIMIT ?",
		m.from.ID.String(), observationWidth}, scanObservation, func(o *loci.Observation) error {
		o.ID, o.EntityID = loci.NewObservationID(), m.into.ID
		entity := o.EntityID.String()
		if there, err := m.narrow(&o.GraphAccess,
			"SELECT o.allowed_vendors FROM observations o WHERE {graph o} o.hash = ? AND o.entity_id = ? AND o.content = ? "+
				"AND o.deleted_at IS NULL",
			GraphHash(entity, o.Content), entity, o.Content); err != nil || there {
			return err
		}
		return m.storeObservations([]loci.Observation{*o})
	})
}

// relations turns a relation of the entity to itself into one that begins there.
func (m *merge) relations() error {
	for _, end := range []string{"r.to_entity = ? AND r.from_entity <> r.to_entity", "r.from_entity = ?"} {
		err := inBatches(m.c, batchQuery{"SELECT " + relationColumns + ", r.seq FROM " + fromRelations + " WHERE {graph r} " +
			end + " AND r.deleted_at IS NULL AND r.seq > ? ORDER BY r.seq LIMIT ?",
			m.from.ID.String(), relationWidth}, scanRelation, m.relation)
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *merge) relation(r *loci.Relation) error {
	if r.FromID == m.into.ID || r.ToID == m.into.ID {
		return nil // a relation between the two
	}
	r.ID = loci.NewRelationID()
	if r.FromID == m.from.ID {
		r.FromID = m.into.ID
	}
	if r.ToID == m.from.ID {
		r.ToID = m.into.ID
	}
	from, to := r.FromID.String(), r.ToID.String()
	if there, err := m.narrow(&r.GraphAccess, `SELECT r.allowed_vendors FROM relations r
		WHERE {graph r} r.hash = ? AND r.from_entity = ? AND r.to_entity = ? AND r.relation_type = ?
		AND r.deleted_at IS NULL`,
		GraphHash(from, to, r.Type), from, to, r.Type); err != nil || there {
		return err
	}
	if err := m.note(r); err != nil {
		return err
	}
	return m.storeRelation(r)
}

// note records who sees a new relation: those who may read it and both its ends.
func (m *merge) note(r *loci.Relation) error {
	readers := r.AllowedVendors
	err := m.c.Query("SELECT e.allowed_vendors FROM entities e WHERE {graph e} e.id IN (?, ?)",
		Args{r.FromID.String(), r.ToID.String()}, func(row Row) error {
			list, err := fromJSON[loci.Vendor](row.Raw(0))
			readers = loci.Narrowed(readers, list)
			return err
		})
	m.known = m.known || loci.Covers(readers, m.into.AllowedVendors)
	return err
}

// narrow changes a row's access to that of its copy. there reports whether an equal row exists
// that everyone who may read the copy may read, too. A row with other readers does not count:
// dropping the copy would hide it from its readers and reveal the other row.
func (m *merge) narrow(a *loci.GraphAccess, same string, args ...any) (there bool, err error) {
	a.AllowedVendors = loci.Narrowed(a.AllowedVendors, m.from.AllowedVendors)
	err = m.c.Query(same, args, func(r Row) error {
		list, err := fromJSON[loci.Vendor](r.Raw(0))
		if there = loci.Covers(list, a.AllowedVendors); there && err == nil {
			return ErrStop
		}
		return err
	})
	return there, err
}

// batchQuery is a query about an id. Its other parameters are the number of the last row and a
// limit. seq is the column with the row number.
type batchQuery struct {
	sql, id string
	seq     int
}

func inBatches[T any](c Conn, q batchQuery, scan func(Row) (T, error), fn func(*T) error) error {
	for after := int64(0); ; {
		var list []T
		err := c.Query(q.sql, Args{q.id, after, mergeRows}, func(r Row) error {
			row, err := scan(r)
			list, after = append(list, row), r.Int64(q.seq)
			return err
		})
		for i := range list {
			if err == nil {
				err = fn(&list[i])
			}
		}
		if err != nil {
			return err
		}
		if len(list) < mergeRows {
			return nil
		}
	}
}
