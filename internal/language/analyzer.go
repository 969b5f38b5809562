package language

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
)

// Token is one index term of a text.
type Token struct {
	Form       string // folded; two words that differ only in spelling have the same form
	Start, End int    // position in the text, in bytes
	Position   int    // number of the word in the text; an identifier has the position of its first part
}

// Analyzer splits texts into tokens. Indexes and queries use the same analysis, so that they agree
// on what matches. It is not safe for concurrent use. The zero value is ready to use.
type Analyzer struct {
	forms    map[string]string // of the words met so far
	text     string
	out      []Token
	position int
	disorder bool   // a token of an earlier position was appended
	spans    []span // parts of the identifier at hand
	units    []unit // characters of the run at hand, in a script without spaces
	buf      []byte // their folded forms
	number   number // the last number
	date     date   // the last date, as far as known
	phone    phone  // the last telephone number, as far as known
	env      *snowballstem.Env
}

// maxForms limits the memory that an Analyzer takes.
const maxForms = 1 << 16

// Tokens appends the terms of a text to out, in the order of their positions.
//
// A word is a run of letters, digits and marks. Identifiers (camelCase, snake_case, kebab-case, paths) appear whole
// and in parts. Numbers, versions, times and dates appear whole, in one notation: "3 PM" also gives "15:00", and "85
// kg" also gives "85kg". Scripts without spaces appear as overlapping pairs of characters, and ideographs also alone.
func (a *Analyzer) Tokens(text string, out []Token) []Token {
	if a.forms == nil || len(a.forms) > maxForms {
		a.forms = map[string]string{}
	}
	a.text, a.out, a.position = text, out, 0
	a.number, a.date, a.phone = number{end: far}, date{end: far}, phone{end: far}
	for i := 0; i < len(text); {
		i = a.next(i)
	}
	if added := a.out[len(out):]; a.disorder {
		slices.SortStableFunc(added, func(x, y Token) int { return x.Position - y.Position })
		a.disorder = false
	}
	out = a.out
	a.text, a.out = "", nil
	return out
}

// Finest returns the shortest token of each position: the parts of an identifier instead of the whole. Of
// readings of the same text, such as a date and its year, it takes the longest.
func Finest(tokens []Token) (list []Token) {
	for _, t := range tokens {
		n := len(list)
		switch {
		case n == 0 || list[n-1].Position != t.Position:
			list = append(list, t)
		case t.End-t.Start < list[n-1].End-list[n-1].Start,
			t.Start == list[n-1].Start && t.End == list[n-1].End && len(t.Form) > len(list[n-1].Form):
			list[n-1] = t
		}
	}
	return list
}

// far is a position that is near no token.
const far = -1 << 30

// next appends the tokens at i, if any, and returns where to go on.
func (a *Analyzer) next(i int) int {
	if c := a.text[i]; c < utf8.RuneSelf {
		if asciiKind[c] == other {
			return i + 1
		}
		return a.chunk(i)
	}
	r, size := utf8.DecodeRuneInString(a.text[i:])
	switch kindOf(r) {
	case lower, upper, numeral:
		return a.chunk(i)
	case joined:
		return a.unspaced(i)
	case picture:
		a.emit(a.text[i:i+size], i, i+size)
	}
	return i + size
}

// The kinds of characters. Marks count as lower-case letters, because they continue a word.
const (
	other   = iota
	lower   // a letter or mark
	upper   // an upper-case letter
	numeral // a digit
	joined  // a character of a script without spaces
	picture // an emoji or another symbol that stands for something
)

var asciiKind = func() (kinds [utf8.RuneSelf]uint8) {
	for c := range kinds {
		switch {
		case c >= 'a' && c <= 'z':
			kinds[c] = lower
		case c >= 'A' && c <= 'Z':
			kinds[c] = upper
		case c >= '0' && c <= '9':
			kinds[c] = numeral
		}
	}
	return kinds
}()

func kindOf(r rune) uint8 {
	switch {
	case r < utf8.RuneSelf:
		return asciiKind[r]
	case unspaced(r) != 0:
		return joined
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r), unicode.IsMark(r) && !(r >= 0xfe00 && r <= 0xfe0f):
		return lower
	case unicode.IsDigit(r):
		return numeral
	case r >= 0x1f300 && r <= 0x1faff && !(r >= 0x1f3fb && r <= 0x1f3ff), r >= 0x2600 && r <= 0x27bf:
		return picture
	}
	return other
}

// shape says what a chunk has, apart from letters in one case.
type shape uint8

const (
	hasSeparator shape = 1 << iota
	hasDigit
	hasLower
	hasInnerUpper
	hasApostrophe
	notASCII
)

// chunk appends the tokens of the word, identifier or number at i, and returns where it ends.
func (a *Analyzer) chunk(i int) int {
	end, shape := a.measure(i)
	switch {
	case shape&(hasSeparator|hasDigit|hasApostrophe) == 0 && shape&(hasInnerUpper|hasLower) != hasInnerUpper|hasLower:
		end = a.plain(i, end)
	case shape&(hasSeparator|hasDigit) == 0 && shape&hasApostrophe != 0:
		a.apostrophe(i, end)
	default:
		if shape&hasDigit == 0 || !a.numeric(i, end, shape) {
			a.identifier(i, end)
		}
	}
	return end
}

// measure returns the end of the chunk at i and what it consists of.
func (a *Analyzer) measure(i int) (end int, has shape) {
	last := uint8(other) // the kind of the last character
	for end = i; end < len(a.text); {
		c := a.text[end]
		var kind uint8
		size := 1
		if c < utf8.RuneSelf {
			kind = asciiKind[c]
		} else {
			var r rune
			r, size = utf8.DecodeRuneInString(a.text[end:])
			kind = kindOf(r)
			has |= notASCII
		}
		switch kind {
		case lower:
			has |= hasLower
		case upper:
			if last != other {
				has |= hasInnerUpper
			}
		case numeral:
			has |= hasDigit
		default:
			sep := a.joins(end, size, last)
			if kind != other || sep == 0 {
				return end, has
			}
			has |= sep
			kind = other
		}
		last = kind
		end += size
	}
	return end, has
}

// joins reports what the character of size bytes at i makes of the word that it stands in: 0 if it ends it.
func (a *Analyzer) joins(i, size int, before uint8) shape {
	if i+size >= len(a.text) || before == other {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(a.text[i:])
	r = narrow(r)
	if !isSeparator(r) && !isApostrophe(r) && r != '_' && !silent(r) {
		return 0
	}
	next, _ := utf8.DecodeRuneInString(a.text[i+size:])
	after := kindOf(next)
	if r == '_' && next == '_' {
		return hasSeparator
	}
	if after == other || after == joined || after == picture {
		return 0
	}
	if isApostrophe(r) {
		if before == numeral || after == numeral {
			return 0
		}
		return hasApostrophe
	}
	if (r == ',' || r == ':') && (before != numeral || after != numeral) {
		return 0
	}
	if silent(r) {
		return hasLower // no separator, but the word needs folding
	}
	return hasSeparator
}

func isApostrophe(r rune) bool {
	r = narrow(r)
	return r == '\'' || r == '’'
}

func isSeparator(r rune) bool {
	switch r {
	case '.', '/', '\\', '-', '_', '@', ',', ':', '‐', '‑':
		return true
	}
	return false
}

// narrow returns the ASCII character for one of full width.
func narrow(r rune) rune {
	if r >= '！' && r <= '～' {
		return r - ('！' - '!')
	}
	return r
}

// plain appends one word without parts, and returns where it ends.
func (a *Analyzer) plain(i, end int) int {
	raw := a.text[i:end]
	if len(raw) == 1 {
		if rest := a.text[end:]; strings.HasPrefix(rest, "++") {
			end += 2
		} else if strings.HasPrefix(rest, "#") &&
			(len(rest) == 1 || rest[1] >= utf8.RuneSelf || asciiKind[rest[1]] == other) {
			end++
		}
	}
	a.word(a.form(a.text[i:end]), i, end)
	return end
}

func (a *Analyzer) word(form string, start, end int) {
	if form == "" {
		return
	}
	if start-a.number.end <= maxGap && a.number.end > far || start-a.date.end <= maxGap && a.date.end > far {
		a.afterNumber(form, start, end)
	}
	a.emit(form, start, end)
}

// emit appends a token at a new position.
func (a *Analyzer) emit(form string, start, end int) {
	a.out = append(a.out, Token{Form: form, Start: start, End: end, Position: a.position})
	a.position++
}

// beside appends a token at the position of another one, unless it is there.
func (a *Analyzer) beside(form string, start, end, position int) {
	for i := len(a.out) - 1; i >= 0 && a.out[i].Position == position; i-- {
		if a.out[i].Form == form {
			return
		}
	}
	if n := len(a.out); n > 0 && a.out[n-1].Position > position {
		a.disorder = true
	}
	a.out = append(a.out, Token{Form: form, Start: start, End: end, Position: position})
}

func (a *Analyzer) form(raw string) string {
	if form, ok := a.forms[raw]; ok {
		return form
	}
	key := strings.Clone(raw) // raw may be part of a long text
	form := foldASCII(key)
	if form == "" {
		form = fold(key)
	}
	if len(key) <= 2*MaxForm {
		a.forms[key] = form
	}
	return form
}

// foldASCII returns raw in lower case, and "" if it has anything except ASCII letters and digits.
func foldASCII(raw string) string {
	for i := 0; i < len(raw); i++ {
		if c := raw[i]; c >= utf8.RuneSelf || c == '\'' {
			return ""
		}
	}
	return cut(strings.ToLower(raw))
}

// intern returns the string of b, and the same string for the same bytes.
func (a *Analyzer) intern(b []byte) string {
	if form, ok := a.forms[string(b)]; ok {
		return form
	}
	form := string(b)
	a.forms[form] = form
	return form
}
