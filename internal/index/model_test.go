package index

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// model ranks rows as the comments of Query and Weights define it, with nothing but loops.
type model struct {
	rows []Row
	q    *Query
}

// visible returns the rows that the query may see, with their neighbours in order.
func (m *model) visible() [][]Row {
	var sessions [][]Row
	at := map[string]int{}
	for _, r := range m.rows {
		limited := !r.From.IsZero() || !r.Until.IsZero()
		if !m.q.Sees(r.Class) || m.q.Now.Before(r.From) || !r.Until.IsZero() && !m.q.Now.Before(r.Until) {
			continue
		}
		key := fmt.Sprint(r.Class, "/", r.Session)
		if n, ok := at[key]; ok && r.Session != "" && !limited {
			sessions[n] = append(sessions[n], r)
			continue
		}
		if r.Session != "" && !limited {
			at[key] = len(sessions)
		}
		sessions = append(sessions, []Row{r})
	}
	for _, s := range sessions {
		slices.SortFunc(s, func(x, y Row) int {
			return cmp.Or(x.Time.Compare(y.Time), slices.Compare(x.ID[:], y.ID[:]))
		})
	}
	return sessions
}

// count returns how often a row has a term, and how long the row is.
func count(r *Row, t Term) (frequency, length float64) {
	for _, f := range r.Fields {
		weight := max(f.Weight, 1)
		for _, w := range strings.Fields(f.Text) {
			if w == "?" {
				continue
			}
			length += weight
			if w == t.Form {
				frequency += weight
			}
		}
	}
	return frequency, math.Floor(length + .5)
}

func (m *model) search() []Hit {
	sessions := m.visible()
	var rows, words, contexts, alone float64
	n := make([]float64, len(m.q.Terms))
	context := func(s []Row, i int, t Term) (f, length float64) {
		for j := max(i-1, 0); j <= min(i+1, len(s)-1); j++ {
			x, y := count(&s[j], t)
			f, length = f+x, length+y
		}
		return f, length
	}
	for _, s := range sessions {
		if len(s) == 1 {
			alone++
		}
		for i := range s {
			_, length := count(&s[i], Term{})
			_, near := context(s, i, Term{})
			rows, words, contexts = rows+1, words+length, contexts+near
			for t := range n {
				if f, _ := count(&s[i], m.q.Terms[t]); f > 0 {
					n[t]++
				}
			}
		}
	}
	idf, sum := make([]float64, len(n)), 0.0
	for t := range n {
		idf[t] = math.Log(1 + (rows-n[t]+.5)/(n[t]+.5))
		sum += idf[t]
	}
	bm25 := func(f, length, mean float64) float64 { return f / (f + k1*(1-b+b*length/max(mean, 1))) }
	var hits []Hit
	for _, s := range sessions {
		for i := range s {
			h := Hit{ID: s[i].ID, Priority: s[i].Priority, Updated: micros(s[i].Updated)}
			g := &h.Signals
			for t, term := range m.q.Terms {
				share := idf[t] / sum
				f, length := count(&s[i], term)
				g.Row += share * bm25(f, length, words/rows)
				g.Passage += share * bm25(f, length, passageMean)
				near, nearLength := context(s, i, term)
				g.Context += share * bm25(near, nearLength, contexts/rows)
				all, allLength := 0.0, 0.0
				for j := range s {
					x, y := count(&s[j], term)
					all, allLength = all+x, allLength+y
				}
				g.Session += share * bm25(all, allLength, words/float64(len(sessions)))
				if i > 0 && strings.Contains(s[i-1].Fields[0].Text, "?") {
					f, length := count(&s[i-1], term)
					g.Question += share * bm25(f, length, words/rows)
				}
			}
			if g.Session == 0 || m.q.OwnWords && g.Row == 0 {
				continue
			}
			if slices.Contains(m.q.Actors, s[i].Actor) {
				g.Actor = 1 / float64(len(m.q.Actors))
			}
			for _, p := range m.q.Periods {
				if d := day(s[i].Time); p.First <= d && d <= p.Last {
					g.Date = max(g.Date, p.Value)
				}
			}
			h.Score = m.q.Weights.score(g)
			hits = append(hits, h)
		}
	}
	return hits
}

func drawRows(t *rapid.T) []Row {
	rows := make([]Row, rapid.IntRange(0, 40).Draw(t, "rows"))
	word := rapid.SampledFrom([]string{"alpha", "beta", "gamma", "delta", "eps", "zeta", "?"})
	for i := range rows {
		r := &rows[i]
		r.ID = [16]byte{byte(i), byte(rapid.IntRange(0, 255).Draw(t, "id"))}
		r.Class = Class(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "class"))
		r.Session = rapid.SampledFrom([]string{"", "s", "t", "u"}).Draw(t, "session")
		r.Time = time.Unix(int64(rapid.IntRange(0, 20).Draw(t, "time"))*40_000, 0)
		r.Actor = rapid.SampledFrom([]string{"", "ann", "bob"}).Draw(t, "actor")
		r.Priority = uint8(rapid.IntRange(0, 2).Draw(t, "priority"))
		r.Updated = time.Unix(int64(rapid.IntRange(0, 3).Draw(t, "updated")), 0)
		r.Fields = []Field{{Text: strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "text"), " ")}}
		if rapid.Bool().Draw(t, "titled") {
			r.Fields = append(r.Fields, Field{strings.Join(rapid.SliceOfN(word, 0, 3).Draw(t, "title"), " "), 3})
		}
		switch rapid.IntRange(0, 9).Draw(t, "limit") {
		case 0:
			r.Until = time.Unix(int64(rapid.IntRange(1, 100).Draw(t, "until")), 0)
		case 1:
			r.From = time.Unix(int64(rapid.IntRange(1, 100).Draw(t, "from")), 0)
		}
		if strings.Contains(r.Fields[len(r.Fields)-1].Text, "?") {
			r.Fields = r.Fields[:1] // the model looks for questions in the first field
		}
	}
	return rows
}

func drawQuery(t *rapid.T) *Query {
	classes := rapid.SliceOfDistinct(rapid.SampledFrom([]Class{"a", "b", "c"}), func(c Class) Class { return c }).
		Draw(t, "classes")
	q := &Query{Sees: func(c Class) bool { return slices.Contains(classes, c) }, Now: time.Unix(50, 0),
		OwnWords: rapid.Bool().Draw(t, "own"), Limit: rapid.IntRange(1, 12).Draw(t, "hits"), Weights: testWeights}
	for _, w := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"alpha", "beta", "gamma", "eps", "none"}), 1, 4,
		func(w string) string { return w }).Draw(t, "terms") {
		q.Terms = append(q.Terms, Term{Form: w})
	}
	if rapid.Bool().Draw(t, "named") {
		q.Actors = []string{"ann"}
	}
	if rapid.Bool().Draw(t, "dated") {
		q.Periods = []Period{{0, 3, 1}, {0, 6, .5}}
	}
	return q
}

// build makes views of rows. Rows of one session and class stay together.
func build(t testing.TB, rows []Row, views int) []*View {
	builders := make([]*Builder, views)
	for i := range builders {
		builders[i] = NewBuilder()
	}
	for _, r := range rows {
		n := int(r.ID[0])
		if r.Session != "" {
			n = int(r.Session[0])
		}
		builders[n%views].Add(r)
	}
	list := make([]*View, views)
	for i, b := range builders {
		s, err := Open(b.Build())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Verify(); err != nil {
			t.Fatal(err)
		}
		list[i] = NewView(s)
	}
	return list
}

// A search finds what the definition says, in that order, however rows are spread over segments.
func TestSearchIsWhatIsDefined(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		rows, q := drawRows(rt), drawQuery(rt)
		want := (&model{rows, q}).search()
		got := Search(build(t, rows, rapid.IntRange(1, 3).Draw(rt, "views")), q).Hits
		if len(got) != min(len(want), q.Limit) {
			rt.Fatalf("got %d hits, want %d of %d", len(got), q.Limit, len(want))
		}
		slices.SortFunc(want, func(x, y Hit) int { return cmp.Compare(y.Score, x.Score) })
		for i, h := range got {
			n := slices.IndexFunc(want, func(w Hit) bool { return w.ID == h.ID })
			if n < 0 {
				rt.Fatalf("hit %d should not be found", i)
			}
			if w := want[n]; math.Abs(w.Score-h.Score) > 1e-5 || math.Abs(want[i].Score-h.Score) > 1e-5 {
				rt.Fatalf("hit %d has %v %+v, want %v %+v, and %v is there", i, h.Score, h.Signals, w.Score, w.Signals,
					want[i].Score)
			}
		}
	})
}

// A search gives the same bytes with and without rows that it may not see, and with and without
// rows that have gone.
func TestHiddenRowsChangeNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		rows, q := drawRows(rt), drawQuery(rt)
		var seen []Row
		var gone [][16]byte
		dropped := rapid.SampledFrom([]string{"none", "s", "t"}).Draw(rt, "gone")
		for _, r := range rows {
			switch {
			case r.Session == dropped:
				gone = append(gone, r.ID)
			case q.Sees(r.Class):
				seen = append(seen, r)
			}
		}
		with := build(t, rows, 1)
		got := Search([]*View{NewView(with[0].Segment, gone...)}, q).Hits
		want := Search(build(t, seen, 1), q).Hits
		if !slices.Equal(got, want) {
			rt.Fatalf("got %+v\nwant %+v", got, want)
		}
	})
}

// Pruning changes nothing: the same rows without it give the same hits.
func TestPruningChangesNothing(t *testing.T) {
	t.Parallel()
	for _, session := range []int{0, 7} {
		v := large(12_000, session)
		pruned := 0
		for i, q := range questions(60) {
			q.OwnWords = i%3 == 0
			if i%5 == 0 {
				q.Periods = []Period{{19_676, 19_677, 1}}
			}
			s := newSearch([]*View{v}, q)
			s.weigh()
			if s.accumulate(&s.parts[0]); s.parts[0].pruned {
				pruned++
			}
			s.release()
			got := Search([]*View{v}, q).Hits
			want := searchAll(v, q)
			if !slices.Equal(got, want) {
				t.Fatalf("question %d with sessions of %d: got %+v\nwant %+v", i, session, got, want)
			}
		}
		if pruned == 0 {
			t.Errorf("nothing was pruned with sessions of %d", session)
		}
	}
}

// searchAll is Search without pruning.
func searchAll(v *View, q *Query) []Hit {
	s := newSearch([]*View{v}, q)
	defer s.release()
	s.weigh()
	p := &s.parts[0]
	s.clear(p)
	for _, t := range s.order {
		s.add(p, t)
	}
	top := best{limit: q.Limit + contenders}
	s.collect(p, &top)
	return s.finish(top.list)
}
