package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
)

type users struct{ *Tx }

const userColumns = "u.id, u.email, u.name, u.role, u.org_role, u.team_id, u.team_role, u.state, u.created_at"

// present selects users who exist: not those who are still being added or are being removed.
const present = "u.state IN ('active', 'disabled')"

func (tx *Tx) scanUser(r Row) loci.User {
	return loci.User{ID: r.ID(0), OrgID: tx.Org, Email: r.Text(1), Name: r.Text(2), Role: loci.Role(r.Text(3)),
		OrgRole: loci.MemberRole(r.Text(4)), TeamID: r.ID(5), TeamRole: loci.MemberRole(r.Text(6)),
		Disabled: r.Text(7) == "disabled", CreatedAt: TimeAt(r, 8)}
}

// NoUser returns the NotFound for a missing user.
func NoUser() error { return loci.Errorf(loci.NotFound, "no such user") }

const userThere = "SELECT 1 FROM users u WHERE {u} u.id = ? AND " + present

// knowsUser returns nil if the user exists, or NotFound.
func (tx *Tx) knowsUser(id loci.UserID) error {
	found, err := tx.there(userThere, [16]byte(id))
	return orMissing(found, err, NoUser)
}

func (t users) Get(_ context.Context, id loci.UserID) (u loci.User, err error) {
	found, err := t.c.One("SELECT "+userColumns+" FROM users u WHERE {u} u.id = ? AND "+present, Args{[16]byte(id)},
		func(r Row) error { u = t.scanUser(r); return nil })
	return u, orMissing(found, err, NoUser)
}

func (t users) List(_ context.Context, after loci.UserID, limit int) ([]loci.User, error) {
	return t.list("SELECT "+userColumns+" FROM users u WHERE {u} u.id > ? AND "+present+" ORDER BY u.id LIMIT ?",
		[16]byte(after), limit)
}

const usersOfTeam = "SELECT " + userColumns + " FROM users u WHERE {u} u.team_id = ? AND " + present + " ORDER BY u.id"

func (t users) Team(_ context.Context, team loci.TeamID) ([]loci.User, error) {
	return t.list(usersOfTeam, [16]byte(team))
}

func (t users) list(sql string, args ...any) (list []loci.User, err error) {
	return each(t.c, sql, args, t.scanUser)
}

func (t users) Update(ctx context.Context, u loci.User) error {
	if err := t.mine(u.OrgID); err != nil {
		return err
	}
	old, err := t.Get(ctx, u.ID)
	if err != nil {
		return err
	}
	state, teamRole := "active", any(nil)
	if u.Disabled {
		state = "disabled"
	}
	if !u.TeamID.IsZero() {
		teamRole = string(u.TeamRole)
	}
	err = t.c.Exec("UPDATE users AS u SET name = ?, role = ?, org_role = ?, team_id = ?, team_role = ?, state = ? "+
		"WHERE {u} u.id = ? AND "+present,
		u.Name, string(u.Role), string(u.OrgRole), OrNull(u.TeamID), teamRole, state, [16]byte(u.ID))
	switch {
	case t.d.dangling(err):
		return loci.Errorf(loci.NotFound, "no such team")
	case err != nil:
		return err
	}
	return t.memberChanged(&old, &u)
}

func (t users) Owners(context.Context) (n int, err error) {
	_, err = t.c.One("SELECT count(*) FROM users WHERE {users} org_role = 'owner' AND state = 'active'", nil,
		func(r Row) error { n = r.Int(0); return nil })
	return n, err
}
