package recall

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/loci-memory/loci/internal/language"
)

// matcher finds the words of texts that match the terms of an answer. It is not safe for concurrent use.
type matcher struct {
	analyzer language.Analyzer
	langs    language.Languages // of the question
	terms    []term
	words    []string          // what a place matches, by bit: the texts of the terms, then names
	exact    map[string]uint64 // bits of the words that a form matches
	tokens   []language.Token
	// textLangs and stems are those of the text and its forms, once a phrase needs them.
	textLangs language.Languages
	stems     map[string][]string
}

// maxWords is how many terms and names a matcher tells apart.
const maxWords = 64

// newMatcher returns a matcher of terms. forms are those that stood in for each of them.
func newMatcher(langs language.Languages, terms []term, forms [][]string, names []string) *matcher {
	m := &matcher{langs: langs, terms: terms, exact: map[string]uint64{}}
	for i, t := range terms {
		m.words = append(m.words, t.text)
		if len(t.words) > 0 {
			continue
		}
		m.add(t.Form, i)
		for _, form := range t.Stems {
			m.add(form, i)
		}
		if i < len(forms) {
			for _, form := range forms[i] {
				m.add(form, i)
			}
		}
	}
	for _, name := range names[:min(len(names), maxWords-len(terms))] {
		for form := range strings.FieldsSeq(name) {
			m.add(form, len(m.words))
		}
		m.words = append(m.words, name)
	}
	return m
}

func (m *matcher) add(form string, bit int) { m.exact[form] |= 1 << bit }

// match returns the places of text that match, in order, and the bits of what occurs in it.
func (m *matcher) match(text string) (places []place, all uint64) {
	m.tokens = m.analyzer.Tokens(text, m.tokens[:0])
	m.stems = nil
	found := func(t language.Token, hit uint64) {
		all |= hit
		for ; hit != 0 && len(places) < maxFound; hit &= hit - 1 {
			bit := bits.TrailingZeros64(hit)
			at := place{start: t.Start, end: t.End, word: m.words[bit]}
			if bit < len(m.terms) && m.terms[bit].Part {
				at.narrow(text)
			}
			places = append(places, at)
		}
	}
	for _, t := range m.tokens {
		hit := m.exact[t.Form] | m.within(t.Form)
		if other := language.Respelled(text[t.Start:t.End]); other != "" {
			hit |= m.exact[other] | m.within(other)
		}
		found(t, hit)
	}
	for _, t := range language.Joined(text, m.tokens) {
		found(t, m.exact[t.Form]|m.within(t.Form))
	}
	for i, t := range m.terms {
		if len(t.words) > 0 {
			m.phrases(text, t.words, func(t language.Token) { found(t, 1<<i) })
		}
	}
	slices.SortStableFunc(places,
		func(x, y place) int { return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.end, y.end)) })
	return places, all
}

// addSpans adds the spans of time in the text that was matched last, such as "35 days", if the question asks how long
// or when. They are no words of the question, but the passage that answers it has one.
func (m *matcher) addSpans(question []language.Token, places []place) []place {
	if !language.AsksWhen(question) {
		return places
	}
	for i := 1; i < len(m.tokens); i++ {
		n, unit := &m.tokens[i-1], language.RelativeTime(m.tokens[i].Form)
		if unit.Unit != language.NoUnit && !unit.Whole && n.Form != "a" && n.Form != "an" && count(n.Form) > 0 {
			places = append(places, place{n.Start, m.tokens[i].End, "", true})
		}
	}
	slices.SortStableFunc(places, func(x, y place) int { return x.start - y.start })
	return places
}

// within returns the bits of the terms that are a part of a form.
func (m *matcher) within(form string) (hit uint64) {
	for i, t := range m.terms {
		if t.Prefix && strings.HasPrefix(form, t.Form) || t.Part && strings.Contains(form, t.Form) {
			hit |= 1 << i
		}
	}
	return hit
}

// narrow leaves only the searched part of a word. It leaves the whole word if that has no such part before folding.
func (p *place) narrow(text string) {
	part := part(foldRunes(p.word))
	word := text[p.start:p.end]
	at := part.in(foldRunes(word), 1)
	if len(at) == 0 {
		return
	}
	start, n := p.start, 0
	for i := range word {
		switch n {
		case at[0]:
			p.start = start + i
		case at[0] + len(part):
			p.end = start + i
		}
		n++
	}
}

// phrases calls found for the tokens of each place where words follow one another.
func (m *matcher) phrases(text string, words []term, found func(language.Token)) {
	var starts []int // of positions, in tokens
	for i, t := range m.tokens {
		if i == 0 || t.Position != m.tokens[i-1].Position {
			starts = append(starts, i)
		}
	}
	run := make([]language.Token, 0, len(words))
	for i := 0; i+len(words) <= len(starts); i++ {
		run = run[:0]
		for k := range words {
			t, ok := m.tokenAt(text, starts[i+k], &words[k])
			if !ok {
				break
			}
			run = append(run, t)
		}
		if len(run) == len(words) {
			for _, t := range run {
				found(t)
			}
		}
	}
}

// tokenAt returns the token at the position of token i that a word of a phrase matches.
func (m *matcher) tokenAt(text string, i int, w *term) (language.Token, bool) {
	for _, t := range m.tokens[i:] {
		if t.Position != m.tokens[i].Position {
			break
		}
		if w.Prefix && strings.HasPrefix(t.Form, w.Form) || t.Form == w.Form || !w.Prefix && m.related(text, t.Form, w) {
			return t, true
		}
	}
	return language.Token{}, false
}

// related reports whether a form of the text and a word of the question share a stem.
func (m *matcher) related(text, form string, w *term) bool {
	if slices.Contains(w.Stems, form) {
		return true
	}
	if m.stems == nil {
		m.stems = map[string][]string{}
		m.textLangs = m.langs | language.DetectTokens(text, m.tokens)
	}
	stems, known := m.stems[form]
	if !known {
		stems = m.analyzer.Stems(form, m.textLangs)
		m.stems[form] = stems
	}
	return slices.ContainsFunc(stems, func(s string) bool { return s == w.Form || slices.Contains(w.Stems, s) })
}
