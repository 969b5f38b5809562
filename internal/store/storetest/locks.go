package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"

	"github.com/loci-memory/loci"
)

// testLocks lets one caller at a time hold a lock, and others wait only for that one.
func testLocks(e *env) {
	held, unlock, err := e.st.Lock(e.Context(), "a")
	if err != nil {
		e.Fatal(explain(err))
	}
	_, _, err = e.st.TryLock(e.Context(), "a")
	e.wantCode("TryLock of a held lock", err, loci.Conflict)
	if _, free, err := e.st.TryLock(e.Context(), "b"); err != nil {
		e.Errorf("TryLock of another lock: %v", explain(err))
	} else {
		free()
	}
	gone, cancel := context.WithCancel(e.Context())
	cancel()
	if _, _, err := e.st.Lock(gone, "a"); !errors.Is(err, context.Canceled) {
		e.Errorf("Lock whose caller is gone: %v, want that of its context", explain(err))
	}
	if err := held.Err(); err != nil {
		e.Errorf("the context of a held lock ended: %v", err)
	}
	unlock()
	if held.Err() == nil {
		e.Error("the context of a lock has not ended with it")
	}
	n, wg := 0, sync.WaitGroup{}
	for range 20 {
		wg.Go(func() {
			_, unlock, err := e.st.Lock(e.Context(), "a")
			if err != nil {
				e.Error(explain(err))
				return
			}
			defer unlock()
			n++ // the race detector sees two holders
		})
	}
	wg.Wait()
	if n != 20 {
		e.Errorf("%d of 20 callers held the lock alone", n)
	}
	ctx, cancel := context.WithCancel(e.Context())
	held, unlock, err = e.st.TryLock(ctx, "a")
	if err != nil {
		e.Fatal(explain(err))
	}
	cancel()
	<-held.Done()
	_, _, err = e.st.TryLock(e.Context(), "a")
	e.wantCode("TryLock before the holder whose context ended unlocks", err, loci.Conflict)
	unlock()
	if _, unlock, err = e.st.TryLock(e.Context(), "a"); err != nil {
		e.Fatal(explain(err))
	}
	unlock()
}

// testStateKeys gives all callers of a period one key, and forgets those of old periods.
func testStateKeys(e *env) {
	key := func(period int64) loci.Secret {
		e.Helper()
		got, err := e.st.StateKey(e.Context(), period, loci.Secret(rand.Text()))
		if err != nil || got == "" {
			e.Errorf("period %d: %v", period, explain(err))
		}
		return got
	}
	var wg sync.WaitGroup
	var same [8]loci.Secret
	for i := range same {
		wg.Go(func() { same[i] = key(10) })
	}
	wg.Wait()
	if slices.ContainsFunc(same[:], func(k loci.Secret) bool { return k != same[0] }) {
		e.Error("several callers of a period have different keys")
	}
	if key(11) == same[0] || key(12) == same[0] {
		e.Error("two periods have one key")
	}
	if key(10) != same[0] {
		e.Error("the key of a recent period has changed")
	}
	key(13)
	if key(10) == same[0] {
		e.Error("the key of an old period was not deleted")
	}
}
