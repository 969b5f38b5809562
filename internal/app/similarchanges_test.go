package app_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// wantSimilar saves a draft, requires it to tell of some memories, and erases it.
func (w *world) wantSimilar(when string, d memory.Draft, want ...loci.MemoryID) {
	w.t.Helper()
	m := w.keep(w.owner, d)
	var got []loci.MemoryID
	for _, s := range m.Similar {
		got = append(got, s.ID)
	}
	if !slices.Equal(got, want) || m.SimilarSkipped {
		w.t.Errorf("%s: similar %v, want %v; skipped %v", when, got, want, m.SimilarSkipped)
	}
	if _, err := w.Memory.Trash(w.t.Context(), w.local, m.ID, 0); err != nil {
		w.t.Fatal(err)
	}
	if err := w.Memory.Erase(w.t.Context(), w.local, m.ID, 0); err != nil {
		w.t.Fatal(err)
	}
}

// TestSimilarFollowsChanges requires a save to tell of what is stored now, whoever has changed it: this process,
// or another one with the same files.
func TestSimilarFollowsChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	texts := []string{"The nightly job copies the wiki of the shop to the archive", "Nobody may read letters of customers"}
	for name, by := range map[string]*memory.Service{"this process": w.Memory, "another process": app.New(app.Options{
		Store: w.st, Now: w.Memory.Time, Deletion: loci.DeleteWithKey}).Memory} {
		draft := func(text string) memory.Draft {
			return memory.Draft{Title: "By " + name, Content: text + " of " + name, Dedupe: memory.DedupeCreate}
		}
		first, second := draft(texts[0]), draft(texts[1])
		second.Title = "Letters"
		check := func(_ any, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		w.wantSimilar(name+": before", first)
		m, err := by.Create(ctx, w.owner, first)
		check(m, err)
		w.wantSimilar(name+": created", first, m.ID)
		check(by.Patch(ctx, w.owner, m.ID, 0, memory.Patch{Title: loci.Set(second.Title), Content: loci.Set(second.Content)}))
		w.wantSimilar(name+": another text", first)
		w.wantSimilar(name+": its new text", second, m.ID)
		check(by.Trash(ctx, w.owner, m.ID, 0))
		w.wantSimilar(name+": trashed", second)
		check(by.Restore(ctx, w.local, m.ID, 0))
		w.wantSimilar(name+": restored", second, m.ID)
		check(by.Trash(ctx, w.owner, m.ID, 0))
		check(nil, by.Erase(ctx, w.local, m.ID, 0))
		w.wantSimilar(name+": erased", second)
		again := m.Memory
		check(nil, w.st.Update(ctx, w.owner.OrgID, func(tx store.Tx) error { return tx.Memories().Insert(ctx, &again) }))
		w.wantSimilar(name+": imported with its old id and version", first, m.ID)
		check(by.Trash(ctx, w.owner, m.ID, 0))
	}
}

// full is a store whose disk is full for a while.
type full struct {
	store.Store
	on bool
}

func (f *full) Update(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	return f.Store.Update(ctx, org, func(tx store.Tx) error {
		if err := fn(tx); err != nil || !f.on {
			return err
		}
		return errors.New("the disk is full")
	})
}

// TestFailedSavesAreNotSimilar requires that saves which failed hide nothing.
func TestFailedSavesAreNotSimilar(t *testing.T) {
	t.Parallel()
	var st *full
	w := newWorld(t, func(o *app.Options) { st = &full{Store: o.Store}; o.Store = st })
	d := memory.Draft{Title: "Deploys", Content: "We deploy the whole shop on Tuesdays at noon",
		Dedupe: memory.DedupeCreate}
	m := w.keep(w.owner, memory.Draft{Title: d.Title, Content: d.Content, Key: "deploys"})
	w.wantSimilar("before", d, m.ID)
	st.on = true
	for range 30 {
		if _, err := w.Memory.Create(t.Context(), w.owner, d); err == nil {
			t.Fatal("a save succeeded")
		}
	}
	other := memory.Draft{Title: "Other", Content: "Nobody may read letters of customers", Key: "deploys"}
	if _, err := w.Memory.Create(t.Context(), w.owner, other); err == nil {
		t.Fatal("an update succeeded")
	}
	st.on = false
	w.wantSimilar("after", d, m.ID)
}
