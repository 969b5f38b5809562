package index

import (
	"encoding/binary"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// ask searches for terms in rows of the class "mine" and in those without a class.
func ask(views []*View, limit int, terms ...Term) Result {
	return Search(views, &Query{Terms: terms, Sees: func(c Class) bool { return c != "theirs" }, Now: time.Unix(1, 0),
		Limit: limit, Weights: testWeights})
}

func TestPhrases(t *testing.T) {
	t.Parallel()
	views := build(t, []Row{
		{ID: [16]byte{0}, Fields: []Field{{Text: "she moved to New York in May"}}},
		{ID: [16]byte{1}, Fields: []Field{{Text: "a new bridge in York"}}},
		{ID: [16]byte{2}, Fields: []Field{{Text: "something new"}, {Text: "York"}}},
		{ID: [16]byte{3}, Fields: []Field{{Text: "the retryPolicy of New Yorkers"}}},
		{ID: [16]byte{4}, Fields: []Field{{Text: "new, york! New York."}}},
	}, 1)
	for _, tt := range []struct {
		name  string
		term  Term
		want  []int
		forms []string
	}{
		{"words", Term{Phrase: []Term{{Form: "new"}, {Form: "york"}}}, []int{0, 4}, nil},
		{"a prefix at the end", Term{Phrase: []Term{{Form: "new"}, {Form: "yor", Prefix: true}}}, []int{0, 3, 4},
			[]string{"york", "yorkers"}},
		{"a prefix elsewhere", Term{Phrase: []Term{{Form: "ne", Prefix: true}, {Form: "york"}}}, nil, nil},
		{"a stem", Term{Phrase: []Term{{Form: "moving", Stems: []string{"move"}}, {Form: "to"}}}, []int{0},
			[]string{"moved"}},
		{"parts of an identifier", Term{Phrase: []Term{{Form: "retry"}, {Form: "policy"}, {Form: "of"}}}, []int{3}, nil},
		{"one word", Term{Phrase: []Term{{Form: "bridge"}}}, []int{1}, nil},
		{"a word that is not there", Term{Phrase: []Term{{Form: "new"}, {Form: "jersey"}}}, nil, nil},
	} {
		r := ask(views, 10, tt.term)
		var got []int
		for _, h := range r.Hits {
			got = append(got, int(h.ID[0]))
		}
		if slices.Sort(got); !slices.Equal(got, tt.want) || !slices.Equal(r.Forms[0], tt.forms) {
			t.Errorf("%s: got %v and the forms %q, want %v, %q", tt.name, got, r.Forms[0], tt.want, tt.forms)
		}
	}
}

// A row counts for how often it has a phrase.
func TestRepeatedPhrases(t *testing.T) {
	t.Parallel()
	views := texts(t, "blue sky and blue sea", "blue sky and blue sky", "sky blue and sea blue")
	r := ask(views, 3, Term{Phrase: []Term{{Form: "blue"}, {Form: "sky"}}})
	if len(r.Hits) != 2 || r.Hits[0].ID[0] != 1 || r.Hits[0].Signals.Row < 1.1*r.Hits[1].Signals.Row {
		t.Errorf("got %+v", r.Hits)
	}
}

// A phrase counts in the passage where it is.
func TestPassagesOfPhrases(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("filler ", 200)
	views := texts(t, filler+"alpha beta gamma "+filler, filler+"gamma "+filler+"alpha beta "+filler)
	r := ask(views, 2, Term{Phrase: []Term{{Form: "alpha"}, {Form: "beta"}}}, Term{Form: "gamma"})
	if len(r.Hits) != 2 || r.Hits[0].ID[0] != 0 || r.Hits[0].Signals.Passage < 1.9*r.Hits[1].Signals.Passage {
		t.Errorf("got %+v", r.Hits)
	}
}

func TestStandIns(t *testing.T) {
	t.Parallel()
	views := texts(t, "she runs every day", "a run in the park", "running shoes", "der Stromausfall")
	views = append(views, build(t, []Row{{ID: [16]byte{9}, Class: "theirs", Fields: []Field{{Text: "Stromausfaelle"}}}},
		1)...)
	r := ask(views, 10, Term{Form: "runs", Stems: []string{"run"}, Fuzzy: true}, Term{Form: "stromausfull", Fuzzy: true},
		Term{Form: "sho", Prefix: true})
	want := [][]string{{"run", "running"}, {"stromausfall"}, {"shoes"}}
	if !reflect.DeepEqual(r.Forms, want) || r.Similar != 2 {
		t.Errorf("got %q, similar %b; want %q, 10", r.Forms, r.Similar, want)
	}
	parkOrDay := Term{Phrase: []Term{{Form: "the", Stems: []string{"every"}}, {Form: "", Prefix: true}}}
	for _, tt := range []struct {
		term Term
		only byte
		want []string
	}{{Term{Form: "run"}, 2, []string{"running"}}, {parkOrDay, 1, []string{"park"}},
		{parkOrDay, 0, []string{"day", "every"}}} {
		r := Search(views, &Query{Terms: []Term{tt.term}, Sees: func(Class) bool { return true }, Limit: 9,
			Now: time.Unix(1, 0), Weights: testWeights, Only: [][16]byte{{tt.only}}})
		if slices.Sort(r.Forms[0]); !slices.Equal(r.Forms[0], tt.want) || len(r.Hits) != 1 {
			t.Errorf("only row %d: got %q, want %q", tt.only, r.Forms[0], tt.want)
		}
	}
}

// letters writes a number as three letters.
func letters(n int) string {
	return string([]byte{'a' + byte(n/26/26%26), 'a' + byte(n/26%26), 'a' + byte(n%26)})
}

// A prefix stands for the first forms of the alphabet, and similar forms for the best, of visible
// rows and in whatever segment they are.
func TestFormsDoNotDependOnSegments(t *testing.T) {
	t.Parallel()
	var rows []Row
	add := func(class Class, text string) {
		r := Row{Class: class, Fields: []Field{{Text: text}}}
		binary.BigEndian.PutUint32(r.ID[:], uint32(len(rows))<<16|uint32(len(rows)%7))
		r.ID[0] = byte(len(rows) % 3)
		rows = append(rows, r)
	}
	for i := range maxExpanded + 500 {
		add("theirs", "prea"+letters(i))
		add("mine", "prep"+letters(i*7919%(maxExpanded+500)))
	}
	for i := range 2 * maxSimilar {
		add("mine", "Stromausfall"+letters(i))
	}
	one, three := build(t, rows, 1), build(t, rows, 3)
	for _, tt := range []struct {
		term Term
		want int
	}{{Term{Form: "pre", Prefix: true}, maxExpanded}, {Term{Form: "repre", Part: true}, 0},
		{Term{Form: "re", Part: true}, maxExpanded}, {Term{Form: "stromausfall", Fuzzy: true}, maxSimilar}} {
		got, want := ask(three, 2*maxExpanded, tt.term), ask(one, 2*maxExpanded, tt.term)
		if !reflect.DeepEqual(got, want) || len(got.Hits) != tt.want {
			t.Errorf("%s: got %d hits in three segments and %d in one, want %d; the forms %q, want %q", tt.term.Form,
				len(got.Hits), len(want.Hits), tt.want, got.Forms, want.Forms)
		}
	}
}

// A broad question is not counted to the end, but the same question about few rows is.
func TestTotalEndsAtMaxTotal(t *testing.T) {
	t.Parallel()
	b := NewBuilder()
	var ids [][16]byte
	for i := range MaxTotal + 1 {
		r := Row{ID: [16]byte{byte(i), byte(i >> 8)}, Fields: []Field{{Text: "broad"}}}
		b.Add(r)
		ids = append(ids, r.ID)
	}
	s, err := Open(b.Build())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		only  [][16]byte
		want  int
		exact bool
	}{{nil, MaxTotal, false}, {ids, MaxTotal, false}, {ids[2:], MaxTotal - 1, true}, {ids[:3], 3, true},
		{ids[:0], 0, true}} {
		r := Search([]*View{NewView(s)}, &Query{Terms: []Term{{Form: "broad"}}, Limit: 5, Only: tt.only,
			Sees: func(Class) bool { return true }, Now: time.Unix(1, 0), Weights: testWeights})
		if r.Total != tt.want || r.Exact != tt.exact || len(r.Hits) != min(tt.want, 5) {
			t.Errorf("%d rows: got %d, exact: %v, and %d hits", len(tt.only), r.Total, r.Exact, len(r.Hits))
		}
	}
}

// Lists of postings have what was added, in the order of rows.
func TestPostingsAreWhatWasAdded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var w listWriter
		var docs, asked []uint32
		var places []uint64
		doc := uint32(0)
		step := rapid.SampledFrom([]uint32{1, 3, 100, 20_000}).Draw(rt, "step")
		for range rapid.IntRange(0, 5*postingsBlock).Draw(rt, "rows") {
			doc += rapid.Uint32Range(1, step).Draw(rt, "next")
			var positions []uint32
			for at := uint32(0); at == 0 || rapid.IntRange(0, 3).Draw(rt, "more") == 0; {
				at += rapid.Uint32Range(1, 300).Draw(rt, "position")
				positions = append(positions, at)
			}
			w.add(doc, once, positions, 1, 1)
			docs = append(docs, doc)
			ask := rapid.IntRange(0, 20).Draw(rt, "asked")
			if ask == 1 && step > 1 && (len(asked) == 0 || asked[len(asked)-1] < doc-1) {
				asked = append(asked, doc-1)
			}
			if ask == 0 {
				asked = append(asked, doc)
			}
		}
		postings, positions := w.write(nil, nil)
		s := Segment{rows: doc + 1}
		s.parts[secPostings], s.parts[secPositions], s.parts[secDirectory] = postings, positions, make([]byte, 8)
		l := s.list(0)
		var all entries
		l.read([]span{{0, doc + 1}}, nil, 1, &all)
		if !slices.Equal(all.docs, docs) {
			rt.Fatalf("got %v, want %v", all.docs, docs)
		}
		whole := l.places(docs, nil)
		for _, at := range whole {
			if _, ok := slices.BinarySearch(asked, uint32(at>>32)); ok {
				places = append(places, at)
			}
		}
		if got := l.places(asked, nil); !slices.Equal(got, places) || !slices.Equal(rowsOf(whole, nil), docs) {
			rt.Fatalf("got %x, want %x", got, places)
		}
		begin := rapid.Uint32Range(0, doc).Draw(rt, "begin")
		end := rapid.Uint32Range(begin, doc+1).Draw(rt, "end")
		last := rapid.Uint32Range(end, doc+1).Draw(rt, "last")
		var some entries
		l.read([]span{{begin, begin}, {begin, end}, {last, doc + 1}}, nil, 1, &some)
		docs = slices.DeleteFunc(docs, func(d uint32) bool { return d < begin || d >= end && d < last })
		if !slices.Equal(some.docs, docs) {
			rt.Fatalf("between %d, %d and %d: got %v, want %v", begin, end, last, some.docs, docs)
		}
	})
}

// The bounds of a list are the highest sums of neighbours, and the lowest lengths.
func TestPostingsHaveBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var w listWriter
		values := map[uint32]uint32{}
		want, doc := unbounded, uint32(0)
		for range rapid.IntRange(postingsBlock+1, 3*postingsBlock).Draw(rt, "rows") {
			doc += rapid.Uint32Range(1, 4).Draw(rt, "next")
			values[doc] = rapid.Uint32Range(1, 9).Draw(rt, "value")
			length := rapid.Uint16Range(1, 99).Draw(rt, "length")
			w.add(doc, values[doc], nil, length, length+7)
			want.add(bound{uint16(values[doc]), length, 0, length + 7})
		}
		for d := range doc {
			want.near = max(want.near, uint16(values[d]+values[d+1]+values[d+2]))
		}
		s := Segment{rows: doc + 1}
		s.parts[secPostings], s.parts[secPositions] = w.write(nil, nil)
		s.parts[secDirectory] = make([]byte, 8)
		l, got := s.list(0), unbounded
		for i := range l.blocks() {
			got.add(l.block(i).most)
		}
		if got != want {
			rt.Fatalf("got %+v, want %+v", got, want)
		}
	})
}
