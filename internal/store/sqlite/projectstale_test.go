package sqlite

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/loci-memory/loci/internal/store"
)

// Nobody moves a file on which a transaction runs.
func TestProjectTransactionsHoldTheLock(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	none := func(store.GraphTx) error {
		lock := s.projectLock(p.ID)
		got, err := lock.TryLock()
		if got {
			t.Error("the lock was free during a transaction")
		}
		return errors.Join(err, lock.Close())
	}
	if err := errors.Join(s.ViewProject(bg, p.OrgID, p.ID, none), s.UpdateProject(bg, p.OrgID, p.ID, none)); err != nil {
		t.Fatal(explain(err))
	}
	lock := s.projectLock(p.ID)
	if got, err := lock.TryLock(); !got || err != nil {
		t.Errorf("the lock is not free between transactions: %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
}

// What is in the log only, because the process that wrote it has not moved it into
// the file yet, goes along.
func TestProjectLogGoesAlong(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	if info, err := os.Stat(s.projectPath(projectsDir, p.ID) + "-wal"); err != nil || info.Size() == 0 {
		t.Fatalf("this test needs a log with something in it: %v, %v", info, err)
	}
	mover := openStore(t, Options{Dir: s.Dir()}) // has never opened the file
	if err := mover.Projects().Archive(bg, p.OrgID, p.ID); err != nil {
		t.Fatal(explain(err))
	}
	if err := mover.Projects().Restore(bg, p.OrgID, p.ID); err != nil {
		t.Fatal(explain(err))
	}
	if got := notes(t, mover, p); !slices.Equal(got, []string{"first"}) {
		t.Errorf("got %q", got)
	}
}

// A process that slept through an archive and a restore notices.
func TestProjectStaleHandle(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	other := openStore(t, Options{Dir: s.Dir()})
	note(t, other, p, "other's")
	if err := errors.Join(s.Projects().Archive(bg, p.OrgID, p.ID), s.Projects().Restore(bg, p.OrgID, p.ID)); err != nil {
		t.Fatal(explain(err))
	}
	note(t, s, p, "after")
	if got := notes(t, other, p); !slices.Equal(got, []string{"first", "other's", "after"}) {
		t.Errorf("got %q", got)
	}
}

// A stale handle that is closed late leaves the log of a killed process alone.
func TestProjectStaleHandleClosedLate(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	other := openStore(t, Options{Dir: s.Dir()})
	key := projectKey(p.OrgID, p.ID)
	held, err := other.projectFiles.Acquire(bg, key)
	if err != nil {
		t.Fatal(err)
	}
	other.projectFiles.Discard(held)
	if err := errors.Join(s.Projects().Archive(bg, p.OrgID, p.ID), s.Projects().Restore(bg, p.OrgID, p.ID)); err != nil {
		t.Fatal(explain(err))
	}
	note(t, s, p, "after")
	// As a kill -9 would leave it: a log with the last write, and nobody who has it open.
	path := s.projectPath(projectsDir, p.ID)
	file, err1 := os.ReadFile(path)
	log, err2 := os.ReadFile(path + "-wal")
	err = errors.Join(err1, err2, s.projectFiles.Drop(key), os.WriteFile(path, file, 0o600),
		os.WriteFile(path+"-wal", log, 0o600), os.Remove(path+"-shm"))
	if err != nil || len(log) == 0 {
		t.Fatal(err, len(log))
	}
	other.projectFiles.Release(held)
	if got := notes(t, s, p); !slices.Equal(got, []string{"first", "after"}) {
		t.Errorf("got %q", got)
	}
}
