package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// FindOrCreate returns the holder of a verified e-mail address. A new address with an invitation
// becomes a member of that org. Another new address gets its own org if open is set, otherwise
// FindOrCreate fails with Forbidden. It fails with Invalid if email is not an e-mail address.
func (a *Authenticator) FindOrCreate(ctx context.Context, email string, open bool) (loci.Person, error) {
	email, err := loci.ParseEmail(email)
	if err != nil {
		return loci.Person{}, err
	}
	who, err := a.o.Store.People().ByEmail(ctx, email)
	if loci.CodeOf(err) != loci.NotFound {
		return who, err
	}
	org, invite, err := a.o.Store.People().InvitedEmail(ctx, email, loci.CutTime(a.o.Now()))
	switch {
	case err == nil:
		who, err = a.join(ctx, org, invite)
	case loci.CodeOf(err) != loci.NotFound:
		return loci.Person{}, err
	case open:
		who, err = a.settle(ctx, email)
	default:
		return loci.Person{}, loci.Errorf(loci.Forbidden,
			"this e-mail address has no account on this server; ask someone who has one for an invitation")
	}
	if loci.CodeOf(err) == loci.Conflict { // another request just created the account
		return a.o.Store.People().ByEmail(ctx, email)
	}
	return who, err
}

// settle creates an org for the holder of an address.
func (a *Authenticator) settle(ctx context.Context, email string) (loci.Person, error) {
	now := loci.CutTime(a.o.Now())
	var random [6]byte
	_, _ = rand.Read(random[:]) // never fails
	name, _, _ := strings.Cut(email, "@")
	name = cmp.Or(loci.OneLine(name), "me")
	if letters := []rune(name); len(letters) > loci.MaxName {
		name = string(letters[:loci.MaxName])
	}
	owner := loci.User{ID: loci.NewUserID(), OrgID: loci.OrgID("u-" + hex.EncodeToString(random[:])), Email: email,
		Role: loci.RoleUser, OrgRole: loci.MemberOwner, CreatedAt: now}
	org := loci.Org{ID: owner.OrgID, Name: name, OwnerID: owner.ID, State: loci.OrgActive, CreatedAt: now}
	if _, _, err := a.o.Store.Orgs().Ensure(ctx, org, owner); err != nil {
		return loci.Person{}, err
	}
	return loci.Person{UserID: owner.ID, OrgID: owner.OrgID, Email: email}, nil
}

// join adds the holder of an invitation to its org and team, and marks the invitation as accepted.
// It fails with Conflict if either already happened.
func (a *Authenticator) join(ctx context.Context, id loci.OrgID, invite loci.Invite) (loci.Person, error) {
	org, err := a.o.Store.Orgs().Get(ctx, id)
	if err != nil {
		return loci.Person{}, err
	}
	if org.State == loci.OrgSuspended {
		return loci.Person{}, loci.Errorf(loci.Forbidden, "this org is suspended; ask the operator of the server")
	}
	now := loci.CutTime(a.o.Now())
	u := loci.User{ID: loci.NewUserID(), OrgID: id, Email: invite.Email, Role: loci.RoleUser,
		OrgRole: cmp.Or(invite.OrgRole, loci.Member), CreatedAt: now}
	err = a.o.Store.People().Add(ctx, u, func(tx store.Tx) error {
		i, err := tx.Teams().Invitation(ctx, invite.ID) // the org's own row is authoritative
		if err != nil {
			return err
		}
		if !i.Usable(now) || i.Email != u.Email {
			return errBadInvitation()
		}
		if err := tx.Teams().Settle(ctx, i.ID, loci.InviteAccepted); err != nil {
			return err
		}
		member := u
		member.OrgRole, member.TeamID, member.TeamRole = cmp.Or(i.OrgRole, loci.Member), i.TeamID, i.TeamRole
		if err := tx.Users().Update(ctx, member); err != nil {
			return err
		}
		if err := Welcome(ctx, tx, org, u.ID); err != nil {
			return err
		}
		// If Loci can't record the action, it doesn't do it. The action is org.TeamJoin's.
		return tx.Audit().Add(ctx,
			loci.AuditEntry{At: now, Action: "team.join", Allowed: true, Kind: loci.KindUser, UserID: u.ID,
				Target: i.ID.String()})
	})
	if err != nil {
		return loci.Person{}, err
	}
	return loci.Person{UserID: u.ID, OrgID: id, Email: u.Email}, nil
}

// Welcome adds a new user to the org's oldest workspace if the org uses workspaces, because without
// one the user couldn't get in. It runs in the transaction that creates the user.
func Welcome(ctx context.Context, tx store.Tx, org loci.Org, user loci.UserID) error {
	if !org.Workspaces {
		return nil
	}
	list, err := tx.Workspaces().List(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	return tx.Workspaces().Join(ctx, list[0].ID, user)
}

// ForgetFailures lets a person try to sign in again at once, regardless of earlier failures.
func ForgetFailures(ctx context.Context, l store.Limits, who loci.Person) error {
	if err := l.Clear(ctx, byPerson(who.UserID).key); err != nil || who.Email == "" {
		return err
	}
	return l.Clear(ctx, byAccount(who.Email).key)
}

// InvitationNames returns the names of the inviter and the team of an invitation from Invitation.
// They are for the holder of its token. A name is "" if there is none, or if it no longer exists.
func (s *SignIn) InvitationNames(ctx context.Context, org loci.OrgID, i loci.Invite) (inviter, team string, err error) {
	err = s.o.Store.View(ctx, org, func(tx store.Tx) error {
		inviter, team = "", ""
		u, err := tx.Users().Get(ctx, i.InvitedBy)
		if err != nil && loci.CodeOf(err) != loci.NotFound {
			return err
		}
		inviter = cmp.Or(u.Name, u.Email)
		if i.TeamID.IsZero() {
			return nil
		}
		t, err := tx.Teams().Get(ctx, i.TeamID)
		if err != nil && loci.CodeOf(err) != loci.NotFound {
			return err
		}
		team = t.Name
		return nil
	})
	return inviter, team, err
}
