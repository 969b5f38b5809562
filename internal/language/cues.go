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

var asksWhen = sync.OnceValue(func() (questions [][]string) {
	var a Analyzer
	for _, line := range Lines("asks-when") {
		var forms []string
		for _, t := range a.Tokens(line, nil) {
			forms = append(forms, t.Form)
		}
		questions = append(questions, forms)
	}
	return questions
})

// AsksWhen reports whether a question asks for a time.
func AsksWhen(tokens []Token) bool {
	has := make(map[string]bool, len(tokens))
	for _, t := range tokens {
		has[t.Form] = true
	}
	return slices.ContainsFunc(asksWhen(), func(forms []string) bool {
		return !slices.ContainsFunc(forms, func(f string) bool { return !has[f] })
	})
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
