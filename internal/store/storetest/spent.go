package storetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// ending is a context that ends by cause after it was asked a number of times whether it has ended.
type ending struct {
	context.Context
	asked *int
	end   func()
}

func (c ending) Err() error {
	if *c.asked--; *c.asked < 0 {
		c.end()
	}
	return c.Context.Err()
}

func endingAfter(ctx context.Context, asked int, cause error) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	return ending{ctx, &asked, func() { cancel(cause) }}
}

// testSpent ends searches early: those that used up their time return the newest of what they would have found.
func testSpent(e *env) {
	for range 50 {
		e.insert()
	}
	then := e.clock.now()
	e.clock.move(time.Hour)
	searches := map[string]func(context.Context, store.Tx) ([]loci.MemoryID, bool, error){}
	for name, when := range map[string]loci.When{"Contains": {}, "Contains then": {KnownAt: then}} {
		searches[name] = func(ctx context.Context, tx store.Tx) (ids []loci.MemoryID, cut bool, err error) {
			got, err := tx.Lists().Contains(ctx, e.person(),
				store.ContainsQuery{Filter: store.Filter{When: when}, Text: "onten", Look: 1000, Limit: 1000})
			return got.IDs, got.Cut, err
		}
	}
	for name, search := range searches {
		var all []loci.MemoryID
		for _, asked := range []int{1 << 30, 0, 1, 20} {
			e.scan(func(ctx context.Context, tx store.Tx) error {
				ids, cut, err := search(endingAfter(ctx, asked, loci.ErrSpent), tx)
				if asked > 50 {
					all = ids
				}
				if err != nil || cut != (asked < 50) && len(ids) < len(all) || len(ids) > len(all) ||
					!slices.Equal(ids, all[:len(ids)]) {
					e.Errorf("%s, ends after %d: %d of %d found, cut %v, %v", name, asked, len(ids), len(all), cut, err)
				}
				if again, cut, err := search(ctx, tx); len(again) != 50 || cut || err != nil {
					e.Errorf("%s, once more: %d found, cut %v, %v", name, len(again), cut, err)
				}
				return nil
			})
			gone := errors.New("the caller has gone")
			err := e.st.Scan(e.Context(), e.org, func(tx store.Tx) error {
				_, cut, err := search(endingAfter(e.Context(), 0, gone), tx)
				if cut {
					e.Errorf("%s of a caller who has gone is cut, as if it had used up its time", name)
				}
				return err
			})
			if !errors.Is(err, context.Canceled) {
				e.Errorf("%s of a caller who has gone: %v", name, err)
			}
		}
	}
}

func (e *env) scan(fn func(context.Context, store.Tx) error) {
	e.Helper()
	if err := e.st.Scan(e.Context(), e.org, func(tx store.Tx) error { return fn(e.Context(), tx) }); err != nil {
		e.Error(err)
	}
}
