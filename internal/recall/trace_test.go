package recall

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
)

// TestTracesMissNothing changes texts of words that matter to a comparison. Traces must not prove unlike
// what Compare finds alike.
func TestTracesMissNothing(t *testing.T) {
	t.Parallel()
	words := strings.Fields(`possible impossible open closed not never on off with without nest n'est 5 5.0 seven MB
		% -3 # the a deploy deploys deploying server servers runs Berlin nightly database region copies happy unhappy
		правда нет 東京 zwei drei nicht`)
	check := func(t rapid.TB, a, b string) {
		x, y := Read(a), Read(b)
		_, like := x.Compare(y)
		if like != "" && !x.Trace().MayBeLike(y.Trace()) {
			t.Fatalf("%q and %q are %s, but their traces say that they are unlike", a, b, like)
		}
		if same := like == loci.Duplicate; same != x.Same(y) || same && x.Hash() != y.Hash() {
			t.Fatalf("%q and %q are %q, and the same: %v", a, b, like, x.Same(y))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom(words)
		a := rapid.SliceOfN(word, 1, 40).Draw(t, "a")
		b := append([]string(nil), a...)
		for range rapid.IntRange(0, len(a)/2+1).Draw(t, "changes") {
			b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] = word.Draw(t, "word")
		}
		b = append(b, rapid.SliceOfN(word, 0, 5).Draw(t, "more")...)
		check(t, strings.Join(a, " "), strings.Join(b, " "))
	})
	raw, err := os.ReadFile("testdata/likeness.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if f := strings.Split(strings.TrimSpace(line), " | "); len(f) == 3 {
			check(t, f[1], f[2])
			check(t, f[2], f[1])
		}
	}
}

// TestTracesProveMostUnlike requires that a comparison is rarely needed.
func TestTracesProveMostUnlike(t *testing.T) {
	t.Parallel()
	const text = "The nightly job copies the database of the shop to the second region and tells the team about it"
	for other, want := range map[string]bool{
		text: true,
		strings.ReplaceAll(text, "nightly", "weekly"):                                                     true,
		"The nightly backup of the wiki is kept for thirty days, and nobody but its owner may restore it": false,
		"We deploy on Tuesdays": false,
		strings.Repeat("Long texts have no trace that proves anything. ", 60): true,
	} {
		if got := Read(text).Trace().MayBeLike(Read(other).Trace()); got != want {
			t.Errorf("%.60q may be like it: %v", other, got)
		}
	}
}
