package language

import (
	"slices"
	"strings"
	"sync"
)

func formsOf(list string) map[string]bool {
	set := map[string]bool{}
	var a Analyzer
	for _, word := range Words(list) {
		for _, t := range a.Tokens(word, nil) {
			if t.Start == 0 && t.End == len(word) {
				set[t.Form] = true
			}
		}
	}
	return set
}

var whenWords = sync.OnceValue(func() map[string]bool {
	set := formsOf("when")
	for name := range months() {
		if name != "may" { // it is seldom the month
			set[name] = true
		}
	}
	return set
})

// TellsWhen reports whether a form tells when something happens: "yesterday", "March", or a year from 1900 to 2099.
func TellsWhen(form string) bool { return whenWords()[form] || YearOf(form) > 0 }

// YearOf returns the year that a form is, from 1900 to 2099, or 0.
func YearOf(form string) int {
	if len(form) != 4 || form[:2] != "19" && form[:2] != "20" || !isDigit(rune(form[2])) || !isDigit(rune(form[3])) {
		return 0
	}
	return atoi(form)
}

// MonthOf returns the number of the month that a form names, in any language, or 0.
func MonthOf(form string) int { return months()[form] }

var firstPerson = sync.OnceValue(func() map[string]bool { return formsOf("first-person") })

// FirstPerson reports whether a form is a word by which people speak of themselves: "I" or "mein".
func FirstPerson(form string) bool { return firstPerson()[form] }

var (
	asksWhen = sync.OnceValue(func() []string { return phrasesOf("asks-when") })
	asksHelp = sync.OnceValue(func() []string { return phrasesOf("asks-help") })

	asksOrder       = sync.OnceValue(func() []string { return phrasesOf("asks-order") })
	overviewPhrases = sync.OnceValue(func() map[string][]string { // by their first words
		phrases := map[string][]string{}
		for _, p := range append(phrasesOf("asks-overview"), asksOrder()...) {
			first, _, _ := strings.Cut(p[1:], " ")
			phrases[first] = append(phrases[first], p)
		}
		return phrases
	})
	countedWords  = sync.OnceValue(func() map[string]bool { return formsOf("counted-words") })
	overviewWords = sync.OnceValue(func() map[string]bool { return formsOf("overview-words") })
)

func phrasesOf(list string) (phrases []string) {
	var a Analyzer
	for _, line := range Lines(list) {
		phrases = append(phrases, inOneLine(a.Tokens(line, nil)))
	}
	return phrases
}

// AsksWhen reports whether a question asks for a time.
func AsksWhen(tokens []Token) bool { return hasPhrase(tokens, asksWhen()) }

// AsksHelp reports whether a text asks for help or advice, to which the rules and preferences of the asker apply.
func AsksHelp(tokens []Token) bool { return hasPhrase(tokens, asksHelp()) }

// AsksOrder reports whether a question asks what happened one after the other.
func AsksOrder(tokens []Token) bool { return hasPhrase(tokens, asksOrder()) }

// Overview returns nil unless a question asks for many things at once: a list, a summary or an order. Then it reports
// of each token whether it says only that, and nothing of the subject.
func Overview(tokens []Token) (formal []bool) {
	text := inOneLine(tokens)
	for i := range tokens {
		for _, p := range overviewPhrases()[tokens[i].Form] {
			if !strings.HasPrefix(text, p) {
				continue
			}
			if formal == nil {
				formal = make([]bool, len(tokens))
			}
			for j := i; j < min(i+strings.Count(p, " ")-1, len(tokens)); j++ {
				formal[j] = true
			}
		}
		text = text[len(tokens[i].Form)+1:]
	}
	for i := range formal {
		words, form := overviewWords(), tokens[i].Form
		formal[i] = formal[i] || words[form] || i > 0 && words[tokens[i-1].Form] && countedWords()[form]
	}
	return formal
}

func hasPhrase(tokens []Token, phrases []string) bool {
	text := inOneLine(tokens)
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
}

func inOneLine(tokens []Token) string {
	text := []byte(" ")
	for i := range tokens {
		text = append(append(text, tokens[i].Form...), ' ')
	}
	return string(text)
}

var rules = sync.OnceValue(func() map[string]bool { return formsOf("rules") })

// StatesRule reports whether a form is a word of standing rules and preferences: "always" or "prefer".
func StatesRule(form string) bool { return rules()[form] }

var (
	negations = sync.OnceValue(func() map[string]bool { return formsOf("negations") })
	implied   = sync.OnceValue(func() map[string]bool { return formsOf("implied-negations") })

	interrogatives = sync.OnceValue(func() map[string]bool { return formsOf("interrogatives") })
)

// mostDenying is how many words a text has at most that says little more than its denial.
const mostDenying = 16

// Denies reports whether a text is a short one whose first clause denies something: "We do not use Kafka", but not
// "No, we use it".
func Denies(text string, tokens []Token) bool {
	end := len(text)
	if i := strings.IndexAny(text, ",;.!?\n，；。！？"); i > 0 {
		end = i
	}
	for i := 0; len(tokens) <= mostDenying && i+1 < len(tokens) && tokens[i+1].Start < end; i++ {
		if negations()[tokens[i].Form] {
			return true
		}
	}
	return len(tokens) <= 2*mostDenying && containsAny(text[:end], unspacedNegations())
}

// asking is among how many of its first words a question has the one that asks.
const asking = 3

// AsksWhatIs reports whether a question asks what, who or where something is, and not what is not: "which broker do we
// use", but not "do we use Kafka" or "what do we avoid".
func AsksWhatIs(text string, tokens []Token) bool {
	open := func(t Token) bool { return interrogatives()[t.Form] }
	denies := func(t Token) bool { return negations()[t.Form] || implied()[t.Form] }
	return slices.ContainsFunc(tokens[:min(len(tokens), asking)], open) && !slices.ContainsFunc(tokens, denies) &&
		!containsAny(text, unspacedNegations())
}

var unspacedNegations = sync.OnceValue(func() []string { return Words("negations-unspaced") })

func containsAny(text string, parts []string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= 0x0e00 }) >= 0 &&
		slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}

// Fold returns a word in the form in which words are compared: lower case, without diacritics and apostrophes.
func Fold(word string) string { return fold(word) }

// Cue is a line of a list of cues.
type Cue struct {
	Text      string
	Languages Languages // those in which it is one; all if its list has no sections
}

// Cues returns the lines of a list of cues. A section begins with the code of its language in brackets: [de]. The
// package that reads a list explains what may be in a line. Cues panics if there is no such list.
func Cues(list string) []Cue {
	var cues []Cue
	in := ^Languages(0)
	for _, line := range lines(list) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case line[0] == '[' && line[len(line)-1] == ']':
			in = coded(line[1 : len(line)-1])
		default:
			cues = append(cues, Cue{line, in})
		}
	}
	return cues
}

// coded returns the language of a code. It panics if there is none.
func coded(code string) Languages {
	for i, c := range codes {
		if c == code {
			return 1 << i
		}
	}
	panic("no language has the code " + code) // the list is part of the program
}
