package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// checkPatience is how long a check waits for another process that uses a project.
const checkPatience = 5 * time.Second

// checkProjects checks the files of all projects, and that each file has a row.
func (s *Store) checkProjects(ctx context.Context) (problems []loci.Problem, err error) {
	list, err := s.projectsOf(ctx, "")
	if err != nil {
		return nil, translateFile(err)
	}
	for i, p := range list {
		loci.ReportProgress(ctx, loci.Progress{Stage: "checking projects", Done: int64(i), Total: int64(len(list))})
		found, err := s.checkProject(ctx, p)
		err = translateFile(err)
		switch loci.CodeOf(err) {
		case loci.NotFound: // deleted meanwhile
			continue
		case loci.Unavailable:
			found, err = append(found, problemOf(err)), nil
		}
		problems = append(problems, named("project "+p.ID.String(), found)...)
		if err != nil {
			return problems, translateFile(err)
		}
	}
	lost, err := s.strayProjects(ctx)
	return append(problems, loci.Problems(loci.ProblemDamage, lost...)...), translateFile(err)
}

func (s *Store) checkProject(ctx context.Context, p loci.Project) (found []loci.Problem, err error) {
	err = s.withIdleGraph(ctx, p, func(g idleGraph, p loci.Project) (err error) {
		err = g.db.View(ctx, func(c *sqlitedb.Conn) error {
			damage, err := integrity(c, "entities_fts", "observations_fts")
			found = loci.Problems(loci.ProblemDamage, damage...)
			return err
		})
		if err != nil || len(found) > 0 || g.db.Unwritable() != nil { // FTS5 compares in a statement that writes
			return err
		}
		return g.update(ctx, func(c *sqlitedb.Conn) error {
			derived, err := s.graphTx(p, c).Check(ctx)
			found = loci.Problems(loci.ProblemDerived, derived...)
			return err
		})
	})
	return found, err
}

// idleGraph is a project's file for a caller that does not wait long for other processes.
type idleGraph struct {
	db       *sqlitedb.DB
	patience time.Duration
}

// update waits at most that long for its turn. It does not stop a transaction that has begun.
func (g idleGraph) update(ctx context.Context, fn func(*sqlitedb.Conn) error) error {
	start, cancel := context.WithTimeout(ctx, g.patience)
	defer cancel()
	return g.db.Update(start, fn)
}

// withIdleGraph runs fn like withGraph, but returns Unavailable if another process keeps it waiting.
func (s *Store) withIdleGraph(ctx context.Context, p loci.Project, fn func(idleGraph, loci.Project) error) error {
	patience := s.opts.checkPatience
	before, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := s.withGraphBefore(ctx, before, p,
		func(db *sqlitedb.DB, p loci.Project) error { return fn(idleGraph{db, patience}, p) })
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = errBusyProject(patience)
	}
	return err
}

// strayProjects reports files that have no row in the registry.
func (s *Store) strayProjects(ctx context.Context) (problems []string, err error) {
	for _, dir := range []string{projectsDir, archiveDir} {
		entries, err := os.ReadDir(filepath.Join(s.opts.Dir, dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
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

// strayProject describes the problem with an existing file, or returns "". If the file's project
// is being moved, the file will soon be in its place.
func (s *Store) strayProject(ctx context.Context, dir string, id loci.ProjectID) (string, error) {
	was, there, err := s.placeOf(ctx, id)
	name := dbPath(dir, id)
	switch {
	case err != nil:
		return "", err
	case !there:
		return "the file " + name + " exists, but " + metaFile + " has no such project; put back the " + metaFile +
			" that belongs to it", nil
	case was.path == name || was.moving:
		return "", nil
	}
	if _, err := os.Stat(s.projectPath(dir, id)); err != nil { // moved since the directory was read
		return "", nil
	}
	if is, _, err := s.placeOf(ctx, id); err != nil || is != was {
		return "", err
	}
	return "the file " + name + " exists, but the place of that project is " + was.path +
		"; move the wrong file away, and the right file to its place", nil
}

// home is where the registry expects a project's file.
type home struct {
	path   string
	moving bool
	moves  int64
}

func (s *Store) placeOf(ctx context.Context, id loci.ProjectID) (p home, there bool, err error) {
	err = s.meta.View(ctx, func(c *sqlitedb.Conn) (err error) {
		there, err = c.One("SELECT db_path, intent IS NOT NULL, moves FROM projects WHERE id = ?", sqlitedb.Args{id.String()},
			func(r *sqlitedb.Row) error { p = home{r.Text(0), r.Bool(1), r.Int64(2)}; return nil })
		return err
	})
	return p, there, err
}

func (s *Store) rebuildProjects(ctx context.Context) error {
	list, err := s.projectsOf(ctx, "")
	for i, p := range list {
		if err != nil {
			break
		}
		loci.ReportProgress(ctx, loci.Progress{Stage: "rebuilding projects", Done: int64(i), Total: int64(len(list))})
		err = s.withIdleGraph(ctx, p, func(g idleGraph, p loci.Project) error {
			return g.update(ctx, func(c *sqlitedb.Conn) error { return s.graphTx(p, c).Rebuild(ctx) })
		})
		if loci.CodeOf(err) == loci.NotFound {
			err = nil
		}
	}
	return translateFile(err)
}
