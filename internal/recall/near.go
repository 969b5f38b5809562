package recall

import (
	"slices"

	"github.com/loci-memory/loci/internal/index"
)

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
