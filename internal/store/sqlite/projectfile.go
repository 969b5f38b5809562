package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

const (
	projectsDir = "projects"
	archiveDir  = "archive"
)

// The page caches of all open projects together stay below
//
//	MaxProjects files * (projectReaders + 1 writer) * projectCacheKiB = 16 * 4 * 2 MiB = 128 MiB,
//
// however many projects there are and however large they grow. Seed S3 uses 64 MB for each
// connection, which would be 8 GB. The system's file cache provides the rest.
const (
	projectReaders  = 3
	projectCacheKiB = 2048
)

// lockWait is how often a waiting process checks a project's lock.
const lockWait = 2 * time.Millisecond

// projectFile is the open file of one active project. While a transaction runs on it, this
// process shares the project's lock, so that nobody moves the file. Between transactions it does
// not, so the file may be moved while a handle is open. Comparing moves shows whether it was.
type projectFile struct {
	sqlitedb.Pooled
	org   loci.OrgID
	id    loci.ProjectID
	moves int64
	// empty is the stamp of the file when it had no entities; nil: not seen.
	empty atomic.Pointer[sqlitedb.Stamp]

	gate  chan struct{} // capacity 1: for the call that changes users or the lock
	users int
	lock  *flock.Flock
}

// The key contains the org, too, so that nobody can reach a project by another org's name.
func projectKey(org loci.OrgID, id loci.ProjectID) string { return id.String() + string(org) }

func newProjectFile(key string) *projectFile {
	id, _ := loci.ParseMemoryID(key[:36]) // projectKey made it
	return &projectFile{org: loci.OrgID(key[36:]), id: loci.ProjectID(id), gate: make(chan struct{}, 1)}
}

// enter shares the project's lock with the other transactions of this handle.
func (f *projectFile) enter(ctx context.Context) error {
	f.gate <- struct{}{}
	defer func() { <-f.gate }()
	if f.users == 0 {
		if _, err := f.lock.TryRLockContext(ctx, lockWait); err != nil {
			return err
		}
	}
	f.users++
	return nil
}

func (f *projectFile) leave() {
	f.gate <- struct{}{}
	defer func() { <-f.gate }()
	if f.users--; f.users == 0 {
		// Close releases the lock even if it returns an error. The next caller opens it again.
		_ = f.lock.Close()
	}
}

func (s *Store) projectPath(dir string, id loci.ProjectID) string {
	return filepath.Join(s.opts.Dir, dir, id.String()+".db")
}

// ensureLock creates the lock file, which a restored backup does not have. Call it only after
// reading the project's row.
func (s *Store) ensureLock(id loci.ProjectID) error {
	f, err := os.OpenFile(s.projectLock(id).Path(), os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (s *Store) projectLock(id loci.ProjectID) *flock.Flock {
	return flock.New(filepath.Join(s.opts.Dir, projectsDir, id.String()+".lock"), flock.SetPermissions(0o600))
}

// sharedLock creates no file: the lock of a deleted project must not come back.
func (s *Store) sharedLock(id loci.ProjectID) *flock.Flock {
	return flock.New(s.projectLock(id).Path(), flock.SetFlag(os.O_RDONLY))
}

// setUpProject makes sure that a handle that is closed late changes nothing. Otherwise the last
// handle to close would remove the log by name, and that log may belong to a file that was
// archived and restored since. sqlitedb empties the log itself.
func setUpProject(c *sqlite3.Conn) error {
	_, err := c.Config(sqlite3.DBCONFIG_NO_CKPT_ON_CLOSE, true)
	return errors.Join(err, fts5.Register(c))
}

func (s *Store) projectOptions(dir string, id loci.ProjectID) sqlitedb.Options {
	o := sqlitedb.Options{Path: s.projectPath(dir, id), Setup: setUpProject, Migrations: migrations("project"),
		Now:     s.opts.Now,
		Readers: projectReaders, CacheKiB: projectCacheKiB, Moves: true, ReadOnly: s.opts.ReadOnly, Warn: s.Warn}
	if dir == archiveDir {
		o.Setup = fts5.Register // opened only under the exclusive lock
	}
	return o
}

// openPatience is how long the first caller waits for another process that uses the project.
// Other callers wait for its result, so it cannot be cancelled.
const openPatience = 30 * time.Second

// errBusy is the cause if another process keeps a caller waiting.
var errBusy = errors.New("busy")

func errBusyProject(after time.Duration) error {
	return loci.WrapError(loci.Unavailable, errBusy,
		"another process is busy with the project and did not finish within %s; try again",
		after)
}

func (s *Store) openProject(ctx context.Context, f *projectFile) error {
	ctx, cancel := context.WithTimeout(ctx, openPatience)
	defer cancel()
	err := s.openProjectFile(ctx, f)
	if ctx.Err() != nil && err != nil {
		return errBusyProject(openPatience)
	}
	return err
}

func (s *Store) openProjectFile(ctx context.Context, f *projectFile) (err error) {
	if err := s.meta.InPlace(); err != nil {
		return err
	}
	p, err := s.registry.LookUpProject(ctx, f.org, f.id)
	if err == nil && p.Gone() { // its lock must not come back
		err = loci.NoSuchProject()
	}
	if err != nil {
		return err
	}
	f.lock = s.sharedLock(f.id)
	if err := s.ensureLock(f.id); err != nil {
		if s.Unwritable() == nil {
			return err
		}
		// A restored backup that was never opened has no lock, so the file is its own.
		f.lock = flock.New(s.projectPath(projectsDir, f.id), flock.SetFlag(os.O_RDONLY))
	}
	if err := f.enter(ctx); errors.Is(err, fs.ErrNotExist) {
		return loci.NoSuchProject() // deleted since it was looked up
	} else if err != nil {
		return err
	}
	defer f.leave()
	if p, err = s.registry.LookUpProject(ctx, f.org, f.id); err == nil {
		err = p.Usable()
	}
	if err != nil {
		return err
	}
	f.moves = p.Moves
	f.DB, err = s.openGraph(ctx, projectsDir, p.Project)
	return err
}

// openGraph opens the file of a complete project. The caller holds the project's lock, so nothing
// moves the file meanwhile.
func (s *Store) openGraph(ctx context.Context, dir string, p loci.Project) (*sqlitedb.DB, error) {
	name := dir + "/" + p.ID.String() + ".db"
	o := s.projectOptions(dir, p.ID)
	o.Exists = true
	db, err := sqlitedb.Open(ctx, o)
	if sqlitedb.IsDamage(err) {
		return nil, s.Damaged(name, err)
	}
	if err != nil {
		return nil, openError("file "+name, err)
	}
	mine := false
	err = db.View(ctx, func(c *sqlitedb.Conn) error {
		_, err := c.One("SELECT id = ? AND org_id = ? FROM project", sqlitedb.Args{p.ID.String(), string(p.OrgID)},
			func(r *sqlitedb.Row) error { mine = r.Bool(0); return nil })
		return err
	})
	if err == nil && !mine {
		err = loci.Errorf(loci.Unavailable, "the file %s belongs to another project; restore the right file from a backup",
			name)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// withProject runs fn while nobody moves the project's file.
func (s *Store) withProject(ctx context.Context, org loci.OrgID, id loci.ProjectID,
	fn func(*projectFile, loci.Project) error) error {
	if err := org.Validate(); err != nil {
		return err
	}
	for {
		stale, err := s.tryProject(ctx, projectKey(org, id), fn)
		if !stale || err != nil {
			return translate(s.Damaged(dbPath(projectsDir, id), err))
		}
	}
}

// tryProject returns true if the open file was unusable. The next attempt opens it again.
func (s *Store) tryProject(ctx context.Context, key string, fn func(*projectFile, loci.Project) error) (
	stale bool, err error) {
	f, err := s.projectFiles.Acquire(ctx, key)
	if err != nil {
		return false, translateFile(err)
	}
	defer s.projectFiles.Release(f) // also when fn panics
	if stale, err = s.runProject(ctx, f, fn); stale {
		s.projectFiles.Discard(f)
	}
	return stale, err
}

// runProject returns true if the file was moved since it was opened, or is about to be moved.
func (s *Store) runProject(ctx context.Context, f *projectFile, fn func(*projectFile, loci.Project) error) (
	stale bool, err error) {
	if err := f.enter(ctx); errors.Is(err, fs.ErrNotExist) {
		return true, nil // the project was deleted, or the data directory was repaired
	} else if err != nil {
		return false, translateFile(err)
	}
	defer f.leave()
	p, err := s.projectRow(ctx, f.org, f.id)
	if loci.CodeOf(err) == loci.NotFound {
		return true, err
	}
	if err != nil {
		return false, err
	}
	if err := p.Usable(); err != nil {
		return true, err
	}
	if p.Moves != f.moves {
		return true, nil
	}
	return false, fn(f, p.Project)
}

// ViewProject runs fn in one read transaction on a project's file.
func (s *Store) ViewProject(ctx context.Context, org loci.OrgID, id loci.ProjectID,
	fn func(store.GraphTx) error) error {
	return s.withProject(ctx, org, id, func(f *projectFile, p loci.Project) error {
		return f.DB.View(ctx, func(c *sqlitedb.Conn) error { return fn(s.graphTx(p, c)) })
	})
}

// UpdateProject runs fn in one write transaction on a project's file.
func (s *Store) UpdateProject(ctx context.Context, org loci.OrgID, id loci.ProjectID,
	fn func(store.GraphTx) error) error {
	var of loci.Project
	err := s.updateProject(ctx, org, id, func(tx store.GraphTx, p *loci.Project) error {
		of = *p
		return fn(tx)
	})
	if err == nil {
		s.Hint(ctx, sqlstore.GraphHint(&of))
	}
	return err
}

// updateProject is UpdateProject for what is no change of the graph.
func (s *Store) updateProject(ctx context.Context, org loci.OrgID, id loci.ProjectID,
	fn func(store.GraphTx, *loci.Project) error) error {
	return s.withProject(ctx, org, id, func(f *projectFile, p loci.Project) error {
		return f.DB.Update(ctx, func(c *sqlitedb.Conn) error { return fn(s.graphTx(p, c), &p) })
	})
}

// UnsettledProjects returns the projects whose change is not complete, such as "archiving 6f1d2c1e-…": a process is
// working on it, or it could not be finished. The next start, or the next call about the project, tries again.
func (s *Store) UnsettledProjects(ctx context.Context) ([]string, error) {
	list, err := s.registry.UnsettledProjects(ctx)
	if err != nil {
		return nil, translate(err)
	}
	return loci.Mapped(list, func(p sqlstore.ProjectRow) string { return p.Intent + " " + p.ID.String() }), nil
}
