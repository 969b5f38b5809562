package index

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/loci-memory/loci/internal/index/packing"
)

// topics makes vectors like those of texts: each topic has texts that resemble each other, all of them have something
// in common, and the first dimensions tell more than the last ones.
type topics struct {
	r       *rand.Rand
	scales  []float32 // of the dimensions
	spread  float32   // of a topic
	common  []float32
	centres [][]float32
}

func newTopics(seed uint64, dims, n int, common, falling, spread float32) *topics {
	t := &topics{r: rand.New(rand.NewPCG(seed, 9)), spread: spread}
	for i := range dims {
		t.scales = append(t.scales, float32(math.Pow(float64(i+1), -float64(falling))))
	}
	t.common = t.noise(dims)
	for i := range t.common {
		t.common[i] *= common
	}
	for range n {
		t.centres = append(t.centres, t.noise(dims))
	}
	return t
}

func (t *topics) noise(dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(t.r.NormFloat64()) * t.scales[i]
	}
	return unitOf(v)
}

func unitOf(v []float32) []float32 {
	sum := float32(0)
	for _, x := range v {
		sum += x * x
	}
	length := float32(math.Sqrt(float64(sum)))
	for i := range v {
		v[i] /= length
	}
	return v
}

func (t *topics) next() []float32 {
	v := t.noise(len(t.common))
	for i, x := range t.centres[t.r.IntN(len(t.centres))] {
		v[i] = v[i]*t.spread + x + t.common[i]
	}
	return unitOf(v)
}

// manyRows builds a view of short rows in sessions of so many, with a vector for each row. The vectors come in another
// order than the rows.
func manyRows(tb testing.TB, n, perSession int, t *topics, class func(int) Class) (*View, *Vectors,
	map[[16]byte][]float32) {
	b, ids := NewBuilder(), make([][16]byte, n)
	for i := range n {
		row := Row{ID: numberedID(i), Class: class(i), Time: time.Unix(int64(1_700_000_000+i*60), 0),
			Fields: []Field{{Text: fmt.Sprint("w", i%1000, " w", i%777)}}}
		if perSession > 1 {
			row.Session = fmt.Sprint(i / perSession)
		}
		ids[i] = row.ID
		b.Add(row)
	}
	s, err := Open(b.Build())
	if err != nil {
		tb.Fatal(err)
	}
	t.r.Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	vectors, exact := NewVectors(len(t.common)), map[[16]byte][]float32{}
	for _, id := range ids {
		v := t.next()
		if vectors.Put(id, packing.Pack(v)); n <= codedRows {
			exact[id] = v
		}
	}
	return NewView(s), vectors, exact
}

func meantQuery(vectors *Vectors, vector []float32) *Query {
	return &Query{Sees: func(c Class) bool { return c != "hidden" }, Now: time.Unix(1_800_000_000, 0), Limit: 10,
		Weights: Weights{Meaning: 0.4, Theme: 1.2}, Meaning: Meaning{Vectors: vectors, Query: vector}}
}

// codedRows is several times as many as are compared without codes.
const codedRows = 32 << 10

// meanOf returns the mean that a reader of all rows has.
func meanOf(vectors map[[16]byte][]float32, dims int) []float64 {
	mean := make([]float64, dims)
	for _, v := range vectors {
		for d, x := range v {
			mean[d] += float64(x) / float64(len(vectors)+centring)
		}
	}
	return mean
}

// nearest returns the 10 rows that are the most similar, by all exact vectors.
func nearest(vectors map[[16]byte][]float32, query []float32, mean []float64) (list [][16]byte) {
	cosines := map[[16]byte]float64{}
	for id, v := range vectors {
		xy, xx := 0.0, 0.0
		for d, m := range mean {
			x, y := float64(v[d])-m, float64(query[d])-m
			xy, xx = xy+x*y, xx+x*x
		}
		cosines[id] = xy / math.Sqrt(xx)
		list = append(list, id)
	}
	slices.SortFunc(list, func(x, y [16]byte) int { return cmp.Compare(cosines[y], cosines[x]) })
	return list[:10]
}

// TestCodesFindTheBest compares the best 10 of searches that read codes with the best 10 of all exact vectors.
func TestCodesFindTheBest(t *testing.T) {
	for _, tt := range []struct {
		name   string
		dims   int
		topics *topics
	}{
		{"large clusters", 256, newTopics(2, 256, 8, 0, 0, 0.7)},
		{"like texts", 256, newTopics(3, 256, 500, 0.6, 0.5, 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			view, vectors, exact := manyRows(t, codedRows, 1, tt.topics, func(i int) Class { return Class(fmt.Sprint(i % 3)) })
			found, want, mean := 0, 0, meanOf(exact, tt.dims)
			for range 10 {
				q := meantQuery(vectors, tt.topics.next())
				best := nearest(exact, q.Meaning.Query, mean)
				for _, h := range Search([]*View{view}, q).Hits {
					if slices.Contains(best, h.ID) {
						found++
					}
				}
				want += len(best)
			}
			if float64(found) < 0.95*float64(want) {
				t.Errorf("found %d of the best %d", found, want)
			}
		})
	}
}

// TestCodesFindTheBestSessions compares searches that read codes with those that compare all packed vectors.
func TestCodesFindTheBestSessions(t *testing.T) {
	topics := newTopics(5, 128, 50, 0.6, 0.3, 1)
	view, vectors, _ := manyRows(t, codedRows, 100, topics, func(int) Class { return "a" })
	views, found, want := []*View{view}, 0, 0
	for range 20 {
		q := meantQuery(vectors, topics.next())
		q.Weights = Weights{Meaning: 0.05, Theme: 2}
		s := newSearch(views, q)
		question, _ := s.centre()
		p := &s.parts[0]
		top := best[meantRow]{limit: q.Limit}
		for doc, slot := range p.placed.slots {
			p.cosines[doc] = float32(question.Packed(p.placed.packed(slot)))
		}
		s.offerMeant(p, p.spans, &top)
		for _, h := range Search(views, q).Hits {
			if slices.ContainsFunc(top.list, func(r meantRow) bool {
				return p.id(r.doc) == h.ID && r.meaning == h.Signals.Meaning && r.theme == h.Signals.Theme
			}) {
				found++
			}
		}
		want += len(top.list)
	}
	if float64(found) < 0.97*float64(want) {
		t.Errorf("found %d of the best %d", found, want)
	}
}

// TestHiddenRowsChangeNoCodes compares answers of the codes with those of an index without the hidden rows, and answers
// that need no codes with those of an index that has none.
func TestHiddenRowsChangeNoCodes(t *testing.T) {
	for _, seen := range []int{mostNear + 1, mostNear} {
		topics := newTopics(6, 16, 100, 0.6, 0, 1)
		vectors, alone := NewVectors(16), NewVectors(16)
		with, without := NewBuilder(), NewBuilder()
		for i, left := 0, seen; left > 0; i++ {
			row := Row{ID: numberedID(i), Class: "seen", Time: time.Unix(int64(i), 0), Session: fmt.Sprint(i / 3)}
			v := packing.Pack(topics.next())
			if i%5 == 4 {
				row.Class = "hidden"
			} else {
				left--
				without.Add(row)
				alone.Put(row.ID, v)
			}
			with.Add(row)
			vectors.Put(row.ID, v)
		}
		search := func(b *Builder, v *Vectors, query []float32) []Hit {
			s, err := Open(b.Build())
			if err != nil {
				t.Fatal(err)
			}
			q := meantQuery(v, query)
			q.Limit = mostMeant
			return Search([]*View{NewView(s)}, q).Hits
		}
		query := topics.next()
		if got, want := search(with, vectors, query), search(without, alone, query); len(want) < 100 ||
			!slices.Equal(got, want) {
			t.Errorf("%d visible rows: found %d with hidden rows, and %d others without them", seen, len(got), len(want))
		}
	}
}

func benchmarkMeant(b *testing.B, rows, dims, perSession int) {
	topics := newTopics(1, dims, rows/200, 0.5, 0, 0.8)
	view, vectors, _ := manyRows(b, rows, perSession, topics, func(i int) Class { return Class(fmt.Sprint(i % 3)) })
	for _, save := range []bool{false, true} {
		b.Run(fmt.Sprintf("rows=%d/dims=%d/session=%d/save=%v", rows, dims, perSession, save), func(b *testing.B) {
			var times []time.Duration
			for i := -1; i < 0 || b.Loop(); i++ {
				if save {
					vectors.Put(numberedID(topics.r.IntN(rows)), packing.Pack(topics.next()))
				}
				q := meantQuery(vectors, topics.next())
				start := time.Now()
				if len(Search([]*View{view}, q).Hits) == 0 {
					b.Fatal("found nothing")
				}
				if i >= 0 { // the first one places the vectors
					times = append(times, time.Since(start))
				}
			}
			reportTimes(b, times)
		})
	}
}

func reportTimes(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
}

// BenchmarkMeaning searches 100,000 vectors of 384 and of 256 dimensions, in rows without sessions and in sessions of
// 20, and after each new vector, as an assistant does that saves and recalls.
func BenchmarkMeaning(b *testing.B) {
	for _, dims := range []int{384, 256} {
		for _, session := range []int{1, 20} {
			benchmarkMeant(b, 100_000, dims, session)
		}
	}
}

// BenchmarkMillionVectors does so with 1,000,000.
func BenchmarkMillionVectors(b *testing.B) {
	for _, dims := range []int{384, 256} {
		benchmarkMeant(b, 1_000_000, dims, 1)
	}
}

// BenchmarkVectorBytes reports the memory that a vector takes: its two forms, where it is, and which row has it.
func BenchmarkVectorBytes(b *testing.B) {
	const rows = 100_000
	for _, dims := range []int{384, 256} {
		b.Run(fmt.Sprintf("dims=%d", dims), func(b *testing.B) {
			numbers := make([]int, rows)
			for i := range numbers {
				numbers[i] = i
			}
			s, packed := segmentOf(b, numbers...), packing.Pack(make([]float32, dims))
			for b.Loop() {
				vectors, before := NewVectors(dims), heap()
				for i := range rows {
					vectors.Put(numberedID(i), packed)
				}
				vectors.place(s)
				b.ReportMetric(float64(heap()-before)/rows, "bytes/vector")
				vectors.Remove(numberedID(0))
			}
		})
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkWordsAndMeaning asks for words, and then for words and meaning, in 100,000 rows.
func BenchmarkWordsAndMeaning(b *testing.B) {
	const dims = 256
	for _, session := range []int{0, 20} {
		view, topics, vectors := large(100_000, session), newTopics(1, dims, 500, 0.3, 0, 0.8), NewVectors(dims)
		for row := range zipfRows(100_000, 0) {
			vectors.Put(row.ID, packing.Pack(topics.next()))
		}
		for _, meaning := range []bool{false, true} {
			b.Run(fmt.Sprintf("session=%d/meaning=%v", session, meaning), func(b *testing.B) {
				list, times := questions(200), []time.Duration(nil)
				for i := range list {
					list[i].Weights.Meaning, list[i].Weights.Theme = 0.3, 0.9
					if meaning {
						list[i].Meaning = Meaning{Vectors: vectors, Query: topics.next(), Within: 0.24}
					}
				}
				Search([]*View{view}, list[0])
				for i := 0; b.Loop(); i++ {
					begin := time.Now()
					Search([]*View{view}, list[i%len(list)])
					times = append(times, time.Since(begin))
				}
				reportTimes(b, times)
			})
		}
	}
}
