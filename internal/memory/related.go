package memory

import (
	"context"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Related is what Loci knows about a text.
type Related struct {
	Memories []*loci.Memory // the best matches among all visible ones that hold now, best first
	// Partial is set if not all memories were compared: the time was over, or the search failed.
	Partial bool
}

// relatedQuery is how many characters of a text are looked for. More words find nothing better.
const relatedQuery = 400

// RelatedTo finds for each text at most limit memories that may say the same, more, or the opposite. All texts together
// have the patience of one search. It is a part of another use case, which has begun, and checks only that p may read
// memories: if not, everything is partial.
func (s *Service) RelatedTo(ctx context.Context, p loci.Principal, texts []string, limit int) []Related {
	out := make([]Related, len(texts))
	for i := range out {
		out[i].Partial = true
	}
	if len(texts) == 0 || s.May(p, Read) != nil {
		return out
	}
	index, err := s.o.Index.Await(ctx, p.OrgID)
	related := func(tx store.Tx) error {
		until := time.Now().Add(s.o.Patience)
		for i, text := range texts {
			if time.Now().After(until) {
				return nil
			}
			f, hits, err := s.find(ctx, tx, p.Viewer(), SearchRequest{Query: asWords(text), ownWords: true,
				wholeWords: true, index: index}, fromEvents{}, 0, limit)
			if err != nil {
				return err
			}
			out[i].Partial = f.stopped != ""
			for _, h := range hits {
				out[i].Memories = append(out[i].Memories, h.Memory)
			}
		}
		return nil
	}
	if err == nil {
		err = s.scan(ctx, p, related)
	}
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "cannot compare candidates with memories", "error", err)
	}
	return out
}

// asWords returns the beginning of a text, in which nothing is an operator of a query.
func asWords(text string) string {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"*-+:()", r) {
			return ' '
		}
		return r
	}, text)
	n := 0
	for i := range text {
		if n++; n > relatedQuery {
			text = text[:i]
			break
		}
	}
	return text
}

// These are the sizes of a page of Recall.
const (
	DefaultRecall = 5
	MaxRecall     = 50
)

// MaxRecalledSources is how many sources of a memory Recall returns.
const MaxRecalledSources = 10

var recallKind = searching{"recall", DefaultRecall, MaxRecall}

// Recall is Search with events beside the memories, with why each row was found, and with where each memory comes
// from: the oldest MaxRecalledSources of its sources that p sees, without their raw texts. r.Limit 0 is DefaultRecall,
// and at most MaxRecall, memories and events together. Its errors are those of Search; if r.Kinds asks for events, also
// Forbidden if p may not read them, and Unavailable if it asks for nothing else and their log cannot be read.
func (s *Service) Recall(ctx context.Context, p loci.Principal, r SearchRequest) (*SearchPage[loci.Recalled], error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	if err := checkKinds(r.Kinds); err != nil {
		return nil, err
	}
	r.facts, r.events = r.wants(KindMemory), r.wants(KindEvent)
	return search(ctx, s, p, r, recallKind, func(tx store.Tx, hits []Hit) ([]loci.Recalled, error) {
		return withSources(ctx, tx, p.Viewer(), hits, r.When)
	})
}

// withSources reads the sources of all hits at once. If the search is about another time, it includes the sources of
// hits that have expired, been superseded or been trashed since, but no sources added since.
func withSources(ctx context.Context, tx store.Tx, v loci.Viewer, hits []Hit, w loci.When) ([]loci.Recalled, error) {
	out := make([]loci.Recalled, len(hits))
	ids := make([]loci.MemoryID, len(hits))
	of := make(map[loci.MemoryID]*loci.Recalled, len(hits))
	for i, h := range hits {
		out[i] = loci.Recalled{Memory: *h.Memory, Score: h.Score, Confidence: h.Confidence, Snippet: h.Snippet, Why: h.Why,
			Rank: h.Rank, Sources: []loci.Source{}}
		ids[i], of[h.Memory.ID] = h.Memory.ID, &out[i]
	}
	if len(ids) == 0 {
		return out, nil
	}
	life := loci.LiveOnly
	if !w.IsZero() {
		life = loci.AnyState
	}
	sources, err := tx.Sources().List(ctx, v, ids, life)
	for _, s := range sources {
		m := of[s.MemoryID]
		if len(m.Sources) < MaxRecalledSources && (w.KnownAt.IsZero() || !s.CreatedAt.After(w.KnownAt)) {
			s.Text = ""
			m.Sources = append(m.Sources, s)
		}
	}
	return out, err
}

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
			return loci.Mapped(hits, func(h Hit) loci.Recalled {
				return loci.Recalled{Memory: *h.Memory, Score: h.Score, Snippet: h.Snippet, Why: h.Why, Rank: h.Rank}
			}), nil
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
		if !r.MatchesOnly && !out.NothingFits && len(out.Items)+len(out.Events)+len(out.Graph) == 0 {
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
