package index

import (
	"bytes"
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/loci-memory/loci/internal/language"
)

// Found is a row that Having found, what wants says of it, and its last change in microseconds since 1970.
type Found struct {
	ID      [16]byte
	Rank    int
	Updated int64
}

// compare orders rows by rank, and then the last changed first.
func (f *Found) compare(o *Found) int {
	return cmp.Or(cmp.Compare(f.Rank, o.Rank), cmp.Compare(o.Updated, f.Updated), bytes.Compare(f.ID[:], o.ID[:]))
}

// Best are the rows with the lowest ranks, in their order, at most Limit.
type Best struct {
	Limit int
	List  []Found
}

// Add adds a row, if it is one of them.
func (b *Best) Add(f Found) {
	n := len(b.List)
	if n == b.Limit {
		if n == 0 || f.compare(&b.List[n-1]) >= 0 {
			return
		}
		b.List = b.List[:n-1]
	}
	at, _ := slices.BinarySearchFunc(b.List, f, func(x, y Found) int { return x.compare(&y) })
	b.List = slices.Insert(b.List, at, f)
}

// Group is some words of a query, each the bits of its terms. A row must have Need of them, namely those that
// the fewest rows have.
type Group struct {
	Words []uint32
	Need  int
}

// mostHaving is how many rows with a term are looked at of each class in each view, the last ones. A word that more
// rows have tells little of a text.
const mostHaving = 1 << 10

// Wants tells of a row whether it is wanted, and its rank, by which the rows are ordered.
type Wants func(id [16]byte, m *Mark) (rank int, ok bool)

// Having returns the rows that have the words of a group and that are wanted, those of the lowest rank first,
// at most limit of each group. It reads nothing of the query but Terms, Sees and Now.
func Having(views []*View, q *Query, groups []Group, limit int, wants Wants) []Found {
	list, read := make([]*having, 0, len(views)), &entries{}
	for _, v := range views {
		if h := newHaving(v, q, read); len(h.spans) > 0 {
			list = append(list, h)
		}
	}
	var all []Found
	for _, g := range groups {
		terms := g.choose(list)
		if terms == 0 {
			continue
		}
		best := Best{Limit: limit}
		for _, h := range list {
			for _, doc := range h.all(terms) {
				id := h.id(doc)
				if rank, ok := wants(id, h.mark(doc)); ok {
					best.Add(Found{id, rank, h.updated(doc)})
				}
			}
		}
		all = append(all, best.List...)
	}
	return all
}

// choose returns the terms of the words that a row must have, and 0 if no row has enough of them.
func (g *Group) choose(list []*having) (terms uint32) {
	type counted struct {
		terms uint32
		rows  int
	}
	words := make([]counted, 0, len(g.Words))
	for _, w := range g.Words {
		one := counted{terms: w}
		for _, h := range list {
			if len(g.Words) > g.Need {
				one.rows += h.rows(w)
			}
		}
		if one.rows > 0 || len(g.Words) == g.Need {
			words = append(words, one)
		}
	}
	if len(words) < g.Need {
		return 0
	}
	slices.SortStableFunc(words, func(x, y counted) int { return cmp.Compare(x.rows, y.rows) })
	for _, w := range words[:g.Need] {
		terms |= w.terms
	}
	return terms
}

func (s *Segment) updated(doc uint32) int64 { return int64(u64(s.parts[secUpdated], doc)) }

type having struct {
	*View
	q          *Query
	spans      []span               // of the visible classes, one each
	classLangs []language.Languages // of these classes: those that all of its rows are in
	hidden     bitmap
	terms      []occurrences
	read       *entries // as long as nothing else is read
}

func newHaving(v *View, q *Query, read *entries) *having {
	h := &having{View: v, q: q, read: read}
	if h.spans, _, h.hidden = v.visible(q.Sees, q.Now); len(h.spans) == 0 {
		return h
	}
	h.spans, h.terms = h.spans[:0], make([]occurrences, len(q.Terms))
	for i, c := range v.classes {
		if v.count[i].rows > 0 && q.Sees(c.class) {
			h.spans, h.classLangs = append(h.spans, c.span), append(h.classLangs, v.langs[i])
		}
	}
	return h
}

// occurrences are the forms of a term in a view. They are looked up once a group needs them.
type occurrences struct {
	known bool
	forms []weighted
	lists []walk // once it is known that rows are looked up
	rows  int    // visible ones of each form, of each class at most mostHaving
}

func (h *having) occurrences(t int) *occurrences {
	o := &h.terms[t]
	if o.known {
		return o
	}
	o.known, o.forms = true, h.match(&h.q.Terms[t], 1)
	for i := range o.forms {
		l := h.list(o.forms[i].form)
		for class := range h.spans {
			_, n := h.last(&l, &o.forms[i], class)
			o.rows += n
		}
	}
	return o
}

// last returns the block from which on a list has mostHaving visible rows of a class, or else the first block. It
// also returns how many rows these are, at most mostHaving.
func (h *having) last(l *list, f *weighted, class int) (block, rows int) {
	in := h.spans[class : class+1]
	all := f.langs == 0 || h.classLangs[class]&f.langs != 0
	for block = l.blockOf(in[0].end); ; block-- {
		switch {
		case l.begin(block) >= in[0].end:
		case all && l.within(block, in) && !h.hidden.hasAny(l.begin(block), l.end(block)):
			rows += l.len(block)
		default:
			h.read.reset()
			l.readSome(block, in, h.hidden, 1, h.read)
			h.inLanguages(h.read, f)
			rows += len(h.read.docs)
		}
		if rows >= mostHaving || block == 0 || l.begin(block) <= in[0].begin {
			return block, min(rows, mostHaving)
		}
	}
}

// rowsOf returns the last visible rows of each class that have one of the forms of a term, in ascending order.
func (h *having) rowsOf(o *occurrences) (docs []uint32) {
	for i := range o.forms {
		l := h.list(o.forms[i].form)
		for class := range h.spans {
			block, n := h.last(&l, &o.forms[i], class)
			in := h.spans[class : class+1]
			h.read.reset()
			for ; block < l.blocks() && l.begin(block) < in[0].end; block++ {
				l.readSome(block, in, h.hidden, 1, h.read)
			}
			h.inLanguages(h.read, &o.forms[i])
			docs = append(docs, h.read.docs[len(h.read.docs)-n:]...)
		}
	}
	if len(o.forms) > 1 {
		slices.Sort(docs)
		docs = slices.Compact(docs)
	}
	return docs
}

// rows returns how many rows have a word, of each class at most mostHaving.
func (h *having) rows(word uint32) int {
	least := math.MaxInt
	for rest := word; rest != 0; rest &= rest - 1 {
		least = min(least, h.occurrences(bits.TrailingZeros32(rest)).rows)
	}
	return least
}

// all returns the rows that have all terms, in ascending order. Only the rows of the rarest term are read. The
// others are looked up.
func (h *having) all(terms uint32) (docs []uint32) {
	rarest := -1
	for rest := terms; rest != 0; rest &= rest - 1 {
		t := bits.TrailingZeros32(rest)
		switch n := h.occurrences(t).rows; {
		case n == 0:
			return nil
		case rarest < 0 || n < h.terms[rarest].rows:
			rarest = t
		}
	}
	docs = h.rowsOf(&h.terms[rarest])
	for rest := terms &^ (1 << rarest); rest != 0; rest &= rest - 1 {
		o := &h.terms[bits.TrailingZeros32(rest)]
		o.begin(h)
		docs = slices.DeleteFunc(docs, func(doc uint32) bool { return !h.hasAny(o, doc) })
	}
	return docs
}

// begin sets out to look up rows.
func (o *occurrences) begin(h *having) {
	if o.lists == nil {
		o.lists = make([]walk, len(o.forms))
	}
	for i := range o.lists {
		o.lists[i].list = h.list(o.forms[i].form)
		o.lists[i].begin()
	}
}

// hasAny reports whether a row has one of the forms of a term. It must be called for rows in ascending order.
func (h *having) hasAny(o *occurrences, doc uint32) bool {
	for i := range o.lists {
		if o.lists[i].has(doc) && h.in(doc, &o.forms[i]) {
			return true
		}
	}
	return false
}

// walk looks up rows of a list in ascending order.
type walk struct {
	list
	block int
	left  int // rows of the block that have not been read
	doc   uint32
	rest  []byte
}

func (w *walk) begin() { w.seek(0) }

func (w *walk) seek(block int) {
	w.block, w.left = block, w.len(block)
	b := w.list.block(block)
	w.doc, w.rest = b.doc, w.docs[b.docs:]
	w.next()
}

func (w *walk) next() {
	w.doc, _, w.rest = readEntry(w.rest, w.doc)
	w.left--
}

// has reports whether the list has a row, which must not come before that of the last call.
func (w *walk) has(doc uint32) bool {
	if doc >= w.end(w.block) {
		w.seek(w.blockOf(doc))
	}
	for w.doc < doc && w.left > 0 {
		w.next()
	}
	return w.doc == doc
}

// A search adds up as many postings as there are visible rows, and at least leastAdded. Pruning mostly ends it much
// earlier. But questions of frequent words only, or of 32 words, have many times as many postings. Words that are in
// most rows hardly change the order.
const leastAdded = 1 << 16

// mostSettled is the share of the visible rows with which settle goes on. The best rows by the rarest words are among
// them: of 300 random questions of 3 to 32 words in 100,000 rows, none had other hits than without settle.
const mostSettled = 32

// settle finishes the search in p with the rows that are the best so far, if it has added up enough postings. It
// reports whether it did.
func (s *search) settle(p *part, rest []int) bool {
	if p.added+p.counts[rest[0]] <= max(leastAdded, int(p.live)) {
		return false
	}
	s.reach(p)
	s.pickBest(p, max(int(p.live/mostSettled), 4*(s.q.Limit+contenders)))
	s.completePicked(p, rest)
	return true
}

// pickBest collects about the n best rows so far, and not more. Of equal ones, it takes the last.
func (s *search) pickBest(p *part, n int) {
	const levels = 1 << 10
	all, most, extra := &p.spare, float32(math.SmallestNonzeroFloat32), s.extra(p) > 0
	all.reset()
	for _, doc := range p.reached {
		if !p.admits(doc) {
			continue
		}
		score := s.scoreOf(p, doc)
		if extra {
			var signals Signals
			s.extras(p, doc, &signals)
			score += float32(s.q.Weights.score(&signals))
		}
		most = max(most, score)
		all.docs, all.values = append(all.docs, doc), append(all.values, score)
	}
	var counts [levels + 1]int // of rows by score
	level := func(score float32) int { return int(score / most * levels) }
	for _, score := range all.values {
		counts[level(score)]++
	}
	least := levels // rows of this level and above are picked, and as many of the next one as there is room for
	room := n - counts[least]
	for ; least > 1 && counts[least-1] <= room; room -= counts[least] {
		least--
	}
	p.picked = p.picked[:0]
	for i, doc := range slices.Backward(all.docs) {
		switch at := level(all.values[i]); {
		case at < least-1, at < least && room <= 0, len(p.picked) == n:
			continue
		case at < least:
			room--
		}
		p.picked = append(p.picked, doc)
	}
	slices.Reverse(p.picked)
}
