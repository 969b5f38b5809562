package storetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// request is what came under a key at that time.
func (e *env) request(key, body byte) store.IdempotentRequest {
	return store.IdempotentRequest{Key: [32]byte{key}, Body: [32]byte{body}, At: e.clock.now()}
}

// begin begins a request; another is stale after a minute.
func (e *env) begin(r store.IdempotentRequest) (known store.IdempotentRequest, began bool, err error) {
	err = e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
		known, began, err = tx.Idempotency().Begin(ctx, r, e.clock.now().Add(-time.Minute))
		return err
	})
	return known, began, err
}

func (e *env) wantBegun(what string, r store.IdempotentRequest) {
	e.Helper()
	if known, began, err := e.begin(r); err != nil || !began {
		e.Errorf("%s: began %v, known %+v, %v", what, began, known, explain(err))
	}
}

func (e *env) wantKnown(what string, r, want store.IdempotentRequest) {
	e.Helper()
	known, began, err := e.begin(r)
	if diff := cmp.Diff(want, known, cmpopts.EquateEmpty()); diff != "" || began || err != nil {
		e.Errorf("%s: began %v, %v (-want +got):\n%s", what, began, explain(err), diff)
	}
}

func (e *env) finish(r store.IdempotentRequest, status int, answer string) error {
	r.Status, r.Answer = status, []byte(answer)
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Idempotency().Finish(ctx, r) })
}

func (e *env) forget(r store.IdempotentRequest) {
	e.Helper()
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Idempotency().Forget(ctx, r) })
}

func testIdempotency(e *env) {
	r := e.request(1, 1)
	e.wantCode("finishing what never began", e.finish(r, 200, ""), loci.Conflict)
	e.wantBegun("the first", r)
	e.clock.move(time.Second)
	e.wantKnown("while it is carried out", e.request(1, 1), r)
	e.wantBegun("another key", e.request(2, 1))
	_, _, err := e.begin(e.request(1, 2))
	e.wantCode("another body", err, loci.Conflict)
	e.wantCode("no status", e.finish(r, 0, ""), loci.Invalid)
	if err := e.finish(r, 201, "{\"id\":\x00}"); err != nil {
		e.Fatal(explain(err))
	}
	r.Status, r.Answer = 201, []byte("{\"id\":\x00}")
	e.wantKnown("when it is finished", e.request(1, 1), r)
	e.wantCode("finishing again", e.finish(r, 500, "other"), loci.Conflict)
	e.forget(r)
	e.clock.move(time.Hour)
	e.wantKnown("what is finished is never stale, nor forgotten", e.request(1, 1), r)
	_, _, err = e.begin(e.request(1, 2))
	e.wantCode("another body later", err, loci.Conflict)
	failed := e.request(3, 1)
	e.wantBegun("one that fails", failed)
	e.forget(failed)
	e.wantBegun("its repetition, with another body", e.request(3, 2))
	if err := e.finish(e.request(3, 2), 204, ""); err != nil {
		e.Fatal(explain(err))
	}
	e.wantKnown("an empty answer", e.request(3, 2),
		store.IdempotentRequest{Key: [32]byte{3}, Body: [32]byte{2}, At: e.clock.now(), Status: 204})
}

// Who was overtaken can neither finish nor take back what another has begun
// since, so that what it stored in the same transaction is not stored twice.
func testIdempotencyStale(e *env) {
	slow := e.request(1, 1)
	e.wantBegun("the slow one", slow)
	e.clock.move(time.Minute)
	e.wantKnown("at the very moment", e.request(1, 1), slow)
	e.clock.move(time.Microsecond)
	_, _, err := e.begin(e.request(1, 2))
	e.wantCode("another body, however old", err, loci.Conflict)
	next := e.request(1, 1)
	e.wantBegun("just after", next)
	e.forget(slow)
	e.wantKnown("after the slow one took it back", e.request(1, 1), next)
	m := e.memory()
	err = e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
		slow.Status = 201
		return errors.Join(tx.Memories().Insert(ctx, m), tx.Idempotency().Finish(ctx, slow))
	})
	e.wantCode("the slow one finishes", err, loci.Conflict)
	_, err = e.get(e.person(), m.ID, loci.AnyState)
	e.wantCode("what it stored", err, loci.NotFound)
	if err := e.finish(next, 201, "next"); err != nil {
		e.Fatal(explain(err))
	}
}

// Of many at once exactly one begins, and the others get what is known.
func testIdempotencyAtOnce(e *env) {
	for key := range byte(5) {
		var wg sync.WaitGroup
		began, errs := make([]bool, 8), make([]error, 8)
		for i := range began {
			wg.Go(func() {
				var known store.IdempotentRequest
				known, began[i], errs[i] = e.begin(e.request(key, 1))
				if !began[i] && errs[i] == nil && (known.Status != 0 || known.Key != [32]byte{key}) {
					e.Errorf("known: %+v", known)
				}
			})
		}
		wg.Wait()
		n := 0
		for _, b := range began {
			if b {
				n++
			}
		}
		if err := errors.Join(errs...); n != 1 || err != nil {
			e.Errorf("key %d: %d began, %v", key, n, err)
		}
	}
}

func testIdempotencyPurge(e *env) {
	start := e.clock.now()
	for key := range byte(5) {
		e.wantBegun("new", e.request(key, 1))
		e.clock.move(time.Minute)
	}
	for _, want := range []int{2, 1, 0} { // the fourth is from exactly then
		e.update(func(ctx context.Context, tx store.Tx) error {
			n, err := tx.Idempotency().Purge(ctx, start.Add(3*time.Minute), 2)
			if n != want {
				e.Errorf("purged %d, want %d", n, want)
			}
			return err
		})
	}
	e.wantBegun("purged", e.request(2, 2))
	_, _, err := e.begin(e.request(3, 2))
	e.wantCode("kept", err, loci.Conflict)
}
