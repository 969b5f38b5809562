package recall

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/loci-memory/loci"
)

// Hit is a ranked match.
type Hit struct {
	ID    loci.MemoryID
	Score float64 // higher is better; comparable within one search only
}

// The weights of BM25F (Robertson, Zaragoza, Taylor: "Simple BM25 extension to
// multiple weighted fields", CIKM 2004): a word in the title says more than
// one in the content.
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

// Rank orders matches, best first, by BM25F. All statistics come from the
// matches themselves, that is from what the searcher may see. Equal scores are
// ordered by pinned, importance, last change and id.
func Rank(q Query, matches []loci.Match) []Hit {
	if len(matches) == 0 {
		return nil
	}
	idf := inverseFrequency(len(q.Terms), matches)
	average := averageLengths(matches)
	order := make([]ranked, len(matches))
	for i := range matches {
		order[i] = ranked{&matches[i], score(&matches[i], idf, average)}
	}
	slices.SortFunc(order, func(x, y ranked) int { return compare(y, x) })
	hits := make([]Hit, len(order))
	for i, r := range order {
		hits[i] = Hit{ID: r.match.ID, Score: r.score}
	}
	return hits
}

type ranked struct {
	match *loci.Match
	score float64
}

func compare(x, y ranked) int {
	return cmp.Or(
		cmp.Compare(x.score, y.score),
		compareBool(x.match.Pinned, y.match.Pinned),
		cmp.Compare(x.match.Importance, y.match.Importance),
		x.match.UpdatedAt.Compare(y.match.UpdatedAt),
		bytes.Compare(x.match.ID[:], y.match.ID[:]),
	)
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

// inverseFrequency returns ln(1 + (N-n+.5)/(n+.5)) for each term, where N is
// the number of matches and n how many of them contain the term.
func inverseFrequency(terms int, matches []loci.Match) []float64 {
	counts := make([]float64, terms)
	for i := range matches {
		for t := range terms {
			if contains(&matches[i], t) {
				counts[t]++
			}
		}
	}
	total := float64(len(matches))
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

func score(m *loci.Match, idf []float64, average [loci.FieldCount]float64) float64 {
	total := 0.0
	for t := range idf {
		frequency := 0.0
		for f := range loci.FieldCount {
			n := m.In(t, loci.Field(f))
			if n > 0 {
				length := 1 - b + b*float64(m.Lengths[f])/average[f]
				frequency += fieldWeight[f] * float64(n) / length
			}
		}
		total += idf[t] * frequency * (k1 + 1) / (k1 + frequency)
	}
	return total
}
