package app

import (
	"context"
	"strconv"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// SearchRequest asks for the memories that fit some words, best first.
type SearchRequest struct {
	Filter
	Query  string // 1 to loci.MaxTerm characters: words, "phrases", prefix*
	Limit  int    // 0: 10; at most MaxSearch
	Cursor string // NextCursor of the page before
	Offset int    // hits to skip instead of a cursor
}

// The sizes of a page of hits.
const (
	DefaultSearch = 10
	MaxSearch     = 200
)

// maxMatches is how many of the newest matches are ranked, and how many of those
// that have every word. Beyond it a search is too broad for a rank to mean much.
const maxMatches = 10_000

// Hit is a found memory.
type Hit struct {
	Memory  *loci.Memory
	Score   float64 // comparable within one search only
	Snippet string  // the part of the content that fits best, found words marked
}

// SearchPage is one page of hits.
type SearchPage struct {
	Hits              []Hit
	NextCursor        string // "": no more
	Total             int    // hits on all pages
	TotalIsLowerBound bool   // there are more than Total
	Partial           bool   // nothing had the words themselves; words that begin like them were taken
}

// Search returns the visible memories that fit the query, by relevance. All
// words need not occur; the more and the rarer, the better the rank. Invalid
// for a query without a word or a cursor of another query or principal.
func (a *App) Search(ctx context.Context, p loci.Principal, r SearchRequest) (*SearchPage, error) {
	if err := a.begin(ctx, p, MemoryRead); err != nil {
		return nil, err
	}
	if r.Lifecycle != loci.LiveOnly {
		return nil, loci.FieldErrorf("filter", "cannot search the trash; list it instead")
	}
	if err := loci.CheckText("query", r.Query, 1, loci.MaxTerm); err != nil {
		return nil, err
	}
	if err := checkFilter(&r.Filter); err != nil {
		return nil, err
	}
	limit, err := pageSize("limit", r.Limit, DefaultSearch, MaxSearch)
	if err != nil {
		return nil, err
	}
	offset, err := r.offset(p)
	if err != nil {
		return nil, err
	}
	var page *SearchPage
	err = a.store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		page, err = find(ctx, tx, p.Viewer(), r, offset, limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	if next := offset + limit; next < page.Total {
		page.NextCursor = sealCursor(p, r.bound(), "search", strconv.Itoa(next))
	}
	return page, nil
}

// bound is what a search cursor is bound to.
func (r *SearchRequest) bound() any {
	return struct {
		Filter Filter
		Query  string
	}{r.Filter, r.Query}
}

func (r *SearchRequest) offset(p loci.Principal) (int, error) {
	if r.Offset < 0 || r.Offset > MaxOffset {
		return 0, loci.FieldErrorf("offset", "must be from 0 to %d", MaxOffset)
	}
	if r.Cursor == "" {
		return r.Offset, nil
	}
	at, err := openCursor(p, r.bound(), "search", r.Cursor)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(at)
	if err != nil || n < 0 || n > 2*maxMatches {
		return 0, loci.FieldErrorf("cursor", "is damaged; leave it out to begin at the first page")
	}
	return n, nil
}

// find is the one function behind every search: candidates from the store,
// rank from package recall, rows of one page.
func find(ctx context.Context, tx store.Tx, v loci.Viewer, r SearchRequest, offset, limit int) (*SearchPage, error) {
	q := recall.Parse(r.Query)
	page := &SearchPage{}
	if len(q.Terms) == 0 {
		return page, nil
	}
	matches, err := tx.Lists().Match(ctx, v, store.MatchQuery{Filter: r.Filter, Terms: q.Terms, Limit: maxMatches})
	if err != nil {
		return nil, err
	}
	if len(matches.Hits) == 0 {
		q, page.Partial = q.AsPrefixes(), true
		matches, err = tx.Lists().Match(ctx, v, store.MatchQuery{Filter: r.Filter, Terms: q.Terms, Limit: maxMatches})
		if err != nil {
			return nil, err
		}
	}
	if matches.More && len(q.Terms) > 1 {
		if matches.Hits, err = withAll(ctx, tx, v, r.Filter, q.Terms, matches.Hits); err != nil {
			return nil, err
		}
	}
	ranked := recall.Rank(q, matches.Hits)
	page.Total, page.TotalIsLowerBound = len(ranked), matches.More
	page.Partial = page.Partial && len(ranked) > 0
	ranked = ranked[min(offset, len(ranked)):min(offset+limit, len(ranked))]
	page.Hits, err = load(ctx, tx, v, q, ranked)
	return page, err
}

// withAll adds the matches that have every term: where a frequent word alone
// fills the limit, they may be older than all that were looked at.
func withAll(ctx context.Context, tx store.Tx, v loci.Viewer, f store.Filter, terms []loci.Term, hits []loci.Match) ([]loci.Match, error) {
	every, err := tx.Lists().Match(ctx, v, store.MatchQuery{Filter: f, Terms: terms, All: true, Limit: maxMatches})
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

// load reads the rows of ranked hits and cuts their snippets.
func load(ctx context.Context, tx store.Tx, v loci.Viewer, q recall.Query, ranked []recall.Hit) ([]Hit, error) {
	ids := make([]loci.MemoryID, len(ranked))
	scores := make(map[loci.MemoryID]float64, len(ranked))
	for i, h := range ranked {
		ids[i], scores[h.ID] = h.ID, h.Score
	}
	memories, err := tx.Memories().GetMany(ctx, v, ids, loci.LiveOnly)
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(memories))
	for i, m := range memories {
		hits[i] = Hit{Memory: m, Score: scores[m.ID], Snippet: q.Snippet(m.Content)}
	}
	return hits, nil
}
