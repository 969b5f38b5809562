package org

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// TeamView is a team with its members. Only its admins get Invites.
type TeamView struct {
	loci.Team
	Members []loci.User   `json:"members" nullable:"false"`
	Invites []loci.Invite `json:"invites,omitempty"`
}

func errNoSuchTeam() error { return loci.Errorf(loci.NotFound, "no such team") }

// teamRole returns the acting person's role in a team, or their role in the org if that is higher and they are an
// admin of the org. It reads the rows again, because a role may have changed since the request was authenticated. It
// fails with the same NotFound for a team that doesn't exist and for a team that the person may not see.
func teamRole(ctx context.Context, tx store.Tx, p loci.Principal, id loci.TeamID) (loci.Team, loci.MemberRole, error) {
	team, err := tx.Teams().Get(ctx, id)
	if loci.CodeOf(err) == loci.NotFound {
		err = errNoSuchTeam()
	}
	if err != nil {
		return loci.Team{}, "", err
	}
	if p.Kind == loci.KindLocal {
		return team, loci.MemberOwner, nil
	}
	me, err := tx.Users().Get(ctx, p.UserID)
	if err != nil {
		return loci.Team{}, "", err
	}
	var role loci.MemberRole
	if me.TeamID == id {
		role = me.TeamRole
	}
	if me.OrgRole.AtLeast(loci.MemberAdmin) && !role.AtLeast(me.OrgRole) {
		role = me.OrgRole
	}
	if role == "" {
		return loci.Team{}, "", errNoSuchTeam()
	}
	return team, role, nil
}

// administer works like teamRole for admins and owners. It fails with Forbidden for plain members.
func administer(ctx context.Context, tx store.Tx, p loci.Principal, id loci.TeamID) (
	loci.Team, loci.MemberRole, error) {
	team, role, err := teamRole(ctx, tx, p, id)
	if err == nil && !role.AtLeast(loci.MemberAdmin) {
		err = loci.Errorf(loci.Forbidden, "this requires the role admin in the team or the org")
	}
	return team, role, err
}

func checkName(name string) error { return loci.CheckText("name", name, 1, loci.MaxName) }

// CreateTeam creates a team with the person as its owner. It fails with Conflict if they are
// already in a team, or if the org has a team with that name.
func (s *Service) CreateTeam(ctx context.Context, p loci.Principal, name string) (loci.Team, error) {
	if err := s.Begin(ctx, p, TeamCreate, checkName(name)); err != nil {
		return loci.Team{}, err
	}
	team := loci.Team{ID: loci.NewTeamID(), Name: name, CreatedAt: s.Time()}
	err := s.Write(ctx, p, TeamCreate, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = team.ID.String()
		me, err := tx.Users().Get(ctx, p.UserID)
		if err != nil {
			return err
		}
		if !me.TeamID.IsZero() {
			return errOtherTeam()
		}
		if err := tx.Teams().Insert(ctx, team); err != nil {
			return err
		}
		me.TeamID, me.TeamRole = team.ID, loci.MemberOwner
		return tx.Users().Update(ctx, me)
	})
	return team, err
}

func errOtherTeam() error {
	return loci.Errorf(loci.Conflict, "a person can be in only one team; leave yours first")
}

// Teams returns the teams that the person may see, by name: their own, or all for an admin of the org.
func (s *Service) Teams(ctx context.Context, p loci.Principal) ([]loci.Team, error) {
	teams, err := gate.BeginView(ctx, s.Gate, p, TeamRead, func(tx store.Tx) ([]loci.Team, error) {
		return tx.Teams().List(ctx)
	})
	if p.Kind != loci.KindLocal && !p.OrgRole.AtLeast(loci.MemberAdmin) {
		teams = slices.DeleteFunc(teams, func(t loci.Team) bool { return t.ID != p.TeamID })
	}
	return teams, err
}

// Team returns a team with its members. Its admins also get its invitations. It fails with NotFound
// if the team doesn't exist or the person may not see it.
func (s *Service) Team(ctx context.Context, p loci.Principal, id loci.TeamID) (*TeamView, error) {
	return gate.BeginView(ctx, s.Gate, p, TeamRead, func(tx store.Tx) (*TeamView, error) {
		return viewTeam(ctx, tx, p, id)
	})
}

func viewTeam(ctx context.Context, tx store.Tx, p loci.Principal, id loci.TeamID) (*TeamView, error) {
	team, role, err := teamRole(ctx, tx, p, id)
	if err != nil {
		return nil, err
	}
	v := &TeamView{Team: team}
	if v.Members, err = tx.Users().Team(ctx, id); err != nil {
		return nil, err
	}
	if role.AtLeast(loci.MemberAdmin) {
		v.Invites, err = tx.Teams().Invitations(ctx, id)
	}
	return v, err
}

// RenameTeam renames a team. It fails with NotFound like Team, with Forbidden for plain members,
// and with Conflict if the org has a team with that name.
func (s *Service) RenameTeam(ctx context.Context, p loci.Principal, id loci.TeamID, name string) (loci.Team, error) {
	if err := s.Begin(ctx, p, TeamChange, checkName(name)); err != nil {
		return loci.Team{}, err
	}
	var team loci.Team
	err := s.Write(ctx, p, TeamChange, func(tx store.Tx, e *loci.AuditEntry) (err error) {
		e.Target = id.String()
		if team, _, err = administer(ctx, tx, p, id); err != nil {
			return err
		}
		if team.Name == name {
			e.Action = ""
			return nil
		}
		team.Name = name
		return tx.Teams().Rename(ctx, id, name)
	})
	return team, err
}

// DeleteTeam deletes a team with its invitations. Memories shared with it become private to their
// owners again. An owner of the team and admins of the org may call it. It fails with Conflict
// while the team has other members, unless force is set, and with NotFound like Team.
func (s *Service) DeleteTeam(ctx context.Context, p loci.Principal, id loci.TeamID, force bool) error {
	return s.BeginWrite(ctx, p, TeamDelete, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		_, role, err := teamRole(ctx, tx, p, id)
		if err != nil {
			return err
		}
		if role != loci.MemberOwner && !p.OrgRole.AtLeast(loci.MemberAdmin) {
			return loci.Errorf(loci.Forbidden, "only an owner of the team, or an admin of the org, may delete it")
		}
		members, err := tx.Users().Team(ctx, id)
		if err != nil {
			return err
		}
		others := slices.ContainsFunc(members, func(u loci.User) bool { return u.ID != p.UserID })
		if others && !force {
			return loci.Errorf(loci.Conflict, "the team has other members; remove them first, or delete it with force")
		}
		e.Count = len(members)
		for _, u := range members {
			if err := s.detach(ctx, tx, p, u); err != nil {
				return err
			}
		}
		return tx.Teams().Delete(ctx, id)
	})
}

// SetTeamRole changes a member's role. It fails with Forbidden if the old or the new role is above one's own. A lower
// role revokes invitations that were made with the higher one. It fails with Conflict for the last owner of a team
// with other members. It fails with NotFound like Team, and for a user who is not in the team.
func (s *Service) SetTeamRole(ctx context.Context, p loci.Principal, id loci.TeamID, user loci.UserID,
	role loci.MemberRole) (loci.User, error) {
	if err := s.Begin(ctx, p, TeamRole); err != nil {
		return loci.User{}, err
	}
	if _, err := loci.ParseMemberRole(string(role)); err != nil {
		return loci.User{}, err
	}
	var u loci.User
	err := s.Write(ctx, p, TeamRole, func(tx store.Tx, e *loci.AuditEntry) (err error) {
		e.Target = user.String()
		_, mine, err := administer(ctx, tx, p, id)
		if err != nil {
			return err
		}
		if u, err = memberOf(ctx, tx, id, user); err != nil {
			return err
		}
		if !mine.AtLeast(role) || !mine.AtLeast(u.TeamRole) {
			return ErrAbove()
		}
		if u.TeamRole == role {
			e.Action = ""
			return nil
		}
		if err := keepTeamOwner(ctx, tx, u); err != nil {
			return err
		}
		if !role.AtLeast(u.TeamRole) && !u.OrgRole.AtLeast(loci.MemberAdmin) {
			if err := Withdraw(ctx, tx, u.ID, id); err != nil {
				return err
			}
		}
		u.TeamRole = role
		return tx.Users().Update(ctx, u)
	})
	return u, err
}

// ErrAbove is the error for changing someone whose role is above the caller's.
func ErrAbove() error {
	return loci.Errorf(loci.Forbidden, "cannot give or take a role above your own")
}

// memberOf returns a user who is in that team. Otherwise it returns the same NotFound for everyone.
func memberOf(ctx context.Context, tx store.Tx, id loci.TeamID, user loci.UserID) (loci.User, error) {
	u, err := tx.Users().Get(ctx, user)
	if loci.CodeOf(err) == loci.NotFound || err == nil && u.TeamID != id {
		return loci.User{}, loci.Errorf(loci.NotFound, "no such user")
	}
	return u, err
}
