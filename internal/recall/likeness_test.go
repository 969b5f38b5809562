package recall

import (
	"os"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
)

// TestLikenessOfLabelledPairs compares the pairs of testdata/likeness.txt. It allows no paraphrase
// and no unrelated pair to be called a contradiction, and a few contradictions to be missed.
func TestLikenessOfLabelledPairs(t *testing.T) {
	raw, err := os.ReadFile("testdata/likeness.txt")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]map[loci.Likeness]int{}
	total := 0
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSpace(line), " | ")
		if len(f) != 3 {
			t.Fatalf("bad line %q", line)
		}
		score, like := Compare(f[1], f[2])
		if counts[f[0]] == nil {
			counts[f[0]] = map[loci.Likeness]int{}
		}
		counts[f[0]][like]++
		total++
		wrong := f[0] == "same" && like != loci.Duplicate || f[0] == "unrelated" && like != "" ||
			f[0] == "paraphrase" && (like == loci.Contradiction || like == loci.Duplicate)
		if wrong {
			t.Errorf("%s: %q, %q: %q %.3f", f[0], f[1], f[2], like, score)
		} else if f[0] == "contradiction" && like != loci.Contradiction {
			t.Logf("missed: %q, %q: %q %.3f", f[1], f[2], like, score)
		}
	}
	called := 0
	for _, of := range counts {
		called += of[loci.Contradiction]
	}
	of := counts["contradiction"]
	precision := float64(of[loci.Contradiction]) / float64(called)
	found := float64(of[loci.Contradiction]) / float64(of[loci.Contradiction]+of[loci.NearDuplicate]+of[""])
	t.Logf("%d pairs; contradictions: precision %.2f, recall %.2f", total, precision, found)
	if total < 40 || precision < 1 || found < 0.9 {
		t.Errorf("%d pairs; contradictions: precision %.2f, recall %.2f; want at least 40, 1.00 and 0.90", total, precision,
			found)
	}
}
