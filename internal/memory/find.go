package memory

import (
	"cmp"
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/indexing"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// current limits the memories for a model to those that are valid now, unless the caller asks for
// another time, for the trash or for what has expired.
func current(f Filter) Filter {
	if f.When.IsZero() && f.Lifecycle == loci.LiveOnly {
		f.Lifecycle = loci.CurrentOnly
	}
	return f
}

// find runs every search: candidates and their order from the index, and the rows of one page.
func (s *Service) find(ctx context.Context, tx store.Tx, v loci.Viewer, r SearchRequest, from fromEvents, offset,
	limit int) (*finder, []Hit, error) {
	f := &finder{service: s, ctx: ctx, tx: tx, v: v, filter: current(r.Filter), text: r.Query, near: r.near,
		meaning: r.meaning, index: r.index, listing: r.listing, ownWords: r.ownWords, matchesOnly: r.MatchesOnly,
		wholeWords: r.wholeWords || r.MatchesOnly, withoutNear: r.withoutNear, memories: r.wants(KindMemory), from: from,
		explain: r.Explain, askedAt: r.AskedAt, least: r.MinConfidence, offset: offset, limit: limit,
		until: time.Now().Add(s.o.Patience)}
	if f.ownWords { // a search finds words
		f.least = new(float64)
	}
	find := f.findNow
	if f.filter.Lifecycle != loci.CurrentOnly {
		find = f.findAt
	}
	if err := find(); err != nil {
		return nil, nil, err
	}
	hits, err := f.load()
	// What disagrees now may not have disagreed then. A search that used up its time reads no more.
	if err != nil || !present(&f.filter) || f.stopped != "" {
		return f, hits, err
	}
	memories := loci.Mapped(hits, func(h Hit) *loci.Memory { return h.Memory })
	err = s.disagreeing(ctx, tx, v, memories...)
	newerFirst(hits)
	return f, hits, err
}

type finder struct {
	service       *Service
	ctx           context.Context
	tx            store.Tx
	v             loci.Viewer
	filter        store.Filter
	text          string
	near          []recall.Near // what graphs relate to the question
	meaning       index.Meaning
	index         *indexing.Snapshot // nil: of no use for the filter
	listing       indexing.Listing
	ownWords      bool
	wholeWords    bool
	matchesOnly   bool
	withoutNear   bool
	memories      bool       // find memories
	from          fromEvents // find events there
	explain       bool
	askedAt       time.Time
	least         *float64 // recall.Ask.Least
	offset, limit int
	until         time.Time // when the time for the search ends

	hits     []recall.Hit // those of the page
	events   []loci.RecalledEvent
	read     map[loci.EventID]*loci.Event // events that were compared
	alike    map[loci.EventID]int         // how many events each of them stands for, besides itself
	answer   *recall.Answer               // explains them; nil: they have it, and anywhere has their snippets
	anywhere *recall.Anywhere
	total    int
	next     bool // there are hits after the page
	more     bool // total is a lower bound
	stopped  StoppedBy
	// nothingFits is set if all that was found was left out.
	nothingFits bool
	compared    float64 // index.Result.Compared
}

// CheckWords rejects a query if its words with a * match too many others.
func CheckWords(field, query string) error {
	n, short := recall.Ask{Text: query}.Read().Prefixes()
	if short != "" {
		return loci.FieldErrorf(field, "has %q, which matches too many words; type at least %d letters before the *",
			short+"*", recall.MinPrefix)
	}
	if n > recall.MaxPrefixes {
		return loci.FieldErrorf(field, "has %d words with a *; use at most %d", n, recall.MaxPrefixes)
	}
	return nil
}

// findNow asks the index: for the words, then for words that begin like them, then for words that
// contain them, until it finds something. The last attempt reads texts, unless the index shows that they have nothing.
func (f *finder) findNow() error {
	if !f.index.Whole {
		f.stopped = StoppedByTime
	}
	only, broad, err := f.only()
	if err != nil || only != nil && len(only) == 0 {
		return err
	}
	return f.findIn(only, broad)
}

// findIn asks an index for the memories and events in only, or if that is nil for all. If the filter is broad, it
// leaves out hits that do not pass.
func (f *finder) findIn(only [][16]byte, broad bool) error {
	at := f.askedAt
	if at.IsZero() {
		at = f.service.Time().In(time.Local)
	}
	ask := recall.Ask{Text: f.text, At: at, Now: f.service.Time(), Self: asker, Sees: recall.Sees(f.v), Only: only,
		Near: f.near, OwnWords: f.ownWords, MatchesOnly: f.matchesOnly, Meaning: f.meaning, Least: f.least}
	question := ask.Read()
	all := f.index.With(f.from.index)
	var similar, meant, last *recall.Answer
	questions := []*recall.Question{question}
	if !f.wholeWords {
		questions = append(questions, question.AsPrefixes(), question.AsParts())
	}
	for _, q := range questions {
		answer, err := f.ask(all, q, broad)
		switch {
		case err != nil:
			return err
		case len(answer.Hits) == 0:
			last = answer // at the end the one for parts
		case answer.ByMeaning():
			meant = cmp.Or(meant, answer) // words that begin like them are better
		case answer.Fallback() == loci.FallbackSimilar:
			similar = cmp.Or(similar, answer) // words that begin like them are better
		default:
			return f.answered(answer)
		}
	}
	if found := cmp.Or(similar, meant); found != nil {
		return f.answered(found)
	}
	if broad {
		last = nil // hits that did not pass may have hidden others
	}
	if !f.memories || f.wholeWords {
		return nil
	}
	return f.findParts(question, last)
}

// asker are the names of the person who asks, in conversations with an assistant.
var asker = []string{"user"}

// awaitIndex sets the index for a search once it is up to date, or the list of which an index is made instead.
func (s *Service) awaitIndex(ctx context.Context, p loci.Principal, r *SearchRequest) (err error) {
	if current(r.Filter).Lifecycle != loci.CurrentOnly {
		r.index, r.listing = nil, s.selections.Of(ctx, s.Store, p.Viewer(), &r.Filter)
		return nil
	}
	r.index, err = s.o.Index.Await(ctx, p.OrgID)
	return err
}

// mostOnly is how many memories a filter may leave, to ask the index for these only. Of more, the hits are filtered.
const mostOnly = 5000

// only returns the memories that pass the filter, or nil if all do. broad is set if they are too many.
func (f *finder) only() (only [][16]byte, broad bool, err error) {
	if f.filter.IsAll() {
		return nil, false, nil
	}
	short, cancel := f.service.forEvents(f.ctx)
	defer cancel()
	only, broad, err = f.from.ids(short, f.v, mostOnly)
	if err != nil {
		only, broad, err = [][16]byte{}, false, f.withoutEvents(short, err)
	}
	if err != nil || broad {
		return nil, broad, err // the first of too many would hide the others, and all memories
	}
	if !f.memories {
		return only, false, nil
	}
	ids, more, err := f.tx.Lists().IDs(f.ctx, f.v, f.filter, mostOnly)
	if err != nil || more {
		return nil, true, err
	}
	for _, id := range ids {
		only = append(only, id)
	}
	return only, false, nil
}

// ask asks the index for the hits of the page. If the filter is broad, it asks for more and more hits until
// enough of them pass.
func (f *finder) ask(s *indexing.Snapshot, q *recall.Question, broad bool) (*recall.Answer, error) {
	want := recall.Fetched(f.offset+f.limit+1, f.least)
	if f.from.index != nil {
		want += mostCompared
	}
	if !broad {
		return s.Find(q.Best(want)), nil
	}
	for most := 4 * want; ; most *= 8 {
		answer := s.Find(q.Best(min(most, maxMatches)))
		ids := loci.Mapped(answer.Hits, func(h index.Hit) loci.MemoryID { return h.ID })
		passing, err := f.passing(ids)
		if err != nil || len(passing) >= want || len(ids) < most || most >= maxMatches {
			answer.Keep(passing)
			answer.Total, answer.Exact = len(passing), len(ids) < most
			return answer, err
		}
	}
}

// passing returns which rows pass the filter.
func (f *finder) passing(ids []loci.MemoryID) (list []loci.MemoryID, err error) {
	if f.memories {
		if list, err = f.tx.Lists().Passing(f.ctx, f.v, f.filter, ids); err != nil {
			return nil, err
		}
	}
	short, cancel := f.service.forEvents(f.ctx)
	defer cancel()
	events, err := f.from.passing(short, f.v, ids)
	return append(list, events...), f.withoutEvents(short, err)
}

// nearPart is which part of a page rows may take that are merely near a match.
const nearPart = 3

func (f *finder) answered(a *recall.Answer) error {
	if a.LimitNear(f.limit / nearPart); f.withoutNear {
		a.LimitNear(0)
	}
	f.nothingFits = a.LeaveOut()
	if err := f.dropAlike(a); err != nil {
		return err
	}
	f.answer, f.total, f.more, f.compared = a, a.Total, !a.Exact, a.Compared
	from := min(f.offset, len(a.Hits))
	to := min(f.offset+f.limit, len(a.Hits))
	for _, h := range a.Hits[from:to] {
		f.hits = append(f.hits, recall.Hit{ID: h.ID, Score: h.Score, Confidence: a.Confidence(&h)})
	}
	f.next = to < len(a.Hits)
	return nil
}

// load reads the rows of the page, and explains why they are there.
func (f *finder) load() ([]Hit, error) {
	ids := make([]loci.MemoryID, len(f.hits))
	of := make(map[loci.MemoryID]int, len(f.hits))
	for i, h := range f.hits {
		ids[i], of[h.ID] = h.ID, i
	}
	memories, err := readAt(f.ctx, f.tx, f.v, ids, &f.filter)
	if err != nil {
		return nil, err
	}
	hits, there := make([]Hit, len(memories)), make(map[loci.MemoryID]bool, len(memories))
	for n, m := range memories {
		i := of[m.ID]
		there[m.ID] = true
		h := f.hits[i]
		hits[n] = Hit{Memory: m, Score: h.Score, Confidence: h.Confidence, Why: h.Why, Rank: f.offset + i + 1}
		if f.answer == nil {
			hits[n].Snippet = f.anywhere.Snippet(m.Content)
			continue
		}
		hits[n].Why, hits[n].Snippet = f.answer.Explain(f.offset+i, m)
		if f.explain {
			hits[n].Why.Signals = f.answer.Signals(f.offset + i)
		}
	}
	err = f.loadEvents(there)
	f.total = max(f.total-len(f.hits)+len(hits)+len(f.events), 0) // without rows that are gone
	return hits, err
}

// maxMatches is how many hits are looked at for those that pass a broad filter, and how many of the newest memories a
// search of another time reads.
const maxMatches = 10_000

// maxContained is how many memories the last attempt collects, if no index can tell which contain the texts.
const maxContained = 200

// maxRead is how many memories are read to look whether they contain a text whose signs they have. More are walked
// through, until enough of them contain it.
const maxRead = 500

// findAt searches memories as they were at another time, the trash, or what has expired. Those that the list has
// become an index in memory, which is asked as the index of what holds now is.
func (f *finder) findAt() error {
	var kept bool
	if f.index, kept = f.service.selections.Get(f.listing, f.service.Time()); !kept {
		if err := f.selectRows(); err != nil {
			return err
		}
	} else if !f.index.Whole {
		f.stopped = StoppedByRows
	}
	return f.findIn(nil, false)
}

// listed is how many memories are read at a time.
const listed = 100

// selectRows makes an index of the newest memories of the list, as many as two thirds of the remaining time allow. To
// make it takes half as long as to read them.
func (f *finder) selectRows() (err error) {
	to := indexing.NewSelection()
	if !f.memories {
		f.index, err = to.Snapshot(true)
		return err
	}
	ctx, cancel := context.WithTimeoutCause(f.ctx, time.Until(f.until)*2/3, loci.ErrSpent)
	defer cancel()
	err = f.walk(ctx, func(m *loci.Memory) bool {
		if to.Len() == maxMatches {
			f.stopped = StoppedByRows
			return false
		}
		to.Add(m)
		return true
	})
	if err == nil {
		f.index, err = to.Snapshot(f.stopped == "")
	}
	if err == nil && f.stopped != StoppedByTime {
		f.service.selections.Put(f.listing, to, f.index)
	}
	return err
}

// walk calls add with the memories of the list, newest first, until it returns false or the time of ctx is over.
func (f *finder) walk(ctx context.Context, add func(*loci.Memory) bool) error {
	for q := (store.ListQuery{Filter: f.filter, Limit: listed}); ; {
		page, err := f.tx.Lists().List(ctx, f.v, q)
		for i := 0; i < len(page.Memories) && !loci.Spent(ctx); i++ {
			if !add(page.Memories[i]) {
				return nil
			}
		}
		switch q.After = page.Next; {
		case loci.Spent(ctx):
			f.stopped = StoppedByTime
			return nil
		case err != nil || page.Next == "":
			return err
		}
	}
}

// findParts is the last attempt: it finds texts that contain the words anywhere. An index with all memories and its
// answer, which may be nil, tell which texts are in few memories or none. Memories are read for the others.
func (f *finder) findParts(q *recall.Question, answer *recall.Answer) error {
	f.anywhere = q.Anywhere()
	var ids []loci.MemoryID
	var untold []string
	for _, text := range f.anywhere.Texts() {
		if f.index.Whole && answer != nil && answer.Covers(text) {
			continue
		}
		if found, ok := f.index.Containing(f.v, f.service.Time(), text, maxRead); ok && f.index.Whole {
			ids = append(ids, found...)
		} else {
			untold = append(untold, text)
		}
	}
	if len(ids) > 0 && !f.filter.IsAll() {
		var err error
		if ids, err = f.tx.Lists().Passing(f.ctx, f.v, f.filter, ids); err != nil {
			return err
		}
	}
	more, err := f.containing(untold)
	if err != nil {
		return err
	}
	memories, err := readAt(f.ctx, f.tx, f.v, loci.Unique(append(ids, more...)), &f.filter)
	hits := f.anywhere.Rank(memories)
	f.total, f.next = len(hits), f.offset+f.limit < len(hits)
	f.hits = hits[min(f.offset, len(hits)):min(f.offset+f.limit, len(hits))]
	return err
}

// containing returns the newest memories that pass the filter and contain one of the texts, as many as the remaining
// time allows, at most maxContained.
func (f *finder) containing(texts []string) (ids []loci.MemoryID, err error) {
	if len(texts) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithDeadlineCause(f.ctx, f.until, loci.ErrSpent)
	defer cancel()
	err = f.walk(ctx, func(m *loci.Memory) bool {
		if !f.anywhere.Has(m, texts) {
			return true
		}
		if f.more = len(ids) == maxContained; !f.more {
			ids = append(ids, m.ID)
		}
		return !f.more
	})
	return ids, err
}
