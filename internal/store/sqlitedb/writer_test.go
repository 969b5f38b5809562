package sqlitedb

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"

	"github.com/loci-memory/loci/internal/store/group"
)

var errMine = errors.New("mine")

func TestBatchMembersFailAlone(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	runs := 0
	errs := together(t, db,
		func(c *Conn) error { runs++; return addItem("a")(c) },
		func(c *Conn) error { _ = addItem("b")(c); return errMine },
		addItem("c"),
		func(c *Conn) error { _ = addItem("d")(c); panic(errMine) },
		addItem("a"),
		func(c *Conn) error { _ = addItem("e")(c); return c.Exec("COMMIT") },
		func(c *Conn) error {
			if err := addItem("f")(c); err != nil {
				return err
			}
			return c.Exec("INSERT INTO part (item, later) VALUES (1, 99)")
		},
		addItem("bad"),
		func(c *Conn) error { return c.Exec("INSERT INTO part (item) VALUES (99)") },
		addItem("g"),
	)
	for i, want := range []error{nil, errMine, nil, errMine, ErrConstraintUnique, nil, ErrConstraintForeignKey,
		ErrConstraintCheck, ErrConstraintForeignKey, nil} {
		if i == 5 {
			if errs[i] == nil {
				t.Error("a function could commit")
			}
			continue
		}
		wantErr(t, errs[i], want)
	}
	if runs != 2 {
		t.Errorf("the first function ran %d times, want 2: without and with savepoints", runs)
	}
	var p *group.PanicError
	if !errors.As(errs[3], &p) || !errors.Is(errs[3], errMine) || len(p.Stack) == 0 {
		t.Errorf("panic came back as %#v", errs[3])
	}
	if diff := cmp.Diff([]string{"a", "c", "g"}, names(t, db)); diff != "" {
		t.Error(diff)
	}
}

// Most failures come before anything was changed; they cost the others nothing.
func TestFailureWithoutChangeRepeatsNobody(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	mustUpdate(t, db, addItem("there"))
	runs := 0
	count := func(fn func(*Conn) error) func(*Conn) error {
		return func(c *Conn) error { runs++; return fn(c) }
	}
	errs := together(t, db,
		count(addItem("a")),
		func(*Conn) error { return errMine },
		addItem("there"),
		func(c *Conn) error { _, err := c.One("SELECT 1", nil, func(*Row) error { return errMine }); return err },
		count(addItem("b")))
	for i, want := range []error{nil, errMine, ErrConstraintUnique, errMine, nil} {
		wantErr(t, errs[i], want)
	}
	if runs != 2 {
		t.Errorf("the two good functions ran %d times, want once each", runs)
	}
	if diff := cmp.Diff([]string{"a", "b", "there"}, names(t, db)); diff != "" {
		t.Error(diff)
	}
}

// A change of the schema is no changed row, and is undone all the same.
func TestFailureAfterSchemaChangeIsUndone(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Conn) error{
		"statement": func(c *Conn) error { return c.Exec("CREATE TABLE stray (x)") },
		"script":    func(c *Conn) error { return c.Script("CREATE TABLE stray (x)") },
	} {
		t.Run(name, func(t *testing.T) {
			db := openTemp(t)
			errs := together(t, db, addItem("a"), func(c *Conn) error { return errors.Join(change(c), errMine) }, addItem("b"))
			for i, want := range []error{nil, errMine, nil} {
				wantErr(t, errs[i], want)
			}
			mustUpdate(t, db, func(c *Conn) error { return c.Exec("CREATE TABLE stray (x)") })
			if diff := cmp.Diff([]string{"a", "b"}, names(t, db)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBatchSharesOneCommit(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	commits := 0
	mustUpdate(t, db, func(c *Conn) error {
		c.raw.CommitHook(func() bool { commits++; return true })
		return nil
	})
	commits = 0
	for _, err := range together(t, db, addItem("a"), addItem("b"), addItem("c")) {
		wantErr(t, err, nil)
	}
	if commits != 1 {
		t.Errorf("%d commits for three functions, want 1", commits)
	}
}

func TestCommitFailureFailsAll(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	ok := true
	mustUpdate(t, db, func(c *Conn) error {
		c.raw.CommitHook(func() bool { return ok })
		return nil
	})
	ok = false
	for _, err := range together(t, db, addItem("a"), addItem("b")) {
		wantErr(t, err, sqlite3.CONSTRAINT_COMMITHOOK)
	}
	ok = true
	mustUpdate(t, db, addItem("c"))
	if diff := cmp.Diff([]string{"c"}, names(t, db)); diff != "" {
		t.Error(diff)
	}
}

// A full disk in the middle of a batch makes SQLite drop the transaction.
func TestLostTransactionIsRepeated(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	runs := 0
	errs := together(t, db,
		func(c *Conn) error { runs++; return addItem("a")(c) },
		func(c *Conn) error {
			_ = addItem("b")(c)
			_ = c.Script("ROLLBACK")
			wantErr(t, addItem("by itself")(c), errEndedTx)
			wantErr(t, c.Script("DELETE FROM item"), errEndedTx)
			return errMine
		},
		addItem("c"))
	for i, want := range []error{nil, errMine, nil} {
		wantErr(t, errs[i], want)
	}
	if runs != 2 {
		t.Errorf("the first function ran %d times, want 2", runs)
	}
	if diff := cmp.Diff([]string{"a", "c"}, names(t, db)); diff != "" {
		t.Error(diff)
	}
}

func TestGoexitDoesNotStopTheWriter(t *testing.T) {
	db := openTemp(t)
	errs := together(t, db, addItem("a"), func(*Conn) error { runtime.Goexit(); return nil }, addItem("b"))
	if errs[0] == nil || errs[1] == nil || errs[2] != nil {
		t.Errorf("got %v, want the first two to fail", errs)
	}
	if diff := cmp.Diff([]string{"b"}, names(t, db)); diff != "" {
		t.Error(diff)
	}
}

func TestPanicInsideSQLite(t *testing.T) {
	t.Parallel()
	db := openTemp(t, func(o *Options) {
		o.Setup = func(c *sqlite3.Conn) error {
			return c.CreateFunction("boom", 0, 0, func(sqlite3.Context, ...sqlite3.Value) { panic(errMine) })
		}
	})
	errs := together(t, db, addItem("a"),
		func(c *Conn) error { return c.Exec("INSERT INTO item (name) SELECT 'x' || boom()") }, addItem("b"))
	for i, want := range []error{nil, errMine, nil} {
		wantErr(t, errs[i], want)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("View swallowed a panic")
			}
		}()
		_ = db.View(t.Context(), func(c *Conn) error { return c.Exec("SELECT boom()") })
	}()
	if diff := cmp.Diff([]string{"a", "b"}, names(t, db)); diff != "" {
		t.Error(diff)
	}
	sound(t, db)
}

func TestCancelledBeforeStart(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	ctx, cancel := context.WithCancel(t.Context())
	running, release, ran := make(chan struct{}), make(chan struct{}), false
	held, left := make(chan error, 1), make(chan error, 1)
	go func() {
		held <- db.Update(t.Context(), func(c *Conn) error { close(running); <-release; return addItem("a")(c) })
	}()
	<-running
	go func() { left <- db.Update(ctx, func(*Conn) error { ran = true; return nil }) }()
	cancel()
	wantErr(t, <-left, context.Canceled)
	close(release)
	wantErr(t, <-held, nil)
	mustUpdate(t, db, addItem("b"))
	if ran {
		t.Error("a cancelled function ran")
	}
}

func TestCancelledAfterStartWaits(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	ctx, cancel := context.WithCancel(t.Context())
	wantErr(t, db.Update(ctx, func(c *Conn) error { cancel(); return addItem("a")(c) }), nil)
	if diff := cmp.Diff([]string{"a"}, names(t, db)); diff != "" {
		t.Error(diff)
	}
}

func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for i := range 50 {
				if err := db.Update(t.Context(), addItem(fmt.Sprint(w, "-", i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(names(t, db)); n != 16*50 {
		t.Errorf("%d rows, want %d", n, 16*50)
	}
	sound(t, db)
}
