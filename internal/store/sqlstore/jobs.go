package sqlstore

import (
	"context"

	"github.com/loci-memory/loci/internal/store"
)

type jobs struct{ *Registry }

func (j jobs) Put(ctx context.Context, one store.Job) error {
	return j.db.Update(ctx, func(c Conn) error {
		return c.Exec("INSERT INTO jobs ({global} name, begun_at, ended_at, changed, error, next_at) "+
			"VALUES (?, ?, ?, ?, ?, ?) "+
			"ON CONFLICT ({global} name) DO UPDATE SET begun_at = excluded.begun_at, ended_at = excluded.ended_at, "+
			"changed = excluded.changed, error = excluded.error, next_at = excluded.next_at "+
			"WHERE jobs.begun_at <= excluded.begun_at", one.Name, one.BegunAt.UnixMicro(), one.EndedAt.UnixMicro(), one.Rows,
			one.Error, micros(one.NextAt))
	})
}

func (j jobs) List(ctx context.Context) (list []store.Job, err error) {
	err = j.db.View(ctx, func(c Conn) error {
		return c.Query("SELECT j.name, j.begun_at, j.ended_at, j.changed, j.error, j.next_at FROM jobs j "+
			"WHERE {global j} TRUE ORDER BY j.name", nil, func(r Row) error {
			list = append(list, store.Job{Name: r.Text(0), BegunAt: timeAt(r, 1), EndedAt: timeAt(r, 2), Rows: r.Int(3),
				Error: r.Text(4), NextAt: timeAt(r, 5)})
			return nil
		})
	})
	return list, err
}
