package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/blob"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

const assetsDir = "assets"

// blobs names, renews and removes bytes only inside a write transaction of the org's file. So no sweep can come between
// checking bytes and acting on them, and a deleted org gets no new ones.
type blobs struct{ s *Store }

// Blobs returns the store of the attachments' bytes.
func (s *Store) Blobs() store.Blobs { return blobs{s} }

func (b blobs) Put(ctx context.Context, org loci.OrgID, r io.Reader, limit int64) (
	sum [32]byte, size int64, err error) {
	if _, err := b.s.registry.Exists(ctx, org); err != nil {
		return sum, 0, translate(err)
	}
	u, err := b.s.bytes.Receive(ctx, org, r, max(limit, 0))
	defer func() { b.s.bytes.Discard(u, loci.CodeOf(err) == loci.NotFound) }() // deleted meanwhile
	if err == nil {
		// The store's clock, because sweeps compare with that.
		err = b.s.updateOrg(ctx, org, func(*sqlstore.Tx) error { return b.s.bytes.Place(u, b.s.opts.Now()) })
	}
	return u.Sum, u.Size, fileError(err)
}

func (b blobs) Open(ctx context.Context, org loci.OrgID, sum [32]byte) (io.ReadSeekCloser, error) {
	if org.Validate() != nil {
		return nil, noBytes()
	}
	f, err := b.s.bytes.Open(ctx, org, sum)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, noBytes()
	case errors.Is(err, blob.ErrDamaged):
		err = loci.WrapError(loci.Unavailable, err,
			"the bytes of this attachment are damaged on the server; run: loci doctor")
	}
	return f, fileError(err)
}

func noBytes() error { return loci.Errorf(loci.NotFound, "no such file") }

func (s *Store) keepBlob(org loci.OrgID, sum []byte, now time.Time) error {
	err := s.bytes.Renew(org, sum, now)
	if errors.Is(err, fs.ErrNotExist) {
		return loci.Errorf(loci.Conflict, "the bytes of this attachment are gone; upload it again")
	}
	return fileError(err)
}

// fileError is translateFile for files of attachments, of which all errors are those of a disk.
func fileError(err error) error {
	err = translateFile(err)
	if _, number := errors.AsType[syscall.Errno](err); number && loci.CodeOf(err) == "" {
		err = loci.WrapError(loci.Unavailable, fmt.Errorf("attachments: %w", err), "the disk failed; nothing was written")
	}
	return err
}

// sweepBatch is how many items one transaction removes. It keeps the transactions short, so that writers do not wait.
const sweepBatch = 100

// Sweep does nothing during a backup, an export or a check of the org, because these read the
// names first and the bytes later.
//
// It checks twice. Bytes may be removed only if the committed state does not use them: the
// transaction that removes them may contain other callers' changes and fail with them.
func (b blobs) Sweep(ctx context.Context, org loci.OrgID, before time.Time) (n int, err error) {
	if _, err := b.s.registry.Exists(ctx, org); err != nil {
		return 0, translate(err)
	}
	release, ok, err := b.s.bytes.Sweep(org)
	if err != nil || !ok {
		return 0, fileError(err)
	}
	defer func() { err = errors.Join(err, release()) }()
	var old []blob.Item
	err = b.s.bytes.Each(org, func(i blob.Item) error {
		if i.At.Before(before) {
			old = append(old, i)
		}
		return ctx.Err()
	})
	for batch := range slices.Chunk(old, sweepBatch) {
		if err != nil {
			break
		}
		var removed int
		removed, err = b.sweep(ctx, org, batch, before)
		n += removed
	}
	return n, fileError(err)
}

// sweep removes the items in list that are no longer used.
func (b blobs) sweep(ctx context.Context, org loci.OrgID, list []blob.Item, before time.Time) (int, error) {
	err := b.s.View(ctx, org, func(tx store.Tx) (err error) {
		list, err = unnamed(tx, list)
		return err
	})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	removed := map[string]bool{} // the function may run twice
	err = b.s.updateOrg(ctx, org, func(tx *sqlstore.Tx) error {
		free, err := unnamed(tx, list)
		for _, i := range free {
			gone, failed := b.s.bytes.Remove(org, i, before)
			if err = errors.Join(err, failed); gone {
				removed[i.Name] = true
			}
		}
		return err
	})
	return len(removed), err
}

// unnamed returns the items in list that no asset names.
func unnamed(tx store.Tx, list []blob.Item) (free []blob.Item, err error) {
	for _, i := range list {
		named := false
		if i.Sum != nil {
			named, err = tx.(*sqlstore.Tx).NamesBlob(i.Sum) //nolint:forcetypeassert // a transaction of this engine
		}
		if err != nil {
			return nil, err
		}
		if !named {
			free = append(free, i)
		}
	}
	return free, nil
}
