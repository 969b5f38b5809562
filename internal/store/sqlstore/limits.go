package sqlstore

import (
	"context"
	"time"
)

type limits struct{ *Registry }

func (l limits) Take(ctx context.Context, key string, window time.Time, n int) (used int, err error) {
	err = l.db.Update(ctx, func(c Conn) error {
		if err := c.Exec(`INSERT INTO limits ({global} key, "window", used) VALUES (?, ?, ?)
			ON CONFLICT ({global} key, "window") DO UPDATE SET used = limits.used + excluded.used`, key, window.UnixMicro(),
			n); err != nil {
			return err
		}
		_, err := c.One(`SELECT used FROM limits WHERE {global limits} key = ? AND "window" = ?`,
			Args{key, window.UnixMicro()}, func(r Row) error { used = r.Int(0); return nil })
		return err
	})
	return used, err
}

func (l limits) Failures(ctx context.Context, key string) (n int, last time.Time, err error) {
	err = l.db.View(ctx, func(c Conn) (err error) {
		n, last, err = failures(c, key)
		return err
	})
	return n, last, err
}

func failures(c Conn, key string) (n int, last time.Time, err error) {
	_, err = c.One("SELECT n, last FROM failures WHERE {global failures} key = ?", Args{key},
		func(r Row) error { n, last = r.Int(0), timeAt(r, 1); return nil })
	return n, last, err
}

func (l limits) Fail(ctx context.Context, key string, at time.Time) (n int, err error) {
	err = l.db.Update(ctx, func(c Conn) error {
		if err := c.Exec(`INSERT INTO failures ({global} key, n, last) VALUES (?, 1, ?)
			ON CONFLICT ({global} key) DO UPDATE SET n = failures.n + 1, last = {greatest}(failures.last, excluded.last)`, key,
			at.UnixMicro()); err != nil {
			return err
		}
		n, _, err = failures(c, key)
		return err
	})
	return n, err
}

func (l limits) Clear(ctx context.Context, key string) error {
	return l.db.Update(ctx, func(c Conn) error {
		return c.Exec("DELETE FROM failures WHERE {global failures} key = ?", key)
	})
}

func (l limits) Purge(ctx context.Context, then time.Time) error {
	return l.db.Update(ctx, func(c Conn) error {
		if err := c.Exec(`DELETE FROM limits WHERE {global limits} "window" < ?`, ceilMicro(then)); err != nil {
			return err
		}
		return c.Exec("DELETE FROM failures WHERE {global failures} last < ?", ceilMicro(then))
	})
}
