package index

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci/test/random"
)

// TestMain lets forms with few postings be read as late as those with many.
func TestMain(m *testing.M) {
	random.FewerUnderRace()
	if flag.Lookup("test.bench").Value.String() == "" {
		unreadFrom, probed = 3, 1
	}
	os.Exit(m.Run())
}

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

// split returns the words of a text.
func split(text string) (list []string) {
	for _, w := range strings.Fields(text) {
		if w != "?" {
			list = append(list, w)
		}
	}
	return list
}

// matches reports whether a word matches a term.
func matches(t Term, word string) bool {
	return t.Part && strings.Contains(word, t.Form) || t.Prefix && strings.HasPrefix(word, t.Form) || word == t.Form
}

// begins reports whether words begin with a phrase.
func begins(phrase []Term, words []string) bool {
	for i, t := range phrase {
		if i >= len(words) || !matches(t, words[i]) {
			return false
		}
	}
	return len(phrase) > 0
}

// count returns how often a row has a term, how long the row is, and which other forms stand in for
// the term.
func count(r *Row, t Term) (frequency, length float64, forms []string) {
	for _, f := range r.Fields {
		weight := max(f.Weight, 1)
		list := split(f.Text)
		length += weight * float64(len(list))
		for i, w := range list {
			switch {
			case begins(t.Phrase, list[i:]):
				frequency++
				forms = append(forms, list[i:i+len(t.Phrase)]...)
			case len(t.Phrase) == 0 && matches(t, w):
				frequency += weight
				forms = append(forms, w)
			}
		}
	}
	forms = slices.DeleteFunc(forms, t.names)
	return frequency, math.Floor(length + .5), forms
}

// statistics are what a model counts before it ranks.
type statistics struct {
	sessions              [][]Row
	rows, words, contexts float64
	shares                []float64 // of each term
}

// context returns how often a row and its neighbours have a term, and how long they are.
func context(s []Row, i int, t Term) (f, length float64) {
	for j := max(i-1, 0); j <= min(i+1, len(s)-1); j++ {
		x, y, _ := count(&s[j], t)
		f, length = f+x, length+y
	}
	return f, length
}

func (m *model) statistics() statistics {
	st := statistics{sessions: m.visible(), shares: make([]float64, len(m.q.Terms))}
	n := make([]float64, len(m.q.Terms))
	for _, s := range st.sessions {
		for i := range s {
			_, length, _ := count(&s[i], Term{})
			_, near := context(s, i, Term{})
			st.rows, st.words, st.contexts = st.rows+1, st.words+length, st.contexts+near
			for t := range n {
				n[t] += rowsOfTerm(&s[i], m.q.Terms[t])
			}
		}
	}
	sum := 0.0
	for t := range n {
		n[t] = min(n[t], st.rows)
		st.shares[t] = math.Log(1 + (st.rows-n[t]+.5)/(n[t]+.5))
		sum += st.shares[t]
	}
	for t := range n {
		st.shares[t] /= sum
	}
	return st
}

// rowsOfTerm returns how often a row counts as one that has a term: of a prefix or a part, once for each form.
func rowsOfTerm(r *Row, t Term) (n float64) {
	f, _, forms := count(r, t)
	if !t.expands() {
		return min(f, 1)
	}
	for _, field := range r.Fields {
		if slices.Contains(split(field.Text), t.Form) {
			n = 1
		}
	}
	slices.Sort(forms)
	return n + float64(len(slices.Compact(forms)))
}

func bm25(f, length, mean float64) float64 { return f / (f + k1*(1-b+b*length/max(mean, 1))) }

func (m *model) search() Result {
	st := m.statistics()
	r := Result{Exact: true, Weights: st.shares, Forms: make([][]string, len(m.q.Terms))}
	for _, s := range st.sessions {
		for i := range s {
			if m.q.Only != nil && !slices.Contains(m.q.Only, s[i].ID) {
				continue
			}
			h := m.hit(&st, s, i)
			if h.Terms != 0 {
				r.Total++
			}
			for t, term := range m.q.Terms {
				_, _, forms := count(&s[i], term)
				r.Forms[t] = append(r.Forms[t], forms...)
			}
			if h.Signals.Session+h.Signals.Name+h.Signals.Graph > 0 && (!m.q.OwnWords || h.Terms != 0) {
				r.Hits = append(r.Hits, h)
			}
		}
	}
	for t := range r.Forms {
		slices.Sort(r.Forms[t])
		r.Forms[t] = slices.Compact(r.Forms[t])
	}
	return r
}

// hit works out the signals of a row.
func (m *model) hit(st *statistics, s []Row, i int) Hit {
	h := Hit{ID: s[i].ID, Priority: s[i].Priority, Updated: micros(s[i].Updated)}
	g := &h.Signals
	for t, term := range m.q.Terms {
		share := st.shares[t]
		f, length, _ := count(&s[i], term)
		if f > 0 {
			h.Terms |= 1 << t
		}
		g.Row += share * bm25(f, length, st.words/st.rows)
		g.Passage += share * bm25(f, length, passageMean)
		near, nearLength := context(s, i, term)
		g.Context += share * bm25(near, nearLength, st.contexts/st.rows)
		all, allLength := 0.0, 0.0
		for j := range s {
			x, y, _ := count(&s[j], term)
			all, allLength = all+x, allLength+y
		}
		g.Session += share * bm25(all, allLength, st.words/float64(len(st.sessions)))
		if i > 0 && strings.Contains(s[i-1].Fields[0].Text, "?") {
			f, length, _ := count(&s[i-1], term)
			g.Question += share * bm25(f, length, st.words/st.rows)
		}
	}
	if slices.Contains(m.q.Actors, s[i].Actor) {
		g.Actor = 1 / float64(len(m.q.Actors))
	}
	g.Name = m.name(st, &s[i])
	for _, l := range m.q.Leads {
		if l.ID == s[i].ID {
			g.Graph = max(g.Graph, l.Value)
		}
	}
	for _, p := range m.q.Periods {
		if d := micros(s[i].Time); p.First <= d && d <= p.Last {
			g.Date = max(g.Date, p.Value)
		}
	}
	h.Score = m.q.Weights.score(g)
	return h
}

// name returns the share of the terms that are in names of a row.
func (m *model) name(st *statistics, r *Row) (sum float64) {
	terms := uint32(0)
	for _, name := range m.q.Names {
		rows := 0
		for _, s := range st.sessions {
			for i := range s {
				if isNamed(&s[i], name) {
					rows++
				}
			}
		}
		if isNamed(r, name) && rows <= maxNamed {
			if terms |= name.Terms; name.Sure {
				return 1
			}
		}
	}
	for t, share := range st.shares {
		if terms&(1<<t) != 0 {
			sum += share
		}
	}
	return sum
}

func isNamed(r *Row, n Name) bool {
	return slices.ContainsFunc(r.Fields, func(f Field) bool {
		return f.Name && strings.Join(split(f.Text), " ") == n.Words
	})
}

func drawRows(t *rapid.T) []Row {
	rows := make([]Row, rapid.IntRange(0, 40).Draw(t, "rows"))
	word := rapid.SampledFrom([]string{"alpha", "beta", "gamma", "delta", "eps", "zeta", "alphabet", "betamax", "?"})
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
			r.Fields = append(r.Fields, Field{strings.Join(rapid.SliceOfN(word, 0, 3).Draw(t, "title"), " "), 3,
				rapid.Bool().Draw(t, "name")})
		}
		if rapid.Bool().Draw(t, "has a key") {
			r.Keys = []string{Key("class", string(r.Class))}
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
	q.Terms = rapid.SliceOfN(rapid.Custom(drawTerm), 1, 4).Draw(t, "terms")
	if rapid.Bool().Draw(t, "named") {
		q.Actors = []string{"ann"}
	}
	if rapid.Bool().Draw(t, "dated") {
		q.Periods = []Period{days(0, 3, 1), days(0, 6, .5)}
	}
	word := rapid.SampledFrom([]string{"alpha", "beta", "gamma"})
	for range rapid.IntRange(0, 4).Draw(t, "names") {
		words := strings.Join(rapid.SliceOfN(word, 1, 2).Draw(t, "name"), " ")
		q.Names = append(q.Names, Name{words, uint32(rapid.IntRange(1, 1<<len(q.Terms)-1).Draw(t, "of")),
			rapid.Bool().Draw(t, "sure")})
	}
	return q
}

func drawTerm(t *rapid.T) Term {
	word := rapid.SampledFrom([]string{"alpha", "beta", "gamma", "eps", "none"})
	part := rapid.SampledFrom([]string{"al", "bet", "e", "ta", "alpha", "none"})
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return Term{Form: part.Draw(t, "prefix"), Prefix: true}
	case 1:
		return Term{Form: part.Draw(t, "part"), Part: true}
	case 2:
		phrase := []Term{{Form: word.Draw(t, "first")}}
		if rapid.Bool().Draw(t, "three") {
			phrase = append(phrase, Term{Form: word.Draw(t, "second")})
		}
		if rapid.Bool().Draw(t, "unfinished") {
			return Term{Phrase: append(phrase, Term{Form: part.Draw(t, "last"), Prefix: true})}
		}
		return Term{Phrase: append(phrase, Term{Form: word.Draw(t, "last")})}
	}
	return Term{Form: word.Draw(t, "word")}
}

// drawOnly draws ids to which hits are limited, or nil.
func drawOnly(t *rapid.T, rows []Row) [][16]byte {
	if rapid.Bool().Draw(t, "all") {
		return nil
	}
	ids := [][16]byte{{255, 255, 255}}
	for _, r := range rows {
		if rapid.Bool().Draw(t, "only") {
			ids = append(ids, r.ID)
		}
	}
	return ids[rapid.IntRange(0, 1).Draw(t, "known"):]
}

// drawLeads draws leads to rows, also to hidden ones and to one that does not exist.
func drawLeads(t *rapid.T, rows []Row) (leads []Lead) {
	for i := range rapid.IntRange(0, 4).Draw(t, "leads") {
		id := [16]byte{255, byte(i)}
		if len(rows) > 0 && i > 0 {
			id = rows[rapid.IntRange(0, len(rows)-1).Draw(t, "to")].ID
		}
		leads = append(leads, Lead{id, rapid.SampledFrom([]float64{.5, 1}).Draw(t, "value")})
	}
	return leads
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
		q.Only, q.Leads = drawOnly(rt, rows), drawLeads(rt, rows)
		want := (&model{rows, q}).search()
		r := Search(build(t, rows, rapid.IntRange(1, 3).Draw(rt, "views")), q)
		compareHits(rt, q, r.Hits, want.Hits)
		if n := len(r.Hits); want.Total < n {
			want.Total, want.Exact = n, false
		}
		if r.Total != want.Total || r.Exact != want.Exact {
			rt.Errorf("got a total of %d, exact: %v, want %d, %v", r.Total, r.Exact, want.Total, want.Exact)
		}
		for i, w := range want.Weights {
			if math.Abs(w-r.Weights[i]) > 1e-9 {
				rt.Errorf("term %d has a weight of %v, want %v", i, r.Weights[i], w)
			}
			if !slices.Equal(r.Forms[i], want.Forms[i]) {
				rt.Errorf("term %d has the forms %q, want %q", i, r.Forms[i], want.Forms[i])
			}
		}
	})
}

// compareHits checks hits against all that should be found.
func compareHits(rt *rapid.T, q *Query, got, want []Hit) {
	if len(got) != min(len(want), q.Limit) {
		rt.Fatalf("got %d hits, want %d of %d", len(got), q.Limit, len(want))
	}
	slices.SortFunc(want, func(x, y Hit) int { return cmp.Compare(y.Score, x.Score) })
	for i, h := range got {
		n := slices.IndexFunc(want, func(w Hit) bool { return w.ID == h.ID })
		if n < 0 {
			rt.Fatalf("hit %d should not be found", i)
		}
		w := want[n]
		if math.Abs(w.Score-h.Score) > 1e-5 || math.Abs(want[i].Score-h.Score) > 1e-5 {
			rt.Fatalf("hit %d has %v %+v, want %v %+v, and %v is there", i, h.Score, h.Signals, w.Score, w.Signals,
				want[i].Score)
		}
		if h.Terms != w.Terms {
			rt.Fatalf("hit %d has the terms %b, want %b", i, h.Terms, w.Terms)
		}
	}
}

// A search gives the same bytes with and without rows that it may not see, and with and without
// rows that have gone.
func TestHiddenRowsChangeNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		rows, q := drawRows(rt), drawQuery(rt)
		q.Only, q.Leads = drawOnly(rt, rows), drawLeads(rt, rows)
		var seen []Row
		gone := make([][][16]byte, 2) // in two steps
		dropped := rapid.SampledFrom([]string{"none", "s", "t"}).Draw(rt, "gone")
		for i, r := range rows {
			switch {
			case r.Session == dropped:
				gone[i%2] = append(gone[i%2], r.ID)
			case q.Sees(r.Class):
				seen = append(seen, r)
			}
		}
		with := NewView(build(t, rows, 1)[0].Segment, gone[0]...).Without(gone[1]...)
		got := Search([]*View{with}, q)
		want := Search(build(t, seen, 1), q)
		if !reflect.DeepEqual(got, want) {
			rt.Fatalf("got %+v\nwant %+v", got, want)
		}
	})
}

// days is a period of whole days since 1970.
func days(first, last int64, value float64) Period {
	const long = 24 * 60 * 60 * 1e6
	return Period{first * long, (last+1)*long - 1, value}
}
