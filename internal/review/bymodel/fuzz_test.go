package bymodel

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loci-memory/loci/internal/reflection"
	"github.com/loci-memory/loci/internal/review"
)

// FuzzFind requires that what is found is the quote, but for white space.
func FuzzFind(f *testing.F) {
	f.Add("The garden looks\r\n\tlovely.", "garden looks lovely")
	f.Add("a\u2003b\xffc d", "a b\xffc")
	f.Add("\ufffd \xff\xfe  x", "\xff\xfe x")
	f.Fuzz(func(t *testing.T, text, quote string) {
		n := notes{text: text}
		start, end, ok := n.find(quote)
		if !ok {
			return
		}
		got, _ := plain(text[start:end])
		if want, _ := plain(strings.TrimSpace(quote)); got != want {
			t.Errorf("%q leads to %q", quote, text[start:end])
		}
	})
}

// FuzzRead gives any answer of a model about notes with a secret. What remains is whole and in the notes.
func FuzzRead(f *testing.F) {
	const text = "The password is hunter2 at home. We use gin, 東京 and tonic.\n\nBye bye."
	f.Add(`{"candidates":[{"kind":"claim","quote":"We use gin","confidence":1}]}`)
	f.Add(`{"candidates":[{"kind":"claim","quote":"is [redacted password] at","confidence":-1e300}]}`)
	f.Fuzz(func(t *testing.T, answer string) {
		a := review.Ask(reflection.Note{Content: text}, review.Asker{})
		list, _, err := read(answer, a)
		if err != nil {
			return
		}
		x, _ := reflection.ExtractWith(a.Note, list)
		for _, c := range x.Candidates {
			if c.Content != text[c.Start:c.End] || !utf8.ValidString(c.Content) || c.Confidence < 0 || c.Confidence > 1 {
				t.Errorf("%+v", c)
			}
		}
	})
}
