package sqlstore

import (
	"cmp"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// loadFew loads the rows of all entities at once if they are so few that the answer reaches none of its limits.
// Otherwise it returns false and does not change the entities. Measured in SQLite with two observations each, it
// takes half the processor time of fill: 0.2 instead of 0.4 ms for 10 entities, 2.0 instead of 4.6 ms for 100.
func (tx *GraphTx) loadFew(v loci.Viewer, list []loci.Entity) (done bool, err error) {
	ids := make([]string, len(list))
	for i, e := range list {
		ids[i] = e.ID.String()
	}
	places := make(map[string]int, len(ids))
	for i, id := range ids {
		places[id] = i
	}
	var oq, rq Query
	room := store.MaxGraphText
	tx.observationsOfAll(&oq, v, ToJSON(ids))
	observations, fits, err := gather(tx.c, &oq, scanObservation, sizeOfObservation, observationWidth, places, &room)
	if err != nil || !fits {
		return false, err
	}
	tx.relationsOfAll(&rq, v, ToJSON(ids))
	relations, fits, err := gather(tx.c, &rq, scanRelation, sizeOfRelation, relationWidth, places, &room)
	if err != nil || !fits {
		return false, err
	}
	for i := range list {
		list[i].Observations, list[i].Relations = observations[i], relations[i]
	}
	return true, nil
}

// These constants count a row's columns before its number and the place of its entity.
const (
	observationWidth = 9
	relationWidth    = 12
)

// observationsOfAll selects the live visible observations of several entities.
func (tx *GraphTx) observationsOfAll(q *Query, v loci.Viewer, ids string) {
	q.Add("SELECT "+observationColumns+", o.seq, o.entity_id FROM {each ?} {join} observations o ON {graph o} "+
		"o.entity_id = value WHERE ", ids)
	tx.Sees(q, v, "o", loci.LiveOnly)
}

// relationsOfAll selects the live visible relations that begin or end at one of several entities.
func (tx *GraphTx) relationsOfAll(q *Query, v loci.Viewer, ids string) {
	const from = " FROM {each ?} {join} " + fromRelations + " WHERE {graph r} "
	q.Add("SELECT "+relationColumns+", r.seq, r.from_entity"+from+"r.from_entity = value AND ", ids)
	tx.seesRelation(q, v, loci.LiveOnly)
	q.Add(" UNION ALL SELECT "+relationColumns+", r.seq, r.to_entity"+from+
		"r.to_entity = value AND r.from_entity <> r.to_entity AND ", ids)
	tx.seesRelation(q, v, loci.LiveOnly)
}

// gather reads the rows of n entities, oldest first for each. fits is false if they are more than
// one entity may have, or more than there is room for.
func gather[T any](c Conn, q *Query, scan func(Row) (T, error), size func(*T) int, width int, places map[string]int,
	room *int) (lists [][]T, fits bool, err error) {
	type placed struct {
		row   T
		seq   int64
		place int
	}
	var rows []placed
	err = c.Query(q.String(), q.Args, func(r Row) error {
		row, err := scan(r)
		if err != nil {
			return err
		}
		*room -= size(&row)
		if len(rows) == store.MaxEntityRows || *room < 0 {
			*room = -1
			return ErrStop
		}
		rows = append(rows, placed{row, r.Int64(width), places[string(r.Raw(width+1))]})
		return nil
	})
	if err != nil || *room < 0 {
		return nil, false, err
	}
	// The two parts of the relations are each sorted, but not together.
	slices.SortFunc(rows, func(a, b placed) int { return cmp.Compare(a.seq, b.seq) })
	lists = make([][]T, len(places))
	for i := range lists {
		lists[i] = []T{}
	}
	for _, p := range rows {
		lists[p.place] = append(lists[p.place], p.row)
	}
	return lists, true, nil
}
