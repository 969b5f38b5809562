package loci_test

import (
	"testing"

	"github.com/loci-memory/loci"
)

func TestPrintableDropsWhatATerminalObeys(t *testing.T) {
	for _, tt := range []struct{ name, in, want, line string }{
		{"escapes and bells", "a\x1b[2Jb\x07c", "a[2Jbc", "a[2Jbc"},
		{"directions", "a\u202eb\u2066c", "abc", "abc"},
		{"breaks of other systems", "a\r\nb\rc\u2028d\n\te", "a\nb\nc\nd\n\te", "a b c d e"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := loci.Printable(tt.in); got != tt.want {
				t.Errorf("Printable: got %q, want %q", got, tt.want)
			}
			if got := loci.OneLine(tt.in); got != tt.line {
				t.Errorf("OneLine: got %q, want %q", got, tt.line)
			}
		})
	}
}

func TestLegibleNamesWhatCannotBeSeen(t *testing.T) {
	for in, want := range map[string]string{
		"a\u202eb\x1b[2Jc": "a[U+202E]b[U+001B][2Jc",
		"a\u200bb\r\nc\td": "a[U+200B]b\nc\td",
		"क्\u200dष":        "क्\u200dष",
	} {
		if got := loci.Legible(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestShortenCountsCharacters(t *testing.T) {
	for _, tt := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abcd", 1, "…"}, {"abcd", 0, ""}, {"abcd", -1, ""},
		{"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"日本語文", 2, "日…"},
	} {
		if got := loci.Shorten(tt.in, tt.n); got != tt.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}
