package index

import (
	"math"
	"slices"
)

// Frequent terms have most of the postings and the least weight. So once the rare terms are added up, only few rows
// can still get among the best. This is MaxScore (Turtle and Flood, "Query evaluation: strategies and optimizations",
// 1995), for scores that are sums over a row, its neighbours and its session.

// A term is frequent if it is in more than one of so many visible rows. Below leastPruned postings, pruning
// costs more than it saves.
const (
	frequentShare = 50
	leastPruned   = 1024
)

// Looking at all rows takes as long as adding a term, so it needs hope. At first, the terms of rest must not have more
// than mostRest of the weight of all. Then, the score to reach must not be far below what they can give.
const (
	hope     = 1.5
	mostRest = 0.6
)

// mostPicked is the share of visible rows above which picking single rows is slower than adding to all.
const mostPicked = 16

// prune tries to finish the search in p without adding the terms of rest to all rows. It reports
// whether it did: then p.picked has all rows that can be among the best, and their scores are whole.
func (s *search) prune(p *part, rest []int) bool {
	if n := uint32(p.counts[rest[0]]); n < leastPruned || n < p.live/frequentShare {
		return false
	}
	weight, potential := 0.0, s.potential(p, rest)
	for _, t := range rest {
		weight += s.idf[t]
	}
	if hope*s.least <= potential && (s.least > 0 || weight > mostRest) {
		return false
	}
	s.reach(p)
	s.sample(p, p.reached, rest)
	least := s.least - potential
	if least <= 0 || !s.pick(p, float32(least)) {
		return false
	}
	s.completePicked(p, rest)
	return true
}

// completePicked adds the terms of rest to the picked rows.
func (s *search) completePicked(p *part, rest []int) {
	for i := range rest {
		s.completeAll(p, rest[i:i+1])
		s.drop(p, rest[i+1:])
	}
}

// drop leaves out picked rows that cannot get among the best any more.
func (s *search) drop(p *part, rest []int) {
	least := float32(s.least - s.potential(p, rest))
	p.picked = slices.DeleteFunc(p.picked, func(doc uint32) bool { return !s.reaches(p, doc, least) })
}

// completeAll adds what terms give to the picked rows, and leaves out all others.
func (s *search) completeAll(p *part, terms []int) {
	if !p.pruned && (!s.alone || p.few()) {
		p.reached = append(p.reached, p.picked...) // also rows that nothing was added to yet
	}
	s.need(p)
	for _, t := range terms {
		p.loadIn(t, p.needed)
		s.complete(p, t)
	}
	p.pruned = true
}

// need sets p.needed to the rows that the scores of picked rows depend on.
func (s *search) need(p *part) {
	p.needed = p.needed[:0]
	for _, doc := range p.picked {
		in := span{doc, doc + 1}
		n := len(p.needed)
		switch {
		case n > 0 && doc < p.needed[n-1].end:
			continue
		case !s.alone:
			in = p.sessionOf(doc)
		}
		if n > 0 && p.needed[n-1].end == in.begin {
			p.needed[n-1].end = in.end
		} else {
			p.needed = append(p.needed, in)
		}
	}
}

// potential returns the most that a row can still get from the terms of rest.
func (s *search) potential(p *part, rest []int) (sum float64) {
	for _, t := range rest {
		sum += s.mostOf(p, t)
	}
	return sum
}

// mostOf returns the most that a row can get from a term that is not loaded yet.
func (s *search) mostOf(p *part, t int) float64 {
	if p.most[t] == 0 {
		w := &s.q.Weights
		row, context, passage := s.bounds(p, t)
		p.most[t] = s.idf[t] * (w.Row*row + w.Context*context + w.Session + w.Question*row + w.Passage*passage)
	}
	return p.most[t]
}

// bounds returns the most that a row can get from a term by itself, with its neighbours, and by its best passage.
func (s *search) bounds(p *part, t int) (row, context, passage float64) {
	e, lengths := &p.rows[t], p.Segment.parts[secLengths]
	frequent, shortest := float32(0), float32(math.MaxUint16)
	for i, doc := range e.docs {
		frequent, shortest = max(frequent, e.values[i]), min(shortest, float32(u16(lengths, doc)))
	}
	add := func(value, length, near, around float32) {
		row = max(row, float64(s.row.of(value, length)))
		context = max(context, float64(s.context.of(near, around)))
		passage = max(passage, float64(passages.of(value, min(length, PassageWords))))
	}
	if p.unread[t] == nil {
		add(frequent, shortest, 3*frequent, shortest)
		return row, context, passage
	}
	l, scale := p.list(p.unread[t].form), p.unread[t].weight/once
	for i := range l.blocks() {
		b := l.block(i).most
		add(frequent+scale*float32(b.value), min(shortest, float32(b.length)),
			3*frequent+scale*float32(b.near), min(shortest, float32(b.context)))
	}
	return row, context, passage
}

// extra returns the most that the signals give which do not depend on words.
func (s *search) extra(p *part) float64 {
	w, sum := &s.q.Weights, 0.0
	if p.actors != nil {
		sum += w.Actor + w.Self
	}
	if s.q.Rules {
		sum += w.Rule
	}
	if s.q.When {
		sum += w.When
	}
	if len(s.q.Periods) > 0 {
		sum += w.Date
	}
	return sum
}

// mostSampled is up to which limit the best rows so far are worked out with all their signals.
const mostSampled = 64

// sample raises s.least by the best of docs, to which the terms of rest have not been added yet. A row worked out with
// all terms says much more than a sum so far. If many hits are wanted, the sums must do.
func (s *search) sample(p *part, docs []uint32, rest []int) {
	if s.q.Limit > mostSampled {
		s.sampleSums(p, docs, rest)
		return
	}
	top := best[contender]{limit: s.q.Limit}
	s.offerAll(p, docs, &top)
	s.raise(&top)
}

// raise raises s.least by the best of some contenders.
func (s *search) raise(top *best[contender]) {
	if s.q.Limit > mostSampled {
		return
	}
	list := slices.SortedFunc(slices.Values(top.list), func(x, y contender) int { return x.compare(&y) })
	for _, c := range list[:min(len(list), s.q.Limit)] {
		s.hit(c)
	}
}

// sampleSums raises s.least to a score that as many of the rows reach as hits are wanted. The sums may have more for
// the passages of long rows than these get.
func (s *search) sampleSums(p *part, docs []uint32, rest []int) {
	top, surplus := best[score]{limit: s.q.Limit}, s.q.Weights.Passage
	for _, t := range rest {
		surplus -= s.q.Weights.Passage * s.idf[t]
	}
	for _, doc := range docs {
		sum := score(s.scoreOf(p, doc))
		if sum == 0 || top.full() && sum <= top.list[0] || !p.admits(doc) || s.q.OwnWords && !p.isMatch(doc) ||
			s.isFar(p, doc, float64(sum)) {
			continue
		}
		top.offer(sum)
	}
	if top.full() {
		s.least = max(s.least, (float64(top.list[0])-surplus)*(1-s.q.Weights.Denies)-inexact)
	}
}

// reaches reports whether a row has a score, or can have one with the signals that do not depend on words.
func (s *search) reaches(p *part, doc uint32, least float32) bool {
	score := s.scoreOf(p, doc)
	if score >= least {
		return true
	}
	extra := float32(s.extra(p))
	return extra > 0 && score+extra >= least && score+float32(s.extrasOf(p, doc)) >= least
}

// scoreOf returns what a row has got so far.
func (s *search) scoreOf(p *part, doc uint32) float32 {
	if s.alone {
		return p.scores[doc]
	}
	return p.scores[doc] + p.sessions[p.group(doc)]
}

// pick collects the rows that have at least this score so far. It reports false if they are too many.
func (s *search) pick(p *part, least float32) bool {
	p.picked = p.picked[:0]
	most, extra := int(p.live/mostPicked), float32(s.extra(p))
	if s.alone {
		for _, doc := range p.reached {
			if p.scores[doc]+extra < least || !p.admits(doc) || !s.reaches(p, doc, least) {
				continue
			}
			if p.picked = append(p.picked, doc); len(p.picked) > most {
				return false
			}
		}
		return true
	}
	next := uint32(0) // the rows before it are done
	for _, doc := range p.reached {
		in := span{max(doc, next), doc + 1}
		if doc >= next && p.sessions[p.group(doc)]+extra >= least {
			in = p.sessionOf(doc) // also rows without a score of their own
			next = in.end
		}
		for ; in.begin < in.end; in.begin++ {
			if s.scoreOf(p, in.begin)+extra < least || !p.admits(in.begin) || !s.reaches(p, in.begin, least) {
				continue
			}
			if p.picked = append(p.picked, in.begin); len(p.picked) > most {
				return false
			}
		}
	}
	return true
}

// complete adds what one term gives to the picked rows and their sessions.
func (s *search) complete(p *part, t int) {
	w, idf, e, g := &s.q.Weights, s.idf[t], &p.rows[t], s.gainOf(t)
	if s.alone {
		docs, values := e.docs, e.values
		for _, doc := range p.picked {
			for len(docs) > 0 && docs[0] < doc {
				docs, values = docs[1:], values[1:]
			}
			if len(docs) > 0 && docs[0] == doc {
				p.scores[doc] += g.of(values[0], p.length(doc))
			}
		}
		return
	}
	question, context, session := float32(idf*w.Question), float32(idf*w.Context), float32(idf*w.Session)
	last := ^uint32(0)
	for _, doc := range p.picked {
		p.scores[doc] += g.of(e.value(doc), p.length(doc)) + context*s.context.of(p.near(e, doc), p.View.context(doc))
		if p.follows(doc) && p.flag(doc-1, flagQuestion) {
			p.scores[doc] += question * s.row.of(e.value(doc-1), p.length(doc-1))
		}
		if g := p.group(doc); g != last {
			last = g
			p.sessions[g] += session * s.session.of(p.inSession(e, doc), p.sessionLength(g))
		}
	}
}

// near returns the count of a row with its neighbours.
func (p *part) near(e *entries, doc uint32) (sum float32) {
	for i := e.from(max(doc, 1) - 1); i < len(e.docs) && e.docs[i] <= doc+1; i++ {
		if p.group(e.docs[i]) == p.group(doc) {
			sum += e.values[i]
		}
	}
	return sum
}

// inSession returns the count of all rows of the session of a row.
func (p *part) inSession(e *entries, doc uint32) (sum float32) {
	group, at := p.group(doc), e.from(doc)
	for i := at - 1; i >= 0 && p.group(e.docs[i]) == group; i-- {
		sum += e.values[i]
	}
	for i := at; i < len(e.docs) && p.group(e.docs[i]) == group; i++ {
		sum += e.values[i]
	}
	return sum
}
