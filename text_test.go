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
