package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Lease returns the row of a lock, or zero.
func (r *Registry) Lease(ctx context.Context, name string) (l store.Lease, err error) {
	_, err = r.first(ctx, "SELECT holder, until FROM locks WHERE {global locks} name = ?", Args{name},
		func(row Row) error { l.Holder, l.Until = row.Int64(0), TimeAt(row, 1); return nil })
	return l, err
}

// SetLease replaces the row of a lock, or inserts it if was is zero. It reports whether the row was as expected.
func (r *Registry) SetLease(ctx context.Context, name string, was, l store.Lease) (bool, error) {
	if was == (store.Lease{}) {
		n, err := r.exec(ctx, "INSERT INTO locks ({global} name, holder, until) VALUES (?, ?, ?) "+
			"ON CONFLICT ({global} name) DO NOTHING", name, l.Holder, l.Until.UnixMicro())
		return n > 0, err
	}
	n, err := r.exec(ctx, "UPDATE locks SET holder = ?, until = ? WHERE {global locks} name = ? AND holder = ? AND "+
		"until = ?", l.Holder, l.Until.UnixMicro(), name, was.Holder, was.Until.UnixMicro())
	return n > 0, err
}

// EndLease deletes the row of a lock if holder has it.
func (r *Registry) EndLease(ctx context.Context, name string, holder int64) error {
	_, err := r.exec(ctx, "DELETE FROM locks WHERE {global locks} name = ? AND holder = ?", name, holder)
	return err
}

// StateKey returns the key of a period. If there is none, it stores fresh.
func (r *Registry) StateKey(ctx context.Context, period int64, fresh loci.Secret) (key loci.Secret, err error) {
	err = r.db.Update(ctx, func(c Conn) error {
		err := c.Exec("INSERT INTO state_keys ({global} period, key) VALUES (?, ?) ON CONFLICT ({global} period) DO NOTHING",
			period, fresh.Reveal())
		if err == nil { // states of the previous period may be in use, and other clocks may be late
			err = c.Exec("DELETE FROM state_keys WHERE {global state_keys} period < ?", period-2)
		}
		if err == nil {
			_, err = c.One("SELECT key FROM state_keys WHERE {global state_keys} period = ?", Args{period},
				func(row Row) error { key = loci.Secret(row.Text(0)); return nil })
		}
		return err
	})
	return key, err
}
