package language

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word is one word of a running text.
type Word struct {
	Form       string // folded
	Stem       string // Form without its English ending; often equal to Form
	Start, End int    // position in the text, in bytes
}

// Words calls yield for each word of text, in order, until yield returns false. It is for readers of sentences: other
// than Tokens, it gives each word once, as it stands there, and parts identifiers and numbers at each separator. In
// scripts without spaces, each character is a word, but not in Korean.
func (a *Analyzer) Words(text string, yield func(Word) bool) {
	if a.forms == nil || len(a.forms) > maxForms {
		a.forms = map[string]string{}
	}
	for at := 0; at < len(text); {
		end, size := wordEnd(text, at)
		if end > at {
			if w := a.wordAt(text, at, end); w.Form != "" && !yield(w) { // of marks alone, nothing is left
				return
			}
		}
		at = max(end, at+size)
	}
}

// wordEnd returns the end of the word that begins at a place, or the place if none does, and the length of the
// character there.
func wordEnd(text string, at int) (end, size int) {
	for end = at; end < len(text); {
		r, n := rune(text[end]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[end:])
		}
		if end == at {
			size = n
		}
		switch kind := kindOf(r); {
		case kind == lower, kind == upper, kind == numeral, kind == joined && unspaced(r) == hangul:
			end += n
		case kind == joined && end == at:
			return end + n + marks(text[end+n:]), size
		case end > at && (isApostrophe(r) || silent(r)) && continues(text[end+n:]):
			end += n
		default:
			return end, size
		}
	}
	return end, size
}

// marks returns how many bytes of marks a text begins with, which belong to the character before.
func marks(text string) (n int) {
	for {
		r, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || !unicode.IsMark(r) {
			return n
		}
		n += size
	}
}

// continues reports whether a word goes on with what comes behind an apostrophe.
func continues(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	kind := kindOf(r)
	return kind == lower || kind == upper || kind == numeral
}

func (a *Analyzer) wordAt(text string, start, end int) Word {
	form := a.form(text[start:end])
	w := Word{Form: form, Stem: form, Start: start, End: end}
	if len(form) > 2 && strings.Trim(form, "abcdefghijklmnopqrstuvwxyz") == "" {
		w.Stem = a.snowball(form, English)
	}
	return w
}
