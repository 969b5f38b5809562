package app_test

import (
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
)

// TestWhatAKilledServerBegan begins a request that is never finished, and one that is finished too late: the
// next one with its key takes its place, soon if it cannot be carried out twice.
func TestWhatAKilledServerBegan(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		atomic bool
		wait   time.Duration
	}{"in one transaction": {true, 10 * time.Second}, "in several": {false, 5 * time.Minute}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			asked := gate.OnceRequest{Key: [32]byte{1}, Body: [32]byte{2}, Atomic: tt.atomic}
			begin := func() (*gate.Once, *gate.Repeated, error) { return w.BeginOnce(t.Context(), w.owner, asked) }
			first, _, err := begin()
			if err != nil {
				t.Fatal(err)
			}
			w.now = w.now.Add(tt.wait - time.Second) // each look at the clock takes a second
			_, _, err = begin()
			wantCode(t, err, loci.Conflict)
			second, known, err := begin()
			if err != nil || second == nil {
				t.Fatalf("got %v, %v after %v; want that it is begun anew", known, err, tt.wait)
			}
			if !tt.atomic {
				return
			}
			_, err = w.Memory.Create(first.Carry(t.Context(), 201), w.owner, memory.Draft{Title: "late", Content: "c"})
			wantCode(t, err, loci.Conflict)
			m, err := w.Memory.Create(second.Carry(t.Context(), 201), w.owner, memory.Draft{Title: "in time", Content: "c"})
			if err != nil {
				t.Fatal(err)
			}
			if _, known, err = begin(); err != nil || known == nil || known.Target != m.ID.String() {
				t.Errorf("got %+v, %v; want what the second one made", known, err)
			}
			page, err := w.Memory.List(t.Context(), w.owner, memory.ListRequest{})
			if err != nil || titles(page.Items) != "in time" {
				t.Errorf("got %v, %v; want one memory", page, err)
			}
		})
	}
}
