package app

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// maxMatches is how many of the newest matches are ranked, and how many of those
// that have every word. Beyond it a search is too broad for a rank to mean much.
const maxMatches = 10_000

// The last try reads texts, which no index does. So it looks at the newest rows only,
// and ranks a part of those that have what is looked for.
const (
	maxLooked    = 5_000
	maxContained = 200
)

// The tries after that for the words themselves.
const (
	byPrefix = "prefix"
	byPart   = "substring"
)

// current narrows what a model is told to what is valid now. Another time answers for itself.
func current(f Filter) Filter {
	if f.When.IsZero() {
		f.Lifecycle = loci.CurrentOnly
	}
	return f
}

// find is the one function behind every search: candidates from the store,
// rank from package recall, rows of one page.
func find(ctx context.Context, tx store.Tx, v loci.Viewer, r SearchRequest, offset, limit int) (*SearchPage, error) {
	f := finder{ctx: ctx, tx: tx, v: v, filter: current(r.Filter), text: r.Query}
	if err := f.rank(); err != nil {
		return nil, err
	}
	page := &SearchPage{Total: f.ranking.Len(), TotalIsLowerBound: f.more, Partial: f.fallback != "" && f.ranking.Len() > 0}
	var err error
	page.Hits, err = f.load(f.ranking.Hits(offset, offset+limit))
	return page, err
}

// finder is a search on its way. It lives no longer than the call that made it.
type finder struct {
	ctx    context.Context
	tx     store.Tx
	v      loci.Viewer
	filter store.Filter
	text   string

	query    recall.Query
	ranking  *recall.Ranking
	fallback string
	more     bool // there are more hits than were ranked
}

// rank tries the words, then words that begin like them, then texts that contain
// them, until something is found.
func (f *finder) rank() error {
	words := recall.Parse(f.text)
	for _, try := range []struct {
		name  string
		query recall.Query
	}{{"", words}, {byPrefix, words.AsPrefixes()}} {
		f.fallback = try.name
		if len(words.Terms) == 0 {
			continue
		}
		hits, err := f.match(try.query)
		if err != nil {
			return err
		}
		if len(hits) > 0 {
			f.query, f.ranking = try.query, recall.Rank(try.query, hits)
			return nil
		}
	}
	f.fallback, f.query = byPart, words.AsParts(f.text)
	hits, err := f.contain()
	f.ranking = recall.Rank(f.query, hits)
	return err
}

func (f *finder) match(q recall.Query) ([]loci.Match, error) {
	matches, err := f.tx.Lists().Match(f.ctx, f.v, store.MatchQuery{Filter: f.filter, Terms: q.Terms, Limit: maxMatches})
	if f.more = matches.More; err != nil || !matches.More || len(q.Terms) == 1 {
		return matches.Hits, err
	}
	return f.withAll(q.Terms, matches.Hits)
}

// withAll adds the matches that have every term: where a frequent word alone
// fills the limit, they may be older than all that were looked at.
func (f *finder) withAll(terms []loci.Term, hits []loci.Match) ([]loci.Match, error) {
	every, err := f.tx.Lists().Match(f.ctx, f.v, store.MatchQuery{Filter: f.filter, Terms: terms, All: true, Limit: maxMatches})
	if err != nil {
		return nil, err
	}
	there := make(map[loci.MemoryID]bool, len(hits))
	for i := range hits {
		there[hits[i].ID] = true
	}
	for _, m := range every.Hits {
		if !there[m.ID] {
			hits = append(hits, m)
		}
	}
	return hits, nil
}

// contain finds the memories in which a part of the query stands anywhere.
func (f *finder) contain() ([]loci.Match, error) {
	there := map[loci.MemoryID]bool{}
	var ids []loci.MemoryID
	for _, part := range f.query.Parts() {
		found, err := f.tx.Lists().Contains(f.ctx, f.v, store.ContainsQuery{Filter: f.filter, Text: part, Look: maxLooked, Limit: maxContained})
		if err != nil {
			return nil, err
		}
		f.more = f.more || found.More && len(found.IDs) > 0
		for _, id := range found.IDs {
			if !there[id] {
				there[id] = true
				ids = append(ids, id)
			}
		}
	}
	memories, err := readAt(f.ctx, f.tx, f.v, ids, &f.filter)
	var hits []loci.Match
	for _, m := range memories {
		if hit, ok := f.query.Count(m); ok {
			hits = append(hits, hit)
		}
	}
	return hits, err
}

// load reads the rows of ranked hits and cuts their snippets.
func (f *finder) load(ranked []recall.Hit) ([]Hit, error) {
	ids := make([]loci.MemoryID, len(ranked))
	of := make(map[loci.MemoryID]recall.Hit, len(ranked))
	for i, h := range ranked {
		ids[i], of[h.ID] = h.ID, h
	}
	memories, err := readAt(f.ctx, f.tx, f.v, ids, &f.filter)
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(memories))
	for i, m := range memories {
		h := of[m.ID]
		h.Why.Fallback = f.fallback
		hits[i] = Hit{Memory: m, Score: h.Score, Snippet: f.query.Snippet(m.Content), Why: h.Why}
	}
	return hits, nil
}
