package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// found is what a search knows of an entity.
type found struct {
	id, name, kind string
	seq            int64
	own            float64 // of name and type
	best           float64 // of its best observation
	count          int     // observations that match
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
	ids := make([]string, len(list))
	place := make(map[string]int, len(list))
	for i, f := range list {
		ids[i], place[f.id] = f.id, i
	}
	hits.Entities, err = g.entities(v, loci.LiveOnly, "e.id IN (SELECT value FROM json_each(?))", jsonList(ids))
	if err != nil {
		return hits, err
	}
	slices.SortFunc(hits.Entities, func(a, b loci.Entity) int { return cmp.Compare(place[a.ID.String()], place[b.ID.String()]) })
	return hits, g.load(v, hits.Entities)
}

// matches returns the entities that match, the best first.
func (tx *graphTx) matches(v loci.Viewer, q *loci.GraphQuery) (list []*found, more bool, err error) {
	s := &matcher{graphTx: tx, v: v, whole: wholeText(q)}
	if perRow(q) {
		list, more, err = s.rows(q, store.MaxGraphMatches, true)
	} else {
		list, more, err = s.perEntity(q)
	}
	slices.SortFunc(list, byScore)
	return list, more, err
}

// matcher finds the entities that a query matches.
type matcher struct {
	*graphTx
	v     loci.Viewer
	whole string
}

// rows returns the entities of the newest visible rows that match all by
// themselves, at most limit names and as many observations, and whether there are more. Unless worth
// is asked for, they are worth nothing yet: it takes as long as all the rest.
func (s *matcher) rows(gq *loci.GraphQuery, limit int, worth bool) (list []*found, more bool, err error) {
	expression := matchText(gq)
	byID := map[string]*found{}
	take := func(q *query, note func(*found, float64)) error {
		n := 0
		return s.c.Query(q.String(), q.args, func(r *sqlitedb.Row) error {
			if n++; n > limit {
				more = true
				return sqlitedb.ErrStop
			}
			f := byID[r.Text(0)]
			if f == nil {
				f = &found{id: r.Text(0), seq: r.Int64(1), name: r.Text(2), kind: r.Text(3)}
				f.own = s.nameBonus(f.name)
				byID[f.id], list = f, append(list, f)
			}
			note(f, r.Float(4))
			return nil
		})
	}
	if err := take(s.matchingNames(expression, worth), func(f *found, score float64) { f.own += score }); err != nil {
		return nil, false, err
	}
	err = take(s.matchingObservations(expression, worth), func(f *found, score float64) { f.best, f.count = max(f.best, score), f.count+1 })
	return list, more, err
}

func (s *matcher) matchingNames(expression string, worth bool) *query {
	var q query
	q.add("SELECT e.id, e.seq, e.name, e.entity_type, ")
	if worth {
		q.add("hits(entities_fts, ?, octet_length(e.name), ?, octet_length(e.entity_type))", nameWeight, typeWeight)
	} else {
		q.add("0")
	}
	q.add(" FROM entities_fts CROSS JOIN entities e ON e.seq = entities_fts.rowid WHERE entities_fts MATCH ? AND ", expression)
	s.sees(&q, s.v, "e", loci.LiveOnly)
	q.add(" ORDER BY entities_fts.rowid DESC")
	return &q
}

func (s *matcher) matchingObservations(expression string, worth bool) *query {
	var q query
	q.add("SELECT e.id, e.seq, e.name, e.entity_type, ")
	if worth {
		q.add("hits(observations_fts, 1.0, octet_length(o.content))")
	} else {
		q.add("0")
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

// nameBonus is what it counts that the query is the name itself.
func (s *matcher) nameBonus(name string) float64 {
	if strings.ToLower(name) == s.whole {
		return 10
	}
	return 0
}

// worth is what it counts that words occur so often in a text of so many bytes.
func worth(weight float64, times, bytes int) float64 {
	if times == 0 {
		return 0
	}
	return weight * float64(times) / (float64(times) + 0.5 + float64(bytes)/120)
}

// wholeText is what an entity is named whom the query names.
func wholeText(q *loci.GraphQuery) string {
	if q.Op == loci.GraphWords {
		return strings.ToLower(q.Text)
	}
	words := make([]string, len(q.Parts))
	for i, p := range q.Parts {
		words[i] = wholeText(p)
	}
	return strings.Join(words, " ")
}
