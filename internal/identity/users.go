package identity

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/store"
)

// SetUserRole sets the instance role of a person of the org. It fails with NotFound, and with
// Invalid for an unknown role.
func (s *Service) SetUserRole(ctx context.Context, p loci.Principal, user loci.UserID, role loci.Role) (
	loci.User, error) {
	if err := s.Begin(ctx, p, UserRole); err != nil {
		return loci.User{}, err
	}
	if _, err := loci.ParseRole(string(role)); err != nil {
		return loci.User{}, err
	}
	var u loci.User
	err := s.Write(ctx, p, UserRole, func(tx store.Tx, e *loci.AuditEntry) (err error) {
		e.Target = user.String()
		if u, err = tx.Users().Get(ctx, user); err != nil {
			return err
		}
		if u.Role == role {
			e.Action = ""
			return nil
		}
		u.Role = role
		return tx.Users().Update(ctx, u)
	})
	return u, err
}

// UserChange has the fields to change. Nil fields stay unchanged.
type UserChange struct {
	Email, Name *string
}

// SetUser sets the name or the e-mail address of a person of the org. Passwords and single sign-on
// use the address. It fails with NotFound, with Invalid if a value is malformed or too long, and
// with Conflict if another person has the address. Then it changes nothing.
func (s *Service) SetUser(ctx context.Context, p loci.Principal, user loci.UserID, c UserChange) (loci.User, error) {
	if err := s.Begin(ctx, p, UserSet); err != nil {
		return loci.User{}, err
	}
	email, err := s.newEmail(ctx, user, c.Email)
	if err != nil {
		return loci.User{}, err
	}
	if c.Name != nil {
		if err := loci.CheckText("name", *c.Name, 0, loci.MaxName); err != nil {
			return loci.User{}, err
		}
	}
	var u loci.User
	err = s.Write(ctx, p, UserSet, func(tx store.Tx, e *loci.AuditEntry) (err error) {
		e.Target = user.String()
		if u, err = tx.Users().Get(ctx, user); err != nil {
			return err
		}
		named := c.Name != nil && *c.Name != u.Name
		if !named {
			if email == "" || email == u.Email {
				e.Action = ""
			}
			return nil
		}
		u.Name = *c.Name
		return tx.Users().Update(ctx, u)
	})
	if err != nil || email == "" || email == u.Email {
		return u, err
	}
	u.Email = email
	return u, s.Store.People().SetEmail(ctx, p.OrgID, user, email)
}

// newEmail parses a person's new address; nil means none. It fails with Conflict if someone else
// has it, before anything is recorded.
func (s *Service) newEmail(ctx context.Context, user loci.UserID, text *string) (string, error) {
	if text == nil {
		return "", nil
	}
	email, err := loci.ParseEmail(*text)
	if err != nil {
		return "", err
	}
	who, err := s.Store.People().ByEmail(ctx, email)
	if loci.CodeOf(err) == loci.NotFound {
		return email, nil
	}
	if err == nil && who.UserID != user {
		err = loci.Errorf(loci.Conflict,
			"another account on this server has this e-mail address; use another one")
	}
	return email, err
}

// ResetUser removes a person's sign-in methods, ends their sign-ins and links, and forgets failed
// attempts. They need a new link to sign in. Keys and grants stay. It fails with NotFound.
func (s *Service) ResetUser(ctx context.Context, p loci.Principal, user loci.UserID) error {
	if err := s.Begin(ctx, p, UserReset); err != nil {
		return err
	}
	who := loci.Person{UserID: user, OrgID: p.OrgID}
	err := s.Write(ctx, p, UserReset, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = user.String()
		u, err := tx.Users().Get(ctx, user)
		if err != nil {
			return err
		}
		who.Email = u.Email
		if err := tx.SignIn().SetPassword(ctx, user, ""); err != nil {
			return err
		}
		keys, err := tx.SignIn().Passkeys(ctx, user)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if err := tx.SignIn().RemovePasskey(ctx, user, k.ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, m := range []loci.Method{loci.BySignIn, loci.ByLink} {
		if _, err := s.Store.Credentials().RevokeAll(ctx, p.OrgID, user, m, loci.CredentialID{}, s.Time()); err != nil {
			return err
		}
	}
	return auth.ForgetFailures(ctx, s.Store.Limits(), who)
}

// DeleteUser permanently deletes a person of the org and all their data. It fails with NotFound, with Forbidden for a
// role above one's own, and with Conflict for the person who holds the org or is its last owner.
func (s *Service) DeleteUser(ctx context.Context, p loci.Principal, user loci.UserID) error {
	if err := s.Begin(ctx, p, org.MemberRemove); err != nil {
		return err
	}
	return s.deleteUser(ctx, p, org.MemberRemove, user, func(u loci.User) error {
		if p.Kind != loci.KindLocal && !p.OrgRole.AtLeast(u.OrgRole) {
			return org.ErrAbove()
		}
		return nil
	})
}

// NewLink creates a one-time link that signs in a person of the org. The secret is its token. It
// fails with NotFound, and with Unavailable without sign-in.
func (s *Service) NewLink(ctx context.Context, p loci.Principal, user loci.UserID) (loci.Secret, error) {
	if err := s.Begin(ctx, p, LinkCreate, s.hasSignIn()); err != nil {
		return "", err
	}
	who := loci.Person{UserID: user, OrgID: p.OrgID}
	err := s.Write(ctx, p, LinkCreate, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = user.String()
		u, err := tx.Users().Get(ctx, user)
		who.Email = u.Email
		return err
	})
	if err != nil {
		return "", err
	}
	return s.signIn.NewLink(ctx, who, auth.LinkLife)
}

// maxClients is the maximum number of OAuth clients in a list.
const maxClients = 1000

// OAuthClients returns the newest OAuth clients on the server.
func (s *Service) OAuthClients(ctx context.Context, p loci.Principal) ([]loci.OAuthClient, error) {
	if err := s.Begin(ctx, p, ClientList); err != nil {
		return nil, err
	}
	return s.Store.OAuth().Clients(ctx, maxClients)
}

// SetClientVendor sets the vendor of an OAuth client, so that people can consent only to that vendor. "" lets them
// choose. Existing grants stay. It fails with NotFound, and with Invalid for an invalid vendor name.
func (s *Service) SetClientVendor(ctx context.Context, p loci.Principal, id string, v loci.Vendor) (
	c loci.OAuthClient, err error) {
	if err := s.Begin(ctx, p, ClientSet); err != nil {
		return c, err
	}
	if v != "" {
		if err := checkVendor(v); err != nil {
			return c, err
		}
	}
	if c, err = s.Store.OAuth().Client(ctx, id); err != nil {
		return c, err
	}
	if err := s.Record(ctx, p, ClientSet, id); err != nil {
		return c, err
	}
	c.Vendor = v
	return c, s.Store.OAuth().SetVendor(ctx, id, v)
}

// DeleteClient removes an OAuth client and revokes all its grants. It fails with NotFound.
func (s *Service) DeleteClient(ctx context.Context, p loci.Principal, id string) error {
	if err := s.Begin(ctx, p, ClientDrop); err != nil {
		return err
	}
	if _, err := s.Store.OAuth().Client(ctx, id); err != nil {
		return err
	}
	if err := s.Record(ctx, p, ClientDrop, id); err != nil {
		return err
	}
	return s.Store.OAuth().DeleteClient(ctx, id, s.Time())
}
