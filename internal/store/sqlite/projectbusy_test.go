package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// until waits for another goroutine. What it waits for happens, or the test fails.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	look, end := time.NewTicker(time.Millisecond), time.After(time.Minute)
	defer look.Stop()
	for !done() {
		select {
		case <-look.C:
		case <-end:
			t.Errorf("waited a minute for %s", what)
			return
		}
	}
}

func isGone(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}

// A check reports a project on which another process sits, open or archived, and goes on.
func TestCheckOfBusyProject(t *testing.T) {
	t.Parallel()
	s, active := newProject(t, Options{})
	archived, err := s.Projects().Create(bg, loci.Project{OrgID: active.OrgID, Name: "archived"}, loci.UserID{})
	if err := errors.Join(err, s.Projects().Archive(bg, active.OrgID, archived.ID)); err != nil {
		t.Fatal(explain(err))
	}
	for _, p := range []loci.Project{active, archived} {
		if err := s.ensureLock(p.ID); err != nil {
			t.Fatal(err)
		}
		lock := s.projectLock(p.ID)
		if got, err := lock.TryLock(); err != nil || !got {
			t.Fatal(got, err)
		}
		want := "project " + p.ID.String() + ": another process is busy with the project"
		s.opts.checkPatience = 20 * time.Millisecond
		if problems, err := s.Check(bg); err != nil || len(problems) != 1 || problems[0].Kind != loci.ProblemBusy ||
			!strings.HasPrefix(problems[0].Text, want) {
			t.Errorf("%s: Check: %q, %v", p.Name, problems, err)
		}
		if err := s.Rebuild(bg); loci.CodeOf(err) != loci.Unavailable {
			t.Errorf("%s: Rebuild: %v", p.Name, err)
		}
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
		s.opts.checkPatience = checkPatience // a busy machine may take longer to open the file
		wantSound(t, s)
	}
}

// A check waits no longer for somebody who writes, either.
func TestCheckOfProjectBeingWritten(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	other := openStore(t, Options{Dir: s.Dir(), checkPatience: 20 * time.Millisecond})
	note(t, other, p, "other's") // has the file open
	err := s.UpdateProject(bg, p.OrgID, p.ID, func(store.GraphTx) error {
		if problems, err := other.Check(bg); err != nil || len(problems) != 1 || problems[0].Kind != loci.ProblemBusy ||
			!strings.Contains(problems[0].Text, "is busy with the project") {
			t.Errorf("Check: %q, %v", problems, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(explain(err))
	}
	wantSound(t, other)
}

// A memory whose writer began before the project's deletion and ends after its file is
// gone goes to the trash, too.
func TestDeleteProjectUnderWriterOfMemory(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	other := openStore(t, Options{Dir: s.Dir()})
	org, err := s.Orgs().Get(bg, p.OrgID)
	if err != nil {
		t.Fatal(err)
	}
	wantRemembered(t, s, nil, false) // has the org's file open: to open it waits for the writer
	m := newMemory(org.OwnerID, "late")
	m.Scope, m.ProjectID = loci.ScopeProject, p.ID
	deleted := make(chan error, 1)
	err = other.Update(bg, p.OrgID, func(tx store.Tx) error {
		go func() { deleted <- s.Projects().Delete(bg, p.OrgID, p.ID) }()
		until(t, "the file to go", func() bool { return isGone(s.projectPath(projectsDir, p.ID)) })
		select {
		case err := <-deleted:
			t.Errorf("the deletion has ended before the writer: %v", err)
			deleted <- err
		case <-time.After(100 * time.Millisecond): // time to fail in, not to succeed in
		}
		return tx.Memories().Insert(bg, m)
	})
	if err := errors.Join(err, <-deleted); err != nil {
		t.Fatal(explain(err))
	}
	wantRemembered(t, s, []loci.MemoryID{m.ID}, true)
}

// A backup during which a project is deleted is one of what is left.
func TestBackupWhileProjectIsDeleted(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	q, err := s.Projects().Create(bg, loci.Project{OrgID: p.OrgID, Name: "q"}, loci.UserID{})
	if err != nil {
		t.Fatal(explain(err))
	}
	if p.ID.String() > q.ID.String() { // the order in which they are copied
		p, q = q, p
	}
	lock := s.projectLock(p.ID)
	if got, err := lock.TryLock(); err != nil || !got {
		t.Fatal(got, err)
	}
	type result struct {
		files []string
		err   error
	}
	dir, done := filepath.Join(t.TempDir(), "b"), make(chan result, 1)
	go func() {
		files, err := s.Backup(bg, dir)
		done <- result{files, err}
	}()
	until(t, "the backup to come to the projects", func() bool { return !isGone(filepath.Join(dir, projectsDir)) })
	if err := errors.Join(s.Projects().Delete(bg, q.OrgID, q.ID), lock.Close()); err != nil {
		t.Fatal(explain(err))
	}
	want := []string{metaFile, "orgs/default.db", dbPath(projectsDir, p.ID)}
	if r := <-done; r.err != nil || !slices.Equal(r.files, want) {
		t.Fatalf("got %q, %v; want %q", r.files, explain(r.err), want)
	}
	wantSound(t, openStore(t, Options{Dir: dir}))
}
