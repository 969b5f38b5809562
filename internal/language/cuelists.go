package language

import "strings"

// Fold returns a word in the form in which words are compared: lower case, without diacritics and apostrophes.
func Fold(word string) string { return fold(word) }

// Cue is a line of a list of cues.
type Cue struct {
	Text      string
	Languages Languages // those in which it is one; all if its list has no sections
}

// Cues returns the lines of a list of cues. A section begins with the code of its language in brackets: [de].
// The package
// that reads a list explains what may be in a line. Cues panics if there is no such list.
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
