package app_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
)

// graphText draws words of which few are frequent, as those of texts are.
func graphText(r *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("w%dn", int(2.7*(math.Pow(24_000/2.7+1, r.Float64())-1)))
	}
	return strings.Join(words, " ")
}

// BenchmarkGraphSearch searches a graph of 10,000 entities for two words of an observation.
func BenchmarkGraphSearch(b *testing.B) {
	w := newGraphWorld(b)
	r := rand.New(rand.NewPCG(1, 1))
	var texts []string
	for range 20 {
		var items []loci.NewEntity
		for range 500 {
			items = append(items, ent(fmt.Sprint(graphText(r, 2), " ", len(texts)), "t"+fmt.Sprint(r.IntN(20)), graphText(r, 12),
				graphText(r, 12)))
			texts = append(texts, items[len(items)-1].Observations[0])
		}
		w.put(w.olga, nil, items...)
	}
	_, _ = w.Graph.Search(b.Context(), w.claude, w.open, graph.SearchRequest{Query: "x"})
	for b.Loop() {
		words := strings.Fields(texts[r.IntN(len(texts))])
		hits, err := w.Graph.Search(b.Context(), w.claude, w.open, graph.SearchRequest{Query: words[7] + " " + words[2]})
		if err != nil || len(hits.Entities) == 0 {
			b.Fatal(hits, err)
		}
	}
}
