package org

import (
	"cmp"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// LeaveTeam takes the person out of their team. In the same transaction, it stops sharing what they
// shared. If they were the last member, it deletes the team. It fails with NotFound if they are not
// in that team, and with Conflict for the last owner of a team with other members.
func (s *Service) LeaveTeam(ctx context.Context, p loci.Principal, id loci.TeamID) error {
	return s.BeginWrite(ctx, p, TeamLeave, func(tx store.Tx, e *loci.AuditEntry) error {
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

// RemoveFromTeam works like LeaveTeam for another person. Admins of the team may call it. It fails with Forbidden for
// a role above one's own, with NotFound like Team, and with NotFound for a user who is not in the team.
func (s *Service) RemoveFromTeam(ctx context.Context, p loci.Principal, id loci.TeamID, user loci.UserID) error {
	return s.BeginWrite(ctx, p, TeamRemove, func(tx store.Tx, e *loci.AuditEntry) error {
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

// keepTeamOwner rejects removing the last owner of a team that has other members.
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
		return loci.Errorf(loci.Conflict, "cannot remove the last owner of the team; make someone else an owner first")
	}
	return nil
}

// TakeOut takes a user out of their team, if any. It also withdraws what they shared and the invitations that they
// made by their role. It deletes a team that has no members left. If a team has no owner left, the member with the
// highest role becomes the owner; among equals, the one who joined first.
func (s *Service) TakeOut(ctx context.Context, tx store.Tx, p loci.Principal, u loci.User) error {
	if u.TeamID.IsZero() {
		return nil
	}
	if err := s.detach(ctx, tx, p, u); err != nil {
		return err
	}
	if !u.OrgRole.AtLeast(loci.MemberAdmin) { // org admins keep theirs, because they can invite without the team role
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

// detach takes a user and what they shared out of their team, whatever happens to the team.
func (s *Service) detach(ctx context.Context, tx store.Tx, p loci.Principal, u loci.User) error {
	if err := s.o.Memories.Release(ctx, tx, p, u); err != nil {
		return err
	}
	if err := s.o.Nodes.Release(ctx, tx, u); err != nil {
		return err
	}
	if err := tx.Candidates().Release(ctx, u.ID, u.TeamID); err != nil {
		return err
	}
	if err := tx.Sessions().Release(ctx, u.ID, u.TeamID, s.Time()); err != nil {
		return err
	}
	u.TeamID, u.TeamRole = loci.TeamID{}, ""
	return tx.Users().Update(ctx, u)
}
