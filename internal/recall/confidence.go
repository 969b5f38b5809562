package recall

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"github.com/loci-memory/loci/internal/index"
)

// certainty is a logistic formula of how likely it is that a row answers a question. words is for the share of the
// words of the question that it has, weighted by rarity, and all for the square of that. person counts if a person whom
// the question names said it, or if it happened when the question says. context is what neighbours add to its words.
type certainty struct{ atAll, words, all, meaning, person, context float64 }

// These were fitted to questions of our own with and without an answer, and rounded by hand; docs/recall.md has the
// figures. A row that has no vector to compare has its words only.
var (
	compared   = certainty{-5.5, 1, 2.8, 7.5, 0.5, 0.5}
	uncompared = certainty{-4.2, 4, 2.8, 0, 0.5, 2.5}
)

func (c *certainty) of(share float64, s *index.Signals) float64 {
	odds := c.atAll + c.words*share + c.all*share*share + c.meaning*s.Meaning + c.person*max(s.Actor, s.Date) +
		c.context*(s.Context-s.Row)
	return math.Round(1000/(1+math.Exp(-odds))) / 1000
}

// DefaultConfidence is what one of the best hits of an answer must have, unless the reader asks for another bound.
const DefaultConfidence = 0.012

// These are how many hits decide whether an answer fits, and how many are looked at for those above another bound.
const (
	judged        = 10
	mostConfident = 200
)

// within is how much less similar in meaning than the best row a row may be to which nothing else leads: there the odds
// are ten times lower.
const within = 0.24

// Fetched returns how many hits LeaveOut needs, for a page that needs so many.
func Fetched(want int, least *float64) int {
	if least != nil && *least > 0 {
		return max(want, mostConfident)
	}
	return max(want, judged)
}

// Confidence returns how likely it is that a hit answers the question, from 0 to 1.
func (a *Answer) Confidence(h *index.Hit) float64 {
	s, share := &h.Signals, 0.0
	for rest := h.Terms; rest != 0; rest &= rest - 1 {
		t := bits.TrailingZeros32(rest)
		if share += a.Weights[t]; a.Similar&(1<<t) != 0 {
			share -= a.Weights[t] / 2
		}
	}
	share *= float64(len(a.terms)) / float64(max(len(a.terms)+a.formal, 1))
	if share = max(share, s.Name, s.Graph/2); h.Compared {
		return compared.of(share, s)
	}
	return uncompared.of(share, s)
}

// LeaveOut leaves out hits with less confidence than the reader asks for, and reports whether nothing is left. By
// default it leaves out all or none: all if none of the best has DefaultConfidence and none has what is asked for.
func (a *Answer) LeaveOut() (nothing bool) {
	found, least := len(a.Hits), a.question.ask.Least
	switch {
	case found == 0 || least != nil && *least == 0 || least == nil && a.fits():
		return false
	case least == nil:
		a.Hits = nil
	default:
		a.Hits = slices.DeleteFunc(a.Hits, func(h index.Hit) bool { return a.Confidence(&h) < *least })
	}
	a.Total, a.Exact = len(a.Hits), found < a.question.ask.Limit || len(a.Hits) == 0
	return len(a.Hits) == 0
}

func (a *Answer) fits() bool {
	for i := range a.Hits {
		if i < judged && a.Confidence(&a.Hits[i]) >= DefaultConfidence || a.has(&a.Hits[i]) {
			return true
		}
	}
	return false
}

// has reports whether a hit has what the question asks for: all of its words, a phrase or an identifier of it, the name
// of the hit, a relation that leads to it, or its day; or one of its words, if nothing is known of its meaning. So no
// guess takes it out of an answer.
func (a *Answer) has(h *index.Hit) bool {
	s := &h.Signals
	if s.Name > 0 || s.Graph > 0 || s.Date >= 1 || !h.Compared && h.Terms&^a.Similar != 0 {
		return true
	}
	var there []string // the texts of its terms
	for rest := h.Terms; rest != 0; rest &= rest - 1 {
		n := bits.TrailingZeros32(rest)
		t := &a.terms[n]
		if there = append(there, t.text); a.Similar&(1<<n) == 0 && (len(t.words) > 0 || isCode(t.text)) {
			return true
		}
	}
	return len(there) > 0 && !slices.ContainsFunc(a.terms, func(t term) bool { // a word may be several terms
		return !slices.ContainsFunc(there, func(text string) bool {
			return strings.Contains(text, t.text) || strings.Contains(t.text, text)
		})
	})
}

// isCode reports whether a word has letters and something else, as plum3 and user_id have.
func isCode(word string) bool {
	return strings.ContainsFunc(word, unicode.IsLetter) && strings.ContainsFunc(word, func(r rune) bool {
		return unicode.IsDigit(r) || strings.ContainsRune("_/.:@", r)
	})
}
