package sqlitedb

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
)

// stampOf returns the stamp of a DB, which must have one.
func stampOf(t *testing.T, db *DB) Stamp {
	t.Helper()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("the driver shares no memory that can be mapped")
	}
	s, ok := db.Stamp()
	if !ok {
		t.Fatal("there is no stamp")
	}
	return s
}

// TestStampChanges requires another stamp after each commit, whoever commits, and the same one as
// long as nobody does.
func TestStampChanges(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	db := openAt(t, path)
	other := openAt(t, path)
	seen := map[Stamp]string{stampOf(t, db): "open"}
	last := stampOf(t, db)
	for _, step := range []struct {
		name    string
		changes bool
		do      func() error
	}{
		{"a read", false, func() error { names(t, db); return nil }},
		{"a change that fails", false, func() error {
			if err := db.Update(t.Context(), func(*Conn) error { return errTest }); !errors.Is(err, errTest) {
				return err
			}
			return nil
		}},
		{"a commit", true, func() error { return db.Update(t.Context(), addItem("own")) }},
		{"a read by another connection", false, func() error { names(t, other); return nil }},
		{"a commit by another connection", true, func() error { return other.Update(t.Context(), addItem("other")) }},
		{"200 commits by another process", true, func() error {
			c := start(t, "write", path)
			c.lines(nil)
			return c.cmd.Wait()
		}},
		{"a commit after it has ended", true, func() error { return other.Update(t.Context(), addItem("after")) }},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		now := stampOf(t, db)
		if changed := now != last; changed != step.changes {
			t.Errorf("%s: changed is %v, want %v", step.name, changed, step.changes)
		}
		if before, known := seen[now]; known && now != last {
			t.Errorf("%s: the stamp is that of %s", step.name, before)
		}
		seen[now], last = step.name, now
	}
}

var errTest = errors.New("test")

// TestStampOfEachCommit also checkpoints, after which the log begins again.
func TestStampOfEachCommit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	db := openAt(t, path)
	seen := map[Stamp]bool{stampOf(t, db): true}
	for i := range 300 {
		if err := db.Update(t.Context(), addItem(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
		s := stampOf(t, db)
		if seen[s] {
			t.Fatalf("commit %d has the stamp of an earlier one", i)
		}
		seen[s] = true
		if i%50 == 0 { // closing moves the log into the file
			if err := openAndClose(path); err != nil {
				t.Fatal(err)
			}
			if stampOf(t, db) != s {
				seen[stampOf(t, db)] = true
			}
		}
	}
}

// TestStampOfClosed requires that a file that is closed has no stamp, and a new one when it is
// opened again, because others may have written meanwhile.
func TestStampOfClosed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	var seen []Stamp
	for range 3 {
		db := openAt(t, path)
		seen = append(seen, stampOf(t, db))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if _, ok := db.Stamp(); ok {
			t.Error("a closed file has a stamp")
		}
	}
	if seen[0] == seen[1] || seen[1] == seen[2] || seen[0] == seen[2] {
		t.Error("a file that was opened again has an old stamp")
	}
}
