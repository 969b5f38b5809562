package sqlstore

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// page reads rows, oldest first, at most limit and while there is room for their text. The last
// one may exceed the room. The query selects one row more than limit.
func page[T any](c Conn, q *Query, scan func(Row) (T, error), size func(*T) int, limit int, room *int) (
	list []T, more bool, err error) {
	list = []T{}
	err = c.Query(q.String(), q.Args, func(r Row) error {
		if more = len(list) >= limit || *room <= 0; more {
			return ErrStop
		}
		row, err := scan(r)
		*room -= size(&row)
		list = append(list, row)
		return err
	})
	return list, more, err
}

// live rejects an entity that does not exist.
func (tx *GraphTx) live(v loci.Viewer, id loci.EntityID) error {
	list, err := tx.entities(v, loci.LiveOnly, "e.id = ?", id.String())
	if err == nil && len(list) == 0 {
		err = loci.NoSuchEntity()
	}
	return err
}

func (g graph) Observations(_ context.Context, v loci.Viewer, id loci.EntityID, gq store.GraphQuery) (
	p store.ObservationPage, err error) {
	if err := g.live(v, id); err != nil {
		return p, err
	}
	room := store.MaxGraphText
	list, more, err := g.observationPage(v, id.String(), string(gq.After), gq.Limit, &room)
	if err != nil {
		return p, err
	}
	if p.Observations = list; more {
		p.Next = store.Position(list[len(list)-1].ID.String())
	}
	return p, nil
}

func (tx *GraphTx) observationPage(v loci.Viewer, id, after string, limit int, room *int) (
	[]loci.Observation, bool, error) {
	seq, err := tx.observationPosition(v, id, after)
	if err != nil {
		return nil, false, err
	}
	var q Query
	tx.observationsOf(&q, v, observationColumns, id, seq)
	q.Add(" ORDER BY o.seq LIMIT ?", int64(limit)+1)
	return page(tx.c, &q, scanObservation, sizeOfObservation, limit, room)
}

func (tx *GraphTx) observationPosition(v loci.Viewer, entity, id string) (int64, error) {
	if id == "" {
		return 0, nil
	}
	var q Query
	q.Add("SELECT o.seq FROM observations o {join} entities e ON {graph e} e.id = o.entity_id WHERE {graph o} o.id = ? "+
		"AND o.entity_id = ? AND ", id, entity)
	tx.Sees(&q, v, "o", loci.AnyState)
	q.Add(" AND ")
	tx.Sees(&q, v, "e", loci.AnyState)
	return tx.seqAt(&q)
}

func (g graph) Relations(_ context.Context, v loci.Viewer, id loci.EntityID, gq store.GraphQuery) (
	p store.RelationPage, err error) {
	if err := g.live(v, id); err != nil {
		return p, err
	}
	entity, room := id.String(), store.MaxGraphText
	after, err := g.relationPosition(v, string(gq.After), "? IN (r.from_entity, r.to_entity)", entity)
	if err != nil {
		return p, err
	}
	var q Query
	g.relationsOf(&q, v, relationColumns+", r.seq AS seq", entity, after)
	q.Add(" ORDER BY seq LIMIT ?", int64(gq.Limit)+1)
	list, more, err := page(g.c, &q, scanRelation, sizeOfRelation, gq.Limit, &room)
	if p.Relations = list; more {
		p.Next = store.Position(list[len(list)-1].ID.String())
	}
	return p, err
}

// inRelations starts a position among the relations, which come after all entities.
const inRelations = "relations"

// Rows returns one of two positions. Among entities it is the id of the last entity, followed by
// a colon and the id of its last observation if there may be more. Among relations it is
// inRelations, a colon and the id of the last relation.
func (g graph) Rows(_ context.Context, v loci.Viewer, gq store.GraphQuery) (
	rows store.GraphRows, next store.Position, err error) {
	head, tail, among := strings.Cut(string(gq.After), ":")
	left, room := gq.Limit, store.MaxGraphText
	if head != inRelations || !among {
		if next, err = g.entityRows(v, &rows, gq, &room); err != nil || next != "" {
			return rows, next, err
		}
		if left -= len(rows.Entities) + len(rows.Observations); left <= 0 || room <= 0 {
			return rows, inRelations + ":", nil
		}
		tail = ""
	}
	seq, err := g.relationPosition(v, tail, "TRUE")
	if err != nil {
		return rows, "", err
	}
	var q Query
	q.Add("SELECT "+relationColumns+" FROM "+fromRelations+" WHERE {graph r} r.seq > ? AND ", seq)
	g.seesRelation(&q, v, loci.LiveOnly)
	q.Add(" ORDER BY r.seq LIMIT ?", int64(left)+1)
	list, more, err := page(g.c, &q, scanRelation, sizeOfRelation, left, &room)
	if rows.Relations = list; more {
		next = store.Position(inRelations + ":" + list[len(list)-1].ID.String())
	}
	return rows, next, err
}

func (tx *GraphTx) entityRows(v loci.Viewer, rows *store.GraphRows, gq store.GraphQuery, room *int) (
	next store.Position, err error) {
	id, observation, among := strings.Cut(string(gq.After), ":")
	after, err := tx.position(v, store.Position(id))
	if err != nil {
		return "", err
	}
	left := func() int { return gq.Limit - len(rows.Entities) - len(rows.Observations) }
	if among {
		// The previous page has this entity. Someone may have deleted it since.
		begun, err := tx.entities(v, loci.LiveOnly, "e.id = ?", id)
		if err != nil {
			return "", err
		}
		if len(begun) > 0 {
			if next, err = tx.observationRows(v, rows, id, observation, left(), room); err != nil || next != "" {
				return next, err
			}
		}
		if left() <= 0 || *room <= 0 {
			return store.Position(id), nil
		}
	}
	list, err := tx.entities(v, loci.LiveOnly, "e.seq > ? ORDER BY e.seq LIMIT ?", after, left())
	if gq.Bare {
		if rows.Entities = append(rows.Entities, list...); left() <= 0 {
			next = store.Position(list[len(list)-1].ID.String())
		}
		return next, err
	}
	for _, e := range list {
		rows.Entities = append(rows.Entities, e)
		if next, err = tx.observationRows(v, rows, e.ID.String(), "", left(), room); err != nil || next != "" {
			return next, err
		}
		if left() <= 0 || *room <= 0 {
			return store.Position(e.ID.String()), nil
		}
	}
	return "", err
}

func (tx *GraphTx) observationRows(v loci.Viewer, rows *store.GraphRows, entity, after string, limit int, room *int) (
	next store.Position, err error) {
	list, more, err := tx.observationPage(v, entity, after, limit, room)
	if rows.Observations = append(rows.Observations, list...); more {
		if len(list) > 0 {
			after = list[len(list)-1].ID.String()
		}
		next = store.Position(entity + ":" + after)
	}
	return next, err
}
