package recall

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/language"
)

// part is a text to look for within words, with its case folded.
type part []rune

// minPart is how many characters a part needs in alphabetic scripts. Shorter ones, such as "in", occur in most texts.
const minPart = 3

// maxParts is how many texts are looked for. Each has to be compared with many rows.
const maxParts = 4

// Anywhere looks for texts anywhere, also within words and across them. It is immutable.
type Anywhere struct {
	texts []string
	parts []part
}

// Anywhere returns the texts to look for in a last attempt, when not even words that contain those of the question were
// found. They are what is between its spaces or in quotes, without common words and the signs around them. If it has
// only short words, such as that of "C++", or none, they are the texts between its spaces as typed, unless these are
// short too. It has at most the 4 longest texts, and none if nothing is left to look for.
func (q *Question) Anywhere() *Anywhere {
	var telling, common []string
	for rest := q.ask.Text; rest != ""; {
		var chunk string
		var quoted bool
		chunk, rest, quoted = nextChunk(rest)
		text := strings.TrimFunc(chunk, noWord)
		switch {
		case text == "":
		case !quoted && language.Stop(strings.ToLower(text), q.langs):
			common = append(common, text)
		default:
			telling = append(telling, text)
		}
	}
	if len(telling) == 0 {
		telling = common
	}
	out := &Anywhere{texts: longestParts(unrepeated(telling))}
	if len(out.texts) == 0 {
		out.texts = longestParts(unrepeated(strings.Fields(q.ask.Text)))
	}
	for _, text := range out.texts {
		out.parts = append(out.parts, foldRunes(text))
	}
	return out
}

// noWord reports whether a character is none of a word.
func noWord(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) }

// Texts returns the texts.
func (a *Anywhere) Texts() []string { return a.texts }

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

func unrepeated(texts []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(texts, func(text string) bool {
		key := string(foldRunes(text))
		known := seen[key]
		seen[key] = true
		return known
	})
}

// longestParts returns the maxParts longest texts, in their order. It leaves out short ones in alphabetic scripts. In
// scripts where a character is a word, one character is enough.
func longestParts(texts []string) []string {
	texts = slices.DeleteFunc(texts, func(text string) bool {
		return utf8.RuneCountInString(text) < minPart && strings.ContainsFunc(text, alphabetic)
	})
	for len(texts) > maxParts {
		texts = withoutShortest(texts)
	}
	return texts
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
	return slices.Delete(texts, shortest, shortest+1)
}

// Hit is a memory that was found.
type Hit struct {
	ID    loci.MemoryID
	Score float64 // higher is better; comparable within one search only
	// Confidence is that of Answer.Confidence.
	Confidence float64
	Why        loci.Why // unless an Answer explains it
}

// Rank returns the memories that have some of the texts, best first. A text counts as much as a word does in the best
// field that has it. The category has none, since most memories share one.
func (a *Anywhere) Rank(memories []*loci.Memory) []Hit {
	list, standings := []Hit{}, map[loci.MemoryID]standing{}
	for _, m := range memories {
		hit := Hit{ID: m.ID, Why: loci.Why{Terms: a.in(m), Fallback: loci.FallbackPart}}
		for _, t := range hit.Why.Terms {
			hit.Score += t.Score
		}
		hit.Confidence = uncompared.of(float64(len(hit.Why.Terms))/float64(len(a.texts)), &index.Signals{})
		if len(hit.Why.Terms) > 0 {
			list = append(list, hit)
			standings[m.ID] = standing{hit.Score, m.SupersededBy.IsZero(), m.Pinned, m.Importance, m.UpdatedAt.UnixMicro()}
		}
	}
	slices.SortFunc(list, func(x, y Hit) int {
		return cmp.Or(standings[y.ID].compare(standings[x.ID]), bytes.Compare(x.ID[:], y.ID[:]))
	})
	for i := range list {
		list[i].Why.Boosts = boosts(len(list), i, func(i int) standing { return standings[list[i].ID] })
	}
	return list
}

// Has reports whether a memory has one of some texts of a.
func (a *Anywhere) Has(m *loci.Memory, texts []string) bool {
	return slices.ContainsFunc(a.in(m), func(t loci.WhyTerm) bool { return slices.Contains(texts, t.Term) })
}

// in returns which texts a memory has in which fields, those that count most first.
func (a *Anywhere) in(m *loci.Memory) (terms []loci.WhyTerm) {
	found := make([]loci.WhyTerm, len(a.texts))
	for f, text := range fieldTexts(m) {
		folded := foldRunes(text)
		for t, p := range a.parts {
			if f != int(loci.FieldCategory) && len(p.in(folded, 1)) > 0 {
				found[t].Fields, found[t].Score = append(found[t].Fields, fieldNames[f]), max(found[t].Score, fieldWeight[f])
			}
		}
	}
	for t := range found {
		if found[t].Term = a.texts[t]; found[t].Score > 0 {
			terms = append(terms, found[t])
		}
	}
	slices.SortStableFunc(terms, func(x, y loci.WhyTerm) int { return cmp.Compare(y.Score, x.Score) })
	return terms
}

// in returns where p occurs in a folded text, at most limit places that do not overlap.
func (p part) in(text []rune, limit int) (at []int) {
	if len(p) == 0 {
		return nil
	}
	for i := 0; i+len(p) <= len(text) && len(at) < limit; i++ {
		if text[i] == p[0] && slices.Equal(text[i:i+len(p)], p) {
			at = append(at, i)
			i += len(p) - 1
		}
	}
	return at
}

// foldRunes folds the case of a text character by character, so that a place in the result is a place in the text.
func foldRunes(text string) []rune {
	out := make([]rune, 0, len(text))
	for _, r := range text {
		out = append(out, language.FoldRune(r))
	}
	return out
}

// Snippet returns the part of text with the most texts.
func (a *Anywhere) Snippet(text string) loci.Snippet {
	var places []place
	folded, offsets := foldRunes(text), make([]int, 0, len(text)+1)
	for i := range text {
		offsets = append(offsets, i)
	}
	offsets = append(offsets, len(text))
	taken := 0
	for i := 0; i < len(folded) && len(places) < maxFound; i++ {
		for t, p := range a.parts {
			if i >= taken && i+len(p) <= len(folded) && slices.Equal(folded[i:i+len(p)], p) {
				places = append(places, place{offsets[i], offsets[i+len(p)], a.texts[t], false})
				taken = i + len(p)
			}
		}
	}
	return snippet(text, places)
}
