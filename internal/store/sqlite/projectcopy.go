package sqlite

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// projectsOf returns the settled projects of an org, by id. "" is all orgs.
func (s *Store) projectsOf(ctx context.Context, org loci.OrgID) (list []loci.Project, err error) {
	err = s.meta.View(ctx, func(c *sqlitedb.Conn) error {
		list = nil
		return c.Query("SELECT "+projectColumns+fromProjects+" WHERE ? IN (p.org_id, '')"+projectExists+" ORDER BY p.id", sqlitedb.Args{string(org)}, func(r *sqlitedb.Row) error {
			p, err := scanProject(r)
			list = append(list, p.Project)
			return err
		})
	})
	return list, err
}

// withGraph runs fn on a project's file wherever it is. An archived one is
// opened for it, while nobody can restore it.
func (s *Store) withGraph(ctx context.Context, p loci.Project, fn func(*sqlitedb.DB, loci.Project) error) (err error) {
	err = s.withProject(ctx, p.OrgID, p.ID, func(f *projectFile, p loci.Project) error { return fn(f.db, p) })
	if loci.CodeOf(err) != loci.Conflict {
		return err
	}
	if err := s.ensureLock(p.ID); err != nil {
		return err
	}
	lock := s.projectLock(p.ID)
	if _, err := lock.TryLockContext(ctx, lockWait); err != nil {
		return errors.Join(err, lock.Close())
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := s.settleLocked(ctx, p.OrgID, p.ID); err != nil {
		return err
	}
	row, err := s.lookUpProject(ctx, p.OrgID, p.ID)
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

// copyProjects copies the files of projects into dir, each to its place in
// places, and returns the names. One that was deleted meanwhile is an error: the copied
// registry has it.
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
		err := s.withGraph(ctx, p, func(db *sqlitedb.DB, _ loci.Project) error { return db.BackupTo(ctx, target) })
		if loci.CodeOf(err) == loci.NotFound {
			err = loci.WrapError(loci.Conflict, err, "a project was deleted meanwhile; try again")
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

// deleteProjects removes all projects of an org that is being deleted.
func (s *Store) deleteProjects(ctx context.Context, org loci.OrgID, r *store.Receipt) error {
	var ids []loci.ProjectID
	err := s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		if err := c.Exec("UPDATE projects SET intent = 'deleting' WHERE org_id = ?", string(org)); err != nil {
			return err
		}
		ids = nil
		return c.Query("SELECT id FROM projects WHERE org_id = ? ORDER BY id", sqlitedb.Args{string(org)}, func(row *sqlitedb.Row) error {
			id, err := idAt[loci.ProjectID](row, 0)
			ids = append(ids, id)
			return err
		})
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.settleProject(ctx, org, id); err != nil {
			return err
		}
		r.Projects++
	}
	return nil
}

// eraseFromGraphs erases what a person wrote in the org's graphs. An entity on
// which others wrote something stays, without a writer.
func (s *Store) eraseFromGraphs(ctx context.Context, org loci.OrgID, user loci.UserID) error {
	list, err := s.projectsOf(ctx, org)
	if err != nil {
		return err
	}
	for _, p := range list {
		err := s.withGraph(ctx, p, func(db *sqlitedb.DB, _ loci.Project) error {
			return db.Update(ctx, func(c *sqlitedb.Conn) error { return eraseWriter(c, user) })
		})
		if err != nil && loci.CodeOf(err) != loci.NotFound {
			return err
		}
	}
	return nil
}

func eraseWriter(c *sqlitedb.Conn, user loci.UserID) error {
	who, nobody := user.String(), loci.UserID{}.String()
	for _, sql := range []string{
		`DELETE FROM changes WHERE row_id IN (SELECT id FROM observations WHERE user_id = ?1 UNION ALL SELECT id FROM relations WHERE user_id = ?1)`,
		"DELETE FROM relations WHERE user_id = ?1",
		"DELETE FROM observations WHERE user_id = ?1",
		`DELETE FROM changes WHERE row_id IN (SELECT id FROM entities e WHERE user_id = ?1` + lonely + ")",
		"DELETE FROM entities AS e WHERE user_id = ?1" + lonely,
	} {
		if err := c.Exec(sql, who); err != nil {
			return err
		}
	}
	for _, table := range []string{"entities", "changes"} {
		if err := c.Exec("UPDATE "+table+" SET user_id = ? WHERE user_id = ?", nobody, who); err != nil {
			return err
		}
	}
	return nil
}

// lonely holds for an entity on which nothing hangs.
const lonely = ` AND NOT EXISTS (SELECT 1 FROM observations WHERE entity_id = e.id)
	AND NOT EXISTS (SELECT 1 FROM relations WHERE from_entity = e.id) AND NOT EXISTS (SELECT 1 FROM relations WHERE to_entity = e.id)`

// checkProjects checks the files of all projects, and that each has a row.
func (s *Store) checkProjects(ctx context.Context) (problems []string, err error) {
	list, err := s.projectsOf(ctx, "")
	if err != nil {
		return nil, translate(err)
	}
	for _, p := range list {
		var found []string
		err := s.withGraph(ctx, p, func(db *sqlitedb.DB, p loci.Project) (err error) {
			err = db.View(ctx, func(c *sqlitedb.Conn) error {
				found, err = integrity(c, "entities_fts", "observations_fts")
				return err
			})
			if err != nil || len(found) > 0 {
				return err
			}
			return db.Update(ctx, func(c *sqlitedb.Conn) error {
				found, err = s.graphTx(p, c).Check(ctx)
				return err
			})
		})
		switch loci.CodeOf(err) {
		case loci.NotFound: // deleted meanwhile
			continue
		case loci.Unavailable:
			found, err = append(found, err.Error()), nil
		}
		problems = append(problems, named("project "+p.ID.String(), found)...)
		if err != nil {
			return problems, translate(err)
		}
	}
	lost, err := s.strayProjects(ctx)
	return append(problems, lost...), translate(err)
}

// strayProjects reports files that no row of the registry leads to.
func (s *Store) strayProjects(ctx context.Context) (problems []string, err error) {
	for _, dir := range []string{projectsDir, archiveDir} {
		entries, err := os.ReadDir(filepath.Join(s.opts.Dir, dir))
		if err != nil {
			return problems, err
		}
		for _, e := range entries {
			base, ok := strings.CutSuffix(e.Name(), ".db")
			id, bad := loci.ParseMemoryID(base)
			if !ok || bad != nil {
				continue
			}
			problem, err := s.strayProject(ctx, dir, loci.ProjectID(id))
			if err != nil {
				return problems, err
			}
			if problem != "" {
				problems = append(problems, problem)
			}
		}
	}
	return problems, nil
}

// strayProject says what is wrong with a file that is there. One whose project is on
// the move is in its place soon.
func (s *Store) strayProject(ctx context.Context, dir string, id loci.ProjectID) (string, error) {
	was, there, err := s.placeOf(ctx, id)
	name := dbPath(dir, id)
	switch {
	case err != nil:
		return "", err
	case !there:
		return "the file " + name + " is there, but " + metaFile + " knows no such project: put the " + metaFile +
			" back that belongs to it, or bring a backup back with: loci backup restore", nil
	case was.path == name || was.moving:
		return "", nil
	}
	if _, err := os.Stat(s.projectPath(dir, id)); err != nil { // moved since the directory was read
		return "", nil
	}
	if is, _, err := s.placeOf(ctx, id); err != nil || is != was {
		return "", err
	}
	return "the file " + name + " is there, but the place of that project is " + was.path +
		": move the one away that is not the right one, and the right one to its place", nil
}

// home is where the registry says that a project's file is.
type home struct {
	path   string
	moving bool
	moves  int64
}

// placeOf looks in any org.
func (s *Store) placeOf(ctx context.Context, id loci.ProjectID) (p home, there bool, err error) {
	err = s.meta.View(ctx, func(c *sqlitedb.Conn) (err error) {
		there, err = c.One("SELECT db_path, intent IS NOT NULL, moves FROM projects WHERE id = ?", sqlitedb.Args{id.String()},
			func(r *sqlitedb.Row) error { p = home{r.Text(0), r.Bool(1), r.Int64(2)}; return nil })
		return err
	})
	return p, there, err
}

// rebuildProjects makes anew what is derived from the rows of every project.
func (s *Store) rebuildProjects(ctx context.Context) error {
	list, err := s.projectsOf(ctx, "")
	for _, p := range list {
		if err != nil {
			break
		}
		err = s.withGraph(ctx, p, func(db *sqlitedb.DB, p loci.Project) error {
			return db.Update(ctx, func(c *sqlitedb.Conn) error { return s.graphTx(p, c).Rebuild(ctx) })
		})
		if loci.CodeOf(err) == loci.NotFound {
			err = nil
		}
	}
	return translate(err)
}
