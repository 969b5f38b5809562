package index

import (
	"bytes"
	"cmp"
	"container/heap"
	"slices"
	"sort"
)

// These describe passages: how many words one has, how many words lie between the beginnings of
// two, and how many words an average passage is taken to have.
const (
	PassageWords  = 50
	passageStride = 25
	passageMean   = 40
)

// contenders is how many rows the first pass keeps beyond the limit. Passages can change the order
// of these only.
const contenders = 100

// collect offers the rows that match to top.
func (s *search) collect(p *part, top *best) {
	extra := s.extra(p)
	if p.pruned {
		for _, doc := range p.picked {
			s.offer(p, doc, extra, top)
		}
		return
	}
	for _, sp := range p.spans {
		for doc := sp.begin; doc < sp.end; doc++ {
			s.offer(p, doc, extra, top)
		}
	}
}

// offer offers a row to top if it matches. extra is the most that it can get beside its words.
func (s *search) offer(p *part, doc uint32, extra float64, top *best) {
	score := p.scores[doc]
	switch {
	case s.alone && score == 0:
		return
	case !s.alone:
		session := p.sessions[p.group(doc)]
		if session+score == 0 || s.q.OwnWords && score == 0 {
			return
		}
		score += session
	}
	if top.full() && float64(score)+extra < top.list[0].score || !p.admits(doc) || s.q.OwnWords && !p.hasTerm(doc) {
		return
	}
	c := contender{p, doc, float64(score)}
	if extra > 0 {
		var signals Signals
		s.extras(p, doc, &signals)
		c.score += s.q.Weights.score(&signals)
	}
	top.offer(c)
}

// hasTerm reports whether the row itself has one of the terms.
func (p *part) hasTerm(doc uint32) bool {
	for t := range p.forms {
		if p.rows[t].value(doc) > 0 {
			return true
		}
	}
	return false
}

// extras sets the signals that do not depend on words.
func (s *search) extras(p *part, doc uint32, out *Signals) {
	if p.actors != nil {
		out.Actor = float64(p.actors[u16(p.Segment.parts[secActors], doc)])
		if p.flag(doc, flagSelf) {
			out.Self = out.Actor
		}
	}
	if s.q.When && p.flag(doc, flagWhen) {
		out.When = 1
	}
	if len(s.q.Periods) > 0 {
		d := int32(u32(p.Segment.parts[secDays], doc))
		for _, period := range s.q.Periods {
			if period.First <= d && d <= period.Last {
				out.Date = max(out.Date, period.Value)
			}
		}
	}
}

// contender is a row that may be among the best.
type contender struct {
	part  *part
	doc   uint32
	score float64
}

// compare orders contenders, best first.
func (c *contender) compare(o *contender) int {
	if n := cmp.Compare(o.score, c.score); n != 0 {
		return n
	}
	return compareRows(c.part.Segment, c.doc, o.part.Segment, o.doc)
}

// compareRows orders rows of equal score.
func compareRows(s *Segment, x uint32, t *Segment, y uint32) int {
	return cmp.Or(
		cmp.Compare(t.parts[secPriority][y], s.parts[secPriority][x]),
		cmp.Compare(int64(u64(t.parts[secUpdated], y)), int64(u64(s.parts[secUpdated], x))),
		bytes.Compare(s.parts[secIDs][16*x:16*x+16], t.parts[secIDs][16*y:16*y+16]))
}

// best keeps the best contenders. The worst of them comes first.
type best struct {
	list  []contender
	limit int
}

func (b *best) Len() int           { return len(b.list) }
func (b *best) Less(i, j int) bool { return b.list[i].compare(&b.list[j]) > 0 }
func (b *best) Swap(i, j int)      { b.list[i], b.list[j] = b.list[j], b.list[i] }
func (b *best) Push(x any)         { b.list = append(b.list, x.(contender)) }
func (b *best) Pop() any           { panic("index: never used") }

func (b *best) full() bool { return len(b.list) == b.limit }

func (b *best) offer(c contender) {
	switch {
	case !b.full():
		heap.Push(b, c)
	case c.compare(&b.list[0]) < 0:
		b.list[0] = c
		heap.Fix(b, 0)
	}
}

// finish works out the signals of the contenders and orders them.
func (s *search) finish(list []contender) []Hit {
	hits := make([]Hit, len(list))
	for i, c := range list {
		h := &hits[i]
		h.Terms = s.signals(c.part, c.doc, &h.Signals)
		h.ID, h.Score = c.part.id(c.doc), s.q.Weights.score(&h.Signals)
		h.Priority = c.part.Segment.parts[secPriority][c.doc]
		h.Updated = int64(u64(c.part.Segment.parts[secUpdated], c.doc))
	}
	slices.SortFunc(hits, func(x, y Hit) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(y.Priority, x.Priority),
			cmp.Compare(y.Updated, x.Updated), bytes.Compare(x.ID[:], y.ID[:]))
	})
	return hits[:min(len(hits), s.q.Limit)]
}

// signals works out all signals of one row, and returns which terms it has.
func (s *search) signals(p *part, doc uint32, out *Signals) (terms uint32) {
	asked := p.follows(doc) && p.flag(doc-1, flagQuestion)
	for t, idf := range s.idf {
		e := &p.rows[t]
		own := e.value(doc)
		if own > 0 {
			terms |= 1 << t
		}
		out.Row += idf * float64(s.row.of(own, p.length(doc)))
		if s.alone {
			continue
		}
		out.Context += idf * float64(s.context.of(p.near(e, doc), p.View.context(doc)))
		out.Session += idf * float64(s.session.of(p.inSession(e, doc), p.sessionLength(p.group(doc))))
		if asked {
			out.Question += idf * float64(s.row.of(e.value(doc-1), p.length(doc-1)))
		}
	}
	if s.alone {
		out.Context, out.Session = out.Row, out.Row
	}
	out.Passage = s.passage(p, doc)
	s.extras(p, doc, out)
	return terms
}

// from returns the first entry of a row or a later one.
func (e *entries) from(doc uint32) int {
	return sort.Search(len(e.docs), func(i int) bool { return e.docs[i] >= doc })
}

// value returns the count of a row, or 0.
func (e *entries) value(doc uint32) float32 {
	if i := e.from(doc); i < len(e.docs) && e.docs[i] == doc {
		return e.values[i]
	}
	return 0
}

// passage returns the signal of the best passage of a row. A short row is one passage.
func (s *search) passage(p *part, doc uint32) float64 {
	sat := saturate(passageMean)
	if !p.flag(doc, flagLong) {
		sum := 0.0
		for t := range s.q.Terms {
			sum += s.idf[t] * float64(sat.of(p.rows[t].value(doc), p.length(doc)))
		}
		return sum
	}
	var passages []float64 // the sum of each passage
	var counts []float32   // of one term in each passage
	var places []uint64
	add := func(weight float32) {
		for _, at := range places {
			last := int(uint32(at) / passageStride)
			for len(counts) <= last {
				counts, passages = append(counts, 0), append(passages, 0)
			}
			counts[last] += weight
			if last > 0 {
				counts[last-1] += weight
			}
		}
	}
	for t := range s.q.Terms {
		clear(counts)
		if starts := p.starts[t]; starts != nil {
			places = placesOf(starts, doc)
			add(1)
		} else {
			for _, f := range p.forms[t] {
				if !p.in(doc, &f) {
					continue
				}
				l := p.list(f.form)
				places = l.places([]uint32{doc}, places[:0])
				add(f.weight)
			}
		}
		for i, n := range counts {
			passages[i] += s.idf[t] * float64(sat.of(n, PassageWords))
		}
	}
	if len(passages) == 0 {
		return 0
	}
	return slices.Max(passages)
}
