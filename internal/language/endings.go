package language

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// This file has stemmers for languages of which Snowball has none, or one that needs letters that
// folding removes. They cut endings off, as long as enough of the word remains.

// longestFirst returns the words of a list, the longest first.
func longestFirst(list string) []string {
	words := strings.Fields(list)
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	return words
}

// turkishEndings are the endings of nouns and the common ones of verbs, with i for ı and u for ü.
var turkishEndings = longestFirst(`lar ler lari leri larin lerin imiz umuz iniz unuz miz muz niz nuz im um in un si su
	da de ta te dan den tan ten nda nde ndan nden ya
	ye yi yu nin nun na ne ni nu la le yla yle ca ce ki daki deki taki teki
	i u a e m n iyor uyor di du ti tu mis mus mek mak me ma ecek acak ir ur ar er iyoruz uyoruz dik duk tik tuk ildi uldu
	il ul in un ip up ince unca lik luk li lu siz suz ci cu`)

// turkishStem removes endings until none is left. Words have many, one after the other.
func turkishStem(form string) string {
	for {
		shorter := form
		for _, ending := range turkishEndings {
			stem, ok := strings.CutSuffix(form, ending)
			if ok && len(stem) >= max(2, 5-len(ending)) && strings.ContainsAny(stem, "aeiou") {
				shorter = stem
				break
			}
		}
		if shorter == form {
			break
		}
		form = shorter
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
	for _, ending := range slavicEndings {
		stem, ok := strings.CutSuffix(form, ending)
		if ok && len(stem) >= 3 && strings.ContainsAny(stem, "aeiouy") {
			form = stem
			break
		}
	}
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
	for _, suffix := range arabicSuffixes {
		if rest, ok := strings.CutSuffix(stem, suffix); ok && utf8.RuneCountInString(rest) >= 2 {
			stem = rest
			break
		}
	}
	add(stem)
	if _, size := utf8.DecodeRuneInString(stem); utf8.RuneCountInString(stem) >= 4 &&
		strings.ContainsRune("يتنا", firstRune(stem)) {
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

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
