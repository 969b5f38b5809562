package reflection

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// everyday is one part of testdata/everyday.txt.
type everyday struct{ facts, notes [][2]string }

func readEveryday(t testing.TB) (parts []everyday) {
	t.Helper()
	text, err := os.ReadFile("testdata/everyday.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		first, second, _ := strings.Cut(rest, "|")
		both := [2]string{strings.TrimSpace(first), strings.TrimSpace(second)}
		switch kind {
		case "part":
			parts = append(parts, everyday{})
		case "fact":
			parts[len(parts)-1].facts = append(parts[len(parts)-1].facts, both)
		case "note":
			parts[len(parts)-1].notes = append(parts[len(parts)-1].notes, both)
		}
	}
	return parts
}

// TestUnrelatedFactsAreLeftAlone compares ordinary notes with ordinary facts, as a reflection compares candidates with
// memories. Numbers, dates and denials in two texts exclude each other only if both texts are about the same.
func TestUnrelatedFactsAreLeftAlone(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, part := range readEveryday(t) {
		for _, note := range part.notes {
			newer, about := Prepare(note[0]), strings.Split(note[1], "; ")
			for _, fact := range part.facts {
				if slices.Contains(about, fact[0]) {
					continue
				}
				compared++
				whole := Prepare(fact[0] + "\n" + fact[1])
				for _, older := range []*Statement{Prepare(fact[1]), whole} {
					if v := older.Relate(newer); v.Bond != Unrelated {
						t.Errorf("%q is %s for %q: %s", note[0], v.Bond, older.text, v.Reason)
					}
				}
				for _, o := range Outdated(note[0]) {
					if o.Outdates(whole) {
						t.Errorf("%q makes %q out of date", note[0], whole.text)
					}
				}
			}
		}
	}
	if compared < 7_000 {
		t.Errorf("compared only %d pairs", compared)
	}
}

// TestNumbersNeedOneMatter has the pairs for which the numbers decide.
func TestNumbersNeedOneMatter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		older, newer string
		want         Bond
	}{
		{"I do not drink alcohol.", "Oskar has a new teacher, Herr Lange, since 20 November 2026.", Unrelated},
		{"The half marathon is on 26 April 2026. I run 4 times a week.", "The whole suite runs in 74 s instead of 121 s.",
			Unrelated},
		{"cart.spec.ts fails in 1 of 20 runs.", "The whole suite runs in 74 s instead of 121 s.", Unrelated},
		{"The visa for Vietnam takes 5 days.", "The pipeline now takes 9 minutes.", Unrelated},
		{"The nightly export runs at 02:00 UTC.", "Turns out the nightly export now runs at 04:00 UTC.", UpdateSupersedes},
		{"The whole suite runs in 121 s.", "The whole suite runs in 74 s now.", UpdateSupersedes},
		{"The queue retries 5 times.", "The queue retries 3 times.", Contradiction},
		{"The pool opens at 7:30.", "The pool has 30 lockers.", Unrelated},
		{"The contract ends in 2027.", "The contract has 12 pages now.", Unrelated},
	} {
		if v := Relate(tt.older, tt.newer); v.Bond != tt.want {
			t.Errorf("%q after %q is %s (%s), want %s", tt.newer, tt.older, v.Bond, v.Reason, tt.want)
		}
	}
}
