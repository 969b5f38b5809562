package reflection

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// labelledPair is a line of testdata/pairs.jsonl.
type labelledPair struct {
	ID, Old, New, Trap string
	Label              Bond
	AltLabels          []Bond `json:"alt_labels"`
}

func readPairs(t testing.TB, file string) (list []labelledPair) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var p labelledPair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// right returns how many pairs have their label, and how many have it or another that is right as well.
func right(t testing.TB, pairs []labelledPair) (strict, lenient int) {
	t.Helper()
	for _, p := range pairs {
		v := Relate(p.Old, p.New)
		switch {
		case v.Bond == p.Label:
			strict, lenient = strict+1, lenient+1
		case slices.Contains(p.AltLabels, v.Bond):
			lenient++
			fallthrough
		default:
			t.Logf("%s %s, want %s (%s): %q, %q: %.2f %s", p.ID, v.Bond, p.Label, p.Trap, p.Old, p.New, v.Score, v.Reason)
		}
		if v.Reason == "" || !strings.HasSuffix(v.Reason, ".") || v.Score < 0 || v.Score > 1 {
			t.Errorf("%s: reason %q, score %f", p.ID, v.Reason, v.Score)
		}
	}
	return strict, lenient
}

// TestRelate counts the labelled pairs that are judged rightly. Every other pair was kept back while the rules were
// made.
func TestRelate(t *testing.T) {
	t.Parallel()
	var seen, kept []labelledPair
	for i, p := range readPairs(t, "testdata/pairs.jsonl") {
		if i%2 == 0 {
			seen = append(seen, p)
		} else {
			kept = append(kept, p)
		}
	}
	for name, part := range map[string][]labelledPair{"seen": seen, "kept back": kept} {
		if name == "kept back" && os.Getenv("LOCI_KEPT") == "" {
			continue
		}
		strict, lenient := right(t, part)
		t.Logf("%s: %d of %d are right, %d with the other right labels", name, strict, len(part), lenient)
		if 4*strict < 3*len(part) {
			t.Errorf("%s: less than 75 %% are right", name)
		}
	}
}
