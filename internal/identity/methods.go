package identity

import (
	"bytes"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
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
	return gate.BeginView(ctx, s.Gate, p, SignInRead, func(tx store.Tx) (SignInMethods, error) {
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
	if m.Password || len(m.Passkeys) > 0 || m.HasEmail && len(s.signIn.Providers()) > 0 {
		return nil
	}
	return loci.Errorf(loci.Conflict, "cannot remove your last sign-in method; add a passkey or a password first")
}

// SetPassword sets the person's password. It ends their other sign-ins, because someone who knew the old
// password may have opened them. It fails with Invalid if the password is too short, too long or their e-mail
// address, and with Conflict if they have no address to sign in with.
func (s *Service) SetPassword(ctx context.Context, p loci.Principal, password loci.Secret) error {
	if err := s.Begin(ctx, p, SignInChange, s.hasSignIn()); err != nil {
		return err
	}
	u, err := gate.View(ctx, s.Gate, p, func(tx store.Tx) (loci.User, error) { return tx.Users().Get(ctx, p.UserID) })
	if err != nil {
		return err
	}
	if u.Email == "" {
		return loci.Errorf(loci.Conflict, "cannot set a password: your account has no e-mail address to sign in with")
	}
	encoded, err := s.signIn.HashPassword(ctx, password, u.Email)
	if err != nil {
		return err
	}
	return s.change(ctx, p, func(tx store.Tx, _ *loci.AuditEntry) error {
		return tx.SignIn().SetPassword(ctx, p.UserID, encoded)
	})
}

// change changes the person's sign-in methods, and ends their other sign-ins.
func (s *Service) change(ctx context.Context, p loci.Principal, fn func(store.Tx, *loci.AuditEntry) error) error {
	if err := s.hasSignIn(); err != nil {
		return err
	}
	err := s.Write(ctx, p, SignInChange, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = p.UserID.String()
		return fn(tx, e)
	})
	if err != nil {
		return err
	}
	_, err = s.endOthers(ctx, p)
	return err
}

// RemovePassword removes the person's password and ends their other sign-ins. Without a password it does
// nothing. It fails with Conflict if no sign-in method would be left.
func (s *Service) RemovePassword(ctx context.Context, p loci.Principal) error {
	if err := s.Begin(ctx, p, SignInChange); err != nil {
		return err
	}
	return s.change(ctx, p, func(tx store.Tx, e *loci.AuditEntry) error {
		m, err := methodsOf(ctx, tx, p.UserID)
		if err != nil {
			return err
		}
		if !m.Password {
			e.Action = ""
			return nil
		}
		m.Password = false
		if err := s.keepsWay(m); err != nil {
			return err
		}
		return tx.SignIn().SetPassword(ctx, p.UserID, "")
	})
}

// hasSignIn fails with Unavailable on a server without sign-in.
func (s *Service) hasSignIn() error {
	if s.signIn == nil {
		return loci.Errorf(loci.Unavailable, "sign-in is not configured on this server")
	}
	return nil
}

// endOthers ends all sign-ins of the person except the one in use, and returns their number.
func (s *Service) endOthers(ctx context.Context, p loci.Principal) (int, error) {
	return s.Store.Credentials().RevokeAll(ctx, p.OrgID, p.UserID, loci.BySignIn, p.CredentialID, s.Time())
}

// BeginPasskey starts creating a passkey for the person on a site. It returns the options of
// navigator.credentials.create as JSON, and the state to pass to AddPasskey within five minutes. It fails with
// Conflict if they have too many.
func (s *Service) BeginPasskey(ctx context.Context, p loci.Principal, rp auth.RP) ([]byte, loci.Secret, error) {
	if err := s.Begin(ctx, p, SignInChange, s.hasSignIn()); err != nil {
		return nil, "", err
	}
	return s.signIn.BeginRegister(ctx, p, rp)
}

// NewPasskey is the browser's answer to BeginPasskey.
type NewPasskey struct {
	Name     string // 1 to loci.MaxKeyName characters
	State    loci.Secret
	Response []byte // of navigator.credentials.create, as JSON
}

// AddPasskey stores the passkey that the browser created. It fails with Invalid for a bad name, and for a state
// that has expired or was used; with Unauthenticated for a response that is not valid; and with Conflict if anyone
// has already registered the passkey.
func (s *Service) AddPasskey(ctx context.Context, p loci.Principal, n NewPasskey) (loci.Passkey, error) {
	if err := s.Begin(ctx, p, SignInChange, s.hasSignIn()); err != nil {
		return loci.Passkey{}, err
	}
	k, err := s.signIn.FinishRegister(ctx, p, n.State, n.Response, n.Name)
	if err != nil {
		return loci.Passkey{}, err
	}
	err = s.Write(ctx, p, SignInChange, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = p.UserID.String()
		there, err := tx.SignIn().Passkeys(ctx, p.UserID)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(there, func(x loci.Passkey) bool { return bytes.Equal(x.ID, k.ID) }) {
			return loci.Errorf(loci.Conflict, "this passkey is registered already")
		}
		return tx.SignIn().PutPasskey(ctx, p.UserID, k)
	})
	return k, err
}

// RemovePasskey removes a passkey of the person. It ends their other sign-ins, because one of them
// may have been opened with it. It fails with NotFound if the id doesn't exist, and with Conflict
// if no sign-in method would be left.
func (s *Service) RemovePasskey(ctx context.Context, p loci.Principal, id []byte) error {
	if err := s.Begin(ctx, p, SignInChange); err != nil {
		return err
	}
	return s.change(ctx, p, func(tx store.Tx, e *loci.AuditEntry) error {
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
}
