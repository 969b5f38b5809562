package language

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// This file has stemmers for languages of which Snowball has none, or one that needs letters that
// folding removes. They cut endings off, as long as enough of the word remains.

// longestFirst returns the words of a list, the longest first.
func longestFirst(list string) []string {
	words := strings.Fields(list)
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	return words
}

// withoutEnding returns a form without the first of these endings that leaves enough of it.
func withoutEnding(form string, endings []string, enough func(stem string) bool) string {
	for _, ending := range endings {
		if stem, ok := strings.CutSuffix(form, ending); ok && enough(stem) {
			return stem
		}
	}
	return form
}

// turkishEndings are the endings of nouns and the common ones of verbs, with i for ı and u for ü.
var turkishEndings = longestFirst(`lar ler lari leri larin lerin imiz umuz iniz unuz miz muz niz nuz im um in un si su
	da de ta te dan den tan ten nda nde ndan nden ya
	ye yi yu nin nun na ne ni nu la le yla yle ca ce ki daki deki taki teki
	i u a e m n iyor uyor di du ti tu mis mus mek mak me ma ecek acak ir ur ar er iyoruz uyoruz dik duk tik tuk ildi uldu
	il ul in un ip up ince unca lik luk li lu siz suz ci cu`)

// turkishStem removes endings until none is left. Words have many, one after the other.
func turkishStem(form string) string {
	for before := ""; form != before; {
		before = form
		form = withoutEnding(form, turkishEndings, func(stem string) bool {
			return len(stem) >= max(2, 5-len(before)+len(stem)) && strings.ContainsAny(stem, "aeiou")
		})
	}
	// A last consonant becomes soft before a vowel: kitap, kitabı.
	switch last := len(form) - 1; form[last] {
	case 'b':
		return form[:last] + "p"
	case 'd':
		return form[:last] + "t"
	case 'g':
		return form[:last] + "k"
	}
	return form
}

// slavicEndings are the endings of Polish and Czech words, folded.
var slavicEndings = longestFirst(`owie owi ami ach om ow ego emu ymi imi ych ich iej ej ie ia iu em am a e i o u y
	iem iami iach ing owac uje uja ujemy al ala alo ali aly il ila ilo ili ily yl yla yli ac ic ec asz esz isz ysz
	ana ane any ano ony ona one ono eho ymi ou ovi ove imu im ym`)

// slavicStem removes one ending, and the vowel or the i before it.
func slavicStem(form string) string {
	form = withoutEnding(form, slavicEndings,
		func(stem string) bool { return len(stem) >= 3 && strings.ContainsAny(stem, "aeiouy") })
	if len(form) > 3 {
		form = strings.TrimSuffix(form, "i")
	}
	return form
}

var (
	arabicArticles = []string{"وال", "بال", "فال", "كال", "لل", "ال"}
	arabicSuffixes = longestFirst("اتهم اتها اتي تهم تها تنا تي ته ات ون ين ان هم هن ها نا كم ية يه ه ي ت ك")
)

// arabicStems passes the word without article and suffix to add, the word without the prefix of a
// verb, and its consonants: the plural of many words only has other long vowels.
func arabicStems(form string, add func(string)) {
	stem := form
	for _, article := range arabicArticles {
		if rest, ok := strings.CutPrefix(stem, article); ok && utf8.RuneCountInString(rest) >= 3 {
			stem = rest
			break
		}
	}
	add(stem)
	stem = withoutEnding(stem, arabicSuffixes, func(rest string) bool { return utf8.RuneCountInString(rest) >= 2 })
	add(stem)
	if first, size := utf8.DecodeRuneInString(stem); utf8.RuneCountInString(stem) >= 4 &&
		strings.ContainsRune("يتنا", first) {
		add(stem[size:])
	}
	skeleton := strings.Map(func(r rune) rune {
		if strings.ContainsRune("اويء", r) {
			return -1
		}
		return r
	}, stem)
	if utf8.RuneCountInString(skeleton) >= 3 {
		add(skeleton)
	}
}

var (
	destroyVerbs   = sync.OnceValue(func() map[string]bool { return formsOf("destroy-verbs") })
	destroyObjects = sync.OnceValue(func() map[string]bool { return formsOf("destroy-objects") })
)

// Destroys reports whether a text is about destroying what is remembered: "delete the memories of last year".
func Destroys(text string) bool {
	verb, object := false, false
	var a Analyzer
	for _, t := range a.Tokens(text, nil) {
		verb, object = verb || destroyVerbs()[t.Form], object || destroyObjects()[t.Form]
	}
	return verb && object
}

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
