package sqlite

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/loci-memory/loci"
)

// asNobody runs fn without the rights of root, on a thread that is thrown away.
func asNobody(fn func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if os.Getuid() == 0 {
			if err := unix.Setfsuid(65534); err != nil {
				done <- err
				return
			}
		}
		done <- fn()
	}()
	return <-done
}

func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tryOpen := func(dir string) error {
		return asNobody(func() error {
			s, err := Open(bg, Options{Dir: dir})
			if err == nil {
				_ = s.Close()
			}
			return err
		})
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	wantRefusal(t, tryOpen(dir), dir, "permission denied")
	below := filepath.Join(dir, "below")
	wantRefusal(t, tryOpen(below), below, "permission denied")
}

// A lock that this user cannot open is an answer for the operator, and closes no project.
func TestProjectLockOfAnotherUser(t *testing.T) {
	t.Parallel()
	s, p := newProject(t, Options{})
	path := s.projectLock(p.ID).Path()
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	err := asNobody(func() error { return s.Projects().Archive(bg, p.OrgID, p.ID) })
	if loci.CodeOf(err) != loci.Unavailable {
		t.Errorf("Archive: %v", explain(err))
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	note(t, s, p, "second")
	wantSound(t, s)
}
