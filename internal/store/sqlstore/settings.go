package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
)

type settings struct{ *Registry }

func (s settings) List(ctx context.Context) (list []loci.StoredSetting, err error) {
	err = s.db.View(ctx, func(c Conn) error {
		list = nil
		return c.Query("SELECT key, value, changed_at FROM settings WHERE {global settings} TRUE ORDER BY key", nil,
			func(r Row) error {
				list = append(list, loci.StoredSetting{Key: r.Text(0), Value: r.Text(1), At: timeAt(r, 2)})
				return nil
			})
	})
	return list, err
}

func (s settings) Put(ctx context.Context, one loci.StoredSetting) error {
	return s.db.Update(ctx, func(c Conn) error {
		return c.Exec(`INSERT INTO settings ({global} key, value, changed_at) VALUES (?, ?, ?)
			ON CONFLICT ({global} key) DO UPDATE SET value = excluded.value, changed_at = excluded.changed_at`, one.Key,
			one.Value, one.At.UnixMicro())
	})
}

func (s settings) Delete(ctx context.Context, key string) error {
	return s.db.Update(ctx, func(c Conn) error {
		return c.Exec("DELETE FROM settings WHERE {global settings} key = ?", key)
	})
}
