package recall

import (
	"slices"
	"strings"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/language"
)

// Order is a piece of a text that reads as if it told a model what to do, in bytes.
type Order struct{ Start, End int }

// cues are the words and phrases of language by which Orders judges.
var cues = sync.OnceValue(func() *cueLists {
	c := &cueLists{words: map[string][]cueSide{}, phrases: map[string][][]string{}, guards: map[string]map[string]bool{},
		unspaced: language.Lines("instruction-unspaced")}
	for _, sides := range language.Groups("instructions") {
		for i, side := range sides {
			for _, w := range side {
				c.words[fold(w)] = append(c.words[fold(w)], cueSide{len(c.groups), i})
			}
		}
		c.groups = append(c.groups, len(sides))
	}
	for _, p := range language.Lines("instruction-phrases") {
		words := wordsOf(p)
		c.phrases[words[0]] = append(c.phrases[words[0]], words[1:])
	}
	for _, line := range language.Lines("instruction-guards") {
		name, list, _ := strings.Cut(line, ":")
		if c.guards[name] == nil {
			c.guards[name] = map[string]bool{}
		}
		for _, w := range strings.Fields(list) {
			c.guards[name][fold(w)] = true
		}
	}
	return c
})

type cueLists struct {
	words    map[string][]cueSide
	groups   []int                      // the number of sides; each side must have a word within maxCueSpan words
	phrases  map[string][][]string      // words in a row, by the first of them
	unspaced []string                   // anywhere in the text
	guards   map[string]map[string]bool // words that say who is told what
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
	found := false
	eachOrder(text, func(int, int) bool { found = true; return false })
	return found
}

// Orders returns the sentences of a text by which Instructs judges, in order and apart. It reads all of the text.
func Orders(text string) (list []Order) {
	eachOrder(text, func(start, end int) bool {
		list = append(list, sentenceAround(text, start, end))
		return true
	})
	slices.SortFunc(list, func(a, b Order) int { return a.Start - b.Start })
	merged := list[:0]
	for _, o := range list {
		if n := len(merged) - 1; n >= 0 && o.Start <= merged[n].End {
			merged[n].End = max(merged[n].End, o.End)
			continue
		}
		merged = append(merged, o)
	}
	return merged
}

// eachOrder calls yield for each cue of a text, until yield returns false.
func eachOrder(text string, yield func(start, end int) bool) {
	c := cues()
	lower := language.Lower(text)
	for _, part := range c.unspaced {
		for at := 0; ; {
			i := strings.Index(lower[at:], part)
			if i < 0 {
				break
			}
			if at += i + len(part); !yield(at-len(part), at) {
				return
			}
		}
	}
	words := placesOf(text)
	_ = c.phrased(words, yield) && c.cued(text, words, yield) && c.addressed(text, words, yield) &&
		hiddenOrders(c, text, yield) && encodedOrders(text, yield)
}

// phrased looks for words in a row. Like the others, it returns false if yield did.
func (c *cueLists) phrased(words []loci.Word, yield func(start, end int) bool) bool {
	for i, w := range words {
		for _, rest := range c.phrases[w.Form] {
			if n := len(rest); i+n < len(words) && follow(words[i+1:], rest) && !yield(w.Start, words[i+n].End) {
				return false
			}
		}
	}
	return true
}

func follow(words []loci.Word, forms []string) bool {
	for k, f := range forms {
		if words[k].Form != f {
			return false
		}
	}
	return true
}

// cued looks for a word of each side of any group within maxCueSpan words.
func (c *cueLists) cued(text string, words []loci.Word, yield func(start, end int) bool) bool {
	last := make([][]int, len(c.groups)) // where each side had its last word
	for i, sides := range c.groups {
		last[i] = slices.Repeat([]int{-maxCueSpan - 1}, sides)
	}
	for at, w := range words {
		for _, of := range c.words[w.Form] {
			if of.side == 0 && c.toOthers(text, words, at) {
				continue
			}
			last[of.group][of.side] = at
			if first := slices.Min(last[of.group]); at-first < maxCueSpan {
				if !yield(words[first].Start, w.End) {
					return false
				}
				for side := range last[of.group] {
					last[of.group][side] = -maxCueSpan - 1
				}
			}
		}
	}
	return true
}

// toOthers reports whether the verb at a place is no order to the reader: "we ignore", "do not ignore", "told the
// interns to ignore".
func (c *cueLists) toOthers(text string, words []loci.Word, at int) bool {
	if at == 0 {
		return false
	}
	before := words[at-1]
	if strings.ContainsAny(text[before.End:words[at].Start], ".,;:!?\n\"'*(>") {
		return false
	}
	if c.guards["actor"][before.Form] || c.guards["not"][before.Form] ||
		before.Form == "t" && at > 1 && words[at-2].Form == "don" {
		return true
	}
	if !c.guards["to"][before.Form] {
		return false
	}
	for i := at - 2; i >= 0 && at-i <= maxCueSpan; i-- {
		switch form := words[i].Form; {
		case strings.ContainsAny(text[words[i].End:words[i+1].Start], ".;!?\n"), c.guards["reader"][form]:
			return false
		case c.guards["told"][form]:
			return true
		}
	}
	return false
}

// placesOf returns the words of a text with their places.
func placesOf(text string) (words []loci.Word) {
	var a loci.Analyzer
	a.Words(text, func(w loci.Word) bool {
		words = append(words, w)
		return true
	})
	return words
}

// wordsOf returns the words of a text without case and diacritics.
func wordsOf(text string) (words []string) {
	for _, w := range placesOf(text) {
		words = append(words, w.Form)
	}
	return words
}

func fold(word string) string { return strings.Join(wordsOf(word), "") }
