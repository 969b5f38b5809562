package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
)

// Many projects cost no more than the open ones, and no more are open than allowed. `make nightly` uses a thousand.
func TestManyProjectFiles(t *testing.T) {
	t.Parallel()
	const allowed = 8
	s, user := newStore(t, Options{MaxProjects: allowed})
	n := 100
	if os.Getenv("LOCI_NIGHTLY") != "" {
		n = 1000
	}
	var list []loci.Project
	for i := range n {
		p, err := s.Projects().Create(bg, loci.Project{OrgID: loci.DefaultOrg, Name: fmt.Sprint(i)}, user)
		if err != nil {
			t.Fatal(explain(err))
		}
		list = append(list, p)
	}
	for i, p := range list {
		note(t, s, p, p.Name)
		if open := s.projectFiles.Len(); open > allowed {
			t.Fatalf("%d files are open in the pool", open)
		}
		if i%50 == 49 {
			wantFewOpen(t, s, allowed)
		}
	}
	for i := 0; i < n; i += 7 { // long closed
		if got := notes(t, s, list[i]); !slices.Equal(got, []string{list[i].Name}) {
			t.Errorf("project %s has %q", list[i].Name, got)
		}
	}
}

// wantFewOpen asks the system, where it tells, which project files this process has open.
func wantFewOpen(t *testing.T, s *Store, allowed int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return // another system
	}
	open := map[string]bool{}
	for _, e := range entries {
		if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil &&
			filepath.Dir(name) == filepath.Join(s.Dir(), projectsDir) {
			open[strings.SplitN(filepath.Base(name), ".", 2)[0]] = true
		}
	}
	if len(open) == 0 || len(open) > allowed {
		t.Errorf("this process has files of %d projects open, want 1 to %d", len(open), allowed)
	}
}
