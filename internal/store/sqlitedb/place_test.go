package sqlitedb

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestFilesThatAreGone deletes and replaces the files of a database that is open: nothing is acknowledged from then on.
func TestFilesThatAreGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be deleted")
	}
	for name, lose := range map[string]func(t *testing.T, path string) error{
		"the directory is deleted": func(_ *testing.T, path string) error { return os.RemoveAll(filepath.Dir(path)) },
		"the log is deleted":       func(_ *testing.T, path string) error { return os.Remove(path + "-wal") },
		"the file is moved":        func(_ *testing.T, path string) error { return os.Rename(path, path+".old") },
		"another process starts in a new directory": func(t *testing.T, path string) error {
			if err := os.RemoveAll(filepath.Dir(path)); err != nil {
				return err
			}
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			mustUpdate(t, openAt(t, path), addItem("theirs"))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "dir", "a.db")
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			db := openAt(t, path)
			mustUpdate(t, db, addItem("ours"))
			view(t, db, func(*Conn) error { return nil }) // one reader stays open
			wantErr(t, db.InPlace(), nil)
			if err := lose(t, path); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				wantErr(t, db.Update(t.Context(), addItem("lost")), ErrGone)
				wantErr(t, db.View(t.Context(), func(*Conn) error { return nil }), ErrGone)
				wantErr(t, db.Scan(t.Context(), func(*Conn) error { return nil }), ErrGone)
			}
			wantErr(t, db.InPlace(), ErrGone)
		})
	}
}
