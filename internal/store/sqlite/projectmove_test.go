package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// newProject makes a project with one entity in a new store.
func newProject(t testing.TB, opts Options) (*Store, loci.Project) {
	t.Helper()
	s, user := newStore(t, opts)
	p, err := s.Projects().Create(bg, loci.Project{OrgID: loci.DefaultOrg, Name: "p", Everyone: true}, user)
	if err != nil {
		t.Fatal(explain(err))
	}
	note(t, s, p, "first")
	return s, p
}

func viewerOf(p loci.Project) loci.Viewer {
	return loci.Viewer{OrgID: p.OrgID, UserID: loci.NewUserID(), ProjectIDs: []loci.ProjectID{p.ID}}
}

func tryNote(s *Store, p loci.Project, name string) error {
	v := viewerOf(p)
	return s.UpdateProject(bg, p.OrgID, p.ID, func(tx store.GraphTx) error {
		_, err := tx.Entities().Create(bg, v, loci.GraphAccess{UserID: v.UserID, Origin: "api"},
			[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: name, Type: "note"}}})
		return err
	})
}

func note(t testing.TB, s *Store, p loci.Project, name string) {
	t.Helper()
	if err := tryNote(s, p, name); err != nil {
		t.Fatal(explain(err))
	}
}

// notes returns the names of all entities, in the order in which they were stored.
func notes(t testing.TB, s *Store, p loci.Project) (names []string) {
	t.Helper()
	err := s.ViewProject(bg, p.OrgID, p.ID, func(tx store.GraphTx) error {
		names = nil
		for q := (store.GraphQuery{Limit: 1000}); ; {
			page, err := tx.Graph().Read(bg, viewerOf(p), q)
			for _, e := range page.Entities {
				names = append(names, e.Name)
			}
			if q.After = page.Next; err != nil || page.Next == "" {
				return err
			}
		}
	})
	if err != nil {
		t.Fatal(explain(err))
	}
	return names
}

// remember makes n memories of a project.
func remember(t testing.TB, s *Store, p loci.Project, n int) (ids []loci.MemoryID) {
	t.Helper()
	org, err := s.Orgs().Get(bg, p.OrgID)
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		m := newMemory(org.OwnerID, "of the project")
		m.Scope, m.ProjectID = loci.ScopeProject, p.ID
		insert(t, s, p.OrgID, m)
		ids = append(ids, m.ID)
	}
	return ids
}

// wantRemembered demands that memories are as they were, or in their owner's trash by
// one version that the server made.
func wantRemembered(t testing.TB, s *Store, ids []loci.MemoryID, inTrash bool) {
	t.Helper()
	org, err := s.Orgs().Get(bg, loci.DefaultOrg)
	if err != nil {
		t.Fatal(err)
	}
	err = s.View(bg, org.ID, func(tx store.Tx) error {
		list, err := tx.Memories().GetMany(bg, loci.Viewer{OrgID: org.ID, UserID: org.OwnerID}, ids, loci.LiveOrTrash)
		if len(list) != len(ids) {
			t.Errorf("%d of %d memories are there", len(list), len(ids))
		}
		for _, m := range list {
			if trashed := !m.DeletedAt.IsZero() && m.Version == 2 && m.Change == loci.Trashed &&
				m.Editor == loci.ServerOrigin; trashed != inTrash || !inTrash && m.Version != 1 {
				t.Errorf("a memory is at %+v, trashed at %s; should it be in the trash: %v", m.State, m.DeletedAt, inTrash)
			}
		}
		return err
	})
	if err != nil {
		t.Error(explain(err))
	}
}

// projectFilesIn returns every file in projects/ and archive/ but empty locks.
func projectFilesIn(t testing.TB, dir string) (names []string) {
	t.Helper()
	for _, sub := range []string{projectsDir, archiveDir} {
		entries, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".lock") {
				names = append(names, sub+"/"+e.Name())
			}
		}
	}
	return names
}

// steps are what a change does, one after the other; a kill can come after each.
func steps(s *Store, p loci.Project, intent string) []func() error {
	from, to, status := projectsDir, archiveDir, "archived"
	if intent == intentRestoring {
		from, to, status = archiveDir, projectsDir, "active"
	}
	list := []func() error{
		func() error { return s.intend(bg, p.OrgID, p.ID, intent) },
		func() error { return s.projectFiles.Drop(projectKey(p.OrgID, p.ID)) },
	}
	if intent == intentDeleting {
		return append(list,
			func() error {
				seqs, err := s.memoriesOf(bg, p.OrgID, p.ID, s.View)
				return errors.Join(err, s.trashRows(bg, p.OrgID, p.ID, seqs[:1]))
			},
			func() error { return s.trashMemories(bg, p.OrgID, p.ID) },
			func() error { return os.Remove(s.projectPath(projectsDir, p.ID)) },
			func() error { return s.sweep(p.ID, projectsDir) },
			func() error { return s.trashMemories(bg, p.OrgID, p.ID) },
			func() error { return os.Remove(s.projectLock(p.ID).Path()) },
			func() error { return s.unregister(bg, p.ID) })
	}
	return append(list,
		func() error { return s.emptyLog(bg, p.ID, from) },
		func() error { return os.Rename(s.projectPath(from, p.ID), s.projectPath(to, p.ID)) },
		func() error { return s.sweep(p.ID, from) },
		func() error { return s.arrive(bg, p.ID, to, status) })
}

// A change that is killed after any step is finished by the next start, and by
// the next call.
func TestProjectChangeInterrupted(t *testing.T) {
	t.Parallel()
	for _, intent := range []string{intentArchiving, intentRestoring, intentDeleting} {
		last := len(steps(nil, loci.Project{}, intent)) // after which it is done
		for n := 1; n <= last; n++ {
			for _, by := range []string{"start", "call"} {
				t.Run(intent+" "+string(rune('0'+n))+" then a "+by, func(t *testing.T) {
					opts := Options{Dir: t.TempDir()}
					s, p := newProject(t, opts)
					ids := remember(t, s, p, 3)
					if intent == intentRestoring {
						if err := s.Projects().Archive(bg, p.OrgID, p.ID); err != nil {
							t.Fatal(explain(err))
						}
					}
					for i, step := range steps(s, p, intent)[:n] {
						if err := step(); err != nil {
							t.Fatalf("step %d: %v", i, explain(err))
						}
						if i == last-1 {
							break
						}
						if err := tryNote(s, p, "between"); err == nil {
							t.Fatalf("after step %d a write got in", i)
						}
					}
					if by == "start" {
						if err := s.Close(); err != nil {
							t.Fatal(err)
						}
						s = openStore(t, opts)
					} else {
						change := map[string]func() error{
							intentArchiving: func() error { return s.Projects().Archive(bg, p.OrgID, p.ID) },
							intentRestoring: func() error { return s.Projects().Restore(bg, p.OrgID, p.ID) },
							intentDeleting:  func() error { return s.Projects().Delete(bg, p.OrgID, p.ID) },
						}[intent]
						if err := change(); n < last && err != nil {
							t.Fatal(explain(err))
						}
					}
					wantArrived(t, s, p, intent)
					wantRemembered(t, s, ids, intent == intentDeleting)
				})
			}
		}
	}
}

func wantArrived(t *testing.T, s *Store, p loci.Project, intent string) {
	t.Helper()
	if list, err := s.registry.UnsettledProjects(bg); err != nil || len(list) != 0 {
		t.Errorf("unsettled: %+v, %v", list, err)
	}
	switch intent {
	case intentDeleting:
		if got := projectFilesIn(t, s.Dir()); len(got) != 0 {
			t.Errorf("files are left: %q", got)
		}
		if err := tryNote(s, p, "x"); loci.CodeOf(err) != loci.NotFound {
			t.Errorf("a deleted project: %v", err)
		}
	case intentArchiving:
		if got := projectFilesIn(t, s.Dir()); !slices.Equal(got, []string{dbPath(archiveDir, p.ID)}) {
			t.Errorf("files: %q", got)
		}
		if err := tryNote(s, p, "x"); loci.CodeOf(err) != loci.Conflict {
			t.Errorf("an archived project: %v", err)
		}
		if err := s.Projects().Restore(bg, p.OrgID, p.ID); err != nil {
			t.Fatal(explain(err))
		}
		fallthrough
	case intentRestoring:
		if got := notes(t, s, p); !slices.Equal(got, []string{"first"}) {
			t.Errorf("the graph has %q", got)
		}
		if got := projectFilesIn(t, s.Dir()); !slices.Contains(got, dbPath(projectsDir, p.ID)) ||
			slices.Contains(got, dbPath(archiveDir, p.ID)) {
			t.Errorf("files: %q", got)
		}
	}
	if problems, err := s.Check(bg); err != nil || len(problems) != 0 {
		t.Errorf("Check: %q, %v", problems, err)
	}
}

// A project whose maker was killed is not there, and its name is free: at
// once, without a start.
func TestProjectCreateInterrupted(t *testing.T) {
	t.Parallel()
	opts := Options{Dir: t.TempDir()}
	s, user := newStore(t, opts)
	for _, by := range []string{"start", "call"} {
		p := loci.Project{ID: loci.NewProjectID(), OrgID: loci.DefaultOrg, Name: "half"}
		journal := s.projectPath(projectsDir, p.ID) + "-journal" // of one who was killed early
		if err := errors.Join(s.layProject(bg, p), os.WriteFile(journal, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		err := s.meta.Update(bg, func(c *sqlitedb.Conn) error {
			return c.Exec("INSERT INTO projects (id, name, db_path, org_id, intent) VALUES (?, ?, ?, 'default', 'creating')",
				p.ID.String(), p.Name, dbPath(projectsDir, p.ID))
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := tryNote(s, p, "x"); loci.CodeOf(err) != loci.NotFound {
			t.Errorf("half a project: %v", err)
		}
		if by == "start" {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = openStore(t, opts)
		}
		fresh, err := s.Projects().Create(bg, loci.Project{OrgID: loci.DefaultOrg, Name: "half"}, user)
		if err != nil {
			t.Fatal(explain(err))
		}
		if err := s.Projects().Delete(bg, fresh.OrgID, fresh.ID); err != nil {
			t.Fatal(explain(err))
		}
		if got := projectFilesIn(t, s.Dir()); len(got) != 0 {
			t.Errorf("%s: files are left: %q", by, got)
		}
	}
}

// Another process that has the file open follows it to the archive and back,
// and closing its old handle late harms nothing.
func TestProjectMovesUnderOtherProcesses(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	other := openStore(t, Options{Dir: s.Dir()})
	note(t, other, p, "other's")
	held, err := other.projectFiles.Acquire(bg, projectKey(p.OrgID, p.ID))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Projects().Archive(bg, p.OrgID, p.ID); err != nil {
		t.Fatal(explain(err))
	}
	if err := tryNote(other, p, "x"); loci.CodeOf(err) != loci.Conflict {
		t.Errorf("archived by another process: %v", err)
	}
	if err := s.Projects().Restore(bg, p.OrgID, p.ID); err != nil {
		t.Fatal(explain(err))
	}
	note(t, s, p, "after")
	other.projectFiles.Release(held) // closes the old handle, while the new log has a row
	note(t, other, p, "other's again")
	want := []string{"first", "other's", "after", "other's again"}
	for _, st := range []*Store{s, other} {
		if diff := cmp.Diff(want, notes(t, st, p)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if err := errors.Join(s.Close(), other.Close()); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, Options{Dir: s.Dir()})
	if diff := cmp.Diff(want, notes(t, s, p)); diff != "" {
		t.Errorf("after a start (-want +got):\n%s", diff)
	}
	if problems, err := s.Check(bg); err != nil || len(problems) != 0 {
		t.Errorf("Check: %q, %v", problems, err)
	}
}

// A missing file, or another project's, is not replaced by an empty one.
func TestProjectFileLost(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	q, err := s.Projects().Create(bg, loci.Project{OrgID: p.OrgID, Name: "q"}, loci.UserID{})
	if err != nil {
		t.Fatal(explain(err))
	}
	for _, p := range []loci.Project{p, q} {
		if err := s.projectFiles.Drop(projectKey(p.OrgID, p.ID)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(s.projectPath(projectsDir, p.ID), s.projectPath(projectsDir, q.ID)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []loci.Project{p, q} {
		if err := tryNote(s, p, "x"); loci.CodeOf(err) != loci.Unavailable {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if err := s.Projects().Archive(bg, p.OrgID, p.ID); loci.CodeOf(err) != loci.Unavailable {
		t.Errorf("Archive: %v", err)
	}
	if problems, err := s.Check(bg); err != nil || len(problems) != 2 {
		t.Errorf("Check: %q, %v", problems, err)
	}
}

// A function that panics keeps nobody from moving the file.
func TestProjectFunctionPanics(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	func() {
		defer func() { _ = recover() }()
		_ = s.ViewProject(bg, p.OrgID, p.ID, func(store.GraphTx) error { panic("a defect") })
	}()
	ctx, cancel := context.WithTimeout(bg, 20*time.Second)
	defer cancel()
	if err := s.Projects().Archive(ctx, p.OrgID, p.ID); err != nil {
		t.Error(explain(err))
	}
}
