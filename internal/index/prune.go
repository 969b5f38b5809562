package index

import (
	"container/heap"
	"math"
)

// Frequent terms have most of the postings and the least weight. So once the rare terms are added
// up, only few rows can still get among the best. This is MaxScore (Turtle and Flood, "Query
// evaluation: strategies and optimizations", 1995), for scores that are sums over a row, its
// neighbours and its session.

// A term is frequent if it is in more than one of so many visible rows. Below leastPruned postings, pruning
// costs more than it saves.
const (
	frequentShare = 50
	leastPruned   = 4096
)

// mostPicked is the share of visible rows above which picking single rows is slower than adding to all.
const mostPicked = 16

// prune tries to finish the search in p without adding the terms of rest to all rows. It reports
// whether it did: then p.picked has all rows that can be among the best, and their scores are whole.
func (s *search) prune(p *part, rest []int) bool {
	n := uint32(len(p.rows[rest[0]].docs))
	if n < leastPruned || n < p.live/frequentShare {
		return false
	}
	least := s.kthScore(p) - s.potential(p, rest)
	if least <= 0 || !s.pick(p, float32(least)) {
		return false
	}
	s.completeAll(p, rest)
	return true
}

// completeAll adds what terms give to the picked rows, and leaves out all others.
func (s *search) completeAll(p *part, terms []int) {
	for _, t := range terms {
		s.complete(p, t)
	}
	p.pruned = true
}

// potential returns the most that a row can still get: from the terms of rest, and from signals that
// do not depend on words.
func (s *search) potential(p *part, rest []int) float64 {
	w, sum := &s.q.Weights, s.extra(p)
	for _, t := range rest {
		most := float32(0)
		for _, v := range p.rows[t].values {
			most = max(most, v)
		}
		row, context := float64(s.row.of(most, 0)), float64(s.context.of(3*most, 0))
		sum += s.idf[t] * (w.Row*row + w.Context*context + w.Session + w.Question*row)
	}
	return sum
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

// floats is a heap of the highest scores. The lowest of them comes first.
type floats []float32

func (f floats) Len() int           { return len(f) }
func (f floats) Less(i, j int) bool { return f[i] < f[j] }
func (f floats) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *floats) Push(x any)        { *f = append(*f, x.(float32)) }
func (f *floats) Pop() any          { panic("index: never used") }

// kthScore returns a score that at least as many rows reach as the search keeps, or 0.
func (s *search) kthScore(p *part) float64 {
	k := s.q.Limit + contenders
	top := make(floats, 0, k)
	for _, sp := range p.spans {
		for doc := sp.begin; doc < sp.end; doc++ {
			score := p.scores[doc]
			if score == 0 || len(top) == k && score <= top[0] || !p.admits(doc) || s.q.OwnWords && !p.hasTerm(doc) {
				continue
			}
			if len(top) < k {
				heap.Push(&top, score)
				continue
			}
			top[0] = score
			heap.Fix(&top, 0)
		}
	}
	if len(top) < k {
		return 0
	}
	return math.Nextafter(float64(top[0]), 0) * (1 - 1e-5) // sums in another order differ in the last bits
}

// pick collects the rows that have at least this score so far. It reports false if they are too many.
func (s *search) pick(p *part, least float32) bool {
	p.picked = p.picked[:0]
	for _, sp := range p.spans {
		for doc := sp.begin; doc < sp.end; doc++ {
			score := p.scores[doc]
			if !s.alone {
				score += p.sessions[p.group(doc)]
			}
			if score >= least && p.admits(doc) {
				p.picked = append(p.picked, doc)
			}
		}
		if uint32(len(p.picked)) > p.live/mostPicked {
			return false
		}
	}
	return true
}

// complete adds what one term gives to the picked rows and their sessions.
func (s *search) complete(p *part, t int) {
	w, idf, e := &s.q.Weights, s.idf[t], &p.rows[t]
	if s.alone {
		weight := float32(idf * (w.Row + w.Context + w.Session))
		for _, doc := range p.picked {
			p.scores[doc] += weight * s.row.of(e.value(doc), p.length(doc))
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
