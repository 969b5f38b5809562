package sqlitedb

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// jobs are what the test binary does when a test runs it as another process.
var jobs = map[string]func(path string) error{
	"write":   func(path string) error { return writeItems(path, 200) },
	"forever": func(path string) error { return writeItems(path, 1<<30) },
	"open":    openAndClose,
}

// writeItems prints each name after it was acknowledged.
func writeItems(path string, count int) error {
	ctx := context.Background()
	db, err := Open(ctx, Options{Path: path, Migrations: schema})
	if err != nil {
		return err
	}
	for i := range count {
		name := fmt.Sprintf("%d-%d", os.Getpid(), i)
		if err := db.Update(ctx, addItem(name)); err != nil {
			return err
		}
		err := db.View(ctx, func(c *Conn) error { return c.Exec("SELECT count(*) FROM item WHERE id > ?", i) })
		if err != nil {
			return err
		}
		fmt.Println(name)
	}
	return db.Close()
}

func openAndClose(path string) error {
	for range 10 {
		db, err := Open(context.Background(), Options{Path: path, Migrations: schema})
		if err != nil {
			return err
		}
		if err := db.Close(); err != nil {
			return err
		}
	}
	return nil
}

type child struct {
	cmd *exec.Cmd
	out io.ReadCloser
	err strings.Builder
}

func start(t *testing.T, job, path string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0], path)}
	c.cmd.Env = append(os.Environ(), "SQLITEDB_TEST_JOB="+job)
	c.cmd.Stderr = &c.err
	var err error
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// lines reads what the child acknowledged, until it ends or stop says so.
func (c *child) lines(stop func(n int) bool) (all []string) {
	for in := bufio.NewScanner(c.out); in.Scan(); {
		all = append(all, in.Text())
		if stop != nil && stop(len(all)) {
			stop = nil
			_ = c.cmd.Process.Kill()
		}
	}
	return all
}

func missing(t *testing.T, db *DB, acknowledged []string) (lost []string) {
	t.Helper()
	have := map[string]bool{}
	for _, name := range names(t, db) {
		have[name] = true
	}
	for _, name := range acknowledged {
		if !have[name] {
			lost = append(lost, name)
		}
	}
	return lost
}

func TestProcessesWriteOneFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	var children []*child
	for range 4 {
		children = append(children, start(t, "write", path))
	}
	for _, c := range children {
		n := len(c.lines(nil))
		if err := c.cmd.Wait(); err != nil || n != 200 {
			t.Errorf("child: %v after %d writes: %s", err, n, c.err.String())
		}
	}
	db := openAt(t, path)
	if n := len(names(t, db)); n != 4*200 {
		t.Errorf("%d rows, want %d", n, 4*200)
	}
	sound(t, db)
}

func TestProcessesOpenAndCloseAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	writer := start(t, "write", path)
	var children []*child
	for range 3 {
		children = append(children, start(t, "open", path))
	}
	for _, c := range append(children, writer) {
		c.lines(nil)
		if err := c.cmd.Wait(); err != nil {
			t.Errorf("child: %v: %s", err, c.err.String())
		}
	}
}

func TestKilledProcessLosesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	var acknowledged []string
	for round := range 5 {
		// Another process works on, and must not be held up by the lock of the dead.
		other := start(t, "write", path)
		victim := start(t, "forever", path)
		acknowledged = append(acknowledged, victim.lines(func(n int) bool { return n == 20+17*round })...)
		_ = victim.cmd.Wait()
		acknowledged = append(acknowledged, other.lines(nil)...)
		if err := other.cmd.Wait(); err != nil {
			t.Fatalf("survivor: %v: %s", err, other.err.String())
		}
	}
	db := openAt(t, path)
	if lost := missing(t, db, acknowledged); len(lost) > 0 || len(acknowledged) < 1000 {
		t.Errorf("of %d acknowledged rows %d are missing: %v", len(acknowledged), len(lost), lost)
	}
	sound(t, db)
}

func TestLockIsHeldOnlyDuringBatches(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	l, err := openLock(db.opts.Path + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.acquire(nil); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- db.Update(t.Context(), addItem("a")) }()
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- db.Update(ctx, addItem("b")) }()
	cancel()
	wantErr(t, <-left, context.Canceled)
	select {
	case err := <-done:
		t.Errorf("Update did not wait for the lock file: %v", err)
	default:
	}
	l.release()
	l.close()
	wantErr(t, <-done, nil)
	if got := names(t, db); len(got) != 1 || got[0] != "a" {
		t.Errorf("got %v, want [a]", got)
	}
}

func TestCloseGivesUpOnAHeldLock(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	l, err := openLock(db.opts.Path + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if err := l.acquire(nil); err != nil {
		t.Fatal(err)
	}
	done, closed := make(chan error, 1), make(chan error, 1)
	go func() { done <- db.Update(t.Context(), addItem("a")) }()
	untilWaiting(t, l)
	go func() { closed <- db.Close() }()
	close(db.hurry)
	wantErr(t, <-done, ErrBusy)
	wantErr(t, <-closed, nil)
}

// untilWaiting returns when somebody waits for l, which the caller holds.
func untilWaiting(t *testing.T, l *fileLock) {
	t.Helper()
	for {
		free, err := tryLock(l.f, turn)
		if err != nil {
			t.Fatal(err)
		}
		if !free {
			return
		}
		if err := unlock(l.f, turn); err != nil {
			t.Fatal(err)
		}
		runtime.Gosched()
	}
}

// Who has just written must not take the lock again before those who wait.
func TestLockIsFair(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	a, _ := openLock(path)
	b, _ := openLock(path)
	defer a.close()
	defer b.close()
	for range 20 {
		if err := a.acquire(nil); err != nil {
			t.Fatal(err)
		}
		var turns atomic.Int32
		var first int32
		got := make(chan error, 1)
		go func() {
			err := b.acquire(nil)
			first = turns.Add(1) // atomic, as a lock between processes tells Go of no order
			b.release()
			got <- err
		}()
		untilWaiting(t, a)
		a.release()
		if err := a.acquire(nil); err != nil {
			t.Fatal(err)
		}
		second := turns.Add(1)
		a.release()
		wantErr(t, <-got, nil)
		if first > second {
			t.Fatal("who had just had the lock got it again before who waited")
		}
	}
}

func TestAcquireGivesUp(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	a, _ := openLock(path)
	b, _ := openLock(path)
	if err := a.acquire(nil); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	close(gone)
	wantErr(t, b.acquire(gone), ErrBusy)
	wantErr(t, b.acquire(nil), ErrBusy)
	a.release()
	c, _ := openLock(path)
	if err := c.acquire(nil); err != nil { // the one that gave up must let go
		t.Fatal(err)
	}
	for _, l := range []*fileLock{a, b, c} {
		l.close()
	}
}
