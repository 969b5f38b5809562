package sqlite

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// TestOutOfDescriptors runs again in a process of its own, which may open few more files.
func TestOutOfDescriptors(t *testing.T) {
	t.Parallel()
	const mark = "SQLITE_TEST_DESCRIPTORS"
	if os.Getenv(mark) == "" {
		c := exec.Command(os.Args[0], "-test.run=^TestOutOfDescriptors$")
		c.Env = append(os.Environ(), mark+"=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v:\n%s", err, out)
		}
		return
	}
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	s, user := newStore(t, Options{})
	allow := func(n uint64) {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: old.Max}); err != nil {
			t.Fatal(err)
		}
	}
	defer allow(old.Cur)
	refused := 0
	for more := range 30 {
		allow(uint64(lowest(t) + more))
		p, err := s.Projects().Create(bg, loci.Project{OrgID: loci.DefaultOrg, Name: fmt.Sprint("p", more)}, user)
		if err == nil {
			err = s.UpdateProject(bg, loci.DefaultOrg, p.ID, func(store.GraphTx) error { return nil })
		}
		if err == nil {
			err = s.Scan(bg, loci.DefaultOrg, func(store.Tx) error { return nil })
		}
		allow(old.Cur)
		if err != nil {
			refused++
			if loci.CodeOf(err) != loci.Unavailable {
				t.Errorf("with %d more files: %v", more, explain(err))
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
	if _, err := s.Projects().Create(bg, loci.Project{OrgID: loci.DefaultOrg, Name: "after"}, user); err != nil {
		t.Errorf("with enough files again: %v", explain(err))
	}
}

// lowest is the lowest number that no open file has, which the next one gets.
func lowest(t *testing.T) int {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return int(f.Fd())
}
