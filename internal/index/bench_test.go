package index

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// zipfText returns texts of 42 words that are as frequent as in natural language.
func zipfText(z *rand.Zipf, words int) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "w%d", z.Uint64())
	}
	return b.String()
}

// zipfRows yields rows, one session for every so many of them, or none.
func zipfRows(n, perSession int) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		z := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 2.7, 60_000)
		for i := range n {
			row := Row{Class: Class(fmt.Sprint("c", i%3)), Time: time.Unix(int64(1_700_000_000+i*60), 0),
				Fields: []Field{{Text: zipfText(z, 42)}}}
			binary.BigEndian.PutUint64(row.ID[:], uint64(i)*0x9e3779b97f4a7c15)
			binary.BigEndian.PutUint64(row.ID[8:], uint64(i))
			if i%100 == 0 {
				row.Fields = append(row.Fields, Field{Text: title(i), Weight: 3, Name: true})
			}
			if perSession > 0 {
				row.Session = fmt.Sprint(i / perSession)
			}
			if !yield(row) {
				return
			}
		}
	}
}

// title is the name of some of the rows that zipfRows yields.
func title(i int) string { return fmt.Sprint("row", i) }

// large builds a segment of the rows that zipfRows yields.
func large(rows, perSession int) *View {
	b := NewBuilder()
	for row := range zipfRows(rows, perSession) {
		b.Add(row)
	}
	s, err := Open(b.Build())
	if err != nil {
		panic(err)
	}
	return NewView(s)
}

var largeViews sync.Map

func questions(n int) []*Query {
	r := rand.New(rand.NewPCG(3, 4))
	z := rand.NewZipf(r, 1.1, 2.7, 60_000)
	list := make([]*Query, n)
	for i := range list {
		q := &Query{Sees: func(c Class) bool { return true }, Now: time.Unix(1_800_000_000, 0), Limit: 10,
			Weights: testWeights}
		seen := map[string]bool{}
		for len(q.Terms) < 5 {
			w := fmt.Sprint("w", z.Uint64())
			if !seen[w] {
				q.Terms = append(q.Terms, Term{Form: w})
				seen[w] = true
			}
		}
		list[i] = q
	}
	return list
}

var testWeights = Weights{Graph: .5, Name: 1.5, Row: 1, Context: .8, Session: .5, Passage: .4, Question: .3, Actor: .4,
	When: .2, Date: .9, Stem: .9, Similar: .5}

// BenchmarkSearch asks five words that are as frequent as in texts, in rows of their own and in
// sessions of 20. It reports the time of half of the searches, and of 95 of 100.
func BenchmarkSearch(b *testing.B) {
	for _, rows := range []int{10_000, 100_000, 1_000_000} {
		for _, session := range []int{0, 20} {
			b.Run(fmt.Sprintf("rows=%d/session=%d", rows, session), func(b *testing.B) {
				if rows > 100_000 && testing.Short() {
					b.Skip("large")
				}
				key := fmt.Sprint(rows, session)
				v, ok := largeViews.Load(key)
				if !ok {
					v = large(rows, session)
					largeViews.Store(key, v)
				}
				view := v.(*View)
				b.ReportMetric(float64(view.Size())/float64(rows), "bytes/row")
				list := questions(200)
				var times []time.Duration
				b.ResetTimer()
				for i := 0; b.Loop(); i++ {
					begin := time.Now()
					Search([]*View{view}, list[i%len(list)])
					times = append(times, time.Since(begin))
				}
				slices.Sort(times)
				b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-us")
				b.ReportMetric(float64(times[len(times)*95/100].Microseconds()), "p95-us")
			})
		}
	}
}
