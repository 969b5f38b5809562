package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/blob"
	"github.com/loci-memory/loci/internal/memo"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// Options configure a data directory. Only Dir is required.
type Options struct {
	Dir         string           // created if missing
	Now         func() time.Time // default time.Now; used for expiry
	Log         *slog.Logger     // default: discard
	MaxFiles    int              // most org files kept open while idle; default 64
	MaxProjects int              // the same for project files; default 16
	ReadOnly    bool             // also open what cannot be written; see Store.Unwritable

	checkPatience time.Duration // shorter in tests
}

// Store is one data directory. Several processes may open the same one.
type Store struct {
	store.Registry
	*store.Locks
	opts Options
	lock *flock.Flock
	meta *sqlitedb.DB
	// registry is what meta holds.
	registry *sqlstore.Registry
	files    *sqlitedb.Files[*orgFile]
	// projectFiles is a separate pool, so that a walk through many projects closes no org.
	projectFiles *sqlitedb.Files[*projectFile]
	projectRows  *memo.Memo[string, sqlitedb.Stamp, sqlstore.ProjectRow] // by projectKey
	pages        *sqlstore.Pages                                         // of lists, of all orgs
	probe        *probe
	hints        hints
	turn         chan struct{}      // capacity 1: for the call that changes who belongs where
	presence     *sqlitedb.Presence // nil if nothing can be written
	damage       atomic.Pointer[error]
	bytes        blob.Store // of attachments

	closeOnce sync.Once
	closeErr  error
}

var _ store.Store = (*Store)(nil)

// Open opens or creates the data directory. It fails with Unavailable and a text for the operator
// if the directory cannot be written, was created by a newer version, is being restored, has an
// interrupted restore, or has lost its registry.
func Open(ctx context.Context, opts Options) (*Store, error) {
	if opts.Dir == "" {
		panic("sqlite: Options.Dir is required")
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	opts.Log = cmp.Or(opts.Log, slog.New(slog.DiscardHandler))
	if opts.MaxFiles <= 0 {
		opts.MaxFiles = 64
	}
	if opts.MaxProjects <= 0 {
		opts.MaxProjects = 16
	}
	if opts.checkPatience <= 0 {
		opts.checkPatience = checkPatience
	}
	s := &Store{opts: opts, probe: &probe{turn: make(chan struct{}, 1)},
		turn: make(chan struct{}, 1), pages: sqlstore.NewPages(),
		projectRows: memo.New[string, sqlitedb.Stamp, sqlstore.ProjectRow](maxProjectRows),
		bytes:       blob.NewFiles(filepath.Join(opts.Dir, assetsDir))}
	s.files = sqlitedb.NewFiles(opts.MaxFiles, newOrgFile, s.openFile)
	s.projectFiles = sqlitedb.NewFiles(opts.MaxProjects, newProjectFile, s.openProject)
	if err := s.open(ctx); err != nil {
		return nil, openError("data directory "+opts.Dir, err)
	}
	s.finish(ctx)
	s.finishProjects(ctx)
	_, lost, err := s.LostEvents(ctx)
	s.report(ctx, "looking for event logs", err)
	for _, text := range lost {
		s.opts.Log.ErrorContext(ctx, text)
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) (err error) {
	if err := makeDir(s.opts.Dir); err != nil {
		return err
	}
	if s.lock, err = lockShared(s.opts.Dir); err != nil && (s.lock == nil || !s.opts.ReadOnly) {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.lock.Close())
		}
	}()
	if err := refuseTorn(s.opts.Dir); err != nil {
		return err
	}
	for _, dir := range []string{orgsDir, projectsDir, archiveDir} {
		if err := os.MkdirAll(filepath.Join(s.opts.Dir, dir), 0o700); err != nil && !s.opts.ReadOnly {
			return err
		}
	}
	s.meta, err = sqlitedb.Open(ctx, metaOptions(s.opts, s.Warn))
	s.registry = sqlstore.NewRegistry(sharedDB{s.meta}, dialect, s.opts.Now)
	s.registry.OnHint(s.Hint)
	s.Registry = s.registry
	s.Locks = store.NewLocks(s.registry, s.opts.Now, 0, nil)
	if err == nil && s.meta.Unwritable() == nil {
		if s.presence, err = sqlitedb.Appear(filepath.Join(s.opts.Dir, metaFile)); err == nil {
			s.Locks = store.NewLocks(s.registry, s.opts.Now, s.presence.Number(), s.presence.Lives)
		}
	}
	return err
}

func metaOptions(o Options, warn func(text string)) sqlitedb.Options {
	return sqlitedb.Options{Path: filepath.Join(o.Dir, metaFile), Migrations: migrations("meta"), Now: o.Now,
		ReadOnly: o.ReadOnly, Warn: warn}
}

const (
	metaFile = "_meta.db"
	orgsDir  = "orgs"
	lockFile = "lock"
	// peopleLock is held by the one caller that changes who belongs where.
	peopleLock = "people"
)

func makeDir(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return errors.New("it is a file; specify a directory")
	}
	return os.MkdirAll(dir, 0o700)
}

// lockShared marks the directory as in use until Close. If only the right to do so is missing, it returns the lock with
// the error.
func lockShared(dir string) (*flock.Flock, error) {
	l := flock.New(filepath.Join(dir, lockFile), flock.SetPermissions(0o600))
	ok, err := l.TryRLock()
	if err != nil {
		return l, fmt.Errorf("this user must be able to write to the directory: %w", err)
	}
	if !ok {
		return nil, errors.Join(errors.New("another process is restoring it; wait until that is done"), l.Close())
	}
	return l, nil
}

// LockAlone locks a data directory that no process has open, for a restore or a move. Until
// release, Open of that directory fails. It returns a Conflict error if the directory is in use.
func LockAlone(dir string) (release func() error, err error) {
	l := flock.New(filepath.Join(dir, lockFile), flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err != nil {
		return nil, openError("lock data directory "+dir, err)
	}
	if !ok {
		return nil, errors.Join(loci.Errorf(loci.Conflict, "data directory %s is in use; stop every loci process that "+
			"uses it",
			dir), l.Close())
	}
	return l.Close, nil
}

// Unwritable returns why nothing can be written, if the directory was opened only to read; else nil.
func (s *Store) Unwritable() error { return translate(s.meta.Unwritable()) }

// Dir returns the data directory.
func (s *Store) Dir() string { return s.opts.Dir }

// Close waits for running transactions. Later calls fail.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.endHints()
		s.closeErr = errors.Join(s.projectFiles.Close(), s.files.Close(), s.meta.Close(), s.presence.Close(),
			s.lock.Close())
	})
	return s.closeErr
}

// Stamp identifies what org's file or the registry contains.
func (s *Store) Stamp(ctx context.Context, org loci.OrgID) (got store.Stamp, ok bool) {
	if org != "" {
		f, err := s.files.Acquire(ctx, string(org)) // of a registered org only
		if err != nil {
			return got, false // the read that follows reports it
		}
		defer s.files.Release(f)
		return f.stamp()
	}
	stamp, ok := s.meta.Stamp()
	return publicStamp(stamp), ok
}

// publicStamp returns a stamp in the size that serves every engine.
func publicStamp(stamp sqlitedb.Stamp) (s store.Stamp) {
	copy(s[:], stamp[:])
	return s
}

// View runs fn in one read transaction on org's file.
func (s *Store) View(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	return s.with(ctx, org, func(f *orgFile) error {
		return f.DB.View(ctx, func(c *sqlitedb.Conn) error { return s.read(f, c, fn) })
	})
}

// Update runs fn in one write transaction on org's file.
func (s *Store) Update(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	return s.with(ctx, org, func(f *orgFile) error {
		return f.DB.Update(ctx, func(c *sqlitedb.Conn) error { return s.run(f, c, fn) })
	})
}

// PeopleStamp is Stamp for the people and workspaces of an org.
func (s *Store) PeopleStamp(ctx context.Context, org loci.OrgID) (got store.Stamp, ok bool) {
	f, err := s.files.Acquire(ctx, string(org)) // of a registered org only
	if err != nil {
		return got, false // the read that follows reports it
	}
	defer s.files.Release(f)
	stamp, ok := f.DB.Steady()
	return publicStamp(stamp), ok
}

// run rejects the file of an org that was deleted after the file was opened, possibly by another process. A transaction
// that writes keeps everybody else from it.
func (s *Store) run(f *orgFile, c *sqlitedb.Conn, fn func(store.Tx) error) error {
	if stamp, ok := c.Steady(); !ok || !f.saw(stamp) {
		if err := exists(c); err != nil {
			return err
		}
	}
	return fn(s.tx(f, c))
}

// exists returns an error unless the org's own row is in its file.
func exists(c *sqlitedb.Conn) error {
	there, err := c.One("SELECT 1 FROM org", nil, func(*sqlitedb.Row) error { return nil })
	if err == nil && !there {
		return sqlstore.NoOrg()
	}
	return err
}

// read is run for a transaction that only reads. Without a stamp, it is as slow as one that writes.
func (s *Store) read(f *orgFile, c *sqlitedb.Conn, fn func(store.Tx) error) error {
	steady, ok := c.Steady()
	stamp, _ := c.Stamp()
	switch {
	case !ok:
		return s.run(f, c, fn)
	case !f.saw(steady):
		if err := exists(c); err != nil {
			return err
		}
		f.seen.Store(&steady) // what exists has read is not older
		return fn(s.readTx(f, c, stamp))
	}
	err := fn(s.readTx(f, c, stamp))
	if now, ok := f.DB.Steady(); !ok || now != steady {
		if gone := exists(c); gone != nil {
			return gone
		}
	}
	return err
}

// saw reports whether the file had the org's own row at a stamp.
func (f *orgFile) saw(steady sqlitedb.Stamp) bool {
	seen := f.seen.Load()
	return seen != nil && *seen == steady
}

func (s *Store) with(ctx context.Context, org loci.OrgID, fn func(*orgFile) error) error {
	if err := org.Validate(); err != nil {
		return err
	}
	f, err := s.files.Acquire(ctx, string(org))
	if err != nil {
		return translate(s.Damaged(orgsDir+"/"+string(org)+".db", err))
	}
	defer s.files.Release(f)
	if err = s.Damaged(orgsDir+"/"+string(org)+".db", fn(f)); err == nil {
		return nil
	}
	if errors.Is(err, sqlitedb.ErrGone) {
		if _, gone := s.registry.Exists(ctx, org); loci.CodeOf(gone) == loci.NotFound {
			return gone // the org was deleted with its file
		}
	}
	return translate(err)
}
