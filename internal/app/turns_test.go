package app_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/fair"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/review/reviewtest"
)

// counted counts how often notes are read.
type counted struct {
	reviewtest.ByLine
	calls atomic.Int64
}

func (c *counted) Extract(ctx context.Context, a *review.Asked) (*review.Extracted, error) {
	c.calls.Add(1)
	return c.ByLine.Extract(ctx, a)
}

// TestLongWorkTakesTurns takes all turns of a credential. What computes for long must wait then, searches and the
// reading of long notes, but not that of another credential.
func TestLongWorkTakesTurns(t *testing.T) {
	t.Parallel()
	d, reads := newDesk(t), &counted{}
	d.App = app.New(app.Options{Store: d.st, Now: d.clock, Extractor: reads})
	search := func(ctx context.Context) error {
		_, err := d.Memory.Search(ctx, d.owner, memory.SearchRequest{Query: "gin"})
		return err
	}
	reflect := func(ctx context.Context) error {
		notes := review.Notes{Content: strings.Repeat("We decided to use gin for the API.\n", 200)}
		_, err := d.Review.Reflect(ctx, d.owner, notes)
		return err
	}
	flood := fair.In(t.Context(), "flood")
	gone, leave := context.WithCancel(flood)
	leave() // so that nothing waits
	var give []func()
	for taken := true; taken; {
		_, done, err := d.Turn(gone)
		if taken = err == nil; taken {
			give = append(give, done)
		}
	}
	if err := search(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("a search of a credential without a turn: %v", err)
	}
	late := make(chan error)
	go func() { late <- reflect(flood) }()
	other := fair.In(t.Context(), "other")
	d.must(search(other))
	d.must(reflect(other))
	d.must(reflect(other))
	if n := reads.calls.Load(); n != 2 {
		t.Errorf("notes were read %d times, want those of the other credential only", n)
	}
	for _, done := range give {
		done()
	}
	d.must(<-late)
	d.must(search(flood))
}
