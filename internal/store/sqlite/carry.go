package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// CarryRevocations revokes every key that is revoked in the data directory from
// in the data directory to as well, as of the same time, and returns how many
// that changed. No process may have the second one open. NotFound if from has
// no registry.
func CarryRevocations(ctx context.Context, from, to string) (n int, err error) {
	if _, err := os.Stat(filepath.Join(from, metaFile)); errors.Is(err, fs.ErrNotExist) {
		return 0, loci.WrapError(loci.NotFound, err, "there is no %s in %s", metaFile, from)
	}
	revoked, err := revocations(ctx, from)
	if err != nil || len(revoked) == 0 {
		return 0, err
	}
	db, err := openMeta(ctx, to, time.Now)
	if err != nil {
		return 0, openError("restored registry", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.Update(ctx, func(c *sqlitedb.Conn) error {
		n = 0
		for id, at := range revoked {
			if err := c.Exec("UPDATE credentials SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", at, id); err != nil {
				return err
			}
			n += int(c.Changes())
		}
		return nil
	})
	return n, translate(err)
}

// revocations returns when each revoked key was revoked.
func revocations(ctx context.Context, dir string) (at map[[16]byte]int64, err error) {
	db, err := openMeta(ctx, dir, time.Now)
	if err != nil {
		return nil, openError("replaced registry", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	at = map[[16]byte]int64{}
	err = db.View(ctx, func(c *sqlitedb.Conn) error {
		return c.Query("SELECT id, revoked_at FROM credentials WHERE revoked_at IS NOT NULL", nil, func(r *sqlitedb.Row) error {
			at[r.ID(0)] = r.Int64(1)
			return nil
		})
	})
	if err != nil {
		err = fmt.Errorf("read %s: %w", filepath.Join(dir, metaFile), err)
	}
	return at, err
}
