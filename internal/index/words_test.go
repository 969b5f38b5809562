package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// texts makes one row of each text. The number of a row is the first byte of its id.
func texts(t testing.TB, list ...string) []*View {
	rows := make([]Row, len(list))
	for i, text := range list {
		rows[i] = Row{ID: [16]byte{byte(i)}, Fields: []Field{{Text: text}}}
	}
	return build(t, rows, 1)
}

func found(views []*View, terms ...Term) (rows []int) {
	hits := Search(views, &Query{Terms: terms, Sees: func(Class) bool { return true }, Now: time.Unix(1, 0), Limit: 10,
		Weights: testWeights}).Hits
	for _, h := range hits {
		rows = append(rows, int(h.ID[0]))
	}
	return rows
}

func TestFormsOfAWordMatch(t *testing.T) {
	t.Parallel()
	views := texts(t, "she runs every day", "a run in the park", "running shoes", "the ruin")
	for _, tt := range []struct {
		term Term
		want []int
	}{
		{Term{Form: "runs", Stems: []string{"run"}}, []int{0, 1, 2}},
		{Term{Form: "run"}, []int{0, 1, 2}},
		{Term{Form: "ruin"}, []int{3}},
		{Term{Form: "walked", Stems: []string{"walk"}}, nil},
	} {
		got := found(views, tt.term)
		if slices.Sort(got); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.term.Form, got, tt.want)
		}
	}
}

// A similar word counts only if no row that the reader sees has the word itself.
func TestSimilarWordsAreTheLastResort(t *testing.T) {
	t.Parallel()
	fuzzy := Term{Form: "strom", Fuzzy: true}
	if got := found(texts(t, "der Stromausfall", "ein Fahrrad"), fuzzy); !slices.Equal(got, []int{0}) {
		t.Errorf("a compound: got %v", got)
	}
	if got := found(texts(t, "der Stromausfall", "der Strom"), fuzzy); !slices.Equal(got, []int{1}) {
		t.Errorf("the word itself: got %v", got)
	}
	for _, typed := range []string{"brithday", "birthdya", "ibrthday"} {
		got := found(texts(t, "her birthday", "a board"), Term{Form: typed, Fuzzy: true})
		if !slices.Equal(got, []int{0}) {
			t.Errorf("%s: got %v", typed, got)
		}
	}
	if got := found(texts(t, "der Stromausfall"), Term{Form: "strom"}); got != nil {
		t.Errorf("not asked for: got %v", got)
	}
	hidden := build(t, []Row{{ID: [16]byte{0}, Class: "mine", Fields: []Field{{Text: "der Stromausfall"}}},
		{ID: [16]byte{1}, Class: "theirs", Fields: []Field{{Text: "der Strom"}}}}, 1)
	hits := Search(hidden, &Query{Terms: []Term{fuzzy}, Sees: func(c Class) bool { return c == "mine" },
		Now: time.Unix(1, 0), Limit: 10, Weights: testWeights}).Hits
	if len(hits) != 1 || hits[0].ID[0] != 0 {
		t.Errorf("a hidden row has the word: got %+v", hits)
	}
}

// Similar words of hidden rows do not displace those of visible rows.
func TestHiddenWordsTakeNoPlace(t *testing.T) {
	t.Parallel()
	rows := []Row{{ID: [16]byte{1}, Class: "mine", Fields: []Field{{Text: "Stromausfallversicherung"}}}}
	for i := range 2 * maxSimilar {
		text := fmt.Sprintf("Stromausfall%c%c", 'a'+i%26, 'a'+i/26)
		rows = append(rows, Row{ID: [16]byte{2, byte(i)}, Class: "theirs", Fields: []Field{{Text: text}}})
	}
	hits := Search(build(t, rows, 1), &Query{Terms: []Term{{Form: "stromausfall", Fuzzy: true}},
		Sees: func(c Class) bool { return c == "mine" }, Now: time.Unix(1, 0), Limit: 10, Weights: testWeights}).Hits
	if len(hits) != 1 {
		t.Errorf("got %d hits, want the visible row", len(hits))
	}
}

// The best passage of a long row counts, wherever it is.
func TestPassages(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("filler ", 200)
	views := texts(t, filler+"alpha beta gamma "+filler, "alpha "+filler+"beta "+filler+"gamma "+filler)
	q := Query{Terms: []Term{{Form: "alpha"}, {Form: "beta"}, {Form: "gamma"}}, Sees: func(Class) bool { return true },
		Now: time.Unix(1, 0), Limit: 10, Weights: Weights{Passage: 1, Row: 1e-9}}
	hits := Search(views, &q).Hits
	if len(hits) != 2 || hits[0].ID[0] != 0 || hits[0].Signals.Passage < 2*hits[1].Signals.Passage {
		t.Errorf("got %+v", hits)
	}
}

func TestTableFindsItsStrings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.StringOfN(rapid.SampledFrom([]rune("abé\x00")), 0, 6, -1)
		if rapid.Bool().Draw(rt, "alike") { // in more than the head of a block has
			word = rapid.Map(word, func(s string) string { return "same-eight" + s })
		}
		list := rapid.SliceOfDistinct(word, func(s string) string { return s }).Draw(rt, "strings")
		slices.Sort(list)
		table, err := decodeTable(encodeTable(list))
		if err != nil {
			rt.Fatal(err)
		}
		probe := word.Draw(rt, "probe")
		for _, s := range append(list, probe) {
			want, in := slices.BinarySearch(list, s)
			got, ok := table.find(s)
			if ok != in || in && int(got) != want || in && table.at(got) != s {
				rt.Fatalf("%q: got %d %v, want %d %v", s, got, ok, want, in)
			}
		}
	})
}

// Bytes that are not a segment give an error when they are opened or verified.
func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	b := NewBuilder()
	for i := range 50 {
		b.Add(Row{ID: [16]byte{byte(i)}, Class: Class(fmt.Sprint(i % 3)), Fields: []Field{{Text: "some words here"}}})
	}
	whole := b.Build()
	for i := range whole {
		data := slices.Clone(whole)
		data[i] ^= 0x41
		if s, err := Open(data); err == nil && s.Verify() == nil {
			t.Errorf("the change of byte %d of %d was not found", i, len(whole))
		}
		if _, err := Open(whole[:i]); err == nil {
			t.Errorf("the first %d of %d bytes were opened", i, len(whole))
		}
	}
	s, err := Open(NewBuilder().Build())
	if err != nil || s.Len() != 0 || found([]*View{NewView(s)}, Term{Form: "x"}) != nil {
		t.Errorf("without rows: %v", err)
	}
}

// TestHaving requires rows with all terms of a group, the last changed first, and nothing of hidden rows.
func TestHaving(t *testing.T) {
	t.Parallel()
	row := func(id byte, class Class, text string) Row {
		return Row{ID: [16]byte{id}, Class: class, Fields: []Field{{Text: text}}, Updated: time.Unix(int64(id), 0)}
	}
	views := build(t, []Row{row(1, "mine", "red apples"), row(2, "mine", "red pears"), row(3, "theirs", "red apples"),
		row(4, "mine", "green apples and red pears"), row(5, "mine", "apple red"), row(6, "mine", "red")}, 2)
	views[0] = views[0].Without([16]byte{5})
	views[1] = views[1].Without([16]byte{5})
	q := &Query{Terms: []Term{{Form: "red"}, {Form: "apples"}, {Form: "pears"}, {Form: "plums"}}, Now: time.Unix(9, 0),
		Sees: func(c Class) bool { return c == "mine" }, Weights: Weights{Stem: 1}}
	for name, tt := range map[string]struct {
		groups []Group
		limit  int
		want   []byte
	}{
		"two words":            {[]Group{{[]uint32{1, 2}, 2}}, 9, []byte{4, 1}},
		"a word of two terms":  {[]Group{{[]uint32{0b11}, 1}}, 9, []byte{4, 1}},
		"the last changed":     {[]Group{{[]uint32{1, 2}, 2}}, 1, []byte{4}},
		"two groups":           {[]Group{{[]uint32{1, 2}, 2}, {[]uint32{1, 4}, 2}}, 9, []byte{4, 1, 4, 2}},
		"the two rarest words": {[]Group{{[]uint32{1, 2, 4}, 2}}, 9, []byte{4}},
		"two words of no row":  {[]Group{{[]uint32{8, 1, 4}, 2}}, 9, []byte{4, 2}},
		"a word of no row":     {[]Group{{[]uint32{8, 1}, 2}}, 9, nil},
		"a group of no words":  {[]Group{{}}, 9, nil},
		"none":                 {nil, 9, nil},
	} {
		var got []byte
		for _, f := range Having(views, q, tt.groups, tt.limit, func([16]byte, *Mark) (int, bool) { return 0, true }) {
			got = append(got, f.ID[0])
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// TestStemsDoNotDependOnOtherRows requires a word to have the stems of its own row's language, whatever
// language the rows beside it in the segment are in.
func TestStemsDoNotDependOnOtherRows(t *testing.T) {
	t.Parallel()
	text := Field{Text: "Die Versicherung zahlt im Mai, und die deploys sind frei."}
	german := Row{ID: [16]byte{1}, Class: "mine", Fields: []Field{text}}
	titled := Row{ID: [16]byte{1}, Class: "mine", Fields: []Field{{Text: "Police"}, text}}
	english := Row{ID: [16]byte{2}, Class: "theirs",
		Fields: []Field{{Text: "The deploys are what we do on the first of May."}}}
	q := &Query{Terms: []Term{{Form: "deploy", Stems: []string{"deploy"}}},
		Sees: func(c Class) bool { return c == "mine" }, Now: time.Unix(1, 0), Limit: 9, Weights: Weights{Row: 1, Stem: 0.9}}
	for _, row := range []Row{german, titled} {
		alone, beside := Search(build(t, []Row{row}, 1), q), Search(build(t, []Row{row, english}, 1), q)
		if diff := cmp.Diff(alone, beside); diff != "" {
			t.Errorf("a hidden row decides how a word is read (-alone +beside it):\n%s", diff)
		}
	}
	q.Sees = func(Class) bool { return true }
	if got := Search(build(t, []Row{german, english}, 1), q); len(got.Hits) != 1 || got.Hits[0].ID != english.ID {
		t.Errorf("found %+v, want the English row", got.Hits)
	}
}
