package app_test

import (
	"context"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// shortReads is a store whose short reads fail if they are in use.
type shortReads struct {
	store.Store
	busy bool
}

func (s *shortReads) View(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	if s.busy {
		return context.DeadlineExceeded
	}
	return s.Store.View(ctx, org, fn)
}

// TestFacetsTakeNoShortRead counts while all connections for short reads are in use: counting reads each row, so it
// must not use one of these.
func TestFacetsTakeNoShortRead(t *testing.T) {
	t.Parallel()
	var s shortReads
	w := newWorld(t, func(o *app.Options) { s.Store = o.Store; o.Store = &s })
	w.add(w.owner, memory.Draft{Title: "Tea", Content: "Ada likes tea."})
	s.busy = true
	got, err := w.Memory.Facets(t.Context(), w.owner, memory.Filter{})
	if err != nil || got.Total != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
}
