package recall

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/language"
)

// These constants limit how much of a text is used to search for similar ones.
const (
	tellingWords = 300 // words at the beginning that are considered
	tellingTerms = 2   // words that a similar text must have, all of them
	enoughWords  = 24  // with this many words one search is enough: few of them differ
	phraseWords  = 3   // adjacent characters, in scripts where each is a word
)

// Alike is a search for texts nearly the same as one: those that have all words of one of its groups.
type Alike struct {
	terms  []index.Term
	groups []uint32 // the terms of each group, as bits
}

// alikeText is how much of a text tells its language, in bytes.
const alikeText = 300

// Alike returns a search for texts nearly the same as r, which is what Read made of text. The first group
// of words is from an earlier part of the text than the second, so that one difference between the texts
// breaks at most one of them. A long text has one group. The words are the longest, because few other texts
// have them, and at most two, because each costs a look into the index. A text without words has no group.
func (r *Text) Alike(text string) (a Alike) {
	list := r.telling()
	half := min(tellingTerms, (len(list)+1)/2)
	if half == 0 {
		return a
	}
	reader := newAlikeReader(text)
	if phrase := func(c candidate) bool { return c.words > 1 }; r.Words >= enoughWords &&
		len(list) == 2*tellingTerms && !slices.ContainsFunc(list, phrase) {
		reader.add(&a, list[0], list[len(list)-1])
		return a
	}
	reader.add(&a, list[:half]...)
	if len(list) > half {
		reader.add(&a, list[half:]...)
	}
	return a
}

// About returns a search for texts with the longest words of r, which is a title. One word more costs as
// much as the others, and the titles are compared in any case.
func (r *Text) About(title string) (a Alike) {
	list := r.telling()
	slices.SortStableFunc(list, func(x, y candidate) int { return cmp.Compare(len(y.text), len(x.text)) })
	if list = list[:min(len(list), tellingTerms)]; len(list) > 0 {
		newAlikeReader(title).add(&a, list...)
	}
	return a
}

// alikeReader makes terms of words.
type alikeReader struct {
	analyzer language.Analyzer
	langs    language.Languages
}

func newAlikeReader(text string) *alikeReader {
	r := &alikeReader{}
	text = strings.ToValidUTF8(text[:min(len(text), alikeText)], "")
	r.langs = language.DetectTokens(text, r.analyzer.Tokens(text, nil))
	return r
}

// add adds a group with the words of some candidates. A run of characters without spaces is several words.
func (r *alikeReader) add(a *Alike, list ...candidate) {
	group := uint32(0)
	for _, c := range list {
		tokens := r.analyzer.Tokens(c.text, nil)
		for _, t := range tokens {
			if len(a.terms) < loci.MaxTerms && (len(tokens) == 1 || t.Start > 0 || t.End < len(c.text)) {
				group |= 1 << len(a.terms)
				a.terms = append(a.terms, index.Term{Form: t.Form, Stems: r.analyzer.Stems(t.Form, r.langs)})
			}
		}
	}
	if group != 0 {
		a.groups = append(a.groups, group)
	}
}

// Find returns the rows that have all words of a group, the last changed first, at most limit for each.
func (a *Alike) Find(views []*index.View, sees func(index.Class) bool, now time.Time, limit int) []index.Found {
	if len(a.groups) == 0 {
		return nil
	}
	return index.Having(views, &index.Query{Terms: a.terms, Sees: sees, Now: now}, a.groups, limit)
}

// Words are the words of a row and their stems, as an index has them.
type Words map[string]bool

// WordsOf returns the words of a row that is in no index yet.
func WordsOf(row *index.Row) Words {
	var analyzer language.Analyzer
	var words Words
	var tokens []language.Token
	for _, f := range row.Fields {
		tokens = analyzer.Tokens(f.Text, tokens[:0])
		if words == nil { // the first field is the longest
			words = make(Words, 2*len(tokens))
		}
		langs := language.DetectTokens(f.Text, tokens)
		for _, t := range tokens {
			if words[t.Form] {
				continue
			}
			words[t.Form] = true
			for _, stem := range analyzer.Stems(t.Form, langs) {
				words[stem] = true
			}
		}
	}
	return words
}

// Fits reports whether a row with these words has all words of a group.
func (a *Alike) Fits(words Words) bool {
	return slices.ContainsFunc(a.groups, func(group uint32) bool {
		for t := range a.terms {
			term := &a.terms[t]
			has := words[term.Form] || slices.ContainsFunc(term.Stems, func(stem string) bool { return words[stem] })
			if group&(1<<t) != 0 && !has {
				return false
			}
		}
		return true
	})
}

// candidate is something to look for: a word, or some that follow one another without a space.
type candidate struct {
	text              string
	words, at, weight int
}

// telling returns different words in their order, at most twice tellingTerms. It leaves out
// numbers and negations, because contradicting texts differ in these, and words that most texts
// have; unless there is nothing else.
func (r *Text) telling() []candidate {
	tokens := r.tokens[:min(len(r.tokens), tellingWords)]
	list, rest := make([]candidate, 0, len(tokens)), []candidate(nil)
	seen, values := make(map[string]bool, len(tokens)), spaced()
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.stem == "" {
			continue
		}
		c := candidate{t.text, 1, i, utf8.RuneCountInString(t.stem)}
		key := t.stem
		if c.weight == 1 {
			c.text, c.words = r.phrase(i)
			key, c.weight = c.text, c.words+1
			i += c.words - 1
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
func spread(list []candidate) []candidate {
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
	return list
}

// phrase returns the word at i and the words that follow it without a space, as in scripts where
// a character is a word.
func (r *Text) phrase(i int) (text string, words int) {
	text, words = r.tokens[i].text, 1
	for j := i + 1; j < len(r.tokens) && words < phraseWords; j++ {
		if next := r.tokens[j]; next.stem == "" || next.start != r.tokens[j-1].end {
			break
		}
		text, words = text+r.tokens[j].text, words+1
	}
	return text, words
}
