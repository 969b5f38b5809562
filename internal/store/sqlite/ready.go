package sqlite

import (
	"cmp"
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// probeLife is how long the result of a probe is reused.
const probeLife = 2 * time.Second

// probe remembers whether the last write of Ready succeeded. Anyone may ask whether a server is
// ready, so not every request may write.
type probe struct {
	turn chan struct{} // capacity 1: for the caller that probes
	at   time.Time
	err  error
}

// InPlace returns an Unavailable error if the data directory, or an open file of it, was moved,
// replaced or deleted. It costs a few file status calls.
func (s *Store) InPlace(ctx context.Context) error {
	if err := s.meta.InPlace(); err != nil {
		return translate(err)
	}
	return translate(s.files.Each(func(f *orgFile) error {
		err := f.DB.InPlace()
		if err != nil {
			if _, gone := s.registry.Exists(ctx, f.org); loci.CodeOf(gone) == loci.NotFound {
				err = nil // the org was deleted with its file
			}
		}
		return err
	}))
}

// Ready returns nil if the store can read and write, and no file was found damaged. It reads now. The
// answer about writing may be up to two seconds old.
func (s *Store) Ready(ctx context.Context) error {
	if damage := s.damage.Load(); damage != nil {
		return cmp.Or(s.ready(ctx), *damage)
	}
	return s.ready(ctx)
}

func (s *Store) ready(ctx context.Context) error {
	if err := s.InPlace(ctx); err != nil {
		return err
	}
	err := s.meta.View(ctx, func(c *sqlitedb.Conn) error { return c.Exec("SELECT at FROM heartbeat") })
	if err != nil {
		return translate(err)
	}
	select {
	case s.probe.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.probe.turn }()
	now := s.opts.Now()
	if age := now.Sub(s.probe.at); age >= 0 && age < probeLife && !s.probe.at.IsZero() {
		return s.probe.err
	}
	err = translate(s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		return c.Exec("INSERT INTO heartbeat (one, at) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET at = excluded.at",
			now.UnixMicro())
	}))
	if ctx.Err() == nil { // otherwise the error may not be about the disk
		s.probe.at, s.probe.err = now, err
	}
	return err
}
