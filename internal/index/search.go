package index

import (
	"cmp"
	"slices"
	"sync"
)

// Search returns the best q.Limit rows, best first. Equal scores are ordered by priority, then by the last change,
// newest first, and then by id. So the order does not depend on how rows are spread over segments.
func Search(views []*View, q *Query) Result {
	if len(q.Terms) == 0 && q.Meaning.Vectors == nil {
		return Result{Exact: true}
	}
	s := newSearch(views, q)
	s.weigh()
	s.readNames()
	s.readLeads()
	s.readMeaning()
	slices.SortStableFunc(s.parts, func(x, y part) int { return cmp.Compare(y.live, x.live) })
	top := best[contender]{limit: q.Limit + contenders}
	for i := range s.parts {
		p := &s.parts[i]
		s.accumulate(p)
		if s.collect(p, &top); i+1 < len(s.parts) {
			s.raise(&top)
		}
	}
	r := s.result(s.finish(top.list))
	s.release()
	return r
}

type search struct {
	q     *Query
	parts []part
	sum   totals
	// common has bit t if most rows have term t.
	common uint32
	alone  bool    // no visible row has neighbours
	some   bool    // a phrase was looked for in some of the rows only
	meant  int     // visible rows with a vector
	far    float64 // rows that are less similar in meaning need more than that
	// alike has a bit for each term that was found only by similar forms.
	alike uint32
	// idf is the share of each term in a perfect match.
	idf   []float64
	order []int // of the terms, the rarest first
	// least is a score below which no row is among the best.
	least float64
	// worked are the rows that were worked out with all their signals, and scores the highest of their scores.
	worked map[rowIn]Hit
	scores best[score]
	// Saturations of a row, of a row with its neighbours and of a session.
	row, context, session saturation
}

type part struct {
	*View
	spans   []span
	live    uint32 // visible rows
	hidden  bitmap
	without []span       // hidden rows of spans, once hiddenSpans was called
	only    bitmap       // rows that can be hits; nil: all visible ones
	forms   [][]weighted // of each term
	likely  [][]weighted // forms, the most frequent first; nil: not known yet
	counts  []int        // how many visible rows have each term, as look counts them
	least   []int        // how many have it at least
	unread  []*weighted  // of each term: the form that p.rows does not have; nil: it has all
	starts  [][]uint64   // of each phrase: where it begins, as list.places says it
	actors  []float32    // of each person, what their rows get; nil: nothing
	named   []namedRow   // rows that the question names
	found   []uint32     // rows of the name at hand
	led     []ledRow     // rows of q.Leads
	placed  *placed      // where the vectors of q.Meaning are
	meant   []meantRow   // rows that q.Meaning finds, by doc
	most    []float64    // of each term: the most that a row can get from it; 0: not known yet
	loaded  []bool       // of each term: p.rows has the rows of unread that are needed
	added   int          // postings that were added up
	// picked are the rows that can be among the best, if pruned says that there are others.
	picked []uint32
	pruned bool
	*scratch
}

// scratch is memory that searches use one after the other. Scores, sessions and bitmaps are zero between two
// searches.
type scratch struct {
	rows             []entries // of each term
	spare, merged    entries
	found64          []uint64 // places of words
	scores, sessions []float32
	cosines          []float32 // of rows with the question; may have any value between two searches
	marks            bitmap    // zero between two uses
	touched          bitmap    // rows that something was added to, or to a neighbour
	reached          []uint32  // rows with a score, or in a session with one
	needed           []span    // of picked rows
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// maxScratch is the size from which scratch memory is not kept, in rows.
const maxScratch = 1 << 21

func newSearch(views []*View, q *Query) *search {
	s := &search{q: q, worked: map[rowIn]Hit{}, scores: best[score]{limit: q.Limit}}
	for _, v := range views {
		p := part{View: v}
		var sum totals
		if p.spans, sum, p.hidden = v.visible(q.Sees, q.Now); len(p.spans) == 0 {
			continue
		}
		s.sum.add(sum)
		p.live = uint32(sum.rows)
		p.scratch = scratches.Get().(*scratch)
		p.reset(len(q.Terms), v.rows)
		p.forms, p.likely = make([][]weighted, len(q.Terms)), make([][]weighted, len(q.Terms))
		p.starts = make([][]uint64, len(q.Terms))
		p.counts, p.least, p.unread = make([]int, len(q.Terms)), make([]int, len(q.Terms)), make([]*weighted, len(q.Terms))
		p.actors, p.most, p.loaded = v.actorValues(q), make([]float64, len(q.Terms)), make([]bool, len(q.Terms))
		if q.Only != nil {
			p.limitTo(q.Only)
		}
		s.parts = append(s.parts, p)
	}
	if s.alone = s.sum.rows == s.sum.groups; !s.alone {
		for i := range s.parts {
			p := &s.parts[i]
			p.sessions = sized(p.sessions, p.group(p.Segment.rows-1)+1)
		}
	}
	if q.Where != nil {
		s.limitWhere(views)
	}
	s.read()
	return s
}

// release gives scratch memory back. A search that panics must not do so.
func (s *search) release() {
	for i := range s.parts {
		if p := &s.parts[i]; cap(p.scores) <= maxScratch {
			s.clear(p)
			scratches.Put(p.scratch)
		}
	}
}

func (c *scratch) reset(terms int, rows uint32) {
	for len(c.rows) < terms {
		c.rows = append(c.rows, entries{})
	}
	for i := range c.rows {
		c.rows[i].reset()
	}
	c.scores = sized(c.scores, rows)
	if words := (rows + 63) / 64; uint32(len(c.marks)) < words {
		c.marks, c.touched = make(bitmap, words), make(bitmap, words)
	}
}

// sized returns a list of n values, as they were before, or new ones.
func sized(list []float32, n uint32) []float32 {
	if uint32(cap(list)) < n {
		return make([]float32, n)
	}
	return list[:n]
}

// limitTo sets p.only, and p.picked to the visible ones of these rows.
func (p *part) limitTo(ids [][16]byte) {
	p.only = newBitmap(p.Segment.rows)
	for _, id := range ids {
		if doc, ok := p.find(id); ok && !p.only.has(doc) {
			p.only.set(doc)
			p.picked = append(p.picked, doc)
		}
	}
	slices.Sort(p.picked)
	spans := p.spans
	p.picked = slices.DeleteFunc(p.picked, func(doc uint32) bool {
		for len(spans) > 0 && spans[0].end <= doc {
			spans = spans[1:]
		}
		return len(spans) == 0 || doc < spans[0].begin || p.hidden.has(doc)
	})
}

// few reports whether so few rows can be hits that only these need scores.
func (p *part) few() bool { return p.only != nil && uint32(len(p.picked)) <= p.live/mostPicked }

// admits reports whether a row of p.spans can be a hit.
func (p *part) admits(doc uint32) bool {
	return !p.hidden.has(doc) && (p.only == nil || p.only.has(doc))
}

// actorValues returns what rows of each person get. Two people whom a question names share the weight.
func (v *View) actorValues(q *Query) []float32 {
	var values []float32
	for _, name := range q.Actors {
		if n, ok := v.Segment.actors[name]; ok {
			if values == nil {
				values = make([]float32, len(v.Segment.actors))
			}
			values[n] = float32(1 / float64(len(q.Actors)))
		}
	}
	return values
}

// maxForms is how many forms of a term a result has.
const maxForms = 64

// result describes the terms and counts the rows.
func (s *search) result(hits []Hit) Result {
	r := Result{Hits: hits, Weights: s.idf, Forms: make([][]string, len(s.q.Terms)), Similar: s.alike, Common: s.common,
		By: s.q.Weights, Compared: float64(s.meant) / max(s.sum.rows, 1)}
	for t := range r.Forms {
		r.Forms[t] = s.standIns(t)
	}
	if r.Total, r.Exact = s.total(); r.Total < len(hits) {
		r.Total, r.Exact = len(hits), false
	}
	return r
}

// total returns how many rows that can be hits have a term. It does not count the rows of broad questions.
func (s *search) total() (n int, exact bool) {
	for t := range s.q.Terms {
		n := 0
		for i := range s.parts {
			n += s.parts[i].countTerm(t)
		}
		if n >= MaxTotal {
			return MaxTotal, false
		}
	}
	for i := range s.parts {
		n += s.parts[i].countRows()
	}
	return n, !s.some
}

// countTerm returns how many rows have a term that can be hits, or MaxTotal if there are more.
func (p *part) countTerm(t int) (n int) {
	docs := p.rows[t].docs
	if p.only == nil && p.starts[t] == nil {
		return min(p.least[t], MaxTotal)
	}
	for _, doc := range docs {
		if p.only == nil || p.only.has(doc) {
			if n++; n == MaxTotal {
				break
			}
		}
	}
	return n
}

// countRows returns how many rows have any term that can be hits.
func (p *part) countRows() (n int) {
	for t := range p.forms {
		if !p.few() { // else p.rows has those that can be hits
			p.load(t)
		}
		for _, doc := range p.rows[t].docs {
			if p.admits(doc) && !p.marks.has(doc) {
				p.marks.set(doc)
				n++
			}
		}
	}
	for t := range p.forms {
		for _, doc := range p.rows[t].docs {
			p.marks[doc/64] = 0
		}
	}
	return n
}

// standIns returns the forms that stood in for a term and that a row has which can be a hit, the best first.
func (s *search) standIns(t int) (list []string) {
	forms := make([][]weighted, len(s.parts))
	for i := range s.parts {
		p := &s.parts[i]
		for _, f := range bestFirst(slices.Clone(p.forms[t])) {
			if s.q.Terms[t].names(p.Segment.forms.at(f.form)) {
				continue
			}
			if p.only == nil || p.starts[t] != nil || p.has(&f, p.only) {
				forms[i] = append(forms[i], f)
			}
			if len(forms[i]) == maxForms {
				break
			}
		}
	}
	for _, f := range s.named(forms) {
		if len(list) < maxForms {
			list = append(list, f.form)
		}
	}
	return list
}

// names reports whether the term or a word of its phrase is written like this.
func (t *Term) names(form string) bool {
	return t.Form == form || slices.ContainsFunc(t.Phrase, func(w Term) bool { return w.Form == form })
}

// best keeps the best values that it was offered. Once it is full, the worst of them comes first. container/heap takes
// several times as long.
type best[T interface{ worse(T) bool }] struct {
	list  []T
	limit int
}

func (b *best[T]) full() bool { return len(b.list) == b.limit }

func (b *best[T]) offer(v T) {
	switch {
	case b.full() && b.list[0].worse(v):
		b.sink(0, v)
	case !b.full():
		if b.list = append(b.list, v); !b.full() {
			return // in order of the offers, which costs less than a heap, and often less to sort
		}
		for at := len(b.list)/2 - 1; at >= 0; at-- {
			b.sink(at, b.list[at])
		}
	}
}

// sink puts v at a place of the heap, or as far below as it is better than what is there.
func (b *best[T]) sink(at int, v T) {
	for next := 2*at + 1; next < len(b.list); next = 2*at + 1 {
		if next+1 < len(b.list) && b.list[next+1].worse(b.list[next]) {
			next++
		}
		if !b.list[next].worse(v) {
			break
		}
		b.list[at] = b.list[next]
		at = next
	}
	b.list[at] = v
}

// score is a score as a value of best.
type score float64

func (s score) worse(o score) bool { return s < o } //nolint:unused // best uses it
