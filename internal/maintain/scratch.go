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

// verifyPrefix begins the names of copies that are only made to be checked.
const verifyPrefix = ".verify-"

// lockSuffix ends the name of the lock file of a directory that somebody works in.
const lockSuffix = ".lock"

// unlockedAge is how old a directory without a lock file must be to count as left behind: older versions made none.
const unlockedAge = 24 * time.Hour

// scratch makes a directory to work in, and returns what removes it. As long as this process lives it is locked, so
// that clear leaves it alone.
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

// Leftover is a copy that a killed backup, check or restore left behind. It is of no use.
type Leftover struct {
	Path  string
	Bytes int64
}

// Leftovers returns what is left behind. What a living process works in is not among it. Nobody may restore in
// place meanwhile, which holds for who has the store open.
func (b *Backups) Leftovers() (list []Leftover, err error) { return b.leftovers(false) }

// Clear removes what is left behind, and returns it.
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
			list = append(list, Leftover{path, sizeOf(path)})
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

// isLeft reports whether nobody works in path any more, and returns its lock, taken, if it has one. alone is true
// where nobody can be at work, and no locks are made.
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

func sizeOf(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil // what cannot be read has no size
	})
	return n
}
