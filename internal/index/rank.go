package index

import (
	"bytes"
	"cmp"
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

// contenders is how many rows the first pass keeps beyond the limit. The passages of long rows can change the order
// of these only.
const contenders = 100

// collect offers the rows that match to top.
func (s *search) collect(p *part, top *best[contender]) {
	extra := s.extra(p)
	if p.pruned {
		for _, doc := range p.picked {
			s.offer(p, doc, extra, top)
		}
		return
	}
	s.reach(p)
	s.offerAll(p, p.reached, top)
	if !s.alone && !s.q.OwnWords {
		s.collectMates(p, extra, top)
	}
}

// collectMates offers the rows that only others of their session have reached.
func (s *search) collectMates(p *part, extra float64, top *best[contender]) {
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

// offerAll offers rows that have something of their own, from the last to the first. Most of them are not good enough:
// of rows with the same score the newest are wanted, which mostly come last.
func (s *search) offerAll(p *part, docs []uint32, top *best[contender]) {
	extra, scores := s.extra(p), p.scores
	least := float32(max(s.least-extra-inexact, 0))
	worst := rowIn{} // of top, if a row of the same score must be better than it
	for _, doc := range slices.Backward(docs) {
		score := scores[doc]
		if score == 0 {
			continue
		}
		if !s.alone {
			score += p.sessions[p.group(doc)]
		}
		if score < least || score == least && worst.part != nil && !worst.precededBy(p, doc) {
			continue
		}
		if s.offer(p, doc, extra, top); !top.full() {
			continue
		}
		if extra > 0 {
			least = max(least, float32(top.list[0].score-extra-inexact))
		} else if score := float32(top.list[0].score); score >= least {
			least, worst = score, top.list[0].rowIn
		}
	}
}

// precededBy reports whether a row comes before r if their scores are equal.
func (r *rowIn) precededBy(p *part, doc uint32) bool {
	return compareRows(p.Segment, doc, r.part.Segment, r.doc) < 0
}

// offer offers a row to top if it matches and can be among the best. extra is the most that it can get beside its
// words.
func (s *search) offer(p *part, doc uint32, extra float64, top *best[contender]) {
	score := float64(s.scoreOf(p, doc))
	if score == 0 || score+extra < s.least || top.full() && score+extra < top.list[0].score || !p.admits(doc) ||
		s.q.OwnWords && !p.isMatch(doc) {
		return
	}
	own := score
	if extra > 0 {
		score += s.extrasOf(p, doc)
	}
	if score == own && s.isFar(p, doc, own) {
		return
	}
	if score *= 1 - s.q.Weights.Denies*s.denies(p, doc); score >= s.least {
		top.offer(contender{rowIn{p, doc}, score})
	}
}

// extrasOf returns what the signals give to a row that do not depend on words.
func (s *search) extrasOf(p *part, doc uint32) float64 {
	var signals Signals
	s.extras(p, doc, &signals)
	return s.q.Weights.score(&signals)
}

// denies returns 1 for a row that denies something, if the query asks for what is so.
func (s *search) denies(p *part, doc uint32) float64 {
	if s.q.WhatIs && p.flag(doc, flagDenies) {
		return 1
	}
	return 0
}

// isMatch reports whether a row has a term, or is similar to the question in meaning.
func (p *part) isMatch(doc uint32) bool {
	if meaning, _ := p.meantOf(doc); meaning > 0 {
		return true
	}
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
	if who := u16(p.Segment.parts[secActors], doc); s.q.Rules && p.flag(doc, flagRule) &&
		(who == 0 || p.actors != nil && p.actors[who] > 0) {
		out.Rule = 1
	}
	if s.q.When && p.flag(doc, flagWhen) {
		out.When = 1
	}
	if len(s.q.Periods) > 0 {
		d := p.Segment.time(doc)
		for _, period := range s.q.Periods {
			if period.First <= d && d <= period.Last {
				out.Date = max(out.Date, period.Value)
			}
		}
	}
}

// contender is a row that may be among the best. Its score is what it gets, or more if it is longer than a passage.
type contender struct {
	rowIn
	score float64
}

func (c contender) worse(o contender) bool { return c.compare(&o) > 0 } //nolint:unused // best uses it

// compare orders contenders, best first.
func (c *contender) compare(o *contender) int {
	if n := cmp.Compare(o.score, c.score); n != 0 {
		return n
	}
	return compareRows(c.part.Segment, c.doc, o.part.Segment, o.doc)
}

// compareRows orders rows of equal score. There can be very many, as of a question of one word.
func compareRows(s *Segment, x uint32, t *Segment, y uint32) int {
	if m, n := s.parts[secPriority][x], t.parts[secPriority][y]; m != n {
		return cmp.Compare(n, m)
	}
	if m, n := s.updated(x), t.updated(y); m != n {
		return cmp.Compare(n, m)
	}
	return bytes.Compare(s.parts[secIDs][16*x:16*x+16], t.parts[secIDs][16*y:16*y+16])
}

// finish works out the signals of the contenders and orders them. It leaves out those that cannot get among the best.
func (s *search) finish(list []contender) []Hit {
	slices.SortFunc(list, func(x, y contender) int { return x.compare(&y) })
	hits := make([]Hit, 0, min(len(list), s.q.Limit))
	for _, c := range list {
		if c.score < s.least {
			break
		}
		hits = append(hits, s.hit(c))
	}
	slices.SortFunc(hits, func(x, y Hit) int { return x.compare(&y) })
	return hits[:min(len(hits), s.q.Limit)]
}

// compare orders hits, the best first.
func (h *Hit) compare(o *Hit) int {
	return cmp.Or(cmp.Compare(o.Score, h.Score), cmp.Compare(o.Priority, h.Priority),
		cmp.Compare(o.Updated, h.Updated), bytes.Compare(h.ID[:], o.ID[:]))
}

// inexact is by how much sums in another order can differ.
const inexact = 1e-4

type rowIn struct {
	part *part
	doc  uint32
}

// hit works out the signals of a contender, once. Each hit can raise s.least.
func (s *search) hit(c contender) Hit {
	if h, ok := s.worked[c.rowIn]; ok {
		return h
	}
	var h Hit
	h.Terms = s.signals(c.part, c.doc, &h.Signals)
	h.ID, h.Score = c.part.id(c.doc), s.q.Weights.score(&h.Signals)
	h.Priority, h.Updated = c.part.Segment.parts[secPriority][c.doc], c.part.updated(c.doc)
	h.Mark = *c.part.mark(c.doc)
	h.Compared = c.part.placed != nil && c.part.placed.slots != nil && c.part.placed.slots[c.doc] >= 0
	s.worked[c.rowIn] = h
	if s.scores.offer(score(h.Score)); s.scores.full() {
		s.least = max(s.least, float64(s.scores.list[0])-inexact)
	}
	return h
}

// signals works out all signals of one row, and returns which terms it has.
func (s *search) signals(p *part, doc uint32, out *Signals) (terms uint32) {
	asked, in := p.follows(doc) && p.flag(doc-1, flagQuestion), span{doc, doc + 1}
	if !s.alone {
		in = p.sessionOf(doc)
	}
	var values [32]float32 // of the row
	for t, idf := range s.idf {
		e := p.within(t, in)
		own := e.value(doc)
		if values[t] = own; own > 0 {
			terms |= 1 << t
		}
		out.Row += idf * float64(s.row.of(own, p.length(doc)))
		if s.alone {
			continue
		}
		out.Context += idf * float64(s.context.of(p.near(&e, doc), p.View.context(doc)))
		out.Session += idf * float64(s.session.of(p.inSession(&e, doc), p.sessionLength(p.group(doc))))
		if asked {
			out.Question += idf * float64(s.row.of(e.value(doc-1), p.length(doc-1)))
		}
	}
	if s.alone {
		out.Context, out.Session = out.Row, out.Row
	}
	out.Passage, out.Name, out.Graph = s.passage(p, doc, values[:]), s.nameOf(p, doc), p.leadOf(doc)
	out.Meaning, out.Theme = p.meantOf(doc)
	out.Denies = s.denies(p, doc)
	s.extras(p, doc, out)
	return terms
}

// within returns what the rows of a span have of a term. It is valid until the next call.
func (p *part) within(t int, in span) entries {
	all, f := &p.rows[t], p.unread[t]
	from, to := all.from(in.begin), all.from(in.end)
	e := entries{all.docs[from:to], all.values[from:to]}
	if f == nil || p.loaded[t] {
		return e
	}
	l := p.list(f.form)
	p.spare.reset()
	l.read([]span{in}, p.hidden, f.weight/once, &p.spare)
	p.merged.union(&e, &p.spare)
	return p.merged
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

// leastValue is less than any value of a row.
const leastValue = 1e-3

// likelyForms returns the forms of a term. If they can be many, which all count the same, the most frequent come
// first.
func (p *part) likelyForms(t int, many bool) []weighted {
	if !many {
		return p.forms[t]
	}
	if p.likely[t] == nil {
		p.likely[t] = slices.SortedStableFunc(slices.Values(p.forms[t]), func(x, y weighted) int {
			return cmp.Compare(p.list(y.form).count, p.list(x.form).count)
		})
	}
	return p.likely[t]
}

// passage returns the signal of the best passage of a row that has this of each term. A short row is one passage.
func (s *search) passage(p *part, doc uint32, values []float32) float64 {
	if !p.flag(doc, flagLong) {
		sum := 0.0
		for t := range s.q.Terms {
			sum += s.idf[t] * float64(passages.of(values[t], p.length(doc)))
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
		if values[t] == 0 {
			continue
		}
		clear(counts)
		if starts := p.starts[t]; starts != nil {
			places = placesOf(starts, doc)
			add(1)
		} else {
			left := values[t] // once it is 0, no other form is in the row
			for _, f := range p.likelyForms(t, s.q.Terms[t].expands()) {
				if !p.in(doc, &f) {
					continue
				}
				l, value := p.list(f.form), uint32(0)
				if l.begin(0) > doc {
					continue
				}
				places, value = l.placesIn(l.blockOf(doc), []uint32{doc}, places[:0])
				add(f.weight)
				if left -= float32(value) * f.weight / once; left < leastValue {
					break
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
