package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
)

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
