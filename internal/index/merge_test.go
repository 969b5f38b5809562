package index

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// opened opens a segment whose bytes must be whole.
func opened(t testing.TB, data []byte) *View {
	t.Helper()
	s, err := Open(data)
	if err == nil {
		err = s.Verify()
	}
	if err != nil {
		t.Fatal(err)
	}
	return NewView(s)
}

// built returns the bytes of a segment of rows.
func built(rows []Row) []byte {
	b := NewBuilder()
	for _, r := range rows {
		b.Add(r)
	}
	return b.Build()
}

// drawMerge draws rows with words in several languages, and rows that are gone: sessions go as a whole.
func drawMerge(t *rapid.T) (rows, live []Row, gone [][16]byte) {
	rows = drawRows(t)
	text := rapid.SampledFrom([]string{"", "", "she is running in the park", "we run with the runner of the houses",
		"wir laufen in der Stadt und sehen Häuser", "der runner ist in dem park", "los perros corren por la calle",
		"the runners 東京 were walking"})
	goes := map[string]bool{}
	for i := range rows {
		r := &rows[i]
		r.Fields = append(r.Fields, Field{Text: text.Draw(t, "sentence")})
		r.Mark = Mark{byte(i), 39: byte(i)}
		r.Actor = rapid.SampledFrom([]string{"", "Ann", "Bob", fmt.Sprint("person ", i)}).Draw(t, "who")
		key := r.Session
		if key == "" || !r.From.IsZero() || !r.Until.IsZero() {
			key = fmt.Sprint(i)
		}
		if _, ok := goes[key]; !ok {
			goes[key] = rapid.IntRange(0, 2).Draw(t, "goes") == 0
		}
		if goes[key] {
			gone = append(gone, r.ID)
		} else {
			live = append(live, *r)
		}
	}
	return rows, live, gone
}

// drawMergeQuery also draws terms with stems, and misspelt ones.
func drawMergeQuery(t *rapid.T) *Query {
	q := drawQuery(t)
	q.When = rapid.Bool().Draw(t, "when")
	q.Terms = append(q.Terms, rapid.SliceOfN(rapid.SampledFrom([]Term{{Form: "runs", Stems: []string{"run"}, Fuzzy: true},
		{Form: "runing", Fuzzy: true}, {Form: "laufend", Stems: []string{"lauf"}}, {Form: "haus", Stems: []string{"haus"}},
		{Form: "park"}, {Form: "東京"}, {Form: "perro", Stems: []string{"perr"}}}), 0, 3).Draw(t, "languages")...)
	return q
}

// A merged segment answers like the views of which it was made, and like a segment of the same rows.
func TestMergeChangesNoAnswer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		rows, live, gone := drawMerge(rt)
		views := build(t, rows, rapid.IntRange(1, 4).Draw(rt, "views"))
		for i := range views {
			views[i] = views[i].Without(gone...)
		}
		data := Merge(views)
		merged := []*View{opened(t, data)}
		direct := []*View{opened(t, built(live))}
		for range 3 {
			q := drawMergeQuery(rt)
			q.Only = drawOnly(rt, rows)
			for what, other := range map[string][]*View{"the views": views, "a segment of the rows": direct} {
				sameAnswers(rt, what, q, merged, other)
			}
		}
		for _, r := range rows {
			sameRow(rt, r.ID, merged, direct)
		}
		if n := len(views) / 2; !bytes.Equal(Merge(merged), data) ||
			!bytes.Equal(Merge([]*View{opened(t, Merge(views[:n])), opened(t, Merge(views[n:]))}), data) {
			rt.Error("merging in two steps gives other bytes")
		}
	})
}

// sameAnswers requires all that can be asked of views to be the same.
func sameAnswers(t *rapid.T, what string, q *Query, got, want []*View) {
	if x, y := Search(got, q), Search(want, q); !reflect.DeepEqual(x, y) {
		t.Fatalf("%s: got %+v\nwant %+v", what, x, y)
	}
	groups := []Group{{[]uint32{1}, 1}, {[]uint32{1<<len(q.Terms) - 1}, 1}}
	if len(q.Terms) > 2 {
		groups = append(groups, Group{[]uint32{1, 2, 4}, 2})
	}
	odd := func(_ [16]byte, m *Mark) (int, bool) { return int(m[0] % 3), m[0]%2 == 1 }
	if x, y := Having(got, q, groups, 9, odd), Having(want, q, groups, 9, odd); !slices.Equal(x, y) {
		t.Fatalf("%s: %+v\ngot %v\nwant %v", what, q.Terms, x, y)
	}
	for _, name := range []string{"ann", "bob", "person 3", "nobody"} {
		if x, y := Knows(got, q.Sees, q.Now, name), Knows(want, q.Sees, q.Now, name); x != y {
			t.Fatalf("%s: knows %s: %v, want %v", what, name, x, y)
		}
	}
	sum := func(views []*View) (all totals, live int) {
		for _, v := range views {
			_, one, _ := v.visible(q.Sees, q.Now)
			all.add(one)
			live += v.Live()
		}
		return all, live
	}
	x, n := sum(got)
	if y, m := sum(want); x != y || n != m {
		t.Fatalf("%s: the rows come to %+v in %d, want %+v in %d", what, x, n, y, m)
	}
}

// sameRow requires views to have the same of a row.
func sameRow(t *rapid.T, id [16]byte, got, want []*View) {
	about := func(v *View) []any {
		var mates [][16]byte
		v.Group(id, func(mate [16]byte) { mates = append(mates, mate) })
		at, ok := v.Updated(id)
		return []any{v.Has(id), at, ok, mates}
	}
	if x, y := about(got[0]), about(want[0]); !reflect.DeepEqual(x, y) {
		t.Fatalf("row %v: got %v, want %v", id, x, y)
	}
}

// Where sessions keep their order, a merged segment has the bytes of one that is made of the texts. So it
// has nothing of rows that are gone.
func TestMergeIsWhatABuilderMakes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		rows, live, gone := drawMerge(rt)
		v := opened(t, built(rows)).Without(gone...)
		if !bytes.Equal(Merge([]*View{v}), built(live)) {
			rt.Error("one view gives other bytes than its rows")
		}
		var views []*View
		for _, c := range []Class{"c", "a", "b"} {
			views = append(views, opened(t, built(slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
				return r.Class != c
			}))).Without(gone...))
		}
		if !bytes.Equal(Merge(views), built(live)) {
			rt.Error("views of one class each give other bytes than their rows")
		}
	})
}

// Lists of several blocks are merged as well.
func TestMergeOfManyRows(t *testing.T) {
	t.Parallel()
	rows := slices.Collect(zipfRows(3000, 7))
	var gone [][16]byte
	var live []Row
	parts := make([][]Row, 3)
	for i, r := range rows {
		if i/7%5 == 0 {
			gone = append(gone, r.ID)
		} else {
			live = append(live, r)
		}
		parts[i/7%3] = append(parts[i/7%3], r)
	}
	direct := built(live)
	if !bytes.Equal(Merge([]*View{opened(t, built(rows)).Without(gone...)}), direct) {
		t.Error("one view gives other bytes than its rows")
	}
	var views []*View
	for _, p := range parts {
		views = append(views, opened(t, built(p)).Without(gone...))
	}
	merged := []*View{opened(t, Merge(views))}
	for i, q := range questions(40) {
		got, want := Search(merged, q), Search([]*View{opened(t, direct)}, q)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("question %d: got %+v\nwant %+v", i, got, want)
		}
	}
}

// Words that only rows have had that are gone leave the bytes, with their stems and n-grams.
func TestMergeForgetsWords(t *testing.T) {
	t.Parallel()
	views := texts(t, "she was hesitating", "she walked")
	views[0] = views[0].Without([16]byte{0})
	for _, word := range []string{"hesit", "esi"} {
		if !strings.Contains(string(views[0].data), word) {
			t.Fatalf("%q is not there, so the test shows nothing", word)
		}
		if strings.Contains(string(Merge(views)), word) {
			t.Errorf("%q is still there", word)
		}
	}
}

func TestMergeOfNothing(t *testing.T) {
	t.Parallel()
	want := NewBuilder().Build()
	one := texts(t, "word")[0]
	for _, views := range [][]*View{nil, {opened(t, want)}, {one.Without([16]byte{0})}} {
		if got := Merge(views); !bytes.Equal(got, want) {
			t.Errorf("%d views: got %q, want %q", len(views), got, want)
		}
	}
}

// BenchmarkMerge makes a segment of eight, and one of the same texts for comparison.
func BenchmarkMerge(b *testing.B) {
	rows := slices.Collect(zipfRows(16_000, 20))
	var views []*View
	for part := range slices.Chunk(rows, 2000) {
		views = append(views, opened(b, built(part)))
	}
	for name, run := range map[string]func(){"views": func() { Merge(views) }, "texts": func() { built(rows) }} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rows)), "ns/row")
		})
	}
}
