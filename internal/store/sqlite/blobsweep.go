package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// sweepBatch is how many files one transaction removes. It keeps the transactions short, so that writers do not wait.
const sweepBatch = 100

// Sweep does nothing during a backup, an export or a check of the org, because these read the
// names first and the bytes later.
//
// It checks twice. A file may be removed only if the committed state does not use it: the
// transaction that removes the file may contain other callers' changes and fail with them.
func (b blobs) Sweep(ctx context.Context, org loci.OrgID, before time.Time) (n int, err error) {
	if _, err := b.s.registry.Exists(ctx, org); err != nil {
		return 0, translate(err)
	}
	if _, err := os.Stat(b.s.blobDir(org)); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	lock := b.s.blobLock(org)
	free, err := lock.TryLock()
	if err != nil || !free {
		return 0, errors.Join(fileError(err), lock.Close())
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	var old []blob
	err = b.s.eachBlob(org, func(f blob, at time.Time) error {
		if at.Before(before) {
			old = append(old, f)
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

func (s *Store) blobLock(org loci.OrgID) *flock.Flock {
	return flock.New(filepath.Join(s.blobDir(org), blobLock), flock.SetPermissions(0o600))
}

// sweep removes the files in list that are no longer used.
func (b blobs) sweep(ctx context.Context, org loci.OrgID, list []blob, before time.Time) (int, error) {
	err := b.s.View(ctx, org, func(tx store.Tx) (err error) {
		list, err = unnamed(tx, list)
		return err
	})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	removed := map[string]bool{}
	err = b.s.updateOrg(ctx, org, func(tx *sqlstore.Tx) error {
		free, err := unnamed(tx, list)
		for _, f := range free {
			info, gone := os.Stat(f.path)
			if gone != nil || !info.ModTime().Before(before) {
				continue
			}
			if failed := os.Remove(f.path); failed != nil {
				err = errors.Join(err, failed)
				continue
			}
			removed[f.path] = true
		}
		return err
	})
	return len(removed), err
}

// unnamed returns the files in list that no asset names.
func unnamed(tx store.Tx, list []blob) (free []blob, err error) {
	for _, f := range list {
		named := false
		if f.sum != nil {
			named, err = tx.(*sqlstore.Tx).NamesBlob(f.sum) //nolint:forcetypeassert // a transaction of this engine
		}
		if err != nil {
			return nil, err
		}
		if !named {
			free = append(free, f)
		}
	}
	return free, nil
}
