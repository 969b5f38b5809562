package sqlstore

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Match walks the list and reads the texts: the index that searches read has the memories as they are
// now, not as they were at another time.
func (t lists) Match(ctx context.Context, v loci.Viewer, mq store.MatchQuery) (found store.Matches, err error) {
	if err := checkTerms(mq.Terms); err != nil {
		return found, err
	}
	if err := checkWhen(&mq.Filter); err != nil {
		return found, err
	}
	w, err := t.listing(v, &mq.Filter, false)
	if err != nil {
		return found, err
	}
	counter := newCounter(mq.Terms, mq.All)
	for !isOver(ctx, &found.Cut) {
		places, err := w.next(matchBatch)
		if err != nil || len(places) == 0 {
			return found, err
		}
		hits := map[int64]loci.Match{}
		err = t.untilSpent(ctx, &found.Cut, func() error { return t.matchesAt(ctx, w, places, counter, hits) })
		if err != nil {
			return store.Matches{}, err
		}
		for _, p := range places {
			hit, ok := hits[p.Seq]
			switch {
			case ok && len(found.Hits) == mq.Limit:
				found.More = true
				return found, nil
			case ok:
				found.Hits = append(found.Hits, hit)
			}
		}
	}
	return found, unlessCut(ctx, found.Cut)
}

// matchBatch is how many rows are read at a time. A search that has enough has read no more than these in vain.
const matchBatch = 256

// matchesAt adds the matches among the rows at places, by row number.
func (t lists) matchesAt(ctx context.Context, w *listing, places []Place, c *counter, hits map[int64]loci.Match) error {
	return t.eachAt(w, places, func(row string) string { return Columns(row + ".") }, func(r Row) error {
		m, err := t.scanMemory(r)
		if err != nil {
			return err
		}
		if hit, ok := c.count(&m.Memory); ok {
			hits[m.Seq] = hit
		}
		return ctx.Err()
	})
}

// checkTerms rejects terms that no index can find.
func checkTerms(terms []loci.Term) error {
	if len(terms) == 0 || len(terms) > loci.MaxTerms {
		return loci.Errorf(loci.Invalid, "a search must have 1 to %d terms", loci.MaxTerms)
	}
	for _, term := range terms {
		if len(term.Words) == 0 {
			return loci.Errorf(loci.Invalid, "a search term must not be empty")
		}
		for _, word := range term.Words {
			if word == "" || strings.IndexByte(word, 0) >= 0 {
				return loci.Errorf(loci.Invalid, "a search word must not be empty")
			}
		}
	}
	return nil
}
