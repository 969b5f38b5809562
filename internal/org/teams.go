package org

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// TeamView is a team with its people. Invites is for those who administer it.
type TeamView struct {
	loci.Team
	Members []loci.User   `json:"members" nullable:"false"`
	Invites []loci.Invite `json:"invites,omitempty"`
}

func errNoSuchTeam() error { return loci.Errorf(loci.NotFound, "no such team") }
func errNoSuchUser() error { return loci.Errorf(loci.NotFound, "no such user") }

// teamRole returns what the acting person is in a team: their role in it, or in
// the org if that is more and they administer the org. Rows decide, not what
// was true when the request was authenticated. NotFound for a team that is
// absent and for one that is none of theirs, alike.
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

// administer is teamRole for those who are at least an admin; Forbidden for
// plain members.
func administer(ctx context.Context, tx store.Tx, p loci.Principal, id loci.TeamID) (
	loci.Team, loci.MemberRole, error) {
	team, role, err := teamRole(ctx, tx, p, id)
	if err == nil && !role.AtLeast(loci.MemberAdmin) {
		err = loci.Errorf(loci.Forbidden, "that needs the role admin in the team or the org")
	}
	return team, role, err
}

func checkName(name string) error { return loci.CheckText("name", name, 1, loci.MaxName) }

// CreateTeam makes a team with the person as its owner. Conflict if they are in
// one already, or the org has one of that name.
func (s *Service) CreateTeam(ctx context.Context, p loci.Principal, name string) (loci.Team, error) {
	if err := s.Begin(ctx, p, TeamCreate); err != nil {
		return loci.Team{}, err
	}
	if err := checkName(name); err != nil {
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
	if err != nil {
		return loci.Team{}, err
	}
	return team, nil
}

func errOtherTeam() error {
	return loci.Errorf(loci.Conflict, "a person is in one team at a time; leave yours first")
}

// Teams returns the teams that the person may look at, by name: their own, or
// all for an admin of the org.
func (s *Service) Teams(ctx context.Context, p loci.Principal) ([]loci.Team, error) {
	if err := s.Begin(ctx, p, TeamRead); err != nil {
		return nil, err
	}
	teams, err := gate.View(ctx, s.Gate, p, func(tx store.Tx) ([]loci.Team, error) {
		return tx.Teams().List(ctx)
	})
	if p.Kind != loci.KindLocal && !p.OrgRole.AtLeast(loci.MemberAdmin) {
		teams = slices.DeleteFunc(teams, func(t loci.Team) bool { return t.ID != p.TeamID })
	}
	return teams, err
}

// Team returns a team with its members, and for those who administer it with
// its invitations. NotFound for a team that is not there or none of theirs.
func (s *Service) Team(ctx context.Context, p loci.Principal, id loci.TeamID) (*TeamView, error) {
	if err := s.Begin(ctx, p, TeamRead); err != nil {
		return nil, err
	}
	return gate.View(ctx, s.Gate, p, func(tx store.Tx) (*TeamView, error) {
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

// RenameTeam gives a team another name. NotFound as for Team; Forbidden for
// plain members; Conflict if the org has one of that name.
func (s *Service) RenameTeam(ctx context.Context, p loci.Principal, id loci.TeamID, name string) (loci.Team, error) {
	if err := s.Begin(ctx, p, TeamChange); err != nil {
		return loci.Team{}, err
	}
	if err := checkName(name); err != nil {
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
	if err != nil {
		return loci.Team{}, err
	}
	return team, nil
}

// DeleteTeam deletes a team with its invitations; what was shared goes back to
// being only theirs who shared it. The team's owner may, and whoever administers
// the org. Conflict while it has other members, unless force is set; NotFound
// as for Team.
func (s *Service) DeleteTeam(ctx context.Context, p loci.Principal, id loci.TeamID, force bool) error {
	if err := s.Begin(ctx, p, TeamDelete); err != nil {
		return err
	}
	return s.Write(ctx, p, TeamDelete, func(tx store.Tx, e *loci.AuditEntry) error {
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
			return loci.Errorf(loci.Conflict, "the team still has other members; remove them first, or delete it with force")
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

// SetTeamRole gives a member another role. Nobody gives or takes a role above
// their own: Forbidden. A lower role ends the invitations that were given with
// the higher one. The last owner of a team with other members keeps the role: Conflict. NotFound for a team as for
// Team, and for a user who is not in it.
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
		if u.TeamRole == loci.MemberOwner {
			if err := keepTeamOwner(ctx, tx, u); err != nil {
				return err
			}
		}
		if !role.AtLeast(u.TeamRole) && !u.OrgRole.AtLeast(loci.MemberAdmin) {
			if err := Withdraw(ctx, tx, u.ID, id); err != nil {
				return err
			}
		}
		u.TeamRole = role
		return tx.Users().Update(ctx, u)
	})
	if err != nil {
		return loci.User{}, err
	}
	return u, nil
}

// ErrAbove refuses to change somebody whose role is above the caller's.
func ErrAbove() error {
	return loci.Errorf(loci.Forbidden, "nobody gives or takes a role above their own")
}

// memberOf returns a user who is in that team, or the NotFound that anybody
// else gets.
func memberOf(ctx context.Context, tx store.Tx, id loci.TeamID, user loci.UserID) (loci.User, error) {
	u, err := tx.Users().Get(ctx, user)
	if loci.CodeOf(err) == loci.NotFound || err == nil && u.TeamID != id {
		return loci.User{}, errNoSuchUser()
	}
	return u, err
}
