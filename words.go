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

// Analyzer splits text into words. Both engines index with the same analysis that queries use, so that they agree on
// what matches. It is not safe for concurrent use. The zero value is ready to use.
type Analyzer struct {
	env  *snowballstem.Env
	fold []byte
}

// Words calls yield for each word of text, in order, until yield returns false.
//
// Words end at the boundaries of Unicode Standard Annex 29, and at every character that is not a letter, digit or
// mark. So "user_id" and "example.com" are two words each. Each ideograph is a word.
func (a *Analyzer) Words(text string, yield func(Word) bool) {
	for at, more := 0, true; more && at < len(text); {
		n := plain(text[at:])
		if n > 0 {
			more = a.plainWords(text[at:at+n], at, yield)
		} else {
			n = strings.IndexByte(text[at:], ' ') + 1
			if n == 0 {
				n = len(text) - at
			}
			more = a.anyWords(text[at:at+n], at, yield)
		}
		at += n
	}
}

// plain returns how much of the beginning of text is ASCII, up to a space or the end. No word goes
// on after a space, so each part of a text can be read in its own way.
func plain(text string) int {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.LastIndexByte(text[:i], ' ') + 1
		}
	}
	return len(text)
}

// plainWords yields the words of ASCII text, which are those of anyWords. It need not look up what each character is.
func (a *Analyzer) plainWords(text string, offset int, yield func(Word) bool) bool {
	for i := 0; i < len(text); i++ {
		if !plainRune(text[i]) {
			continue
		}
		start := i
		for i++; i < len(text) && (plainRune(text[i]) || joins(text, i)); i++ {
		}
		if !yield(a.word(text[start:i], offset+start)) {
			return false
		}
	}
	return true
}

func plainRune(c byte) bool { return plainLetter(c) || plainDigit(c) }

func plainLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func plainDigit(c byte) bool { return '0' <= c && c <= '9' }

// joins reports whether the character at i, which follows one of a word, is an apostrophe between two
// letters or two digits.
func joins(text string, i int) bool {
	if text[i] != '\'' || i+1 == len(text) {
		return false
	}
	before, after := text[i-1], text[i+1]
	return plainLetter(before) && plainLetter(after) || plainDigit(before) && plainDigit(after)
}

// anyWords yields the words of any text.
func (a *Analyzer) anyWords(text string, offset int, yield func(Word) bool) bool {
	tokens := words.FromString(text)
	for tokens.Next() {
		if !a.split(tokens.Value(), offset+tokens.Start(), yield) {
			return false
		}
	}
	return true
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
		return plainRune(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// apostrophe reports whether r, with which rest begins, joins the letters on both sides, as in "don't".
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

// IsASCII reports whether s has only ASCII characters.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isASCIILetters(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

// These keep stems of frequent words, because the stemmer takes most of the time of an analysis. A form has one slot
// in each, in which another form may replace it. All of them take less than 2 MB.
var (
	// stemLengths are of forms that begin with their stems, which most do: the hash of the form, whose last byte is
	// the length of the stem instead. They are small enough for the caches of a processor. Of 2^56 pairs of forms,
	// one has the same hash.
	stemLengths [1 << 15]atomic.Uint64
	stemSlots   [1 << 12]atomic.Pointer[Word] // of other forms
	stemSeed    = maphash.MakeSeed()
)

// stem applies the Snowball English stemmer (snowballstem.org, "Porter2").
func (a *Analyzer) stem(form string) string {
	hash := maphash.String(stemSeed, form)
	length := &stemLengths[hash>>8%uint64(len(stemLengths))]
	if n := length.Load(); n != 0 && n>>8 == hash>>8 {
		return form[:min(int(n&0xff), len(form))]
	}
	slot := &stemSlots[hash>>8%uint64(len(stemSlots))]
	if w := slot.Load(); w != nil && w.Form == form {
		return w.Stem
	}
	if a.env == nil {
		a.env = snowballstem.NewEnv("")
	}
	a.env.SetCurrent(form)
	english.Stem(a.env)
	stem := a.env.Current()
	if strings.HasPrefix(form, stem) {
		length.Store(hash&^0xff | uint64(len(stem))) // of at most maxWord bytes
		return form[:len(stem)]
	}
	slot.Store(&Word{Form: strings.Clone(form), Stem: strings.Clone(stem)}) // form may be part of a long text
	return stem
}

// FoldRune returns the smallest of the characters that Unicode's case folding treats as equal to r: in
// ASCII the capital letter. Texts that differ only in case are equal after it.
func FoldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}
	if caseless(r) {
		return r
	}
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	return least
}

// caseless reports whether r is in a range of scripts without case, so that nothing has to be looked up.
func caseless(r rune) bool {
	return r >= 0x0590 && r < 0x10A0 || r >= 0x2E80 && r < 0xA640 || r >= 0xAC00 && r < 0xD7B0
}
