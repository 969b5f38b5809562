//go:build postgres

package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// alone is for changes of the registry. Its statements look before they write, and its writers share no locked row.
var alone = pgx.TxOptions{IsoLevel: pgx.Serializable}

// registryDB runs statements that are confined to no org.
type registryDB struct{ s *engine }

func (r registryDB) View(ctx context.Context, fn func(sqlstore.Conn) error) error {
	return r.run(ctx, reading, fn)
}

// Update implements sqlstore.DB.
func (r registryDB) Update(ctx context.Context, fn func(sqlstore.Conn) error) error {
	return again(ctx, func() error { return r.run(ctx, alone, fn) })
}

// again repeats a change that met another one.
func again(ctx context.Context, change func() error) error {
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		err := change()
		if !met(err) {
			return err
		}
		select {
		case <-time.After(rand.N(wait)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// met reports whether a transaction failed only because another one did the same at that time.
func met(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40001" || pg.Code == "40P01")
}

func (r registryDB) run(ctx context.Context, o pgx.TxOptions, fn func(sqlstore.Conn) error) error {
	return public(pgx.BeginTxFunc(ctx, r.s.pool, o, func(tx pgx.Tx) error { return fn(&conn{ctx: ctx, tx: tx}) }))
}

// in returns the registry in a transaction that has begun.
func (s *engine) in(c sqlstore.Conn) *sqlstore.Registry {
	return sqlstore.NewRegistry(begun{c}, dialect, s.now)
}

type begun struct{ c sqlstore.Conn }

func (b begun) View(_ context.Context, fn func(sqlstore.Conn) error) error { return fn(b.c) }

func (b begun) Update(_ context.Context, fn func(sqlstore.Conn) error) error { return fn(b.c) }
