package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// changed adds a deletion or restoration to the history.
func (tx *GraphTx) changed(change, kind, id string, by loci.GraphAccess) error {
	return tx.c.Exec("INSERT INTO changes ({graph} at, change, kind, row_id, user_id, origin) VALUES ({graph ?} ?, ?, "+
		"?, ?, ?, ?)",
		ISO(tx.now()), change, kind, id, by.UserID.String(), by.Origin)
}

func (n entities) Delete(_ context.Context, v loci.Viewer, by loci.GraphAccess, refs []loci.EntityRef) (
	deleted []loci.Entity, err error) {
	if err := n.mayEnter(v); err != nil {
		return nil, err
	}
	for _, ref := range refs {
		for {
			list, err := n.meant(v, ref, loci.MaxGraphItems)
			if err != nil {
				return nil, err
			}
			before := len(deleted)
			for i := range list {
				if spared, err := n.spareEntity(v, &list[i]); err != nil || spared {
					if err != nil {
						return nil, err
					}
					continue
				}
				if err := n.deleteEntity(list[i].ID.String(), by); err != nil {
					return nil, err
				}
				deleted = append(deleted, list[i])
			}
			if len(deleted) == before || len(list) < loci.MaxGraphItems {
				break
			}
		}
	}
	return deleted, nil
}

// deleteEntity also deletes the observations and relations of the entity, including those that the caller cannot see.
// Without their entity nobody could reach them. A restoration restores them all.
func (tx *GraphTx) deleteEntity(id string, by loci.GraphAccess) error {
	now := ISO(tx.time())
	for _, text := range []string{
		"UPDATE observations SET deleted_at = ?, deleted_with = ? WHERE {graph observations} entity_id = ? AND deleted_at " +
			"IS NULL",
		"UPDATE relations SET deleted_at = ?, deleted_with = ? WHERE {graph relations} from_entity = ? AND deleted_at " +
			"IS NULL",
		"UPDATE relations SET deleted_at = ?, deleted_with = ? WHERE {graph relations} to_entity = ? AND deleted_at IS NULL",
	} {
		if err := tx.c.Exec(text, now, id, id); err != nil {
			return err
		}
	}
	if err := tx.c.Exec("UPDATE entities SET deleted_at = ?, updated_at = ? WHERE {graph entities} id = ?", now, now,
		id); err != nil {
		return err
	}
	return tx.changed("deleted", "entity", id, by)
}

func (n entities) DeleteObservations(_ context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.Contents) (
	count int, err error) {
	if err := n.mayEnter(v); err != nil {
		return 0, err
	}
	for _, item := range items {
		list, err := n.meant(v, item.Entity, loci.MaxGraphItems)
		if err != nil {
			return 0, err
		}
		for _, e := range list {
			for _, text := range loci.Unique(item.Contents) {
				var q Query
				n.sameObservations(&q, v, e.ID.String(), text)
				list, err := all(n.c, q.String(), q.Args, scanObservation)
				if err != nil {
					return 0, err
				}
				k, err := n.forget(by, &e, list)
				if err != nil {
					return 0, err
				}
				count += k
			}
		}
	}
	return count, nil
}

func (tx *GraphTx) forget(by loci.GraphAccess, e *loci.Entity, list []loci.Observation) (count int, err error) {
	known := false // to everyone who sees the entity
	for i := range list {
		o := &list[i]
		if tx.spare(&o.GraphAccess, func(ids *store.GraphIDs) { ids.Observations = append(ids.Observations, o.ID) }) {
			continue
		}
		if err := tx.deleteRow("observations", "observation", o.ID.String(), by); err != nil {
			return 0, err
		}
		known = known || loci.Covers(o.AllowedVendors, e.AllowedVendors)
		count++
	}
	if known {
		err = tx.touch(e.ID.String())
	}
	return count, err
}

func (tx *GraphTx) deleteRow(table, kind, id string, by loci.GraphAccess) error {
	if err := tx.c.Exec("UPDATE "+table+" SET deleted_at = ?, deleted_with = NULL WHERE {graph "+table+"} id = ?",
		ISO(tx.now()), id); err != nil {
		return err
	}
	return tx.changed("deleted", kind, id, by)
}

func (n entities) DeleteRelations(_ context.Context, v loci.Viewer, by loci.GraphAccess, items []loci.NewRelation) (
	count int, err error) {
	if err := n.mayEnter(v); err != nil {
		return 0, err
	}
	for _, item := range items {
		froms, err := n.meant(v, item.From, loci.MaxGraphItems)
		if err != nil {
			return 0, err
		}
		tos, err := n.meant(v, item.To, loci.MaxGraphItems)
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

func (tx *GraphTx) unrelate(v loci.Viewer, by loci.GraphAccess, from, kind, to string) (int, error) {
	var q Query
	tx.sameRelations(&q, v, from, kind, to)
	list, err := all(tx.c, q.String(), q.Args, scanRelation)
	if err != nil {
		return 0, err
	}
	return tx.unrelateAll(by, list)
}

func (tx *GraphTx) unrelateAll(by loci.GraphAccess, list []loci.Relation) (count int, err error) {
	for i := range list {
		r := &list[i]
		if tx.spare(&r.GraphAccess, func(ids *store.GraphIDs) { ids.Relations = append(ids.Relations, r.ID) }) {
			continue
		}
		if err := tx.deleteRow("relations", "relation", r.ID.String(), by); err != nil {
			return 0, err
		}
		count++
	}
	return count, nil
}

func (n entities) Restore(_ context.Context, v loci.Viewer, by loci.GraphAccess, items store.GraphIDs) (
	count int, err error) {
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

// restoreEntity restores everything that the deletion removed. A relation whose other end is
// deleted stays deleted until that end is restored.
func (tx *GraphTx) restoreEntity(v loci.Viewer, by loci.GraphAccess, id loci.EntityID) error {
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
		return loci.Errorf(loci.Conflict, "cannot restore: another entity %q of this type exists; delete that one first",
			loci.OneLine(list[0].Name))
	}
	entity := id.String()
	if err := tx.c.Exec("UPDATE entities SET deleted_at = NULL, updated_at = ? WHERE {graph entities} id = ?",
		ISO(tx.now()), entity); err != nil {
		return err
	}
	if err := tx.c.Exec(`UPDATE observations SET deleted_at = NULL, deleted_with = NULL
		WHERE {graph observations} entity_id = ? AND deleted_with = ? AND deleted_at IS NOT NULL`, entity,
		entity); err != nil {
		return err
	}
	const otherEnd = "FROM entities e WHERE {graph e} e.id IN (from_entity, to_entity) AND e.deleted_at IS NOT NULL)"
	for _, end := range []string{"from_entity", "to_entity"} {
		if err := tx.c.Exec("UPDATE relations SET deleted_at = CASE WHEN EXISTS (SELECT 1 "+otherEnd+
			" THEN deleted_at END, deleted_with = (SELECT e.id "+
			otherEnd+" WHERE {graph relations} "+end+" = ? AND deleted_at IS NOT NULL AND deleted_with = ?", entity,
			entity); err != nil {
			return err
		}
	}
	return tx.changed("restored", "entity", entity, by)
}

func (tx *GraphTx) restoreObservation(v loci.Viewer, by loci.GraphAccess, id loci.ObservationID) error {
	var q Query
	live := false
	q.Add("SELECT e.deleted_at IS NULL FROM observations o {join} entities e ON {graph e} e.id = o.entity_id WHERE "+
		"{graph o} o.id = ? AND ", id.String())
	tx.Sees(&q, v, "o", loci.TrashOnly)
	q.Add(" AND ")
	tx.Sees(&q, v, "e", loci.AnyState)
	found, err := tx.c.One(q.String(), q.Args, func(r Row) error { live = r.Bool(0); return nil })
	return tx.restoreRow("observations", "observation", id.String(), by, found, live, err)
}

func (tx *GraphTx) restoreRelation(v loci.Viewer, by loci.GraphAccess, id loci.RelationID) error {
	var q Query
	live := false
	q.Add("SELECT f.deleted_at IS NULL AND t.deleted_at IS NULL FROM "+fromRelations+" WHERE {graph r} r.id = ? AND ",
		id.String())
	tx.Sees(&q, v, "r", loci.TrashOnly)
	q.Add(" AND ")
	tx.Sees(&q, v, "f", loci.AnyState)
	q.Add(" AND ")
	tx.Sees(&q, v, "t", loci.AnyState)
	found, err := tx.c.One(q.String(), q.Args, func(r Row) error { live = r.Bool(0); return nil })
	return tx.restoreRow("relations", "relation", id.String(), by, found, live, err)
}

func (tx *GraphTx) restoreRow(table, kind, id string, by loci.GraphAccess, found, live bool, err error) error {
	switch {
	case err != nil:
		return err
	case !found:
		return loci.Errorf(loci.NotFound, "no such %s", kind)
	case !live:
		return loci.Errorf(loci.Conflict, "cannot restore this %s: its entity is deleted; restore the entity instead", kind)
	}
	if err := tx.c.Exec("UPDATE "+table+" SET deleted_at = NULL, deleted_with = NULL WHERE {graph "+table+"} id = ?",
		id); err != nil {
		return err
	}
	return tx.changed("restored", kind, id, by)
}
