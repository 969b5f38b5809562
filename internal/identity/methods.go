package identity

import (
	"bytes"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// SignInMethods are the ways in which a person can sign in.
type SignInMethods struct {
	Password bool
	Passkeys []loci.Passkey
	HasEmail bool // required for single sign-on and passwords
}

// SignInMethods returns the ways in which the person can sign in.
func (s *Service) SignInMethods(ctx context.Context, p loci.Principal) (SignInMethods, error) {
	if err := s.Begin(ctx, p, SignInRead); err != nil {
		return SignInMethods{}, err
	}
	return gate.View(ctx, s.Gate, p, func(tx store.Tx) (SignInMethods, error) {
		return methodsOf(ctx, tx, p.UserID)
	})
}

func methodsOf(ctx context.Context, tx store.Tx, user loci.UserID) (SignInMethods, error) {
	u, err := tx.Users().Get(ctx, user)
	if err != nil {
		return SignInMethods{}, err
	}
	m := SignInMethods{HasEmail: u.Email != ""}
	_, err = tx.SignIn().Password(ctx, user)
	if err != nil && loci.CodeOf(err) != loci.NotFound {
		return SignInMethods{}, err
	}
	m.Password = err == nil
	m.Passkeys, err = tx.SignIn().Passkeys(ctx, user)
	return m, err
}

// keepsWay rejects removing a person's last sign-in method.
func (s *Service) keepsWay(m SignInMethods) error {
	if m.Password || len(m.Passkeys) > 0 || m.HasEmail && s.signIn != nil && len(s.signIn.Providers()) > 0 {
		return nil
	}
	return loci.Errorf(loci.Conflict, "cannot remove your last sign-in method; add a passkey or a password first")
}

// SetPassword stores the result of auth.SignIn.HashPassword; "" removes the password. It ends the
// person's other sign-ins, because someone who knew the old password may have opened them. It fails
// with Conflict if no sign-in method would be left.
func (s *Service) SetPassword(ctx context.Context, p loci.Principal, encoded string) error {
	if err := s.Begin(ctx, p, SignInChange); err != nil {
		return err
	}
	err := s.Write(ctx, p, SignInChange, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = p.UserID.String()
		m, err := methodsOf(ctx, tx, p.UserID)
		if err != nil {
			return err
		}
		if encoded == "" {
			if !m.Password {
				e.Action = ""
				return nil
			}
			m.Password = false
			if err := s.keepsWay(m); err != nil {
				return err
			}
		}
		return tx.SignIn().SetPassword(ctx, p.UserID, encoded)
	})
	if err != nil {
		return err
	}
	_, err = s.endOthers(ctx, p)
	return err
}

// endOthers ends all sign-ins of the person except the one in use, and returns their number.
func (s *Service) endOthers(ctx context.Context, p loci.Principal) (int, error) {
	return s.Store.Credentials().RevokeAll(ctx, p.OrgID, p.UserID, loci.BySignIn, p.CredentialID, s.Time())
}

// AddPasskey stores a passkey from auth.SignIn.FinishRegister. It fails with Conflict if anyone has
// already registered it.
func (s *Service) AddPasskey(ctx context.Context, p loci.Principal, k loci.Passkey) error {
	if err := s.Begin(ctx, p, SignInChange); err != nil {
		return err
	}
	if err := loci.CheckText("name", k.Name, 1, loci.MaxName); err != nil {
		return err
	}
	return s.Write(ctx, p, SignInChange, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = p.UserID.String()
		there, err := tx.SignIn().Passkeys(ctx, p.UserID)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(there, func(x loci.Passkey) bool { return bytes.Equal(x.ID, k.ID) }) {
			return loci.Errorf(loci.Conflict, "this passkey is registered already")
		}
		if k.CreatedAt.IsZero() {
			k.CreatedAt = s.Time()
		}
		return tx.SignIn().PutPasskey(ctx, p.UserID, k)
	})
}

// RemovePasskey removes a passkey of the person. It ends their other sign-ins, because one of them
// may have been opened with it. It fails with NotFound if the id doesn't exist, and with Conflict
// if no sign-in method would be left.
func (s *Service) RemovePasskey(ctx context.Context, p loci.Principal, id []byte) error {
	if err := s.Begin(ctx, p, SignInChange); err != nil {
		return err
	}
	err := s.Write(ctx, p, SignInChange, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = p.UserID.String()
		m, err := methodsOf(ctx, tx, p.UserID)
		if err != nil {
			return err
		}
		n := len(m.Passkeys)
		m.Passkeys = slices.DeleteFunc(m.Passkeys, func(x loci.Passkey) bool { return bytes.Equal(x.ID, id) })
		if len(m.Passkeys) == n {
			return loci.Errorf(loci.NotFound, "no such passkey")
		}
		if err := s.keepsWay(m); err != nil {
			return err
		}
		return tx.SignIn().RemovePasskey(ctx, p.UserID, id)
	})
	if err != nil {
		return err
	}
	_, err = s.endOthers(ctx, p)
	return err
}
