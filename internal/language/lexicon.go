// Package language knows about languages: it splits texts into the tokens that indexes and queries
// share, finds stems, stop-words and similar words, and detects the languages of a text. It also
// holds word lists as data files, of which its callers decide how to use them. It leaves out
// ranking and storage. One rule always holds: the tokens of a text depend on nothing but the text.
package language

import (
	"embed"
	"slices"
	"strings"
)

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
	all := strings.Split(string(text), "\n")
	kept := all[:0]
	for _, line := range all {
		if !strings.HasPrefix(line, "#") {
			kept = append(kept, line)
		}
	}
	return kept
}
