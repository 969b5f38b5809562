package memory

import (
	"context"
	"strconv"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/indexing"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/vectors"
)

// SearchRequest asks for the memories that match some words, best first.
type SearchRequest struct {
	Filter
	Query  string // 1 to loci.MaxTerm characters: words, "phrases", prefix*
	Limit  int    // 0: 10; at most MaxSearch
	Cursor string // NextCursor of the previous page
	Offset int    // hits to skip, instead of a cursor
	// AskedAt is when the question was asked, which "yesterday" in it is relative to; zero: now.
	AskedAt time.Time
	Explain bool // the hits have Why.Signals
	// MinConfidence leaves out what has less in Recall. nil: what recall.Answer.LeaveOut says; 0: nothing is left out.
	MinConfidence *float64
	// Kinds are what Recall finds; none: everything that p may read. Search finds memories.
	Kinds   []Kind
	events  bool          // find events, too
	facts   bool          // the page has entities of graphs, too
	near    []recall.Near // what graphs relate to the query
	meaning index.Meaning // of the query, if there is a model of embeddings
	index   *indexing.Snapshot
	listing indexing.Listing // without index
	// ownWords leaves out memories that fit only because of what was said around them.
	ownWords bool
	// MatchesOnly is recall.Ask.MatchesOnly; nothing stands in for hits then.
	MatchesOnly bool
	// withoutNear leaves out what is merely near a match.
	withoutNear bool
	// wholeWords leaves out memories that only have parts of the words.
	wholeWords bool
}

// Kind is what kind of rows Recall finds.
type Kind string

// The kinds.
const (
	KindMemory Kind = "memory"
	KindEvent  Kind = "event"
)

// These are the sizes of a page of hits.
const (
	DefaultSearch = 10
	MaxSearch     = 200
)

// Hit is a found memory.
type Hit struct {
	Memory *loci.Memory
	Score  float64 // comparable within one search only
	// Confidence says how likely it is that it answers the question, from 0 to 1.
	Confidence float64
	Snippet    loci.Snippet // the part of the content that matches best
	Why        loci.Why
	Rank       int // its place in the whole answer, from 1
}

// SearchPage is one page of what a search found.
type SearchPage[T any] struct {
	gate.Page[T]
	StoppedBy StoppedBy
	// Graph are the entities of graphs that answer the question, on the first page of Recall.
	Graph []loci.RecalledEntity
	// Events are the events among the hits of Recall. The rank says where they belong between the Items.
	Events []loci.RecalledEvent
	// EventsPartial is set if the newest events may be missing, or all of them, because their log or their index
	// did not answer in time.
	EventsPartial bool
	// NothingFits is set if Recall left out all that it found, because it hardly fits the question.
	NothingFits bool
	// Meaning says whether Recall also found memories by what they mean.
	Meaning vectors.State
	// MeaningDone is how many percent of the memories that the reader sees can be found so, rounded down, if others are
	// still Building and Recall looks for memories only.
	MeaningDone int
}

// Partial reports whether the answer may lack memories. If it was found by a fallback, the Why of each hit says so.
func (p *SearchPage[T]) Partial() bool { return p.StoppedBy != StoppedByNothing }

// StoppedBy is why a search ended before it had read everything. Older memories may be missing then.
type StoppedBy string

// These are the reasons.
const (
	StoppedByNothing StoppedBy = ""
	StoppedByTime    StoppedBy = "time" // it used up its time
	StoppedByRows    StoppedBy = "rows" // there are more memories than a search reads
)

// Search returns the visible memories that fit the query, by relevance. All words need not occur; the more and the
// rarer, the better the rank. If none has a word of it, words that begin like them are tried, then text that contains
// them. With Filter.Lifecycle TrashOnly or ExpiredOnly it searches these, which only people may. Invalid for a cursor
// of another query or principal.
func (s *Service) Search(ctx context.Context, p loci.Principal, r SearchRequest) (*SearchPage[Hit], error) {
	if err := s.Begin(ctx, p, reading(&r.Filter)); err != nil {
		return nil, err
	}
	r.ownWords = true
	return search(ctx, s, p, r, searchKind, func(_ store.Tx, hits []Hit) ([]Hit, error) { return hits, nil })
}

// widest reports whether no filter but the project narrows the search. Others say nothing of entities.
func (r *SearchRequest) widest() bool {
	f := r.Filter
	f.ProjectID = loci.ProjectID{}
	return f.IsAll()
}

// searching is a kind of search. Each kind has its own cursors.
type searching struct {
	name              string
	fallback, maximum int // sizes of a page
}

var searchKind = searching{"search", DefaultSearch, MaxSearch}

// search is behind Search and Recall. shown makes items of the hits, in the transaction that found them.
func search[T any](ctx context.Context, s *Service, p loci.Principal, r SearchRequest, kind searching,
	shown func(store.Tx, []Hit) ([]T, error)) (*SearchPage[T], error) {
	if err := s.checkSearch(&r); err != nil {
		return nil, err
	}
	limit := r.Limit
	if err := gate.SetSize("limit", &limit, kind.fallback, kind.maximum); err != nil {
		return nil, err
	}
	offset, err := r.offset(p, kind.name)
	if err != nil {
		return nil, err
	}
	graphs, err := s.askGraphs(ctx, p, &r)
	if err != nil {
		return nil, err
	}
	r.near = graphs.near
	events, err := s.askEvents(ctx, p, &r)
	if err != nil {
		return nil, err
	}
	var page SearchPage[T]
	if !r.ownWords && r.wants(KindMemory) {
		r.meaning, page.Meaning = s.askMeaning(ctx, p, r.Query, &r.Filter)
	}
	if r.facts && offset == 0 && r.widest() {
		page.Graph = graphs.facts
	}
	more := false
	if r.index = (&indexing.Snapshot{Whole: true}); r.wants(KindMemory) {
		if err = s.awaitIndex(ctx, p, &r); err != nil {
			return nil, err
		}
	}
	err = s.scan(ctx, p, func(tx store.Tx) error {
		f, hits, err := s.find(ctx, tx, p.Viewer(), r, events, offset, limit)
		if err != nil {
			return err
		}
		page.Events, page.EventsPartial = f.events, f.from.partial
		more = f.next && offset+limit <= 2*maxMatches
		page.Total, page.TotalIsLowerBound = f.total, f.more || f.stopped != ""
		if page.Meaning == vectors.Building && !r.events {
			page.MeaningDone = int(100 * f.compared)
		}
		page.StoppedBy, page.NothingFits = f.stopped, f.nothingFits && len(page.Graph) == 0
		if graphs.stopped && f.stopped == "" {
			page.TotalIsLowerBound, page.StoppedBy = true, StoppedByTime
		}
		page.Items, err = shown(tx, hits)
		return err
	})
	if err != nil {
		return nil, err
	}
	if more {
		page.NextCursor = gate.SealCursor(p, r.bound(), kind.name, strconv.Itoa(offset+limit))
	}
	return &page, nil
}

func (s *Service) checkSearch(r *SearchRequest) error {
	if r.Lifecycle != loci.LiveOnly && !r.ownWords {
		return loci.FieldErrorf("filter", "cannot recall what is in the trash or has expired; search it instead")
	}
	if err := loci.CheckText("query", r.Query, 1, loci.MaxTerm); err != nil {
		return err
	}
	if err := checkConfidence(&r.MinConfidence); err != nil {
		return err
	}
	if err := s.checkFilter(&r.Filter); err != nil {
		return err
	}
	return CheckWords("query", r.Query)
}

// checkConfidence checks a SearchRequest.MinConfidence. The default is nil, also if the caller names it.
func checkConfidence(least **float64) error {
	switch {
	case *least == nil:
	case !(**least >= 0 && **least <= 1):
		return loci.FieldErrorf("min_confidence", "must be from 0 to 1")
	case **least == recall.DefaultConfidence:
		*least = nil
	}
	return nil
}

// scan runs fn, which searches, when it is p's turn. RateLimited if p runs too many searches at once.
func (s *Service) scan(ctx context.Context, p loci.Principal, fn func(store.Tx) error) error {
	ctx, done, err := s.Turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	return s.Store.Scan(ctx, p.OrgID, fn)
}

// bound is what a search cursor is bound to.
func (r *SearchRequest) bound() any {
	return struct {
		Filter        Filter
		Query         string
		AskedAt       time.Time
		Kinds         []Kind
		MinConfidence *float64 `json:",omitempty"`
	}{r.Filter, r.Query, r.AskedAt, r.Kinds, r.MinConfidence}
}

func (r *SearchRequest) offset(p loci.Principal, kind string) (int, error) {
	if r.Offset < 0 || r.Offset > gate.MaxOffset {
		return 0, loci.FieldErrorf("offset", "must be from 0 to %d", gate.MaxOffset)
	}
	if r.Cursor == "" {
		return r.Offset, nil
	}
	at, err := gate.OpenCursor(p, r.bound(), kind, r.Cursor)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(at)
	if err != nil || n < 0 || n > 2*maxMatches {
		return 0, loci.FieldErrorf("cursor", "is damaged; leave it out to begin at the first page")
	}
	return n, nil
}

// DefaultPatience is how long a search may take.
const DefaultPatience = time.Second
