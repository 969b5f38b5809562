package loci

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestPlainWordsAreWords requires the words of parts that are ASCII to be those that Unicode's rules give for the
// whole text.
func TestPlainWordsAreWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		runes := []rune("aabbZ0011  ''''’_.,:;-/@\n\té東ß\u0301\u200dи🙂\u00a0א\"")
		text := rapid.StringOfN(rapid.SampledFrom(runes), 0, 300, -1).
			Draw(t, "text")
		var a Analyzer
		var got, want []Word
		a.Words(text, func(w Word) bool { got = append(got, w); return true })
		a.anyWords(text, 0, func(w Word) bool { want = append(want, w); return true })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", text, diff)
		}
	})
}
