package memory

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/indexing"
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

// maxRead is how many memories are read to look whether they contain a text whose signs they have. More are walked
// through, until enough of them contain it.
const maxRead = 500

// findAt searches memories as they were at another time, the trash, or what has expired. The index has what holds now,
// so the store is asked. It tries the words, then words that begin like them, then texts that contain them.
func (f *finder) findAt() error {
	words := recall.Parse(f.text)
	for _, try := range []struct {
		name  string
		query recall.Query
	}{{"", words}, {loci.FallbackPrefix, words.AsPrefixes()}} {
		f.fallback = try.name
		if len(try.query.Terms) == 0 {
			continue
		}
		hits, err := f.match(try.query)
		if err != nil {
			return err
		}
		if len(hits) > 0 || f.stopped != "" {
			f.rank(try.query, hits)
			return nil
		}
	}
	return f.findParts(nil, nil)
}

// findParts is the last attempt: it reads texts, and finds those that contain the words anywhere. An index with all
// memories, which may be nil, and its answer say which texts nobody has to look for.
func (f *finder) findParts(index *indexing.Snapshot, answer *recall.Answer) error {
	f.fallback = loci.FallbackPart
	f.query = recall.Parse(f.text).AsParts(f.text)
	hits, err := f.contain(index, answer)
	f.rank(f.query, hits)
	return err
}

// rank orders matches of the store.
func (f *finder) rank(q recall.Query, hits []loci.Match) {
	ranking := recall.Rank(q, hits)
	f.query, f.answer, f.total = q, nil, ranking.Len()
	f.hits = ranking.Hits(f.offset, f.offset+f.limit)
	f.next = f.offset+f.limit < f.total
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
func (f *finder) contain(index *indexing.Snapshot, answer *recall.Answer) ([]loci.Match, error) {
	there := map[loci.MemoryID]bool{}
	var ids []loci.MemoryID
	parts := f.query.Parts()
	for i, part := range parts {
		found, err := f.withText(index, answer, part, len(parts)-i)
		if err != nil {
			return nil, err
		}
		for _, id := range found {
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

// withText returns the memories that pass the filter and contain a text, and maybe others. Only if the index cannot
// tell which these are, it reads texts, for a share of the remaining time.
func (f *finder) withText(index *indexing.Snapshot, answer *recall.Answer, text string, share int) (
	[]loci.MemoryID, error) {
	if index != nil {
		if answer != nil && answer.Covers(text) {
			return nil, nil
		}
		if ids, ok := index.Containing(f.v, f.service.Time(), text, maxRead); ok {
			if f.filter.IsAll() || len(ids) == 0 {
				return ids, nil
			}
			return f.tx.Lists().Passing(f.ctx, f.v, f.filter, ids)
		}
	}
	found, err := f.lookInto(text, share)
	return found.IDs, err
}

// lookInto returns the newest memories that contain text, as many as its share of the remaining time allows.
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
