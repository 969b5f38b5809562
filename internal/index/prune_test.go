package index

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/loci-memory/loci/test/random"
)

// mixed builds a segment of the rows that zipfRows yields, every third of which is longer than a passage.
func mixed(rows, perSession int) *View {
	b, before := NewBuilder(), ""
	for row := range zipfRows(rows, perSession) {
		text := &row.Fields[0].Text
		if b.Len()%3 == 0 {
			*text += " " + before
		}
		before = *text
		b.Add(row)
	}
	s, err := Open(b.Build())
	if err != nil {
		panic(err)
	}
	return NewView(s)
}

// Pruning changes nothing: the hits are those of a walk through all rows.
func TestPruningChangesNothing(t *testing.T) {
	t.Parallel()
	for _, session := range []int{0, 7} {
		v := mixed(12_000, session)
		ids := slices.Collect(v.Each)
		pruned := 0
		n := random.Rounds(60, 21)
		for i, q := range questions(n) {
			q.OwnWords = i%3 == 0
			if i%7 == 0 {
				q.Weights.Session = 5
			}
			if i%3 == 1 {
				q.Names = []Name{{title(100 * i), 1 << (i % 5), false}, {title(100*i + 100), 3, true}}
			}
			if i%5 == 0 {
				q.Periods = []Period{days(19_676, 19_677, 1)}
			}
			if i%2 == 1 {
				q.Leads = []Lead{{ids[i], 1}, {ids[7*i], .5}}
			}
			switch i % 4 {
			case 0:
				q.Only = worst(v, q, len(ids)/15)
			case 1:
				q.Only = ids[:len(ids)/30]
			}
			if i%6 == 3 {
				q.Limit = 2 * mostSampled
			}
			got, some := hitsOf(v, q, (*search).accumulate)
			if some {
				pruned++
			}
			if want := searchAll(q, v); !slices.Equal(got, want) {
				t.Fatalf("question %d with sessions of %d: got %+v\nwant %+v", i, session, got, want)
			}
		}
		if pruned < n/3 {
			t.Errorf("with sessions of %d, only %d searches were pruned", session, pruned)
		}
	}
}

// The memory that searches share is as if no search had used it.
func TestSearchesLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	for _, session := range []int{0, 7} {
		v := mixed(12_000, session)
		ids := slices.Collect(v.Each)
		for i, q := range questions(random.Rounds(40, 14)) {
			q.Periods = []Period{days(19_676, 19_677, 1)}
			if i%4 == 1 {
				q.Names, q.Leads = []Name{{title(100 * i), 1, true}}, []Lead{{ids[i], 1}}
			}
			if i%4 == 2 {
				q.Only = ids[:len(ids)/30]
			}
			s := newSearch([]*View{v}, q)
			s.weigh()
			s.readNames()
			s.readLeads()
			p, top := &s.parts[0], best[contender]{limit: q.Limit + contenders}
			s.accumulate(p)
			s.collect(p, &top)
			s.result(s.finish(top.list))
			s.clear(p)
			isSet := func(n float32) bool { return n != 0 }
			if slices.ContainsFunc(p.scores, isSet) || slices.ContainsFunc(p.sessions, isSet) || p.touched.hasAny(0, v.rows) ||
				p.marks.hasAny(0, v.rows) {
				t.Fatalf("question %d with sessions of %d leaves something behind", i, session)
			}
		}
	}
}

// worst returns the ids of the worst n hits.
func worst(v *View, q *Query, n int) (ids [][16]byte) {
	all := *q
	all.Limit = v.Live()
	hits := searchAll(&all, v)
	for _, h := range hits[max(len(hits)-n, 0):] {
		ids = append(ids, h.ID)
	}
	return ids
}

// A search of several views leaves out rows that are worse than the best of the views before.
func TestPruningOfSeveralViews(t *testing.T) {
	t.Parallel()
	v := mixed(12_000, 0)
	ids := slices.Collect(v.Each)
	views := []*View{v.Without(ids[:9000]...), v.Without(ids[9000:]...)}
	for i, q := range questions(random.Rounds(40, 14)) {
		if i%5 == 0 {
			q.Periods = []Period{days(19_676, 19_677, 1)}
		}
		if i%3 == 0 {
			q.Names = []Name{{title(100 * i), 1, true}, {title(11_900 - 100*i), 2, false}}
		}
		if got, want := Search(views, q).Hits, searchAll(q, views...); !slices.Equal(got, want) {
			t.Fatalf("question %d: got %+v\nwant %+v", i, got, want)
		}
	}
}

// addAll is accumulate without pruning.
func addAll(s *search, p *part) {
	s.addNames(p)
	s.addLeads(p)
	for _, t := range s.order {
		p.load(t)
		s.add(p, t)
	}
}

// hitsOf is Search with another way to accumulate. It also reports whether rows were left out.
func hitsOf(v *View, q *Query, accumulate func(*search, *part)) (hits []Hit, pruned bool) {
	s := newSearch([]*View{v}, q)
	defer s.release()
	s.weigh()
	s.readNames()
	s.readLeads()
	p, top := &s.parts[0], best[contender]{limit: q.Limit + contenders}
	accumulate(s, p)
	s.collect(p, &top)
	return s.finish(top.list), p.pruned
}

// searchAll is Search by all signals of all rows.
func searchAll(q *Query, views ...*View) (hits []Hit) {
	s := newSearch(views, q)
	defer s.release()
	s.weigh()
	s.readNames()
	s.readLeads()
	for i := range s.parts {
		p := &s.parts[i]
		addAll(s, p)
		for doc := range p.Segment.rows {
			if s.scoreOf(p, doc) == 0 || !p.inSpans(doc) || !p.admits(doc) {
				continue
			}
			if h := s.hit(contender{rowIn: rowIn{p, doc}}); !q.OwnWords || h.Terms != 0 {
				hits = append(hits, h)
			}
		}
	}
	slices.SortFunc(hits, func(x, y Hit) int { return x.compare(&y) })
	return hits[:min(len(hits), q.Limit)]
}

// Of many rows with the same score, those come first that have priority or changed last.
func TestEqualRowsAreOrdered(t *testing.T) {
	t.Parallel()
	for _, session := range []string{"", "s"} {
		r, b := rand.New(rand.NewPCG(1, 2)), NewBuilder()
		for i := range 3000 {
			row := Row{Class: "c", Session: session, Time: time.Unix(int64(i), 0), Priority: uint8(r.IntN(3)),
				Updated: time.Unix(r.Int64N(50), 0), Fields: []Field{{Text: "same words"[:4+6*(i%2)]}}}
			binary.BigEndian.PutUint64(row.ID[:], r.Uint64())
			b.Add(row)
		}
		s, err := Open(b.Build())
		if err != nil {
			t.Fatal(err)
		}
		q := &Query{Terms: []Term{{Form: "same"}}, Sees: func(Class) bool { return true }, Now: time.Unix(9000, 0), Limit: 30,
			Weights: testWeights}
		if got, want := Search([]*View{NewView(s)}, q).Hits, searchAll(q, NewView(s)); !slices.Equal(got, want) {
			t.Errorf("session %q: got %+v\nwant %+v", session, got, want)
		}
	}
}
