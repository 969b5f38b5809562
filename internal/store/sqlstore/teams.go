package sqlstore

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
)

type teams struct{ *Tx }

func noTeam() error { return loci.Errorf(loci.NotFound, "no such team") }

// nameTaken reports whether another row of a small table has that name, ignoring case. It
// compares in Go, because SQLite folds only ASCII.
func (tx *Tx) nameTaken(table, name string, except [16]byte) (taken bool, err error) {
	err = tx.c.Query("SELECT name FROM "+table+" WHERE {"+table+"} id <> ?", Args{except}, func(r Row) error {
		if strings.EqualFold(r.Text(0), name) {
			taken = true
			return ErrStop
		}
		return nil
	})
	return taken, err
}

func (t teams) Insert(_ context.Context, team loci.Team) error {
	taken, err := t.nameTaken("teams", team.Name, [16]byte{})
	if err == nil && !taken {
		err = t.c.Exec("INSERT INTO teams ({org} id, name, created_at) VALUES ({?} ?, ?, ?)", [16]byte(team.ID), team.Name,
			team.CreatedAt.UnixMicro())
	}
	if taken || t.d.taken(err) {
		return loci.Errorf(loci.Conflict, "a team of that name exists; choose another name")
	}
	if err != nil {
		return err
	}
	return t.changed(team.ID, loci.Created)
}

func (t teams) changed(id loci.TeamID, change loci.Change) error {
	return t.orgChanged(loci.FeedTeam, id, change, ofTeam(id, loci.UserID{}))
}

func scanTeam(r Row) loci.Team {
	return loci.Team{ID: r.ID(0), Name: r.Text(1), CreatedAt: TimeAt(r, 2)}
}

func (t teams) Get(_ context.Context, id loci.TeamID) (team loci.Team, err error) {
	found, err := t.c.One("SELECT id, name, created_at FROM teams WHERE {teams} id = ?", Args{[16]byte(id)},
		func(r Row) error { team = scanTeam(r); return nil })
	return team, orMissing(found, err, noTeam)
}

func (t teams) List(context.Context) (list []loci.Team, err error) {
	return each(t.c, "SELECT id, name, created_at FROM teams WHERE {teams} TRUE ORDER BY name", nil, scanTeam)
}

func (t teams) Rename(ctx context.Context, id loci.TeamID, name string) error {
	if _, err := t.Get(ctx, id); err != nil {
		return err
	}
	taken, err := t.nameTaken("teams", name, id)
	if err == nil && taken {
		err = loci.Errorf(loci.Conflict, "a team of that name exists; choose another name")
	}
	if err != nil {
		return err
	}
	if err := t.c.Exec("UPDATE teams SET name = ? WHERE {teams} id = ?", name, [16]byte(id)); err != nil {
		return err
	}
	return t.changed(id, loci.Updated)
}

const (
	sharedWithTeam = "SELECT 1 FROM memories WHERE {memories} team_id = ? LIMIT 1"
	nodesOfTeam    = "SELECT 1 FROM memory_nodes WHERE {memory_nodes} team_id = ? LIMIT 1"
)

func (t teams) Delete(ctx context.Context, id loci.TeamID) error {
	if _, err := t.Get(ctx, id); err != nil {
		return err
	}
	// A user who is being added or removed is hidden and keeps nothing.
	err := t.c.Exec("UPDATE users SET team_id = NULL, team_role = NULL WHERE {users} team_id = ? AND state NOT IN "+
		"('active', 'disabled')", [16]byte(id))
	if err != nil {
		return err
	}
	shared, err := t.there(sharedWithTeam, [16]byte(id))
	if err == nil && !shared {
		shared, err = t.there(nodesOfTeam, [16]byte(id))
	}
	if err != nil {
		return err
	}
	if shared {
		return loci.Errorf(loci.Conflict, "cannot delete the team: it still has memories or memory nodes")
	}
	err = t.c.Exec("DELETE FROM teams WHERE {teams} id = ?", [16]byte(id))
	if t.d.dangling(err) {
		return loci.Errorf(loci.Conflict, "cannot delete the team: it still has members")
	}
	if err != nil {
		return err
	}
	return t.changed(id, loci.Erased)
}

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
