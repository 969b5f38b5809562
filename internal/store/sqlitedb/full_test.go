package sqlitedb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var bulk = strings.Repeat("x", 50_000)

func addBulk(name string) func(*Conn) error {
	return func(c *Conn) error { return c.Exec("INSERT INTO item (name, note) VALUES (?, ?)", name, bulk) }
}

func TestFullDatabaseServesReadsAndRecovers(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	mustUpdate(t, db, addItem("before"))
	setMax := func(pages int) {
		mustUpdate(t, db, func(c *Conn) error { return c.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages)) })
	}
	setMax(20)
	errs := together(t, db, addItem("small"), addBulk("a"), addBulk("b"), addItem("small too"))
	for i, want := range []error{nil, nil, ErrFull, nil} {
		if i == 1 {
			want = errs[1] // one of the two may just fit
		}
		wantErr(t, errs[i], want)
	}
	if n := len(names(t, db)); n < 3 {
		t.Errorf("%d rows, want the small ones", n)
	}
	setMax(100_000)
	wantErr(t, db.Update(t.Context(), addBulk("c")), nil)
	sound(t, db)
}

// fillDisk runs in a process of its own, whose files may not grow beyond a
// limit that the two functions set and lift.
func fillDisk(path string, limit, lift func() error) error {
	ctx := context.Background()
	db, err := Open(ctx, Options{Path: path, Migrations: schema})
	if err != nil {
		return err
	}
	if err := limit(); err != nil {
		return err
	}
	stored := 0
	for err == nil && stored < 1000 {
		if err = db.Update(ctx, addBulk(fmt.Sprint(stored))); err == nil {
			stored++
		}
	}
	if !errors.Is(err, ErrFull) {
		return fmt.Errorf("after %d writes: %w, want ErrFull", stored, err)
	}
	count := func() (n int) {
		_ = db.View(ctx, func(c *Conn) error {
			_, err := c.One("SELECT count(note) FROM item", nil, func(r *Row) error { n = r.Int(0); return nil })
			return err
		})
		return n
	}
	if n := count(); n != stored {
		return fmt.Errorf("%d rows while full, want %d", n, stored)
	}
	if err := lift(); err != nil {
		return err
	}
	if err := db.Update(ctx, addBulk("again")); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	if n := count(); n != stored+1 {
		return fmt.Errorf("%d rows in the end, want %d", n, stored+1)
	}
	if problems, err := db.Check(ctx); err != nil || len(problems) > 0 {
		return fmt.Errorf("check: %v %w", problems, err)
	}
	return db.Close()
}

func TestLogStaysBounded(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	ctx, cancel := context.WithCancel(t.Context())
	finished := make(chan error, 3)
	for range cap(finished) { // at no time is there no reader
		go func() {
			for ctx.Err() == nil {
				err := db.View(context.WithoutCancel(ctx), func(c *Conn) error {
					return c.Exec("SELECT length(note) FROM item WHERE id = 3") // in much less than restartPatience
				})
				if err != nil {
					finished <- err
					return
				}
			}
			finished <- nil
		}()
	}
	for i := range 280 { // some 140 MB through the log
		mustUpdate(t, db, func(c *Conn) error {
			return c.Exec("INSERT INTO item (id, name, note) VALUES (?1, 'n' || ?1, hex(randomblob(250000))) "+
				"ON CONFLICT (id) DO UPDATE SET note = excluded.note", i%10)
		})
	}
	cancel()
	for range cap(finished) {
		wantErr(t, <-finished, nil)
	}
	info, err := os.Stat(db.opts.Path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("log: %d KiB", info.Size()>>10)
	if limit := int64(walLimit * walMostPages * 4200 * 3 / 2); info.Size() > limit {
		t.Errorf("the log has %d bytes, want at most %d", info.Size(), limit)
	}
}

// A reader that never ends keeps the log from starting over, but not the
// writers from writing; when it is gone the log starts over.
func TestLogStartsOverAfterALongReader(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	write := func(n int) {
		for range n {
			mustUpdate(t, db, func(c *Conn) error {
				return c.Exec("INSERT INTO item (id, name, note) VALUES (1, 'n', hex(randomblob(2500000))) " +
					"ON CONFLICT (id) DO UPDATE SET note = excluded.note")
			})
		}
	}
	size := func() int64 {
		info, err := os.Stat(filepath.Clean(db.opts.Path + "-wal"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	view(t, db, func(c *Conn) error {
		if err := c.Exec("SELECT count(*) FROM item"); err != nil {
			return err
		}
		write(20)
		return nil
	})
	grown := size()
	write(5)
	mustUpdate(t, db, addItem("last")) // its turn comes after the writes' checkpoint
	if after := size(); grown < 64<<20 || after > walMostPages*4200+(6<<20) {
		t.Errorf("the log had %d bytes behind the reader and %d after it", grown, after)
	}
}
