package recall

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
)

// Hit is a ranked match.
type Hit struct {
	ID    loci.MemoryID
	Score float64 // higher is better; comparable within one search only
	Why   loci.Why
}

// These are the weights of BM25F (Robertson, Zaragoza, Taylor: "Simple BM25 extension to multiple
// weighted fields", CIKM 2004): a word counts more in the title than in the content.
const (
	k1 = 1.2
	b  = 0.75
)

var fieldWeight = [loci.FieldCount]float64{
	loci.FieldTitle:    3,
	loci.FieldContent:  1,
	loci.FieldSummary:  1.5,
	loci.FieldKey:      3,
	loci.FieldCategory: 1,
	loci.FieldTags:     2.5,
}

// fieldTexts returns the texts of a memory by field. The default category is no text: nobody wrote it, and almost
// every memory has it.
func fieldTexts(m *loci.Memory) [loci.FieldCount]string {
	category := m.Category
	if category == loci.DefaultCategory {
		category = ""
	}
	return [loci.FieldCount]string{
		loci.FieldTitle:    m.Title,
		loci.FieldContent:  m.Content,
		loci.FieldSummary:  m.Summary,
		loci.FieldKey:      m.Key,
		loci.FieldCategory: category,
		loci.FieldTags:     strings.Join(m.Tags, "\n"),
	}
}

// Ranking is an ordered list of matches. It keeps the figures behind the order, so that each hit
// can explain its position.
type Ranking struct {
	query   Query
	order   []ranked
	idf     []float64
	average [loci.FieldCount]float64
}

// Rank orders matches, best first, by BM25F. All statistics come from the matches themselves, so
// only from what the searcher may see. Equal scores are ordered by ties and then by id. The caller must not change
// matches while the ranking is in use.
func Rank(q Query, matches []loci.Match) *Ranking {
	r := &Ranking{query: q}
	if len(matches) == 0 {
		return r
	}
	r.idf = inverseFrequency(len(q.Terms), matches)
	r.average = averageLengths(matches)
	r.order = make([]ranked, len(matches))
	for i := range matches {
		r.order[i] = ranked{&matches[i], r.score(&matches[i])}
	}
	slices.SortFunc(r.order, func(x, y ranked) int { return compare(y, x) })
	return r
}

// Len returns the number of hits.
func (r *Ranking) Len() int { return len(r.order) }

// Hits returns the hits from i up to j, without j, best first. Bounds beyond the last hit mean the end of the list.
func (r *Ranking) Hits(i, j int) []Hit {
	j = min(j, len(r.order))
	hits := make([]Hit, 0, max(j-i, 0))
	for ; i < j; i++ {
		hits = append(hits, Hit{ID: r.order[i].match.ID, Score: r.order[i].score, Why: r.why(i)})
	}
	return hits
}

type ranked struct {
	match *loci.Match
	score float64
}

func (r *ranked) standing() standing {
	m := r.match
	return standing{r.score, m.Superseded, m.Pinned, m.Importance, m.UpdatedAt.UnixMicro()}
}

func compare(x, y ranked) int {
	a, b := x.standing(), y.standing()
	if n := cmp.Compare(a.score, b.score); n != 0 {
		return n
	}
	for i := range ties {
		if n := ties[i].compare(&a, &b); n != 0 {
			return n
		}
	}
	return bytes.Compare(x.match.ID[:], y.match.ID[:])
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

// others is how many memories without a match are assumed, since a search only counts those with one. Without them, a
// word of most matches would weigh next to nothing, and one rare word would overrule several that fit.
const others = 50

// inverseFrequency returns ln(1 + (N-n+.5)/(n+.5)) for each term, where N is
// the number of matches and others, and n how many of them contain the term.
func inverseFrequency(terms int, matches []loci.Match) []float64 {
	counts := make([]float64, terms)
	for i := range matches {
		for t := range terms {
			if contains(&matches[i], t) {
				counts[t]++
			}
		}
	}
	total := float64(len(matches) + others)
	for t, n := range counts {
		counts[t] = math.Log(1 + (total-n+0.5)/(n+0.5))
	}
	return counts
}

func contains(m *loci.Match, t int) bool {
	for f := range loci.FieldCount {
		if m.In(t, loci.Field(f)) > 0 {
			return true
		}
	}
	return false
}

func averageLengths(matches []loci.Match) (average [loci.FieldCount]float64) {
	for i := range matches {
		for f, n := range matches[i].Lengths {
			average[f] += float64(n)
		}
	}
	for f := range average {
		average[f] = max(average[f]/float64(len(matches)), 1)
	}
	return average
}

func (r *Ranking) score(m *loci.Match) float64 {
	total := 0.0
	for t := range r.idf {
		total += r.termScore(m, t)
	}
	return total
}

func (r *Ranking) termScore(m *loci.Match, t int) float64 {
	frequency := 0.0
	for f := range loci.FieldCount {
		n := m.In(t, loci.Field(f))
		if n > 0 {
			length := 1 - b + b*float64(m.Lengths[f])/r.average[f]
			frequency += fieldWeight[f] * float64(n) / length
		}
	}
	return r.idf[t] * frequency * (k1 + 1) / (k1 + frequency)
}

// RanksOf returns the place of each wanted id in a ranking without duplicates, counted from 1; 0: it is not there.
func RanksOf[ID comparable](wanted, ranking []ID) []int {
	at := make(map[ID]int, len(ranking))
	for i, id := range ranking {
		at[id] = i + 1
	}
	ranks := make([]int, len(wanted))
	for i, id := range wanted {
		ranks[i] = at[id]
	}
	return ranks
}

// ShareWithin returns which part of what is wanted is among the first k, by its ranks.
func ShareWithin(ranks []int, k int) float64 {
	n := 0
	for _, rank := range ranks {
		if rank > 0 && rank <= k {
			n++
		}
	}
	return float64(n) / float64(len(ranks))
}

// First returns the best of the ranks; 0: nothing was found.
func First(ranks []int) (best int) {
	for _, rank := range ranks {
		if rank > 0 && (best == 0 || rank < best) {
			best = rank
		}
	}
	return best
}

// Reciprocal returns 1 divided by the best of the ranks, or 0.
func Reciprocal(ranks []int) float64 {
	if best := First(ranks); best > 0 {
		return 1 / float64(best)
	}
	return 0
}

// isNear reports whether a row is merely near a match: others of its session match, or a graph leads to it. It has no
// word of the question, is not named by it, does not mean something similar, does not follow a question with such
// words, and was not said by a person or on a day that the question names.
func isNear(h index.Hit) bool {
	s := &h.Signals
	return h.Terms == 0 && s.Name == 0 && s.Meaning == 0 && s.Question == 0 && s.Actor == 0 && s.Date == 0
}

// matchesFirst puts the hits that are merely near a match behind all others. If such hits may have taken the places of
// others, it asks for those again.
func matchesFirst(views []*index.View, q *index.Query, found []index.Hit) []index.Hit {
	if !slices.ContainsFunc(found, isNear) {
		return found
	}
	var near []index.Hit
	matches := make([]index.Hit, 0, len(found))
	for _, h := range found {
		if isNear(h) {
			near = append(near, h)
		} else {
			matches = append(matches, h)
		}
	}
	if len(found) == q.Limit {
		own := *q
		own.OwnWords = true
		for _, h := range index.Search(views, &own).Hits {
			if !slices.ContainsFunc(matches, func(o index.Hit) bool { return o.ID == h.ID }) {
				matches = append(matches, h)
			}
		}
	}
	return append(matches, near...)[:len(found)]
}

// LimitNear leaves out hits that are merely near a match, but for the first ones.
func (a *Answer) LimitNear(most int) {
	matches, all := slices.IndexFunc(a.Hits, isNear), len(a.Hits)
	if matches < 0 {
		return
	}
	a.Hits = a.Hits[:min(matches+most, all)]
	a.Total, a.Exact = len(a.Hits), all < a.question.ask.Limit
}
