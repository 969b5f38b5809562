package sqlitedb

import (
	"context"
	"errors"
	"fmt"
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

// TestSnapshotIsContinued requires that a call continues the snapshot of the last one, and that a
// failed, an old or a cancelled one is not kept.
func TestSnapshotIsContinued(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	stampOf(t, db)
	var first, second time.Time
	view := func(until *time.Time, err error) error {
		return db.View(t.Context(), func(c *Conn) error {
			*until = c.until
			return err
		})
	}
	if err := errors.Join(view(&first, nil), view(&second, nil)); err != nil {
		t.Fatal(err)
	}
	if n := kept(db); n != 1 || second.Sub(first) >= keepTime {
		t.Errorf("%d snapshots are kept; the second is %v younger than the first", n, second.Sub(first))
	}
	if more := db.readers.endKept(second); more || kept(db) != 0 {
		t.Errorf("%d old snapshots are still kept", kept(db))
	}
	wantErr(t, view(&first, errTest), errTest)
	if n := kept(db); n != 0 {
		t.Errorf("%d snapshots of failed calls are kept", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	wantErr(t, db.View(ctx, func(*Conn) error { cancel(); return ctx.Err() }), context.Canceled)
	if n := kept(db); n != 0 {
		t.Errorf("%d snapshots of cancelled calls are kept", n)
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
