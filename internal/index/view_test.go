package index

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestPeopleAreKnownWhereTheyAreSeen(t *testing.T) {
	t.Parallel()
	v := build(t, []Row{{ID: [16]byte{0}, Class: "a", Actor: "Ann"}, {ID: [16]byte{1}, Class: "b", Actor: "Bob"},
		{ID: [16]byte{2}, Class: "b", Actor: "Dan", Until: time.Unix(10, 0)},
		{ID: [16]byte{3}, Class: "b", Actor: "Eve", From: time.Unix(100, 0)},
		{ID: [16]byte{4}, Class: "b", Actor: "Eve", From: time.Unix(200, 0)}}, 1)[0]
	for _, views := range [][]*View{{NewView(v.Segment, [16]byte{0})}, {v.Without([16]byte{0})}} {
		for _, tt := range []struct {
			class Class
			name  string
			now   int64
			want  bool
		}{{"b", "bob", 50, true}, {"a", "bob", 50, false}, {"a", "ann", 50, false}, {"b", "", 50, false},
			{"b", "carl", 50, false}, {"b", "dan", 9, true}, {"b", "dan", 10, false}, {"b", "eve", 50, false},
			{"b", "eve", 100, true}, {"b", "eve", 300, true}} {
			got := Knows(views, func(c Class) bool { return c == tt.class }, time.Unix(tt.now, 0), tt.name)
			if got != tt.want {
				t.Errorf("%q in %q at %d: got %v", tt.name, tt.class, tt.now, got)
			}
		}
	}
}

// A view that loses rows one after the other is the view without all of them.
func TestWithout(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		rows := drawRows(rt)
		whole := build(t, rows, 1)[0]
		v, gone, left := whole, [][16]byte{}, [][16]byte{}
		for _, r := range rows {
			if rapid.Bool().Draw(rt, "goes") {
				gone = append(gone, r.ID)
				v = v.Without(r.ID, [16]byte{255, 255, 255}, r.ID)
			} else {
				left = append(left, r.ID)
			}
		}
		want := NewView(whole.Segment, gone...)
		if !reflect.DeepEqual(v, want) {
			rt.Fatalf("got %+v\nwant %+v", v, want)
		}
		if !reflect.DeepEqual(whole, NewView(whole.Segment)) {
			rt.Fatal("the whole view changed")
		}
		var got [][16]byte
		v.Each(func(id [16]byte) bool {
			got = append(got, id)
			return true
		})
		if !slices.Equal(got, left) || v.Live() != len(left) { // ids are drawn in ascending order
			rt.Fatalf("got %v of %d rows, want %v", got, v.Live(), left)
		}
		for _, r := range rows {
			if v.Has(r.ID) == slices.Contains(gone, r.ID) {
				rt.Fatalf("has %v: %v", r.ID, v.Has(r.ID))
			}
		}
	})
}

// Rows that a reader does not see do not change the way in which a search finds those that it sees.
func TestHiddenRowsChangeNoPath(t *testing.T) {
	t.Parallel()
	var rows []Row
	add := func(class Class, session, text string) {
		r := Row{Class: class, Session: session, Fields: []Field{{Text: text}}}
		binary.BigEndian.PutUint64(r.ID[:], uint64(len(rows)))
		rows = append(rows, r)
	}
	for i := range 6000 {
		rare := ""
		if i%3 == 0 {
			rare = "rare"
		}
		add("mine", "", fmt.Sprint("common ", rare, i%5))
	}
	seen := rows
	for i := range 30_000 {
		add("theirs", fmt.Sprint(i/2), "other")
	}
	type path struct {
		alone, pruned bool
		picked        int
	}
	paths := make([]path, 2)
	for i, list := range [][]Row{seen, rows} {
		s := newSearch(build(t, list, 1), &Query{Terms: []Term{{Form: "common"}, {Form: "rare"}}, Limit: 5,
			Sees: func(c Class) bool { return c == "mine" }, Now: time.Unix(1, 0), Weights: testWeights})
		s.weigh()
		p := &s.parts[0]
		s.accumulate(p)
		paths[i] = path{s.alone, p.pruned, len(p.picked)}
	}
	if paths[0] != paths[1] {
		t.Errorf("got %+v, want %+v", paths[1], paths[0])
	}
}
