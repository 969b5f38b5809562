package sqlite

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

type users struct{ *tx }

func (t users) Get(_ context.Context, id loci.UserID) (u loci.User, err error) {
	found, err := t.c.One("SELECT id, email, role, created_at FROM users WHERE id = ?", sqlitedb.Args{[16]byte(id)},
		func(r *sqlitedb.Row) error {
			u = loci.User{ID: r.ID(0), OrgID: t.org, Email: r.Text(1), Role: loci.Role(r.Text(2)), CreatedAt: timeAt(r, 3)}
			return nil
		})
	if err == nil && !found {
		err = loci.Errorf(loci.NotFound, "no such user")
	}
	return u, err
}

func (t users) Put(_ context.Context, u loci.User) error {
	if err := t.mine(u.OrgID); err != nil {
		return err
	}
	var email any
	if u.Email != "" {
		email = u.Email
	}
	err := t.c.Exec(`INSERT INTO users (id, email, role, created_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET email = excluded.email, role = excluded.role, created_at = excluded.created_at`,
		[16]byte(u.ID), email, string(u.Role), u.CreatedAt.UnixMicro())
	if errors.Is(err, sqlitedb.ErrConstraintUnique) {
		return loci.WrapError(loci.Conflict, err, "that e-mail address belongs to another user")
	}
	return err
}
