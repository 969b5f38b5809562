package recall

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci"
)

// part is a text to look for within words, with its case folded.
type part []rune

// minPart is how many characters a part needs in alphabetic scripts. Shorter ones, such as "in", occur in most texts.
const minPart = 3

// maxParts is how many texts are looked for. Each has to be compared with many rows.
const maxParts = 4

// AsParts returns the query for a last attempt, when not even words that begin like its terms were found. It looks
// for the texts anywhere. text is the input of Parse. If it has only short words, such as that of "C++", or none,
// AsParts looks for the texts between its spaces as typed, unless these are short too. It uses at most the 4 longest
// texts. The query has no terms if nothing is left to look for.
func (q Query) AsParts(text string) Query {
	texts := longestParts(unrepeated(q.texts))
	if len(texts) == 0 {
		texts = longestParts(unrepeated(strings.Fields(text)))
	}
	out := Query{texts: texts, Terms: make([]loci.Term, len(texts)), parts: make([]part, len(texts))}
	for i, text := range texts {
		out.parts[i] = foldRunes(text)
	}
	return out
}

// Parts returns the texts of a query that AsParts made.
func (q Query) Parts() []string {
	if q.parts == nil {
		return nil
	}
	return q.texts
}

// Covers reports whether the answer to a question of AsParts, if it has no hits, shows that no memory contains a text
// anywhere: the text has letters, digits or ideographs in a row that the answer has looked for. The index has words and
// numbers whole, up to the length at which it cuts them.
func (a *Answer) Covers(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc(a.terms, func(t term) bool {
		return t.Part && !strings.ContainsFunc(t.Form, changeable) && strings.Contains(lower, t.Form)
	})
}

// changeable reports whether the index may have a character in another form, or with others between it and the next
// one, as in numbers.
func changeable(r rune) bool {
	return (r < '0' || r > '9') && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han)
}

func unrepeated(texts []string) (out []string) {
	seen := map[string]bool{}
	for _, text := range texts {
		key := string(foldRunes(text))
		if !seen[key] {
			seen[key] = true
			out = append(out, text)
		}
	}
	return out
}

// longestParts returns the maxParts longest of tellingParts, in their order.
func longestParts(texts []string) []string {
	texts = tellingParts(texts)
	for len(texts) > maxParts {
		texts = withoutShortest(texts)
	}
	return texts
}

// tellingParts leaves out short parts in alphabetic scripts. In scripts where a character is a
// word, one character is enough.
func tellingParts(texts []string) (out []string) {
	for _, text := range texts {
		if utf8.RuneCountInString(text) >= minPart || !strings.ContainsFunc(text, alphabetic) {
			out = append(out, text)
		}
	}
	return out
}

func alphabetic(r rune) bool {
	return unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Digit)
}

func withoutShortest(texts []string) []string {
	shortest := 0
	for i, text := range texts {
		if utf8.RuneCountInString(text) <= utf8.RuneCountInString(texts[shortest]) {
			shortest = i
		}
	}
	return append(texts[:shortest:shortest], texts[shortest+1:]...)
}

// Count returns m as a match of a query that AsParts made: how often each text occurs in each
// field but the category, which store.Lists.Contains leaves out too. found is false if none occurs.
func (q Query) Count(m *loci.Memory) (hit loci.Match, found bool) {
	hit = loci.Match{ID: m.ID, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, Pinned: m.Pinned, Importance: m.Importance,
		Superseded: !m.SupersededBy.IsZero(), Freq: make([]uint16, len(q.parts)*loci.FieldCount)}
	texts := fieldTexts(m)
	texts[loci.FieldCategory] = ""
	for f, text := range texts {
		folded := foldRunes(text)
		hit.Lengths[f] = uint32(len(folded)) // characters instead of words: only the ratio to the average counts
		for t, p := range q.parts {
			n := min(len(p.in(folded, maxFound)), maxFound)
			hit.Freq[t*loci.FieldCount+f] = uint16(n)
			found = found || n > 0
		}
	}
	return hit, found
}

// in returns where p occurs in a folded text, at most limit places that do not overlap.
func (p part) in(text []rune, limit int) (at []int) {
	if len(p) == 0 {
		return nil
	}
	for i := 0; i+len(p) <= len(text) && len(at) < limit; i++ {
		if text[i] == p[0] && startsWith(text[i:], p) {
			at = append(at, i)
			i += len(p) - 1
		}
	}
	return at
}

func startsWith(text []rune, p part) bool {
	for i, r := range p {
		if text[i] != r {
			return false
		}
	}
	return true
}

// foldRunes folds the case of a text character by character, so that a place in the result is a place in the text.
func foldRunes(text string) []rune {
	out := make([]rune, 0, len(text))
	for _, r := range text {
		out = append(out, loci.FoldRune(r))
	}
	return out
}

// findParts returns the places of all parts in text, in order and without overlaps.
func (q Query) findParts(text string) (found []place) {
	folded, offsets := foldRunes(text), make([]int, 0, len(text)+1)
	for i := range text {
		offsets = append(offsets, i)
	}
	offsets = append(offsets, len(text))
	taken := 0
	for i := 0; i < len(folded) && len(found) < maxFound; i++ {
		for t, p := range q.parts {
			if i >= taken && i+len(p) <= len(folded) && startsWith(folded[i:], p) {
				found = append(found, place{offsets[i], offsets[i+len(p)], q.texts[t], false})
				taken = i + len(p)
			}
		}
	}
	return found
}
