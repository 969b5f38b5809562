package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
)

const inviteColumns = "id, email, team_id, org_role, team_role, hash, invited_by, state, created_at, expires_at"

func scanInvite(r Row) loci.Invite {
	i := loci.Invite{ID: r.ID(0), Email: r.Text(1), TeamID: r.ID(2), OrgRole: loci.MemberRole(r.Text(3)),
		TeamRole:  loci.MemberRole(r.Text(4)),
		InvitedBy: r.ID(6), State: loci.InviteState(r.Text(7)), CreatedAt: TimeAt(r, 8), ExpiresAt: TimeAt(r, 9)}
	copy(i.Hash[:], r.Raw(5))
	return i
}

// revokePending makes room for the next invitation of the address to the same team: at most one may be pending.
const revokePending = `UPDATE team_invites SET state = 'revoked'
	WHERE {team_invites} email = ? AND team_id {is} ? AND state = 'pending'`

func (t teams) Invite(_ context.Context, i loci.Invite) error {
	if i.State == loci.InvitePending {
		if err := t.c.Exec(revokePending, i.Email, OrNull(i.TeamID)); err != nil {
			return err
		}
	}
	teamRole := any(nil)
	if !i.TeamID.IsZero() {
		teamRole = string(i.TeamRole)
	}
	err := t.c.Exec("INSERT INTO team_invites ({org} "+inviteColumns+") VALUES ({?} ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		[16]byte(i.ID), i.Email, OrNull(i.TeamID), string(i.OrgRole), teamRole, i.Hash[:], [16]byte(i.InvitedBy),
		string(i.State),
		i.CreatedAt.UnixMicro(), i.ExpiresAt.UnixMicro())
	switch {
	case t.d.dangling(err):
		return loci.Errorf(loci.NotFound, "no such team")
	case t.d.taken(err):
		return loci.Errorf(loci.Conflict, "that invitation exists already")
	case err != nil:
		return err
	}
	return t.invited(&i, loci.Created)
}

// invited adds a change of an invitation to the feed. Of the people of the team, only its admins may list
// invitations, which is for the caller to check.
func (t teams) invited(i *loci.Invite, change loci.Change) error {
	if i.TeamID.IsZero() {
		return t.orgChanged(loci.FeedInvitation, i.ID, change)
	}
	return t.orgChanged(loci.FeedInvitation, i.ID, change, ofTeam(i.TeamID, loci.UserID{}))
}

func (t teams) Invitation(_ context.Context, id loci.InviteID) (i loci.Invite, err error) {
	found, err := t.c.One("SELECT "+inviteColumns+" FROM team_invites WHERE {team_invites} id = ?", Args{[16]byte(id)},
		func(r Row) error { i = scanInvite(r); return nil })
	return i, orCode(found, err, loci.NotFound, "no such invitation")
}

const invitesOfTeam = "SELECT " + inviteColumns +
	" FROM team_invites WHERE {team_invites} team_id = ? ORDER BY created_at DESC, id DESC"

func (t teams) Invitations(_ context.Context, team loci.TeamID) (list []loci.Invite, err error) {
	sql, args := invitesOfTeam, Args{[16]byte(team)}
	if team.IsZero() {
		sql, args = "SELECT "+inviteColumns+" FROM team_invites WHERE {team_invites} TRUE ORDER BY created_at DESC, id DESC",
			nil
	}
	return each(t.c, sql, args, scanInvite)
}

func (t teams) Settle(ctx context.Context, id loci.InviteID, state loci.InviteState) error {
	if state != loci.InviteAccepted && state != loci.InviteRevoked {
		return loci.Errorf(loci.Invalid, "the new state of an invitation must be accepted or revoked")
	}
	err := t.c.Exec("UPDATE team_invites SET state = ? WHERE {team_invites} id = ? AND state = 'pending'", string(state),
		[16]byte(id))
	if err != nil {
		return err
	}
	settled := t.c.Changes() > 0
	i, err := t.Invitation(ctx, id)
	if err != nil {
		return err
	}
	if settled {
		return t.invited(&i, loci.Updated)
	}
	return loci.Errorf(loci.Conflict, "the invitation has been %s already", i.State)
}
