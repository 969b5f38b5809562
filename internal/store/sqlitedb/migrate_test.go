package sqlitedb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func applied(t *testing.T, db *DB) (rows []string) {
	t.Helper()
	err := db.View(t.Context(), func(c *Conn) error {
		return c.Query("SELECT number || ' ' || name || ' ' || applied_at FROM _migrations ORDER BY number", nil,
			func(r *Row) error {
				rows = append(rows, r.Text(0))
				return nil
			})
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func withMigrations(m ...Migration) func(*Options) {
	return func(o *Options) { o.Migrations = slices.Concat(schema, m) }
}

func at(micros int64) func(*Options) {
	return func(o *Options) { o.Now = func() time.Time { return time.UnixMicro(micros) } }
}

func tryOpen(t *testing.T, path string, m ...Migration) error {
	t.Helper()
	db, err := Open(t.Context(), Options{Path: path, Migrations: slices.Concat(schema, m)})
	if err == nil {
		t.Cleanup(func() { _ = db.Close() })
	}
	return err
}

func TestMigrations(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	second := Migration{Number: 2, Name: "second", Func: addItem("made by code")}
	_ = openAt(t, path, at(5)).Close()
	_ = openAt(t, path, at(6)).Close()
	_ = openAt(t, path, at(7), withMigrations(second)).Close()
	db := openAt(t, path, at(8), withMigrations(second))
	if diff := cmp.Diff([]string{"1 first 5", "2 second 7"}, applied(t, db)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"made by code"}, names(t, db)); diff != "" {
		t.Error(diff)
	}
	wantErr(t, tryOpen(t, path), ErrNewer)
	second.Name = "other"
	if err := tryOpen(t, path, second); err == nil || errors.Is(err, ErrNewer) {
		t.Errorf("a migration of another name: got %v", err)
	}
}

func TestFailingMigrationLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]Migration{
		"SQL":    {SQL: "INSERT INTO item (name) VALUES ('x'); INSERT INTO nowhere VALUES (1);"},
		"code":   {SQL: "INSERT INTO item (name) VALUES ('x')", Func: func(*Conn) error { return errMine }},
		"key":    {SQL: "INSERT INTO item (name) VALUES ('x'); INSERT INTO part (item) VALUES (99)"},
		"commit": {SQL: "COMMIT; SELECT 1"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.db")
			m.Number, m.Name = 2, "second"
			if err := tryOpen(t, path, m); err == nil {
				t.Fatal("no error")
			}
			db := openAt(t, path)
			if n := len(applied(t, db)); n != 1 || len(names(t, db)) != 0 {
				t.Errorf("%d migrations and rows %v, want 1 and none", n, names(t, db))
			}
		})
	}
}

// Rebuilding a table that others refer to must not cascade or complain.
func TestMigrationRebuildsTable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	db := openAt(t, path)
	mustUpdate(t, db, addItem("a"))
	mustUpdate(t, db, func(c *Conn) error { return c.Exec("INSERT INTO part (item) VALUES (1)") })
	_ = db.Close()
	db = openAt(t, path, withMigrations(Migration{Number: 2, Name: "rebuild", SQL: `
		CREATE TABLE item2 (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
		INSERT INTO item2 SELECT id, name FROM item;
		DROP TABLE item;
		ALTER TABLE item2 RENAME TO item;`}))
	wantErr(t, db.Update(t.Context(), func(c *Conn) error { return c.Exec("INSERT INTO part (item) VALUES (2)") }),
		ErrConstraintForeignKey)
	mustUpdate(t, db, func(c *Conn) error { return c.Exec("INSERT INTO part (item) VALUES (1)") })
}

func TestTwoOpenAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			db, err := Open(t.Context(), Options{Path: path, Migrations: schema})
			if err == nil {
				err = db.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(applied(t, openAt(t, path))); n != 1 {
		t.Errorf("%d migrations applied, want 1", n)
	}
}

// A new file comes to its place complete, with the mode that an empty one has there, and its migrations have
// the time of this file, although the process has made others of the same schema.
func TestNewFileIsComplete(t *testing.T) {
	t.Parallel()
	for i, mode := range []os.FileMode{0o600, 0o640, 0o600} {
		path := filepath.Join(t.TempDir(), "a.db")
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		db := openAt(t, path, at(int64(i)))
		if diff := cmp.Diff([]string{fmt.Sprint("1 first ", i)}, applied(t, db)); diff != "" {
			t.Error(diff)
		}
		info, err := os.Stat(path)
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != mode {
			t.Errorf("mode %v, %v, want %v", info.Mode(), err, mode)
		}
		sound(t, db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
		if err != nil || len(left) != 2 { // with the lock file
			t.Errorf("the directory has %v, %v", left, err)
		}
	}
}
