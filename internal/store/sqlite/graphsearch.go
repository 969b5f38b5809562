package sqlite

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// found is an entity that a search found.
type found struct {
	seq int64 // its number, by which it is joined fastest
	loci.GraphMatch
}

// newestFirst is the order in which candidates are looked at and returned.
func newestFirst(a, b *found) int { return cmp.Compare(b.seq, a.seq) }

func (g graph) Search(_ context.Context, v loci.Viewer, q *loci.GraphQuery) (hits store.GraphMatches, err error) {
	list, more, err := g.matches(v, q)
	for _, looser := range q.Looser() {
		if err != nil || len(list) > 0 {
			break
		}
		list, more, err = g.matches(v, looser)
		hits.Any = len(list) > 0
	}
	if err != nil {
		return hits, err
	}
	hits.More, hits.Matches = more, make([]loci.GraphMatch, len(list))
	for i, f := range list {
		hits.Matches[i] = f.GraphMatch
	}
	return hits, nil
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

// matches returns the entities that match, newest first.
func (tx *graphTx) matches(v loci.Viewer, q *loci.GraphQuery) (list []*found, more bool, err error) {
	s := &matcher{graphTx: tx, v: v, reader: q.Reader(), read: map[*loci.GraphQuery]*newRows{}}
	if perRow(q) {
		list, more, err = s.rows(q, store.MaxGraphMatches, true)
	} else {
		list, more, err = s.perEntity(q)
	}
	if err == nil && more {
		list, err = s.withNamed(list)
	}
	slices.SortFunc(list, newestFirst)
	return list, more, err
}

// matcher finds the entities that a query matches.
type matcher struct {
	*graphTx
	v      loci.Viewer
	reader *loci.GraphReader
	read   map[*loci.GraphQuery]*newRows
}

// rows returns the entities of the newest visible rows that match all by
// themselves, at most limit names and as many observations, and whether there are more. Entities
// whose name or type matches come first. Without features it takes half the time.
func (s *matcher) rows(gq *loci.GraphQuery, limit int, features bool) (list []*found, more bool, err error) {
	expression := matchText(gq)
	bySeq := map[int64]*found{}
	take := func(q *query, note func(*found, *sqlitedb.Row)) error {
		n := 0
		return s.c.Query(q.String(), q.args, func(r *sqlitedb.Row) (err error) {
			if n++; n > limit {
				more = true
				return sqlitedb.ErrStop
			}
			seq := r.Int64(0)
			f := bySeq[seq]
			if f == nil {
				f = &found{seq: seq}
				bySeq[seq], list = f, append(list, f)
				if features {
					f.ID, err = idAt[loci.EntityID](r, 1)
				}
			}
			if features {
				note(f, r)
			}
			return err
		})
	}
	err = take(s.matchingNames(expression, features), func(f *found, r *sqlitedb.Row) {
		hits, name := r.Int64(2), r.Text(3)
		f.Named = s.reader.Named(name)
		f.Name = loci.Occurrences{Times: int(hits & math.MaxUint32), Bytes: len(name)}
		f.Type = loci.Occurrences{Times: int(hits >> 32), Bytes: r.Int(4)}
	})
	if err == nil {
		err = take(s.matchingObservations(expression, features), func(f *found, r *sqlitedb.Row) {
			f.Observations = append(f.Observations, loci.Occurrences{Times: r.Int(2), Bytes: r.Int(3)})
		})
	}
	return list, more, err
}

func (s *matcher) matchingNames(expression string, features bool) *query {
	var q query
	q.add("SELECT e.seq")
	if features {
		q.add(", e.id, hits(entities_fts), e.name, octet_length(e.entity_type)")
	}
	q.add(" FROM entities_fts CROSS JOIN entities e ON e.seq = entities_fts.rowid WHERE entities_fts MATCH ? AND ", expression)
	s.sees(&q, s.v, "e", loci.LiveOnly)
	q.add(" ORDER BY entities_fts.rowid DESC")
	return &q
}

func (s *matcher) matchingObservations(expression string, features bool) *query {
	var q query
	q.add("SELECT e.seq")
	if features {
		q.add(", e.id, hits(observations_fts), octet_length(o.content)")
	}
	q.add(" FROM observations_fts CROSS JOIN observations o ON o.seq = observations_fts.rowid "+
		"CROSS JOIN entities e ON e.id = o.entity_id WHERE observations_fts MATCH ? AND ", expression)
	s.sees(&q, s.v, "o", loci.LiveOnly)
	q.add(" AND ")
	s.sees(&q, s.v, "e", loci.LiveOnly)
	q.add(" ORDER BY observations_fts.rowid DESC")
	return &q
}
