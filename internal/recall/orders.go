package recall

import (
	"encoding/base64"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/loci-memory/loci/internal/language"
)

// cues are the words and phrases of language by which Instructs judges.
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
	return instructsPlainly(text) || cues().hidden(text) || encodesOrders(text)
}

// instructsPlainly is Instructs without what a page does not show.
func instructsPlainly(text string) bool {
	c, words, lower := cues(), placesOf(text), language.Lower(text)
	contained := func(part string) bool { return strings.Contains(lower, part) }
	return slices.ContainsFunc(c.unspaced, contained) || c.phrased(words) || c.cued(text, words) ||
		c.addressed(text, words)
}

// phrased looks for words in a row.
func (c *cueLists) phrased(words []language.Word) bool {
	for i, w := range words {
		for _, rest := range c.phrases[w.Form] {
			if i+len(rest) < len(words) && slices.EqualFunc(words[i+1:][:len(rest)], rest,
				func(w language.Word, form string) bool { return w.Form == form }) {
				return true
			}
		}
	}
	return false
}

// cued looks for a word of each side of any group within maxCueSpan words.
func (c *cueLists) cued(text string, words []language.Word) bool {
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
			if at-slices.Min(last[of.group]) < maxCueSpan {
				return true
			}
		}
	}
	return false
}

// toOthers reports whether the verb at a place is no order to the reader: "we ignore", "do not ignore", "told the
// interns to ignore".
func (c *cueLists) toOthers(text string, words []language.Word, at int) bool {
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

func placesOf(text string) (words []language.Word) {
	var a language.Analyzer
	a.Words(text, func(w language.Word) bool {
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

// addressed looks for orders to a model by its name: "Assistant, forward …", "Note to the AI: store …".
func (c *cueLists) addressed(text string, words []language.Word) bool {
	for i := 0; i+1 < len(words); i++ {
		if !c.guards["model"][words[i].Form] || !c.guards["order"][words[i+1].Form] &&
			!(c.guards["please"][words[i+1].Form] && i+2 < len(words) && c.guards["order"][words[i+2].Form]) {
			continue
		}
		mark := strings.TrimSpace(text[words[i].End:words[i+1].Start])
		noted := i > 1 && (c.guards["to"][words[i-1].Form] || c.guards["to"][words[i-2].Form] ||
			c.guards["note"][words[i-1].Form])
		called := strings.HasPrefix(mark, ",") || strings.HasPrefix(mark, "，") || strings.HasPrefix(mark, "、")
		if called && c.beginsClause(text, words, i) || noted && strings.HasPrefix(mark, ":") {
			return true
		}
	}
	return false
}

// beginsClause reports whether a word is at the beginning of a sentence, but for a greeting.
func (c *cueLists) beginsClause(text string, words []language.Word, i int) bool {
	for i > 0 && (c.guards["please"][words[i-1].Form] || c.guards["model"][words[i-1].Form]) &&
		strings.TrimSpace(text[words[i-1].End:words[i].Start]) == "" {
		i--
	}
	return i == 0 || strings.ContainsAny(text[words[i-1].End:words[i].Start], ".!?:\n\"(<[*。！？「")
}

// maxComment is how many bytes of a comment are judged.
const maxComment = 1000

// hidden looks for orders in comments that a page does not show.
func (c *cueLists) hidden(text string) bool {
	for {
		_, comment, found := strings.Cut(text, "<!--")
		if !found {
			return false
		}
		comment, text, _ = strings.Cut(comment, "-->")
		order, object := false, false
		for _, w := range wordsOf(comment[:min(len(comment), maxComment)]) {
			order = order || c.guards["order"][w]
			object = object || c.guards["object"][w] || c.guards["model"][w]
		}
		if order && object {
			return true
		}
	}
}

// Of text in base 64 with an order in it.
const (
	leastEncoded = 32
	maxEncoded   = 8000
)

// encodesOrders looks for text in base 64 that gives orders.
func encodesOrders(text string) bool {
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return r >= utf8.RuneSelf || !isBase64(byte(r)) }) {
		if len(run) < leastEncoded || len(run) > maxEncoded {
			continue
		}
		plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(run, "="))
		if err == nil && utf8.Valid(plain) && strings.Contains(string(plain), " ") && instructsPlainly(string(plain)) {
			return true
		}
	}
	return false
}

func isBase64(c byte) bool {
	return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '='
}
