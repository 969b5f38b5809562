package org

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// orgRole returns the acting person's present role in the org. The operator ranks above everyone.
func orgRole(ctx context.Context, tx store.Tx, p loci.Principal) (loci.MemberRole, error) {
	if p.Kind == loci.KindLocal {
		return loci.MemberOwner, nil
	}
	me, err := tx.Users().Get(ctx, p.UserID)
	return me.OrgRole, err
}

// Members returns the people of the org with ids above after, by id, and whether there are more. If limit is 0, it is
// DefaultPage; the maximum is MaxPage.
func (s *Service) Members(ctx context.Context, p loci.Principal, after loci.UserID, limit int) (list []loci.User,
	more bool, err error) {
	err = s.Begin(ctx, p, MemberList, gate.SetSize("limit", &limit, gate.DefaultPage, gate.MaxPage))
	if err != nil {
		return nil, false, err
	}
	list, err = gate.View(ctx, s.Gate, p, func(tx store.Tx) ([]loci.User, error) {
		return tx.Users().List(ctx, after, limit+1)
	})
	return list[:min(len(list), limit)], len(list) > limit, err
}

// MemberChange has the fields to change. Nil fields stay unchanged.
type MemberChange struct {
	Role     *loci.MemberRole
	Disabled *bool
	// Transfer makes the member the person who holds the org (Org.OwnerID), and an owner. Only the
	// present holder and the operator may set it.
	Transfer bool
}

func (c *MemberChange) action() gate.Action {
	switch {
	case c.Disabled == nil:
		return MemberRole
	case *c.Disabled:
		return MemberRemove
	}
	return MemberEnable
}

// SetMember changes a person's role in the org, disables or enables their account, or transfers the org to them. A
// disabled person loses sign-ins, keys, grants, team and the invitations that they made, and no longer shares
// anything. Their memories and places in projects stay. A lower role also revokes invitations. It fails with NotFound
// if the user isn't in the org, and with Forbidden for a role above one's own. It fails with Conflict for the last
// owner, for the person who holds the org, and for disabling oneself.
func (s *Service) SetMember(ctx context.Context, p loci.Principal, user loci.UserID, c MemberChange) (
	loci.User, error) {
	if err := s.Begin(ctx, p, c.action()); err != nil {
		return loci.User{}, err
	}
	if c.Role != nil {
		if _, err := loci.ParseMemberRole(string(*c.Role)); err != nil {
			return loci.User{}, err
		}
	}
	org, err := s.Store.Orgs().Get(ctx, p.OrgID)
	if err != nil {
		return loci.User{}, err
	}
	if c.Transfer {
		owner := loci.MemberOwner
		c.Role = &owner
	}
	if c.Disabled != nil && !*c.Disabled {
		if err := s.clearAccess(ctx, p.OrgID, user); err != nil {
			return loci.User{}, err
		}
	}
	var u loci.User
	err = s.Write(ctx, p, c.action(), func(tx store.Tx, e *loci.AuditEntry) (err error) {
		e.Target = user.String()
		if u, err = tx.Users().Get(ctx, user); err != nil {
			return err
		}
		was := u
		if err := s.setMember(ctx, tx, p, org, &u, c); err != nil {
			return err
		}
		if u == was && !c.Transfer {
			e.Action = ""
		}
		return nil
	})
	if err != nil {
		return loci.User{}, err
	}
	if c.Transfer {
		_, err := s.Store.Orgs().Update(ctx, p.OrgID, func(o *loci.Org) error {
			if p.Kind != loci.KindLocal && o.OwnerID != p.UserID {
				return errHandsOver()
			}
			o.OwnerID = user
			return nil
		})
		return u, err
	}
	if u.Disabled {
		return u, s.endAccess(ctx, p.OrgID, user)
	}
	return u, nil
}

func errHandsOver() error {
	return loci.Errorf(loci.Forbidden, "only the person who holds the org can transfer it")
}

func (s *Service) setMember(ctx context.Context, tx store.Tx, p loci.Principal, org loci.Org, u *loci.User,
	c MemberChange) error {
	mine, err := orgRole(ctx, tx, p)
	if err != nil {
		return err
	}
	if !mine.AtLeast(u.OrgRole) || c.Role != nil && !mine.AtLeast(*c.Role) {
		return ErrAbove()
	}
	if c.Transfer && p.Kind != loci.KindLocal && org.OwnerID != p.UserID {
		return errHandsOver()
	}
	out := c.Disabled != nil && *c.Disabled
	switch {
	case c.Transfer && (out || u.Disabled):
		return loci.Errorf(loci.Conflict, "this account is disabled and cannot hold the org; enable it first")
	case out && p.Kind != loci.KindLocal && u.ID == p.UserID:
		return loci.Errorf(loci.Conflict, "you cannot disable your own account; ask another admin of the org")
	case out && org.OwnerID == u.ID:
		return loci.Errorf(loci.Conflict, "this person holds the org; transfer it to another owner first")
	case out, c.Role != nil && *c.Role != loci.MemberOwner:
		if err := KeepOwner(ctx, tx, *u); err != nil {
			return err
		}
	}
	if c.Role != nil && *c.Role != loci.MemberOwner && org.OwnerID == u.ID {
		return loci.Errorf(loci.Conflict,
			"this person holds the org and must stay an owner; transfer the org first")
	}
	if out || c.Role != nil && !c.Role.AtLeast(u.OrgRole) {
		if err := Withdraw(ctx, tx, u.ID, loci.TeamID{}); err != nil {
			return err
		}
	}
	if out {
		if err := s.TakeOut(ctx, tx, p, *u); err != nil {
			return err
		}
		u.TeamID, u.TeamRole = loci.TeamID{}, ""
	}
	if c.Disabled != nil {
		u.Disabled = *c.Disabled
	}
	if c.Role != nil {
		u.OrgRole = *c.Role
	}
	return tx.Users().Update(ctx, *u)
}

// Withdraw revokes the invitations made by someone who may no longer make them: those to a team, or
// all if team is zero.
func Withdraw(ctx context.Context, tx store.Tx, user loci.UserID, team loci.TeamID) error {
	list, err := tx.Teams().Invitations(ctx, team)
	if err != nil {
		return err
	}
	for _, i := range list {
		if i.InvitedBy != user || i.State != loci.InvitePending {
			continue
		}
		if err := tx.Teams().Settle(ctx, i.ID, loci.InviteRevoked); err != nil {
			return err
		}
	}
	return nil
}

// clearAccess works like endAccess for a disabled person before they are enabled again. The call that disabled them
// may have been interrupted, and a request running at that time may have created another key.
func (s *Service) clearAccess(ctx context.Context, org loci.OrgID, user loci.UserID) error {
	var u loci.User
	err := s.Store.View(ctx, org, func(tx store.Tx) (err error) { u, err = tx.Users().Get(ctx, user); return err })
	if err != nil || !u.Disabled {
		return err
	}
	return s.endAccess(ctx, org, user)
}

// endAccess revokes every credential with which a person could get in.
func (s *Service) endAccess(ctx context.Context, org loci.OrgID, user loci.UserID) error {
	now := s.Time()
	for _, m := range []loci.Method{loci.BySignIn, loci.ByKey, loci.ByLink, loci.ByOAuth} {
		if _, err := s.Store.Credentials().RevokeAll(ctx, org, user, m, loci.CredentialID{}, now); err != nil {
			return err
		}
	}
	grants, err := s.Store.OAuth().Grants(ctx, org, user)
	if err != nil {
		return err
	}
	for _, g := range grants {
		if !g.RevokedAt.IsZero() {
			continue
		}
		if err := s.Store.OAuth().Revoke(ctx, org, user, g.ID, now); err != nil {
			return err
		}
	}
	return store.ForgetPacks(ctx, s.Store, org, user, [16]byte{})
}

// KeepOwner rejects losing the last owner of the org.
func KeepOwner(ctx context.Context, tx store.Tx, u loci.User) error {
	if u.OrgRole != loci.MemberOwner || u.Disabled {
		return nil
	}
	n, err := tx.Users().Owners(ctx)
	if err == nil && n < 2 {
		err = loci.Errorf(loci.Conflict, "cannot remove the last owner of the org; make someone else an owner first")
	}
	return err
}
