package sqlitedb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"
)

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	if err := os.WriteFile(garbage, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, path string
		want       error
		text       string
	}{
		{"garbage", garbage, ErrNotDB, "not an SQLite database"},
		{"no directory", filepath.Join(dir, "none", "a.db"), fs.ErrNotExist, "directory " + filepath.Join(dir, "none") +
			" does not exist"},
		{"under a file", filepath.Join(garbage, "a.db"), nil, "is not a directory"},
		{"a directory", dir, nil, "is a directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tryOpen(t, tt.path)
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) ||
				runtime.GOOS != "windows" && !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %v, want %v with %q", err, tt.want, tt.text)
			}
		})
	}
}

func TestOpenWithoutWALIsRefused(t *testing.T) {
	t.Parallel()
	raw, err := sqlite3.Open(":memory:") // never has a log
	if err != nil {
		t.Fatal(err)
	}
	c := newConn(raw)
	db := &DB{opts: Options{Path: "x"}.withDefaults()}
	wantErr(t, db.prepare(c, "PRAGMA journal_mode = wal"), ErrNotWAL)
	wantErr(t, c.close(), nil)
}

func TestPathIsTakenLiterally(t *testing.T) {
	path := filepath.Join(t.TempDir(), "50%25 of it #1?mode=memory&x.db")
	if runtime.GOOS == "windows" {
		path = filepath.Join(t.TempDir(), "50%25 of it #1&x.db")
	}
	db := openAt(t, path)
	mustUpdate(t, db, addItem("a"))
	wantErr(t, db.BackupTo(t.Context(), path+"%20", nil), nil)
	for _, suffix := range []string{"", "-wal", "%20"} {
		if info, err := os.Stat(path + suffix); err != nil || info.Size() == 0 {
			t.Errorf("%q: %v", suffix, err)
		}
	}
}

func TestLinksLeadToOneLock(t *testing.T) {
	dir := t.TempDir()
	db := openAt(t, filepath.Join(dir, "a.db"))
	link := filepath.Join(dir, "link.db")
	if err := os.Symlink(db.opts.Path, link); runtime.GOOS == "windows" && err != nil {
		return // not every user may make one there
	} else if err != nil {
		t.Fatal(err)
	}
	if linked := openAt(t, link); linked.opts.Path != db.opts.Path {
		t.Errorf("the link led to %s, want %s", linked.opts.Path, db.opts.Path)
	}
}

func TestVanishedFileDoesNotComeBackEmpty(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // an open file cannot be removed there
	}
	db := openTemp(t)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(db.opts.Path + suffix); err != nil {
			t.Fatal(err)
		}
	}
	err := db.View(t.Context(), func(c *Conn) error { return c.Exec("SELECT * FROM item") })
	wantErr(t, err, sqlite3.CANTOPEN)
	if _, err := os.Stat(db.opts.Path); err == nil {
		t.Error("the file is back")
	}
}

func TestSetupErrorFailsOpen(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(),
		Options{Path: filepath.Join(t.TempDir(), "a.db"), Setup: func(*sqlite3.Conn) error { return errMine }})
	wantErr(t, err, errMine)
}

func TestFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // it has no such modes
	}
	db := openTemp(t)
	mustUpdate(t, db, addItem("a"))
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		info, err := os.Stat(db.opts.Path + suffix)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%q: %v, %v, want mode 0600", suffix, info.Mode(), err)
		}
	}
}

func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	db := openTemp(t)
	var wg sync.WaitGroup
	accepted := make([]bool, 20)
	for i := range accepted {
		wg.Go(func() {
			err := db.Update(t.Context(), addItem(fmt.Sprint(i)))
			if accepted[i] = err == nil; err != nil {
				wantErr(t, err, ErrClosed)
			}
		})
	}
	for range 2 {
		wg.Go(func() { wantErr(t, db.Close(), nil) })
	}
	wg.Wait()
	nothing := func(*Conn) error { t.Error("ran"); return nil }
	wantErr(t, db.Update(t.Context(), nothing), ErrClosed)
	wantErr(t, db.View(t.Context(), nothing), ErrClosed)
	for runtime.NumGoroutine() > before {
		runtime.Gosched() // ends, or the test runs into its time limit
	}
	if _, err := os.Stat(db.opts.Path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the log is still there: %v", err)
	}
	want := 0
	for _, ok := range accepted {
		if ok {
			want++
		}
	}
	if n := len(names(t, openAt(t, db.opts.Path))); n != want {
		t.Errorf("%d rows, want the %d acknowledged", n, want)
	}
}

func TestCloseWaitsForView(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	running, release, closed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	viewed := make(chan error, 1)
	go func() { viewed <- db.View(t.Context(), func(*Conn) error { close(running); <-release; return nil }) }()
	<-running
	go func() { closed <- db.Close() }()
	db.group.Close() // as Close does first
	select {
	case err := <-closed:
		t.Errorf("Close did not wait for a View: %v", err)
	default:
	}
	close(release)
	wantErr(t, <-viewed, nil)
	wantErr(t, <-closed, nil)
}

func TestBackupWhileWriting(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	blob := make([]byte, 3000)
	mustUpdate(t, db, func(c *Conn) error {
		for i := range 4000 { // several steps of backupPages
			if err := c.Exec("INSERT INTO item (name, note) VALUES (?, hex(?))", fmt.Sprint(i), blob); err != nil {
				return err
			}
		}
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { // each transaction adds a pair, so a copy of one moment has an even number
		for i := 0; ctx.Err() == nil; i++ {
			mustUpdate(t, db, func(c *Conn) error {
				return errors.Join(addItem(fmt.Sprint("x", i))(c), addItem(fmt.Sprint("y", i))(c))
			})
		}
	})
	path := filepath.Join(t.TempDir(), "copy.db")
	wantErr(t, db.BackupTo(t.Context(), path, nil), nil)
	cancel()
	wg.Wait()
	wantErr(t, db.BackupTo(t.Context(), path, nil), fs.ErrExist)
	wantErr(t, db.BackupTo(ctx, path+"2", nil), context.Canceled)
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if diff := cmp.Diff([]string{path}, files); diff != "" {
		t.Error(diff)
	}
	backup := openAt(t, path)
	sound(t, backup)
	if n := len(names(t, backup)); n < 4000 || n%2 != 0 {
		t.Errorf("the copy has %d rows, want an even number from 4000", n)
	}
}

func TestCheckFindsDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	db := openAt(t, path)
	mustUpdate(t, db, func(c *Conn) error {
		for i := range 2000 {
			if err := addItem(fmt.Sprint("some longer name ", i))(c); err != nil {
				return err
			}
		}
		return nil
	})
	// Somebody else's connection, which knows nothing of foreign keys.
	other, err := sqlite3.Open(uri(path))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(other.Exec("PRAGMA foreign_keys=off; INSERT INTO part (item) VALUES (9999)"),
		other.Close()); err != nil {
		t.Fatal(err)
	}
	problems, err := db.Check(t.Context())
	if diff := cmp.Diff([]string{"row 1 of part refers to a missing row of item"}, problems); diff != "" || err != nil {
		t.Error(diff, err)
	}
	_ = db.Close()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{7}, 3*4096), 8*4096); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	problems, err = openAt(t, path).Check(t.Context())
	if err != nil || len(problems) < 2 {
		t.Errorf("damage found: %v, %v", problems, err)
	}
}
