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

// TestNumbersOfStatements has values that people write in several ways.
func TestNumbersOfStatements(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"forty-two": "42", "treinta y cinco": "35", "vingt et un": "21", "zweiundvierzig": "42",
		"forty-two thousand": "42000",
		"half past five":     "5:30", "quarter to nine": "8:45", "halb acht": "7:30", "viertel nach drei": "3:15",
		"eight in the evening": "20", "7:30 pm": "19:30", "8pm": "20", "12 am": "0", "acht Uhr abends": "20",
		"las cinco y media de la tarde": "17:30", "huit heures du soir": "20", "três da tarde": "15", "08:00": "8:00",
		"half of the members": "50 %", "die Hälfte der Plätze": "50 %", "two hundred": "200", "half an hour": "30 min",
		"8 people in the evening": "8", "a map of two towns": "2",
	} {
		got := ""
		for _, n := range Prepare(text).numbers {
			got = n.full()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestEqualAmounts has numbers with units.
func TestEqualAmounts(t *testing.T) {
	t.Parallel()
	n := func(value, unit string, about bool) factNumber {
		return factNumber{value: value, unit: unit, about: about}
	}
	for _, tt := range []struct {
		a, b          factNumber
		same, rounded bool
	}{
		{n("2.5", "m", false), n("250", "cm", false), true, false}, {n("2", "hour", false), n("120", "min", false),
			true, false},
		{n("2", "m", false), n("2", "cm", false), false, false}, {n("2", "tb", true), n("2.14", "tb", false), true, true},
		{n("2", "tb", false), n("2.14", "tb", false), false, false}, {n("2", "tb", true), n("3", "tb", false), false,
			false},
		{n("40", "", true), n("42", "", false), true, true}, {n("5", "kg", false), n("5", "l", false), false, false},
	} {
		if same, rounded := tt.a.equals(tt.b); same != tt.same || rounded != tt.rounded {
			t.Errorf("%v, %v: %v %v", tt.a, tt.b, same, rounded)
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
