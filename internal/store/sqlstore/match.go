package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (t lists) Match(ctx context.Context, v loci.Viewer, mq store.MatchQuery) (found store.Matches, err error) {
	if err := checkTerms(mq.Terms); err != nil {
		return found, err
	}
	if err := checkWhen(&mq.Filter); err != nil {
		return found, err
	}
	index := t.Index()
	if v, err = index.Near(v, &mq.Filter); err != nil {
		return found, err
	}
	var hits []Hit
	err = t.untilSpent(ctx, &found.Cut, func() (err error) {
		hits, err = index.Match(ctx, v, &mq)
		return err
	})
	if err == nil && !found.Cut && !mq.When.KnownAt.IsZero() {
		err = t.untilSpent(ctx, &found.Cut, func() error { return t.addOld(ctx, v, &mq, &hits) })
		slices.SortFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Seq, a.Seq) })
	}
	if err != nil {
		return found, err
	}
	found.More = len(hits) > mq.Limit
	for _, h := range hits[:min(mq.Limit, len(hits))] {
		found.Hits = append(found.Hits, h.Match)
	}
	return found, nil
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
