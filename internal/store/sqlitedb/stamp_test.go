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

// TestSteady requires another stamp after each commit that may have changed a table that is not common.
func TestSteady(t *testing.T) {
	t.Parallel()
	stampOf(t, openAt(t, filepath.Join(t.TempDir(), "any.db")))
	path := filepath.Join(t.TempDir(), "a.db")
	open := func() *DB {
		tables := Migration{Number: 1, Name: "tables",
			SQL: "CREATE TABLE common (n INTEGER); CREATE TABLE common_too (n INTEGER)"}
		db, err := Open(t.Context(), Options{Path: path, Common: []string{"common"}, Migrations: []Migration{tables}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	db, other := open(), open()
	run := func(db *DB, texts ...string) func() error {
		return func() error {
			return db.Update(t.Context(), func(c *Conn) error {
				for _, text := range texts {
					if err := c.Exec(text); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	const add, addToo = "INSERT INTO common VALUES (1)", "INSERT INTO common_too VALUES (1)"
	for _, step := range []struct {
		name    string
		changes bool
		do      func() error
	}{
		{"nothing", false, run(db)},
		{"an insert", false, run(db, add, add)},
		{"an update", false, run(db, " UPDATE common SET n = 2")},
		{"a deletion", false, run(db, "delete from common WHERE n = 3")},
		{"an insert or else", false, run(db, "INSERT OR IGNORE INTO common SELECT n FROM common_too")},
		{"another table", true, run(db, addToo)},
		{"an insert after it", false, run(db, add)},
		{"both", true, run(db, add, addToo, add)},
		{"with", true, run(db, "WITH x AS (SELECT 1 AS n) UPDATE common SET n = (SELECT n FROM x)")},
		{"a table", true, run(db, "CREATE TABLE more (n INTEGER)")},
		{"an insert of another connection", true, run(other, add)},
		{"an insert before which another connection changed another table", true, func() error {
			return errors.Join(run(other, addToo)(), run(db, add)())
		}},
		{"a script", true, func() error {
			return db.Update(t.Context(), func(c *Conn) error { return c.Script(addToo) })
		}},
		{"many inserts", false, func() (err error) {
			for range 300 {
				err = errors.Join(err, run(db, add)())
			}
			return err
		}},
	} {
		before, _ := db.Steady()
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if after, ok := db.Steady(); !ok || (after != before) != step.changes {
			t.Errorf("%s: known %v, changed %v, want %v", step.name, ok, after != before, step.changes)
		}
	}
}
