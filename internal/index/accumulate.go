package index

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// BM25 is used as in Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
// Beyond" (2009). A score is divided by the highest possible one, so it lies in [0, 1).
const (
	k1 = 1.2
	b  = 0.75
)

// leastRows is how many rows there must be for a term to be common.
const leastRows = 8

// weigh works out how much each term counts: ln(1 + (N-n+.5)/(n+.5)), divided by the sum of all. N is how many rows are
// visible, and n how many of them have the term. A prefix or a part of a word counts a row once for each form that the
// row has, at most N in all. Contexts and sessions use the same weights: with weights of their own they ranked no
// better.
func (s *search) weigh() {
	rows := max(s.sum.rows, 1)
	s.row, s.context = saturate(s.sum.words/rows), saturate(s.sum.context/rows)
	s.session = saturate(s.sum.words / max(s.sum.groups, 1))
	s.idf = make([]float64, len(s.q.Terms))
	sum, unknown := 0.0, 0.0
	for t := range s.idf {
		n := 0.0
		for i := range s.parts {
			n += float64(s.parts[i].counts[t])
		}
		n = min(n, rows)
		if rows >= leastRows && 2*n > rows {
			s.common |= 1 << t
		}
		s.idf[t] = math.Log(1 + (s.sum.rows-n+0.5)/(n+0.5))
		if sum += s.idf[t]; n == 0 || s.alike&(1<<t) != 0 {
			unknown += s.idf[t]
		}
	}
	own := *s.q
	s.q, unknown = &own, own.Weights.Unknown*unknown/max(sum, math.SmallestNonzeroFloat64)
	own.Weights.Meaning, own.Weights.Theme = own.Weights.Meaning+unknown, own.Weights.Theme+unknown
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
	s.addNames(p)
	s.addLeads(p)
	s.addMeaning(p)
	if p.few() {
		s.reach(p)
		s.completeAll(p, s.order)
		return
	}
	for i, t := range s.order {
		if i > 0 && (s.prune(p, s.order[i:]) || s.settle(p, s.order[i:])) {
			return
		}
		p.added += p.counts[t]
		p.load(t)
		s.add(p, t)
	}
}

// touch notes that these rows get something, or their neighbours.
func (p *part) touch(docs []uint32) {
	touched := p.touched
	for _, doc := range docs {
		touched.set(doc)
	}
	p.reached = p.reached[:0]
}

// reach sets p.reached to the rows that may have a score: those that were touched and, in sessions, those beside
// them. It has none since rows were touched.
func (s *search) reach(p *part) {
	if len(p.reached) > 0 {
		return
	}
	touched := p.touched[:(p.Segment.rows+63)/64]
	before := uint64(0) // the word before this one
	for w, word := range touched {
		own := word
		if !s.alone {
			word |= word<<1 | word>>1 | before>>63
			if w+1 < len(touched) {
				word |= touched[w+1] << 63
			}
		}
		before = own
		for ; word != 0; word &= word - 1 {
			p.reached = append(p.reached, 64*uint32(w)+uint32(bits.TrailingZeros64(word)))
		}
	}
	if n := len(p.reached); n > 0 && p.reached[n-1] == p.Segment.rows {
		p.reached = p.reached[:n-1]
	}
}

func (p *part) sessionOf(doc uint32) span {
	in := span{doc, doc + 1}
	for p.follows(in.begin) {
		in.begin--
	}
	for in.end < p.Segment.rows && p.follows(in.end) {
		in.end++
	}
	return in
}

// clear sets the scores of rows and sessions to 0 again.
func (s *search) clear(p *part) {
	s.reach(p)
	for _, doc := range p.reached {
		p.scores[doc] = 0
		if !s.alone {
			p.sessions[p.group(doc)] = 0
		}
	}
	clear(p.touched)
	p.reached = p.reached[:0]
}

// add adds up what one term gives to all rows that have it.
func (s *search) add(p *part, t int) {
	w, idf, e := &s.q.Weights, s.idf[t], &p.rows[t]
	p.touch(e.docs)
	if s.alone {
		s.addRows(p, e, s.gainOf(t))
		return
	}
	a := adder{p, s, s.gainOf(t), float32(idf * w.Question), float32(idf * w.Context), float32(idf * w.Session)}
	a.add(e)
}

// gain is what a row gets from a term by itself.
type gain struct {
	row           saturation
	words, passes float32 // the weights of the row and of its best passage
}

func (s *search) gainOf(t int) gain {
	w, idf := &s.q.Weights, s.idf[t]
	g := gain{s.row, float32(idf * w.Row), float32(idf * w.Passage)}
	if s.alone {
		g.words = float32(idf * (w.Row + w.Context + w.Session))
	}
	return g
}

// of returns what a row of this length gets, or more if it is longer than a passage: as if one passage had all that
// the row has of the term.
func (g *gain) of(value, length float32) float32 {
	return g.words*g.row.of(value, length) + g.passes*passages.of(value, min(length, PassageWords))
}

// usualLength is the length below which the gain of a word that occurs once is worked out once for all rows.
const usualLength = 256

// addRows adds up what a term gives to rows without neighbours.
func (s *search) addRows(p *part, e *entries, g gain) {
	scores, lengths := p.scores, p.Segment.parts[secLengths]
	var usual [usualLength]float32
	if len(e.docs) > usualLength {
		for n := range usual {
			usual[n] = g.of(1, float32(n))
		}
	}
	for i, doc := range e.docs {
		length, value := u16(lengths, doc), e.values[i]
		if value == 1 && length < usualLength && len(e.docs) > usualLength {
			scores[doc] += usual[length]
			continue
		}
		scores[doc] += g.of(value, float32(length))
	}
}

// adder adds what a term gives to rows with neighbours. The others are the weights of the signals.
type adder struct {
	*part
	s                          *search
	gain                       gain
	question, context, session float32
}

func (a *adder) add(e *entries) {
	scores, rows, weight, around := a.scores, a.Segment.rows, a.context, a.s.context
	groups, lengths, contexts := a.Segment.parts[secGroups], a.Segment.parts[secLengths], a.Segment.parts[secContext]
	near := func(doc uint32, value float32) { scores[doc] += weight * around.of(value, float32(u16(contexts, doc))) }
	sum, before, group := float32(0), uint32(0), ^uint32(0) // of the session so far; the last row, and its session
	for i, doc := range e.docs {
		value, g := e.values[i], u32(groups, doc)
		if g != group {
			a.addSession(group, sum)
			sum, before, group = 0, 0, g
		} else {
			before = doc - e.docs[i-1]
		}
		sum += value
		scores[doc] += a.gain.of(value, float32(u16(lengths, doc)))
		own, after := value, value // what the row and the next one have with their neighbours
		switch {
		case before == 1:
			own += e.values[i-1]
		case before != 2 && doc > 0 && u32(groups, doc-1) == g:
			near(doc-1, value)
		}
		precedes := doc+1 < rows && u32(groups, doc+1) == g
		if precedes {
			a.asked(doc, value)
		}
		if precedes && i+1 < len(e.docs) {
			switch e.docs[i+1] - doc {
			case 1:
				own += e.values[i+1]
				precedes = false // it adds this itself
			case 2:
				if u32(groups, doc+2) == g {
					after += e.values[i+1]
				}
			}
		}
		if near(doc, own); precedes {
			near(doc+1, after)
		}
	}
	a.addSession(group, sum)
}

// asked gives to the next row what the question before it has.
func (a *adder) asked(doc uint32, value float32) {
	if a.flag(doc, flagQuestion) {
		a.scores[doc+1] += a.question * a.s.row.of(value, a.length(doc))
	}
}

// addSession gives to a session what its rows have together.
func (a *adder) addSession(group uint32, sum float32) {
	if sum > 0 {
		a.sessions[group] += a.session * a.s.session.of(sum, a.sessionLength(group))
	}
}
