package sqlitedb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// kept returns how many idle readers of db have a snapshot.
func kept(db *DB) (n int) {
	db.readers.mu.Lock()
	defer db.readers.mu.Unlock()
	for _, c := range db.readers.idle {
		if c.kept {
			n++
		}
	}
	return n
}

// TestKeptSnapshot requires that a kept snapshot hides no commit, whoever commits.
func TestKeptSnapshot(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	db := openAt(t, path)
	other := openAt(t, path)
	stampOf(t, db)
	for want, by := range []*DB{db, other, db, other, other} {
		mustUpdate(t, by, addItem(fmt.Sprint(want)))
		for range 3 {
			if got := len(names(t, db)); got != want+1 {
				t.Fatalf("got %d rows, want %d", got, want+1)
			}
		}
	}
}

// TestSnapshotIsContinued requires that a call continues the snapshot of the last one, and that an old
// one is not kept.
func TestSnapshotIsContinued(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	stampOf(t, db)
	var first, second time.Time
	for _, until := range []*time.Time{&first, &second} {
		if err := db.View(t.Context(), func(c *Conn) error { *until = c.until; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if n := kept(db); n != 1 || second.Sub(first) >= keepTime {
		t.Errorf("%d snapshots are kept; the second is %v younger than the first", n, second.Sub(first))
	}
	db.readers.mu.Lock()
	more := db.readers.endOlder(second)
	db.readers.mu.Unlock()
	if more || kept(db) != 0 {
		t.Errorf("%d old snapshots are still kept", kept(db))
	}
}

// TestSnapshotIsNotKept has calls after which nobody may continue the snapshot.
func TestSnapshotIsNotKept(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(t.Context())
	moves := func(o *Options) { o.Moves = true }
	for name, call := range map[string]struct {
		ctx    context.Context
		change func(*Options)
		fn     func(*Conn) error
		want   error
	}{
		"an error": {fn: func(*Conn) error { return errTest }, want: errTest},
		"a cancelled context": {ctx: cancelled, want: context.Canceled,
			fn: func(*Conn) error { cancel(); return cancelled.Err() }},
		"an ignored failure":       {fn: func(c *Conn) error { _ = addItem("a")(c); return nil }},
		"an ignored broken script": {fn: func(c *Conn) error { _ = c.Script("CREATE TABLE more (id)"); return nil }},
		"a file that may move":     {change: moves, fn: func(*Conn) error { return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			db := openTemp(t, func(o *Options) {
				if call.change != nil {
					call.change(o)
				}
			})
			stampOf(t, db)
			ctx := call.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			wantErr(t, db.View(ctx, call.fn), call.want)
			if n := kept(db); n != 0 {
				t.Errorf("%d snapshots are kept", n)
			}
		})
	}
}

// TestDamageStaysInItsSnapshot has a call that meets damage and ignores it. SQLite reports it again at
// the end of the transaction, and the next call must not get that.
func TestDamageStaysInItsSnapshot(t *testing.T) {
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
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		_, err = f.WriteAt(bytes.Repeat([]byte{7}, 3*4096), 8*4096)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	db = openAt(t, path)
	for range 20 {
		if problems, err := db.Check(t.Context()); err != nil || len(problems) == 0 {
			t.Fatalf("Check: %q, %v", problems, err)
		}
		for range 3 {
			if err := db.View(t.Context(), func(c *Conn) error { return c.Exec("SELECT 1 FROM part") }); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestStampOfSnapshot requires that the stamp of a transaction is not younger than its snapshot, so that
// what it reads is never taken for the state after a commit that it does not see.
func TestStampOfSnapshot(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	stampOf(t, db)
	for round := range 3 {
		before := stampOf(t, db)
		names(t, db)
		err := db.View(t.Context(), func(c *Conn) error {
			mustUpdate(t, db, addItem(fmt.Sprint(round)))
			if got, ok := c.Stamp(); !ok || got != before {
				t.Errorf("round %d: got the stamp of another state, %v", round, ok)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
