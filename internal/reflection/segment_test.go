package reflection

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSentences(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"abbreviations", "Talk to Dr. Rao, e.g. on Friday. Then call.", []string{"Talk to Dr. Rao, e.g. on Friday.",
			"Then call."}},
		{"decimals and versions", "It took 4.1 s with v2.3.1. Fine.", []string{"It took 4.1 s with v2.3.1.", "Fine."}},
		{"URLs and files", "See https://a.example/b.c?d=1. Look at main.go. Done.",
			[]string{"See https://a.example/b.c?d=1.", "Look at main.go.", "Done."}},
		{"lower case", "fixed it. was a race", []string{"fixed it.", "was a race"}},
		{"initials", "J. R. Smith agreed. We go.", []string{"J. R. Smith agreed.", "We go."}},
		{"an ellipsis", "Well... maybe not. Ok.", []string{"Well... maybe not.", "Ok."}},
		{"a German date", "Sie liefert am 12. März. Dann weiter.", []string{"Sie liefert am 12. März.", "Dann weiter."}},
		{"German abbreviations", "Das gilt z. B. heute. Gut.", []string{"Das gilt z. B. heute.", "Gut."}},
		{"Chinese", "我们决定停用。还没定?好的。", []string{"我们决定停用。", "还没定?", "好的。"}},
		{"Spanish", "¿Vamos? ¡Sí! Mañana.", []string{"¿Vamos?", "¡Sí!", "Mañana."}},
		{"quotation marks", "He said \"no.\" We left.", []string{"He said \"no.\"", "We left."}},
		{"inline code", "Run `a. b` now. Wait.", []string{"Run `a. b` now.", "Wait."}},
	} {
		var got []string
		for _, s := range sentences(tc.text, span{0, len(tc.text)}, nil) {
			got = append(got, tc.text[s.start:s.end])
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q", tc.name, got)
		}
	}
}

func TestBlocks(t *testing.T) {
	text := "# Head\n- a bullet\n1. a step\n- [ ] open\n- [x] ticked\n> quoted\n" +
		"| a | b |\n|---|---|\n```sh\nmake\n```\nAnna: hello\n" +
		"[09:12] ben: hi\nPlain text that is broken at the width of the page of the\nauthor."
	want := []blockKind{heading, bullet, step, todo, done, quote, row, rule, fence, paragraph, paragraph, paragraph}
	all := blocks(text)
	if len(all) != len(want) {
		t.Fatalf("got %d blocks: %+v", len(all), all)
	}
	for i, b := range all {
		if b.kind != want[i] {
			t.Errorf("block %d, %q: kind %d, want %d", i, text[b.from:b.to], b.kind, want[i])
		}
	}
	for i, name := range map[int]string{9: "Anna", 10: "ben"} {
		if s := all[i].speaker; text[s.start:s.end] != name {
			t.Errorf("block %d: speaker %q, want %q", i, text[s.start:s.end], name)
		}
	}
}

func FuzzSegments(f *testing.F) {
	f.Add(pageOfNotes)
	for _, s := range []string{"", "\n", "a.b.", "``` \n x", "1)\u00a0x", "[ ] x", "我。你", "\xff. \xfe",
		"**a** 09:12 b", "-----BEGIN X\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkSegments(t, text)
		e := Extract(Note{Content: text})
		for _, c := range e.Candidates {
			if c.Start < 0 || c.Start >= c.End || c.End > len(text) || text[c.Start:c.End] != c.Content || c.Title == "" {
				t.Errorf("candidate %+v of %q", c, text)
			}
			if utf8.RuneCountInString(text[:c.Start]) != c.RuneStart || utf8.RuneCountInString(text[:c.End]) != c.RuneEnd {
				t.Errorf("characters of %+v in %q", c, text)
			}
		}
	})
}

// checkSegments checks that blocks, and sentences in them, are in order, do not overlap, begin and end at
// characters, and
// together have all that is not white space.
func checkSegments(t *testing.T, text string) {
	t.Helper()
	at := 0
	for _, b := range blocks(text) {
		checkSpan(t, text, at, span{b.from, b.to})
		inner := b.text.start
		for _, s := range sentences(text, b.text, nil) {
			checkSpan(t, text, inner, s)
			inner = s.end
		}
		checkBlank(t, text, inner, b.text.end)
		at = b.to
	}
	checkBlank(t, text, at, len(text))
}

func checkSpan(t *testing.T, text string, at int, s span) {
	t.Helper()
	if s.start < at || s.end <= s.start || s.end > len(text) {
		t.Fatalf("span %v after %d in %q", s, at, text)
	}
	if utf8.ValidString(text) && (!utf8.RuneStart(text[s.start]) || s.end < len(text) && !utf8.RuneStart(text[s.end])) {
		t.Fatalf("span %v is not at characters in %q", s, text)
	}
	checkBlank(t, text, at, s.start)
}

func checkBlank(t *testing.T, text string, from, to int) {
	t.Helper()
	if strings.ContainsFunc(text[from:max(from, to)], func(r rune) bool { return !unicode.IsSpace(r) }) {
		t.Fatalf("%q at %d is in no span of %q", text[from:to], from, text)
	}
}
