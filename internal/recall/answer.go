package recall

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/language"
)

// NearMatch explains a hit that has none of the words: those before and after it in its session have some.
const NearMatch = "said near a match"

// AlikeMeaning explains a hit that has none of the words, but means something similar.
const AlikeMeaning = "similar in meaning"

// Answer is what an index found for a question, with what explains it. It is not safe for concurrent use.
type Answer struct {
	index.Result
	question *Question
	terms    []term
	formal   int // terms.formal
	names    []string
	rowNames []index.Name // parts of the question that can be names of memories
	paths    map[[16]byte]uint32
	matcher  *matcher
}

// ByMeaning reports whether the hits were found by what they mean only: none has a word of the question, is named by it
// or has such a neighbour.
func (a *Answer) ByMeaning() bool {
	for i := range a.Hits {
		s := &a.Hits[i].Signals
		if a.Hits[i].Terms != 0 || s.Name > 0 || s.Graph > 0 || s.Context > 0 || s.Session > 0 {
			return false
		}
	}
	return len(a.Hits) > 0
}

// Words returns the bits of the terms that are single words of the question, or 0 if an expression limits the hits.
func (a *Answer) Words() (bits uint32) {
	if a.question.fixed != nil {
		return 0
	}
	fine := language.Finest(a.question.tokens)
	for i, t := range a.terms {
		if slices.ContainsFunc(fine, func(f language.Token) bool { return f.Form == t.Form }) {
			bits |= 1 << i
		}
	}
	return bits
}

// Fallback returns how the hits were found if none of them has a word of the question itself, or "".
func (a *Answer) Fallback() string {
	var all uint32
	for i := range a.Hits {
		all |= a.Hits[i].Terms
	}
	return a.fallback(all)
}

// fallback returns what found rows that have these terms.
func (a *Answer) fallback(terms uint32) string {
	if a.question.try == "" && terms != 0 && terms&^a.Similar == 0 {
		return loci.FallbackSimilar
	}
	return a.question.try
}

// Explain returns why hit i was found and how it was ranked, and the part of its content that fits
// best, with the found words marked. m is the memory of the hit.
func (a *Answer) Explain(i int, m *loci.Memory) (why loci.Why, best loci.Snippet) {
	if a.matcher == nil {
		a.matcher = newMatcher(a.question.langs, a.terms, a.Forms, a.names)
	}
	var in [loci.FieldCount]uint64   // the terms that each field has
	written := map[string][]string{} // the words of the memory that match each text of a term
	for f, text := range fieldTexts(m) {
		var places []place
		if places, in[f] = a.matcher.match(text); f == int(loci.FieldContent) {
			best = snippet(text, a.matcher.addSpans(a.question.tokens, slices.Clone(places)))
		}
		addWritten(written, text, places)
	}
	hit := &a.Hits[i]
	why = loci.Why{Terms: a.whyTerms(hit, &in, written), Boosts: boosts(len(a.Hits), i, a.standing),
		Fallback: a.fallback(hit.Terms)}
	why.Meaning = hit.Signals.Meaning
	if hit.Signals.Graph > 0 {
		why.Through = a.through(hit.ID)
	}
	if hit.Signals.Name > 0 {
		why.Named = namedBy(m, a.rowNames)
	}
	return why, best
}

// addWritten adds the words of text at places to those that match the same text of a term, each once.
func addWritten(written map[string][]string, text string, places []place) {
	for _, p := range places {
		word := text[p.start:p.end]
		if !slices.ContainsFunc(written[p.word], func(w string) bool { return strings.EqualFold(w, word) }) {
			written[p.word] = append(written[p.word], word)
		}
	}
}

// whyTerms divides the score of a hit among the terms that it has, by how much each of them counts. Terms of the same
// text, such as the readings of a word, are one. written are the words of the memory by the texts of the terms.
func (a *Answer) whyTerms(hit *index.Hit, in *[loci.FieldCount]uint64, written map[string][]string) []loci.WhyTerm {
	list, at, sum := []loci.WhyTerm{}, map[string]int{}, 0.0
	for rest := hit.Terms; rest != 0; rest &= rest - 1 {
		sum += a.Weights[bits.TrailingZeros32(rest)]
	}
	for t := range a.terms {
		if hit.Terms&(1<<t) == 0 {
			continue
		}
		text := a.terms[t].text
		n, known := at[text]
		if !known {
			n = len(list)
			at[text] = n
			list = append(list, loci.WhyTerm{Term: text, Fields: []string{}, Similar: written[text]})
		}
		if a.Similar&(1<<t) == 0 && !a.isPart(hit, t) {
			list[n].Similar = nil // the word itself
		}
		list[n].Score += hit.Score * a.Weights[t] / sum
		for f, name := range fieldNames {
			if in[f]&(1<<t) != 0 && !slices.Contains(list[n].Fields, name) {
				list[n].Fields = append(list[n].Fields, name)
			}
		}
	}
	slices.SortStableFunc(list, func(x, y loci.WhyTerm) int { return cmp.Compare(y.Score, x.Score) })
	return list
}

// isPart reports whether term t is only a part of another one of the same text that the memory does not have, such
// as the year of a date.
func (a *Answer) isPart(hit *index.Hit, t int) bool {
	part := &a.terms[t]
	for u := range a.terms {
		whole := &a.terms[u]
		if whole.text == part.text && (hit.Terms&^a.Similar)&(1<<u) == 0 && len(whole.Form) > len(part.Form) &&
			strings.Contains(whole.Form, part.Form) {
			return true
		}
	}
	return false
}

// Signals returns what each signal adds to the score of hit i.
func (a *Answer) Signals(i int) *loci.WhySignals {
	s, w := &a.Hits[i].Signals, &a.By
	score := a.Hits[i].Score
	return &loci.WhySignals{
		Name: w.Name * s.Name, Row: w.Row * s.Row, Context: w.Context * s.Context, Session: w.Session * s.Session,
		Passage: w.Passage * s.Passage, Question: w.Question * s.Question, Actor: w.Actor * s.Actor,
		Self: w.Self * s.Self, When: w.When * s.When, Date: w.Date * s.Date, Graph: w.Graph * s.Graph,
		Meaning: w.Meaning * s.Meaning, Theme: w.Theme * s.Theme,
		Rule: w.Rule * s.Rule, Denies: score - score/(1-w.Denies*s.Denies),
	}
}

func (a *Answer) standing(i int) standing {
	h := &a.Hits[i]
	return standing{h.Score, h.Priority&currentPriority != 0, h.Priority&pinnedPriority != 0,
		int(h.Priority % pinnedPriority), h.Updated}
}

// Keep leaves out the hits that are not among these memories.
func (a *Answer) Keep(ids []loci.MemoryID) {
	kept := make(map[loci.MemoryID]bool, len(ids))
	for _, id := range ids {
		kept[id] = true
	}
	a.Drop(func(id [16]byte) bool { return !kept[id] })
}

// Drop leaves out hits.
func (a *Answer) Drop(drops func(id [16]byte) bool) {
	a.Hits = slices.DeleteFunc(a.Hits, func(h index.Hit) bool { return drops(h.ID) })
}

// These are the properties that order memories with the same score, in this order.
const (
	BoostCurrent    = "current" // not superseded
	BoostPinned     = "pinned"
	BoostImportance = "importance"
	BoostRecency    = "updated_at"
)

// fieldNames are the fields as surfaces call them.
var fieldNames = [loci.FieldCount]string{
	loci.FieldTitle:    "title",
	loci.FieldContent:  "content",
	loci.FieldSummary:  "summary",
	loci.FieldKey:      "key",
	loci.FieldCategory: "category",
	loci.FieldTags:     "tags",
}

// standing is what orders hits.
type standing struct {
	score      float64
	current    bool // known to be not superseded
	pinned     bool
	importance int
	updated    int64 // microseconds since 1970
}

// ties order hits with the same score: by the first one in which two hits differ. A superseded memory comes last,
// because superseding it was its last change.
var ties = [...]struct {
	boost   string
	compare func(x, y *standing) int
}{
	{BoostCurrent, func(x, y *standing) int { return compareBool(x.current, y.current) }},
	{BoostPinned, func(x, y *standing) int { return compareBool(x.pinned, y.pinned) }},
	{BoostImportance, func(x, y *standing) int { return cmp.Compare(x.importance, y.importance) }},
	{BoostRecency, func(x, y *standing) int { return cmp.Compare(x.updated, y.updated) }},
}

// compare orders standings, the lowest first.
func (x standing) compare(y standing) int {
	n := cmp.Compare(x.score, y.score)
	for i := 0; i < len(ties) && n == 0; i++ {
		n = ties[i].compare(&x, &y)
	}
	return n
}

func compareBool(x, y bool) int {
	if x == y {
		return 0
	}
	if x {
		return 1
	}
	return -1
}

// boosts returns why the hit at i comes before another one of n with the same score. The order is
// sorted, so the last of those that are equal in the earlier properties is the lowest.
func boosts(n, i int, at func(int) standing) []string {
	list, hit := []string{}, at(i)
	for k := range ties {
		last := at(lastLike(n, i, func(j int) bool {
			other := at(j)
			for _, earlier := range ties[:k] {
				if earlier.compare(&hit, &other) != 0 {
					return false
				}
			}
			return other.score == hit.score
		}))
		if ties[k].compare(&hit, &last) > 0 {
			list = append(list, ties[k].boost)
		}
	}
	return list
}

// lastLike returns the last of the adjacent positions from i to n that are alike.
func lastLike(n, i int, alike func(int) bool) int {
	return i + sort.Search(n-i, func(k int) bool { return !alike(i + k) }) - 1
}
