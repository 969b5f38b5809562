package sqlite

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// changed enters a deletion or restoration in the history.
func (tx *graphTx) changed(change, kind, id string, by loci.GraphAccess) error {
	return tx.c.Exec("INSERT INTO changes (at, change, kind, row_id, user_id, origin) VALUES (?, ?, ?, ?, ?, ?)",
		iso(tx.now()), change, kind, id, by.UserID.String(), by.Origin)
}

func (n nodes) Delete(_ context.Context, v loci.Viewer, by loci.GraphAccess, refs []loci.EntityRef) (count int, err error) {
	if err := n.mayEnter(v); err != nil {
		return 0, err
	}
	for _, ref := range refs {
		for {
			list, err := n.named(v, ref, loci.MaxGraphItems)
			if err != nil {
				return 0, err
			}
			for _, e := range list {
				if err := n.deleteEntity(e.ID.String(), by); err != nil {
					return 0, err
				}
			}
			if count += len(list); len(list) == 0 {
				break
			}
		}
	}
	return count, nil
}

// deleteEntity takes along what hangs on the entity, also what the caller may
// not see: without its entity it would be in nobody's reach. A restoration brings all of it back.
func (tx *graphTx) deleteEntity(id string, by loci.GraphAccess) error {
	now := iso(tx.time())
	for _, sql := range []string{
		"UPDATE observations SET deleted_at = ?1, deleted_with = ?2 WHERE entity_id = ?2 AND deleted_at IS NULL",
		"UPDATE relations SET deleted_at = ?1, deleted_with = ?2 WHERE from_entity = ?2 AND deleted_at IS NULL",
		"UPDATE relations SET deleted_at = ?1, deleted_with = ?2 WHERE to_entity = ?2 AND deleted_at IS NULL",
		"UPDATE entities SET deleted_at = ?1, updated_at = ?1 WHERE id = ?2",
	} {
		if err := tx.c.Exec(sql, now, id); err != nil {
			return err
		}
	}
	return tx.changed("deleted", "entity", id, by)
}

func (n nodes) DeleteObservations(_ context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.Contents) (count int, err error) {
	if err := n.mayEnter(v); err != nil {
		return 0, err
	}
	for _, item := range items {
		list, err := n.named(v, item.Entity, loci.MaxGraphItems)
		if err != nil {
			return 0, err
		}
		for _, e := range list {
			k, err := n.forget(v, by, &e, item.Contents)
			if err != nil {
				return 0, err
			}
			count += k
		}
	}
	return count, nil
}

func (tx *graphTx) forget(v loci.Viewer, by loci.GraphAccess, e *loci.Entity, contents []string) (count int, err error) {
	known := false // to all who see the entity
	for _, text := range loci.Unique(contents) {
		var q query
		tx.sameObservations(&q, v, e.ID.String(), text)
		list, err := all(tx.c, &q, scanObservation)
		if err != nil {
			return 0, err
		}
		for _, o := range list {
			if err := tx.deleteRow("observations", "observation", o.ID.String(), by); err != nil {
				return 0, err
			}
			known = known || loci.Covers(o.AllowedVendors, e.AllowedVendors)
		}
		count += len(list)
	}
	if known {
		err = tx.touch(e.ID.String())
	}
	return count, err
}

func (tx *graphTx) deleteRow(table, kind, id string, by loci.GraphAccess) error {
	if err := tx.c.Exec("UPDATE "+table+" SET deleted_at = ?, deleted_with = NULL WHERE id = ?", iso(tx.now()), id); err != nil {
		return err
	}
	return tx.changed("deleted", kind, id, by)
}

func (n nodes) DeleteRelations(_ context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.NewRelation) (count int, err error) {
	if err := n.mayEnter(v); err != nil {
		return 0, err
	}
	for _, item := range items {
		froms, err := n.named(v, item.From, loci.MaxGraphItems)
		if err != nil {
			return 0, err
		}
		tos, err := n.named(v, item.To, loci.MaxGraphItems)
		if err != nil {
			return 0, err
		}
		for _, from := range froms {
			for _, to := range tos {
				k, err := n.unrelate(v, by, from.ID.String(), item.Type, to.ID.String())
				if err != nil {
					return 0, err
				}
				count += k
			}
		}
	}
	return count, nil
}

func (tx *graphTx) unrelate(v loci.Viewer, by loci.GraphAccess, from, kind, to string) (int, error) {
	var q query
	tx.sameRelations(&q, v, from, kind, to)
	list, err := all(tx.c, &q, scanRelation)
	for _, r := range list {
		if err == nil {
			err = tx.deleteRow("relations", "relation", r.ID.String(), by)
		}
	}
	return len(list), err
}

func (n nodes) Restore(_ context.Context, v loci.Viewer, by loci.GraphAccess, items store.GraphIDs) (count int, err error) {
	if err := n.mayEnter(v); err != nil {
		return 0, err
	}
	bad := refusals{}
	do := func(err error) error {
		if err != nil {
			err = bad.add(count, err)
		}
		count++
		return err
	}
	for _, id := range items.Entities {
		if err := do(n.restoreEntity(v, by, id)); err != nil {
			return 0, err
		}
	}
	for _, id := range items.Observations {
		if err := do(n.restoreObservation(v, by, id)); err != nil {
			return 0, err
		}
	}
	for _, id := range items.Relations {
		if err := do(n.restoreRelation(v, by, id)); err != nil {
			return 0, err
		}
	}
	if err := bad.err(); err != nil {
		return 0, err
	}
	return count, nil
}

// restoreEntity brings back what the deletion took along. A relation whose
// other end is deleted waits for that one.
func (tx *graphTx) restoreEntity(v loci.Viewer, by loci.GraphAccess, id loci.EntityID) error {
	list, err := tx.entities(v, loci.TrashOnly, "e.id = ?", id.String())
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return loci.NoSuchEntity()
	}
	same, err := tx.named(v, loci.EntityRef{Name: list[0].Name, Type: list[0].Type}, 1)
	if err != nil {
		return err
	}
	if len(same) > 0 {
		return loci.Errorf(loci.Conflict, "an entity %q of this type exists; delete it first", loci.OneLine(list[0].Name))
	}
	for _, sql := range []string{
		"UPDATE entities SET deleted_at = NULL, updated_at = ?2 WHERE id = ?1",
		"UPDATE observations SET deleted_at = NULL, deleted_with = NULL WHERE entity_id = ?1 AND deleted_with = ?1 AND deleted_at IS NOT NULL AND ?2 <> ''",
	} {
		if err := tx.c.Exec(sql, id.String(), iso(tx.now())); err != nil {
			return err
		}
	}
	for _, end := range []string{"from_entity", "to_entity"} {
		if err := tx.c.Exec(`UPDATE relations SET
			deleted_at = iif((SELECT count(*) FROM entities e WHERE e.id IN (from_entity, to_entity) AND e.deleted_at IS NOT NULL) = 0, NULL, deleted_at),
			deleted_with = (SELECT e.id FROM entities e WHERE e.id IN (from_entity, to_entity) AND e.deleted_at IS NOT NULL)
			WHERE `+end+" = ?1 AND deleted_at IS NOT NULL AND deleted_with = ?1", id.String()); err != nil {
			return err
		}
	}
	return tx.changed("restored", "entity", id.String(), by)
}

func (tx *graphTx) restoreObservation(v loci.Viewer, by loci.GraphAccess, id loci.ObservationID) error {
	var q query
	live := false
	q.add("SELECT e.deleted_at IS NULL FROM observations o CROSS JOIN entities e ON e.id = o.entity_id WHERE o.id = ? AND ", id.String())
	tx.sees(&q, v, "o", loci.TrashOnly)
	q.add(" AND ")
	tx.sees(&q, v, "e", loci.AnyState)
	found, err := tx.c.One(q.String(), q.args, func(r *sqlitedb.Row) error { live = r.Bool(0); return nil })
	return tx.restoreRow("observations", "observation", id.String(), by, found, live, err)
}

func (tx *graphTx) restoreRelation(v loci.Viewer, by loci.GraphAccess, id loci.RelationID) error {
	var q query
	live := false
	q.add("SELECT f.deleted_at IS NULL AND t.deleted_at IS NULL FROM "+fromRelations+" WHERE r.id = ? AND ", id.String())
	tx.sees(&q, v, "r", loci.TrashOnly)
	q.add(" AND ")
	tx.sees(&q, v, "f", loci.AnyState)
	q.add(" AND ")
	tx.sees(&q, v, "t", loci.AnyState)
	found, err := tx.c.One(q.String(), q.args, func(r *sqlitedb.Row) error { live = r.Bool(0); return nil })
	return tx.restoreRow("relations", "relation", id.String(), by, found, live, err)
}

func (tx *graphTx) restoreRow(table, kind, id string, by loci.GraphAccess, found, live bool, err error) error {
	switch {
	case err != nil:
		return err
	case !found:
		return loci.Errorf(loci.NotFound, "no such %s", kind)
	case !live:
		return loci.Errorf(loci.Conflict, "the entity of this %s is deleted; restore that", kind)
	}
	if err := tx.c.Exec("UPDATE "+table+" SET deleted_at = NULL, deleted_with = NULL WHERE id = ?", id); err != nil {
		return err
	}
	return tx.changed("restored", kind, id, by)
}
