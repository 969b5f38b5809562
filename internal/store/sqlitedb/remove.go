package sqlitedb

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// Remove deletes a database, if there is one. No DB of this process may have it open. In other
// processes, those that have it open get ErrGone, and those that are about to open it make a new one.
func Remove(ctx context.Context, path string) error {
	path, err := realPath(path)
	if err != nil {
		return err
	}
	lock, err := lockAt(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // not even the directory is there
	}
	if err != nil {
		return err
	}
	defer lock.close()
	// There is a journal if a process was killed before the file had a write-ahead log.
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if e := os.Remove(path + suffix); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, explainPath(path, e))
		}
	}
	if err == nil {
		_ = os.Remove(path + lockSuffix) // where an open file can't be removed, it stays
	}
	return err
}
