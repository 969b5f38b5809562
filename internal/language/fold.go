package language

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxForm is the length at which forms are cut, in bytes. Longer ones are base64, hashes or
// minified code, which nobody types.
const MaxForm = 64

// letters are the folded forms of letters that Unicode does not decompose.
var letters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ħ': "h", 'ı': "i", 'ŋ': "n",
	'ŧ': "t", 'ƀ': "b", 'ĸ': "k",
	'ς': "σ", 'ё': "е", 'ѐ': "е",
	'أ': "ا", 'إ': "ا", 'آ': "ا", 'ٱ': "ا", 'ى': "ي", 'ی': "ي", 'ئ': "ي", 'ؤ': "و", 'ة': "ه", 'ک': "ك", 'ـ': "",
}

// fold returns a word in the form in which words are compared: lower case, without diacritics and
// vowel marks, in one width, and with one form for each ideograph and each kana.
func fold(raw string) string {
	var b []byte
	for _, r := range norm.NFKC.String(raw) {
		b = appendFolded(b, r)
	}
	return cut(string(b))
}

// appendFolded appends the folded form of a character, which may be empty.
func appendFolded(b []byte, r rune) []byte {
	r = unicode.ToLower(r)
	switch {
	case r < utf8.RuneSelf:
		if r == '\'' {
			return b
		}
		return append(b, byte(r))
	case unspaced(r) == cjk:
		return utf8.AppendRune(b, foldIdeograph(r))
	case silent(r):
		return b
	case isDigit(r):
		return append(b, '0'+digit(r))
	}
	if s, ok := letters[r]; ok {
		return append(b, s...)
	}
	if decomposes(r) {
		for _, part := range norm.NFD.String(string(r)) {
			if !unicode.Is(unicode.Mn, part) {
				b = utf8.AppendRune(b, part)
			}
		}
		return b
	}
	return utf8.AppendRune(b, r)
}

// silent reports whether a character makes no difference: diacritics of alphabets, the vowel marks of Arabic and
// Hebrew, apostrophes and invisible characters. The marks of Indic scripts and of Thai are vowels and remain.
func silent(r rune) bool {
	switch {
	case r == '’', r == '\u02bc', r == '\u00ad', r >= '\u200b' && r <= '\u200f', r == '\u2060', r == '\ufeff':
		return true
	case r >= '\ufe00' && r <= '\ufe0f':
		return true
	}
	return r < 0x0900 && unicode.Is(unicode.Mn, r)
}

// decomposes reports whether the marks of a letter are dropped: Latin and Greek, but not Cyrillic,
// where й and ї are letters of their own.
func decomposes(r rune) bool {
	return r < 0x0400 || r >= 0x1e00 && r < 0x2000
}

// foldIdeograph returns hiragana for katakana and one form of each ideograph.
func foldIdeograph(r rune) rune {
	switch {
	case r >= 'ァ' && r <= 'ヶ' || r == 'ヽ' || r == 'ヾ':
		return r - ('ァ' - 'ぁ')
	case r >= 0x2e80 && unicode.Is(unicode.Han, r):
		if to, ok := ideographs()[r]; ok {
			return to
		}
	}
	return r
}

// ideographs maps variants of ideographs to the one that stands for all.
var ideographs = sync.OnceValue(func() map[rune]rune {
	table := make(map[rune]rune, 3000)
	for _, group := range Words("ideographs") {
		first, size := utf8.DecodeRuneInString(group)
		for _, r := range group[size:] {
			table[r] = first
		}
	}
	return table
})

func isDigit(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '0' && r <= '9'
	}
	return unicode.IsDigit(r)
}

// digit returns the value of a decimal digit. Unicode keeps the digits of a script together, zero first.
func digit(r rune) byte {
	for _, zero := range [...]rune{'0', '٠', '۰', '०', '０'} {
		if r >= zero && r < zero+10 {
			return byte(r - zero)
		}
	}
	value := byte(0)
	for value < 9 && unicode.IsDigit(r-1) {
		r, value = r-1, value+1
	}
	return value
}

func cut(s string) string {
	if len(s) <= MaxForm {
		return s
	}
	end := MaxForm
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// Lower returns the text in lower case, with each character as long as it was, so that places in both are the same.
func Lower(text string) string {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			out = append(out, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if low := unicode.ToLower(r); r != utf8.RuneError && utf8.RuneLen(low) == size {
			out = utf8.AppendRune(out, low)
		} else {
			out = append(out, text[i:i+size]...)
		}
		i += size
	}
	return string(out)
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
