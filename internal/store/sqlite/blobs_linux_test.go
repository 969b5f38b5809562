package sqlite

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/loci-memory/loci"
)

// TestBlobsFull runs again in a process of its own, whose files may not grow beyond a limit.
func TestBlobsFull(t *testing.T) {
	t.Parallel()
	const mark = "SQLITE_TEST_FULL"
	if os.Getenv(mark) == "" {
		c := exec.Command(os.Args[0], "-test.run=^TestBlobsFull$")
		c.Env = append(os.Environ(), mark+"=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ) // the kernel then says EFBIG
	s, m := withMemory(t)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	lifted := limit.Cur
	limit.Cur = 8 << 20
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	big := make([]byte, 9<<20)
	_, _, err := s.Blobs().Put(bg, loci.DefaultOrg, bytes.NewReader(big), 1<<30)
	if loci.CodeOf(err) != loci.Full || strings.Contains(err.Error(), s.Dir()) {
		t.Errorf("got %v, want Full", explain(err))
	}
	if left := filesBelow(t, filepath.Join(s.Dir(), assetsDir)); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
	mustAttach(t, s, m, "small")
	limit.Cur = lifted
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Blobs().Put(bg, loci.DefaultOrg, bytes.NewReader(big), 1<<30); err != nil {
		t.Errorf("with room again: %v", explain(err))
	}
}
