package recall

import (
	"slices"
	"testing"

	"github.com/loci-memory/loci"
)

func TestRankGraph(t *testing.T) {
	once := func(bytes int) loci.Occurrences { return loci.Occurrences{Times: 1, Bytes: bytes} }
	texts := func(n, bytes int) []loci.Occurrences { return slices.Repeat([]loci.Occurrences{once(bytes)}, n) }
	order := []loci.GraphMatch{ // best first
		{Named: true, Name: once(500)},
		{Name: once(10), Type: once(10), Observations: texts(20, 10)},
		{Name: once(10), Observations: texts(1, 10)},
		{Name: once(10)},
		{Name: once(300)},
		{Observations: []loci.Occurrences{{Times: 3, Bytes: 60}}},
		{Observations: texts(3, 60)},
		{Observations: texts(1, 60)},
		{Observations: texts(10, 100_000)},
		{Type: once(60)},
		{Type: once(60)}, // the order of equal ones stays
		{Observations: texts(9, 100_000)},
		{},
	}
	var want []loci.EntityID
	for i := range order {
		order[i].ID = loci.NewEntityID()
		want = append(want, order[i].ID)
	}
	shuffled := slices.Clone(order)
	slices.Reverse(shuffled)
	shuffled[2], shuffled[3] = shuffled[3], shuffled[2] // the equal ones
	for _, matches := range [][]loci.GraphMatch{order, shuffled} {
		if got := RankGraph(matches); !slices.Equal(got, want) {
			for i := range got {
				if got[i] != want[i] {
					t.Errorf("place %d has what belongs to %d", i, slices.Index(want, got[i]))
				}
			}
		}
	}
}
