package org

import (
	"cmp"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// LeaveTeam takes the person out of their team. What they shared goes back to
// being only theirs in the same transaction. Whoever leaves last deletes the
// team. NotFound if they are not in that team; Conflict for the last owner of a
// team with other members.
func (s *Service) LeaveTeam(ctx context.Context, p loci.Principal, id loci.TeamID) error {
	if err := s.Begin(ctx, p, TeamLeave); err != nil {
		return err
	}
	return s.Write(ctx, p, TeamLeave, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		me, err := tx.Users().Get(ctx, p.UserID)
		if err != nil {
			return err
		}
		if id.IsZero() || me.TeamID != id {
			return errNoSuchTeam()
		}
		if err := keepTeamOwner(ctx, tx, me); err != nil {
			return err
		}
		return s.TakeOut(ctx, tx, p, me)
	})
}

// RemoveFromTeam is LeaveTeam for somebody else. Whoever administers the team
// may, but nobody removes a role above their own: Forbidden. NotFound for a team
// as for Team, and for a user who is not in it.
func (s *Service) RemoveFromTeam(ctx context.Context, p loci.Principal, id loci.TeamID, user loci.UserID) error {
	if err := s.Begin(ctx, p, TeamRemove); err != nil {
		return err
	}
	return s.Write(ctx, p, TeamRemove, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = user.String()
		_, mine, err := administer(ctx, tx, p, id)
		if err != nil {
			return err
		}
		u, err := memberOf(ctx, tx, id, user)
		if err != nil {
			return err
		}
		if !mine.AtLeast(u.TeamRole) {
			return ErrAbove()
		}
		if err := keepTeamOwner(ctx, tx, u); err != nil {
			return err
		}
		return s.TakeOut(ctx, tx, p, u)
	})
}

// keepTeamOwner refuses to lose the last owner of a team that has other members.
func keepTeamOwner(ctx context.Context, tx store.Tx, u loci.User) error {
	if u.TeamRole != loci.MemberOwner {
		return nil
	}
	members, err := tx.Users().Team(ctx, u.TeamID)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(members, func(m loci.User) bool { return m.ID == u.ID })
	owner := slices.ContainsFunc(others, func(m loci.User) bool { return m.TeamRole == loci.MemberOwner })
	if len(others) > 0 && !owner {
		return loci.Errorf(loci.Conflict, "this is the last owner of the team; make somebody else an owner first")
	}
	return nil
}

// TakeOut takes a user out of their team, if they are in one, with what they
// shared, and the invitations that they gave with their role in it. A team without members is deleted; one without an
// owner gets the member of the highest role as its owner, of equal ones the one who was there
// first.
func (s *Service) TakeOut(ctx context.Context, tx store.Tx, p loci.Principal, u loci.User) error {
	if u.TeamID.IsZero() {
		return nil
	}
	if err := s.detach(ctx, tx, p, u); err != nil {
		return err
	}
	if !u.OrgRole.AtLeast(loci.MemberAdmin) { // who could not have given them otherwise
		if err := Withdraw(ctx, tx, u.ID, u.TeamID); err != nil {
			return err
		}
	}
	members, err := tx.Users().Team(ctx, u.TeamID)
	if err != nil {
		return err
	}
	if len(members) == 0 {
		return tx.Teams().Delete(ctx, u.TeamID)
	}
	heir := slices.MaxFunc(members, func(x, y loci.User) int {
		return cmp.Or(compareRoles(x.TeamRole, y.TeamRole), y.CreatedAt.Compare(x.CreatedAt))
	})
	if heir.TeamRole == loci.MemberOwner {
		return nil
	}
	heir.TeamRole = loci.MemberOwner
	return tx.Users().Update(ctx, heir)
}

func compareRoles(x, y loci.MemberRole) int {
	switch {
	case x == y:
		return 0
	case x.AtLeast(y):
		return 1
	}
	return -1
}

// detach takes a user out of their team with what they shared, whatever
// becomes of the team.
func (s *Service) detach(ctx context.Context, tx store.Tx, p loci.Principal, u loci.User) error {
	if err := s.memories.Release(ctx, tx, p, u); err != nil {
		return err
	}
	if err := s.nodes.Release(ctx, tx, u); err != nil {
		return err
	}
	u.TeamID, u.TeamRole = loci.TeamID{}, ""
	return tx.Users().Update(ctx, u)
}
