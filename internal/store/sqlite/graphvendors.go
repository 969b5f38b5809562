package sqlite

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

func (n nodes) SetVendors(_ context.Context, v loci.Viewer, by loci.GraphAccess, items store.GraphIDs, vendors []loci.Vendor) (count int, err error) {
	if err := n.mayEnter(v); err != nil {
		return 0, err
	}
	bad := refusals{}
	index, list := 0, toJSON(loci.Unique(vendors))
	set := func(kind, table, id string, find *query) error {
		err := n.setVendors(find, kind, table, id, list, &count)
		if err != nil {
			err = bad.add(index, err)
		}
		index++
		return err
	}
	for _, id := range items.Entities {
		if err := set("entity", "entities", id.String(), n.ownEntity(v, by.UserID, id)); err != nil {
			return 0, err
		}
	}
	for _, id := range items.Observations {
		if err := set("observation", "observations", id.String(), n.ownObservation(v, by.UserID, id)); err != nil {
			return 0, err
		}
	}
	for _, id := range items.Relations {
		if err := set("relation", "relations", id.String(), n.ownRelation(v, by.UserID, id)); err != nil {
			return 0, err
		}
	}
	if err := bad.err(); err != nil {
		return 0, err
	}
	return count, nil
}

func (tx *graphTx) setVendors(find *query, kind, table, id, list string, count *int) error {
	was := ""
	found, err := tx.c.One(find.String(), find.args, func(r *sqlitedb.Row) error { was = r.Text(0); return nil })
	if err != nil || was == list {
		return err
	}
	if !found {
		return loci.Errorf(loci.NotFound, "no such %s of yours", kind)
	}
	*count++
	return tx.c.Exec("UPDATE "+table+" SET allowed_vendors = ? WHERE id = ?", list, id)
}

// What was written by somebody else is looked for like what is not there.

func (tx *graphTx) ownEntity(v loci.Viewer, user loci.UserID, id loci.EntityID) *query {
	var q query
	q.add("SELECT e.allowed_vendors FROM entities e WHERE e.id = ? AND e.user_id = ? AND ", id.String(), user.String())
	tx.sees(&q, v, "e", loci.LiveOnly)
	return &q
}

func (tx *graphTx) ownObservation(v loci.Viewer, user loci.UserID, id loci.ObservationID) *query {
	var q query
	q.add("SELECT o.allowed_vendors FROM observations o CROSS JOIN entities e ON e.id = o.entity_id WHERE o.id = ? AND o.user_id = ? AND ", id.String(), user.String())
	tx.sees(&q, v, "o", loci.LiveOnly)
	q.add(" AND ")
	tx.sees(&q, v, "e", loci.LiveOnly)
	return &q
}

func (tx *graphTx) ownRelation(v loci.Viewer, user loci.UserID, id loci.RelationID) *query {
	var q query
	q.add("SELECT r.allowed_vendors FROM "+fromRelations+" WHERE r.id = ? AND r.user_id = ? AND ", id.String(), user.String())
	tx.seesRelation(&q, v, loci.LiveOnly)
	return &q
}
