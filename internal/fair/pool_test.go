package fair_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loci-memory/loci/internal/fair"
)

// taken is what Take returned.
type taken struct {
	done func()
	err  error
}

// take takes in the background. The result is in the channel once there is one.
func take(ctx context.Context, p *fair.Pool, who string, cost int64) chan taken {
	out := make(chan taken, 1)
	go func() {
		_, done, err := p.Take(fair.In(ctx, who), cost)
		out <- taken{done, err}
	}()
	synctest.Wait()
	return out
}

// TestPoolIsShared lets one line flood a pool, and others take once.
func TestPoolIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := fair.NewPool(fair.Options{Total: 4, Each: 2, Waiting: 10, Patience: time.Minute})
		var flood []chan taken
		for range 12 {
			flood = append(flood, take(t.Context(), p, "flood", 1))
		}
		if len(flood[1]) != 1 || len(flood[2]) != 0 {
			t.Errorf("of the flood %d and %d run, want two at once", len(flood[1]), len(flood[2]))
		}
		if more := take(t.Context(), p, "flood", 1); len(more) != 1 || !errors.Is((<-more).err, fair.ErrBusy) {
			t.Error("one more than may wait does not fail")
		}
		for i := range 2 {
			if other := take(t.Context(), p, fmt.Sprint("other ", i), 1); len(other) != 1 {
				t.Errorf("line %d waits for the flood", i)
			}
		}
		late := take(t.Context(), p, "late", 1)
		if len(late) != 0 {
			t.Error("more is lent than there is")
		}
		<-time.After(time.Second) // the flood has used a second of two places
		(<-flood[0]).done()
		synctest.Wait()
		if len(late) != 1 || len(flood[2]) != 0 {
			t.Errorf("after one ends, %d of another line and %d of the flood run; want the other", len(late), len(flood[2]))
		}
	})
}

// TestPoolOfThoseWhoLeave frees the place of a caller who has gone or has waited for too long.
func TestPoolOfThoseWhoLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := fair.NewPool(fair.Options{Total: 1, Each: 1, Waiting: 10, Patience: time.Minute})
		first := <-take(t.Context(), p, "a", 1)
		for _, who := range []string{"a", "b"} {
			ctx, leave := context.WithCancel(t.Context())
			waits := take(ctx, p, who, 1)
			leave()
			if got := <-waits; !errors.Is(got.err, context.Canceled) {
				t.Errorf("%s: %v", who, got.err)
			}
		}
		if got := <-take(t.Context(), p, "b", 1); !errors.Is(got.err, fair.ErrBusy) { // a minute passes
			t.Errorf("after a minute: %v", got.err)
		}
		first.done()
		if got := <-take(t.Context(), p, "b", 1); got.err != nil {
			t.Errorf("though nothing is lent: %v", got.err)
		}
	})
}

// TestPoolOfBytes demands that a taker gets its share at most, and the rule about what is spare.
func TestPoolOfBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := fair.NewPool(fair.Options{Total: 8, Each: 4, Spare: 4})
		var dones []func()
		for _, step := range []struct {
			who  string
			cost int64
			want bool
		}{{"a", 1, true}, {"a", 2, true}, {"a", 2, false}, {"b", 100, true}, {"a", 1, false}, {"c", 1, true}, {"d", 1,
			false}} {
			got := <-take(t.Context(), p, step.who, step.cost)
			if (got.err == nil) != step.want {
				t.Errorf("%s takes %d: %v, want %v", step.who, step.cost, got.err, step.want)
			}
			if got.err == nil {
				dones = append(dones, got.done)
			}
		}
		for _, done := range dones {
			done()
		}
		if got := <-take(t.Context(), p, "d", 4); got.err != nil {
			t.Error(got.err)
		}
	})
}

// TestTurnInATurn demands that work that has a turn does not wait for itself.
func TestTurnInATurn(t *testing.T) {
	p := fair.NewPool(fair.Options{Total: 1, Each: 1})
	ctx, done, err := p.Take(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	_, inner, err := p.Take(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	inner()
	if _, _, err := p.Take(t.Context(), 1); !errors.Is(err, fair.ErrBusy) {
		t.Errorf("while the outer one runs: %v", err)
	}
	done()
	if _, _, err := p.Take(t.Context(), 1); err != nil {
		t.Error(err)
	}
}
