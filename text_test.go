package loci_test

import (
	"cmp"
	"testing"

	"github.com/loci-memory/loci"
)

func TestLegibleNamesWhatCannotBeSeen(t *testing.T) {
	for _, tt := range []struct{ name, in, want, line string }{
		{"escapes and bells", "a\x1b[2Jb\x07c\u009b", "a[U+001B][2Jb[U+0007]c[U+009B]", ""},
		{"directions", "a\u202eb\u2066c\u061c", "a[U+202E]b[U+2066]c[U+061C]", ""},
		{"breaks of other systems", "a\r\nb\rc\u2028d\n\te", "a\nb\nc\nd\n\te", "a b c d e"},
		{"spaces and hyphens without width", "a\u200bb\u00adc\ufeff", "a[U+200B]b[U+00AD]c[U+FEFF]", ""},
		{"joiners in ASCII", "a\u200db\u200cc\u200d<", "a[U+200D]b[U+200C]c[U+200D]<", ""},
		{"joiners at the ends", "\u200da\u200d", "[U+200D]a[U+200D]", ""},
		{"variants in ASCII", "memor\ufe0fies\U000e0100", "memor[U+FE0F]ies[U+E0100]", ""},
		{"tags", "x\U000e003c", "x[U+E003C]", ""},
		{"ignorable", "a\u034f\u3164\U000e0fff", "a[U+034F][U+3164][U+E0FFF]", ""},
		{"runs", "ب\u200c\u200cب 葛\U000e0100\U000e0101", "ب[U+200C][U+200C]ب 葛\U000e0100[U+E0101]", ""},
		{"Devanagari, Malayalam, Sinhala", "क्\u200dष ന്\u200d, ශ්\u200dරී", "क्\u200dष ന്\u200d, ශ්\u200dරී", ""},
		{"Persian", "می\u200cخواهم API\u200cها", "می\u200cخواهم API\u200cها", ""},
		{"Khmer", "ខ្ញុំ\u200bទៅ", "ខ្ញុំ\u200bទៅ", ""},
		{"an end of a verse", "\u06dd١", "\u06dd١", ""},
		{"emoji", "👩🏽\u200d💻 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 ©\ufe0f", "👩🏽\u200d💻 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 ©\ufe0f", ""},
		{"not text", "a\xff", "a\xff", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := loci.Legible(tt.in); got != tt.want {
				t.Errorf("Legible: got %q, want %q", got, tt.want)
			}
			if got := loci.OneLine(tt.in); got != cmp.Or(tt.line, tt.want) {
				t.Errorf("OneLine: got %q, want %q", got, cmp.Or(tt.line, tt.want))
			}
			if again := loci.Legible(loci.Legible(tt.in)); again != tt.want {
				t.Errorf("Legible of its own result: got %q", again)
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
