//go:build postgres

// Package postgres proves that the statements of sqlstore serve PostgreSQL. Its store is thrown away: it keeps
// memories, people and teams, and stands in for an engine that a later change writes.
package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
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

// engine implements the parts of store.Store that the groups of the suite need. The others panic.
type engine struct {
	store.Store
	pool     *pgxpool.Pool
	registry *sqlstore.Registry
	now      func() time.Time
	pages    *sqlstore.Pages

	mu      sync.Mutex
	writers map[loci.OrgID]*group.Writer[store.Tx]
}

func open(t testing.TB, schema string, now func() time.Time) *engine {
	s := &engine{pool: connect(t, schema), now: now, pages: sqlstore.NewPages()}
	t.Cleanup(func() { _ = s.Close() })
	s.registry = sqlstore.NewRegistry(registryDB{s}, dialect, now)
	return s
}

func (s *engine) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.writers {
		w.Close()
	}
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
	return s.writer(org).Update(ctx, fn)
}

// with confines a transaction to an org, twice: by its parameter, and by the setting that the policy reads. The stamp
// comes with the row of the org, and is of the transaction's snapshot.
func (s *engine) with(ctx context.Context, id loci.OrgID, o pgx.TxOptions, fn func(store.Tx) error) error {
	if err := id.Validate(); err != nil {
		return err
	}
	return pgx.BeginTxFunc(ctx, s.pool, o, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT set_config('loci.org', $1, TRUE)", string(id)); err != nil {
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
	})
}

// Stamp implements store.Store for orgs. The proof has none of the registry.
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
	options := &sqlstore.Options{Org: id, Now: s.now, Positions: positions, NewIndex: newIndex}
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

// registryDB runs statements that are confined to no org.
type registryDB struct{ s *engine }

func (r registryDB) View(ctx context.Context, fn func(sqlstore.Conn) error) error {
	return r.run(ctx, reading, fn)
}

func (r registryDB) Update(ctx context.Context, fn func(sqlstore.Conn) error) error {
	return r.run(ctx, writing, fn)
}

func (r registryDB) run(ctx context.Context, o pgx.TxOptions, fn func(sqlstore.Conn) error) error {
	return pgx.BeginTxFunc(ctx, r.s.pool, o, func(tx pgx.Tx) error { return fn(&conn{ctx: ctx, tx: tx}) })
}

type orgs struct {
	store.Orgs
	s *engine
}

func (s *engine) Orgs() store.Orgs { return orgs{s: s} }

// Ensure makes a new org and its owner, all in one transaction.
func (o orgs) Ensure(ctx context.Context, want loci.Org, _ loci.User) (loci.Org, bool, error) {
	var key [16]byte
	_, _ = rand.Read(key[:]) // never fails
	err := pgx.BeginTxFunc(ctx, o.s.pool, writing, func(tx pgx.Tx) error {
		for _, statement := range []struct {
			text string
			args []any
		}{
			{"SELECT set_config('loci.org', $1, TRUE)", []any{string(want.ID)}},
			{"INSERT INTO orgs (id, name, owner_id, state, created_at) VALUES ($1, $2, $3, 'active', $4)",
				[]any{string(want.ID), want.Name, [16]byte(want.OwnerID), want.CreatedAt.UnixMicro()}},
			{"INSERT INTO people (user_id, org_id) VALUES ($1, $2)", []any{[16]byte(want.OwnerID), string(want.ID)}},
			{"INSERT INTO org (org_id, position_key) VALUES ($1, $2)", []any{string(want.ID), key}},
			{`INSERT INTO users (org_id, id, name, role, org_role, state, created_at)
				VALUES ($1, $2, '', 'user', 'owner', 'active', $3)`,
				[]any{string(want.ID), [16]byte(want.OwnerID), want.CreatedAt.UnixMicro()}},
		} {
			if _, err := tx.Exec(ctx, statement.text, statement.args...); err != nil {
				return err
			}
		}
		return nil
	})
	return want, err == nil, err
}

type people struct {
	store.People
	s *engine
}

func (s *engine) People() store.People { return people{s: s} }

// Add takes three transactions. One would do where people and users are in one database.
func (p people) Add(ctx context.Context, u loci.User, _ func(store.Tx) error) error {
	u.Role, u.OrgRole = cmp.Or(u.Role, loci.RoleUser), cmp.Or(u.OrgRole, loci.Member)
	update := func(fn func(*sqlstore.Tx) error) error {
		return p.s.Update(ctx, u.OrgID, func(tx store.Tx) error { return fn(tx.(*sqlstore.Tx)) })
	}
	err := update(func(tx *sqlstore.Tx) error { return tx.BeginUser(u) })
	if err == nil {
		err = p.s.registry.Enlist(ctx, u)
	}
	if err == nil {
		err = update(func(tx *sqlstore.Tx) error { return tx.AdmitUser(u) })
	}
	return err
}
