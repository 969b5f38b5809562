package sqlitedb

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
)

// Pooled is an open file of Files. Embed it in what belongs to the file.
type Pooled struct {
	DB     *DB // set by the function that opens the file
	key    string
	opened chan struct{} // closed when DB or err is set
	err    error
	refs   int // calls that use it
	used   uint64
	stale  bool // removed from the pool; the last user closes it
}

func (p *Pooled) base() *Pooled { return p }

// poolable is a pointer to a struct that embeds Pooled.
type poolable interface{ base() *Pooled }

// Files keeps the most recently used files of one kind open, each under a key. It never closes a
// file in use, so more than max files may be open for a moment.
type Files[F poolable] struct {
	max  int
	make func(key string) F
	open func(context.Context, F) error // sets DB

	mu     sync.Mutex
	idle   *sync.Cond // the refs of a file fell to 0
	byKey  map[string]F
	clock  uint64
	closed bool
}

// NewFiles returns an empty pool. It calls make for a key, and then open, which sets DB.
func NewFiles[F poolable](limit int, make func(key string) F, open func(context.Context, F) error) *Files[F] {
	fs := &Files[F]{max: limit, make: make, open: open, byKey: map[string]F{}}
	fs.idle = sync.NewCond(&fs.mu)
	return fs
}

// Acquire returns the file of that key and opens it if necessary. The caller releases it.
func (fs *Files[F]) Acquire(ctx context.Context, key string) (none F, err error) {
	fs.mu.Lock()
	if fs.closed {
		fs.mu.Unlock()
		return none, ErrClosed
	}
	file, known := fs.byKey[key]
	if !known {
		file = fs.make(key)
		*file.base() = Pooled{key: key, opened: make(chan struct{})}
		fs.byKey[key] = file
	}
	f := file.base()
	f.refs++
	fs.clock++
	f.used = fs.clock
	fs.mu.Unlock()
	if !known {
		// Other callers wait for this file, too. If the first caller gives up, they must not fail.
		err := fs.open(context.WithoutCancel(ctx), file)
		fs.mu.Lock()
		if f.err = err; err != nil {
			fs.forget(f) // who comes now tries again, whether or not others still wait for this one
		}
		fs.mu.Unlock()
		close(f.opened)
	}
	select {
	case <-f.opened:
	default:
		select {
		case <-f.opened:
		case <-ctx.Done():
			fs.Release(file)
			return none, ctx.Err()
		}
	}
	if f.err != nil {
		fs.Release(file)
		return none, f.err
	}
	return file, nil
}

// Release ends a call's use of a file.
func (fs *Files[F]) Release(file F) {
	fs.mu.Lock()
	f := file.base()
	f.refs--
	if f.refs == 0 {
		fs.idle.Broadcast()
	}
	victim := fs.victim()
	if f.refs == 0 && f.stale {
		victim = append(victim, f)
	}
	fs.mu.Unlock()
	for _, f := range victim {
		if f.DB != nil {
			// A failed checkpoint loses no data: the next open reads the log.
			_ = f.DB.Close()
		}
	}
}

// Discard removes an unusable file from the pool, so that the next caller opens it again. The
// caller still releases it.
func (fs *Files[F]) Discard(file F) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f := file.base(); fs.forget(f) {
		f.stale = true
	}
}

// Each calls fn for the open files, until one call fails.
func (fs *Files[F]) Each(fn func(F) error) error {
	fs.mu.Lock()
	var open []F
	for _, file := range fs.byKey {
		select {
		case <-file.base().opened:
			file.base().refs++
			open = append(open, file)
		default:
		}
	}
	fs.mu.Unlock()
	var failed error
	for _, file := range open {
		if failed == nil && file.base().DB != nil {
			failed = fn(file)
		}
		fs.Release(file)
	}
	return failed
}

// Len returns how many files are open.
func (fs *Files[F]) Len() int {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return len(fs.byKey)
}

// forget removes f from the map if it is still there.
func (fs *Files[F]) forget(f *Pooled) bool {
	now, known := fs.byKey[f.key]
	if !known || now.base() != f {
		return false
	}
	delete(fs.byKey, f.key)
	return true
}

// victim removes the least recently used idle file from the map if there are too many files.
func (fs *Files[F]) victim() []*Pooled {
	if len(fs.byKey) <= fs.max || fs.closed {
		return nil
	}
	var oldest *Pooled
	for _, file := range fs.byKey {
		if f := file.base(); f.refs == 0 && (oldest == nil || f.used < oldest.used) {
			oldest = f
		}
	}
	if oldest == nil {
		return nil
	}
	delete(fs.byKey, oldest.key)
	return []*Pooled{oldest}
}

// Drop forgets the file of that key, and closes it once nobody uses it.
func (fs *Files[F]) Drop(key string) error {
	fs.mu.Lock()
	file, known := fs.byKey[key]
	delete(fs.byKey, key)
	for known && file.base().refs > 0 {
		fs.idle.Wait()
	}
	fs.mu.Unlock()
	if !known || file.base().DB == nil {
		return nil
	}
	return file.base().DB.Close()
}

// Close waits until no file is in use and closes them all.
func (fs *Files[F]) Close() error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.closed = true
	var errs []error
	for key, file := range fs.byKey {
		f := file.base()
		for f.refs > 0 {
			fs.idle.Wait()
		}
		if f.DB != nil {
			errs = append(errs, f.DB.Close())
		}
		delete(fs.byKey, key)
	}
	return errors.Join(errs...)
}

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
