// Package storetest is the suite for every vectors.Store. It also has a Store in memory, which shows that the suite
// requires nothing that only files have.
package storetest

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/vectors"
)

// Run runs the suite. open returns what opens a new, empty Store, each time as another process does.
func Run(t *testing.T, open func(t *testing.T) func() vectors.Store) {
	for _, c := range []struct {
		name string
		run  func(*suite)
	}{{"Sets", sets}, {"OneAdvances", oneAdvances}, {"Changes", changes}, {"Later", later}, {"JobsAreTakenOnce", jobs},
		{"Results", results}, {"RowsInOrder", rows}, {"Removal", removal}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &suite{T: t, open: open(t)}
			s.first, s.second = s.process(), s.process()
			c.run(s)
		})
	}
}

const org = loci.OrgID("acme")

var (
	model = vectors.Model{Name: "test", Dims: 2}
	start = time.Unix(1000, 0)
)

type suite struct {
	*testing.T
	open          func() vectors.Store
	first, second vectors.Store
}

func (s *suite) process() vectors.Store {
	st := s.open()
	s.Cleanup(func() { s.must(st.Close()) })
	return st
}

func (s *suite) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// in makes the set, and calls fn with it as both processes have it.
func (s *suite) in(fn func(a, b vectors.Set)) {
	s.Helper()
	s.must(s.first.Create(s.Context(), org, model))
	s.must(s.first.Use(s.Context(), org, model.Key(), func(a vectors.Set) error {
		return s.second.Use(s.Context(), org, model.Key(), func(b vectors.Set) error {
			fn(a, b)
			return nil
		})
	}))
}

func (s *suite) progress(set vectors.Set) vectors.Progress {
	s.Helper()
	p, err := set.Progress(s.Context())
	s.must(err)
	return p
}

// change advances a set by changes alone.
func (s *suite) change(set vectors.Set, list ...vectors.Change) {
	s.Helper()
	p := s.progress(set)
	if ok, err := set.Advance(s.Context(), p, p, list); err != nil || !ok {
		s.Fatalf("advance: %v, %v", ok, err)
	}
}

func (s *suite) take(set vectors.Set, most int, now time.Time) []vectors.Job {
	s.Helper()
	list, err := set.Take(s.Context(), most, now, now.Add(time.Minute))
	s.must(err)
	return list
}

// put gives memories a vector.
func (s *suite) put(set vectors.Set, hash string, ids ...loci.MemoryID) {
	s.Helper()
	for i, id := range ids {
		s.change(set, vectors.Change{ID: id})
		for _, j := range s.take(set, 1, start) {
			s.must(set.Finish(s.Context(), []vectors.Result{{Job: j, Hash: []byte(hash), Vector: []float32{1, float32(i)}}}))
		}
	}
}

func (s *suite) since(set vectors.Set, seq int64) (list []vectors.Row) {
	s.Helper()
	s.must(set.Since(s.Context(), seq, func(r vectors.Row) error {
		r.Hash = slices.Clone(r.Hash)
		list = append(list, r)
		return nil
	}))
	return list
}

// has checks which memories have a vector and which wait, in this order.
func (s *suite) has(set vectors.Set, vectored, waiting []loci.MemoryID) {
	s.Helper()
	var have, wait []loci.MemoryID
	for _, r := range s.since(set, 0) {
		if r.Hash != nil {
			have = append(have, r.ID)
		}
	}
	s.must(set.Queue(s.Context(), func(j vectors.Job) error { wait = append(wait, j.ID); return nil }))
	if !slices.Equal(have, vectored) || !slices.Equal(wait, waiting) {
		s.Errorf("%v have a vector and %v wait, want %v and %v", have, wait, vectored, waiting)
	}
	n, err := set.Count(s.Context())
	all := slices.Clone(have)
	for _, id := range wait {
		if !slices.Contains(have, id) {
			all = append(all, id)
		}
	}
	if n.Done != len(have) || n.Waiting != len(wait) || n.All != len(all) || err != nil {
		s.Errorf("counted %+v (%v), want %d, %d and %d", n, err, len(have), len(wait), len(all))
	}
}

func ids(n int) (list []loci.MemoryID) {
	for range n {
		list = append(list, loci.NewMemoryID())
	}
	return list
}

// later has changes that come after those that follow them.
func later(s *suite) {
	s.in(func(a, b vectors.Set) {
		list := ids(4)
		s.change(a, vectors.Change{ID: list[2], Later: true}, vectors.Change{ID: list[3], Later: true})
		s.change(b, vectors.Change{ID: list[0]}, vectors.Change{ID: list[1]})
		s.has(a, nil, list)
		if jobs := s.take(b, 2, start); len(jobs) != 2 || jobs[0].ID != list[0] || jobs[1].ID != list[1] {
			s.Errorf("took %+v, want the first two of %v", jobs, list)
		}
	})
}

func sets(s *suite) {
	none := func() {
		s.Helper()
		list, err := s.second.Sets(s.Context(), org)
		if err != nil || len(list) != 0 {
			s.Errorf("there are %v, %v", list, err)
		}
		err = s.second.Use(s.Context(), org, model.Key(), func(vectors.Set) error { return nil })
		if !errors.Is(err, fs.ErrNotExist) {
			s.Errorf("used: %v", err)
		}
	}
	none()
	other := vectors.Model{Name: "test", Dims: 3}
	s.must(s.first.Create(s.Context(), "others", model))
	none()
	s.must(s.first.Create(s.Context(), org, other))
	s.must(s.first.Create(s.Context(), org, model))
	s.in(func(a, b vectors.Set) {
		if p := s.progress(b); p.Model != model || p != s.progress(a) || p.Begun || p.Complete {
			s.Errorf("a new set is at %+v", p)
		}
		s.put(a, "x", ids(1)...)
		s.must(s.second.Create(s.Context(), org, model)) // it is there
		if n, err := b.Count(s.Context()); n.Done != 1 || err != nil {
			s.Errorf("it has %+v, %v", n, err)
		}
		if problems, err := b.Check(s.Context()); len(problems) != 0 || err != nil {
			s.Errorf("check: %q, %v", problems, err)
		}
	})
	if list, err := s.second.Sets(s.Context(), org); err != nil || len(list) != 2 ||
		!slices.Contains(list, model.Key()) || !slices.Contains(list, other.Key()) {
		s.Errorf("there are %v, %v", list, err)
	}
	s.first.Rest(org)
	s.must(s.second.Heal(s.Context(), org, model.Key())) // nothing is damaged
	s.in(func(a, _ vectors.Set) {
		if n, err := a.Count(s.Context()); n.Done != 1 || err != nil {
			s.Errorf("afterwards it has %+v, %v", n, err)
		}
	})
	s.must(s.first.Drop(s.Context(), org))
	none()
	if list, err := s.second.Sets(s.Context(), "others"); err != nil || len(list) != 1 {
		s.Errorf("another org has %v, %v", list, err)
	}
}

func oneAdvances(s *suite) {
	list := ids(2)
	s.in(func(a, b vectors.Set) {
		from := s.progress(a)
		next := from
		next.Begun, next.Walking, next.Position, next.Rest, next.Complete, next.Used = true, true, "7", 9, true, 11
		for i, want := range []bool{true, false} {
			ok, err := []vectors.Set{a, b}[i].Advance(s.Context(), from, next, []vectors.Change{{ID: list[i]}})
			if err != nil || ok != want {
				s.Errorf("advance %d: %v, %v", i, ok, err)
			}
		}
		if got := s.progress(b); got != next {
			s.Errorf("it is at %+v, want %+v", got, next)
		}
		s.has(b, nil, list[:1])
	})
}

func changes(s *suite) {
	list := ids(6)
	same, other, again, gone, waits, fresh := list[0], list[1], list[2], list[3], list[4], list[5]
	s.in(func(a, b vectors.Set) {
		s.put(a, "old", same, other, again, gone)
		s.change(b, vectors.Change{ID: waits, Hash: []byte("new")})
		s.change(b, vectors.Change{ID: same, Hash: []byte("old")}, vectors.Change{ID: other, Hash: []byte("new")},
			vectors.Change{ID: again}, vectors.Change{ID: gone, Gone: true}, vectors.Change{ID: waits, Gone: true},
			vectors.Change{ID: fresh, Hash: []byte("new")})
		s.has(a, []loci.MemoryID{same, again}, []loci.MemoryID{other, again, fresh})
	})
}

func jobs(s *suite) {
	list := ids(3)
	s.in(func(a, b vectors.Set) {
		s.change(a, vectors.Change{ID: list[0]}, vectors.Change{ID: list[1]}, vectors.Change{ID: list[2]})
		first, second := s.take(a, 2, start), s.take(b, 2, start.Add(time.Microsecond))
		if len(first) != 2 || first[0].ID != list[0] || first[1].ID != list[1] || len(second) != 1 ||
			second[0].ID != list[2] || second[0].Tries != 1 {
			s.Fatalf("took %+v and %+v", first, second)
		}
		if none := s.take(b, 2, start.Add(time.Minute-time.Microsecond)); len(none) != 0 {
			s.Errorf("took %+v again", none)
		}
		late := start.Add(time.Minute)
		if again := s.take(b, 1, late); len(again) != 1 || again[0].Tries != 2 || again[0].ID != list[0] ||
			!again[0].Due.Equal(late.Add(time.Minute)) {
			s.Errorf("after a minute it took %+v", again)
		}
		s.must(a.Finish(s.Context(), []vectors.Result{{Job: first[0], Hash: []byte("x"), Vector: []float32{1, 0}}}))
		s.has(a, nil, []loci.MemoryID{list[1], list[2], list[0]}) // it came too late
	})
}

func results(s *suite) {
	list := ids(5)
	made, none, gone, back, changed := list[0], list[1], list[2], list[3], list[4]
	s.in(func(a, b vectors.Set) {
		s.put(a, "old", none, gone, back)
		for _, id := range list {
			s.change(a, vectors.Change{ID: id})
		}
		taken := s.take(a, 5, start)
		s.change(b, vectors.Change{ID: changed, Hash: []byte("newer")})
		s.must(a.Finish(s.Context(), []vectors.Result{
			{Job: taken[0], Hash: []byte("new"), Vector: []float32{1, 0.5}}, {Job: taken[1]}, {Job: taken[2], Gone: true},
			{Job: taken[3], Back: &vectors.Job{Due: start.Add(time.Hour), Tries: 7}},
			{Job: taken[4], Hash: []byte("new"), Vector: []float32{1, 0}}}))
		s.has(b, []loci.MemoryID{none, back, made}, []loci.MemoryID{changed, back})
		for _, r := range s.since(b, 0) {
			if r.ID == made && !slices.Equal(r.Packed.Values, []int8{127, 64}) || r.ID == gone && len(r.Packed.Values) > 0 {
				s.Errorf("the vectors have %+v", r)
			}
		}
		if j := s.take(b, 5, start.Add(time.Hour)); len(j) != 2 || j[1].ID != back || j[1].Tries != 8 {
			s.Errorf("an hour later it took %+v", j)
		}
	})
}

func rows(s *suite) {
	list := ids(3)
	s.in(func(a, b vectors.Set) {
		s.put(a, "x", list...)
		all := s.since(b, 0)
		if len(all) != 3 || all[0].Seq >= all[1].Seq || all[1].Seq >= all[2].Seq || all[1].ID != list[1] ||
			string(all[1].Hash) != "x" || len(all[1].Packed.Values) != 2 || all[1].Packed.Values[1] != 127 {
			s.Fatalf("there are %+v", all)
		}
		last := all[2].Seq
		for range 2 {
			if more := s.since(b, last); len(more) != 0 {
				s.Errorf("nothing has changed but %+v", more)
			}
		}
		s.change(a, vectors.Change{ID: list[0], Gone: true})
		s.put(a, "y", list[1])
		if more := s.since(b, last); len(more) != 2 || more[0].ID != list[0] || more[0].Hash != nil ||
			more[1].ID != list[1] || string(more[1].Hash) != "y" {
			s.Errorf("afterwards there are %+v", more)
		}
	})
}

func removal(s *suite) {
	var before vectors.Progress
	s.in(func(a, b vectors.Set) {
		s.put(a, "x", ids(2)...)
		before = s.progress(b)
		s.since(b, 0)
	})
	s.must(s.first.Remove(s.Context(), org, model.Key()))
	s.must(s.first.Remove(s.Context(), org, model.Key())) // it is gone
	s.in(func(_, b vectors.Set) {
		if p := s.progress(b); p.Identity == before.Identity || p.Model != model {
			s.Errorf("the new set is at %+v, the one before was at %+v", p, before)
		}
		s.has(b, nil, nil)
		if ok, err := b.Advance(s.Context(), before, before, nil); ok || err != nil {
			s.Errorf("advanced from a set that was removed: %v, %v", ok, err)
		}
	})
}
