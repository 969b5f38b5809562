package vectors

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// Files keeps each set in an SQLite file, in a directory for each org.
type Files struct {
	dir     string
	open    *sqlitedb.Files[*file]
	healing sync.Mutex // held while a damaged file is removed
}

var _ Store = (*Files)(nil)

// mostOpen is how many files are open, those in use apart. Each has about ten descriptors.
const mostOpen = 32

// suffix ends the names of the files. A file with another format of its contents needs another suffix.
const suffix = ".vectors"

// NewFiles returns a Store of the files in a directory. It reads and writes nothing yet.
func NewFiles(dir string) *Files {
	return &Files{dir: dir,
		open: sqlitedb.NewFiles(mostOpen, func(path string) *file { return &file{path: path} }, openFile)}
}

func (s *Files) place(org loci.OrgID) string { return filepath.Join(s.dir, string(org)) }

func (s *Files) path(org loci.OrgID, k Key) string {
	return filepath.Join(s.place(org), string(k)+suffix)
}

// Sets implements Store.
func (s *Files) Sets(_ context.Context, org loci.OrgID) (list []Key, err error) {
	entries, err := os.ReadDir(s.place(org))
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok {
			list = append(list, Key(name))
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return list, err
}

// Use implements Store.
func (s *Files) Use(ctx context.Context, org loci.OrgID, k Key, fn func(Set) error) error {
	f, err := s.acquire(ctx, s.path(org, k))
	if err != nil {
		return err
	}
	defer s.open.Release(f)
	return fn(f)
}

// Heal implements Store.
func (s *Files) Heal(ctx context.Context, org loci.OrgID, k Key) error {
	s.healing.Lock()
	defer s.healing.Unlock()
	f, err := s.acquire(ctx, s.path(org, k))
	if err == nil {
		s.open.Release(f)
	}
	if err == nil && !f.damaged.Load() || err != nil && !errors.Is(err, ErrDamaged) {
		return nil
	}
	return s.Remove(ctx, org, k)
}

// acquire opens a file. One that another process has removed and made again is opened again.
func (s *Files) acquire(ctx context.Context, path string) (*file, error) {
	for {
		if _, err := os.Stat(path); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				s.discard(func(f *file) bool { return f.path == path })
			}
			return nil, err
		}
		f, err := s.open.Acquire(ctx, path)
		if err != nil {
			return nil, damage(err)
		}
		if !errors.Is(f.DB.InPlace(), sqlitedb.ErrGone) {
			return f, nil
		}
		s.open.Discard(f)
		s.open.Release(f)
	}
}

// damage wraps an error that says that a file is damaged.
func damage(err error) error {
	if errors.Is(err, sqlitedb.ErrNotDB) || errors.Is(err, sqlitedb.ErrCorrupt) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// discard closes the files that match once nobody uses them.
func (s *Files) discard(match func(*file) bool) {
	_ = s.open.Each(func(f *file) error {
		if match(f) {
			s.open.Discard(f)
		}
		return nil
	})
}

// Create implements Store.
func (s *Files) Create(ctx context.Context, org loci.OrgID, m Model) error {
	if err := os.MkdirAll(s.place(org), 0o700); err != nil {
		return err
	}
	db, err := openDB(ctx, s.path(org, m.Key()))
	if err != nil {
		return damage(err)
	}
	err = db.Update(ctx, func(c *sqlitedb.Conn) error {
		return c.Exec("INSERT OR IGNORE INTO state (one, model, dims, identity) VALUES (1, ?, ?, random())", m.Name, m.Dims)
	})
	return errors.Join(err, db.Close())
}

// Remove implements Store.
func (s *Files) Remove(ctx context.Context, org loci.OrgID, k Key) error {
	path := s.path(org, k)
	_ = s.open.Drop(path) // what it could not write is derived
	return sqlitedb.Remove(ctx, path)
}

// Drop implements Store.
func (s *Files) Drop(ctx context.Context, org loci.OrgID) error {
	if err := org.Validate(); err != nil {
		return err // otherwise it might be the directory of all orgs
	}
	list, err := s.Sets(ctx, org)
	for _, k := range list {
		err = errors.Join(err, s.Remove(ctx, org, k))
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(s.place(org))
}

// Rest implements Store.
func (s *Files) Rest(org loci.OrgID) {
	dir := s.place(org)
	s.discard(func(f *file) bool { return filepath.Dir(f.path) == dir })
}

// Close implements Store.
func (s *Files) Close() error { return s.open.Close() }
