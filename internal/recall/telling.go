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
	tellingTerms = 2   // words that a similar text must have
	enoughWords  = 24  // with this many words one search is enough: few of them differ
	phraseWords  = 3   // adjacent characters, in scripts where each is a word
)

// Alike is a search for texts nearly the same as one: those that have the words of one of its groups.
type Alike struct {
	terms  []index.Term
	groups []index.Group
}

// alikeText is how much of a text tells its language, in bytes.
const alikeText = 300

// Alike returns a search for texts nearly the same as r, which is what Read made of text. The first group
// of words is from an earlier part of the text than the second, so that one difference between the texts
// breaks at most one of them. The words are the longest, because few other texts have them. A long text has one
// group, of which the two words count that the fewest texts have. A text without words has no group.
func (r *Text) Alike(text string) (a Alike) {
	list := r.telling()
	half := min(tellingTerms, (len(list)+1)/2)
	if half == 0 {
		return a
	}
	reader := r.alikeReader(text)
	if phrase := func(c candidate) bool { return c.words > 1 }; r.Words >= enoughWords &&
		len(list) == 2*tellingTerms && !slices.ContainsFunc(list, phrase) {
		reader.add(&a, list, tellingTerms)
		return a
	}
	reader.add(&a, list[:half], half)
	if len(list) > half {
		reader.add(&a, list[half:], len(list)-half)
	}
	return a
}

// About returns a search for texts with the longest words of r, which is a title. One word more costs as
// much as the others, and the titles are compared in any case.
func (r *Text) About(title string) (a Alike) {
	list := r.telling()
	slices.SortStableFunc(list, func(x, y candidate) int { return cmp.Compare(len(y.text), len(x.text)) })
	if list = list[:min(len(list), tellingTerms)]; len(list) > 0 {
		r.alikeReader(title).add(&a, list, len(list))
	}
	return a
}

// alikeReader makes terms of words.
type alikeReader struct {
	analyzer language.Analyzer
	langs    language.Languages
}

// alikeReader returns a reader of words of r, which is what Read made of text.
func (r *Text) alikeReader(text string) *alikeReader {
	a := &alikeReader{}
	text = text[:min(len(text), alikeText)]
	if !loci.IsASCII(text) {
		text = strings.ToValidUTF8(text, "")
		a.langs = language.DetectTokens(text, a.analyzer.Tokens(text, nil))
		return a
	}
	tokens := make([]language.Token, 0, len(r.tokens)) // these have the same forms, and are at hand
	for i := range r.tokens {
		if t := &r.tokens[i]; t.end <= len(text) {
			tokens = append(tokens, language.Token{Form: t.text})
		}
	}
	a.langs = language.DetectTokens(text, tokens)
	return a
}

// add adds a group of some candidates, of which a text must have need. A run of characters without spaces is
// several terms.
func (r *alikeReader) add(a *Alike, list []candidate, need int) {
	g := index.Group{Need: need}
	for _, c := range list {
		word := uint32(0)
		tokens := r.analyzer.Tokens(c.text, nil)
		for _, t := range tokens {
			if len(a.terms) < loci.MaxTerms && (len(tokens) == 1 || t.Start > 0 || t.End < len(c.text)) {
				word |= 1 << len(a.terms)
				a.terms = append(a.terms, index.Term{Form: t.Form, Stems: r.analyzer.Stems(t.Form, r.langs)})
			}
		}
		if word != 0 {
			g.Words = append(g.Words, word)
		}
	}
	if g.Need = min(g.Need, len(g.Words)); g.Need > 0 {
		a.groups = append(a.groups, g)
	}
}

// Find returns the rows that have the words of a group and that are wanted, those of the lowest rank first, at
// most limit for each.
func (a *Alike) Find(views []*index.View, sees func(index.Class) bool, now time.Time, limit int,
	wants index.Wants) []index.Found {
	if len(a.groups) == 0 {
		return nil
	}
	return index.Having(views, &index.Query{Terms: a.terms, Sees: sees, Now: now}, a.groups, limit, wants)
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

// Fits reports whether a row with these words has enough words of a group.
func (a *Alike) Fits(words Words) bool {
	has := uint32(0)
	for i, t := range a.terms {
		if words[t.Form] || slices.ContainsFunc(t.Stems, func(stem string) bool { return words[stem] }) {
			has |= 1 << i
		}
	}
	return slices.ContainsFunc(a.groups, func(g index.Group) bool {
		n := 0
		for _, word := range g.Words {
			if word&^has == 0 {
				n++
			}
		}
		return n >= g.Need
	})
}

// candidate is something to look for: a word, or some that follow one another without a space.
type candidate struct {
	text              string
	words, at, weight int
}

// telling returns different words in their order, at most twice tellingTerms. It leaves out numbers and negations,
// because contradicting texts differ in these, and words that most texts have; unless there is nothing else.
func (r *Text) telling() []candidate {
	tokens := r.tokens[:min(len(r.tokens), tellingWords)]
	list, rest := make([]candidate, 0, len(tokens)), []candidate(nil)
	var top heaviest
	seen, values := map[string]bool{}, spaced()
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
		if c.weight < top.least() || seen[key] {
			continue
		}
		seen[key] = true
		if c.weight < 3 || stopWords[t.text] || len(values[t.key]) > 0 {
			rest = append(rest, c)
		} else {
			list = append(list, c)
			top.add(c.weight)
		}
	}
	if len(list) == 0 {
		list = rest
	}
	return spread(list)
}

// heaviest are the highest weights.
type heaviest [2 * tellingTerms]int

func (h *heaviest) add(weight int) {
	for i := range h {
		if weight > h[i] {
			copy(h[i+1:], h[i:])
			h[i] = weight
			return
		}
	}
}

func (h *heaviest) least() int { return h[len(h)-1] }

// spread returns the candidates with the most weight, in the order of the text. If too many have
// the same weight, it picks them evenly from the whole text.
func spread(list []candidate) []candidate {
	var top heaviest
	if len(list) <= len(top) {
		return list
	}
	for _, c := range list {
		top.add(c.weight)
	}
	room, n := len(top), 0 // for the n candidates with the least of these weights
	for _, c := range list {
		switch {
		case c.weight > top.least():
			room--
		case c.weight == top.least():
			n++
		}
	}
	out, at, picked := make([]candidate, 0, len(top)), 0, 0
	for _, c := range list {
		switch {
		case c.weight > top.least():
			out = append(out, c)
		case c.weight == top.least():
			if picked < room && at == picked*n/room {
				out, picked = append(out, c), picked+1
			}
			at++
		}
	}
	return out
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
