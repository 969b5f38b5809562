package storetest

import (
	"sync"
	"time"
)

func testLimits(e *env) {
	ctx, limits, now := e.Context(), e.st.Limits(), e.clock.now()
	take := func(key string, window time.Time, n, want int) {
		e.Helper()
		if got, err := limits.Take(ctx, key, window, n); err != nil || got != want {
			e.Errorf("Take: %d, %v, want %d", got, err, want)
		}
	}
	take("a", now, 1, 1)
	take("a", now, 3, 4)
	take("b", now, 1, 1)
	take("a", now.Add(time.Minute), 2, 2)
	take("a", now, 0, 4)
	if err := limits.Purge(ctx, now.Add(time.Minute)); err != nil {
		e.Error(err)
	}
	take("a", now, 0, 0)
	take("a", now.Add(time.Minute), 0, 2)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := limits.Take(ctx, "race", now, 1); err != nil {
				e.Error(err)
			}
		})
	}
	wg.Wait()
	take("race", now, 0, 20)
}

func testFailures(e *env) {
	ctx, limits, now := e.Context(), e.st.Limits(), e.clock.now()
	check := func(key string, want int, last time.Time) {
		e.Helper()
		if n, at, err := limits.Failures(ctx, key); err != nil || n != want || !at.Equal(last) {
			e.Errorf("Failures of %s: %d at %v, %v; want %d at %v", key, n, at, err, want, last)
		}
	}
	check("a", 0, time.Time{})
	for i := range 3 {
		at := now.Add(time.Duration(i) * time.Second)
		if n, err := limits.Fail(ctx, "a", at); err != nil || n != i+1 {
			e.Errorf("Fail: %d, %v, want %d", n, err, i+1)
		}
		check("a", i+1, at)
	}
	if _, err := limits.Fail(ctx, "b", now); err != nil {
		e.Error(err)
	}
	if err := limits.Purge(ctx, now.Add(time.Second)); err != nil {
		e.Error(err)
	}
	check("a", 3, now.Add(2*time.Second))
	check("b", 0, time.Time{})
	if err := limits.Clear(ctx, "a"); err != nil {
		e.Error(err)
	}
	check("a", 0, time.Time{})
}
