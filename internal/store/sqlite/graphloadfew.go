package sqlite

import (
	"cmp"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// loadFew loads what hangs on all of the entities at once, where it is so little that no limit of an
// answer is reached. Otherwise it says so and leaves the entities as they are.
func (tx *graphTx) loadFew(v loci.Viewer, list []loci.Entity) (done bool, err error) {
	ids := make([]string, len(list))
	for i, e := range list {
		ids[i] = e.ID.String()
	}
	var oq, rq query
	room := store.MaxGraphText
	tx.observationsOfAll(&oq, v, jsonList(ids))
	observations, fits, err := gather(tx.c, &oq, scanObservation, sizeOfObservation, observationWidth, len(list), &room)
	if err != nil || !fits {
		return false, err
	}
	tx.relationsOfAll(&rq, v, jsonList(ids))
	relations, fits, err := gather(tx.c, &rq, scanRelation, sizeOfRelation, relationWidth, len(list), &room)
	if err != nil || !fits {
		return false, err
	}
	for i := range list {
		list[i].Observations, list[i].Relations = observations[i], relations[i]
	}
	return true, nil
}

// How many columns a row has before its number and the place of its entity.
const (
	observationWidth = 8
	relationWidth    = 11
)

// observationsOfAll selects the live visible observations of several entities.
func (tx *graphTx) observationsOfAll(q *query, v loci.Viewer, ids string) {
	q.add("SELECT "+observationColumns+", o.seq, j.key FROM json_each(?) j CROSS JOIN observations o WHERE o.entity_id = j.value AND ", ids)
	tx.sees(q, v, "o", loci.LiveOnly)
}

// relationsOfAll is observationsOfAll for the relations that begin or end there.
func (tx *graphTx) relationsOfAll(q *query, v loci.Viewer, ids string) {
	const from = ", r.seq, j.key FROM json_each(?) j CROSS JOIN " + fromRelations + " WHERE "
	q.add("SELECT "+relationColumns+from+"r.from_entity = j.value AND ", ids)
	tx.seesRelation(q, v, loci.LiveOnly)
	q.add(" UNION ALL SELECT "+relationColumns+from+"r.to_entity = j.value AND r.from_entity <> r.to_entity AND ", ids)
	tx.seesRelation(q, v, loci.LiveOnly)
}

// gather reads rows of n entities, oldest first for each. fits is false if all
// together are more than one entity may have, or than there is room for.
func gather[T any](c *sqlitedb.Conn, q *query, scan func(*sqlitedb.Row) (T, error), size func(*T) int, width, n int, room *int) (lists [][]T, fits bool, err error) {
	type placed struct {
		row   T
		seq   int64
		place int
	}
	var rows []placed
	err = c.Query(q.String(), q.args, func(r *sqlitedb.Row) error {
		row, err := scan(r)
		if err != nil {
			return err
		}
		*room -= size(&row)
		if len(rows) == store.MaxEntityRows || *room < 0 {
			*room = -1
			return sqlitedb.ErrStop
		}
		rows = append(rows, placed{row, r.Int64(width), r.Int(width + 1)})
		return nil
	})
	if err != nil || *room < 0 {
		return nil, false, err
	}
	// Neither of the two parts of the relations knows the other's order.
	slices.SortFunc(rows, func(a, b placed) int { return cmp.Compare(a.seq, b.seq) })
	lists = make([][]T, n)
	for i := range lists {
		lists[i] = []T{}
	}
	for _, p := range rows {
		lists[p.place] = append(lists[p.place], p.row)
	}
	return lists, true, nil
}
