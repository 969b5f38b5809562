package sqlite

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// orgFile is the open file of one tenant.
type orgFile struct {
	pooled
	org     loci.OrgID
	options *sqlstore.Options          // for its transactions
	now     func() (store.Stamp, bool) // stamp as a value, which would be made for each transaction
	// seen is the stamp of the file when it had the org's own row; nil: not seen yet.
	seen   atomic.Pointer[sqlitedb.Stamp]
	counts counts
}

func newOrgFile(key string) *orgFile { return &orgFile{org: loci.OrgID(key)} }

// pooled is an open file in a pool. refs is the number of calls that use it.
type pooled struct {
	key    string
	db     *sqlitedb.DB
	opened chan struct{} // closed when db or err is set
	err    error
	refs   int
	used   uint64
	stale  bool // removed from the pool; the last user closes it
}

func (p *pooled) base() *pooled { return p }

// poolable is a pointer to a struct that embeds pooled.
type poolable interface{ base() *pooled }

// files keeps the most recently used files open, of orgs or of projects. It never closes a file
// in use, so more than max files may be open for a moment.
type files[F poolable] struct {
	max  int
	make func(key string) F
	open func(context.Context, F) error // sets db

	mu     sync.Mutex
	idle   *sync.Cond // the refs of a file fell to 0
	byKey  map[string]F
	clock  uint64
	closed bool
}

func newFiles[F poolable](limit int, make func(string) F, open func(context.Context, F) error) *files[F] {
	fs := &files[F]{max: limit, make: make, open: open, byKey: map[string]F{}}
	fs.idle = sync.NewCond(&fs.mu)
	return fs
}

// acquire returns the file of that key and opens it if necessary. The caller releases it.
func (fs *files[F]) acquire(ctx context.Context, key string) (none F, err error) {
	fs.mu.Lock()
	if fs.closed {
		fs.mu.Unlock()
		return none, errClosed
	}
	file, known := fs.byKey[key]
	if !known {
		file = fs.make(key)
		*file.base() = pooled{key: key, opened: make(chan struct{})}
		fs.byKey[key] = file
	}
	f := file.base()
	f.refs++
	fs.clock++
	f.used = fs.clock
	fs.mu.Unlock()
	if !known {
		// Other callers wait for this file, too. If the first caller gives up, they must not
		// fail.
		err := fs.open(context.WithoutCancel(ctx), file)
		fs.mu.Lock()
		f.err = err
		fs.mu.Unlock()
		close(f.opened)
	}
	select {
	case <-f.opened:
	default:
		select {
		case <-f.opened:
		case <-ctx.Done():
			fs.release(file)
			return none, ctx.Err()
		}
	}
	if f.err != nil {
		fs.release(file)
		return none, f.err
	}
	return file, nil
}

func (fs *files[F]) release(file F) {
	fs.mu.Lock()
	f := file.base()
	f.refs--
	if f.refs == 0 && f.err != nil {
		fs.forget(f)
	}
	if f.refs == 0 {
		fs.idle.Broadcast()
	}
	victim := fs.victim()
	if f.refs == 0 && f.stale {
		victim = append(victim, f)
	}
	fs.mu.Unlock()
	for _, f := range victim {
		if f.db != nil {
			// A failed checkpoint loses no data: the next open reads the log.
			_ = f.db.Close()
		}
	}
}

// discard removes an unusable file from the pool, so that the next caller opens it again. The
// caller still releases it.
func (fs *files[F]) discard(file F) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f := file.base(); fs.forget(f) {
		f.stale = true
	}
}

// each calls fn for the open files, until one call fails.
func (fs *files[F]) each(fn func(F) error) error {
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
		if failed == nil && file.base().db != nil {
			failed = fn(file)
		}
		fs.release(file)
	}
	return failed
}

// forget removes f from the map if it is still there.
func (fs *files[F]) forget(f *pooled) bool {
	now, known := fs.byKey[f.key]
	if !known || now.base() != f {
		return false
	}
	delete(fs.byKey, f.key)
	return true
}

// victim removes the least recently used idle file from the map if there are too many files.
func (fs *files[F]) victim() []*pooled {
	if len(fs.byKey) <= fs.max || fs.closed {
		return nil
	}
	var oldest *pooled
	for _, file := range fs.byKey {
		if f := file.base(); f.refs == 0 && (oldest == nil || f.used < oldest.used) {
			oldest = f
		}
	}
	if oldest == nil {
		return nil
	}
	delete(fs.byKey, oldest.key)
	return []*pooled{oldest}
}

// drop forgets the file of that key, and closes it once nobody uses it.
func (fs *files[F]) drop(key string) error {
	fs.mu.Lock()
	file, known := fs.byKey[key]
	delete(fs.byKey, key)
	for known && file.base().refs > 0 {
		fs.idle.Wait()
	}
	fs.mu.Unlock()
	if !known || file.base().db == nil {
		return nil
	}
	return file.base().db.Close()
}

// close waits until no file is in use and closes them all.
func (fs *files[F]) close() error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.closed = true
	var errs []error
	for key, file := range fs.byKey {
		f := file.base()
		for f.refs > 0 {
			fs.idle.Wait()
		}
		if f.db != nil {
			errs = append(errs, f.db.Close())
		}
		delete(fs.byKey, key)
	}
	return errors.Join(errs...)
}
