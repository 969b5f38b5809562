package recall_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
)

// If the index has no hit for words of letters, no text contains them, whatever stands beside them.
func TestTextsHaveNothingThatTheIndexLacks(t *testing.T) {
	t.Parallel()
	covered := 0
	rapid.Check(t, func(rt *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"abc", "Def", "ghiJKL", "15", "3.5", "kg", "Uhr", "-", "_", ".",
			"'", "’s", " ", "/", "@", "жук", "Ёлка", "σας", "Øre", "ß", "東京", "京都", "か", "한국", "\u00ad",
			"2024-05-06", "%", "😀"}), 1, 8)
		content := strings.Join(pieces.Draw(rt, "content"), "")
		query := rapid.SampledFrom([]string{"bcd", "uhr", "efg", "hij", "JKL", "jklabc", "kgu", "defdef", "жук", "укё", "лка",
			"ελκ", "ασ", "ØRE", "rea", "sab", "5uhr", "c-d", "abc ghi", "xyz", "ssa", "都京",
			"都", "国", "京か", "user_abc", "xyz_def", "abc7xyz", "都abc"}).Draw(rt, "query")
		m := &loci.Memory{Content: content}
		answer := question(query).AsParts().Find(viewsOf(t, m))
		parts := recall.Parse(query).AsParts(query)
		if len(answer.Hits) > 0 || !answer.Covers(parts.Parts()) {
			return
		}
		covered++
		if _, found := parts.Count(m); found {
			rt.Errorf("%q is in %q, but not in the index", query, content)
		}
	})
	if covered == 0 {
		t.Error("nothing was covered")
	}
	for query, want := range map[string]bool{"qqq": true, "qqq жжж": true, "qq1": false, "q-q": false, `"qqq www"`: false,
		"東京": true, "京": true, "東": false, "かな": false, "C++": false, "user_qqq": true, "7q7": false,
		strings.Repeat("q", 80): true} {
		parts := recall.Parse(query).AsParts(query)
		if got := question(query).AsParts().Find(nil).Covers(parts.Parts()); got != want {
			t.Errorf("%q: covered %v, want %v", query, got, want)
		}
	}
}
