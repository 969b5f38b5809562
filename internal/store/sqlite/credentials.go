package sqlite

import (
	"context"
	"errors"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

type credentials struct{ s *Store }

// Credentials is the registry of keys.
func (s *Store) Credentials() store.Credentials { return credentials{s} }

const credentialColumns = "id, org_id, user_id, kind, vendor, name, hash, prefix, rights, created_at, expires_at, revoked_at, last_used_at"

const credentialByHash = "SELECT " + credentialColumns + " FROM credentials WHERE hash = ?"

const credentialsOfPerson = "SELECT " + credentialColumns + ` FROM credentials
	WHERE org_id = ? AND user_id = ? AND kind = ? ORDER BY created_at DESC, rowid DESC`

func scanCredential(r *sqlitedb.Row) (loci.Credential, error) {
	c := loci.Credential{ID: r.ID(0), OrgID: loci.OrgID(r.Text(1)), UserID: r.ID(2), Kind: loci.Kind(r.Text(3)),
		Vendor: loci.Vendor(r.Text(4)), Name: r.Text(5), Prefix: r.Text(7),
		CreatedAt: timeAt(r, 9), ExpiresAt: timeAt(r, 10), RevokedAt: timeAt(r, 11), LastUsedAt: timeAt(r, 12)}
	copy(c.Hash[:], r.Raw(6))
	var err error
	if c.Rights, err = fromJSON[loci.Right](r.Text(8)); len(c.Rights) == 0 {
		c.Rights = nil
	}
	return c, err
}

func (t credentials) Insert(ctx context.Context, c loci.Credential) error {
	err := t.s.meta.Update(ctx, func(conn *sqlitedb.Conn) error {
		// The org is looked up here and not by its foreign key, because one that
		// is not complete yet does not exist.
		if err := conn.Exec("INSERT INTO credentials ("+credentialColumns+`)
			SELECT ?, id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM orgs WHERE id = ? AND state = 'active'`,
			[16]byte(c.ID), [16]byte(c.UserID), string(c.Kind), string(c.Vendor), c.Name, c.Hash[:], c.Prefix, toJSON(c.Rights),
			c.CreatedAt.UnixMicro(), micros(c.ExpiresAt), micros(c.RevokedAt), micros(c.LastUsedAt), string(c.OrgID)); err != nil {
			return err
		}
		if conn.Changes() == 0 {
			return noOrg()
		}
		return nil
	})
	if errors.Is(err, sqlitedb.ErrConstraintUnique) {
		return loci.WrapError(loci.Conflict, err, "that credential exists already")
	}
	return translate(err)
}

func (t credentials) ByHash(ctx context.Context, hash [32]byte) (c loci.Credential, err error) {
	found := false
	err = t.s.meta.View(ctx, func(conn *sqlitedb.Conn) (err error) {
		found, err = conn.One(credentialByHash, sqlitedb.Args{hash[:]},
			func(r *sqlitedb.Row) (err error) { c, err = scanCredential(r); return err })
		return err
	})
	if err == nil && !found {
		err = noCredential()
	}
	return c, translate(err)
}

func noCredential() error { return loci.Errorf(loci.NotFound, "no such credential") }

func (t credentials) List(ctx context.Context, org loci.OrgID, user loci.UserID, kind loci.Kind) (list []loci.Credential, err error) {
	err = t.s.meta.View(ctx, func(conn *sqlitedb.Conn) error {
		list = nil
		return conn.Query(credentialsOfPerson, sqlitedb.Args{string(org), [16]byte(user), string(kind)},
			func(r *sqlitedb.Row) error {
				c, err := scanCredential(r)
				list = append(list, c)
				return err
			})
	})
	return list, translate(err)
}

func (t credentials) Revoke(ctx context.Context, org loci.OrgID, user loci.UserID, id loci.CredentialID, at time.Time) error {
	return t.change(ctx, `UPDATE credentials SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? AND org_id = ? AND user_id = ?`,
		at.UnixMicro(), [16]byte(id), string(org), [16]byte(user))
}

func (t credentials) Touch(ctx context.Context, id loci.CredentialID, at time.Time) error {
	return t.change(ctx, `UPDATE credentials SET last_used_at = max(coalesce(last_used_at, ?1), ?1) WHERE id = ?2`,
		at.UnixMicro(), [16]byte(id))
}

func (t credentials) change(ctx context.Context, sql string, args ...any) error {
	return translate(t.s.meta.Update(ctx, func(conn *sqlitedb.Conn) error {
		if err := conn.Exec(sql, args...); err != nil {
			return err
		}
		if conn.Changes() == 0 {
			return noCredential()
		}
		return nil
	}))
}

// anyAgent looks at no more than one entry of the index on each side.
const anyAgent = `SELECT
	EXISTS (SELECT 1 FROM credentials WHERE kind = 'agent' AND revoked_at IS NULL AND expires_at IS NULL) OR
	EXISTS (SELECT 1 FROM credentials WHERE kind = 'agent' AND revoked_at IS NULL AND expires_at > ?)`

func (t credentials) AnyAgent(ctx context.Context, now time.Time) (any bool, err error) {
	err = t.s.meta.View(ctx, func(conn *sqlitedb.Conn) error {
		_, err := conn.One(anyAgent, sqlitedb.Args{now.UnixMicro()}, func(r *sqlitedb.Row) error { any = r.Bool(0); return nil })
		return err
	})
	return any, translate(err)
}
