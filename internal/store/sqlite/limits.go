package sqlite

import (
	"context"
	"time"

	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

type limits struct{ s *Store }

// Limits counts what is limited.
func (s *Store) Limits() store.Limits { return limits{s} }

func (l limits) Take(ctx context.Context, key string, window time.Time, n int) (used int, err error) {
	err = l.s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		if err := c.Exec(`INSERT INTO limits (key, window, used) VALUES (?, ?, ?)
			ON CONFLICT (key, window) DO UPDATE SET used = used + excluded.used`, key, window.UnixMicro(), n); err != nil {
			return err
		}
		_, err := c.One("SELECT used FROM limits WHERE key = ? AND window = ?", sqlitedb.Args{key, window.UnixMicro()},
			func(r *sqlitedb.Row) error { used = r.Int(0); return nil })
		return err
	})
	return used, translate(err)
}

func (l limits) Failures(ctx context.Context, key string) (n int, last time.Time, err error) {
	err = l.s.meta.View(ctx, func(c *sqlitedb.Conn) (err error) {
		n, last, err = failures(c, key)
		return err
	})
	return n, last, translate(err)
}

func failures(c *sqlitedb.Conn, key string) (n int, last time.Time, err error) {
	_, err = c.One("SELECT n, last FROM failures WHERE key = ?", sqlitedb.Args{key},
		func(r *sqlitedb.Row) error { n, last = r.Int(0), timeAt(r, 1); return nil })
	return n, last, err
}

func (l limits) Fail(ctx context.Context, key string, at time.Time) (n int, err error) {
	err = l.s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		if err := c.Exec(`INSERT INTO failures (key, n, last) VALUES (?, 1, ?)
			ON CONFLICT (key) DO UPDATE SET n = n + 1, last = max(last, excluded.last)`, key, at.UnixMicro()); err != nil {
			return err
		}
		n, _, err = failures(c, key)
		return err
	})
	return n, translate(err)
}

func (l limits) Clear(ctx context.Context, key string) error {
	return translate(l.s.meta.Update(ctx, func(c *sqlitedb.Conn) error { return c.Exec("DELETE FROM failures WHERE key = ?", key) }))
}

func (l limits) Purge(ctx context.Context, then time.Time) error {
	return translate(l.s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		if err := c.Exec("DELETE FROM limits WHERE window < ?", ceilMicro(then)); err != nil {
			return err
		}
		return c.Exec("DELETE FROM failures WHERE last < ?", ceilMicro(then))
	}))
}
