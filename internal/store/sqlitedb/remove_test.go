package sqlitedb

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestRemove(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	mustUpdate(t, openAt(t, filepath.Join(filepath.Dir(path), "b.db")), addItem("kept"))
	db := openAt(t, path)
	mustUpdate(t, db, addItem("a"))
	wantErr(t, db.Close(), nil)
	for _, suffix := range []string{"-wal", "-shm", "-journal"} { // left by a process that was killed
		if err := os.WriteFile(path+suffix, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // again, for one that is not there
		wantErr(t, Remove(t.Context(), path), nil)
		if left, _ := filepath.Glob(path + "*"); len(left) > 0 && runtime.GOOS != "windows" {
			t.Errorf("%q are left", left)
		}
	}
	wantErr(t, Remove(t.Context(), filepath.Join(filepath.Dir(path), "none", "a.db")), nil)
	db = openAt(t, path)
	if got := names(t, db); len(got) > 0 {
		t.Errorf("a new database has %q", got)
	}
}

// A process that waits for the lock of a file while that is removed must not use this lock: others
// already use the next one.
func TestOpenWhileRemoved(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be deleted")
	}
	path := filepath.Join(t.TempDir(), "a.db")
	mustUpdate(t, openAt(t, path), addItem("a"))
	held, err := lockAt(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	opened := make(chan *DB)
	go func() {
		db, err := Open(t.Context(), Options{Path: path, Migrations: schema})
		if err != nil {
			t.Error(err)
		}
		opened <- db
	}()
	for waits := false; !waits; { // until Open has the turn
		free, err := tryLock(held.f, turn)
		if err != nil {
			t.Fatal(err)
		}
		if waits = !free; free {
			wantErr(t, unlock(held.f, turn), nil)
			runtime.Gosched()
		}
	}
	for _, name := range []string{path, path + "-wal", path + "-shm", path + lockSuffix} { // as Remove does
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	held.close()
	db := <-opened
	if db == nil {
		return
	}
	defer func() { wantErr(t, db.Close(), nil) }()
	if !db.lock.inPlace(path + lockSuffix) {
		t.Error("the database uses the lock of the removed file")
	}
}
