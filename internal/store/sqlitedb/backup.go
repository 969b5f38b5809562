package sqlitedb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// backupPages is how much is copied between two checks of the context.
const backupPages = 1024

// BackupTo writes a snapshot to path, which must not exist, while others go on writing. The copy
// gets its name only when it is complete and on the disk. It needs no -wal file beside it. copied,
// if not nil, gets the number of pages copied so far, and of all pages.
func (db *DB) BackupTo(ctx context.Context, path string, copied func(pages, of int)) error {
	if err := db.backup(ctx, path, copied); err != nil {
		return fmt.Errorf("cannot back up %s to %s: %w", db.opts.Path, path, err)
	}
	return nil
}

func (db *DB) backup(ctx context.Context, path string, copied func(pages, of int)) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*")
	if err != nil {
		return explainPath(path, err)
	}
	defer func() { _ = os.Remove(part.Name()) }() // gone already after success
	err = db.View(ctx, func(c *Conn) error { return copyPages(ctx, c, part.Name(), copied) })
	if err == nil {
		err = part.Sync()
	}
	if err := errors.Join(err, part.Close()); err != nil {
		return err
	}
	if err := os.Rename(part.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// copyPages copies the snapshot of c's transaction, so that writers do not make it start over.
func copyPages(ctx context.Context, c *Conn, path string, copied func(pages, of int)) error {
	if err := c.Exec("SELECT count(*) FROM sqlite_schema"); err != nil {
		return err
	}
	b, err := c.raw.BackupInit("main", uri(path))
	if err != nil {
		return err
	}
	for done := false; err == nil && !done; {
		if done, err = b.Step(backupPages); err == nil {
			if copied != nil {
				copied(b.PageCount()-b.Remaining(), b.PageCount())
			}
			err = ctx.Err()
		}
	}
	return errors.Join(err, b.Close())
}
