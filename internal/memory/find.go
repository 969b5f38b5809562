package memory

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// maxMatches is how many of the newest matches are ranked, and how many of those that have every
// word. Beyond it a search is so broad that ranking has little meaning.
const maxMatches = 10_000

// The last attempt reads texts, because no index covers it. It reads from the newest row on until
// its time is over, and ranks some of the matches.
const (
	maxLooked    = 1_000_000
	maxContained = 200
)

// These are the attempts after the one for the words themselves.
const (
	byPrefix = "prefix"
	byPart   = "substring"
)

// current limits the memories for a model to those that are valid now, unless the caller asks for
// another time.
func current(f Filter) Filter {
	if f.When.IsZero() {
		f.Lifecycle = loci.CurrentOnly
	}
	return f
}

// find runs every search: candidates from the store, ranking from package recall, and the rows of
// one page.
func (s *Service) find(ctx context.Context, tx store.Tx, v loci.Viewer, r SearchRequest, offset, limit int) (
	*finder, []Hit, error) {
	f := &finder{ctx: ctx, tx: tx, v: v, filter: current(r.Filter), text: r.Query, until: time.Now().Add(s.patience)}
	if err := f.rank(); err != nil {
		return nil, nil, err
	}
	hits, err := f.load(f.ranking.Hits(offset, offset+limit))
	// What disagrees now may not have disagreed then. A search that used up its time reads no more.
	if err != nil || !f.filter.When.IsPresent() || f.stopped != "" {
		return f, hits, err
	}
	memories := make([]*loci.Memory, len(hits))
	for i := range hits {
		memories[i] = hits[i].Memory
	}
	err = s.disagreeing(ctx, tx, v, memories...)
	newerFirst(hits)
	return f, hits, err
}

// finder is the state of one search.
type finder struct {
	ctx    context.Context
	tx     store.Tx
	v      loci.Viewer
	filter store.Filter
	text   string
	until  time.Time // when the time for the search ends

	query    recall.Query
	ranking  *recall.Ranking
	fallback string
	more     bool // there are more hits than were ranked
	stopped  StoppedBy
}

// checkWords rejects a query if its words with a * match too many others.
func checkWords(query string) error {
	q := recall.Parse(query)
	if short := q.ShortPrefix(); short != "" {
		return loci.FieldErrorf("query", "has %q, which matches too many words; type at least %d letters before the *",
			short+"*", recall.MinPrefix)
	}
	if n := q.Prefixes(); n > recall.MaxPrefixes {
		return loci.FieldErrorf("query", "has %d words with a *; use at most %d", n, recall.MaxPrefixes)
	}
	return nil
}

// within returns a context that ends with ErrSpent after a part of the remaining time.
func (f *finder) within(part int) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(f.ctx, time.Until(f.until)/time.Duration(part), store.ErrSpent)
}

// rank tries the words, then words that begin like them, then texts that contain them, until it
// finds something.
func (f *finder) rank() error {
	words := recall.Parse(f.text)
	for _, try := range []struct {
		name  string
		query recall.Query
	}{{"", words}, {byPrefix, words.AsPrefixes()}} {
		f.fallback = try.name
		if len(try.query.Terms) == 0 {
			continue
		}
		hits, err := f.match(try.query)
		if err != nil {
			return err
		}
		if len(hits) > 0 || f.stopped != "" {
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
	matches, err := f.lookFor(q.Terms, false)
	if err != nil || f.stopped == "" || len(q.Terms) == 1 {
		return matches.Hits, err
	}
	return f.withAll(q.Terms, matches.Hits)
}

// lookFor returns the newest matches, as many as half of the remaining time allows.
func (f *finder) lookFor(terms []loci.Term, all bool) (store.Matches, error) {
	ctx, cancel := f.within(2)
	defer cancel()
	matches, err := f.tx.Lists().Match(ctx, f.v,
		store.MatchQuery{Filter: f.filter, Terms: terms, All: all, Limit: maxMatches})
	switch {
	case matches.Cut:
		f.stopped = StoppedByTime
	case matches.More && f.stopped == "":
		f.stopped = StoppedByRows
	}
	return matches, err
}

// withAll adds the matches that have every term. If a frequent word uses up the limit or the
// time, these may be older than all that were read.
func (f *finder) withAll(terms []loci.Term, hits []loci.Match) ([]loci.Match, error) {
	every, err := f.lookFor(terms, true)
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

// contain finds the memories that contain a part of the query anywhere.
func (f *finder) contain() ([]loci.Match, error) {
	there := map[loci.MemoryID]bool{}
	var ids []loci.MemoryID
	parts := f.query.Parts()
	for i, part := range parts {
		found, err := f.lookInto(part, len(parts)-i)
		if err != nil {
			return nil, err
		}
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

// lookInto returns the newest memories that contain text, as many as its share of the remaining
// time allows.
func (f *finder) lookInto(text string, share int) (store.Contained, error) {
	ctx, cancel := f.within(share)
	defer cancel()
	found, err := f.tx.Lists().Contains(ctx, f.v,
		store.ContainsQuery{Filter: f.filter, Text: text, Look: maxLooked, Limit: maxContained})
	switch {
	case found.Cut:
		f.stopped = StoppedByTime
	case found.More && len(found.IDs) == maxContained:
		f.more = true
	case found.More && f.stopped == "":
		f.stopped = StoppedByRows
	}
	return found, err
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
