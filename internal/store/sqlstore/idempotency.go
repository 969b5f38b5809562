package sqlstore

import (
	"bytes"
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type idempotency struct{ *Tx }

func (t idempotency) Begin(_ context.Context, r store.IdempotentRequest, stale time.Time) (
	known store.IdempotentRequest, began bool, err error) {
	err = t.c.Exec("INSERT INTO idempotency ({org} key, body, at, status) VALUES ({?} ?, ?, ?, 0) ON CONFLICT DO NOTHING",
		r.Key[:], r.Body[:], r.At.UnixMicro())
	if err != nil || t.c.Changes() > 0 {
		return known, err == nil, err
	}
	_, err = t.c.One("SELECT body, at, status, answer FROM idempotency WHERE {idempotency} key = ?", Args{r.Key[:]},
		func(row Row) error {
			known = store.IdempotentRequest{Key: r.Key, At: TimeAt(row, 1), Status: row.Int(2), Answer: bytes.Clone(row.Raw(3))}
			copy(known.Body[:], row.Raw(0))
			return nil
		})
	switch {
	case err != nil:
		return store.IdempotentRequest{}, false, err
	case known.Body != r.Body:
		return store.IdempotentRequest{}, false,
			loci.Errorf(loci.Conflict, "this key was used for a different request; use a new key for every request")
	// the time distinguishes one attempt from another
	case known.Status != 0 || !known.At.Before(stale) || !known.At.Before(r.At):
		return known, false, nil
	}
	err = t.c.Exec("UPDATE idempotency SET at = ? WHERE {idempotency} key = ?", r.At.UnixMicro(), r.Key[:])
	return store.IdempotentRequest{}, err == nil, err
}

// ofBeginning selects the unfinished request of one call of Begin.
const ofBeginning = "key = ? AND at = ? AND status = 0"

func (t idempotency) Finish(_ context.Context, r store.IdempotentRequest) error {
	if r.Status < 1 {
		return loci.Errorf(loci.Invalid, "a finished request has a status above 0")
	}
	err := t.c.Exec("UPDATE idempotency SET status = ?, answer = ? WHERE {idempotency} "+ofBeginning, r.Status, r.Answer,
		r.Key[:], r.At.UnixMicro())
	if err == nil && t.c.Changes() == 0 {
		err = loci.Errorf(loci.Conflict,
			"the request took so long that it was begun anew; send it again under the same key to get its answer")
	}
	return err
}

func (t idempotency) Forget(_ context.Context, r store.IdempotentRequest) error {
	return t.c.Exec("DELETE FROM idempotency WHERE {idempotency} "+ofBeginning, r.Key[:], r.At.UnixMicro())
}

const purgeRequests = "DELETE FROM idempotency WHERE {idempotency} key IN (SELECT key FROM idempotency WHERE " +
	"{idempotency} at < ? ORDER BY at LIMIT ?)"

func (t idempotency) Purge(_ context.Context, then time.Time, limit int) (int, error) {
	err := t.c.Exec(purgeRequests, CeilMicro(then), limit)
	return int(t.c.Changes()), err
}
