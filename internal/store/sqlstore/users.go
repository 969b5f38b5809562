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

// A user who is being added has a pending row. Nobody can use it until AdmitUser.

// BeginUser creates the pending row. The caller is the only one that adds users, so a pending row
// with the same address was left by a process that died. Conflict if the address or the id is
// taken, NotFound if the team does not exist.
func (tx *Tx) BeginUser(u loci.User) error {
	err := tx.c.Exec("DELETE FROM users WHERE {users} state = 'pending' AND (email = ? OR id = ?)", TextOrNull(u.Email),
		[16]byte(u.ID))
	if err == nil {
		err = tx.insertUser(u, "pending")
	}
	switch {
	case tx.d.taken(err):
		return ErrTaken()
	case tx.d.dangling(err):
		return loci.Errorf(loci.NotFound, "no such team")
	}
	return err
}

func (tx *Tx) insertUser(u loci.User, state string) error {
	teamRole := any(nil)
	if !u.TeamID.IsZero() {
		teamRole = string(u.TeamRole)
	}
	return tx.c.Exec(`INSERT INTO users ({org} id, email, name, role, org_role, team_id, team_role, state, created_at)
		VALUES ({?} ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [16]byte(u.ID), TextOrNull(u.Email), u.Name, string(u.Role),
		string(u.OrgRole),
		OrNull(u.TeamID), teamRole, state, u.CreatedAt.UnixMicro())
}

// ErrTaken returns the Conflict for an address that is taken.
func ErrTaken() error {
	return loci.Errorf(loci.Conflict, "that e-mail address belongs to another user")
}

// AdmitUser activates a pending user.
func (tx *Tx) AdmitUser(u loci.User) error {
	state := "active"
	if u.Disabled {
		state = "disabled"
	}
	err := tx.c.Exec("UPDATE users SET state = ? WHERE {users} id = ? AND state = 'pending'", state, [16]byte(u.ID))
	if err != nil || tx.c.Changes() == 0 {
		return err
	}
	return tx.memberChanged(nil, &u)
}

// DropPending removes a pending row.
func (tx *Tx) DropPending(user loci.UserID) error {
	return tx.c.Exec("DELETE FROM users WHERE {users} id = ? AND state = 'pending'", [16]byte(user))
}

// UserState returns the state of a user's row, or "" if there is none.
func (tx *Tx) UserState(user loci.UserID) (state string, err error) {
	_, err = tx.c.One("SELECT state FROM users WHERE {users} id = ?", Args{[16]byte(user)},
		func(r Row) error { state = r.Text(0); return nil })
	return state, err
}

// SetEmail sets or clears a user's address.
func (tx *Tx) SetEmail(ctx context.Context, user loci.UserID, email string) error {
	err := tx.c.Exec("UPDATE users SET email = ?1 WHERE {users} id = ?2 AND email {isnot} ?1", TextOrNull(email),
		[16]byte(user))
	if err != nil || tx.c.Changes() == 0 {
		return err
	}
	u, err := tx.Users().Get(ctx, user)
	if loci.CodeOf(err) == loci.NotFound {
		return nil // they are hidden
	}
	if err != nil {
		return err
	}
	return tx.memberChanged(&u, &u)
}

// TextOrNull is NULL for the empty text.
func TextOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// EraseBatch is how many rows one transaction erases. It keeps the transactions of a removal
// short, so that writers do not wait.
const EraseBatch = 200

// MarkLeaving hides a user, so that their data can be erased in several transactions.
func (tx *Tx) MarkLeaving(ctx context.Context, user loci.UserID) error {
	u, err := tx.Users().Get(ctx, user)
	if loci.CodeOf(err) == loci.NotFound {
		return nil // they are hidden already
	}
	if err == nil {
		err = tx.c.Exec("UPDATE users SET state = 'leaving', team_id = NULL, team_role = NULL WHERE {users} id = ? AND "+
			"state IN ('active', 'disabled')", [16]byte(user))
	}
	if err != nil {
		return err
	}
	return tx.memberChanged(&u, nil)
}

// RemoveUser removes a user's row and everything that the user has still written.
func (tx *Tx) RemoveUser(ctx context.Context, user loci.UserID) error {
	for n := EraseBatch; n == EraseBatch; {
		var err error
		if n, err = tx.Memories().EraseOf(ctx, user, EraseBatch); err != nil {
			return err
		}
	}
	if err := tx.eraseStructured(ctx, user); err != nil {
		return err
	}
	return tx.c.Exec("DELETE FROM users WHERE {users} id = ?", [16]byte(user))
}

// eraseStructured erases what a person wrote other than memories.
func (tx *Tx) eraseStructured(ctx context.Context, user loci.UserID) error {
	for n := EraseBatch; n == EraseBatch; {
		var err error
		if n, err = (memoryNodes{tx}).eraseAll(EraseBatch, "m.user_id = ?", [16]byte(user)); err != nil {
			return err
		}
	}
	if err := (memoryNodes{tx}).eraseItemsOf(user); err != nil {
		return err
	}
	if err := (sessions{tx}).eraseOf(user); err != nil {
		return err
	}
	if err := (packs{tx}).Leave(ctx, user, [16]byte{}); err != nil {
		return err
	}
	for table, kind := range map[string]loci.FeedKind{"tasks": loci.FeedTask, "candidates": loci.FeedCandidate} {
		if _, err := tx.eraseWork(kind, table, "s.user_id = ?", [16]byte(user)); err != nil {
			return err
		}
	}
	for _, table := range []string{"assets", "sources", "reflections", "golden_questions", "golden_runs"} {
		if err := tx.c.Exec("DELETE FROM "+table+" WHERE {"+table+"} user_id = ?", [16]byte(user)); err != nil {
			return err
		}
	}
	return nil
}
