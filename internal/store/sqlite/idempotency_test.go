package sqlite

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Two stores on one directory are like two processes: they share nothing but
// its files.
func TestRequestsOfTwoProcesses(t *testing.T) {
	t.Parallel()
	first, user := newStore(t, Options{})
	second := openStore(t, Options{Dir: first.Dir()})
	v, now := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user}, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := feedNow(t, second, v)
	const keys = 20
	var began [2]int
	var errs [2]error
	var wg sync.WaitGroup
	for i, s := range []*Store{first, second} {
		wg.Go(func() {
			for key := range byte(keys) {
				errs[i] = errors.Join(errs[i], s.Update(bg, loci.DefaultOrg, func(tx store.Tx) error {
					r := store.IdempotentRequest{Key: [32]byte{key}, At: now.Add(time.Duration(i)), Status: 201,
						Answer: []byte{byte(i)}}
					known, mine, err := tx.Idempotency().Begin(bg, r, now.Add(-time.Minute))
					if err != nil || !mine {
						if err == nil && (known.Status != 201 || known.Answer[0] == byte(i)) {
							t.Errorf("process %d, key %d: %+v", i, key, known)
						}
						return err
					}
					began[i]++
					return errors.Join(tx.Memories().Insert(bg, newMemory(user, "once")), tx.Idempotency().Finish(bg, r))
				}))
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil || began[0]+began[1] != keys {
		t.Errorf("%d and %d of %d began, %v", began[0], began[1], keys, err)
	}
	if page, err := feedAfter(second, v, at, 2*keys); err != nil || len(page.Events) != keys {
		t.Errorf("the feed tells of %d memories, %v, want %d", len(page.Events), err, keys)
	}
}
