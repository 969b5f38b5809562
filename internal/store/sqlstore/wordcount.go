package sqlstore

import (
	"math"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// counter finds terms in the texts of a memory, and counts where they occur.
type counter struct {
	terms    []loci.Term
	all      bool
	analyzer loci.Analyzer
	words    []loci.Word
}

func newCounter(terms []loci.Term, all bool) *counter { return &counter{terms: terms, all: all} }

// count returns the features of m, and whether it matches.
func (c *counter) count(m *loci.Memory) (loci.Match, bool) {
	hit := loci.Match{ID: m.ID, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, Pinned: m.Pinned, Importance: m.Importance,
		Superseded: !m.SupersededBy.IsZero(), Freq: make([]uint16, len(c.terms)*loci.FieldCount)}
	for f, text := range []string{m.Title, m.Content, m.Summary, m.Key, m.Category, TagText(m.Tags)} {
		c.words = c.words[:0]
		c.analyzer.Words(text, func(w loci.Word) bool { c.words = append(c.words, w); return true })
		hit.Lengths[f] = uint32(len(c.words))
		for t := range c.terms {
			hit.Freq[t*loci.FieldCount+f] = c.occurrences(&c.terms[t])
		}
	}
	found := 0
	for f := range slices.Chunk(hit.Freq, loci.FieldCount) {
		if slices.Max(f) > 0 {
			found++
		}
	}
	return hit, found == len(c.terms) || found > 0 && !c.all
}

// occurrences counts a term in the words of one field.
func (c *counter) occurrences(t *loci.Term) (n uint16) {
	for i := range c.words {
		if n < math.MaxUint16 && begins(c.words[i:], t) {
			n++
		}
	}
	return n
}

// begins reports whether the words begin with the term, each by its stem or its form.
func begins(words []loci.Word, t *loci.Term) bool {
	if len(words) < len(t.Words) {
		return false
	}
	for i, want := range t.Words {
		same := func(s string) bool { return s == want }
		if t.Prefix && i == len(t.Words)-1 {
			same = func(s string) bool { return strings.HasPrefix(s, want) }
		}
		if !same(words[i].Stem) && !same(words[i].Form) {
			return false
		}
	}
	return true
}

// TagText returns the text of all tags for the index, one on each line.
func TagText(tags []string) string { return strings.Join(tags, "\n") }
