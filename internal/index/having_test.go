package index

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestHavingIsWhatThereIs compares Having with a walk through all rows, however they are spread over segments.
func TestHavingIsWhatThereIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 400).Draw(t, "rows")
		parts := rapid.IntRange(1, 4).Draw(t, "segments")
		word := rapid.SampledFrom([]string{"red", "apple", "apples", "pear", "plum", "the", "of"})
		rows := make([]Row, n)
		lists := make([][]Row, parts)
		for i := range rows {
			rows[i] = Row{ID: [16]byte{byte(i), byte(i >> 8)}, Class: "mine",
				Updated: time.Unix(rapid.Int64Range(0, 3).Draw(t, "at"), 0),
				Fields:  []Field{{Text: strings.Join(rapid.SliceOfN(word, 1, 5).Draw(t, "text"), " ")}},
				Mark:    Mark{39: byte(i % 5)}}
			if rapid.IntRange(0, 9).Draw(t, "theirs") == 0 {
				rows[i].Class = "theirs"
			}
			p := rapid.IntRange(0, parts-1).Draw(t, "segment")
			lists[p] = append(lists[p], rows[i])
		}
		gone := map[[16]byte]bool{}
		var views []*View
		for _, list := range lists {
			b := NewBuilder()
			for _, r := range list {
				b.Add(r)
			}
			s, err := Open(b.Build())
			if err != nil {
				t.Fatal(err)
			}
			v := NewView(s)
			for _, r := range list {
				if rapid.IntRange(0, 9).Draw(t, "gone") == 0 {
					v, gone[r.ID] = v.Without(r.ID), true
				}
			}
			views = append(views, v)
		}
		q := &Query{Terms: []Term{{Form: "red"}, {Form: "plum"}, {Form: "the"}}, Now: time.Unix(99, 0),
			Sees: func(c Class) bool { return c == "mine" }}
		groups := []Group{{[]uint32{1, 2}, 2}, {[]uint32{0b101}, 1}, {[]uint32{4}, 1}, {[]uint32{1, 2, 4}, 2}}
		limit := rapid.IntRange(1, 20).Draw(t, "limit")
		has := func(r Row, word uint32) bool {
			for i := range q.Terms {
				if word&(1<<i) != 0 && !slices.Contains(strings.Fields(r.Fields[0].Text), q.Terms[i].Form) {
					return false
				}
			}
			return r.Class == "mine" && !gone[r.ID]
		}
		var want []Found
		for _, g := range groups {
			counts := map[uint32]int{}
			for _, w := range g.Words {
				for _, r := range rows {
					if has(r, w) {
						counts[w]++
					}
				}
			}
			words := slices.Clone(g.Words)
			slices.SortStableFunc(words, func(x, y uint32) int { return counts[x] - counts[y] })
			words = slices.DeleteFunc(words, func(w uint32) bool { return counts[w] == 0 })
			var found []Found
			for _, r := range rows {
				without := func(w uint32) bool { return !has(r, w) }
				if len(words) >= g.Need && !slices.ContainsFunc(words[:g.Need], without) && r.Mark[39] > 0 {
					found = append(found, Found{r.ID, int(r.Mark[39] / 2), r.Updated.UnixMicro()})
				}
			}
			slices.SortFunc(found, func(x, y Found) int { return x.compare(&y) })
			want = append(want, found[:min(limit, len(found))]...)
		}
		wants := func(_ [16]byte, m *Mark) (int, bool) { return int(m[39] / 2), m[39] > 0 }
		if got := Having(views, q, groups, limit, wants); !slices.Equal(got, want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
	})
}

// TestHavingReadsTheLastRows bounds how many rows of a frequent word are looked at. Hidden rows do not count.
func TestHavingReadsTheLastRows(t *testing.T) {
	t.Parallel()
	b := NewBuilder()
	at := 0
	add := func(n int, class Class, text string) {
		for range n {
			at++
			b.Add(Row{ID: [16]byte{byte(at), byte(at >> 8)}, Class: class, Time: time.Unix(int64(at), 0),
				Updated: time.Unix(int64(at), 0), Fields: []Field{{Text: text}}})
		}
	}
	add(1, "mine", "red plum")
	add(mostHaving/2, "mine", "red")
	add(1, "theirs", "red plum")
	add(2*mostHaving, "theirs", "red")
	add(1, "mine", "red plum")
	add(mostHaving-1, "mine", "red plum of no interest")
	add(mostHaving, "yours", "red plum of no interest")
	q := &Query{Terms: []Term{{Form: "red"}, {Form: "plum"}}, Now: time.Unix(1<<20, 0),
		Sees: func(c Class) bool { return c != "theirs" }}
	wants := func([16]byte, *Mark) (int, bool) { return 0, true }
	found := Having([]*View{opened(t, b.Build())}, q, []Group{{[]uint32{1, 2}, 2}}, 1<<20, wants)
	times := map[int64]int{}
	for _, f := range found {
		times[f.Updated/1e6]++
	}
	first := int64(1 + mostHaving/2 + 1 + 2*mostHaving + 1)
	if len(found) != 2*mostHaving || times[first] != 1 || times[1] != 0 {
		t.Errorf("found %d rows, the first one of the last %d times, the oldest %d times", len(found), times[first], times[1])
	}
}
