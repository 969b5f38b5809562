package index

import (
	"bytes"
	"cmp"
	"slices"
)

// Op joins the parts of an Expression.
type Op int

// The operators.
const (
	One Op = iota // the row has Term
	And           // all parts hold
	Or            // one of the parts holds
	Not           // the first part holds, and none of the others
)

// Expression says which words a row must have and must not have.
type Expression struct {
	Op    Op
	Term  Term // only of One; similar forms never stand in for it
	Parts []*Expression
}

// condition is an Expression whose terms are those of a search.
type condition struct {
	op    Op
	term  int
	first bool // Term.First
	parts []condition
}

func (e *Expression) read(terms *[]Term) condition {
	c := condition{op: e.Op, term: len(*terms), first: e.Term.First}
	if e.Op == One {
		t := e.Term
		t.Fuzzy = false
		*terms = append(*terms, t)
	}
	for _, part := range e.Parts {
		c.parts = append(c.parts, part.read(terms))
	}
	return c
}

// where finds the rows for which an expression holds. A search that panics must not release it.
func where(views []*View, q *Query) (s *search, c condition) {
	inner := Query{Sees: q.Sees, Now: q.Now, Only: q.Only, Limit: 1, Weights: Weights{Stem: 1}}
	c = q.Where.read(&inner.Terms)
	return newSearch(views, &inner), c
}

// limitWhere limits the hits to the rows for which q.Where holds.
func (s *search) limitWhere(views []*View) {
	inner, c := where(views, s.q)
	for i := range s.parts {
		p := &s.parts[i]
		p.only, p.picked = newBitmap(p.Segment.rows), inner.parts[i].holds(&c, nil)
		for _, doc := range p.picked {
			p.only.set(doc)
		}
	}
	s.some = inner.some
	inner.release()
}

// holds returns the rows for which a condition holds, ascending. Of the rows outside of in, it may leave out some; nil:
// the visible ones.
func (p *part) holds(c *condition, in []span) (docs []uint32) {
	switch c.op {
	case And:
		return p.hold(c, in)
	case Or:
		for i := range c.parts {
			docs = append(docs, p.holds(&c.parts[i], in)...)
		}
		slices.Sort(docs)
		return slices.Compact(docs)
	case Not:
		docs = p.holds(&c.parts[0], in)
		for i := 1; i < len(c.parts) && len(docs) > 0; i++ {
			docs = sift(docs, p.holds(&c.parts[i], p.around(docs, in)), false)
		}
		return docs
	}
	if in == nil {
		in = p.spans
	}
	p.loadIn(c.term, in)
	docs = slices.Clone(p.rows[c.term].docs)
	if p.only != nil {
		docs = slices.DeleteFunc(docs, func(doc uint32) bool { return !p.only.has(doc) })
	}
	return docs
}

// hold returns the rows for which all parts hold. It reads the rarest part first.
func (p *part) hold(c *condition, in []span) (docs []uint32) {
	order := make([]*condition, len(c.parts))
	for i := range c.parts {
		order[i] = &c.parts[i]
	}
	slices.SortStableFunc(order, func(x, y *condition) int { return cmp.Compare(p.bound(x), p.bound(y)) })
	for i, one := range order {
		switch found := p.holds(one, in); {
		case i == 0:
			docs = found
		default:
			docs = sift(docs, found, true)
		}
		if len(docs) == 0 {
			return nil
		}
		in = p.around(docs, in)
	}
	return docs
}

// around returns rows as spans, if it is faster to look for others there than in all of in.
func (p *part) around(docs []uint32, in []span) []span {
	if uint32(len(docs)) > p.live/mostPicked {
		return in
	}
	return spansOf(docs)
}

// bound returns for how many rows a condition can hold at most.
func (p *part) bound(c *condition) (n int) {
	switch c.op {
	case One:
		return p.counts[c.term]
	case Or:
		for i := range c.parts {
			n += p.bound(&c.parts[i])
		}
		return n
	}
	n = p.bound(&c.parts[0])
	for i := 1; i < len(c.parts) && c.op == And; i++ {
		n = min(n, p.bound(&c.parts[i]))
	}
	return n
}

// Page asks for rows in the order of their ids.
type Page struct {
	After  [16]byte // only rows behind this one; zero: from the beginning
	Newest bool     // the highest id first
	Limit  int      // at least 1
}

// Matching returns the ids of the visible rows for which q.Where holds, in the order of the page. It reads nothing
// of the query but Where, Sees, Now and Only. some reports that a phrase was looked for in the newest rows only.
func Matching(views []*View, q *Query, page Page) (ids [][16]byte, some bool) {
	s, c := where(views, q)
	top := best[ranked]{limit: page.Limit}
	behind := func(r ranked) bool { return page.After == ([16]byte{}) || r.worse(ranked{page.After, page.Newest}) }
	slices.SortFunc(s.parts, func(x, y part) int { return -x.first(page.Newest).compare(y.first(page.Newest)) })
	for i := range s.parts {
		p := &s.parts[i]
		if top.full() && !top.list[0].worse(p.first(page.Newest)) {
			break // the others have only rows that come later
		}
		if last := p.first(!page.Newest).id; !behind(ranked{last, page.Newest}) {
			continue
		}
		docs := p.holds(&c, nil)
		if page.Newest {
			slices.Reverse(docs) // rows are hardly in the order of their ids
		}
		for some := range slices.Chunk(docs, someRows) {
			some = slices.DeleteFunc(some, func(doc uint32) bool {
				r := ranked{p.id(doc), page.Newest}
				return !behind(r) || top.full() && !top.list[0].worse(r)
			})
			slices.Sort(some)
			for _, doc := range p.inFirst(&c, some) {
				top.offer(ranked{p.id(doc), page.Newest})
			}
		}
	}
	some = s.some
	s.release()
	slices.SortFunc(top.list, func(x, y ranked) int { return -x.compare(y) })
	for _, r := range top.list {
		ids = append(ids, r.id)
	}
	return ids, some
}

// someRows is how many rows are looked at together.
const someRows = 1 << 10

// inFirst returns those of some rows that have the terms of a condition where Term.First says.
func (p *part) inFirst(c *condition, docs []uint32) []uint32 {
	for i := range c.parts {
		docs = p.inFirst(&c.parts[i], docs)
	}
	rest, found := p.Segment.forms.find(restMark)
	if !c.first || !found || len(docs) == 0 {
		return docs
	}
	ends := slices.Clone(p.places([]weighted{{form: rest}}, docs))
	at := p.starts[c.term]
	if at == nil {
		at = p.places(p.forms[c.term], docs)
	}
	return slices.DeleteFunc(docs, func(doc uint32) bool {
		end, first := placesOf(ends, doc), placesOf(at, doc)
		return len(end) > 0 && (len(first) == 0 || first[0] >= end[0])
	})
}

// first returns the first of all rows of a segment, whether they are visible or not.
func (s *Segment) first(newest bool) ranked {
	at := uint32(0)
	if newest {
		at = s.rows - 1
	}
	return ranked{s.id(u32(s.parts[secByID], at)), newest}
}

// ranked is an id in the order of a Page.
type ranked struct {
	id     [16]byte
	newest bool
}

func (r ranked) worse(o ranked) bool { return r.compare(o) < 0 }

func (r ranked) compare(o ranked) int {
	if r.newest {
		return bytes.Compare(r.id[:], o.id[:])
	}
	return bytes.Compare(o.id[:], r.id[:])
}
