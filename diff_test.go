package loci

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// marked writes a diff in one line per line: " same", "-removed", "+added", "~a[-b-]{+c+}".
func marked(hunks []Hunk) string {
	var b strings.Builder
	for _, h := range hunks {
		for _, line := range h.Lines {
			switch line.Op {
			case DiffSame:
				b.WriteString(" " + line.Text)
			case DiffRemoved:
				b.WriteString("-" + line.Text)
			case DiffAdded:
				b.WriteString("+" + line.Text)
			case DiffChanged:
				b.WriteString("~")
				for _, w := range line.Words {
					switch w.Op {
					case DiffSame:
						b.WriteString(w.Text)
					case DiffRemoved:
						b.WriteString("[-" + w.Text + "-]")
					case DiffAdded:
						b.WriteString("{+" + w.Text + "+}")
					case DiffChanged:
					}
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func TestDiffText(t *testing.T) {
	tests := []struct{ name, from, to, want string }{
		{"nothing", "a\nb", "a\nb", ""},
		{"a word", "We deploy on Tuesdays.", "We deploy on Mondays.", "~We deploy on [-Tuesdays-]{+Mondays+}.\n"},
		{"words beside each other", "the old blue house stands here", "the new red house stands here",
			"~the [-old blue-]{+new red+} house stands here\n"},
		{"another line", "one\ntwo\nthree", "one\nzebra\nthree", " one\n-two\n+zebra\n three\n"},
		{"added at the end", "one", "one\ntwo", " one\n+two\n"},
		{"all new", "alpha", "beta", "-alpha\n+beta\n"},
		{"ideographs", "毎週火曜日に配備する", "毎週月曜日に配備する", "~毎週[-火-]{+月+}曜日に配備する\n"},
		{"a line between", "a\nb\nc\nd\ne\nf\ng\nh\ni", "a\nb\nc\nd\nx\nf\ng\nh\ni", " b\n c\n d\n-e\n+x\n f\n g\n h\n"},
		{"repeated lines", "x\n\ny\n\nz", "x\n\nnew\n\ny\n\nz", " x\n+\n+new\n \n y\n \n"},
		{"end of the last line", "a\n", "a", " a\n-\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, marked(DiffText(tt.from, tt.to))); diff != "" {
				t.Error(diff)
			}
		})
	}
	far := "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12"
	got := DiffText(far, strings.Replace(strings.Replace(far, "0\n", "zero\n", 1), "12", "twelve", 1))
	if len(got) != 2 || got[1].OldLine != 10 || got[1].NewLine != 10 || got[0].OldLine != 1 {
		t.Errorf("got %+v", got)
	}
}

// old and now put the two sides of a hunk together again.
func sides(h Hunk) (old, now []string) {
	for _, line := range h.Lines {
		switch line.Op {
		case DiffSame:
			old, now = append(old, line.Text), append(now, line.Text)
		case DiffRemoved:
			old = append(old, line.Text)
		case DiffAdded:
			now = append(now, line.Text)
		case DiffChanged:
			var was, is string
			for _, w := range line.Words {
				if w.Op != DiffAdded {
					was += w.Text
				}
				if w.Op != DiffRemoved {
					is += w.Text
				}
			}
			old, now = append(old, was), append(now, is)
		}
	}
	return old, now
}

// apply makes the new text out of the old one and the hunks.
func apply(t *rapid.T, from string, hunks []Hunk) string {
	lines, out, at := strings.Split(from, "\n"), []string{}, 0
	for _, h := range hunks {
		old, now := sides(h)
		out = append(out, lines[at:h.OldLine-1]...)
		if len(out)+1 != h.NewLine {
			t.Fatalf("hunk begins at new line %d, got %d lines before it", h.NewLine, len(out))
		}
		at = h.OldLine - 1 + len(old)
		if !slices.Equal(old, lines[h.OldLine-1:at]) {
			t.Fatalf("hunk at %d says the old lines are %q, not %q", h.OldLine, old, lines[h.OldLine-1:at])
		}
		out = append(out, now...)
	}
	return strings.Join(append(out, lines[at:]...), "\n")
}

// A diff is exact, whatever the texts.
func TestDiffTextIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom(
			[]string{"", "a", "b", "a b c d", "a b x d", "a  b\tc", "日本語", "e\u0301 e", "one, two; three"})
		from := strings.Join(rapid.SliceOfN(line, 1, 30).Draw(t, "from"), "\n")
		to := strings.Join(rapid.SliceOfN(line, 1, 30).Draw(t, "to"), "\n")
		if got := apply(t, from, DiffText(from, to)); got != to {
			t.Fatalf("got %q, want %q", got, to)
		}
	})
}

// The longest texts that are allowed take some 100 ms, however different they are. With the square of their length, the
// test would not end in time.
func TestDiffOfHugeTexts(t *testing.T) {
	shuffled := func(n, step int, sep string) string {
		out := make([]string, n)
		for i := range out {
			out[i] = string(rune('a' + i*step%23%26))
		}
		return strings.Join(out, sep)
	}
	for name, tt := range map[string][2]string{
		"one line":         {strings.Repeat("abc de ", 14_000), strings.Repeat("abc ed ", 14_000)},
		"lines of one":     {shuffled(50_000, 7, "\n"), shuffled(50_000, 11, "\n")},
		"words of one":     {shuffled(50_000, 5, " "), shuffled(50_000, 13, " ")},
		"turned around":    {shuffled(50_000, 1, "\n"), shuffled(50_000, 22, "\n")},
		"nothing the same": {strings.Repeat("a\n", 50_000), strings.Repeat("b\n", 50_000)},
	} {
		t.Run(name, func(t *testing.T) {
			if len(DiffText(tt[0], tt[1])) == 0 {
				t.Error("nothing differs")
			}
		})
	}
}

// fill sets v and everything in it to something that is not zero.
func fill(v reflect.Value) {
	if t, ok := v.Addr().Interface().(*time.Time); ok {
		*t = time.Unix(1, 0)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.String:
		v.SetString("s")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(1)
	case reflect.Uint8:
		v.SetUint(1)
	default:
		panic("fill knows no " + v.Type().String())
	}
}

// What a memory has is compared, or is of the version and not of what it says.
func TestEveryFieldIsCompared(t *testing.T) {
	var m Memory
	fill(reflect.ValueOf(&m).Elem())
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(b, &members); err != nil {
		t.Fatal(err)
	}
	known := []string{"id", "user_id", "origin", "created_at", "updated_at", "version", "change", "editor", "editor_id",
		"editor_credential_id", "editor_session_id", "disputed_by", "pending_supersede",
		"title", "content", "summary"}
	for _, c := range compared {
		known = append(known, c.field)
	}
	for field := range members {
		if !slices.Contains(known, field) {
			t.Errorf("%s is not compared", field)
		}
	}
	other := m
	other.Importance, other.Title, other.Key = 7, "title", ""
	got := CompareVersions(&m, &other)
	if len(got.Fields) != 2 || got.Fields[0].Field != "key" || string(got.Fields[0].New) != "null" ||
		string(got.Fields[1].New) != "7" || len(got.Texts) != 1 {
		t.Errorf("got %+v", got)
	}
}
