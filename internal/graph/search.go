package graph

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/indexing"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// maxTexts is how many texts a search looks at, the best ones.
const maxTexts = 500

// SearchRequest asks for the entities that match, best first.
type SearchRequest struct {
	Query  string // see recall.Ask.ReadGraph
	Limit  int    // 0: DefaultGraphSearch
	Cursor string // NextCursor of the previous page
}

// Hits is one page of what a search found.
type Hits struct {
	Entities          []loci.Entity
	Total             int    // over all pages
	TotalIsLowerBound bool   // there may be more than Total
	AnyWord           bool   // no entity has all the words; these have some of them, or words that are like them
	NextCursor        string // "" on the last page
}

// Search returns the entities that match in name, type or observations. Invalid for a malformed query, which says what
// is wrong with it.
func (s *Service) Search(ctx context.Context, p loci.Principal, in loci.ProjectID, r SearchRequest) (*Hits, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	questions, err := recall.Ask{Text: r.Query, At: s.Time()}.ReadGraph()
	if err != nil {
		return nil, err
	}
	if err := gate.SetSize("limit", &r.Limit, DefaultGraphSearch, MaxGraphSearch); err != nil {
		return nil, err
	}
	bound := cursorOf{Project: in, Query: r.Query}
	skip, err := bound.skip(p, r.Cursor)
	if err != nil {
		return nil, err
	}
	return inIndex(ctx, s, p, in, func(f *finder) (*Hits, error) {
		found := f.find(questions)
		out := &Hits{Total: len(found.list), TotalIsLowerBound: found.more, AnyWord: found.any}
		if next := skip + r.Limit; next < len(found.list) {
			out.NextCursor = gate.SealCursor(p, bound, "graph search", strconv.Itoa(next))
		}
		out.Entities, err = f.load(ctx, found.list[min(skip, len(found.list)):], r.Limit)
		slices.SortStableFunc(out.Entities, func(a, b loci.Entity) int { return named(a, r.Query) - named(b, r.Query) })
		return out, err
	})
}

// named returns 0 for an entity whose name is the query, and 1 for others.
func named(e loci.Entity, query string) int {
	if strings.EqualFold(e.Name, query) {
		return 0
	}
	return 1
}

// Best returns the entities that answer a question best, as a part of another use case, which has begun.
func (s *Service) Best(ctx context.Context, p loci.Principal, in loci.ProjectID, q *recall.Question, limit int) (
	list []loci.Entity, of loci.Project, err error) {
	list, err = inIndex(ctx, s, p, in, func(f *finder) ([]loci.Entity, error) {
		of = f.tx.Project()
		return f.load(ctx, f.entities(f.words.Find(q.Best(maxTexts).Seeing(f.sees))).list, limit)
	})
	return list, of, err
}

// finder finds entities by their texts in one transaction.
type finder struct {
	tx    store.GraphTx
	v     loci.Viewer
	words *indexing.Snapshot
	sees  func(index.Class) bool
}

// inIndex is View with the index of the graph, which has everything that the transaction sees.
func inIndex[T any](ctx context.Context, s *Service, p loci.Principal, in loci.ProjectID, fn func(*finder) (T, error)) (
	T, error) {
	var words *indexing.Snapshot
	run := func(ctx context.Context, org loci.OrgID, id loci.ProjectID, fn func(store.GraphTx) error) error {
		return s.index.View(ctx, org, id, func(tx store.GraphTx, of *indexing.Snapshot) error {
			words = of
			return fn(tx)
		})
	}
	return result(func(fn func(store.GraphTx, loci.Viewer) error) error { return s.enter(ctx, p, in, run, fn) },
		func(tx store.GraphTx, v loci.Viewer) (T, error) {
			of := tx.Project()
			return fn(&finder{tx, v, words, recall.SeesGraph(v, &of)})
		})
}

// match is an entity with its best text and the terms that all of its texts have.
type match struct {
	entity loci.EntityID
	text   [16]byte
	terms  uint32
}

// found are the entities of a search, best first.
type found struct {
	list []match
	any  bool // none has all the words
	more bool // there may be others
}

// find asks the questions until one finds something. Words that begin like those of a question are better than
// similar ones.
func (f *finder) find(questions []*recall.Question) found {
	var similar *recall.Answer
	for _, q := range questions {
		q = q.Best(maxTexts).Seeing(f.sees)
		answer := f.words.Find(q)
		switch {
		case answer.Fallback() == loci.FallbackSimilar:
			similar = answer
		case len(answer.Hits) > 0:
			return f.entities(answer)
		}
	}
	if similar == nil {
		return found{more: !f.words.Whole}
	}
	return f.entities(similar)
}

// entities returns the entities of the hits. Of plain words, it leaves out those that lack one if others have all.
func (f *finder) entities(a *recall.Answer) (out found) {
	at := map[loci.EntityID]int{}
	for i := range a.Hits {
		h := &a.Hits[i]
		entity := recall.EntityOf(h)
		n, known := at[entity]
		if !known {
			n = len(out.list)
			at[entity], out.list = n, append(out.list, match{entity, h.ID, 0})
		}
		out.list[n].terms |= h.Terms
	}
	out.more = len(a.Hits) == maxTexts || !f.words.Whole
	all, whole := a.Words(), make([]match, 0, len(out.list))
	for _, m := range out.list {
		if m.terms&all == all {
			whole = append(whole, m)
		}
	}
	if out.any = len(out.list) > 0 && (len(whole) == 0 || a.Fallback() != ""); len(whole) > 0 {
		out.list = whole
	}
	return out
}

// load returns the first entities of a list. The index may be wrong, so it looks whether their texts are visible.
func (f *finder) load(ctx context.Context, list []match, limit int) ([]loci.Entity, error) {
	list = list[:min(limit, len(list))]
	texts := loci.Mapped(list, func(m match) [16]byte { return m.text })
	owners, err := f.tx.Graph().Owners(ctx, f.v, texts)
	if err != nil {
		return nil, err
	}
	var ids []loci.EntityID
	for _, m := range list {
		if owners[m.text] == m.entity {
			ids = append(ids, m.entity)
		}
	}
	return f.tx.Graph().Get(ctx, f.v, ids...)
}
