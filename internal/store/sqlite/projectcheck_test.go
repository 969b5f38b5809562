package sqlite

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCheckWithoutProjects checks a directory that was restored from a backup without projects and cannot be written.
func TestCheckWithoutProjects(t *testing.T) {
	t.Parallel()
	s := openStore(t, Options{Dir: t.TempDir()})
	for _, dir := range []string{projectsDir, archiveDir} {
		if err := os.Remove(filepath.Join(s.Dir(), dir)); err != nil {
			t.Fatal(err)
		}
	}
	if problems, err := s.Check(bg); err != nil || len(problems) > 0 {
		t.Errorf("got %v, %v", problems, err)
	}
}
