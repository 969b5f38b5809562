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
	s.reach(p)
	for _, doc := range p.reached {
		if p.scores[doc] > 0 {
			s.offer(p, doc, extra, top)
		}
	}
	if !s.alone && !s.q.OwnWords {
		s.collectMates(p, extra, top)
	}
}

// collectMates offers the rows that only others of their session have reached.
func (s *search) collectMates(p *part, extra float64, top *best) {
	next := uint32(0) // the rows before it are done
	for _, doc := range p.reached {
		if doc < next {
			continue
		}
		session := p.sessions[p.group(doc)]
		if session == 0 || top.full() && float64(session)+extra < top.list[0].score {
			continue
		}
		in := p.sessionOf(doc)
		for next = in.end; in.begin < in.end; in.begin++ {
			if p.scores[in.begin] == 0 {
				s.offer(p, in.begin, extra, top)
			}
		}
	}
}

// offer offers a row to top if it matches. extra is the most that it can get beside its words.
func (s *search) offer(p *part, doc uint32, extra float64, top *best) {
	score := float64(s.scoreOf(p, doc))
	if score == 0 || top.full() && score+extra < top.list[0].score || !p.admits(doc) || s.q.OwnWords && !p.hasTerm(doc) {
		return
	}
	c := contender{p, doc, score}
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

// finish works out the signals of the contenders and orders them. It leaves out those that cannot get among
// the best, whatever their passages are.
func (s *search) finish(list []contender) []Hit {
	slices.SortFunc(list, func(x, y contender) int { return x.compare(&y) })
	hits := make([]Hit, 0, len(list))
	var top highest // the scores of the best hits so far
	for _, c := range list {
		if len(top) == s.q.Limit && s.most(c) < top[0] {
			continue
		}
		h := s.hit(c)
		hits = append(hits, h)
		top.keep(h.Score, s.q.Limit)
	}
	slices.SortFunc(hits, func(x, y Hit) int { return x.compare(&y) })
	return hits[:min(len(hits), s.q.Limit)]
}

// compare orders hits, the best first.
func (h *Hit) compare(o *Hit) int {
	return cmp.Or(cmp.Compare(o.Score, h.Score), cmp.Compare(o.Priority, h.Priority),
		cmp.Compare(o.Updated, h.Updated), bytes.Compare(h.ID[:], o.ID[:]))
}

// most returns the most that a contender can come to: all that its row has in one passage.
func (s *search) most(c contender) float64 {
	sum := 0.0
	for t, idf := range s.idf {
		sum += idf * float64(passages.of(c.part.rows[t].value(c.doc), min(c.part.length(c.doc), PassageWords)))
	}
	return c.score + s.q.Weights.Passage*sum + 1e-4 // sums in another order differ in the last bits
}

// hit works out the signals of a contender.
func (s *search) hit(c contender) (h Hit) {
	h.Terms = s.signals(c.part, c.doc, &h.Signals)
	h.ID, h.Score = c.part.id(c.doc), s.q.Weights.score(&h.Signals)
	h.Priority = c.part.Segment.parts[secPriority][c.doc]
	h.Updated = int64(u64(c.part.Segment.parts[secUpdated], c.doc))
	return h
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
	out.Passage, out.Name, out.Graph = s.passage(p, doc), s.nameOf(p, doc), p.leadOf(doc)
	s.extras(p, doc, out)
	return terms
}

// passages is the saturation of a passage.
var passages = saturate(passageMean)

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
	if !p.flag(doc, flagLong) {
		sum := 0.0
		for t := range s.q.Terms {
			sum += s.idf[t] * float64(passages.of(p.rows[t].value(doc), p.length(doc)))
		}
		return sum
	}
	var sums []float64   // of each passage
	var counts []float32 // of one term in each passage
	var places []uint64
	add := func(weight float32) {
		for _, at := range places {
			last := int(uint32(at) / passageStride)
			for len(counts) <= last {
				counts, sums = append(counts, 0), append(sums, 0)
			}
			counts[last] += weight
			if last > 0 {
				counts[last-1] += weight
			}
		}
	}
	for t := range s.q.Terms {
		if p.rows[t].value(doc) == 0 {
			continue
		}
		clear(counts)
		if starts := p.starts[t]; starts != nil {
			places = placesOf(starts, doc)
			add(1)
		} else {
			for _, f := range p.forms[t] {
				if !p.in(doc, &f) {
					continue
				}
				if l := p.list(f.form); l.begin(0) <= doc {
					places = l.places([]uint32{doc}, places[:0])
					add(f.weight)
				}
			}
		}
		for i, n := range counts {
			sums[i] += s.idf[t] * float64(passages.of(n, PassageWords))
		}
	}
	if len(sums) == 0 {
		return 0
	}
	return slices.Max(sums)
}
