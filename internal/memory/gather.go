package memory

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Gathered is what there is for a goal.
type Gathered struct {
	SearchPage[loci.Recalled]
	Pinned []*loci.Memory // those that pass the filter, the most important first and then the newest first
	Recent []*loci.Memory // the newest, if nothing was found
}

// mostRecent is how many of the newest memories stand in for hits.
const mostRecent = 10

// gatherKind lets a session that has received much look for more.
var gatherKind = searching{"context", DefaultSearch, MaxSearch}

// Gather returns what Recall finds for a text of any length and form, with the pinned memories. Call it after Begin of
// what needs it. Its errors are those of Recall for a filter.
func (s *Service) Gather(ctx context.Context, p loci.Principal, r SearchRequest) (*Gathered, error) {
	if err := s.May(p, Read); err != nil {
		return nil, err
	}
	// The text was not written as a question: it needs no more than the beginning, and a * in it means nothing.
	r.Query = loci.FirstRunes(strings.TrimSpace(strings.ReplaceAll(loci.OneLine(r.Query), "*", " ")), loci.MaxTerm)
	r.facts, r.events, r.withoutNear = true, true, true
	out := &Gathered{}
	if r.Query != "" {
		page, err := search(ctx, s, p, r, gatherKind, func(_ store.Tx, hits []Hit) ([]loci.Recalled, error) {
			list := make([]loci.Recalled, len(hits))
			for i, h := range hits {
				list[i] = loci.Recalled{Memory: *h.Memory, Score: h.Score, Snippet: h.Snippet, Why: h.Why, Rank: h.Rank}
			}
			return list, nil
		})
		if err != nil {
			return nil, err
		}
		out.SearchPage = *page
	}
	return out, s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		f := current(r.Filter)
		if out.Pinned, _, err = alwaysOn(ctx, tx, p.Viewer(), f); err != nil {
			return err
		}
		if !r.MatchesOnly && len(out.Items)+len(out.Events)+len(out.Graph) == 0 {
			newest, err := tx.Lists().List(ctx, p.Viewer(), store.ListQuery{Filter: f, Limit: mostRecent})
			if err != nil {
				return err
			}
			out.Recent = newest.Memories
		}
		return s.disagreeing(ctx, tx, p.Viewer(), append(out.Recent[:len(out.Recent):len(out.Recent)], out.Pinned...)...)
	})
}

// Visible returns those of some memories that the caller can read now, in no particular order. Call it after Begin of
// what needs it.
func (s *Service) Visible(ctx context.Context, p loci.Principal, ids []loci.MemoryID) (list []*loci.Memory, err error) {
	if err := s.May(p, Read); err != nil || len(ids) == 0 {
		return nil, err
	}
	err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		if list, err = tx.Memories().GetMany(ctx, p.Viewer(), ids, loci.CurrentOnly); err != nil {
			return err
		}
		return s.disagreeing(ctx, tx, p.Viewer(), list...)
	})
	return list, err
}
