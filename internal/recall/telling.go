package recall

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loci-memory/loci"
)

// How much of a text is looked for elsewhere, to find what says much the same.
const (
	tellingWords = 300 // words from the beginning that are looked at
	tellingTerms = 2   // words that a text must have, all of them
	enoughWords  = 24  // of so long a text one search is enough, as what differs is rarely among its words
	phraseWords  = 3   // characters that stand together where each is a word
)

// Alike returns searches, each of words that must all occur, one of which finds what says nearly the same as r: the
// first asks for words of an earlier part than the second, so that one place where the texts differ breaks one of them
// at most. A long text has one. They are the longest words, which few other texts have, and no more than two, as a
// full-text index looks each of them up in all of its parts, which is most of what a search costs. There is none for a
// text without words.
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

// telling returns different words in their order, at most twice tellingTerms. Numbers and words that deny are left
// out, as they are what a contradiction has others of, and so are those that most texts have; unless there is nothing
// else.
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

// spread returns the candidates of the most weight in the order of the text. Where there are too many of one weight it
// takes them from all of the text.
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

// phrase returns the word at i with those that follow it without a space, as is usual where words are single
// characters.
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
