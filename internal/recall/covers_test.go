package recall_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
)

// If the index has no hit for words of letters, no text contains them, whatever stands beside them.
func TestTextsHaveNothingThatTheIndexLacks(t *testing.T) {
	t.Parallel()
	covered := 0
	rapid.Check(t, func(rt *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"abc", "Def", "ghiJKL", "15", "3.5", "kg", "Uhr", "-", "_", ".",
			"'", "’s", " ", "/", "@", "жук", "Ёлка", "σας", "Øre", "ß", "東京", "京都", "か", "한국", "\u00ad",
			"2024-05-06", "%", "😀", "0", "1", "5", ":", ",", "1,500", "15:00", "12", "000", "5th", "PM", "am", "+", "#", "٣",
			"１", "v2"}), 1, 8)
		content := strings.Join(pieces.Draw(rt, "content"), "")
		query := rapid.SampledFrom([]string{"bcd", "uhr", "efg", "hij", "JKL", "jklabc", "kgu", "defdef", "жук", "укё", "лка",
			"ελκ", "ασ", "ØRE", "rea", "sab", "5uhr", "c-d", "abc ghi", "xyz", "ssa", "都京",
			"都", "国", "京か", "user_abc", "xyz_def", "abc7xyz", "都abc", "505", "1535", "150", "2024", "15abc", "c15",
			"3515", "05-06", "3.515", "15:", "0615", "1,", "abc_15", "15000", "006", "515",
			"5kg1", "g15k", "m15", "5uhr1", "024-0", "15/15", "15kg"}).Draw(rt, "query")
		m := &loci.Memory{Content: content}
		answer := question(query).AsParts().Find(viewsOf(t, m))
		parts := question(query).Anywhere()
		if len(answer.Hits) > 0 || !covers(answer, parts.Texts()) {
			return
		}
		covered++
		if len(parts.Rank([]*loci.Memory{m})) > 0 {
			rt.Errorf("%q is in %q, but not in the index", query, content)
		}
	})
	if covered == 0 {
		t.Error("nothing was covered")
	}
	for query, want := range map[string]bool{"qqq": true, "qqq жжж": true, "qq1": true, "q-q": false, `"qqq www"`: false,
		"東京": true, "京": true, "東": false, "かな": false, "C++": false, "user_qqq": true, "7q7": true,
		"8443": true, "1,500": false, "10:30": false,
		strings.Repeat("q", 80): true} {
		parts := question(query).Anywhere()
		if got := covers(question(query).AsParts().Find(nil), parts.Texts()); got != want {
			t.Errorf("%q: covered %v, want %v", query, got, want)
		}
	}
}

// A text is in none but the memories with its signs, in whatever field and case.
func TestTextsAreInMemoriesWithTheirSigns(t *testing.T) {
	t.Parallel()
	with, without := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "B", "5", "abc", "bca", "5abc", "abc ", " abc",
			"kg ", "PM ", "-", "--", ".", "…", ",", "'", " ", "\n", "+", "#",
			"😀", "👩\u200d👧", "\ufe0f", "\x01", "\x1b[3", "\u202e", "k", "\u212a", "か", "カ", "한", "م", "ა", "Ა", "ⓐ",
			"Ⓐ", "e\u0301", "µ", "μ", "٣", "東", "ж", "、", "\u00a0", "€"}), 1, 5)
		text := func(label string) string { return strings.Join(pieces.Draw(rt, label), "") }
		m := &loci.Memory{Title: text("title"), Content: text("content"), Summary: text("summary"), Key: text("key"),
			Tags: []string{text("tag"), text("other")}}
		if rapid.Bool().Draw(rt, "the title begins the content") {
			m.Title = loci.OneLine(m.Content) + "…"
		}
		query := text("query")
		if rapid.Bool().Draw(rt, "quoted") {
			query = `"` + query + `"`
		}
		parts := question(query).Anywhere()
		found := len(parts.Rank([]*loci.Memory{m})) > 0
		views := viewsOf(t, m)
		for _, part := range parts.Texts() {
			ids, ok := index.Containing(views, recall.Sees(asker), askedOn, part, 1)
			if !ok || len(ids) > 0 {
				with++
				return
			}
		}
		if without++; found {
			rt.Errorf("%q is in %+v, but the index has no signs of it", parts.Texts(), m)
		}
	})
	if with == 0 || without == 0 {
		t.Errorf("%d with signs, %d without", with, without)
	}
}

func TestSignsLimitWhatIsRead(t *testing.T) {
	t.Parallel()
	views := viewsOf(t, &loci.Memory{Content: "C++, and C#"}, &loci.Memory{Content: "a + b"}, &loci.Memory{Content: "かな"})
	for text, want := range map[string][]byte{"c++": {1}, "+": {1, 2}, "#": {1}, "😀": {}, "かに": {3}, "한국": {},
		"++#": {}, "+,": {1}, "c": nil, ".": nil, "15": nil, "q.q": {}, "1.2": {},
		"++, and c": {1}, "++, und c": {}, "abc +": {}, "d C#": {1}, "and kana": {}} {
		ids, ok := index.Containing(views, recall.Sees(asker), askedOn, text, 10)
		if ok != (want != nil) || len(ids) != len(want) {
			t.Errorf("%q: %v, %v", text, ids, ok)
			continue
		}
		for i, id := range ids {
			if id[15] != want[i] {
				t.Errorf("%q: %v", text, ids)
			}
		}
	}
	if ids, ok := index.Containing(views, recall.Sees(asker), askedOn, "+", 1); ok {
		t.Errorf("more than the limit: %v", ids)
	}
	hidden := func(index.Class) bool { return false }
	if ids, ok := index.Containing(views, hidden, askedOn, "c++", 10); !ok || len(ids) > 0 {
		t.Errorf("hidden: %v, %v", ids, ok)
	}
}

func covers(a *recall.Answer, texts []string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool { return !a.Covers(text) })
}
