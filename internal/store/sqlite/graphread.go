package sqlite

import (
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

func (g graph) Get(_ context.Context, v loci.Viewer, id loci.EntityID) (loci.Entity, error) {
	list, err := g.entities(v, loci.LiveOnly, "e.id = ?", id.String())
	if err != nil {
		return loci.Entity{}, err
	}
	if len(list) == 0 {
		return loci.Entity{}, loci.NoSuchEntity()
	}
	return list[0], g.load(v, list)
}

func (g graph) Find(_ context.Context, v loci.Viewer, refs []loci.EntityRef) (found []loci.Entity, err error) {
	seen := map[loci.EntityID]bool{}
	for _, ref := range loci.Unique(refs) {
		list, err := g.named(v, ref)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if !seen[e.ID] {
				seen[e.ID] = true
				found = append(found, e)
			}
		}
	}
	return found, g.load(v, found)
}

func (g graph) Suggest(_ context.Context, v loci.Viewer, name string, limit int) ([]string, error) {
	return g.suggest(v, name, limit)
}

// suggestAmong is how many names of about the right length are compared.
const suggestAmong = 5000

func (tx *graphTx) suggest(v loci.Viewer, name string, limit int) ([]string, error) {
	var q query
	size := utf8.RuneCountInString(name)
	slack := max(3, size/3)
	q.add("SELECT e.name FROM entities e WHERE ")
	tx.sees(&q, v, "e", loci.LiveOnly)
	q.add(" AND length(e.name) BETWEEN ? AND ? ORDER BY e.seq DESC LIMIT ?", size-slack, size+2*slack, suggestAmong)
	names, err := all(tx.c, &q, func(r *sqlitedb.Row) (string, error) { return r.Text(0), nil })
	return loci.Nearest(name, names, limit), err
}

// Read takes the id of the last entity as the position. Its number would tell
// how many rows there are that the viewer may not see.
func (g graph) Read(_ context.Context, v loci.Viewer, gq store.GraphQuery) (page store.GraphPage, err error) {
	after, err := g.position(v, gq.After)
	if err != nil {
		return page, err
	}
	page.Entities, err = g.entities(v, loci.LiveOnly, "e.seq > ? ORDER BY e.seq LIMIT ?", after, gq.Limit)
	if err != nil || len(page.Entities) == 0 {
		return page, err
	}
	if err := g.load(v, page.Entities); err != nil {
		return page, err
	}
	for _, e := range page.Entities {
		for _, r := range e.Relations {
			if r.FromID == e.ID {
				page.Relations = append(page.Relations, r)
			}
		}
	}
	last := page.Entities[len(page.Entities)-1].ID
	var q query
	q.add("SELECT count(*) FROM entities e WHERE ")
	g.sees(&q, v, "e", loci.LiveOnly)
	q.add(" AND e.seq > (SELECT seq FROM entities WHERE id = ?)", last.String())
	_, err = g.c.One(q.String(), q.args, func(r *sqlitedb.Row) error { page.Left = r.Int(0); return nil })
	if page.Left > 0 {
		page.Next = store.Position(last.String())
	}
	return page, err
}

func (tx *graphTx) position(v loci.Viewer, p store.Position) (seq int64, err error) {
	if p == "" {
		return 0, nil
	}
	var q query
	q.add("SELECT e.seq FROM entities e WHERE e.id = ? AND ", string(p))
	tx.sees(&q, v, "e", loci.AnyState)
	found, err := tx.c.One(q.String(), q.args, func(r *sqlitedb.Row) error { seq = r.Int64(0); return nil })
	if err == nil && !found {
		err = loci.FieldErrorf("cursor", "is not of this list; begin again without one")
	}
	return seq, err
}

func (g graph) Neighbours(_ context.Context, v loci.Viewer, id loci.EntityID, hops, limit int) ([]loci.Entity, error) {
	found, err := g.entities(v, loci.LiveOnly, "e.id = ?", id.String())
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, loci.NoSuchEntity()
	}
	seen := map[loci.EntityID]bool{id: true}
	for edge := found; hops > 0 && len(edge) > 0 && len(found) < limit; hops-- {
		if edge, err = g.step(v, edge, seen); err != nil {
			return nil, err
		}
		edge = edge[:min(len(edge), limit-len(found))]
		found = append(found, edge...)
	}
	return found, g.load(v, found)
}

// step returns the entities one hop away that were not seen before.
func (tx *graphTx) step(v loci.Viewer, from []loci.Entity, seen map[loci.EntityID]bool) ([]loci.Entity, error) {
	ids := make([]string, len(from))
	for i, e := range from {
		ids[i] = e.ID.String()
	}
	relations, err := tx.relations(v, ids)
	if err != nil {
		return nil, err
	}
	var next []string
	for _, r := range relations {
		for _, id := range []loci.EntityID{r.FromID, r.ToID} {
			if !seen[id] {
				seen[id] = true
				next = append(next, id.String())
			}
		}
	}
	return tx.entities(v, loci.LiveOnly, "e.id IN (SELECT value FROM json_each(?)) ORDER BY e.seq", jsonList(next))
}

func (g graph) History(_ context.Context, v loci.Viewer, id loci.EntityID, limit int) ([]loci.GraphChange, error) {
	found, err := g.entities(v, loci.AnyState, "e.id = ?", id.String())
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, loci.NoSuchEntity()
	}
	e := found[0]
	list := []loci.GraphChange{created("entity", e.ID.String(), e.Name, e.GraphAccess)}
	list[0].At = e.CreatedAt
	observations, relations, err := g.everything(v, id.String())
	if err != nil {
		return nil, err
	}
	for _, o := range observations {
		c := created("observation", o.ID.String(), o.Content, o.GraphAccess)
		c.At = o.CreatedAt
		list = append(list, c)
	}
	for _, r := range relations {
		c := created("relation", r.ID.String(), r.From+" "+r.Type+" "+r.To, r.GraphAccess)
		c.At = r.CreatedAt
		list = append(list, c)
	}
	later, err := g.changes(list)
	list = append(list, later...)
	slices.SortStableFunc(list, func(a, b loci.GraphChange) int { return cmp.Compare(a.At.UnixMilli(), b.At.UnixMilli()) })
	return list[:min(limit, len(list))], err
}

func created(kind, id, text string, a loci.GraphAccess) loci.GraphChange {
	return loci.GraphChange{Change: "created", Kind: kind, ID: id, UserID: a.UserID, Origin: a.Origin, Text: text}
}

// everything returns the visible observations and relations of an entity, in any state.
func (tx *graphTx) everything(v loci.Viewer, id string) ([]loci.Observation, []loci.Relation, error) {
	var oq, rq query
	oq.add("SELECT "+observationColumns+" FROM observations o WHERE o.entity_id = ? AND ", id)
	tx.sees(&oq, v, "o", loci.AnyState)
	observations, err := all(tx.c, addOrder(&oq, " ORDER BY o.seq"), scanObservation)
	if err != nil {
		return nil, nil, err
	}
	rq.add("SELECT "+relationColumns+" FROM "+fromRelations+" WHERE (r.from_entity = ? OR r.to_entity = ?) AND ", id, id)
	tx.seesRelation(&rq, v, loci.AnyState)
	relations, err := all(tx.c, addOrder(&rq, " ORDER BY r.seq"), scanRelation)
	return observations, relations, err
}

func addOrder(q *query, text string) *query {
	q.add(text)
	return q
}

// changes returns the deletions and restorations of rows whose creation is in list.
func (tx *graphTx) changes(list []loci.GraphChange) ([]loci.GraphChange, error) {
	texts := make(map[string]string, len(list))
	ids := make([]string, len(list))
	for i, c := range list {
		ids[i], texts[c.ID] = c.ID, c.Text
	}
	var q query
	q.add("SELECT c.at, c.change, c.kind, c.row_id, c.user_id, c.origin FROM json_each(?) j CROSS JOIN changes c ON c.row_id = j.value ORDER BY c.seq", jsonList(ids))
	return all(tx.c, &q, func(r *sqlitedb.Row) (c loci.GraphChange, err error) {
		c = loci.GraphChange{At: isoAt(r, 0), Change: r.Text(1), Kind: r.Text(2), ID: r.Text(3), Origin: r.Text(5), Text: texts[r.Text(3)]}
		c.UserID, err = idAt[loci.UserID](r, 4)
		return c, err
	})
}

func (g graph) Trash(_ context.Context, v loci.Viewer, limit int) (trash store.GraphTrash, err error) {
	trash.Entities, err = g.entities(v, loci.TrashOnly, "1 ORDER BY e.deleted_at DESC, e.seq DESC LIMIT ?", limit)
	if err != nil {
		return trash, err
	}
	var oq, rq query
	oq.add("SELECT " + observationColumns + " FROM observations o CROSS JOIN entities e ON e.id = o.entity_id WHERE o.deleted_with IS NULL AND ")
	g.sees(&oq, v, "o", loci.TrashOnly)
	oq.add(" AND ")
	g.sees(&oq, v, "e", loci.LiveOnly)
	oq.add(" ORDER BY o.deleted_at DESC, o.seq DESC LIMIT ?", limit)
	if trash.Observations, err = all(g.c, &oq, scanObservation); err != nil {
		return trash, err
	}
	rq.add("SELECT " + relationColumns + " FROM " + fromRelations + " WHERE r.deleted_with IS NULL AND ")
	g.sees(&rq, v, "r", loci.TrashOnly)
	rq.add(" AND ")
	g.sees(&rq, v, "f", loci.LiveOnly)
	rq.add(" AND ")
	g.sees(&rq, v, "t", loci.LiveOnly)
	rq.add(" ORDER BY r.deleted_at DESC, r.seq DESC LIMIT ?", limit)
	trash.Relations, err = all(g.c, &rq, scanRelation)
	return trash, err
}
