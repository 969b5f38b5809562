//go:build unix

package app_test

import (
	"fmt"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// BenchmarkBulk saves 1,000 memories in one transaction.
func BenchmarkBulk(b *testing.B) {
	a, st, p := benchmarked(b)
	fill(b, st, p, 30_000)
	n := 0
	before := processTime(b)
	b.ResetTimer()
	for b.Loop() {
		items := make([]memory.BulkItem, loci.MaxBulk)
		for i := range items {
			n++
			items[i] = memory.BulkItem{
				Op:    loci.BulkCreate,
				Draft: memory.Draft{Title: "f", Content: fmt.Sprint("flood ", n), Dedupe: memory.DedupeCreate},
			}
		}
		if _, err := a.Memory.Bulk(b.Context(), p, items, true); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((processTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
}
