package org

import (
	"context"
	"fmt"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// Invited is a new invitation. Its token is returned only here.
type Invited struct {
	Invite loci.Invite
	Token  loci.Secret
}

// Joined is the result of accepting an invitation.
type Joined struct {
	Org  loci.Org
	Team *TeamView // nil: the invitation was only to the org
}

// maxInvites is the maximum number of invitations in one call.
const maxInvites = 50

// InviteToTeam invites the holders of e-mail addresses to a team. Those without an account also become members of the
// org. The answer doesn't reveal whether an address has an account. It fails with NotFound like Team, with Forbidden
// for plain members and for a role above one's own, with Conflict if one of them is already in the team, and with
// Invalid for a malformed address. A role above member has the same requirements as SetTeamRole.
func (s *Service) InviteToTeam(ctx context.Context, p loci.Principal, id loci.TeamID, emails []string,
	role loci.MemberRole) ([]Invited, error) {
	if err := s.Begin(ctx, p, TeamInvite); err != nil {
		return nil, err
	}
	made, err := s.newInvites(p, emails, role, loci.Invite{TeamID: id, OrgRole: loci.Member, TeamRole: role})
	if err != nil {
		return nil, err
	}
	if role != loci.Member {
		if err := s.Also(ctx, p, TeamRole); err != nil {
			return nil, err
		}
	}
	return s.invite(ctx, p, TeamInvite, made, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		_, mine, err := administer(ctx, tx, p, id)
		if err != nil {
			return err
		}
		if !mine.AtLeast(role) {
			return ErrAbove()
		}
		members, err := tx.Users().Team(ctx, id)
		if err != nil {
			return err
		}
		for _, m := range made {
			if slices.ContainsFunc(members, func(u loci.User) bool { return u.Email == m.Invite.Email }) {
				return loci.Errorf(loci.Conflict, "one of these people is already in the team")
			}
		}
		return nil
	})
}

// InviteToOrg invites the holders of e-mail addresses to the org. The answer doesn't reveal whether
// an address has an account elsewhere. It fails with Forbidden for a role above one's own, and with
// Invalid for a malformed address. A role above member has the same requirements as SetMember.
func (s *Service) InviteToOrg(ctx context.Context, p loci.Principal, emails []string, role loci.MemberRole) (
	[]Invited, error) {
	if err := s.Begin(ctx, p, Invite); err != nil {
		return nil, err
	}
	made, err := s.newInvites(p, emails, role, loci.Invite{OrgRole: role})
	if err != nil {
		return nil, err
	}
	if role != loci.Member {
		if err := s.Also(ctx, p, MemberRole); err != nil {
			return nil, err
		}
	}
	return s.invite(ctx, p, Invite, made, func(tx store.Tx, _ *loci.AuditEntry) error {
		mine, err := orgRole(ctx, tx, p)
		if err == nil && !mine.AtLeast(role) {
			err = ErrAbove()
		}
		return err
	})
}

// newInvites returns an invitation like model for each address.
func (s *Service) newInvites(p loci.Principal, emails []string, role loci.MemberRole, model loci.Invite) (
	[]Invited, error) {
	if _, err := loci.ParseMemberRole(string(role)); err != nil {
		return nil, err
	}
	if len(emails) == 0 || len(emails) > maxInvites {
		return nil, loci.FieldErrorf("emails", "must have 1 to %d entries", maxInvites)
	}
	now := s.Time()
	var out []Invited
	for n, sName := range emails {
		email, err := loci.ParseEmail(sName)
		if err != nil {
			return nil, loci.FieldErrorf(fmt.Sprintf("emails[%d]", n), "must be an address like mara@example.org")
		}
		if slices.ContainsFunc(out, func(x Invited) bool { return x.Invite.Email == email }) {
			continue
		}
		token := auth.NewSecret(auth.InvitePrefix)
		i := model
		i.ID, i.Email, i.InvitedBy, i.State = loci.NewInviteID(), email, p.UserID, loci.InvitePending
		i.CreatedAt, i.ExpiresAt, i.Hash = now, now.Add(loci.InviteLife), auth.Hash(token)
		out = append(out, Invited{Invite: i, Token: token})
	}
	return out, nil
}

// invite stores the invitations that check allows in the org, whose row is authoritative. Then it
// makes them findable by their tokens.
func (s *Service) invite(ctx context.Context, p loci.Principal, act gate.Action, made []Invited,
	check func(store.Tx, *loci.AuditEntry) error) ([]Invited, error) {
	err := s.Write(ctx, p, act, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Count = len(made)
		if err := check(tx, e); err != nil {
			return err
		}
		for _, m := range made {
			if err := tx.Teams().Invite(ctx, m.Invite); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, m := range made {
		if err := s.Store.People().Announce(ctx, p.OrgID, m.Invite); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// Invites returns the invitations to the org and its teams, newest first.
func (s *Service) Invites(ctx context.Context, p loci.Principal) ([]loci.Invite, error) {
	return gate.BeginView(ctx, s.Gate, p, MemberList, func(tx store.Tx) ([]loci.Invite, error) {
		return tx.Teams().Invitations(ctx, loci.TeamID{})
	})
}

func errNoInvite() error {
	return loci.Errorf(loci.NotFound,
		"this invitation does not exist, was used or revoked, or has expired; ask for a new one")
}

// RevokeInvite revokes an invitation. Admins of its team may do that, or admins of the org for an invitation to the
// org. It fails with NotFound if the invitation doesn't exist, isn't pending or isn't theirs to revoke.
func (s *Service) RevokeInvite(ctx context.Context, p loci.Principal, id loci.InviteID) error {
	return s.BeginWrite(ctx, p, TeamInvite, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		i, err := tx.Teams().Invitation(ctx, id)
		if loci.CodeOf(err) == loci.NotFound {
			return errNoInvite()
		}
		if err != nil {
			return err
		}
		var role loci.MemberRole
		if i.TeamID.IsZero() {
			role, err = orgRole(ctx, tx, p)
		} else {
			_, role, err = teamRole(ctx, tx, p, i.TeamID)
		}
		if loci.CodeOf(err) == loci.NotFound || err == nil && !role.AtLeast(loci.MemberAdmin) {
			return errNoInvite()
		}
		if err != nil {
			return err
		}
		if err := tx.Teams().Settle(ctx, id, loci.InviteRevoked); loci.CodeOf(err) == loci.Conflict {
			return errNoInvite()
		} else if err != nil {
			return err
		}
		return nil
	})
}

// AcceptInvite adds the person to the team of an invitation to their own e-mail address. It fails
// with the same NotFound if the token is unknown, used, revoked, expired or for another address. It
// fails with Conflict if the invitation is to another org, or if the person is in another team.
func (s *Service) AcceptInvite(ctx context.Context, p loci.Principal, token loci.Secret) (*Joined, error) {
	if err := s.Begin(ctx, p, TeamJoin); err != nil {
		return nil, err
	}
	id, found, err := s.Store.People().Invited(ctx, auth.Hash(token))
	if loci.CodeOf(err) == loci.NotFound {
		return nil, errNoInvite()
	}
	if err != nil {
		return nil, err
	}
	joined := &Joined{}
	if joined.Org, err = s.Store.Orgs().Get(ctx, p.OrgID); err != nil {
		return nil, err
	}
	err = s.Write(ctx, p, TeamJoin, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = found.ID.String()
		me, err := tx.Users().Get(ctx, p.UserID)
		if err != nil {
			return err
		}
		if me.Email != found.Email || !found.Usable(s.Time()) {
			return errNoInvite()
		}
		if id != p.OrgID {
			return loci.Errorf(loci.Conflict,
				"this invitation is to another org, and a person can belong to only one; accept it with another e-mail address")
		}
		joined.Team, err = s.join(ctx, tx, p, me, found)
		return err
	})
	return joined, err
}

// join marks an invitation as used, unless it was used or revoked meanwhile.
func (s *Service) join(ctx context.Context, tx store.Tx, p loci.Principal, me loci.User, i loci.Invite) (
	*TeamView, error) {
	err := tx.Teams().Settle(ctx, i.ID, loci.InviteAccepted)
	if code := loci.CodeOf(err); code == loci.NotFound || code == loci.Conflict {
		return nil, errNoInvite()
	}
	if err != nil {
		return nil, err
	}
	if i.TeamID.IsZero() {
		return nil, nil
	}
	if !me.TeamID.IsZero() && me.TeamID != i.TeamID {
		return nil, errOtherTeam()
	}
	if me.TeamID.IsZero() {
		me.TeamID, me.TeamRole = i.TeamID, i.TeamRole
		if err := tx.Users().Update(ctx, me); err != nil {
			return nil, err
		}
	}
	return viewTeam(ctx, tx, p, i.TeamID)
}
