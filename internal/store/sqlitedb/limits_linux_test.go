package sqlitedb

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
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

// What cannot be written can be read: a file that is closed, one whose process was killed, and one that another process
// writes.
func TestReadOnlyFilesAreRead(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(path string) (writer *DB){
		"closed": func(path string) *DB {
			db := openAt(t, path)
			mustUpdate(t, db, addItem("first"))
			wantErr(t, db.Close(), nil)
			return nil
		},
		"killed": func(path string) *DB {
			c := start(t, "forever", path)
			c.lines(func(n int) bool { return n == 3 })
			_ = c.cmd.Wait() // it was killed
			return nil
		},
		"open": func(path string) *DB {
			db := openAt(t, path)
			mustUpdate(t, db, addItem("first"))
			return db
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.db")
			writer := prepare(path)
			for _, p := range []string{path, path + ".lock", path + "-wal", path + "-shm"} {
				if err := os.Chmod(p, 0o444); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
			}
			if err := errors.Join(os.Chmod(filepath.Dir(path), 0o555), os.Chmod(filepath.Dir(filepath.Dir(path)),
				0o755)); err != nil {
				t.Fatal(err)
			}
			err := asNobody(func() error { readOnly(t, path, writer); return nil })
			wantErr(t, err, nil)
		})
	}
}

// readOnly reads a file that this thread cannot write.
func readOnly(t *testing.T, path string, writer *DB) {
	t.Helper()
	older := Options{
		Path:       path,
		Migrations: append(slices.Clone(schema), Migration{Number: 2, Name: "second", SQL: "SELECT 1"}),
		ReadOnly:   true,
	}
	if _, err := Open(t.Context(), older); !errors.Is(err, ErrReadOnly) {
		t.Errorf("with an older schema: %v", err)
	}
	db, err := Open(t.Context(), Options{Path: path, Migrations: schema, ReadOnly: true})
	if err != nil {
		t.Error(err)
		return
	}
	wantErr(t, db.Unwritable(), ErrReadOnly)
	wantErr(t, db.Update(t.Context(), addItem("more")), ErrReadOnly)
	want := len(names(t, db))
	if want == 0 {
		t.Error("there are no rows")
	}
	if writer != nil {
		mustUpdate(t, writer, addItem("second"))
		want++
	} else if lock, err := os.Open(path + ".lock"); err != nil || db.reading == "immutable=1" && free(lock) {
		t.Errorf("nothing keeps writers out: %v", err)
	}
	if got := len(names(t, db)); got != want {
		t.Errorf("%d rows, want %d", got, want)
	}
	wantErr(t, db.Close(), nil)
}

// free reports whether a writer could take the pen.
func free(lock *os.File) bool {
	other := unix.Flock_t{Type: unix.F_WRLCK, Start: pen, Len: 1}
	err := unix.FcntlFlock(lock.Fd(), unix.F_OFD_GETLK, &other)
	return err == nil && other.Type == unix.F_UNLCK
}
