package index

import (
	"math"
	"slices"
	"testing"
)

// Pruning changes nothing: the same rows without it give the same hits.
func TestPruningChangesNothing(t *testing.T) {
	t.Parallel()
	for _, session := range []int{0, 7} {
		v := large(12_000, session)
		var ids [][16]byte
		v.Each(func(id [16]byte) bool {
			ids = append(ids, id)
			return true
		})
		pruned := 0
		for i, q := range questions(60) {
			q.OwnWords = i%3 == 0
			if i%7 == 0 {
				q.Weights.Session = 5
			}
			if i%3 == 1 {
				q.Names = []Name{{title(100 * i), 1 << (i % 5), false}, {title(100*i + 100), 3, true}}
			}
			if i%5 == 0 {
				q.Periods = []Period{{19_676, 19_677, 1}}
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
			got, some := contendersOf(v, q, (*search).accumulate)
			want, _ := contendersOf(v, q, addAll)
			if some {
				pruned++
			}
			for _, c := range want {
				near := func(o contender) bool { return o.doc == c.doc && math.Abs(o.score-c.score) < 1e-4 }
				if c.score > want[len(want)-1].score+1e-4 && !slices.ContainsFunc(got, near) {
					t.Fatalf("question %d with sessions of %d: row %d with %v is not among the contenders", i, session,
						c.doc, c.score)
				}
			}
			if got, want := Search([]*View{v}, q).Hits, searchAll(q, v); !slices.Equal(got, want) {
				t.Fatalf("question %d with sessions of %d: got %+v\nwant %+v", i, session, got, want)
			}
		}
		if pruned == 0 {
			t.Errorf("nothing was pruned with sessions of %d", session)
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
	v := large(12_000, 0)
	var ids [][16]byte
	v.Each(func(id [16]byte) bool {
		ids = append(ids, id)
		return true
	})
	views := []*View{v.Without(ids[:9000]...), v.Without(ids[9000:]...)}
	for i, q := range questions(40) {
		if i%5 == 0 {
			q.Periods = []Period{{19_676, 19_677, 1}}
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

// contendersOf returns the contenders, the best first, and whether others were left out by pruning.
func contendersOf(v *View, q *Query, accumulate func(*search, *part)) (list []contender, pruned bool) {
	s := newSearch([]*View{v}, q)
	defer s.release()
	s.weigh()
	s.readNames()
	s.readLeads()
	p := &s.parts[0]
	accumulate(s, p)
	top := best{limit: q.Limit + contenders}
	s.collect(p, &top)
	slices.SortFunc(top.list, func(x, y contender) int { return x.compare(&y) })
	return top.list, p.pruned
}

// searchAll is Search without pruning, and with all signals of all contenders.
func searchAll(q *Query, views ...*View) []Hit {
	s := newSearch(views, q)
	defer s.release()
	s.weigh()
	s.readNames()
	s.readLeads()
	top := best{limit: q.Limit + contenders}
	for i := range s.parts {
		addAll(s, &s.parts[i])
		s.collect(&s.parts[i], &top)
	}
	var hits []Hit
	for _, c := range top.list {
		hits = append(hits, s.hit(c))
	}
	slices.SortFunc(hits, func(x, y Hit) int { return x.compare(&y) })
	return hits[:min(len(hits), q.Limit)]
}
