package app_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci/internal/memory"
)

// A save that changes the memory of its key is compared as it is stored then: with the title that it keeps, and not
// with itself.
func TestSimilarOfWhatAKeyNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.save(w.owner, memory.Draft{Title: "Port of Grafana", Content: "8080"})
	first, _ := w.save(w.owner, memory.Draft{Title: "Port of Grafana", Content: "8080", Key: "port"})
	again, got := w.save(w.owner, memory.Draft{Content: "8081", Key: "port"})
	if again.ID != first.ID || !cmp.Equal(got, []string{"Port of Grafana contradiction"}) {
		t.Errorf("%s was changed, which is like %q", again.Title, got)
	}
	if same, got := w.save(w.owner,
		memory.Draft{Title: "Port of Grafana", Content: "8081", Key: "port"}); !same.Unchanged || len(got) != 1 {
		t.Errorf("unchanged %v, and like %q", same.Unchanged, got)
	}
}
