//go:build unix

package app_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// BenchmarkSearchAtAnotherTime reads all memories and makes an index of them.
func BenchmarkSearchAtAnotherTime(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("memories=%d", n), func(b *testing.B) {
			a, st, p := benchmarked(b)
			fill(b, st, p, n)
			r := memory.SearchRequest{Filter: memory.Filter{When: loci.When{AsOf: time.Now()}}}
			partial, begin := 0, processTime(b)
			for b.Loop() {
				r.Query = someWords(5)
				page, err := a.Memory.Search(b.Context(), p, r)
				if err != nil || len(page.Items) == 0 {
					b.Fatal(len(page.Items), err)
				}
				if page.Partial() {
					partial++
				}
			}
			b.ReportMetric(float64((processTime(b)-begin).Milliseconds())/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(partial)/float64(b.N), "partial/op")
		})
	}
}
