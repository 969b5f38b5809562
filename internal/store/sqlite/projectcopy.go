package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// projectsOf returns the settled projects of an org, ordered by id. "" means all orgs.
func (s *Store) projectsOf(ctx context.Context, org loci.OrgID) ([]loci.Project, error) {
	return s.registry.Projects().Of(ctx, org)
}

// withGraph runs fn on a project's file wherever it is. It opens the file of an archived project,
// and nobody can restore that project meanwhile.
func (s *Store) withGraph(ctx context.Context, p loci.Project, fn func(*sqlitedb.DB, loci.Project) error) (err error) {
	return s.withGraphBefore(ctx, ctx, p, fn)
}

// withGraphBefore is withGraph for a caller that waits for other processes only until the context before ends.
func (s *Store) withGraphBefore(ctx, before context.Context, p loci.Project,
	fn func(*sqlitedb.DB, loci.Project) error) (err error) {
	// A caller that already shares the lock does not wait for it below.
	share := s.sharedLock(p.ID)
	if _, err := share.TryRLockContext(before, lockWait); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, share.Close())
	}
	err = s.withProject(ctx, p.OrgID, p.ID, func(f *projectFile, p loci.Project) error { return fn(f.DB, p) })
	if err = errors.Join(err, share.Close()); loci.CodeOf(err) != loci.Conflict {
		return err
	}
	if err := s.ensureLock(p.ID); err != nil {
		return err
	}
	lock := s.projectLock(p.ID)
	if _, err := lock.TryLockContext(before, lockWait); err != nil {
		return errors.Join(err, lock.Close())
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	return s.withGraphLocked(ctx, p, fn)
}

// withGraphLocked is withGraph for a caller that holds the exclusive lock.
func (s *Store) withGraphLocked(ctx context.Context, p loci.Project, fn func(*sqlitedb.DB, loci.Project) error) (
	err error) {
	if err := s.settleLocked(ctx, p.OrgID, p.ID); err != nil {
		return err
	}
	row, err := s.registry.LookUpProject(ctx, p.OrgID, p.ID)
	if err != nil {
		return err
	}
	dir := archiveDir
	if row.Status == loci.ProjectActive {
		dir = projectsDir
	}
	db, err := s.openGraph(ctx, dir, row.Project)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return fn(db, row.Project)
}

var errProjectGone = loci.Errorf(loci.Conflict, "a project was deleted meanwhile; try again")

// copyProjects copies the files of projects into dir, each to its place in places, and returns the names. A project
// that was deleted meanwhile is an error, because the copied registry has it.
func (s *Store) copyProjects(ctx context.Context, dir string, list []loci.Project) (names []string, err error) {
	for _, p := range list {
		name := path.Join(projectsDir, p.ID.String()+".db")
		if p.Status == loci.ProjectArchived {
			name = path.Join(archiveDir, p.ID.String()+".db")
		}
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return names, err
		}
		err := s.withGraph(ctx, p, func(db *sqlitedb.DB, _ loci.Project) error { return copyDB(ctx, db, name, target) })
		if loci.CodeOf(err) == loci.NotFound {
			err = errProjectGone
		}
		if err != nil {
			return names, err
		}
		names = append(names, name)
	}
	return names, nil
}

// exportProjects copies an org's projects, each once.
func (s *Store) exportProjects(ctx context.Context, org loci.OrgID, dir string) ([]loci.Project, []string, error) {
	list, err := s.projectsOf(ctx, org)
	if err != nil {
		return nil, nil, err
	}
	names, err := s.copyProjects(ctx, dir, list)
	return list, names, err
}

func (s *Store) deleteProjects(ctx context.Context, org loci.OrgID, r *store.Receipt) error {
	var ids []loci.ProjectID
	err := s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		if err := c.Exec("UPDATE projects SET intent = 'deleting' WHERE org_id = ?", string(org)); err != nil {
			return err
		}
		ids = nil
		return c.Query("SELECT id FROM projects WHERE org_id = ? ORDER BY id", sqlitedb.Args{string(org)},
			func(row *sqlitedb.Row) error {
				id, err := sqlstore.IDAt[loci.ProjectID](row, 0)
				ids = append(ids, id)
				return err
			})
	})
	if err != nil {
		return err
	}
	for i, id := range ids {
		loci.ReportProgress(ctx, loci.Progress{Stage: "deleting projects", Done: int64(i), Total: int64(len(ids))})
		if err := s.settleProject(ctx, org, id); err != nil {
			return err
		}
		r.Projects++
	}
	return nil
}
