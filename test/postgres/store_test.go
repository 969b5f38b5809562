//go:build postgres

// Package postgres proves that the statements of sqlstore serve PostgreSQL: its store passes the suite of storage
// engines. It stands in for an engine that a later change makes of it.
package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/group"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// engine implements store.Store.
type engine struct {
	store.Registry
	pool     *pgxpool.Pool
	registry *sqlstore.Registry
	now      func() time.Time
	pages    *sqlstore.Pages

	*store.Locks
	hinting sync.WaitGroup

	mu      sync.Mutex
	writers map[loci.OrgID]*group.Writer[store.Tx]
}

func open(t testing.TB, schema string, now func() time.Time) *engine {
	s := &engine{pool: connect(t, schema), now: now, pages: sqlstore.NewPages()}
	t.Cleanup(func() { _ = s.Close() })
	s.registry = sqlstore.NewRegistry(registryDB{s}, dialect, now)
	s.registry.OnHint(s.Hint)
	s.Registry, s.Locks = s.registry, store.NewLocks(s.registry, now, 0, nil)
	return s
}

func (s *engine) Close() error {
	s.hinting.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.writers {
		w.Close()
	}
	s.pool.Close()
	return nil
}

var (
	reading = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	writing = pgx.TxOptions{IsoLevel: pgx.ReadCommitted}
)

func (s *engine) View(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	return s.with(ctx, org, reading, fn)
}

func (s *engine) Scan(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	return s.View(ctx, org, fn)
}

func (s *engine) Update(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	if err := org.Validate(); err != nil {
		return err
	}
	return public(s.writer(org).Update(ctx, fn))
}

// with confines a transaction to an org, twice: by its parameter, and by the setting that the policy reads. The stamp
// comes with the row of the org, and is of the transaction's snapshot.
func (s *engine) with(ctx context.Context, id loci.OrgID, o pgx.TxOptions, fn func(store.Tx) error) error {
	if err := id.Validate(); err != nil {
		return err
	}
	return public(pgx.BeginTxFunc(ctx, s.pool, o, func(tx pgx.Tx) error {
		if err := setOrg(ctx, tx, id); err != nil {
			return err
		}
		key, stamp, err := orgRow(tx.QueryRow(ctx, "SELECT position_key, stamp FROM org WHERE org_id = $1", string(id)))
		if err != nil {
			return err
		}
		shared, err := s.tx(&conn{ctx: ctx, tx: tx, org: string(id)}, id, key)
		if err != nil {
			return err
		}
		shared.Kept = sqlstore.KeptPages{Of: s.pages, Stamp: stamp, Now: func() (store.Stamp, bool) { return stamp, true }}
		return fn(shared)
	}))
}

// public adds a code to errors of the connection.
func public(err error) error {
	switch {
	case err == nil || loci.CodeOf(err) != "":
		return err
	case errors.Is(err, group.ErrClosed) || err.Error() == "closed pool":
		return loci.WrapError(loci.Unavailable, err, "the store is closed")
	}
	return err
}

// setOrg sets what the policy reads.
func setOrg(ctx context.Context, tx pgx.Tx, id loci.OrgID) error {
	_, err := tx.Exec(ctx, "SELECT set_config('loci.org', $1, TRUE)", string(id))
	return err
}

// Hint adds to the feed in the background, because its caller may be in a transaction on the org.
func (s *engine) Hint(ctx context.Context, h store.FeedHint) {
	h.At = s.now()
	s.hinting.Go(func() {
		_ = s.Update(context.WithoutCancel(ctx), h.Org, func(tx store.Tx) error { return tx.(*sqlstore.Tx).Hint(&h) })
	})
}

// Ready implements store.Store.
func (s *engine) Ready(ctx context.Context) error { return public(s.pool.Ping(ctx)) }

// Stamp implements store.Store for orgs. It cannot tell of the registry.
func (s *engine) Stamp(ctx context.Context, org loci.OrgID) (stamp store.Stamp, ok bool) {
	err := s.with(ctx, org, reading, func(tx store.Tx) error { stamp = tx.(*sqlstore.Tx).Kept.Stamp; return nil })
	return stamp, err == nil
}

// PeopleStamp implements store.Store.
func (s *engine) PeopleStamp(ctx context.Context, org loci.OrgID) (store.Stamp, bool) {
	return s.Stamp(ctx, org)
}

func (s *engine) tx(c *conn, id loci.OrgID, key [16]byte) (*sqlstore.Tx, error) {
	positions, err := sqlstore.NewPositions(key)
	if err != nil {
		return nil, err
	}
	options := &sqlstore.Options{Org: id, Now: s.now, Positions: positions, NewIndex: newIndex,
		KeepBlob: func(_ loci.OrgID, sum []byte, now time.Time) error { return keepBlob(c, sum, now) }}
	return sqlstore.New(c, dialect, options), nil
}

func orgRow(row pgx.Row) (key [16]byte, stamp store.Stamp, err error) {
	var raw []byte
	var commits int64
	if err = row.Scan(&raw, &commits); errors.Is(err, pgx.ErrNoRows) {
		err = sqlstore.NoOrg()
	}
	copy(key[:], raw)
	binary.BigEndian.PutUint64(stamp[:], uint64(commits))
	return key, stamp, err
}
