package index

import (
	"cmp"
	"math"
	"slices"
)

// BM25 is used as in Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
// Beyond" (2009). A score is divided by the highest possible one, so it lies in [0, 1).
const (
	k1 = 1.2
	b  = 0.75
)

// weigh works out how much each term counts: ln(1 + (N-n+.5)/(n+.5)), divided by the sum of all. N is
// how many rows are visible, and n how many of them have the term. Contexts and sessions use the same
// weights: with weights of their own they ranked no better.
func (s *search) weigh() {
	rows := max(s.sum.rows, 1)
	s.row, s.context = saturate(s.sum.words/rows), saturate(s.sum.context/rows)
	s.session = saturate(s.sum.words / max(s.sum.groups, 1))
	s.idf = make([]float64, len(s.q.Terms))
	sum := 0.0
	for t := range s.idf {
		n := 0.0
		for i := range s.parts {
			n += float64(len(s.parts[i].rows[t].docs))
		}
		s.idf[t] = math.Log(1 + (s.sum.rows-n+0.5)/(n+0.5))
		sum += s.idf[t]
	}
	for t := range s.idf {
		s.idf[t] /= sum
		s.order = append(s.order, t)
	}
	slices.SortStableFunc(s.order, func(x, y int) int { return cmp.Compare(s.idf[y], s.idf[x]) })
}

// saturation is the part of BM25 that depends on how often a row has a term and how long it is:
// f / (f + a + slope * length).
type saturation struct{ a, slope float32 }

func saturate(mean float64) saturation {
	return saturation{k1 * (1 - b), float32(k1 * b / max(mean, 1))}
}

func (s saturation) of(f, length float32) float32 { return f / (f + s.a + s.slope*length) }

// accumulate adds up what the terms give to each row and each session, the rarest term first. Before
// a frequent term, it tries to do without most of its rows.
func (s *search) accumulate(p *part) {
	s.clear(p)
	if p.only != nil && uint32(len(p.picked)) <= p.live/mostPicked {
		s.completeAll(p, s.order)
		return
	}
	for i, t := range s.order {
		if i > 0 && s.prune(p, s.order[i:]) {
			return
		}
		s.add(p, t)
	}
}

// clear sets the scores of visible rows and sessions to 0.
func (s *search) clear(p *part) {
	for _, sp := range p.spans {
		clear(p.scores[sp.begin:sp.end])
	}
	if s.alone {
		return
	}
	p.sessions = sized(p.sessions, p.group(p.Segment.rows-1)+1)
	for _, sp := range p.spans {
		clear(p.sessions[p.group(sp.begin) : p.group(sp.end-1)+1])
	}
}

// add adds up what one term gives to all rows that have it.
func (s *search) add(p *part, t int) {
	w, idf := &s.q.Weights, s.idf[t]
	if s.alone {
		p.addRows(t, s.row, float32(idf*(w.Row+w.Context+w.Session)))
		return
	}
	p.addRows(t, s.row, float32(idf*w.Row))
	p.addQuestions(t, s.row, float32(idf*w.Question))
	p.addContexts(t, s.context, float32(idf*w.Context))
	p.addSessions(t, s.session, float32(idf*w.Session))
}

func (p *part) addRows(t int, row saturation, weight float32) {
	e, lengths := &p.rows[t], p.Segment.parts[secLengths]
	scores := p.scores
	for i, doc := range e.docs {
		scores[doc] += weight * row.of(e.values[i], float32(u16(lengths, doc)))
	}
}

// addQuestions gives to each row what the question before it has.
func (p *part) addQuestions(t int, row saturation, weight float32) {
	e := &p.rows[t]
	for i, doc := range e.docs {
		if p.flag(doc, flagQuestion) && p.follows(doc+1) {
			p.scores[doc+1] += weight * row.of(e.values[i], p.length(doc))
		}
	}
}

// addContexts gives to each row what it and its neighbours have together.
func (p *part) addContexts(t int, context saturation, weight float32) {
	e := &p.rows[t]
	for i, doc := range e.docs {
		before, after := p.gaps(e.docs, i)
		value := e.values[i]
		if before != 1 && before != 2 && p.follows(doc) {
			p.scores[doc-1] += weight * context.of(value, p.context(doc-1))
		}
		own := value
		if before == 1 {
			own += e.values[i-1]
		}
		if after == 1 {
			own += e.values[i+1]
		}
		p.scores[doc] += weight * context.of(own, p.context(doc))
		if after != 1 && p.follows(doc+1) {
			if after == 2 {
				value += e.values[i+1]
			}
			p.scores[doc+1] += weight * context.of(value, p.context(doc+1))
		}
	}
}

// gaps returns how far the entries before and after entry i are away in its session; 0 if there is none.
func (p *part) gaps(docs []uint32, i int) (before, after uint32) {
	group := p.group(docs[i])
	if i > 0 && p.group(docs[i-1]) == group {
		before = docs[i] - docs[i-1]
	}
	if i+1 < len(docs) && p.group(docs[i+1]) == group {
		after = docs[i+1] - docs[i]
	}
	return before, after
}

// addSessions gives to each session what its rows have together.
func (p *part) addSessions(t int, session saturation, weight float32) {
	e := &p.rows[t]
	for i := 0; i < len(e.docs); {
		group, value := p.group(e.docs[i]), float32(0)
		for ; i < len(e.docs) && p.group(e.docs[i]) == group; i++ {
			value += e.values[i]
		}
		p.sessions[group] += weight * session.of(value, p.sessionLength(group))
	}
}
