package sqlite

import (
	"context"
	"errors"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// orgFile is the open file of one tenant. refs counts the calls that use it.
type orgFile struct {
	org       loci.OrgID
	db        *sqlitedb.DB
	positions positions

	opened chan struct{} // closed when db or err is set
	err    error
	refs   int
	used   uint64
}

// files keeps the org files open that were used last. One in use is never
// closed, so there may be more than max for a moment.
type files struct {
	max  int
	open func(context.Context, *orgFile) error

	mu     sync.Mutex
	idle   *sync.Cond // refs of some file fell to 0
	byOrg  map[loci.OrgID]*orgFile
	clock  uint64
	closed bool
}

func newFiles(limit int, open func(context.Context, *orgFile) error) *files {
	fs := &files{max: limit, open: open, byOrg: map[loci.OrgID]*orgFile{}}
	fs.idle = sync.NewCond(&fs.mu)
	return fs
}

// acquire returns org's file, opened. The caller releases it.
func (fs *files) acquire(ctx context.Context, org loci.OrgID) (*orgFile, error) {
	fs.mu.Lock()
	if fs.closed {
		fs.mu.Unlock()
		return nil, errClosed
	}
	f := fs.byOrg[org]
	first := f == nil
	if first {
		f = &orgFile{org: org, opened: make(chan struct{})}
		fs.byOrg[org] = f
	}
	f.refs++
	fs.clock++
	f.used = fs.clock
	fs.mu.Unlock()
	if first {
		// Others wait for this file too: the first caller's leaving must not fail them.
		err := fs.open(context.WithoutCancel(ctx), f)
		fs.mu.Lock()
		f.err = err
		fs.mu.Unlock()
		close(f.opened)
	}
	select {
	case <-f.opened:
	case <-ctx.Done():
		fs.release(f)
		return nil, ctx.Err()
	}
	if f.err != nil {
		fs.release(f)
		return nil, f.err
	}
	return f, nil
}

func (fs *files) release(f *orgFile) {
	fs.mu.Lock()
	f.refs--
	failed := f.refs == 0 && f.err != nil
	if failed && fs.byOrg[f.org] == f {
		delete(fs.byOrg, f.org)
	}
	if f.refs == 0 {
		fs.idle.Broadcast()
	}
	victim := fs.victim()
	fs.mu.Unlock()
	if victim != nil {
		// A failed checkpoint loses nothing: the next open finds the log.
		_ = victim.db.Close()
	}
}

// victim takes the idle file that was used longest ago out of the map if there
// are too many.
func (fs *files) victim() *orgFile {
	if len(fs.byOrg) <= fs.max || fs.closed {
		return nil
	}
	var oldest *orgFile
	for _, f := range fs.byOrg {
		if f.refs == 0 && (oldest == nil || f.used < oldest.used) {
			oldest = f
		}
	}
	if oldest != nil {
		delete(fs.byOrg, oldest.org)
	}
	return oldest
}

// drop forgets org's file, and closes it when nobody uses it any more.
func (fs *files) drop(org loci.OrgID) error {
	fs.mu.Lock()
	f := fs.byOrg[org]
	delete(fs.byOrg, org)
	for f != nil && f.refs > 0 {
		fs.idle.Wait()
	}
	fs.mu.Unlock()
	if f == nil || f.db == nil {
		return nil
	}
	return f.db.Close()
}

// close waits until no file is in use and closes them all.
func (fs *files) close() error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.closed = true
	var errs []error
	for org, f := range fs.byOrg {
		for f.refs > 0 {
			fs.idle.Wait()
		}
		if f.db != nil {
			errs = append(errs, f.db.Close())
		}
		delete(fs.byOrg, org)
	}
	return errors.Join(errs...)
}
