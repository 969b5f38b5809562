package recall

import (
	"cmp"
	"slices"

	"github.com/loci-memory/loci"
)

// These are the weights of a query's words by the place where they occur. A query that equals the
// name of an entity outweighs any sum of the rest.
const (
	graphName  = 5.0
	graphType  = 1.0
	graphText  = 1.0
	graphNamed = 10.0

	graphMore     = 0.05 // for each observation that has one of the words
	graphMostMore = 10   // up to this many
)

// RankGraph returns the entities that a search of a graph found, best first. Entities with equal
// scores keep their order.
func RankGraph(matches []loci.GraphMatch) []loci.EntityID {
	type scored struct {
		id    loci.EntityID
		score float64
	}
	order := make([]scored, len(matches))
	for i := range matches {
		order[i] = scored{matches[i].ID, graphScore(&matches[i])}
	}
	slices.SortStableFunc(order, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	ids := make([]loci.EntityID, len(order))
	for i := range order {
		ids[i] = order[i].id
	}
	return ids
}

// graphScore adds up name, type and the best observation.
func graphScore(m *loci.GraphMatch) float64 {
	score := worth(graphName, m.Name) + worth(graphType, m.Type)
	if m.Named {
		score += graphNamed
	}
	best := 0.0
	for _, o := range m.Observations {
		best = max(best, worth(graphText, o))
	}
	return score + best + graphMore*float64(min(len(m.Observations), graphMostMore))
}

// worth increases with the number of words and decreases with the length of the text.
func worth(weight float64, o loci.Occurrences) float64 {
	if o.Times == 0 {
		return 0
	}
	return weight * float64(o.Times) / (float64(o.Times) + 0.5 + float64(o.Bytes)/120)
}
