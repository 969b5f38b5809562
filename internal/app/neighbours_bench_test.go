package app_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// BenchmarkRecallWithGraphs asks among 1,000 memories: of a person without projects, with 8 empty ones, and with
// one that has a graph of 20 or of 10,000 entities.
func BenchmarkRecallWithGraphs(b *testing.B) {
	for _, kind := range []string{"none", "empty", "small", "large"} {
		b.Run(kind, func(b *testing.B) {
			w := newGraphWorld(b)
			for i := range 1000 {
				w.add(w.olga, memory.Draft{Title: fmt.Sprint("Note ", i), Content: fmt.Sprintf(
					"The service %d listens on port %d and belongs to person%d.", i, i*7, i%50)})
			}
			asker := w.olga
			asker.ProjectIDs = []loci.ProjectID{w.open}
			switch kind {
			case "none":
				asker.ProjectIDs = nil
			case "empty":
				for i := range 7 {
					asker.ProjectIDs = append(asker.ProjectIDs, w.project(w.olga, fmt.Sprint("p", i), true).ID)
				}
			case "small":
				for i := range 20 {
					w.put(w.olga, nil, ent(fmt.Sprint("team-", i), "team", fmt.Sprint("Has ", i, " people."), "Works remotely."))
				}
			case "large":
				for i := range 10 {
					var items []loci.NewEntity
					var relations []loci.NewRelation
					for j := range 1000 {
						name := fmt.Sprint("service-", i*1000+j)
						items = append(items, ent(name, "service", fmt.Sprint("Listens on port ", j), "Is restarted at night."))
						if j > 0 {
							relations = append(relations, rel(name, "calls", items[j-1].Name))
						}
					}
					w.put(w.olga, nil, items...)
					w.relate(w.olga, relations...)
				}
			}
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				begin := time.Now()
				_, err := w.Memory.Recall(b.Context(), asker, memory.SearchRequest{Query: fmt.Sprintf(
					"which port does service-%d listen on", i*37%9000)})
				w.must(err)
				times = append(times, time.Since(begin))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-us")
			b.ReportMetric(float64(times[len(times)*95/100].Microseconds()), "p95-us")
		})
	}
}
