package loci

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
)

// Word is one word of a text, as every engine's full-text index sees it.
type Word struct {
	Form       string // folded: lower case, no diacritics, at most maxWord bytes
	Stem       string // Form without its English ending; often equal to Form
	Start, End int    // position in the text, in bytes
}

// maxWord is the length at which words are cut, in bytes. Longer ones are base64, hashes or
// minified code, which nobody types.
const maxWord = 64

// Analyzer splits text into words. Both engines index with the same analysis that queries use, so
// that they agree on what matches. It is not safe for concurrent use. The zero value is ready to
// use.
type Analyzer struct {
	env  *snowballstem.Env
	fold []byte
}

// Words calls yield for each word of text, in order, until yield returns false.
//
// Words end at the boundaries of Unicode Standard Annex 29, and at every character that is not a
// letter, digit or mark. So "user_id" and "example.com" are two words each. Each ideograph is a
// word.
func (a *Analyzer) Words(text string, yield func(Word) bool) {
	tokens := words.FromString(text)
	for tokens.Next() {
		if !a.split(tokens.Value(), tokens.Start(), yield) {
			return
		}
	}
}

// split yields the runs of letters, digits and marks of one UAX 29 token.
func (a *Analyzer) split(token string, offset int, yield func(Word) bool) bool {
	start := -1
	for i, r := range token {
		if wordRune(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && !apostrophe(r, token[i:]) {
			if !yield(a.word(token[start:i], offset+start)) {
				return false
			}
			start = -1
		}
	}
	return start < 0 || yield(a.word(token[start:], offset+start))
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// apostrophe reports whether r, with which rest begins, joins the letters on both sides, as in
// "don't".
func apostrophe(r rune, rest string) bool {
	if r != '\'' && r != '’' {
		return false
	}
	next, _ := utf8.DecodeRuneInString(rest[utf8.RuneLen(r):])
	return wordRune(next)
}

func (a *Analyzer) word(raw string, start int) Word {
	form := a.folded(raw)
	w := Word{Form: form, Stem: form, Start: start, End: start + len(raw)}
	if len(form) > 2 && isASCIILetters(form) {
		w.Stem = a.stem(form)
	}
	return w
}

// folded returns raw in lower case without diacritics or apostrophes.
func (a *Analyzer) folded(raw string) string {
	a.fold = a.fold[:0]
	ascii, changed := true, false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c >= utf8.RuneSelf {
			ascii = false
			break
		}
		if c == '\'' {
			changed = true
			continue
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
			changed = true
		}
		a.fold = append(a.fold, c)
	}
	if ascii && !changed {
		return cutWord(raw)
	}
	if ascii {
		return cutWord(string(a.fold))
	}
	return cutWord(foldUnicode(raw))
}

func foldUnicode(raw string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(raw) {
		// Keep marks of scripts in which they are vowels. Drop combining diacritics.
		if unicode.Is(unicode.Mn, r) && r < 0x0600 || r == '\'' || r == '’' {
			continue
		}
		b.WriteRune(unicode.ToLower(r))
	}
	if b.Len() == 0 {
		return strings.ToLower(raw)
	}
	return norm.NFC.String(b.String())
}

func cutWord(s string) string {
	if len(s) <= maxWord {
		return s
	}
	end := maxWord
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

func isASCIILetters(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

// stemSlots keep stems of frequent words, because the stemmer takes most of the time of an analysis. A form has
// one slot, in which another form may replace it. All of them take less than 2 MB.
var (
	stemSlots [1 << 14]atomic.Pointer[Word]
	stemSeed  = maphash.MakeSeed()
)

// stem applies the Snowball English stemmer (snowballstem.org, "Porter2").
func (a *Analyzer) stem(form string) string {
	slot := &stemSlots[maphash.String(stemSeed, form)%uint64(len(stemSlots))]
	if w := slot.Load(); w != nil && w.Form == form {
		return w.Stem
	}
	if a.env == nil {
		a.env = snowballstem.NewEnv("")
	}
	a.env.SetCurrent(form)
	english.Stem(a.env)
	stem := a.env.Current()
	slot.Store(&Word{Form: strings.Clone(form), Stem: strings.Clone(stem)}) // form may be part of a long text
	return stem
}
