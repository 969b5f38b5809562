package recall

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/language"
)

// These are the marks around stored text in a prompt. Stored text cannot contain them: see Escape.
const (
	fenceStart = "<memories>\n"
	fenceEnd   = "</memories>\n"
)

// mark finds anything that a model could mistake for a mark.
var mark = regexp.MustCompile(`(?i)<(\s*/?\s*memories)`)

// Escape changes the marks in a stored text.
func Escape(text string) string { return mark.ReplaceAllString(text, "<\\$1") }

// Fence returns stored text between two marks that the text itself cannot contain, so that a model
// can tell where it ends.
func Fence(text string) string {
	if text = Escape(text); !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fenceStart + text + fenceEnd
}

// cues are the words and phrases of language by which Instructs judges.
var cues = sync.OnceValue(func() *cueLists {
	c := &cueLists{words: map[string][]cueSide{}, phrases: language.Lines("instruction-phrases"),
		unspaced: language.Lines("instruction-unspaced")}
	for _, sides := range language.Groups("instructions") {
		for i, side := range sides {
			for _, w := range side {
				c.words[fold(w)] = append(c.words[fold(w)], cueSide{len(c.groups), i})
			}
		}
		c.groups = append(c.groups, len(sides))
	}
	for i, p := range c.phrases {
		c.phrases[i] = " " + strings.Join(wordsOf(p), " ") + " "
	}
	return c
})

type cueLists struct {
	words    map[string][]cueSide
	groups   []int    // the number of sides; each side must have a word within maxCueSpan words
	phrases  []string // words in a row
	unspaced []string // anywhere in the text
}

// cueSide is a side of a group that has a word.
type cueSide struct{ group, side int }

// maxCueSpan is how many words apart the words of a cue may be.
const maxCueSpan = 8

// maxCueText is how many bytes of a text are judged at its beginning and at its end.
const maxCueText = 20_000

// Instructs reports whether a text reads as if it told a model what to do: to forget what it was
// told, to take another part, or to call a tool. It goes by word lists in several languages, so it
// finds common attempts, not all, and it is a caution rather than a verdict.
func Instructs(text string) bool {
	if len(text) > 2*maxCueText {
		text = text[:maxCueText] + " " + text[len(text)-maxCueText:]
	}
	lower := strings.ToLower(text)
	c := cues()
	for _, part := range c.unspaced {
		if strings.Contains(lower, part) {
			return true
		}
	}
	words := wordsOf(text)
	line := " " + strings.Join(words, " ") + " "
	for _, p := range c.phrases {
		if strings.Contains(line, p) {
			return true
		}
	}
	return c.cued(words)
}

// cued reports whether words has a word of each side of any group within maxCueSpan words.
func (c *cueLists) cued(words []string) bool {
	last := make([][]int, len(c.groups)) // where each side had its last word
	for i, sides := range c.groups {
		last[i] = slices.Repeat([]int{-maxCueSpan - 1}, sides)
	}
	for at, w := range words {
		for _, of := range c.words[w] {
			last[of.group][of.side] = at
			if at-slices.Min(last[of.group]) < maxCueSpan {
				return true
			}
		}
	}
	return false
}

// wordsOf returns the words of a text without case and diacritics.
func wordsOf(text string) (words []string) {
	var a loci.Analyzer
	a.Words(text, func(w loci.Word) bool {
		words = append(words, w.Form)
		return true
	})
	return words
}

func fold(word string) string { return strings.Join(wordsOf(word), "") }
