package vectors

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// mostOpen is how many files are open, those in use apart. Each has about ten descriptors, and vectors in memory once
// somebody has searched it.
const mostOpen = 32

// with calls fn with the file at a path, of which the index opens as many as it has to. It fails with fs.ErrNotExist if
// there is none: only create makes one.
func (x *Index) with(ctx context.Context, path string, fn func(*file) error) error {
	f, err := x.acquire(ctx, path)
	if err != nil {
		return err
	}
	defer x.files.Release(f)
	return fn(f)
}

// use is with, and removes a file that turns out to be damaged, so that it is made again: everything in it follows from
// the memories. The error then still says that it is damaged.
func (x *Index) use(ctx context.Context, path string, fn func(*file) error) error {
	var used *file
	err := x.with(ctx, path, func(f *file) error {
		used = f
		return fn(f)
	})
	if unreadable(err) {
		err = errors.Join(err, x.heal(ctx, path, used, err))
	}
	return err
}

// heal removes a damaged file unless somebody has just done so. f is nil if it could not even be opened.
func (x *Index) heal(ctx context.Context, path string, f *file, damage error) error {
	ctx = context.WithoutCancel(ctx)
	x.healing.Lock()
	defer x.healing.Unlock()
	if f == nil && !unreadable(x.with(ctx, path, func(*file) error { return nil })) ||
		f != nil && errors.Is(f.DB.InPlace(), sqlitedb.ErrGone) {
		return nil
	}
	x.Log.WarnContext(ctx, "the vectors are damaged and are made again", "file", path, "error", damage)
	return x.remove(ctx, path)
}

// remove closes and deletes a file.
func (x *Index) remove(ctx context.Context, path string) error {
	_ = x.files.Drop(path) // what it could not write is derived
	return sqlitedb.Remove(ctx, path)
}

// acquire opens a file. One that another process has removed and made again is opened again.
func (x *Index) acquire(ctx context.Context, path string) (*file, error) {
	for {
		if _, err := os.Stat(path); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				x.letGo(func(f *file) bool { return f.path == path })
			}
			return nil, err
		}
		f, err := x.files.Acquire(ctx, path)
		if err != nil || !errors.Is(f.DB.InPlace(), sqlitedb.ErrGone) {
			return f, err
		}
		x.files.Discard(f)
		x.files.Release(f)
	}
}

// letGo closes the files that match once nobody uses them.
func (x *Index) letGo(match func(*file) bool) {
	_ = x.files.Each(func(f *file) error {
		if match(f) {
			x.files.Discard(f)
		}
		return nil
	})
}

// unreadable reports whether an error says that a file is damaged.
func unreadable(err error) bool {
	return errors.Is(err, sqlitedb.ErrNotDB) || errors.Is(err, sqlitedb.ErrCorrupt)
}
