package recall

import (
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
)

// fieldWeight is how often a word counts in each field.
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
