package index

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The n-grams lead to the forms that contain a part of a word, and to no others, as a look at all forms does.
func TestPartsAreFoundByGrams(t *testing.T) {
	t.Parallel()
	found := 0
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.Custom(func(rt *rapid.T) string {
			pieces := rapid.SampledFrom([]string{"a", "b", "ab", "ж", "é", "東", "京"})
			return strings.Join(rapid.SliceOfN(pieces, 1, 6).Draw(rt, "word"), "")
		})
		words := rapid.SliceOfN(word, 1, 40).Draw(rt, "words")
		v := build(t, []Row{{ID: [16]byte{1}, Fields: []Field{{Text: strings.Join(words, " "), Name: true}}}}, 1)[0]
		part := word.Draw(rt, "part")
		got, want := slices.Collect(v.Segment.containing(part)), slices.Collect(v.Segment.withBytes(part))
		if !slices.Equal(got, want) {
			rt.Fatalf("%q in %q: got the forms %v, want %v", part, words, got, want)
		}
		found += len(want)
	})
	if found == 0 {
		t.Error("no form had the part")
	}
}
