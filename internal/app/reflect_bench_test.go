//go:build unix

package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/review"
)

// sessionNotes are 2 KB of notes as assistants write them, in which about ten passages are worth keeping.
var sessionNotes = strings.Repeat("Spent the morning on the importer. Found that imports stall when the source has "+
	"more than 5000 documents. Decided to add resumable jobs, because a restart costs an hour. Ana will write the "+
	"runbook by Friday. Maybe we could try canary releases later. The logs are under docs/logs/importer.md as before.\n\n"+
	"- [ ] squash the commits before the merge\n- see https://example.org/importer for the design\n\n", 6)[:2000]

// BenchmarkReflect reads 2 KB of notes, beside 1,000 and 100,000 memories: without persist, and with what it stores for
// review, each time of other notes. One decision has the words of the memories.
func BenchmarkReflect(b *testing.B) {
	for _, memories := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(memories), func(b *testing.B) {
			a, st, p := benchmarked(b)
			fill(b, st, p, memories)
			for partial := true; partial; { // the index is built while one searches
				page, err := a.Memory.Search(b.Context(), p, memory.SearchRequest{Query: "deploy"})
				if err != nil {
					b.Fatal(err)
				}
				partial = page.StoppedBy != ""
			}
			for _, persist := range []bool{false, true} {
				b.Run(fmt.Sprintf("persist=%v", persist), func(b *testing.B) {
					before, n, found := processTime(b), 0, 0
					for b.Loop() {
						n++
						r, err := a.Review.Reflect(b.Context(), p, review.Notes{Persist: persist, PersistReview: true,
							PersistSource: true, Content: sessionNotes + "\n\nWe decided to " + someWords(10) + "."})
						if err != nil {
							b.Fatal(err)
						}
						found += r.Total
					}
					b.ReportMetric(float64((processTime(b)-before).Microseconds())/float64(n), "cpu-µs/op")
					b.ReportMetric(float64(found)/float64(n), "candidates/op")
				})
			}
		})
	}
}
