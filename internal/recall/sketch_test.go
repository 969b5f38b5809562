package recall

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
)

// TestSketchesMissNothing changes texts of words that matter to a comparison. Sketches must not prove unlike
// what Compare finds alike.
func TestSketchesMissNothing(t *testing.T) {
	t.Parallel()
	words := strings.Fields(`possible impossible open closed not never on off with without nest n'est 5 5.0 seven MB
		% -3 # the a deploy deploys deploying server servers runs Berlin nightly database region copies happy unhappy
		правда нет 東京 zwei drei nicht`)
	check := func(t rapid.TB, a, b string) {
		x, y := Read(a), Read(b)
		_, like := x.Compare(y)
		if like != "" && !mayBeLike(x, y) {
			t.Fatalf("%q and %q are %s, but their sketches say that they are unlike", a, b, like)
		}
		if same := like == loci.Duplicate; same != x.Same(y) || same && x.hash() != y.hash() {
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

// mayBeLike reports what the sketches of two contents under different titles say.
func mayBeLike(x, y *Text) bool {
	_, ok := differ(x, y)
	return ok
}

func differ(x, y *Text) (by int, ok bool) {
	a, b := SketchOf(x, Read("one")), SketchOf(y, Read("another"))
	m := b.Mark()
	return a.Differs(&m)
}

// TestSketchesProveMostUnlike requires that a comparison is rarely needed.
func TestSketchesProveMostUnlike(t *testing.T) {
	t.Parallel()
	const text = "The nightly job copies the database of the shop to the second region and tells the team about it"
	for other, want := range map[string]bool{
		text: true,
		strings.ReplaceAll(text, "nightly", "weekly"):                                                     true,
		"The nightly backup of the wiki is kept for thirty days, and nobody but its owner may restore it": false,
		"We always deploy on Tuesdays":                                                                    false,
		"Deploy on Tuesdays":                                                                              true, // short
		"我们每周在北京的办公室部署服务器":                                                                                true,
	} {
		if got := mayBeLike(Read(text), Read(other)); got != want {
			t.Errorf("%.60q may be like it: %v", other, got)
		}
	}
	a, b := SketchOf(Read(text), Read("Deploys!")), SketchOf(Read("We always deploy on Tuesdays"), Read("deploys"))
	m := b.Mark()
	if _, ok := a.Differs(&m); !ok || !a.Titled(&m) {
		t.Error("memories with one title are proved unlike")
	}
}

// TestSketchesRank requires texts to differ by more, the fewer words they share.
func TestSketchesRank(t *testing.T) {
	t.Parallel()
	const text = "The nightly job copies the database of the shop to the second region and tells the team about it"
	last := -1
	for i, other := range []string{strings.ToUpper(text) + "!", text + " today", strings.ReplaceAll(text, "shop", "blog"),
		strings.ReplaceAll(text, "shop", "blog") + " in the harbour with lanterns", "kurz"} {
		by, ok := differ(Read(text), Read(other))
		if !ok || by <= last || (by == 0) != (i == 0) {
			t.Errorf("%q differs by %d, alike %v, after %d", other, by, ok, last)
		}
		last = by
	}
}
