package vectors_test

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/embed/embedtest"
	"github.com/loci-memory/loci/internal/vectors"
	"github.com/loci-memory/loci/internal/vectors/storetest"
)

func files(t *testing.T) func() vectors.Store {
	dir := filepath.Join(t.TempDir(), "vectors")
	return func() vectors.Store { return vectors.NewFiles(dir) }
}

func inMemory(*testing.T) func() vectors.Store {
	m := storetest.NewMemory()
	return func() vectors.Store { return m }
}

func TestStores(t *testing.T) {
	t.Run("Files", func(t *testing.T) { storetest.Run(t, files) })
	t.Run("Memory", func(t *testing.T) { storetest.Run(t, inMemory) })
}

// over returns an Index as a host has it, with a store of vectors.
func (w *world) over(sets vectors.Store, models embed.Source) *vectors.Index {
	return w.open(vectors.Options{Models: models, Sets: sets, Log: slog.New(slog.DiscardHandler)})
}

// TestHostsShareVectors has two hosts with one store of vectors. Together they ask the model for each text once.
func TestHostsShareVectors(t *testing.T) {
	for name, open := range map[string]func(*testing.T) func() vectors.Store{"Files": files, "Memory": inMemory} {
		t.Run(name, func(t *testing.T) {
			w, model, open := newWorld(t), &embedtest.Model{}, open(t)
			hosts := []*vectors.Index{w.over(open(), model), w.over(open(), model)}
			list := w.add(numbered(300)...)
			all := func() {
				var wg sync.WaitGroup
				for _, x := range hosts {
					wg.Go(func() { w.must(x.CatchUp(t.Context(), loci.DefaultOrg)) })
				}
				wg.Wait()
				w.must(hosts[0].CatchUp(t.Context(), loci.DefaultOrg)) // says that they are complete
			}
			all()
			w.change(list[0], "another text")
			all()
			texts := slices.DeleteFunc(model.Texts(), func(s string) bool { return s == "memory" }) // how many dimensions?
			slices.Sort(texts)
			want := append(numbered(300), "another text")
			slices.Sort(want)
			if !slices.Equal(texts, want) {
				t.Errorf("the model was asked for %d texts, want each of %d once", len(texts), len(want))
			}
			for i, x := range hosts {
				t.Run(fmt.Sprint("host ", i), func(t *testing.T) { check(t, x, 300, vectors.Ready) })
			}
		})
	}
}

// has reports how many vectors searches have, and their state.
func has(t testing.TB, x *vectors.Index) (n int, state vectors.State) {
	t.Helper()
	m, state := x.Meaning(t.Context(), loci.DefaultOrg, "tea")
	if m.Vectors == nil {
		return 0, state
	}
	return m.Vectors.Len(), state
}

func check(t testing.TB, x *vectors.Index, n int, state vectors.State) {
	t.Helper()
	if got, is := has(t, x); got != n || is != state {
		t.Errorf("there are %d vectors (%s), want %d (%s)", got, is, n, state)
	}
}
