package language

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func stems(text string) (got []string) {
	var a Analyzer
	a.Words(text, func(w Word) bool { got = append(got, w.Stem); return true })
	return got
}

func TestWords(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"stems", "Running deployments", "run deploy"},
		{"punctuation", "user_id, example.com: v1.2", "user id exampl com v1 2"},
		{"apostrophes", "don't Alice’s 'quoted'", "dont alic quot"},
		{"diacritics", "Café ÀÉÎ naïve", "cafe aei naiv"},
		{"ideographs", "東京", "东 京"},
		{"cyrillic", "Привет Мир", "привет мир"},
		{"hindi keeps its vowels", "हिन्दी", "हिन्दी"},
		{"kana", "アポ です", "あ ぽ で す"},
		{"korean", "서울에서 만나요", "서울에서 만나요"},
		{"marks alone", "\u0301 a\u0301", "a"},
		{"short words keep their ending", "as is", "as is"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.Fields(tt.want), stems(tt.text),
				cmp.Transformer("nil", func(s []string) string { return strings.Join(s, " ") })); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzWordsStandInTheText(f *testing.F) {
	f.Add("Don't stop: 東京 café _x_")
	f.Add("\xff\x00'’a")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		var a Analyzer
		a.Words(text, func(w Word) bool {
			if w.Start < end || w.End <= w.Start || w.End > len(text) {
				t.Fatalf("word %+v after offset %d of %q", w, end, text)
			}
			if w.Form == "" || w.Stem == "" || len(w.Form) > 64+utf8.UTFMax {
				t.Fatalf("word %+v of %q", w, text)
			}
			end = w.End
			return true
		})
	})
}
