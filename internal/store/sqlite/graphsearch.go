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
	id    string
	seq   int64
	own   float64 // of name and type
	best  float64 // of its best observation
	count int     // observations that match
}

func (f *found) score() float64 { return f.own + f.best + 0.05*float64(min(f.count, 10)) }

func (g graph) Search(_ context.Context, v loci.Viewer, q store.GraphSearch) (hits store.GraphHits, err error) {
	if q.Query == nil {
		return hits, loci.FieldErrorf("query", "must not be empty")
	}
	list, more, err := g.matches(v, q.Query)
	if err == nil && len(list) == 0 && q.Query.Plain && len(q.Query.Parts) > 1 {
		hits.Any = true
		list, more, err = g.matches(v, q.Query.AnyWord())
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

// matches returns the entities that match, the best first; of equal ones the
// one stored last.
func (tx *graphTx) matches(v loci.Viewer, gq *loci.GraphQuery) (list []*found, more bool, err error) {
	expression := matchText(gq)
	byID := map[string]*found{}
	take := func(q *query, note func(*found, float64)) error {
		n := 0
		return tx.c.Query(q.String(), q.args, func(r *sqlitedb.Row) error {
			if n++; n > store.MaxGraphMatches {
				more = true
				return sqlitedb.ErrStop
			}
			f := byID[r.Text(0)]
			if f == nil {
				f = &found{id: r.Text(0), seq: r.Int64(1)}
				byID[f.id] = f
				list = append(list, f)
			}
			note(f, r.Float(2))
			if r.Bool(3) {
				f.own += 10 // the name itself
			}
			return nil
		})
	}
	var eq, oq query
	eq.add("SELECT e.id, e.seq, hits(entities_fts, 5, 1), lower(e.name) = ? FROM entities_fts CROSS JOIN entities e ON e.seq = entities_fts.rowid WHERE entities_fts MATCH ? AND ",
		wholeText(gq), expression)
	tx.sees(&eq, v, "e", loci.LiveOnly)
	eq.add(" ORDER BY entities_fts.rowid DESC LIMIT ?", store.MaxGraphMatches+1)
	if err := take(&eq, func(f *found, score float64) { f.own += score }); err != nil {
		return nil, false, err
	}
	oq.add("SELECT e.id, e.seq, hits(observations_fts, 1), 0 FROM observations_fts CROSS JOIN observations o ON o.seq = observations_fts.rowid "+
		"CROSS JOIN entities e ON e.id = o.entity_id WHERE observations_fts MATCH ? AND ", expression)
	tx.sees(&oq, v, "o", loci.LiveOnly)
	oq.add(" AND ")
	tx.sees(&oq, v, "e", loci.LiveOnly)
	oq.add(" ORDER BY observations_fts.rowid DESC LIMIT ?", store.MaxGraphMatches+1)
	err = take(&oq, func(f *found, score float64) { f.best, f.count = max(f.best, score), f.count+1 })
	slices.SortFunc(list, func(a, b *found) int {
		return cmp.Or(cmp.Compare(b.score(), a.score()), cmp.Compare(b.seq, a.seq))
	})
	return list, more, err
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
