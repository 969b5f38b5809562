package index

import (
	"math"
	"slices"
)

// Frequent terms have most of the postings and the least weight. So once the rare terms are added
// up, only few rows can still get among the best. This is MaxScore (Turtle and Flood, "Query
// evaluation: strategies and optimizations", 1995), for scores that are sums over a row, its
// neighbours and its session.

// A term is frequent if it is in more than one of so many visible rows. Below leastPruned postings, pruning
// costs more than it saves.
const (
	frequentShare = 50
	leastPruned   = 1024
)

// hope is how much of what pruning needs the best rows must have had the last time. A term more changes that little,
// and looking at all rows again takes as long as adding a term.
const hope = 1.5

// mostPicked is the share of visible rows above which picking single rows is slower than adding to all.
const mostPicked = 16

// prune tries to finish the search in p without adding the terms of rest to all rows. It reports
// whether it did: then p.picked has all rows that can be among the best, and their scores are whole.
func (s *search) prune(p *part, rest []int) bool {
	n, potential := uint32(p.counts[rest[0]]), s.potential(p, rest)
	if n < leastPruned || n < p.live/frequentShare || p.kth > 0 && max(hope*p.kth, s.least) <= potential {
		return false
	}
	s.reach(p)
	p.kth = s.kthScore(p, p.reached)
	least := max(p.kth, s.least*(1-1e-5)) - potential
	if least <= 0 || !s.pick(p, float32(least)) {
		return false
	}
	s.completePicked(p, rest)
	return true
}

// completePicked adds the terms of rest to the picked rows.
func (s *search) completePicked(p *part, rest []int) {
	p.touch(p.picked)
	for i := range rest {
		s.completeAll(p, rest[i:i+1])
		s.drop(p, rest[i+1:])
	}
}

// drop leaves out picked rows that cannot get among the best any more.
func (s *search) drop(p *part, rest []int) {
	least := float32(max(s.kthScore(p, p.picked), s.least*(1-1e-5)) - s.potential(p, rest))
	p.picked = slices.DeleteFunc(p.picked, func(doc uint32) bool { return s.scoreOf(p, doc) < least })
}

// completeAll adds what terms give to the picked rows, and leaves out all others.
func (s *search) completeAll(p *part, terms []int) {
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

// potential returns the most that a row can still get: from the terms of rest, and from signals that
// do not depend on words.
func (s *search) potential(p *part, rest []int) float64 {
	sum := s.extra(p)
	for _, t := range rest {
		sum += s.mostOf(p, t)
	}
	return sum
}

// mostOf returns the most that a row can get from a term that is not loaded yet.
func (s *search) mostOf(p *part, t int) float64 {
	if p.most[t] == 0 {
		w := &s.q.Weights
		row, context := s.bounds(p, t)
		p.most[t] = s.idf[t] * (w.Row*row + w.Context*context + w.Session + w.Question*row)
	}
	return p.most[t]
}

// bounds returns the most that a row can get from a term by itself, and with its neighbours.
func (s *search) bounds(p *part, t int) (row, context float64) {
	frequent, shortest := float32(0), float32(math.MaxUint16)
	for i, doc := range p.rows[t].docs {
		frequent, shortest = max(frequent, p.rows[t].values[i]), min(shortest, p.length(doc))
	}
	if p.unread[t] == nil {
		return float64(s.row.of(frequent, shortest)), float64(s.context.of(3*frequent, shortest))
	}
	l, scale := p.list(p.unread[t].form), p.unread[t].weight/once
	for i := range l.blocks() {
		b := l.block(i).most
		value, length := frequent+scale*float32(b.value), min(shortest, float32(b.length))
		near, around := 3*frequent+scale*float32(b.near), min(shortest, float32(b.context))
		row = max(row, float64(s.row.of(value, length)))
		context = max(context, float64(s.context.of(near, around)))
	}
	return row, context
}

// extra returns the most that the signals give which do not depend on words.
func (s *search) extra(p *part) float64 {
	w, sum := &s.q.Weights, 0.0
	if p.actors != nil {
		sum += w.Actor + w.Self
	}
	if s.q.When {
		sum += w.When
	}
	if len(s.q.Periods) > 0 {
		sum += w.Date
	}
	return sum
}

// highest is a heap of the highest scores. The lowest of them comes first.
type highest []float64

// keep adds a score if it is among the n highest. container/heap takes several times as long.
func (h *highest) keep(score float64, n int) {
	if len(*h) < n {
		at := len(*h)
		for *h = append(*h, score); at > 0 && (*h)[(at-1)/2] > score; at = (at - 1) / 2 {
			(*h)[at], (*h)[(at-1)/2] = (*h)[(at-1)/2], score
		}
		return
	}
	if score <= (*h)[0] {
		return
	}
	list, at := *h, 0
	for {
		next := 2*at + 1
		if next >= n {
			break
		}
		if next+1 < n && list[next+1] < list[next] {
			next++
		}
		if list[next] >= score {
			break
		}
		list[at] = list[next]
		at = next
	}
	list[at] = score
}

// kthScore returns a score that at least as many of the rows reach as the search keeps, or 0.
func (s *search) kthScore(p *part, docs []uint32) float64 {
	k := s.q.Limit + contenders
	top := make(highest, 0, k)
	for _, doc := range docs {
		score := float64(s.scoreOf(p, doc))
		if score == 0 || len(top) == k && score <= top[0] || !p.admits(doc) || s.q.OwnWords && !p.hasTerm(doc) {
			continue
		}
		top.keep(score, k)
	}
	if len(top) < k {
		return 0
	}
	return math.Nextafter(top[0], 0) * (1 - 1e-5) // sums in another order differ in the last bits
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
	next := uint32(0) // the rows before it are done
	for _, doc := range p.reached {
		in := span{max(doc, next), doc + 1}
		if !s.alone && doc >= next && p.sessions[p.group(doc)] >= least {
			in = p.sessionOf(doc) // also rows without a score of their own
			next = in.end
		}
		for ; in.begin < in.end; in.begin++ {
			if s.scoreOf(p, in.begin) < least || !p.admits(in.begin) {
				continue
			}
			if p.picked = append(p.picked, in.begin); uint32(len(p.picked)) > p.live/mostPicked {
				return false
			}
		}
	}
	return true
}

// complete adds what one term gives to the picked rows and their sessions.
func (s *search) complete(p *part, t int) {
	w, idf, e := &s.q.Weights, s.idf[t], &p.rows[t]
	if s.alone {
		weight, docs, values := float32(idf*(w.Row+w.Context+w.Session)), e.docs, e.values
		for _, doc := range p.picked {
			for len(docs) > 0 && docs[0] < doc {
				docs, values = docs[1:], values[1:]
			}
			if len(docs) > 0 && docs[0] == doc {
				p.scores[doc] += weight * s.row.of(values[0], p.length(doc))
			}
		}
		return
	}
	row, question := float32(idf*w.Row), float32(idf*w.Question)
	context, session := float32(idf*w.Context), float32(idf*w.Session)
	last := ^uint32(0)
	for _, doc := range p.picked {
		p.scores[doc] += row*s.row.of(e.value(doc), p.length(doc)) +
			context*s.context.of(p.near(e, doc), p.View.context(doc))
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
