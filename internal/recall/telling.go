package recall

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/loci-memory/loci"
)

// How much of a text is looked for elsewhere, to find what says much the same.
const (
	tellingWords = 300 // words from the beginning that are looked at
	tellingTerms = 3   // words that a text must have, all of them
	phraseWords  = 3   // characters that stand together where each is a word
)

// Alike returns searches, each of words that must all occur, one of which finds what says nearly the same as x: they ask for
// different words of it, the longest, which few other texts have. There is none for a text without words.
func (x *Text) Alike() (searches [][]loci.Term) {
	list := x.telling()
	searches = make([][]loci.Term, min(2, len(list)))
	for i, t := range list[:min(len(list), 2*tellingTerms)] {
		searches[i%2] = append(searches[i%2], t)
	}
	return searches
}

// telling returns different words, the longest first. Numbers and words that deny are left out, as they
// are what a contradiction has others of, and so are those that most texts have; unless there is nothing else.
func (x *Text) telling() []loci.Term {
	type weighed struct {
		loci.Term
		weight int
	}
	var list []weighed
	var rest []loci.Term
	seen := map[string]bool{}
	for i, t := range x.tokens[:min(len(x.tokens), tellingWords)] {
		if t.stem == "" || seen[t.stem] {
			continue
		}
		seen[t.stem] = true
		term := loci.Term{Words: []string{t.stem}}
		weight := utf8.RuneCountInString(t.stem)
		if weight == 1 {
			term.Words = x.phrase(i)
			weight = len(term.Words) + 1
		}
		if weight < 3 || stopWords[t.text] || len(spaced()[t.key]) > 0 {
			rest = append(rest, term)
			continue
		}
		list = append(list, weighed{term, weight})
	}
	slices.SortStableFunc(list, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
	out := make([]loci.Term, 0, len(list))
	for _, w := range list {
		out = append(out, w.Term)
	}
	if len(out) == 0 {
		return rest
	}
	return out
}

// phrase returns the word at i with those that follow it without a space, as is usual where words are single characters.
func (x *Text) phrase(i int) []string {
	words := []string{x.tokens[i].stem}
	for j := i + 1; j < len(x.tokens) && len(words) < phraseWords; j++ {
		if next := x.tokens[j]; next.stem == "" || next.start != x.tokens[j-1].end {
			break
		}
		words = append(words, x.tokens[j].stem)
	}
	return words
}
