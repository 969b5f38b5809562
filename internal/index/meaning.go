package index

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
)

// Meaning finds rows by what they mean, also those that share no word with the question.
type Meaning struct {
	Vectors *Vectors  // nil: rows are found by their words only
	Query   []float32 // the vector of the question, of the length 1
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
	c := s.centre()
	if c == nil {
		return
	}
	top := best[meantRow]{limit: mostMeant}
	for i := range s.parts {
		p := &s.parts[i]
		if p.placed.slots == nil {
			continue // as all segments of events
		}
		p.cosines = sized(p.cosines, p.Segment.rows)
		c.compare(p)
		s.offerMeant(p, &top)
	}
	slices.SortFunc(top.list, func(x, y meantRow) int { return x.compare(&y.contender) })
	c.refine(top.list[:min(len(top.list), mostExact)], m.Exact, w)
	for _, r := range top.list {
		r.part.meant = append(r.part.meant, r)
	}
	for i := range s.parts {
		slices.SortFunc(s.parts[i].meant, func(x, y meantRow) int { return cmp.Compare(x.doc, y.doc) })
	}
}

// centre is the question, and the mean of the vectors that the searcher sees.
type centre struct {
	mean  []float64
	query []float64 // without the mean, of the length 1
	// both are the two as whole numbers in one, so that one multiplication serves both.
	both                     []int64
	queryScale, meanScale    float64
	queryTimesMean, meanNorm float64 // query * mean, mean * mean
}

// centre returns nil if no visible row has a vector.
func (s *search) centre() *centre {
	m := &s.q.Meaning
	sum, count := make([]int64, m.Vectors.dims), 0
	for i := range s.parts {
		p := &s.parts[i]
		p.placed = m.Vectors.place(p.Segment)
		count += p.addVisible(sum)
	}
	if count == 0 {
		return nil
	}
	c := &centre{mean: make([]float64, len(sum)), query: make([]float64, len(sum))}
	for i, x := range sum {
		c.mean[i] = float64(x) / sumSteps / float64(count+centring)
		c.query[i] = float64(m.Query[i]) - c.mean[i]
	}
	length := math.Sqrt(dot(c.query, c.query))
	if length == 0 {
		return nil
	}
	for i := range c.query {
		c.query[i] /= length
	}
	c.queryTimesMean, c.meanNorm = dot(c.query, c.mean), dot(c.mean, c.mean)
	c.join()
	return c
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

func dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// wholeSteps is how many steps a dimension of the question has on each side.
const wholeSteps = 1 << 12

// join sets c.both.
func (c *centre) join() {
	scale := func(list []float64) float64 {
		most := math.SmallestNonzeroFloat64
		for _, x := range list {
			most = max(most, math.Abs(x))
		}
		return most / wholeSteps
	}
	c.queryScale, c.meanScale = scale(c.query), scale(c.mean)
	c.both = make([]int64, len(c.query))
	for i := range c.both {
		c.both[i] = int64(math.Round(c.query[i]/c.queryScale)) + int64(math.Round(c.mean[i]/c.meanScale))<<32
	}
}

// leastShared is how many rows are worth another goroutine.
const leastShared = 8 << 10

// mostSharing is how many goroutines compare rows for one search at most.
const mostSharing = 4

// compare sets p.cosines to how similar each visible row is to the question: the cosine without the mean. It leaves
// alone those of rows without a vector.
func (c *centre) compare(p *part) {
	docs := p.placed.bySlot
	if n := uint32(len(docs)); p.live < n/2 { // most are hidden
		docs = nil
		for _, sp := range p.spans {
			for doc := sp.begin; doc < sp.end; doc++ {
				if p.placed.slots[doc] >= 0 {
					docs = append(docs, doc)
				}
			}
		}
	}
	n := min(runtime.GOMAXPROCS(0), mostSharing, len(docs)/leastShared+1)
	var all sync.WaitGroup
	for share := range slices.Chunk(docs, max((len(docs)+n-1)/n, 1)) {
		all.Go(func() {
			for _, doc := range share {
				if p.inSpans(doc) && !p.hidden.has(doc) {
					p.cosines[doc] = float32(c.similarity(p.placed.at(p.placed.slots[doc])))
				}
			}
		})
	}
	all.Wait()
}

func (c *centre) similarity(v Packed) float64 {
	if v.Scale == 0 {
		return 0
	}
	byQuery, byMean := multiply(v.Values, c.both)
	scale := float64(v.Scale)
	return c.cosine(float64(byQuery)*scale*c.queryScale, float64(byMean)*scale*c.meanScale)
}

// cosine returns the cosine of a vector without the mean, from its products with the question and with the mean.
func (c *centre) cosine(byQuery, byMean float64) float64 {
	norm := 1 - 2*byMean + c.meanNorm
	if norm <= 1e-6 {
		return 0
	}
	return (byQuery - c.queryTimesMean) / math.Sqrt(norm)
}

// multiply returns the products of a packed vector with the lower and the upper halves of both. Each must fit into 32
// bits: 4,096 dimensions of 127 * wholeSteps do.
func multiply(values []int8, both []int64) (lower, upper int32) {
	var a, b, c, d int64
	both = both[:len(values)]
	for len(values) >= 8 && len(both) >= 8 {
		x, y := (*[8]int8)(values), (*[8]int64)(both)
		a += int64(x[0])*y[0] + int64(x[4])*y[4]
		b += int64(x[1])*y[1] + int64(x[5])*y[5]
		c += int64(x[2])*y[2] + int64(x[6])*y[6]
		d += int64(x[3])*y[3] + int64(x[7])*y[7]
		values, both = values[8:], both[8:]
	}
	for i, x := range values {
		a += int64(x) * both[i]
	}
	sum := a + b + c + d
	lower = int32(sum)
	return lower, int32((sum - int64(lower)) >> 32)
}

// offerMeant offers the rows of a part to top. What a session means is the mean of what its rows do.
func (s *search) offerMeant(p *part, top *best[meantRow]) {
	w, slots := &s.q.Weights, p.placed.slots
	for _, sp := range p.spans {
		for in := (span{sp.begin, sp.begin}); in.begin < sp.end; in.begin = in.end {
			theme, count := 0.0, 0
			for in.end = in.begin; in.end < sp.end && (in.end == in.begin || p.follows(in.end)); in.end++ {
				if slots[in.end] >= 0 && !p.hidden.has(in.end) {
					theme += float64(p.cosines[in.end])
					count++
				}
			}
			if count == 0 {
				continue
			}
			theme = max(theme/float64(count), 0)
			for doc := in.begin; doc < in.end; doc++ {
				if slots[doc] < 0 || p.cosines[doc] < LeastMeaning || !p.admits(doc) {
					continue
				}
				meaning := float64(p.cosines[doc])
				r := meantRow{contender{rowIn{p, doc}, w.Meaning*meaning + w.Theme*theme}, meaning, theme}
				if !top.full() || r.score >= top.list[0].score {
					top.offer(r)
				}
			}
		}
	}
}

// refine compares rows again by their exact vectors.
func (c *centre) refine(rows []meantRow, exact func([][16]byte) [][]float32, w *Weights) {
	if exact == nil || len(rows) == 0 {
		return
	}
	ids := make([][16]byte, len(rows))
	for i, r := range rows {
		ids[i] = r.part.id(r.doc)
	}
	for i, vector := range exact(ids) {
		if len(vector) != len(c.query) {
			continue
		}
		byQuery, byMean := 0.0, 0.0
		for d, x := range vector {
			byQuery += float64(x) * c.query[d]
			byMean += float64(x) * c.mean[d]
		}
		rows[i].meaning = max(c.cosine(byQuery, byMean), 0)
		rows[i].score = w.Meaning*rows[i].meaning + w.Theme*rows[i].theme
	}
}

// addMeaning adds to rows what they get for their meaning, as addLeads does.
func (s *search) addMeaning(p *part) {
	for _, r := range p.meant {
		p.scores[r.doc] += float32(r.score)
		p.touched.set(r.doc)
	}
}

// meantOf returns what a row gets for its meaning and for that of its session.
func (p *part) meantOf(doc uint32) (meaning, theme float64) {
	at, there := slices.BinarySearchFunc(p.meant, doc, func(r meantRow, doc uint32) int { return cmp.Compare(r.doc, doc) })
	if !there {
		return 0, 0
	}
	return p.meant[at].meaning, p.meant[at].theme
}
