package language

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// An index has some words of a text under another spelling, too, because people look for them by it.

// latin1 begins the letters from À to ÿ in UTF-8.
const latin1 = 0xc3

// respelled are letters with another way to write them. The form of a word drops their marks.
var respelled = map[rune]string{'ä': "ae", 'ö': "oe", 'ü': "ue", 'ø': "oe", 'å': "aa"}

// Respelled returns the form of a word that is written without umlauts, as "buero" is of Büro, or "" of another word.
func Respelled(raw string) string {
	if strings.IndexByte(raw, latin1) < 0 && !strings.Contains(raw, "\u0308") && !strings.Contains(raw, "\u030a") {
		return "" // nearly always
	}
	var b []byte
	found := false
	for _, r := range norm.NFKC.String(raw) {
		r = unicode.ToLower(r)
		if kindOf(r) != lower {
			return "" // each part of an identifier is a word, too
		}
		if s, ok := respelled[r]; ok {
			b, found = append(b, s...), true
		} else {
			b = appendFolded(b, r)
		}
	}
	if !found {
		return ""
	}
	return cut(string(b))
}

// Joined returns what is one word to those who look for it, although it is several in a text with these tokens: names of
// two Vietnamese syllables, as "hanoi" is of Hà Nội, and addresses of groups of hexadecimal digits.
func Joined(text string, tokens []Token) (list []Token) {
	for i := 1; i < len(tokens); i++ {
		x, y := &tokens[i-1], &tokens[i]
		if x.End+1 == y.Start && text[x.End] == ' ' && (len(x.Form) < x.End-x.Start || len(y.Form) < y.End-y.Start) &&
			isSyllable(text[x.Start:x.End], x.Form) && isSyllable(text[y.Start:y.End], y.Form) {
			list = append(list, Token{x.Form + y.Form, x.Start, y.End, x.Position})
		}
	}
	for at := 0; at < len(text); {
		n := strings.IndexAny(text[at:], ":.")
		if n < 0 {
			break
		}
		at += n + 1
		start, end := groups(text, at-1)
		if first := slices.IndexFunc(tokens, func(t Token) bool { return t.Start >= start }); end > at && first >= 0 {
			form := foldASCII(strings.ReplaceAll(text[start:end], text[at-1:at], ""))
			list, at = append(list, Token{form, start, end, tokens[first].Position}), end
		}
	}
	return list
}

// isSyllable reports whether a word of this form begins with a capital and is one syllable, as each word of Vietnamese is.
func isSyllable(word, form string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	from, to := strings.IndexAny(form, vowels), strings.LastIndexAny(form, vowels)
	return unicode.IsUpper(first) && len(form) > 1 && len(form) <= maxSyllable && from >= 0 &&
		strings.Trim(form[from:to+1], vowels) == "" && strings.Trim(form, alphabet) == ""
}

const (
	maxSyllable = 7
	vowels      = "aeiouy"
	alphabet    = "abcdefghijklmnopqrstuvwxyz"
)

// leastHex is how many digits an address of groups has at least. Times, dates and addresses of version 4 have fewer.
const leastHex = 12

// groups returns the groups of two or four hexadecimal digits around the separator at a place, which is behind the first
// of them, or end 0. The same separator is between all of them.
func groups(text string, at int) (start, end int) {
	for _, size := range [...]int{2, 4} {
		start, end = at-size, at
		if start < 0 || !isHex(text[start:at]) || start > 0 && inChunk(text[start-1]) {
			continue
		}
		for next := end + 1 + size; next <= len(text) && text[end] == text[at] && isHex(text[end+1:next]); next += 1 + size {
			end = next
		}
		if digits := (end - start + 1) / (size + 1) * size; digits >= leastHex && (end == len(text) || !inChunk(text[end])) {
			return start, end
		}
	}
	return 0, 0
}

func isHex(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'f') && (r < 'A' || r > 'F')
	})
}

// inChunk reports whether a byte continues a word.
func inChunk(c byte) bool { return c >= utf8.RuneSelf || asciiKind[c] != other }
