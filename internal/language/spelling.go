package language

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// An index has some words of a text under another spelling, too, because people look for them by it.

// respelled are letters with another way to write them. The form of a word only drops their marks.
var respelled = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ø", "oe", "å", "aa")

// Respelled returns the form of a word that is written without umlauts, as "buero" is of Büro, or "" of another word.
func Respelled(raw string) string {
	if strings.IndexByte(raw, "ä"[0]) < 0 && !strings.Contains(raw, "\u0308") && !strings.Contains(raw, "\u030a") {
		return "" // nearly always
	}
	whole := strings.ToLower(norm.NFKC.String(raw))
	other := respelled.Replace(whole)
	if other == whole || strings.ContainsFunc(whole, func(r rune) bool { return kindOf(r) != lower }) {
		return "" // the parts of an identifier are words, too
	}
	return fold(other)
}

// syllable is a word of Vietnamese, and hexGroup several groups of hexadecimal digits. Times, dates and addresses of
// version 4 have fewer.
var (
	syllable = regexp.MustCompile(`^[b-df-hj-np-tv-xz]{0,3}[aeiouy]{1,3}[b-df-hj-np-tv-xz]{0,2}$`)
	hexGroup = regexp.MustCompile(`^(?:[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5,}|[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4}){2,})\b`)
)

// Joined returns what is one word to those who look for it, although it is several in a text with these tokens: names
// of two Vietnamese syllables, as "hanoi" is of Hà Nội, and addresses of groups of hexadecimal digits.
func Joined(text string, tokens []Token) (list []Token) {
	for i := 1; i < len(tokens); i++ {
		x, y := &tokens[i-1], &tokens[i]
		if x.End+1 == y.Start && text[x.End] == ' ' && (len(x.Form) < x.End-x.Start || len(y.Form) < y.End-y.Start) &&
			capital(text[x.Start:]) && capital(text[y.Start:]) && syllable.MatchString(x.Form) && syllable.MatchString(y.Form) {
			list = append(list, Token{x.Form + y.Form, x.Start, y.End, x.Position})
		}
	}
	for at := 0; ; at++ {
		n := strings.IndexAny(text[at:], ":.")
		if n < 0 {
			return list
		}
		at += n
		start := at - 2
		if text[at] == '.' {
			start = at - 4
		}
		if start < 0 || start > 0 && inWord(text[start-1]) {
			continue
		}
		group := hexGroup.FindString(text[start:])
		if i := slices.IndexFunc(tokens, func(t Token) bool { return t.Start >= start }); group != "" && i >= 0 {
			form := cut(strings.ToLower(strings.ReplaceAll(group, text[at:at+1], "")))
			list, at = append(list, Token{form, start, start + len(group), tokens[i].Position}), start+len(group)-1
		}
	}
}

func capital(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}

func inWord(c byte) bool { return c >= utf8.RuneSelf || asciiKind[c] != other }
