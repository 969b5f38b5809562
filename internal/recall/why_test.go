package recall_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
)

func TestWhyNamesWordsAndFields(t *testing.T) {
	memories := []*loci.Memory{
		{ID: loci.NewMemoryID(), Title: "Deploys", Content: "We deploy on Tuesdays.", Key: "deploy.day", Category: "fact",
			Tags: []string{"ops"}},
		{ID: loci.NewMemoryID(), Title: "Office", Content: "Deploy talks are on Mondays.", Category: "fact"},
	}
	q := recall.Parse(`"deploy day" deploys Tues* what`)
	hits := recall.Rank(q, matches(q, memories)).Hits(0, 9)
	var got [][]string
	for _, h := range hits {
		var terms []string
		for _, term := range h.Why.Terms {
			terms = append(terms, term.Term+": "+strings.Join(term.Fields, " "))
		}
		got = append(got, terms)
	}
	want := [][]string{{"deploys: title content key", "deploy day: key", "Tues: content"}, {"deploys: content"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhyScoresAddUp(t *testing.T) {
	words := []string{"red", "green", "blue", "red green", "greens", "x"}
	rapid.Check(t, func(rt *rapid.T) {
		text := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 6).Draw(rt, label), " ")
		}
		var memories []*loci.Memory
		for range rapid.IntRange(1, 6).Draw(rt, "memories") {
			memories = append(memories,
				&loci.Memory{ID: loci.NewMemoryID(), Title: text("title"), Content: text("content"), Key: text("key"),
					Tags: strings.Fields(text("tags")), Pinned: rapid.Bool().Draw(rt, "pinned"),
					Importance: rapid.IntRange(1, 3).Draw(rt, "importance")})
		}
		q := recall.Parse(rapid.SampledFrom([]string{"red blue", `"red green" green`, "gre* x blue", "blue"}).Draw(rt,
			"query"))
		for _, h := range recall.Rank(q, matches(q, memories)).Hits(0, 9) {
			sum, last := 0.0, math.Inf(1)
			for _, term := range h.Why.Terms {
				if sum += term.Score; term.Score > last || len(term.Fields) == 0 || term.Score <= 0 {
					rt.Fatalf("terms %+v", h.Why.Terms)
				}
				last = term.Score
			}
			if math.Abs(sum-h.Score) > 1e-9 {
				rt.Fatalf("the terms add up to %v, the score is %v: %+v", sum, h.Score, h.Why.Terms)
			}
		}
	})
}

func TestBoostsAreWhatDecided(t *testing.T) {
	match := func(pinned bool, importance int, changed int64, n uint16) loci.Match {
		m := loci.Match{ID: loci.NewMemoryID(), Freq: make([]uint16, loci.FieldCount), Pinned: pinned, Importance: importance,
			UpdatedAt: time.UnixMicro(changed)}
		m.Freq[loci.FieldTitle], m.Lengths[loci.FieldTitle] = n, 4
		return m
	}
	old := match(true, 9, 10, 1)
	old.Superseded = true
	hits := recall.Rank(recall.Parse("x"),
		[]loci.Match{old, match(true, 9, 9, 3), match(true, 7, 1, 1), match(true, 5, 2, 1), match(false, 5, 3, 1),
			match(false, 5, 1, 1)}).Hits(0, 9)
	var got []string
	for _, h := range hits {
		got = append(got, strings.Join(h.Why.Boosts, " "))
	}
	want := []string{"", "current pinned importance", "current pinned", "current updated_at", "current", ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHitsOfAPage(t *testing.T) {
	q := recall.Parse("x")
	memories := []*loci.Memory{{ID: loci.NewMemoryID(), Title: "x"}, {ID: loci.NewMemoryID(), Title: "x x"},
		{ID: loci.NewMemoryID(), Title: "x x x"}}
	r := recall.Rank(q, matches(q, memories))
	for bounds, want := range map[[2]int]int{{0, 2}: 2, {2, 4}: 1, {3, 5}: 0, {9, 12}: 0, {0, 0}: 0} {
		if got := len(r.Hits(bounds[0], bounds[1])); got != want {
			t.Errorf("%v: %d hits, want %d", bounds, got, want)
		}
	}
	if r.Len() != 3 || len(recall.Rank(q, nil).Hits(0, 5)) != 0 {
		t.Error("a ranking counts its hits wrongly")
	}
}

func TestAsParts(t *testing.T) {
	tests := []struct{ name, query, want string }{
		{"a word", "Versicherung", "Versicherung"},
		{"without what stands around it", "(versicherung)?", "versicherung"},
		{"short ones say nothing beside long ones", "is of versicherung ab", "versicherung"},
		{"nor alone", "ab", ""},
		{"one letter", "C", ""},
		{"a short one with signs, as typed", "C++", "C++"},
		{"too short with its sign", "c#", ""},
		{"several short ones", "c go r", ""},
		{"one ideograph alone", "京", "京"},
		{"an ideograph is enough", "京 versicherung", "京|versicherung"},
		{"twice is once, whatever the case", "ROUND round", "ROUND"},
		{"a phrase stays whole", `"grün hier" x`, "grün hier"},
		{"the four longest", "aaa bbbb ccccc ddd eeeeee", "aaa|bbbb|ccccc|eeeeee"},
		{"signs", "🎉 ++", "🎉|++"},
		{"nothing", "  ", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(recall.Parse(tt.query).AsParts(tt.query).Parts(), "|"); got != tt.want {
				t.Errorf("parts of %q are %q, want %q", tt.query, got, tt.want)
			}
		})
	}
}

func TestPartsStandAnywhere(t *testing.T) {
	tests := []struct{ name, query, content, snippet string }{
		{"in a compound", "versicherung", "Die KrankenVersicherung zahlt.", "Die Kranken**Versicherung** zahlt."},
		{"Korean", "에서", "우리는 서울에서 만난다", "우리는 서울**에서** 만난다"},
		{"Greek, of either case", "ΛΟΣ", "ο φίλος ήρθε", "ο φί**λος** ήρθε"},
		{"Arabic", "كتاب", "قرأت الكتاب", "قرأت ال**كتاب**"},
		{"Thai", "ไทย", "ภาษาไทยง่าย", "ภาษา**ไทย**ง่าย"},
		{"signs", "🎉", "Done 🎉!", "Done **🎉**!"},
		{"several, and twice", "ound roun", "a round ground", "a **roun**d g**roun**d"},
		{"the sign of Kelvin", "kelv", "20 \u212Aelvins", "20 **\u212Aelv**ins"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := recall.Parse(tt.query).AsParts(tt.query)
			m := &loci.Memory{ID: loci.NewMemoryID(), Content: tt.content, Tags: []string{"t"}}
			hit, found := q.Count(m)
			if !found || hit.In(0, loci.FieldContent) == 0 || hit.In(0, loci.FieldTitle) != 0 {
				t.Fatalf("found %v, %+v", found, hit)
			}
			if got := q.Snippet(tt.content).String(); got != tt.snippet {
				t.Errorf("got %q, want %q", got, tt.snippet)
			}
			hits := recall.Rank(q, []loci.Match{hit}).Hits(0, 1)
			if len(hits) != 1 || hits[0].Score <= 0 || hits[0].Why.Terms[0].Fields[0] != "content" {
				t.Errorf("hits %+v", hits)
			}
			if _, found := q.Count(&loci.Memory{Content: "nothing of that"}); found {
				t.Error("found where it does not stand")
			}
		})
	}
}

func FuzzPartsNeverPanic(f *testing.F) {
	f.Add("a", "b a c")
	f.Add("İß K", "i̇ss ſKk")
	f.Fuzz(func(t *testing.T, query, text string) {
		q := recall.Parse(query).AsParts(query)
		if len(q.Parts()) > 4 {
			t.Fatalf("%d parts", len(q.Parts()))
		}
		q.Snippet(text)
		q.Count(&loci.Memory{Content: text})
	})
}
