package sqlite

import (
	"context"
	"errors"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// orgFile is the open file of one tenant.
type orgFile struct {
	pooled
	org     loci.OrgID
	options *sqlstore.Options // of its transactions
}

func newOrgFile(key string) *orgFile { return &orgFile{org: loci.OrgID(key)} }

// pooled is an open file in a pool. refs counts the calls that use it.
type pooled struct {
	key    string
	db     *sqlitedb.DB
	opened chan struct{} // closed when db or err is set
	err    error
	refs   int
	used   uint64
	stale  bool // out of the pool; whoever leaves last closes it
}

func (p *pooled) base() *pooled { return p }

// poolable is a pointer to something that embeds pooled.
type poolable interface{ base() *pooled }

// files keeps the files open that were used last, of orgs or of projects. One
// in use is never closed, so there may be more than max for a moment.
type files[F poolable] struct {
	max  int
	make func(key string) F
	open func(context.Context, F) error // sets db

	mu     sync.Mutex
	idle   *sync.Cond // refs of some file fell to 0
	byKey  map[string]F
	clock  uint64
	closed bool
}

func newFiles[F poolable](limit int, make func(string) F, open func(context.Context, F) error) *files[F] {
	fs := &files[F]{max: limit, make: make, open: open, byKey: map[string]F{}}
	fs.idle = sync.NewCond(&fs.mu)
	return fs
}

// acquire returns the file of that key, opened. The caller releases it.
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
		// Others wait for this file too: the first caller's leaving must not fail them.
		err := fs.open(context.WithoutCancel(ctx), file)
		fs.mu.Lock()
		f.err = err
		fs.mu.Unlock()
		close(f.opened)
	}
	select {
	case <-f.opened:
	case <-ctx.Done():
		fs.release(file)
		return none, ctx.Err()
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
			// A failed checkpoint loses nothing: the next open finds the log.
			_ = f.db.Close()
		}
	}
}

// discard takes a file that is of no use any more out of the pool, so that the
// next caller opens it anew. The caller still releases it.
func (fs *files[F]) discard(file F) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f := file.base(); fs.forget(f) {
		f.stale = true
	}
}

// each calls fn for the files that are open, until one fails.
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

// forget takes f out of the map, unless it is there no more.
func (fs *files[F]) forget(f *pooled) bool {
	now, known := fs.byKey[f.key]
	if !known || now.base() != f {
		return false
	}
	delete(fs.byKey, f.key)
	return true
}

// victim takes the idle file that was used longest ago out of the map if there
// are too many.
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

// drop forgets the file of that key, and closes it when nobody uses it any more.
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
