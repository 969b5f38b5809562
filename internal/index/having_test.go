package index

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestHavingIsTheLastChanged compares Having with a walk through all rows, however they are spread over segments.
func TestHavingIsTheLastChanged(t *testing.T) {
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
				Fields:  []Field{{Text: strings.Join(rapid.SliceOfN(word, 1, 5).Draw(t, "text"), " ")}}}
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
		groups, limit := []uint32{0b11, 0b101, 0b100}, rapid.IntRange(1, 20).Draw(t, "limit")
		var want []Found
		for _, group := range groups {
			var found []Found
			for _, r := range rows {
				has := strings.Fields(r.Fields[0].Text)
				all := r.Class == "mine" && !gone[r.ID]
				for i := range q.Terms {
					all = all && (group&(1<<i) == 0 || slices.Contains(has, q.Terms[i].Form))
				}
				if all {
					found = append(found, Found{r.ID, r.Updated.UnixMicro()})
				}
			}
			slices.SortFunc(found, Found.lastChanged)
			want = append(want, found[:min(limit, len(found))]...)
		}
		if got := Having(views, q, groups, limit); !slices.Equal(got, want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
	})
}
