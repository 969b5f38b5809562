package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// These are the intents. The registry records an intent before anything happens to the file, and
// removes it with the final state. While it is there, no new transaction begins. If the process
// that recorded it dies, any other can finish the change.
const (
	intentCreating  = sqlstore.IntentCreating // undone instead, because nobody has been told of the project
	intentArchiving = sqlstore.IntentArchiving
	intentRestoring = sqlstore.IntentRestoring
	intentDeleting  = sqlstore.IntentDeleting
)

type projectRegistry struct {
	sqlstore.Projects
	s *Store
}

// Projects returns the store of projects.
func (s *Store) Projects() store.Projects { return projectRegistry{s.registry.Projects(), s} }

func (ps projectRegistry) Create(ctx context.Context, p loci.Project, creator loci.UserID) (loci.Project, error) {
	if err := p.Validate(); err != nil {
		return loci.Project{}, err
	}
	if p.ID.IsZero() {
		p.ID = loci.NewProjectID()
	}
	p.Status = loci.ProjectActive
	p.CreatedAt = ps.s.opts.Now().UTC().Truncate(loci.GraphTime)
	p.UpdatedAt = p.CreatedAt
	err := ps.s.createProject(ctx, p, creator)
	if err == nil {
		if p.OneMember = creator; !creator.IsZero() {
			p.Members = 1
		}
		ps.s.Hint(ctx, sqlstore.ProjectHint(&p, loci.Created))
	}
	return p, translateFile(err)
}

func (ps projectRegistry) Archive(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	return ps.leave(ctx, org, id, intentArchiving)
}

func (ps projectRegistry) Restore(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	return ps.change(ctx, org, id, intentRestoring)
}

func (ps projectRegistry) Delete(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	return ps.leave(ctx, org, id, intentDeleting)
}

// change archives, restores or deletes a project.
func (ps projectRegistry) change(ctx context.Context, org loci.OrgID, id loci.ProjectID, intent string) error {
	p, err := ps.s.registry.LookUpProject(ctx, org, id)
	if err != nil {
		return translate(err)
	}
	if err := ps.s.changeProject(ctx, org, id, intent); err != nil {
		return translateFile(err)
	}
	change := loci.Updated
	if intent == intentDeleting {
		change = loci.Erased
	}
	ps.s.Hint(ctx, sqlstore.ProjectHint(&p.Project, change))
	return nil
}

// createProject creates the row, the file and the member. It holds the project's lock before the
// row exists. So a process that sees the row and gets the lock knows that the creator died.
func (s *Store) createProject(ctx context.Context, p loci.Project, creator loci.UserID) (err error) {
	lock := s.projectLock(p.ID)
	if ok, err := lock.TryLock(); err != nil {
		return errors.Join(err, lock.Close())
	} else if !ok {
		return errors.Join(loci.Errorf(loci.Conflict, "this id is taken"), lock.Close())
	}
	defer func() {
		if loci.CodeOf(err) != "" { // refused
			if _, there, lost := s.placeOf(ctx, p.ID); !there && lost == nil {
				_ = os.Remove(lock.Path())
			}
		}
		err = errors.Join(err, lock.Close())
	}()
	if err := s.vacateName(ctx, p.OrgID, p.Name); err != nil {
		return err
	}
	err = s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		err := c.Exec(`INSERT INTO projects (id, name, description, db_path, created_at, updated_at, org_id, workspace_id,
			everyone, intent)
			SELECT ?, ?, ?, ?, ?, ?, id, ?, ?, 'creating' FROM orgs WHERE id = ? AND state IN `+sqlstore.OpenStates,
			p.ID.String(), p.Name, p.Description, dbPath(projectsDir, p.ID), sqlstore.ISO(p.CreatedAt),
			sqlstore.ISO(p.UpdatedAt), sqlstore.OrNull(p.WorkspaceID), p.Everyone, string(p.OrgID))
		if err == nil && c.Changes() == 0 {
			err = sqlstore.NoOrg()
		}
		if err == nil && !creator.IsZero() {
			err = sqlstore.PutMember(sharedConn(c), p.ID, loci.ProjectMember{UserID: creator, Role: loci.MemberOwner})
		}
		return err
	})
	if err != nil {
		return s.registry.NameTaken(err, p.Name)
	}
	if err := s.layProject(ctx, p); err != nil {
		return errors.Join(err, s.removeProject(context.WithoutCancel(ctx), p.ID))
	}
	return s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		err := c.Exec("UPDATE projects SET intent = NULL WHERE id = ? AND intent = 'creating'", p.ID.String())
		if err == nil && c.Changes() == 0 { // the org is being deleted
			err = sqlstore.NoOrg()
		}
		return err
	})
}

func dbPath(dir string, id loci.ProjectID) string { return dir + "/" + id.String() + ".db" }

// layProject creates the project's file.
func (s *Store) layProject(ctx context.Context, p loci.Project) (err error) {
	db, err := sqlitedb.Open(ctx, s.projectOptions(projectsDir, p.ID))
	if err != nil {
		return openError("file of a new project", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.Update(ctx, func(c *sqlitedb.Conn) error {
		return c.Exec("INSERT INTO project (one, id, org_id, created_at) VALUES (1, ?, ?, ?)", p.ID.String(), string(p.OrgID),
			sqlstore.ISO(p.CreatedAt))
	})
}

// vacateName undoes a project with that name that a killed process left unfinished.
func (s *Store) vacateName(ctx context.Context, org loci.OrgID, name string) error {
	var id loci.ProjectID
	err := s.meta.View(ctx, func(c *sqlitedb.Conn) error {
		_, err := c.One("SELECT id FROM projects WHERE org_id = ? AND name = ? AND intent IN ('creating', 'deleting')",
			sqlitedb.Args{string(org), name},
			func(r *sqlitedb.Row) (err error) { id, err = sqlstore.IDAt[loci.ProjectID](r, 0); return err })
		return err
	})
	if err != nil || id.IsZero() {
		return err
	}
	lock := s.projectLock(id)
	ok, err := lock.TryLock()
	if err != nil || !ok {
		return errors.Join(err, lock.Close()) // its creator is alive: the name is taken
	}
	return errors.Join(s.settleLocked(ctx, org, id), lock.Close())
}

// changeProject records an intent and carries it out.
func (s *Store) changeProject(ctx context.Context, org loci.OrgID, id loci.ProjectID, intent string) error {
	p, err := s.registry.LookUpProject(ctx, org, id)
	if err != nil {
		return err
	}
	if p.Intent != "" && p.Intent != intent && intent != intentDeleting {
		// Another caller's change, perhaps by a process that died, comes first.
		if err := s.settleProject(ctx, org, id); err != nil {
			return err
		}
	}
	// If the lock cannot be opened, the intent would block everyone for nothing.
	if err := s.ensureLock(id); err != nil {
		return err
	}
	if err := s.intend(ctx, org, id, intent); err != nil {
		return err
	}
	if err := s.settleProject(ctx, org, id); err != nil || intent == intentDeleting {
		return err
	}
	// Another process may have carried out the intent and failed.
	want := loci.ProjectActive
	if intent == intentArchiving {
		want = loci.ProjectArchived
	}
	if p, err = s.registry.LookUpProject(ctx, org, id); err == nil && p.Status != want {
		err = loci.Errorf(loci.Conflict, "someone else changed project %s at the same time; try again", loci.OneLine(p.Name))
	}
	return err
}

// intend records the intent. If the same intent is recorded already, intend joins it.
func (s *Store) intend(ctx context.Context, org loci.OrgID, id loci.ProjectID, intent string) error {
	from := map[string]string{
		intentArchiving: "status = 'active' AND intent IS NULL OR intent = 'archiving'",
		intentRestoring: "status = 'archived' AND intent IS NULL OR intent = 'restoring'",
		intentDeleting:  "intent IS NOT 'creating'",
	}[intent]
	err := s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		err := c.Exec("UPDATE projects SET intent = ? WHERE id = ? AND org_id = ? AND ("+from+")", intent, id.String(),
			string(org))
		if err == nil && c.Changes() == 0 {
			err = errNotIn
		}
		return err
	})
	if !errors.Is(err, errNotIn) {
		return err
	}
	p, err := s.registry.LookUpProject(ctx, org, id)
	switch {
	case err != nil:
		return err
	case p.Gone():
		return loci.NoSuchProject()
	case intent == intentRestoring:
		return loci.Errorf(loci.Conflict, "project %s is not archived", loci.OneLine(p.Name))
	}
	return loci.Errorf(loci.Conflict, "project %s is archived already", loci.OneLine(p.Name))
}

var errNotIn = errors.New("the project is in another state")

// settleProject carries out the intent while it holds the exclusive lock of the project.
func (s *Store) settleProject(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	if err := s.projectFiles.Drop(projectKey(org, id)); err != nil {
		s.opts.Log.WarnContext(ctx, "closing the file of a project failed", "project", id.String(), "error", err)
	}
	lock := s.projectLock(id)
	if _, err := lock.TryLockContext(ctx, lockWait); err != nil {
		return errors.Join(err, lock.Close())
	}
	return errors.Join(s.settleLocked(ctx, org, id), lock.Close())
}

// settleLocked is settleProject for a caller that holds the exclusive lock: no process runs a
// transaction on the project.
func (s *Store) settleLocked(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	var intent string
	err := s.meta.View(ctx, func(c *sqlitedb.Conn) error {
		_, err := c.One("SELECT intent FROM projects WHERE id = ? AND org_id = ?", sqlitedb.Args{id.String(), string(org)},
			func(r *sqlitedb.Row) error { intent = r.Text(0); return nil })
		return err
	})
	if err != nil {
		return err
	}
	switch intent {
	case intentArchiving:
		return s.move(ctx, id, projectsDir, archiveDir, string(loci.ProjectArchived))
	case intentRestoring:
		return s.move(ctx, id, archiveDir, projectsDir, string(loci.ProjectActive))
	case intentDeleting:
		return s.deleteProject(ctx, org, id)
	case intentCreating:
		return s.removeProject(ctx, id)
	}
	return nil // another process was faster
}

// move renames the file and records the final state. If that fails, it takes the intent back and nothing has changed.
func (s *Store) move(ctx context.Context, id loci.ProjectID, from, to, status string) error {
	err := s.moveFile(ctx, id, from, to)
	if err != nil {
		if _, lost := os.Stat(s.projectPath(from, id)); lost == nil {
			err = errors.Join(err, s.meta.Update(context.WithoutCancel(ctx), func(c *sqlitedb.Conn) error {
				return c.Exec("UPDATE projects SET intent = NULL, moves = moves + 1 WHERE id = ?", id.String())
			}))
		}
		return err
	}
	return s.arrive(ctx, id, to, status)
}

func (s *Store) arrive(ctx context.Context, id loci.ProjectID, dir, status string) error {
	return s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		return c.Exec("UPDATE projects SET status = ?, db_path = ?, intent = NULL, moves = moves + 1, updated_at = ? "+
			"WHERE id = ?",
			status, dbPath(dir, id), sqlstore.ISO(s.opts.Now()), id.String())
	})
}

// moveFile may be repeated: if the file is at its target, it was moved before.
func (s *Store) moveFile(ctx context.Context, id loci.ProjectID, from, to string) error {
	source, target := s.projectPath(from, id), s.projectPath(to, id)
	_, err := os.Stat(source)
	_, arrived := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist) && arrived == nil:
		return s.sweep(id, from)
	case errors.Is(err, fs.ErrNotExist):
		return loci.WrapError(loci.Unavailable, ErrTorn, "the file %s is missing", dbPath(from, id))
	case err != nil:
		return err
	case arrived == nil:
		return loci.Errorf(loci.Unavailable, "both %s and %s exist; move the wrong file away", dbPath(from, id),
			dbPath(to, id))
	}
	if err := s.emptyLog(ctx, id, from); err != nil {
		return err
	}
	if err := os.Rename(source, target); err != nil {
		return err
	}
	if err := errors.Join(syncDir(filepath.Dir(target)), syncDir(filepath.Dir(source))); err != nil {
		return err
	}
	return s.sweep(id, from)
}

// emptyLog moves the contents of the log into the file itself, because the log does not move with it.
func (s *Store) emptyLog(ctx context.Context, id loci.ProjectID, dir string) error {
	db, err := sqlitedb.Open(ctx, s.projectOptions(dir, id))
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		return openError("file "+dbPath(dir, id), err)
	}
	if info, err := os.Stat(s.projectPath(dir, id) + "-wal"); err == nil && info.Size() > 0 {
		return loci.Errorf(loci.Unavailable, "another program is using %s; close it and try again", dbPath(dir, id))
	}
	return nil
}

// sweep removes the files that remain at the old place. The journal exists if a process was
// killed before the file had a log.
func (s *Store) sweep(id loci.ProjectID, dir string) (err error) {
	path := s.projectPath(dir, id)
	for _, name := range []string{path + "-wal", path + "-shm", path + "-journal", path + ".lock"} {
		if e := os.Remove(name); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// deleteProject removes a project permanently, its row last. It trashes the memories before it
// removes the file, and once more afterwards with the memory nodes, tasks and candidates: a writer that had
// begun when the intent was recorded may have finished in between.
func (s *Store) deleteProject(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	if err := s.trashMemories(ctx, org, id); err != nil {
		return err
	}
	if err := s.removeProjectFiles(id); err != nil {
		return err
	}
	if err := s.trashLateMemories(ctx, org, id); err != nil {
		return err
	}
	if err := s.trashNodes(ctx, org, id); err != nil {
		return err
	}
	if err := s.eraseTasks(ctx, org, id); err != nil {
		return err
	}
	if err := s.releaseCandidates(ctx, org, id); err != nil {
		return err
	}
	return s.unregister(ctx, id)
}

// removeProject undoes a project that was never complete.
func (s *Store) removeProject(ctx context.Context, id loci.ProjectID) error {
	if err := s.removeProjectFiles(id); err != nil {
		return err
	}
	return s.unregister(ctx, id)
}

func (s *Store) removeProjectFiles(id loci.ProjectID) error {
	for _, dir := range []string{projectsDir, archiveDir} {
		if err := os.Remove(s.projectPath(dir, id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := s.sweep(id, dir); err != nil {
			return err
		}
	}
	return nil
}

// unregister removes the lock and then the row. A caller that waits for the lock then finds that
// the project does not exist.
func (s *Store) unregister(ctx context.Context, id loci.ProjectID) error {
	if err := os.Remove(s.projectLock(id).Path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		return c.Exec("DELETE FROM projects WHERE id = ?", id.String())
	})
}

// finishProjects completes what killed processes left half done. If a process is still working on
// a project, it holds the lock and completes the work itself.
func (s *Store) finishProjects(ctx context.Context) {
	list, err := s.registry.UnsettledProjects(ctx)
	s.report(ctx, "reading which projects are unfinished", err)
	for _, p := range list {
		lock := s.projectLock(p.ID)
		ok, err := lock.TryLock()
		if ok && err == nil {
			err = s.settleLocked(ctx, p.OrgID, p.ID)
		}
		s.report(ctx, p.Intent+" project "+p.ID.String(), errors.Join(err, lock.Close()))
	}
}

// syncDir makes the names in a directory durable, if the system can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("cannot open %s: %w", dir, err)
	}
	_ = d.Sync() // some file systems cannot sync a directory
	return d.Close()
}
