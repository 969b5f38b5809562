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

// TestRelate counts the labelled pairs that are judged rightly.
func TestRelate(t *testing.T) {
	t.Parallel()
	pairs := readPairs(t, "testdata/pairs.jsonl")
	strict, lenient := right(t, pairs)
	t.Logf("%d of %d are right, %d with the other right labels", strict, len(pairs), lenient)
	if 10*strict < 9*len(pairs) {
		t.Errorf("only %d of %d are right", strict, len(pairs))
	}
}

// TestRelateSaysWhatDiffers has what a reviewer must see.
func TestRelateSaysWhatDiffers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		old, new string
		want     Difference
	}{
		{"The port is 8080 on the gateway.", "The port is 9443 on the gateway.", Difference{"number", "8080", "9443"}},
		{"We chose MySQL for the reporting store.", "We chose Postgres for the reporting store.",
			Difference{"database", "mysql", "postgres"}},
		{"The weekly sync is on Tuesday.", "The weekly sync moved to Thursday.", Difference{"date", "tuesday", "thursday"}},
		{"The kiosk accepts cash.", "The kiosk does not accept cash.", Difference{Kind: "negation"}},
	} {
		if v := Relate(tt.old, tt.new); !slices.Contains(v.Differ, tt.want) {
			t.Errorf("%q, %q: %+v, want %+v", tt.old, tt.new, v.Differ, tt.want)
		}
	}
}

func FuzzRelate(f *testing.F) {
	f.Add("The port is 8080.", "The port is 9443 now, not 8080 %.")
	f.Add("会议室可以容纳十人。", "n'est\xff pas 4x6 v2.3 $5")
	f.Fuzz(func(t *testing.T, a, b string) {
		v := Relate(a, b)
		if v.Score < 0 || v.Score > 1 || v.Reason == "" {
			t.Errorf("%q, %q: %+v", a, b, v)
		}
		if again := Relate(a, a); a != "" && again.Bond != Duplicate {
			t.Errorf("%q is %s to itself", a, again.Bond)
		}
		for _, o := range Outdated(a) {
			if o.Start >= o.End || a[o.Start:o.End] != o.ID+o.Subject {
				t.Errorf("%q: %+v", a, o)
			}
		}
	})
}

func BenchmarkRelate(b *testing.B) {
	older, newer := "The nightly export of the orders database runs at 02:00 UTC in the Dublin region.",
		"The nightly export of the orders database runs at 03:00 UTC as of this week."
	b.Run("prepare", func(b *testing.B) {
		for b.Loop() {
			Prepare(newer)
		}
	})
	b.Run("prepared", func(b *testing.B) {
		x, y := Prepare(older), Prepare(newer)
		for b.Loop() {
			x.Relate(y)
		}
	})
	b.Run("unlike", func(b *testing.B) {
		x, y := Prepare("User prefers aisle seats on long flights."), Prepare(newer)
		for b.Loop() {
			x.Relate(y)
		}
	})
	b.Run("1MB", func(b *testing.B) {
		x := Prepare(strings.Repeat(older+" ", 1<<20/len(older)))
		y := Prepare(newer)
		for b.Loop() {
			x.Relate(y)
			Outdated(x.text)
		}
	})
}
