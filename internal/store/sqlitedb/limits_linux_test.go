package sqlitedb

import (
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func init() {
	jobs["fill"] = func(path string) error {
		signal.Ignore(syscall.SIGXFSZ) // the kernel then says EFBIG
		var rlimit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &rlimit); err != nil {
			return err
		}
		set := func(soft uint64) func() error {
			return func() error { return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: soft, Max: rlimit.Max}) }
		}
		return fillDisk(path, set(2<<20), set(rlimit.Cur))
	}
}

func TestFileSizeLimitIsFull(t *testing.T) {
	t.Parallel()
	c := start(t, "fill", filepath.Join(t.TempDir(), "a.db"))
	c.lines(nil)
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, c.err.String())
	}
}

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

func TestReadOnlyPlaces(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	_ = db.Close()
	path := db.opts.Path
	for name, prepare := range map[string]func() error{
		"directory": func() error { return os.Chmod(filepath.Dir(path), 0o555) },
		"file":      func() error { return os.Chmod(path, 0o444) },
		"lock file": func() error { return os.Chmod(path+".lock", 0o444) },
	} {
		t.Run(name, func(t *testing.T) {
			for p, mode := range map[string]os.FileMode{filepath.Dir(path): 0o777, path: 0o666, path + ".lock": 0o666} {
				if err := os.Chmod(p, mode); err != nil {
					t.Fatal(err)
				}
			}
			if err := prepare(); err != nil {
				t.Fatal(err)
			}
			err := asNobody(func() error { return tryOpen(t, path) })
			wantErr(t, err, ErrReadOnly)
			if err != nil && !strings.Contains(err.Error(), filepath.Dir(path)) {
				t.Errorf("%q does not name the place", err)
			}
		})
	}
}
