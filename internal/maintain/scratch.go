package maintain

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// verifyPrefix is the prefix of the names of copies made only for checking.
const verifyPrefix = ".verify-"

// lockSuffix is the suffix of the lock file of a directory in use.
const lockSuffix = ".lock"

// unlockedAge is the age at which a directory without a lock file counts as left behind. Older
// versions created no lock files.
const unlockedAge = 24 * time.Hour

// scratch creates a working directory and returns a function that removes it. The directory is
// locked while this process lives, so that clear doesn't remove it.
func scratch(root, prefix string) (dir string, remove func() error, err error) {
	f, err := os.CreateTemp(root, prefix+"*"+lockSuffix)
	if err != nil {
		return "", nil, err
	}
	lock := flock.New(f.Name(), flock.SetFlag(os.O_RDWR))
	if _, err = lock.TryLock(); err == nil {
		dir = strings.TrimSuffix(f.Name(), lockSuffix)
		err = os.Mkdir(dir, 0o700)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", nil, errors.Join(err, lock.Close(), os.Remove(f.Name()))
	}
	return dir, func() error {
		return errors.Join(os.RemoveAll(dir), lock.Close(), os.Remove(f.Name()))
	}, nil
}

// Leftover is a useless copy left behind by a killed backup, check or restore.
type Leftover struct {
	Path  string
	Bytes int64
}

// Leftovers returns the copies left behind, without those that a living process uses. Nobody may
// restore in place meanwhile, which an open store ensures.
func (b *Backups) Leftovers() (list []Leftover, err error) { return b.leftovers(false) }

// Clear removes the copies left behind and returns them.
func (b *Backups) Clear() ([]Leftover, error) { return b.leftovers(true) }

func (b *Backups) leftovers(remove bool) (list []Leftover, err error) {
	for _, sub := range []string{backupsDir, replacedDir} {
		if sub == replacedDir && Interrupted(b.Dir) {
			continue // the next start needs it
		}
		root := filepath.Join(b.Dir, sub)
		entries, err := os.ReadDir(root)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return list, err
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), partPrefix) && !strings.HasPrefix(e.Name(), verifyPrefix) ||
				strings.HasSuffix(e.Name(), lockSuffix) && e.Type().IsRegular() {
				continue
			}
			path := filepath.Join(root, e.Name())
			lock, left := b.isLeft(path, sub == replacedDir)
			if !left {
				continue
			}
			list = append(list, Leftover{path, SizeOf(path)})
			if remove {
				err = os.RemoveAll(path)
			}
			if lock != nil {
				err = errors.Join(err, lock.Close())
				if remove {
					err = errors.Join(err, os.Remove(lock.Path()))
				}
			}
			if err != nil {
				return list, err
			}
		}
	}
	return list, nil
}

// isLeft reports whether nobody uses path any more. If path has a lock, isLeft takes and returns
// it. alone is true if nobody else can be at work and no locks are created.
func (b *Backups) isLeft(path string, alone bool) (lock *flock.Flock, left bool) {
	if alone {
		return nil, true
	}
	lock = flock.New(path+lockSuffix, flock.SetFlag(os.O_RDWR))
	ok, err := lock.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		info, err := os.Stat(path)
		return nil, err == nil && b.now().Sub(info.ModTime()) > unlockedAge
	}
	if err != nil || !ok {
		return nil, false
	}
	return lock, true
}

// SizeOf returns the size of the files below a directory. A file that disappears meanwhile counts as empty.
func SizeOf(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}
