package language

import "sync"

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

// TellsWhen reports whether a form tells when something happens: "yesterday", "March", or a year
// from 1900 to 2099.
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
	for _, forms := range asksWhen() {
		all := true
		for _, f := range forms {
			all = all && has[f]
		}
		if all {
			return true
		}
	}
	return false
}
