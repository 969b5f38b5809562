package sqlitedb

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/ncruces/go-sqlite3"
)

// The raw benchmarks do the same work with the driver alone: same schema, same
// pragmas, prepared statements, one connection. The ratio is what counts.

func openRaw(b *testing.B) *sqlite3.Conn {
	b.Helper()
	c, err := sqlite3.Open(filepath.Join(b.TempDir(), "a.db"))
	if err == nil {
		err = c.Exec("PRAGMA journal_mode = wal; PRAGMA synchronous = full; PRAGMA foreign_keys = on;" + schema[0].SQL)
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	return c
}

func prepared(b *testing.B, c *sqlite3.Conn, sql string) *sqlite3.Stmt {
	b.Helper()
	s, _, err := c.Prepare(sql)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

const insertItem = "INSERT INTO item (name, note) VALUES (?, ?)"

var note = fmt.Sprintf("%0300d", 7)

func BenchmarkUpdateRaw(b *testing.B) {
	c := openRaw(b)
	begin, insert, commit := prepared(b, c, "BEGIN IMMEDIATE"), prepared(b, c, insertItem), prepared(b, c, "COMMIT")
	n := 0
	for b.Loop() {
		n++
		for _, err := range []error{begin.Exec(), insert.BindText(1, fmt.Sprint(n)), insert.BindText(2, note), insert.Exec(),
			commit.Exec()} {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkUpdate(b *testing.B) {
	db := openTemp(b)
	n := 0
	for b.Loop() {
		n++
		err := db.Update(b.Context(), func(c *Conn) error { return c.Exec(insertItem, fmt.Sprint(n), note) })
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUpdate16(b *testing.B) {
	db := openTemp(b)
	ctx := context.WithoutCancel(b.Context())
	var n atomic.Int64
	b.SetParallelism(8) // times GOMAXPROCS
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			name := fmt.Sprint(n.Add(1))
			if err := db.Update(ctx, func(c *Conn) error { return c.Exec(insertItem, name, note) }); err != nil {
				b.Error(err)
			}
		}
	})
}

const getItem = "SELECT name, note FROM item WHERE id = ?"

func fillForGet(b *testing.B, exec func(sql string) error) {
	b.Helper()
	err := exec("WITH RECURSIVE s(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM s WHERE value < 20000) " +
		"INSERT INTO item (name, note) SELECT 'n' || value, '" + note + "' FROM s")
	if err != nil {
		b.Fatal(err)
	}
}

func BenchmarkGetRaw(b *testing.B) {
	c := openRaw(b)
	fillForGet(b, c.Exec)
	get := prepared(b, c, getItem)
	b.ReportAllocs()
	size, i := 0, 0
	for b.Loop() {
		i++
		_ = get.BindInt(1, i%20000+1)
		if !get.Step() {
			b.Fatal(get.Err())
		}
		size += len(get.ColumnText(0)) + len(get.ColumnText(1))
		_ = get.Reset()
	}
}

func BenchmarkGet(b *testing.B) {
	db := openTemp(b)
	fillForGet(b, func(sql string) error { return db.Update(b.Context(), func(c *Conn) error { return c.Exec(sql) }) })
	b.ReportAllocs()
	size, i := 0, 0
	for b.Loop() {
		i++
		err := db.View(b.Context(), func(c *Conn) error {
			_, err := c.One(getItem, Args{i%20000 + 1}, func(r *Row) error {
				size += len(r.Text(0)) + len(r.Text(1))
				return nil
			})
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGetInside is without the cost of opening a View.
func BenchmarkGetInside(b *testing.B) {
	db := openTemp(b)
	fillForGet(b, func(sql string) error { return db.Update(b.Context(), func(c *Conn) error { return c.Exec(sql) }) })
	view(b, db, func(c *Conn) error {
		b.ReportAllocs()
		size, i := 0, 0
		for b.Loop() {
			i++
			_, err := c.One(getItem, Args{i%20000 + 1}, func(r *Row) error {
				size += len(r.Text(0)) + len(r.Text(1))
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
