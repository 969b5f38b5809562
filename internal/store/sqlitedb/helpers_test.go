package sqlitedb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

var schema = []Migration{{Number: 1, Name: "first", SQL: `
	CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, note TEXT, CHECK (name <> 'bad')) STRICT;
	CREATE TABLE part (id INTEGER PRIMARY KEY, item INTEGER NOT NULL REFERENCES item(id),
		later INTEGER REFERENCES item(id) DEFERRABLE INITIALLY DEFERRED) STRICT;`}}

func openAt(t testing.TB, path string, change ...func(*Options)) *DB {
	t.Helper()
	opts := Options{Path: path, Migrations: schema}
	for _, c := range change {
		c(&opts)
	}
	db, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return db
}

func openTemp(t testing.TB, change ...func(*Options)) *DB {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "a.db"), change...)
}

func addItem(name string) func(*Conn) error {
	return func(c *Conn) error { return c.Exec("INSERT INTO item (name) VALUES (?)", name) }
}

func mustUpdate(t testing.TB, db *DB, fn func(*Conn) error) {
	t.Helper()
	if err := db.Update(context.WithoutCancel(t.Context()), fn); err != nil {
		t.Fatal(err)
	}
}

func names(t testing.TB, db *DB) (all []string) {
	t.Helper()
	err := db.View(t.Context(), func(c *Conn) error {
		return c.Query("SELECT name FROM item ORDER BY name", nil, func(r *Row) error {
			all = append(all, r.Text(0))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func sound(t testing.TB, db *DB) {
	t.Helper()
	problems, err := db.Check(t.Context())
	if err != nil || len(problems) > 0 {
		t.Errorf("Check: %v, %v, want nothing", problems, err)
	}
}

func wantErr(t testing.TB, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("got error %v, want %v", got, want)
	}
}

// together queues all functions before the writer can take any, so that they
// share one batch, and returns their errors in order.
func together(t testing.TB, db *DB, fns ...func(*Conn) error) []error {
	t.Helper()
	other, err := openLock(db.opts.Path + ".lock") // of another process, as far as the writer can tell
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	if err := other.acquire(nil); err != nil {
		t.Fatal(err)
	}
	errs, done := make([]error, len(fns)), make(chan int)
	for i, fn := range fns {
		ctx := queued{t.Context(), make(chan struct{})}
		go func() {
			errs[i] = db.Update(ctx, fn)
			done <- i
		}()
		<-ctx.seen
	}
	other.release()
	for range fns {
		<-done
	}
	return errs
}

// queued is a context that tells when Update has queued a function and begins to wait for it.
type queued struct {
	context.Context
	seen chan struct{}
}

func (q queued) Done() <-chan struct{} {
	close(q.seen)
	return q.Context.Done()
}

func TestMain(m *testing.M) {
	if job := os.Getenv("SQLITEDB_TEST_JOB"); job != "" {
		if err := jobs[job](os.Args[len(os.Args)-1]); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
