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
	Query   []float32 // the vector of the question, of the length 1, or its last dimensions
	// Within is how much less similar than the best a row may be that has nothing but its meaning. 0: that is all one.
	Within float64
}

// These bound what a search by meaning considers.
const (
	// mostMeant is how many rows get something for their meaning, the best ones.
	mostMeant = 200
	// centring is how many rows at the centre are assumed beside the visible ones. The fewer rows there are, the less
	// is known of what all of them have in common.
	centring = 20
	// mostNear is about how many rows are compared with one byte for each dimension: all, or if there are more, those of
	// the sessions that are the best by their codes.
	mostNear = 2 << 10
	// pieceRows is how many rows are worth another goroutine, and mostSharing how many goroutines compare rows of a part:
	// a search must not take all processors.
	pieceRows, mostSharing = 16 << 10, 4
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
	if m.Vectors == nil || len(m.Query) == 0 || len(m.Query) > m.Vectors.dims || w.Meaning+w.Theme == 0 {
		return
	}
	question, count := s.centre()
	if s.meant = count; question == nil {
		return
	}
	top := best[meantRow]{limit: mostMeant}
	for i, spans := range s.near(question, count) {
		p := &s.parts[i]
		p.compare(spans, question)
		s.offerMeant(p, spans, &top)
	}
	slices.SortFunc(top.list, func(x, y meantRow) int { return x.compare(&y.contender) })
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

// near returns the spans of each part whose rows are compared. Only visible rows have a part in that.
func (s *search) near(question *packing.Question, count int) [][]span {
	spans := make([][]span, len(s.parts))
	if count <= mostNear {
		for i := range s.parts {
			spans[i] = s.parts[i].spans
		}
		return spans
	}
	rows := make([]int, question.Most+1) // of the sessions that differ by so much
	for i := range s.parts {
		s.readCodes(&s.parts[i], question, rows)
	}
	most, left := 0, mostNear-rows[0]
	for most < question.Most && left > 0 {
		most++
		left -= rows[most]
	}
	for i := range s.parts {
		p := &s.parts[i]
		for _, sp := range p.spans {
			for doc := sp.begin; doc < sp.end; doc++ {
				if p.cosines[doc] <= float32(most) && !p.follows(doc) {
					spans[i] = append(spans[i], p.sessionOf(doc))
				}
			}
		}
	}
	return spans
}

// compare sets p.cosines of the rows of spans that have a vector.
func (p *part) compare(spans []span, question *packing.Question) {
	var docs []uint32
	for _, in := range spans {
		for doc := in.begin; doc < in.end; doc++ {
			if p.means(doc) {
				docs = append(docs, doc)
			}
		}
	}
	var all sync.WaitGroup
	for share := range slices.Chunk(docs, len(docs)/min(runtime.GOMAXPROCS(0), mostSharing)+1) {
		all.Go(func() {
			for few := range slices.Chunk(share, 16) {
				p.fetch(few)
				for _, doc := range few {
					p.cosines[doc] = float32(question.Packed(p.placed.packed(p.placed.slots[doc])))
				}
			}
		})
	}
	all.Wait()
}

// fetch reads a value of each cache line of some vectors, which are all over the memory, so that the processor gets all
// of them at the same time.
func (p *part) fetch(docs []uint32) (sum int8) {
	for _, doc := range docs {
		for i, values := 0, p.placed.packed(p.placed.slots[doc]).Values; i < len(values); i += 64 {
			sum += values[i]
		}
	}
	return sum
}

// readCodes compares the sessions of a part by the codes of their rows: p.cosines has by how much each differs, at its
// first row, and infinity for one without a row that can be a hit. It adds to rows how many rows of sessions differ by
// so much.
func (s *search) readCodes(p *part, question *packing.Question, rows []int) {
	var all sync.WaitGroup
	var adding sync.Mutex
	for _, in := range p.pieces() {
		all.Go(func() {
			own := make([]int, len(rows))
			s.readSessions(p, in, question, own)
			adding.Lock()
			defer adding.Unlock()
			for i, n := range own {
				rows[i] += n
			}
		})
	}
	all.Wait()
}

// pieces returns the spans of a part in pieces that are worth a goroutine each, and end with a session.
func (p *part) pieces() (list []span) {
	size := max(pieceRows, p.live/mostSharing)
	for _, in := range p.spans {
		for in.end-in.begin > size {
			end := min(p.sessionOf(in.begin+size).end, in.end)
			list, in.begin = append(list, span{in.begin, end}), end
		}
		list = append(list, in)
	}
	return list
}

// readSessions is readCodes for the sessions of a span.
func (s *search) readSessions(p *part, in span, question *packing.Question, rows []int) {
	w, words := &s.q.Weights, packing.CodeWords(p.placed.of.dims)
	meaning := float32(w.Meaning / (w.Meaning + w.Theme))
	groups, slots, codes, hidden, only := p.Segment.parts[secGroups], p.placed.slots, p.placed.codes, p.hidden, p.only
	for doc := in.begin; doc < in.end; {
		first, least, sum, count := doc, math.MaxInt, 0, 0
		for group := u32(groups, first); doc < in.end && u32(groups, doc) == group; doc++ {
			if slots == nil || slots[doc] < 0 || hidden.has(doc) {
				continue
			}
			differ := question.Code(codes[int(doc)*words:][:words])
			sum, count = sum+differ, count+1
			if only == nil || only.has(doc) {
				least = min(least, differ)
			}
		}
		if p.cosines[first] = float32(math.Inf(1)); least < math.MaxInt {
			differ := least
			if count > 1 {
				differ = int(meaning*float32(least) + (1-meaning)*float32(sum)/float32(count))
			}
			rows[differ] += count
			p.cosines[first] = float32(differ)
		}
	}
}

// means reports whether a row of p.spans is visible and has a vector.
func (p *part) means(doc uint32) bool {
	return p.placed.slots != nil && p.placed.slots[doc] >= 0 && !p.hidden.has(doc)
}

// eachSession calls fn with the sessions of spans that have vectors, and with the mean of the cosines of its rows.
func (p *part) eachSession(spans []span, fn func(in span, theme float64)) {
	for _, sp := range spans {
		for in := (span{sp.begin, sp.begin}); in.begin < sp.end; in.begin = in.end {
			theme, count := 0.0, 0
			for in.end = in.begin; in.end < sp.end && (in.end == in.begin || p.follows(in.end)); in.end++ {
				if p.means(in.end) {
					theme += float64(p.cosines[in.end])
					count++
				}
			}
			if count > 0 {
				fn(in, max(theme/float64(count), 0))
			}
		}
	}
}

// offerMeant offers the rows of spans to top.
func (s *search) offerMeant(p *part, spans []span, top *best[meantRow]) {
	w := &s.q.Weights
	p.eachSession(spans, func(in span, theme float64) {
		for doc := in.begin; doc < in.end; doc++ {
			if !p.means(doc) || p.cosines[doc] < LeastMeaning || !p.admits(doc) {
				continue
			}
			meaning := min(float64(p.cosines[doc]), 1) // part of a question may have more
			r := meantRow{contender{rowIn{p, doc}, w.Meaning*meaning + w.Theme*theme}, meaning, theme}
			if !top.full() || r.score >= top.list[0].score {
				top.offer(r)
			}
		}
	})
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
