package index

import "sync"

// Search returns the best q.Limit rows, best first. Equal scores are ordered by priority, then by
// the last change, newest first, and then by id. So the order does not depend on how rows are
// spread over segments.
func Search(views []*View, q *Query) Result {
	if len(q.Terms) == 0 {
		return Result{Exact: true}
	}
	s := newSearch(views, q)
	defer s.release()
	s.weigh()
	var top best
	top.limit = q.Limit + contenders
	for i := range s.parts {
		p := &s.parts[i]
		s.accumulate(p)
		s.collect(p, &top)
	}
	return Result{Hits: s.finish(top.list), Weights: s.idf}
}

// search is one search in progress.
type search struct {
	q     *Query
	parts []part
	sum   totals
	alone bool // no visible row has neighbours
	// idf is the share of each term in a perfect match.
	idf   []float64
	order []int // of the terms, the rarest first
	// Saturations of a row, of a row with its neighbours and of a session.
	row, context, session saturation
}

// part is a search in one view.
type part struct {
	*View
	spans  []span
	hidden bitmap
	forms  [][]weighted // of each term
	actors []float32    // of each person, what their rows get; nil: nothing
	// picked are the rows that can be among the best, if pruned says that there are others.
	picked []uint32
	pruned bool
	*scratch
}

// scratch is memory that searches use one after the other.
type scratch struct {
	rows             []entries // of each term
	spare, merged    entries
	scores, sessions []float32
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// maxScratch is the size from which scratch memory is not kept, in rows.
const maxScratch = 1 << 21

func newSearch(views []*View, q *Query) *search {
	s := &search{q: q}
	for _, v := range views {
		p := part{View: v}
		var sum totals
		if p.spans, sum, p.hidden = v.visible(q.Sees, q.Now); len(p.spans) == 0 {
			continue
		}
		s.sum.add(sum)
		p.scratch = scratches.Get().(*scratch)
		p.reset(len(q.Terms))
		p.actors = v.actorValues(q)
		s.parts = append(s.parts, p)
	}
	s.alone = s.sum.rows == s.sum.groups
	s.read()
	return s
}

func (s *search) release() {
	for i := range s.parts {
		if cap(s.parts[i].scores) <= maxScratch {
			scratches.Put(s.parts[i].scratch)
		}
	}
}

func (c *scratch) reset(terms int) {
	for len(c.rows) < terms {
		c.rows = append(c.rows, entries{})
	}
	for i := range c.rows {
		c.rows[i].reset()
	}
}

// actorValues returns what rows of each person get. Two people whom a question names share the
// weight.
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

// read collects the rows of each term, and looks for similar words where there are none.
func (s *search) read() {
	for t := range s.q.Terms {
		found := 0
		for i := range s.parts {
			p := &s.parts[i]
			p.forms = append(p.forms, p.match(&s.q.Terms[t], s.q.Weights.Stem))
			p.read(t)
			found += len(p.rows[t].docs)
		}
		if found > 0 || !s.q.Terms[t].Fuzzy {
			continue
		}
		for i := range s.parts {
			p := &s.parts[i]
			p.forms[t] = p.seen(p.similar(&s.q.Terms[t], s.q.Weights.Similar))
			p.read(t)
		}
	}
}

// seen returns the first maxSimilar forms that a visible row has. Forms of hidden rows only must not
// take the place of others.
func (p *part) seen(found []weighted) []weighted {
	kept := found[:0]
	for _, f := range found {
		if len(kept) == maxSimilar {
			break
		}
		l := p.list(f.form)
		p.spare.reset()
		if l.read(p.spans, p.hidden, 1, &p.spare); len(p.spare.docs) > 0 {
			kept = append(kept, f)
		}
	}
	return kept
}

// read collects the rows of one term: the union of the postings of its forms.
func (p *part) read(t int) {
	out := &p.rows[t]
	for _, f := range p.forms[t] {
		l := p.list(f.form)
		scale := f.weight / once
		if len(out.docs) == 0 {
			l.read(p.spans, p.hidden, scale, out)
			continue
		}
		p.spare.reset()
		l.read(p.spans, p.hidden, scale, &p.spare)
		p.merged.reset()
		merge(out, &p.spare, &p.merged)
		*out, p.merged = p.merged, *out
	}
}

// merge writes the union of a and b to out, and adds the values of rows in both.
func merge(a, b, out *entries) {
	i, j := 0, 0
	for i < len(a.docs) || j < len(b.docs) {
		switch {
		case j == len(b.docs) || i < len(a.docs) && a.docs[i] < b.docs[j]:
			out.docs, out.values = append(out.docs, a.docs[i]), append(out.values, a.values[i])
			i++
		case i == len(a.docs) || b.docs[j] < a.docs[i]:
			out.docs, out.values = append(out.docs, b.docs[j]), append(out.values, b.values[j])
			j++
		default:
			out.docs, out.values = append(out.docs, a.docs[i]), append(out.values, a.values[i]+b.values[j])
			i, j = i+1, j+1
		}
	}
}
