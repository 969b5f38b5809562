// Package language knows about languages: it splits texts into the tokens that indexes and queries
// share, finds stems, stop-words and similar words, and detects the languages of a text. It also
// holds word lists as data files, of which its callers decide how to use them. It leaves out
// ranking and storage. One rule always holds: the tokens of a text depend on nothing but the text.
package language

import (
	"embed"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Languages is a set of languages.
type Languages uint32

// The languages that Loci knows something about: their stop-words, and for most their endings.
const (
	English Languages = 1 << iota
	German
	French
	Spanish
	Italian
	Portuguese
	Dutch
	Swedish
	Norwegian
	Danish
	Finnish
	Hungarian
	Romanian
	Turkish
	Polish
	Czech
	Russian
	Ukrainian
	Greek
	Arabic
	Persian
	Hebrew
	Hindi
	Tamil
	Chinese
	Japanese
	Korean
	Thai
)

// codes are the codes of the languages in stopwords.txt, in the order of their bits.
var codes = strings.Fields("en de fr es it pt nl sv no da fi hu ro tr pl cs ru uk el ar fa he hi ta zh ja ko th")

// Each calls yield for each language of the set.
func (l Languages) Each(yield func(Languages) bool) {
	for ; l != 0; l &= l - 1 {
		if !yield(l & -l) {
			return
		}
	}
}

// String returns the codes of the languages.
func (l Languages) String() string {
	var names []string
	for one := range l.Each {
		names = append(names, codes[bits.TrailingZeros32(uint32(one))])
	}
	return strings.Join(names, " ")
}

const latin = English | German | French | Spanish | Italian | Portuguese | Dutch | Swedish | Norwegian | Danish |
	Finnish | Hungarian | Romanian | Turkish | Polish | Czech

// stopWords maps folded stop-words to the languages in which they are some.
var stopWords = sync.OnceValue(func() map[string]Languages {
	table := map[string]Languages{}
	for _, line := range Lines("stopwords") {
		code, words, _ := strings.Cut(line, " ")
		for i, c := range codes {
			if c != code {
				continue
			}
			for word := range strings.FieldsSeq(words) {
				table[fold(word)] |= 1 << i
			}
		}
	}
	return table
})

// Stop reports whether a form is a stop-word in one of these languages.
func Stop(form string, langs Languages) bool { return stopWords()[form]&langs != 0 }

// telling are letters that few languages have.
var telling = map[rune]Languages{
	'ß': German, 'ä': German | Swedish | Finnish, 'ö': German | Swedish | Finnish | Turkish | Hungarian,
	'ü': German | Turkish | Hungarian, 'ñ': Spanish, '¿': Spanish, '¡': Spanish, 'ã': Portuguese, 'õ': Portuguese,
	'ç': French | Portuguese | Turkish, 'è': French | Italian, 'ê': French | Portuguese, 'ù': French | Italian,
	'ì': Italian, 'ò': Italian, 'œ': French, 'ő': Hungarian, 'ű': Hungarian, 'ă': Romanian, 'ș': Romanian, 'ț': Romanian,
	'ţ': Romanian, 'ş': Turkish, 'ğ': Turkish, 'ı': Turkish, 'ł': Polish, 'ą': Polish, 'ę': Polish, 'ś': Polish,
	'ź': Polish, 'ż': Polish, 'ć': Polish, 'ń': Polish, 'ř': Czech, 'ě': Czech, 'ů': Czech, 'č': Czech, 'ž': Czech,
	'š': Czech, 'å': Swedish | Norwegian | Danish, 'æ': Norwegian | Danish, 'ø': Norwegian | Danish,
	'і': Ukrainian, 'ї': Ukrainian, 'є': Ukrainian, 'ґ': Ukrainian, 'ы': Russian, 'э': Russian, 'ё': Russian, 'ъ': Russian,
	'پ': Persian, 'چ': Persian, 'ژ': Persian, 'گ': Persian,
}

var analyzers = sync.Pool{New: func() any { return new(Analyzer) }}

// Borrow returns an Analyzer that may know words of other texts, which makes it faster. Give it back with Return.
func Borrow() *Analyzer { return analyzers.Get().(*Analyzer) } //nolint:forcetypeassert // the pool has nothing else

// Return gives back what Borrow has returned.
func (a *Analyzer) Return() { analyzers.Put(a) }

// Detect returns the languages that a text may be in, by its script, its stop-words and the letters that few
// languages have. If it cannot tell, it returns English for Latin script. It returns 0 for a text without letters.
func Detect(text string) Languages {
	a := Borrow()
	defer a.Return()
	return DetectTokens(text, a.Tokens(text, nil))
}

// DetectTokens is Detect for a text whose tokens are at hand.
func DetectTokens(text string, tokens []Token) Languages {
	found, letters := scripts(text)
	if found&latin != 0 {
		found = found&^latin | latinLanguages(tokens, letters)
	}
	if found&(Russian|Ukrainian) != 0 && letters[Ukrainian] > letters[Russian] {
		found = found&^Russian | Ukrainian
	}
	if found&Arabic != 0 && letters[Persian] > 0 {
		found |= Persian
	}
	return found
}

// scripts returns the languages by script, with English for Latin, and how often the text has
// telling letters of each language.
func scripts(text string) (found Languages, letters map[Languages]float64) {
	for _, r := range text {
		if r < utf8.RuneSelf {
			if asciiKind[r] == lower || asciiKind[r] == upper {
				found |= English
			}
			continue
		}
		found |= scriptOf(r)
		langs := telling[unicode.ToLower(r)]
		for one := range langs.Each {
			if letters == nil {
				letters = map[Languages]float64{}
			}
			letters[one] += 1 / float64(bits.OnesCount32(uint32(langs)))
		}
	}
	if found&Japanese != 0 {
		found &^= Chinese
	} else if found&Chinese != 0 {
		found |= Japanese
	}
	return found, letters
}

func scriptOf(r rune) Languages {
	switch {
	case r < 0x0370:
		if unicode.IsLetter(r) {
			return English
		}
	case r < 0x0400:
		return Greek
	case r < 0x0530:
		return Russian
	case r >= 0x0590 && r < 0x0600:
		return Hebrew
	case r >= 0x0600 && r < 0x0780:
		return Arabic
	case r >= 0x0900 && r < 0x0980:
		return Hindi
	case r >= 0x0b80 && r < 0x0c00:
		return Tamil
	case r >= 0x0e00 && r < 0x0e80:
		return Thai
	case r >= 0x1e00 && r < 0x1f00, r >= 'Ａ' && r <= 'ｚ':
		return English
	case r >= 0x1f00 && r < 0x2000:
		return Greek
	case r >= 0x3041 && r < 0x3100, r >= 0xff66 && r < 0xffa0:
		return Japanese
	}
	switch unspaced(r) {
	case hangul:
		return Korean
	case cjk:
		return Chinese
	}
	return 0
}

// sure is the score of two stop-words of one language. With less, a text may be English as well: "per" is one word
// of Italian and of "Customers pay per seat".
const sure = 2

// latinLanguages returns the languages with the most stop-words and telling letters. A stop-word of
// several languages counts less for each.
func latinLanguages(tokens []Token, letters map[Languages]float64) Languages {
	var scores [32]float64
	table := stopWords()
	for _, t := range tokens {
		langs := table[t.Form] & latin
		if langs == 0 {
			continue
		}
		share := 1 / float64(bits.OnesCount32(uint32(langs)))
		for one := range langs.Each {
			scores[bits.TrailingZeros32(uint32(one))] += .5 + .5*share
		}
	}
	best := 0.0
	for i := range scores {
		if one := Languages(1) << i; latin&one != 0 {
			scores[i] += .75 * min(letters[one], 3)
			best = max(best, scores[i])
		}
	}
	if best < 1 {
		best = 1 // not sure: English, and whatever has a hint
		scores[0] = 1
	}
	least := .7 * best
	if scores[0] == best {
		least = .9 * best // short English words are words of other languages, too
	}
	if best < sure {
		scores[0] = max(scores[0], least)
	}
	var found Languages
	for i, score := range scores {
		if score >= least {
			found |= 1 << i
		}
	}
	return found
}

//go:embed words/*.txt
var files embed.FS

// Words returns the words of a list, in the order of its file. It panics if there is no such list.
func Words(list string) []string {
	var words []string
	for _, line := range lines(list) {
		words = append(words, strings.Fields(line)...)
	}
	return words
}

// Lines returns the lines of a list that are not empty. It panics if there is no such list.
func Lines(list string) []string {
	return slices.DeleteFunc(lines(list), func(line string) bool { return strings.TrimSpace(line) == "" })
}

// Groups returns the groups of a list: each block of lines is a group, and each line is one side
// of it. It panics if there is no such list.
func Groups(list string) [][][]string {
	var groups [][][]string
	inGroup := false
	for _, line := range lines(list) {
		side := strings.Fields(line)
		switch {
		case len(side) == 0:
			inGroup = false
			continue
		case !inGroup:
			groups = append(groups, nil)
			inGroup = true
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], side)
	}
	return groups
}

// lines returns the lines of a list without its comments.
func lines(list string) []string {
	text, err := files.ReadFile("words/" + list + ".txt")
	if err != nil {
		panic(err) // the list is missing from the program
	}
	return slices.DeleteFunc(strings.Split(string(text), "\n"),
		func(line string) bool { return strings.HasPrefix(line, "#") })
}

// folded maps the folded words of each line of a list to what value returns for the line. The first words of a line, as
// many as skip, are not among them.
func folded[V any](list string, skip int, value func(i int, words []string) V) map[string]V {
	table := map[string]V{}
	for i, line := range Lines(list) {
		words := strings.Fields(line)
		for _, w := range words[skip:] {
			table[fold(w)] = value(i, words)
		}
	}
	return table
}
