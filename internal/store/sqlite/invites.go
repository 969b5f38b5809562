package sqlite

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

const inviteColumns = "id, email, team_id, org_role, team_role, hash, invited_by, state, created_at, expires_at"

func scanInvite(r *sqlitedb.Row) loci.Invite {
	i := loci.Invite{ID: r.ID(0), Email: r.Text(1), TeamID: r.ID(2), OrgRole: loci.MemberRole(r.Text(3)), TeamRole: loci.MemberRole(r.Text(4)),
		InvitedBy: r.ID(6), State: loci.InviteState(r.Text(7)), CreatedAt: timeAt(r, 8), ExpiresAt: timeAt(r, 9)}
	copy(i.Hash[:], r.Raw(5))
	return i
}

// revokePending has the expression of the index that allows one pending
// invitation for an address and a team.
const revokePending = `UPDATE team_invites SET state = 'revoked'
	WHERE email = ? AND ifnull(team_id, x'') = ifnull(?, x'') AND state = 'pending'`

func (t teams) Invite(_ context.Context, i loci.Invite) error {
	if i.State == loci.InvitePending {
		if err := t.c.Exec(revokePending, i.Email, orNull(i.TeamID)); err != nil {
			return err
		}
	}
	teamRole := any(nil)
	if !i.TeamID.IsZero() {
		teamRole = string(i.TeamRole)
	}
	err := t.c.Exec("INSERT INTO team_invites ("+inviteColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		[16]byte(i.ID), i.Email, orNull(i.TeamID), string(i.OrgRole), teamRole, i.Hash[:], [16]byte(i.InvitedBy), string(i.State),
		i.CreatedAt.UnixMicro(), i.ExpiresAt.UnixMicro())
	switch {
	case errors.Is(err, sqlitedb.ErrConstraintForeignKey):
		return loci.WrapError(loci.NotFound, err, "no such team")
	case errors.Is(err, sqlitedb.ErrConstraintUnique):
		return loci.WrapError(loci.Conflict, err, "that invitation exists already")
	}
	return err
}

func (t teams) Invitation(_ context.Context, id loci.InviteID) (i loci.Invite, err error) {
	found, err := t.c.One("SELECT "+inviteColumns+" FROM team_invites WHERE id = ?", sqlitedb.Args{[16]byte(id)},
		func(r *sqlitedb.Row) error { i = scanInvite(r); return nil })
	if err == nil && !found {
		err = loci.Errorf(loci.NotFound, "no such invitation")
	}
	return i, err
}

const invitesOfTeam = "SELECT " + inviteColumns + " FROM team_invites WHERE team_id = ? ORDER BY created_at DESC, id DESC"

func (t teams) Invitations(_ context.Context, team loci.TeamID) (list []loci.Invite, err error) {
	sql, args := invitesOfTeam, sqlitedb.Args{[16]byte(team)}
	if team.IsZero() {
		sql, args = "SELECT "+inviteColumns+" FROM team_invites ORDER BY created_at DESC, id DESC", nil
	}
	err = t.c.Query(sql, args, func(r *sqlitedb.Row) error { list = append(list, scanInvite(r)); return nil })
	return list, err
}

func (t teams) Settle(ctx context.Context, id loci.InviteID, state loci.InviteState) error {
	if state != loci.InviteAccepted && state != loci.InviteRevoked {
		return loci.Errorf(loci.Invalid, "an invitation is settled by being accepted or revoked")
	}
	err := t.c.Exec("UPDATE team_invites SET state = ? WHERE id = ? AND state = 'pending'", string(state), [16]byte(id))
	if err != nil || t.c.Changes() > 0 {
		return err
	}
	i, err := t.Invitation(ctx, id)
	if err != nil {
		return err
	}
	return loci.Errorf(loci.Conflict, "the invitation was %s before", i.State)
}
