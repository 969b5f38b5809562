package recall

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loci-memory/loci"
)

// These constants limit how much of a text is used to search for similar ones.
const (
	tellingWords = 300 // words at the beginning that are considered
	tellingTerms = 2   // words that a similar text must have, all of them
	enoughWords  = 24  // with this many words one search is enough: few of them differ
	phraseWords  = 3   // adjacent characters, in scripts where each is a word
)

// Alike returns searches that find texts nearly the same as r. All words of a search must occur.
// The first search uses an earlier part of the text than the second, so that one difference
// between the texts breaks at most one of them. A long text has one search. Its words are the
// longest, because few other texts have them, and at most two, because a full-text index looks up
// each word in all its parts, which is most of the cost of a search. A text without words has
// none.
func (r *Text) Alike() (searches [][]loci.Term) {
	list := r.telling()
	half := min(tellingTerms, (len(list)+1)/2)
	if half == 0 {
		return nil
	}
	if phrase := func(t loci.Term) bool { return len(t.Words) > 1 }; r.Words >= enoughWords &&
		len(list) == 2*tellingTerms && !slices.ContainsFunc(list, phrase) {
		return [][]loci.Term{{list[0], list[len(list)-1]}}
	}
	searches = append(searches, list[:half])
	if len(list) > half {
		searches = append(searches, list[half:])
	}
	return searches
}

// candidate is something to look for.
type candidate struct {
	loci.Term
	at, weight int
}

// telling returns different words in their order, at most twice tellingTerms. It leaves out
// numbers and negations, because contradicting texts differ in these, and words that most texts
// have; unless there is nothing else.
func (r *Text) telling() []loci.Term {
	tokens := r.tokens[:min(len(r.tokens), tellingWords)]
	list, rest := make([]candidate, 0, len(tokens)), []candidate(nil)
	seen, values := make(map[string]bool, len(tokens)), spaced()
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.stem == "" {
			continue
		}
		c := candidate{loci.Term{Words: []string{t.stem}}, i, utf8.RuneCountInString(t.stem)}
		if c.weight == 1 {
			c.Words = r.phrase(i)
			c.weight = len(c.Words) + 1
			i += len(c.Words) - 1
		}
		key := c.Words[0]
		if len(c.Words) > 1 {
			key = strings.Join(c.Words, " ")
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		if c.weight < 3 || stopWords[t.text] || len(values[t.key]) > 0 {
			rest = append(rest, c)
		} else {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		list = rest
	}
	return spread(list)
}

// spread returns the candidates with the most weight, in the order of the text. If too many have
// the same weight, it picks them evenly from the whole text.
func spread(list []candidate) []loci.Term {
	const most = 2 * tellingTerms
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.weight, a.weight) })
	if len(list) > most {
		same := func(c candidate) bool { return c.weight == list[most-1].weight }
		from := slices.IndexFunc(list, same)
		n := len(list) - from
		if other := slices.IndexFunc(list[from:], func(c candidate) bool { return !same(c) }); other >= 0 {
			n = other
		}
		for i := from; i < most; i++ {
			list[i] = list[from+(i-from)*n/(most-from)]
		}
		list = list[:most]
	}
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(a.at, b.at) })
	terms := make([]loci.Term, len(list))
	for i, c := range list {
		terms[i] = c.Term
	}
	return terms
}

// phrase returns the word at i and the words that follow it without a space, as in scripts where
// a character is a word.
func (r *Text) phrase(i int) []string {
	words := []string{r.tokens[i].stem}
	for j := i + 1; j < len(r.tokens) && len(words) < phraseWords; j++ {
		if next := r.tokens[j]; next.stem == "" || next.start != r.tokens[j-1].end {
			break
		}
		words = append(words, r.tokens[j].stem)
	}
	return words
}
