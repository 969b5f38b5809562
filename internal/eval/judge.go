package eval

import (
	"context"
	"math"
	"slices"
	"time"
)

// Judge is a Searcher that returns its best hits with their confidence, also those that Search leaves out. nil: it has
// none.
type Judge interface {
	Judge(ctx context.Context, question string, askedAt time.Time) ([]Judged, error)
}

// Judged is a hit with how likely it is that it answers the question.
type Judged struct {
	ID         string
	Confidence float64
}

// judgedHits is how many hits of each question count.
const judgedHits = 10

// Confidence is how well a search knows which questions have an answer.
type Confidence struct {
	Unanswerable int     `json:"unanswerable"`      // questions of the type Apart
	GotNone      int     `json:"got_none"`          // those of them for which Search returned nothing
	Found        int     `json:"found"`             // other questions with an answer among the judged hits
	Lost         int     `json:"lost"`              // those of them whose answers Search left out
	Error        float64 `json:"calibration_error"` // expected, over ten bins

	hits int
	bins [10]float64 // the confidence of the hits minus how many of them answer
}

// add counts one question, for which Search returned ids.
func (c *Confidence) add(q *Question, ids []string, judged []Judged) {
	isGold := func(id string) bool { return q.Type != Apart && slices.Contains(q.Gold, id) }
	found := false
	for _, h := range judged {
		bin := &c.bins[min(int(10*h.Confidence), 9)]
		if *bin += h.Confidence; isGold(h.ID) {
			*bin--
			found = true
		}
	}
	switch {
	case q.Type == Apart:
		if c.Unanswerable++; len(ids) == 0 {
			c.GotNone++
		}
	case found:
		if c.Found++; !slices.ContainsFunc(ids, isGold) {
			c.Lost++
		}
	}
	c.hits += len(judged)
	c.Error = 0
	for _, bin := range c.bins {
		c.Error += math.Abs(bin) / float64(max(c.hits, 1))
	}
}
