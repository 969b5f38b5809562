package sqlitedb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"
)

func view(t testing.TB, db *DB, fn func(*Conn) error) {
	t.Helper()
	if err := db.View(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func TestValuesComeBack(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	id := [16]byte{1, 15: 2}
	args := Args{nil, 1, int64(1) << 60, 2.5, true, "", []byte{}, []byte(nil), id, "päth"}
	view(t, db, func(c *Conn) error {
		found, err := c.One("SELECT ?,?,?,?,?,?,?,?,?,?", args, func(r *Row) error {
			got := []any{r.Null(0), r.Int(1), r.Int64(2), r.Float(3), r.Bool(4), r.Text(5), r.Null(5), r.Null(6), r.Null(7),
				r.ID(8),
				r.Text(9), r.Blob(8), r.Raw(7), r.ID(0), r.Text(0)}
			want := []any{true, 1, int64(1) << 60, 2.5, true, "", false, false, true, id,
				"päth", id[:], []byte(nil), [16]byte{}, ""}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			return nil
		})
		if !found {
			t.Error("no row")
		}
		return err
	})
}

func TestWrongUseIsAnError(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	view(t, db, func(c *Conn) error {
		ignore := func(*Row) error { return nil }
		type named string
		for name, err := range map[string]error{
			"type":        c.Exec("SELECT ?", named("x")),
			"few":         c.Exec("SELECT ?, ?", 1),
			"many":        c.Exec("SELECT 1", 1),
			"two":         c.Exec("SELECT 1; SELECT 2"),
			"none":        c.Exec(" "),
			"syntax":      c.Exec("SELEKT"),
			"short id":    c.Query("SELECT x'01'", nil, func(r *Row) error { r.ID(0); return nil }),
			"transaction": c.Exec(" savepoint x"),
		} {
			if err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		wantErr(t, c.Exec("INSERT INTO item (name) VALUES ('x')"), ErrReadOnly)
		wantErr(t, c.Query("SELECT 1", nil, func(*Row) error { return errMine }), errMine)
		found, err := c.One("SELECT 1 WHERE 0", nil, ignore)
		if found || err != nil {
			t.Errorf("One without rows: %v, %v", found, err)
		}
		return c.Query("SELECT 1", nil, func(*Row) error { return ErrStop })
	})
}

func TestSameStatementInsideItself(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	const q = "SELECT value FROM json_each('[1,2,3]') WHERE value >= ?"
	var got []string
	view(t, db, func(c *Conn) error {
		return c.Query(q, Args{2}, func(outer *Row) error {
			return c.Query(q, Args{1}, func(inner *Row) error {
				got = append(got, fmt.Sprint(outer.Int(0), inner.Int(0)))
				return nil
			})
		})
	})
	if diff := cmp.Diff([]string{"2 1", "2 2", "2 3", "3 1", "3 2", "3 3"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestStatementCacheIsBounded(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	view(t, db, func(c *Conn) error {
		for i := range 3 * maxCached {
			if err := c.Exec(fmt.Sprintf("SELECT %d", i)); err != nil {
				return err
			}
			if err := c.Exec("SELECT 'kept'"); err != nil {
				return err
			}
		}
		open := 0
		for range c.raw.Stmts() {
			open++
		}
		if len(c.cache) > maxCached || open > maxCached+10 {
			t.Errorf("%d statements cached and %d open, want at most %d", len(c.cache), open, maxCached)
		}
		if c.cache["SELECT 'kept'"] == nil {
			t.Error("the statement used most was dropped")
		}
		return nil
	})
}

func TestViewIsASnapshot(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	count := func(c *Conn) (n int) {
		_, err := c.One("SELECT count(*) FROM item", nil, func(r *Row) error { n = r.Int(0); return nil })
		if err != nil {
			t.Error(err)
		}
		return n
	}
	view(t, db, func(c *Conn) error {
		before := count(c)
		mustUpdate(t, db, addItem("a"))
		if before != 0 || count(c) != 0 {
			t.Errorf("a View saw a write that came after its start")
		}
		return nil
	})
	view(t, db, func(c *Conn) error {
		if count(c) != 1 {
			t.Error("the next View does not see the write")
		}
		return nil
	})
}

const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0"

func TestContextStopsView(t *testing.T) {
	t.Parallel()
	db := openTemp(t, func(o *Options) { o.Readers = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	wantErr(t, db.View(ctx, func(c *Conn) error {
		go cancel()
		return c.Exec(endless)
	}), context.Canceled)
	wantErr(t, db.View(ctx, func(*Conn) error { t.Error("ran"); return nil }), context.Canceled)
	view(t, db, func(c *Conn) error {
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		wantErr(t, db.View(ctx, func(*Conn) error { t.Error("ran"); return nil }), context.Canceled)
		return nil
	})
}

func TestEveryConnectionIsSetUp(t *testing.T) {
	t.Parallel()
	db := openTemp(t, func(o *Options) { o.Readers = 3 })
	check := func(c *Conn) error {
		if stable, err := c.raw.Config(sqlite3.DBCONFIG_ENABLE_QPSG); err != nil || !stable {
			t.Errorf("plans depend on values (%v)", err)
		}
		return c.Query(`SELECT fk.foreign_keys, j.journal_mode, s.synchronous, ts.trusted_schema, tmp.temp_store, bt.timeout,
			sd.secure_delete FROM pragma_foreign_keys fk, pragma_journal_mode j, pragma_synchronous s,
			pragma_trusted_schema ts, pragma_temp_store tmp, pragma_busy_timeout bt, pragma_secure_delete sd`, nil,
			func(r *Row) error {
				got := []any{r.Int(0), r.Text(1), r.Int(2), r.Int(3), r.Int(4), r.Int(5), r.Int(6)}
				if diff := cmp.Diff([]any{1, "wal", 2, 0, 2, 5000, 2}, got); diff != "" {
					t.Error(diff)
				}
				return nil
			})
	}
	seen := map[*Conn]bool{}
	var nest func(left int) error
	nest = func(left int) error {
		if left == 0 {
			return nil
		}
		return db.View(t.Context(), func(c *Conn) error {
			seen[c] = true
			return errors.Join(check(c), nest(left-1))
		})
	}
	wantErr(t, nest(3), nil)
	if len(seen) != 3 {
		t.Errorf("%d reader connections, want 3", len(seen))
	}
	mustUpdate(t, db, check)
	mustUpdate(t, db, func(*Conn) error { return nil })
}

// TestIDsAreBoundAgain runs one statement with the same and with other values. A statement that keeps a
// value must not use it for another one.
func TestIDsAreBoundAgain(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	a, b, long := [16]byte{1}, [16]byte{2}, bytes.Repeat([]byte{3}, heavyBytes+1)
	err := db.View(t.Context(), func(c *Conn) error {
		for i, args := range []Args{{a, b}, {a, b}, {b, a}, {nil, a}, {nil, nil}, {a, nil}, {a[:], "x"}, {a, b}, {a, long},
			{a, b}, {int64(7), 1.5}, {a, b}, {struct{}{}, b}, {a, b}} {
			var got [2]any
			_, err := c.One("SELECT ?, ?", args, func(r *Row) error {
				for col := range got {
					if !r.Null(col) {
						got[col] = r.Text(col)
					}
				}
				return nil
			})
			want, wrong := [2]any{asText(args[0]), asText(args[1])}, slices.Contains(args[:1], any(struct{}{}))
			if wrong && err == nil || !wrong && (err != nil || got != want) {
				t.Errorf("arguments %d: got %q, %v, want %q", i, got, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// asText returns a value as SQLite converts it.
func asText(v any) any {
	switch v := v.(type) {
	case [16]byte:
		return string(v[:])
	case []byte:
		return string(v)
	case nil:
		return nil
	}
	return fmt.Sprint(v)
}
