package identity

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/store"
)

// Identity describes the owner of a credential.
type Identity struct {
	Principal loci.Principal
	User      loci.User
	Org       loci.Org
	Team      *loci.Team // nil: none
}

// IsOperator reports whether the commands of the operator act for this person unless they name another one.
func (i *Identity) IsOperator() bool {
	return i.Org.ID == loci.DefaultOrg && i.Org.OwnerID == i.User.ID
}

// WhoAmI returns who p is and for whom it acts.
func (s *Service) WhoAmI(ctx context.Context, p loci.Principal) (*Identity, error) {
	if err := s.Begin(ctx, p, WhoAmI); err != nil {
		return nil, err
	}
	id := &Identity{Principal: p}
	var err error
	if id.Org, err = s.Store.Orgs().Get(ctx, p.OrgID); err != nil {
		return nil, err
	}
	err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		if id.User, err = tx.Users().Get(ctx, p.UserID); err != nil || id.User.TeamID.IsZero() {
			return err
		}
		team, err := tx.Teams().Get(ctx, id.User.TeamID)
		id.Team = &team
		return err
	})
	return id, err
}

// RenameMe changes the person's name. It fails with Invalid if the name is too long.
func (s *Service) RenameMe(ctx context.Context, p loci.Principal, name string) (loci.User, error) {
	if err := s.Begin(ctx, p, AccountChange, loci.CheckText("name", name, 0, loci.MaxName)); err != nil {
		return loci.User{}, err
	}
	var me loci.User
	err := s.Write(ctx, p, AccountChange, func(tx store.Tx, e *loci.AuditEntry) (err error) {
		e.Target = p.UserID.String()
		if me, err = tx.Users().Get(ctx, p.UserID); err != nil {
			return err
		}
		if me.Name == name {
			e.Action = ""
			return nil
		}
		me.Name = name
		return tx.Users().Update(ctx, me)
	})
	return me, err
}

// DeleteAccount permanently deletes the person: memories, keys, sign-ins, grants, memberships. It
// fails with Invalid unless confirm is their e-mail address or id, and with Conflict for the person
// who holds the org or is its last owner.
func (s *Service) DeleteAccount(ctx context.Context, p loci.Principal, confirm string) error {
	if err := s.Begin(ctx, p, AccountDelete); err != nil {
		return err
	}
	return s.deleteUser(ctx, p, AccountDelete, p.UserID, func(u loci.User) error {
		email, err := loci.ParseEmail(confirm)
		if confirm == u.ID.String() || err == nil && u.Email != "" && email == u.Email {
			return nil
		}
		return loci.FieldErrorf("confirm",
			"must be your own e-mail address or user id, because all your data will be permanently deleted")
	})
}

// deleteUser removes a person in two steps. First it records the action, checks it and takes the
// person out of their team. Then it erases all their data. The second step can be repeated.
func (s *Service) deleteUser(ctx context.Context, p loci.Principal, act gate.Action, id loci.UserID,
	check func(loci.User) error) error {
	o, err := s.Store.Orgs().Get(ctx, p.OrgID)
	if err == nil {
		err = org.NotHeld(&o, "this person")
	}
	if err != nil {
		return err
	}
	err = s.Write(ctx, p, act, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		u, err := tx.Users().Get(ctx, id)
		if err != nil {
			return err
		}
		if err := check(u); err != nil {
			return err
		}
		if o.OwnerID == id {
			return loci.Errorf(loci.Conflict,
				"this person holds the org; transfer it to another owner first, or delete the org")
		}
		if err := org.KeepOwner(ctx, tx, u); err != nil {
			return err
		}
		if err := org.Withdraw(ctx, tx, id, loci.TeamID{}); err != nil {
			return err
		}
		return s.orgs.TakeOut(ctx, tx, p, u)
	})
	if err == nil {
		err = s.forget(ctx, p.OrgID, id)
	}
	if err != nil {
		return err
	}
	return s.Store.People().Remove(ctx, p.OrgID, id, nil)
}
