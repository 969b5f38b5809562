package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// found is what a search knows of an entity.
type found struct {
	seq   int64   // its number, by which it is joined fastest
	own   float64 // of name and type
	best  float64 // of its best observation
	count int     // observations that match
}

func (f *found) score() float64 { return f.own + f.best + 0.05*float64(min(f.count, 10)) }

// byScore puts the best first; of equal ones that which was stored last.
func byScore(a, b *found) int {
	return cmp.Or(cmp.Compare(b.score(), a.score()), cmp.Compare(b.seq, a.seq))
}

func (g graph) Search(_ context.Context, v loci.Viewer, q store.GraphSearch) (hits store.GraphHits, err error) {
	if q.Query == nil {
		return hits, loci.FieldErrorf("query", "must not be empty")
	}
	list, more, err := g.matches(v, q.Query)
	for _, looser := range q.Query.Looser() {
		if err != nil || len(list) > 0 {
			break
		}
		list, more, err = g.matches(v, looser)
		hits.Any = len(list) > 0
	}
	if err != nil {
		return hits, err
	}
	hits.Total, hits.More = len(list), more
	list = list[min(q.Skip, len(list)):]
	list = list[:min(q.Limit, len(list))]
	if hits.Entities, err = g.numbered(v, list); err != nil {
		return hits, err
	}
	return hits, g.load(v, hits.Entities)
}

// numbered returns the entities in the order of the list.
func (tx *graphTx) numbered(v loci.Viewer, list []*found) ([]loci.Entity, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var q query
	q.add("SELECT "+entityColumns+" FROM json_each(?) j CROSS JOIN entities e ON e.seq = j.value WHERE ", seqList(list))
	tx.sees(&q, v, "e", loci.LiveOnly)
	q.add(" ORDER BY j.key")
	return all(tx.c, &q, scanEntity)
}

// seqList is the numbers as a JSON list.
func seqList(list []*found) string {
	return numberList(list, func(f *found) int64 { return f.seq })
}

func numberList[T any](list []T, number func(T) int64) string {
	b := []byte{'['}
	for i, x := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, number(x), 10)
	}
	return string(append(b, ']'))
}

// matches returns the entities that match, the best first.
func (tx *graphTx) matches(v loci.Viewer, q *loci.GraphQuery) (list []*found, more bool, err error) {
	s := &matcher{graphTx: tx, v: v, whole: wholeText(q), read: map[*loci.GraphQuery]*newRows{}}
	if perRow(q) {
		list, more, err = s.rows(q, store.MaxGraphMatches, true)
	} else {
		list, more, err = s.perEntity(q)
	}
	if err == nil && more {
		list, err = s.withNamed(q, list)
	}
	slices.SortFunc(list, byScore)
	return list, more, err
}

// matcher finds the entities that a query matches.
type matcher struct {
	*graphTx
	v     loci.Viewer
	whole string // what an entity is named whom the query names
	read  map[*loci.GraphQuery]*newRows
}

// rows returns the entities of the newest visible rows that match all by
// themselves, at most limit names and as many observations, and whether there are more. Unless worth
// is asked for, they are worth nothing yet: it takes as long as all the rest.
func (s *matcher) rows(gq *loci.GraphQuery, limit int, worth bool) (list []*found, more bool, err error) {
	expression := matchText(gq)
	bySeq := map[int64]*found{}
	take := func(q *query, note func(*found, *sqlitedb.Row)) error {
		n := 0
		return s.c.Query(q.String(), q.args, func(r *sqlitedb.Row) error {
			if n++; n > limit {
				more = true
				return sqlitedb.ErrStop
			}
			seq := r.Int64(0)
			f := bySeq[seq]
			if f == nil {
				f = &found{seq: seq}
				bySeq[seq], list = f, append(list, f)
			}
			if worth {
				note(f, r)
			}
			return nil
		})
	}
	err = take(s.matchingNames(expression, worth), func(f *found, r *sqlitedb.Row) { f.own = r.Float(1) + s.nameBonus(r.Text(2)) })
	if err == nil {
		err = take(s.matchingObservations(expression, worth), func(f *found, r *sqlitedb.Row) { f.best, f.count = max(f.best, r.Float(1)), f.count+1 })
	}
	return list, more, err
}

func (s *matcher) matchingNames(expression string, worth bool) *query {
	var q query
	q.add("SELECT e.seq")
	if worth {
		q.add(", hits(entities_fts, ?, octet_length(e.name), ?, octet_length(e.entity_type)), e.name", nameWeight, typeWeight)
	}
	q.add(" FROM entities_fts CROSS JOIN entities e ON e.seq = entities_fts.rowid WHERE entities_fts MATCH ? AND ", expression)
	s.sees(&q, s.v, "e", loci.LiveOnly)
	q.add(" ORDER BY entities_fts.rowid DESC")
	return &q
}

func (s *matcher) matchingObservations(expression string, worth bool) *query {
	var q query
	q.add("SELECT e.seq")
	if worth {
		q.add(", hits(observations_fts, 1.0, octet_length(o.content))")
	}
	q.add(" FROM observations_fts CROSS JOIN observations o ON o.seq = observations_fts.rowid "+
		"CROSS JOIN entities e ON e.id = o.entity_id WHERE observations_fts MATCH ? AND ", expression)
	s.sees(&q, s.v, "o", loci.LiveOnly)
	q.add(" AND ")
	s.sees(&q, s.v, "e", loci.LiveOnly)
	q.add(" ORDER BY observations_fts.rowid DESC")
	return &q
}

// How much a word counts in a name and in a type; in an observation it is 1.
const (
	nameWeight = 5.0
	typeWeight = 1.0
)

// worth is what it counts that words occur so often in a text of so many bytes.
func worth(weight float64, times, bytes int) float64 {
	if times == 0 {
		return 0
	}
	return weight * float64(times) / (float64(times) + 0.5 + float64(bytes)/120)
}
