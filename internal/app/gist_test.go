package app_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// A save finds what a memory says now, also if a save found before that it is unlike. Loci keeps a short form of
// memories that it has compared.
func TestSimilarAfterAnEdit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const (
		region = "The nightly job copies the whole database of the shop to the second region"
		choir  = "Whole database of songs: the choir sings in the second region of the church"
	)
	first, _ := w.save(w.owner, memory.Draft{Title: "Songs", Content: choir})
	if _, got := w.save(w.owner, memory.Draft{Title: "Copy", Content: region}); got != nil {
		t.Fatalf("like %q", got)
	}
	edited, err := w.Memory.Patch(t.Context(), w.owner, first.ID, 0, memory.Patch{Content: loci.Set(region + " daily")})
	if err != nil {
		t.Fatal(err)
	}
	_, got := w.save(w.owner, memory.Draft{Title: "Third", Content: region})
	if !cmp.Equal(got, []string{"Copy duplicate", "Songs near_duplicate"}) {
		t.Errorf("after version %d like %q", edited.Version, got)
	}
}

// A save whose memory is there already with a key is compared with others of that key, although it names none.
func TestSimilarOfAnIdenticalMemoryWithAKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const a, b = "The nightly job copies the whole database of the shop",
		"Auditors need the database that the nightly program of our shop copies, whole, " +
			"because every quarter somebody asks them for figures of last year"
	w.save(w.owner, memory.Draft{Title: "Auditors", Content: b, Key: "job", Dedupe: memory.DedupeCreate})
	_, want := w.save(w.owner, memory.Draft{Title: "Copy", Content: a, Key: "job", Dedupe: memory.DedupeCreate})
	if !cmp.Equal(want, []string{"Auditors same_subject"}) {
		t.Fatalf("like %q", want)
	}
	if same, got := w.save(w.owner, memory.Draft{Title: "Copy", Content: a}); !same.Identical || !cmp.Equal(got, want) {
		t.Errorf("identical %v, and like %q, want %q", same.Identical, got, want)
	}
}
