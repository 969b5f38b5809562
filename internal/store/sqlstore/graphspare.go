package sqlstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Spare implements store.GraphTx.
func (tx *GraphTx) Spare(may func(*loci.GraphAccess) bool) *store.Spared {
	tx.may, tx.left = may, store.Spared{AllowedVendors: []loci.Vendor{loci.AnyVendor}}
	return &tx.left
}

// spare reports whether a deletion leaves a row, which add then adds to what is left.
func (tx *GraphTx) spare(a *loci.GraphAccess, add func(*store.GraphIDs)) bool {
	if tx.may == nil || tx.may(a) {
		return false
	}
	add(&tx.left.GraphIDs)
	tx.left.AllowedVendors = loci.Narrowed(tx.left.AllowedVendors, a.AllowedVendors)
	return true
}

// spareEntity is spare for an entity, which is also left because of its rows that v sees.
func (tx *GraphTx) spareEntity(v loci.Viewer, e *loci.Entity) (spared bool, err error) {
	if tx.may == nil {
		return false, nil
	}
	add := func(ids *store.GraphIDs) {
		if !slices.Contains(ids.Entities, e.ID) {
			ids.Entities = append(ids.Entities, e.ID)
		}
	}
	spared = tx.spare(&e.GraphAccess, add)
	var observations, relations Query
	id := e.ID.String()
	observations.Add("SELECT DISTINCT o.user_id, o.origin, o.allowed_vendors, '[\"*\"]', '[\"*\"]' FROM observations o "+
		"WHERE {graph o} o.entity_id = ? AND ", id)
	tx.Sees(&observations, v, "o", loci.LiveOnly)
	relations.Add("SELECT DISTINCT r.user_id, r.origin, r.allowed_vendors, f.allowed_vendors, t.allowed_vendors FROM "+
		fromRelations+" WHERE {graph r} (r.from_entity = ? OR r.to_entity = ?) AND ", id, id)
	tx.seesRelation(&relations, v, loci.LiveOnly)
	for _, q := range []*Query{&observations, &relations} {
		err := tx.c.Query(q.String(), q.Args, func(r Row) (err error) {
			a := loci.GraphAccess{Origin: r.Text(1), AllowedVendors: e.AllowedVendors}
			if a.UserID, err = IDAt[loci.UserID](r, 0); err != nil {
				return err
			}
			for i := 2; i < 5; i++ {
				list, err := fromJSON[loci.Vendor](r.Raw(i))
				if err != nil {
					return err
				}
				a.AllowedVendors = loci.Narrowed(a.AllowedVendors, list)
			}
			spared = tx.spare(&a, add) || spared
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	return spared, nil
}

func (g graph) Named(_ context.Context, v loci.Viewer, ids store.GraphIDs, l loci.Lifecycle) (
	rows store.GraphRows, err error) {
	if len(ids.Entities) > 0 {
		rows.Entities, err = g.entities(v, l, "e.id IN (SELECT value FROM {each ?})", toJSON(ids.Entities))
	}
	if err == nil && len(ids.Observations) > 0 {
		var q Query
		q.Add("SELECT "+observationColumns+" FROM observations o {join} entities e ON {graph e} e.id = o.entity_id WHERE "+
			"{graph o} o.id IN (SELECT value FROM {each ?}) AND ", toJSON(ids.Observations))
		g.Sees(&q, v, "o", l)
		q.Add(" AND ")
		g.Sees(&q, v, "e", l)
		rows.Observations, err = all(g.c, q.String(), q.Args, scanObservation)
	}
	if err == nil && len(ids.Relations) > 0 {
		var q Query
		q.Add("SELECT "+relationColumns+" FROM "+fromRelations+" WHERE {graph r} r.id IN (SELECT value FROM {each ?}) AND ",
			toJSON(ids.Relations))
		g.seesRelation(&q, v, l)
		rows.Relations, err = all(g.c, q.String(), q.Args, scanRelation)
	}
	return rows, err
}

// toJSON lists ids as texts, as the rows of graphs and the registry of projects have them.
func toJSON[ID fmt.Stringer](ids []ID) string {
	return ToJSON(loci.Mapped(ids, ID.String))
}

func (n entities) DeleteRows(ctx context.Context, v loci.Viewer, by loci.GraphAccess, ids store.GraphIDs) (
	int, error) {
	if err := n.mayEnter(v); err != nil {
		return 0, err
	}
	rows, err := graph(n).Named(ctx, v, ids, loci.LiveOnly)
	if err != nil {
		return 0, err
	}
	count, err := n.unrelateAll(by, rows.Relations)
	if err != nil {
		return 0, err
	}
	for i := range rows.Observations {
		of := loci.Entity{ID: rows.Observations[i].EntityID}
		of.AllowedVendors = []loci.Vendor{loci.AnyVendor} // so that its time changes only if all see the observation
		k, err := n.forget(by, &of, rows.Observations[i:i+1])
		if err != nil {
			return 0, err
		}
		count += k
	}
	for i := range rows.Entities {
		spared, err := n.spareEntity(v, &rows.Entities[i])
		if err == nil && !spared {
			count++
			err = n.deleteEntity(rows.Entities[i].ID.String(), by)
		}
		if err != nil {
			return 0, err
		}
	}
	return count, nil
}
