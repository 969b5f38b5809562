package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (n entities) SetVendors(_ context.Context, v loci.Viewer, by loci.GraphAccess, items store.GraphIDs,
	vendors []loci.Vendor) (count int, err error) {
	if err := n.mayEnter(v); err != nil {
		return 0, err
	}
	bad := refusals{}
	index, list := 0, ToJSON(loci.Unique(vendors))
	set := func(kind, table, id string, find *Query) error {
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

func (tx *GraphTx) setVendors(find *Query, kind, table, id, list string, count *int) error {
	was := ""
	found, err := tx.c.One(find.String(), find.Args, func(r Row) error { was = r.Text(0); return nil })
	if err != nil || was == list {
		return err
	}
	if !found {
		return loci.Errorf(loci.NotFound, "no such %s of yours", kind)
	}
	*count++
	return tx.c.Exec("UPDATE "+table+" SET allowed_vendors = ? WHERE {graph "+table+"} id = ?", list, id)
}

// Rows that someone else wrote are treated like rows that do not exist.

func (tx *GraphTx) ownEntity(v loci.Viewer, user loci.UserID, id loci.EntityID) *Query {
	var q Query
	q.Add("SELECT e.allowed_vendors FROM entities e WHERE {graph e} e.id = ? AND e.user_id = ? AND ", id.String(),
		user.String())
	tx.Sees(&q, v, "e", loci.LiveOnly)
	return &q
}

func (tx *GraphTx) ownObservation(v loci.Viewer, user loci.UserID, id loci.ObservationID) *Query {
	var q Query
	q.Add("SELECT o.allowed_vendors FROM observations o {join} entities e ON {graph e} e.id = o.entity_id WHERE {graph "+
		"o} o.id = ? AND o.user_id = ? AND ", id.String(), user.String())
	tx.Sees(&q, v, "o", loci.LiveOnly)
	q.Add(" AND ")
	tx.Sees(&q, v, "e", loci.LiveOnly)
	return &q
}

func (tx *GraphTx) ownRelation(v loci.Viewer, user loci.UserID, id loci.RelationID) *Query {
	var q Query
	q.Add("SELECT r.allowed_vendors FROM "+fromRelations+" WHERE {graph r} r.id = ? AND r.user_id = ? AND ", id.String(),
		user.String())
	tx.seesRelation(&q, v, loci.LiveOnly)
	return &q
}
