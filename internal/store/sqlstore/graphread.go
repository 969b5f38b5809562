package sqlstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (g graph) Get(_ context.Context, v loci.Viewer, ids ...loci.EntityID) ([]loci.Entity, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var q Query
	q.Add("SELECT "+entityColumns+" FROM {each ?} {join} entities e ON {graph e} e.id = value WHERE ", toJSON(ids))
	g.Sees(&q, v, "e", loci.LiveOnly)
	list, err := all(g.c, q.String(), q.Args, scanEntity)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b loci.Entity) int {
		return cmp.Compare(slices.Index(ids, a.ID), slices.Index(ids, b.ID))
	})
	return list, g.load(v, list)
}

func (g graph) Find(_ context.Context, v loci.Viewer, refs []loci.EntityRef) (found []loci.Entity, err error) {
	seen := map[loci.EntityID]bool{}
	for _, ref := range loci.Unique(refs) {
		list, err := g.named(v, ref, loci.MaxGraphItems)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if !seen[e.ID] {
				seen[e.ID] = true
				found = append(found, e)
			}
		}
		if len(found) > store.MaxFound {
			return nil, loci.FieldErrorf("names", "must match at most %d entities; send fewer names, or specify their types",
				store.MaxFound)
		}
	}
	return found, g.load(v, found)
}

func (g graph) Resolve(_ context.Context, v loci.Viewer, ref loci.EntityRef) (loci.EntityID, error) {
	e, _, err := g.resolve(v, ref, true)
	if err != nil {
		return e.ID, err
	}
	twins, err := g.named(v, loci.EntityRef{Name: e.Name, Type: e.Type}, maxTwins)
	if err != nil || len(twins) < 2 {
		return e.ID, err
	}
	ids := loci.Mapped(twins, func(t loci.Entity) string { return t.ID.String() })
	return loci.EntityID{}, loci.Errorf(loci.Conflict, "several entities are named %q and have the type %q; specify one "+
		"by its id: %s", loci.OneLine(e.Name), loci.OneLine(e.Type), strings.Join(ids, ", "))
}

// maxTwins is how many ids the error about several entities with one name has.
const maxTwins = 10

func (g graph) Suggest(_ context.Context, v loci.Viewer, name string, limit int) ([]string, error) {
	return g.suggest(v, name, limit)
}

// Suggestions look only at the names of the newest entities, and compare only those of similar length.
const (
	suggestFrom  = 20_000
	suggestAmong = 5_000
)

func (tx *GraphTx) suggest(v loci.Viewer, name string, limit int) ([]string, error) {
	var q Query
	size := utf8.RuneCountInString(name)
	slack := max(3, size/3)
	q.Add("SELECT name FROM (SELECT e.name FROM entities e WHERE {graph e} ")
	tx.Sees(&q, v, "e", loci.LiveOnly)
	q.Add(" ORDER BY e.seq DESC LIMIT ?) x WHERE length(name) BETWEEN ? AND ? LIMIT ?", suggestFrom, size-slack,
		size+2*slack, suggestAmong)
	names, err := all(tx.c, q.String(), q.Args, func(r Row) (string, error) { return r.Text(0), nil })
	return loci.Nearest(name, names, limit), err
}

// Read returns the id of the last entity as the position, followed by a colon and the id of the last relation if the
// page ended within its relations. Row numbers would reveal how many rows the viewer cannot see.
func (g graph) Read(_ context.Context, v loci.Viewer, gq store.GraphQuery) (page store.GraphPage, err error) {
	last, relation, among := strings.Cut(string(gq.After), ":")
	after, err := g.position(v, store.Position(last))
	if err != nil {
		return page, err
	}
	if among {
		page.Next, err = g.readOn(v, &page, last, relation)
	} else if page.Entities,
		err = g.entities(v, loci.LiveOnly, "e.seq > ? ORDER BY e.seq LIMIT ?", after, gq.Limit); len(page.Entities) > 0 {
		page.Next, err = g.readHere(v, &page)
		last = page.Entities[len(page.Entities)-1].ID.String()
	}
	if err != nil {
		return page, err
	}
	var q Query
	q.Add("SELECT count(*) FROM entities e WHERE {graph e} ")
	g.Sees(&q, v, "e", loci.LiveOnly)
	q.Add(" AND e.seq > coalesce((SELECT l.seq FROM entities l WHERE {graph l} l.id = ?), 0)", last)
	if page.Left, err = g.count(&q, 0); page.Left > 0 && page.Next == "" {
		page.Next = store.Position(last)
	}
	return page, err
}

// readHere loads the entities of a page, as many as there is room for, and the relations that begin at them. An
// entity with many relations ends the page, if necessary in the middle of its relations.
func (tx *GraphTx) readHere(v loci.Viewer, page *store.GraphPage) (next store.Position, err error) {
	room := store.MaxGraphText
	list := page.Entities
	for i := range list {
		size, fits, err := tx.fill(v, &list[i], room)
		if room -= size; err == nil && (!fits || room < 0) {
			if i > 0 {
				page.Entities = list[:i]
				return "", nil
			}
			err = tx.load(v, list[:1])
			room = 0
		}
		if err != nil {
			return "", err
		}
		if list[i].RelationsLeft > 0 {
			page.Entities = list[:i+1]
			return tx.readOn(v, page, list[i].ID.String(), "")
		}
		for _, r := range list[i].Relations {
			if r.FromID == list[i].ID {
				page.Relations = append(page.Relations, r)
			}
		}
	}
	return "", nil
}

// readOn adds the relations that begin at an entity, after a given one.
func (tx *GraphTx) readOn(v loci.Viewer, p *store.GraphPage, entity, after string) (next store.Position, err error) {
	seq, err := tx.relationPosition(v, after, "r.from_entity = ?", entity)
	if err != nil {
		return "", err
	}
	var q Query
	tx.relationsFrom(&q, v, relationColumns, entity, seq)
	q.Add(" ORDER BY r.seq LIMIT ?", store.MaxEntityRows+1)
	room := store.MaxGraphText
	list, more, err := page(tx.c, &q, scanRelation, sizeOfRelation, store.MaxEntityRows, &room)
	p.Relations = append(p.Relations, list...)
	if more {
		next = store.Position(entity + ":" + list[len(list)-1].ID.String())
	}
	return next, err
}

func (tx *GraphTx) relationPosition(v loci.Viewer, id, where string, args ...any) (seq int64, err error) {
	if id == "" {
		return 0, nil
	}
	var q Query
	q.Add("SELECT r.seq FROM "+fromRelations+" WHERE {graph r} r.id = ? AND ", id)
	tx.seesRelation(&q, v, loci.AnyState)
	q.Add(" AND "+where, args...)
	return tx.seqAt(&q)
}

// seqAt returns the number of the row at a position.
func (tx *GraphTx) seqAt(q *Query) (seq int64, err error) {
	found, err := tx.c.One(q.String(), q.Args, func(r Row) error { seq = r.Int64(0); return nil })
	if err == nil && !found {
		err = loci.FieldErrorf("cursor", "does not belong to this list; start again without it")
	}
	return seq, err
}

func (tx *GraphTx) position(v loci.Viewer, p store.Position) (seq int64, err error) {
	if p == "" {
		return 0, nil
	}
	var q Query
	q.Add("SELECT e.seq FROM entities e WHERE {graph e} e.id = ? AND ", string(p))
	tx.Sees(&q, v, "e", loci.AnyState)
	return tx.seqAt(&q)
}

func (g graph) Neighbours(_ context.Context, v loci.Viewer, id loci.EntityID, hops, limit int) ([]loci.Entity, error) {
	found, err := g.entities(v, loci.LiveOnly, "e.id = ?", id.String())
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, loci.NoSuchEntity()
	}
	seen := map[string]bool{id.String(): true}
	for edge := found; hops > 0 && len(edge) > 0 && len(found) < limit; hops-- {
		if edge, err = g.step(v, edge, seen, limit-len(found)); err != nil {
			return nil, err
		}
		for _, e := range edge {
			seen[e.ID.String()] = true
		}
		found = append(found, edge...)
	}
	return found, g.load(v, found)
}

// step returns at most limit entities that are one hop away and not in seen.
func (tx *GraphTx) step(v loci.Viewer, from []loci.Entity, seen map[string]bool, limit int) ([]loci.Entity, error) {
	ids := loci.Mapped(from, func(e loci.Entity) string { return e.ID.String() })
	list, known := ToJSON(ids), ToJSON(slices.Collect(maps.Keys(seen)))
	var q Query
	q.Add("SELECT "+entityColumns+" FROM (SELECT t.id"+relationsFrom, list)
	tx.seesRelation(&q, v, loci.LiveOnly)
	q.Add(" UNION SELECT f.id"+relationsTo, list)
	tx.seesRelation(&q, v, loci.LiveOnly)
	q.Add(") n {join} entities e ON {graph e} e.id = n.id WHERE e.id NOT IN (SELECT value FROM {each ?}) AND ", known)
	tx.Sees(&q, v, "e", loci.LiveOnly)
	q.Add(" ORDER BY e.seq LIMIT ?", limit)
	return all(tx.c, q.String(), q.Args, scanEntity)
}

func (g graph) Trash(_ context.Context, v loci.Viewer, limit int) (trash store.GraphTrash, err error) {
	trash.Entities, err = g.entities(v, loci.TrashOnly, "TRUE ORDER BY e.deleted_at DESC, e.seq DESC LIMIT ?", limit)
	if err != nil {
		return trash, err
	}
	var oq, rq Query
	oq.Add("SELECT " + observationColumns + " FROM observations o {join} entities e ON {graph e} e.id = o.entity_id " +
		"WHERE {graph o} o.deleted_with IS NULL AND ")
	g.Sees(&oq, v, "o", loci.TrashOnly)
	oq.Add(" AND ")
	g.Sees(&oq, v, "e", loci.LiveOnly)
	oq.Add(" ORDER BY o.deleted_at DESC, o.seq DESC LIMIT ?", int64(limit))
	room := store.MaxGraphText
	if trash.Observations, trash.More, err = page(g.c, &oq, scanObservation, sizeOfObservation, limit, &room); err != nil {
		return trash, err
	}
	rq.Add("SELECT " + relationColumns + " FROM " + fromRelations + " WHERE {graph r} r.deleted_with IS NULL AND ")
	g.Sees(&rq, v, "r", loci.TrashOnly)
	rq.Add(" AND ")
	g.Sees(&rq, v, "f", loci.LiveOnly)
	rq.Add(" AND ")
	g.Sees(&rq, v, "t", loci.LiveOnly)
	rq.Add(" ORDER BY r.deleted_at DESC, r.seq DESC LIMIT ?", limit)
	trash.Relations, err = all(g.c, rq.String(), rq.Args, scanRelation)
	return trash, err
}
