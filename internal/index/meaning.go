package index

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/loci-memory/loci/internal/index/packing"
)

// Meaning finds rows by what they mean, also those that share no word with the question.
type Meaning struct {
	Vectors *Vectors  // nil: rows are found by their words only
	Query   []float32 // the vector of the question, of the length 1
	// Within is how much less similar than the best a row may be that has nothing but its meaning. 0: that is all one.
	Within float64
	// Exact returns the vectors of rows as the model made them, nil for those that it does not have. It is asked for
	// the best rows, whose order the packed vectors may change. nil: the packed ones must do.
	Exact func(ids [][16]byte) [][]float32
}

// These bound what a search by meaning considers.
const (
	// mostMeant is how many rows get something for their meaning, the best ones.
	mostMeant = 1000
	// mostExact is of how many of them the exact vectors are read.
	mostExact = 40
	// centring is how many rows at the centre are assumed beside the visible ones. The fewer rows there are, the less
	// is known of what all of them have in common.
	centring = 20
	// mostNear is about how many rows are compared again with one byte for each dimension after their codes were: those
	// of the best sessions.
	mostNear = 4 << 10
	// codeScores is how many scores sessions can have by their codes.
	codeScores = 4 << 10
	// codeError is by how much codes make a cosine smaller, mostly.
	codeError = 0.05
	// leastShared is how many rows are worth another goroutine, and mostSharing how many compare rows for one search.
	leastShared, mostSharing = 8 << 10, 4
	// LeastMeaning is how similar to the question a row is at least that shares no word with it.
	LeastMeaning = 0.1
)

// meantRow is a row with what it gets for its meaning, and for that of its session.
type meantRow struct {
	contender      // its score is the sum of both, with their weights
	meaning, theme float64
}

func (m meantRow) worse(o meantRow) bool { return m.contender.worse(o.contender) } //nolint:unused // best uses it

// readMeaning finds the rows that mean something like the question. A vector is compared by what it has beyond the
// mean of all visible ones: vectors of a model have much in common, and those of one person's memories even more.
func (s *search) readMeaning() {
	m, w := &s.q.Meaning, &s.q.Weights
	if m.Vectors == nil || len(m.Query) != m.Vectors.dims || w.Meaning+w.Theme == 0 {
		return
	}
	question, count := s.centre()
	if question == nil {
		return
	}
	var near [][]span
	if count >= leastCoded {
		near = s.readCodes(question)
	}
	top := best[meantRow]{limit: mostMeant}
	for i := range s.parts {
		p := &s.parts[i]
		spans, docs := p.spans, p.meantDocs()
		if near != nil {
			spans, docs = near[i], p.withVectors(near[i])
		}
		p.compare(docs, func(slot int32) float64 { return question.Packed(p.placed.packed(slot)) })
		s.offerMeant(p, spans, &top)
	}
	slices.SortFunc(top.list, func(x, y meantRow) int { return x.compare(&y.contender) })
	s.refine(top.list[:min(len(top.list), mostExact)], question)
	for _, r := range top.list {
		if m.Within > 0 {
			s.far = max(s.far, r.meaning-m.Within)
		}
		r.part.meant = append(r.part.meant, r)
	}
	for i := range s.parts {
		slices.SortFunc(s.parts[i].meant, func(x, y meantRow) int { return cmp.Compare(x.doc, y.doc) })
	}
}

// centre returns the question, and how many visible rows have a vector. It returns nil if none has.
func (s *search) centre() (question *packing.Question, count int) {
	m := &s.q.Meaning
	sum, mean := make([]int64, m.Vectors.dims), make([]float64, m.Vectors.dims)
	for i := range s.parts {
		p := &s.parts[i]
		p.placed, p.cosines = m.Vectors.place(p.Segment), sized(p.cosines, p.Segment.rows)
		count += p.addVisible(sum)
	}
	if count == 0 {
		return nil, 0
	}
	for i, x := range sum {
		mean[i] = float64(x) / sumSteps / float64(count+centring)
	}
	return packing.NewQuestion(m.Query, mean), count
}

// addVisible adds up the vectors of the visible rows, and returns how many there are.
func (p *part) addVisible(sum []int64) (count int) {
	if p.placed.slots == nil {
		return 0
	}
	for _, sp := range p.spans {
		for i := p.class(sp.begin); i < len(p.classes) && p.classes[i].begin < sp.end; i++ {
			count += p.placed.counts[i]
			for d, x := range p.placed.sums[i] {
				sum[d] += x
			}
		}
		for doc := range p.hidden.in(sp) {
			if slot := p.placed.slots[doc]; slot >= 0 && p.placed.add(sum, slot, -1) {
				count--
			}
		}
	}
	return count
}

// readCodes returns the best sessions of each part as their codes say. Only visible rows have a part in that.
func (s *search) readCodes(question *packing.Question) (near [][]span) {
	question.ForCodes()
	w := &s.q.Weights
	var rows [codeScores]int // of the sessions of each score
	for i := range s.parts {
		p := &s.parts[i]
		p.compare(p.meantDocs(), func(slot int32) float64 { return question.Code(p.placed.code(slot)) })
		p.eachSession(p.spans, func(in span, theme float64, count int) {
			most, score := float32(LeastMeaning-codeError), 0.0
			for doc := in.begin; doc < in.end; doc++ {
				if p.cosines[doc] > most && p.placed.slots[doc] >= 0 && p.admits(doc) {
					most = p.cosines[doc]
					score = (w.Meaning*float64(most) + w.Theme*theme) / (w.Meaning + w.Theme) * codeScores
				}
			}
			score = math.Floor(max(min(score, codeScores-1), 0))
			rows[int(score)] += count
			p.cosines[in.begin] = float32(score) // which is read below
		})
	}
	least, left := codeScores, mostNear
	for least > 1 && left > 0 {
		least--
		left -= rows[least]
	}
	near = make([][]span, len(s.parts))
	for i := range s.parts {
		p := &s.parts[i]
		for _, sp := range p.spans {
			for doc := sp.begin; doc < sp.end; doc++ {
				if p.cosines[doc] >= float32(least) && !p.follows(doc) {
					near[i] = append(near[i], p.sessionOf(doc))
				}
			}
		}
	}
	return near
}

// withVectors returns the rows of spans that have a vector.
func (p *part) withVectors(spans []span) (docs []inSlot) {
	for _, sp := range spans {
		for doc := sp.begin; doc < sp.end; doc++ {
			if p.placed.slots != nil && p.placed.slots[doc] >= 0 {
				docs = append(docs, inSlot{doc, p.placed.slots[doc]})
			}
		}
	}
	return docs
}

// meantDocs returns the rows that have a vector, in the order in which memory is read fastest. It may have hidden ones.
func (p *part) meantDocs() []inSlot {
	if docs := p.placed.bySlot; p.live >= uint32(len(docs))/2 {
		return docs
	}
	return p.withVectors(p.spans)
}

// compare sets p.cosines of the visible ones of these rows. cosine returns that of a slot.
func (p *part) compare(docs []inSlot, cosine func(slot int32) float64) {
	n := min(runtime.GOMAXPROCS(0), mostSharing, len(docs)/leastShared+1)
	var all sync.WaitGroup
	for share := range slices.Chunk(docs, max((len(docs)+n-1)/n, 1)) {
		all.Go(func() {
			for _, r := range share {
				if p.inSpans(r.doc) && !p.hidden.has(r.doc) {
					p.cosines[r.doc] = float32(cosine(r.slot))
				}
			}
		})
	}
	all.Wait()
}

// eachSession calls fn with the sessions of spans that have vectors, with the mean of the cosines of its rows, and with
// the number of these rows.
func (p *part) eachSession(spans []span, fn func(in span, theme float64, count int)) {
	for _, sp := range spans {
		for in := (span{sp.begin, sp.begin}); in.begin < sp.end && p.placed.slots != nil; in.begin = in.end {
			theme, count := 0.0, 0
			for in.end = in.begin; in.end < sp.end && (in.end == in.begin || p.follows(in.end)); in.end++ {
				if p.placed.slots[in.end] >= 0 && !p.hidden.has(in.end) {
					theme += float64(p.cosines[in.end])
					count++
				}
			}
			if count > 0 {
				fn(in, max(theme/float64(count), 0), count)
			}
		}
	}
}

// offerMeant offers the rows of spans to top.
func (s *search) offerMeant(p *part, spans []span, top *best[meantRow]) {
	w := &s.q.Weights
	p.eachSession(spans, func(in span, theme float64, _ int) {
		for doc := in.begin; doc < in.end; doc++ {
			if p.placed.slots[doc] < 0 || p.cosines[doc] < LeastMeaning || !p.admits(doc) {
				continue
			}
			meaning := float64(p.cosines[doc])
			r := meantRow{contender{rowIn{p, doc}, w.Meaning*meaning + w.Theme*theme}, meaning, theme}
			if !top.full() || r.score >= top.list[0].score {
				top.offer(r)
			}
		}
	})
}

// refine compares rows again by their exact vectors.
func (s *search) refine(rows []meantRow, c *packing.Question) {
	m, w := &s.q.Meaning, &s.q.Weights
	if m.Exact == nil || len(rows) == 0 {
		return
	}
	ids := make([][16]byte, len(rows))
	for i, r := range rows {
		ids[i] = r.part.id(r.doc)
	}
	for i, vector := range m.Exact(ids) {
		if len(vector) == m.Vectors.dims {
			rows[i].meaning = max(c.Exact(vector), 0)
			rows[i].score = w.Meaning*rows[i].meaning + w.Theme*rows[i].theme
		}
	}
}

// addMeaning adds to rows what they get for their meaning, as addLeads does.
func (s *search) addMeaning(p *part) {
	for _, r := range p.meant {
		p.scores[r.doc] += float32(r.score)
		p.touched.set(r.doc)
	}
}

// isFar reports whether a row has this score for its meaning only, and others are much more similar.
func (s *search) isFar(p *part, doc uint32, score float64) bool {
	meaning, theme := p.meantOf(doc)
	return meaning < s.far && score <= s.q.Weights.Meaning*meaning+s.q.Weights.Theme*theme+inexact
}

// meantOf returns what a row gets for its meaning and for that of its session.
func (p *part) meantOf(doc uint32) (meaning, theme float64) {
	at, there := slices.BinarySearchFunc(p.meant, doc, func(r meantRow, doc uint32) int { return cmp.Compare(r.doc, doc) })
	if !there {
		return 0, 0
	}
	return p.meant[at].meaning, p.meant[at].theme
}
