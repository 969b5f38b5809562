package auth

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// The kinds of sealed state of passkeys.
const (
	forSignIn   = "passkey sign-in"
	forStepUp   = "passkey step-up"
	forRegister = "passkey registration"
)

// maxPasskeys is the maximum number of passkeys of one person.
const maxPasskeys = 50

type passkeyState struct {
	RP      RP                   `json:"rp"`
	Session webauthn.SessionData `json:"session"`
}

func errBadPasskey() error {
	return loci.Errorf(loci.Unauthenticated, "this passkey is unknown to this server, or its answer is not valid")
}

func (rp RP) webauthn() (*webauthn.WebAuthn, error) {
	if rp.ID == "" || rp.Origin == "" {
		return nil, loci.Errorf(loci.Unavailable, "passkeys need a site with a host name")
	}
	return webauthn.New(&webauthn.Config{RPID: rp.ID, RPDisplayName: "Loci", RPOrigins: []string{rp.Origin}})
}

// passkeyUser is a person in the form that the library expects. The handle that authenticators
// store is the 16 bytes of the user's id.
type passkeyUser struct {
	who  loci.Person
	name string
	keys []loci.Passkey
	list []webauthn.Credential
}

func (u *passkeyUser) WebAuthnID() []byte                         { return u.who.UserID[:] }
func (u *passkeyUser) WebAuthnName() string                       { return u.name }
func (u *passkeyUser) WebAuthnDisplayName() string                { return u.name }
func (u *passkeyUser) WebAuthnCredentials() []webauthn.Credential { return u.list }

func (u *passkeyUser) key(id []byte) (loci.Passkey, bool) {
	for _, k := range u.keys {
		if bytes.Equal(k.ID, id) {
			return k, true
		}
	}
	return loci.Passkey{}, false
}

func (s *SignIn) passkeyUser(ctx context.Context, who loci.Person) (*passkeyUser, error) {
	u := &passkeyUser{who: who}
	err := s.o.Store.View(ctx, who.OrgID, func(tx store.Tx) error {
		person, err := tx.Users().Get(ctx, who.UserID)
		if err != nil {
			return err
		}
		for _, name := range []string{"me", person.Name, person.Email} {
			if name != "" {
				u.name = name
			}
		}
		u.keys, err = tx.SignIn().Passkeys(ctx, who.UserID)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, k := range u.keys {
		var c webauthn.Credential
		if err := json.Unmarshal(k.Data, &c); err != nil {
			return nil, err
		}
		u.list = append(u.list, c)
	}
	return u, nil
}

// passkeysOf returns the passkeys of p's person at a relying party.
func (s *SignIn) passkeysOf(ctx context.Context, p loci.Principal, rp RP) (w *webauthn.WebAuthn, u *passkeyUser,
	err error) {
	if w, err = rp.webauthn(); err == nil {
		u, err = s.passkeyUser(ctx, loci.Person{UserID: p.UserID, OrgID: p.OrgID})
	}
	return w, u, err
}

// BeginPasskey starts a sign-in with a passkey that the browser chooses. The authenticator must
// verify its holder, because a sign-in is a fresh proof. It returns the options of
// navigator.credentials.get as JSON, and the state to pass to FinishPasskey.
func (s *SignIn) BeginPasskey(ctx context.Context, rp RP) (options []byte, state loci.Secret, err error) {
	w, err := rp.webauthn()
	if err != nil {
		return nil, "", err
	}
	assertion, session, err := w.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return nil, "", err
	}
	return s.begun(ctx, forSignIn, rp, assertion, session)
}

func (s *SignIn) begun(ctx context.Context, kind string, rp RP, options any, session *webauthn.SessionData) (
	[]byte, loci.Secret, error) {
	state, err := s.seal(ctx, kind, passkeyState{RP: rp, Session: *session})
	if err != nil {
		return nil, "", err
	}
	text, err := json.Marshal(options)
	return text, state, err
}

// opened returns what begun sealed.
func (s *SignIn) opened(ctx context.Context, kind string, state loci.Secret) (
	st passkeyState, w *webauthn.WebAuthn, err error) {
	if err = s.unseal(ctx, kind, state, &st); err == nil {
		w, err = st.RP.webauthn()
	}
	return st, w, err
}

// FinishPasskey returns the person whose passkey answered. It fails with Invalid if the state has
// expired or was used, and with Unauthenticated if the answer is not valid.
func (s *SignIn) FinishPasskey(ctx context.Context, state loci.Secret, response []byte, from From) (
	loci.Person, error) {
	st, w, err := s.opened(ctx, forSignIn, state)
	if err != nil {
		return loci.Person{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(response)
	if err != nil {
		return loci.Person{}, loci.WrapError(loci.Unauthenticated, err, "%s", errBadPasskey())
	}
	var inner error // an error of the store, which the library would turn into a rejection
	found, credential, err := w.ValidatePasskeyLogin(func(_, handle []byte) (webauthn.User, error) {
		var id loci.UserID
		if len(handle) != len(id) {
			return nil, errBadPasskey()
		}
		copy(id[:], handle)
		who, err := s.o.Store.People().ByID(ctx, id)
		var u *passkeyUser
		if err == nil {
			u, err = s.passkeyUser(ctx, who)
		}
		if err != nil {
			if loci.CodeOf(err) != loci.NotFound {
				inner = err
			}
			return nil, errBadPasskey()
		}
		return u, nil
	}, st.Session, parsed)
	if inner != nil {
		return loci.Person{}, inner
	}
	if err != nil {
		return loci.Person{}, s.refused(ctx, err, from)
	}
	u := found.(*passkeyUser)
	if err := s.used(ctx, u, credential, from); err != nil {
		return loci.Person{}, err
	}
	return u.who, nil
}

func (s *SignIn) refused(ctx context.Context, err error, from From) error {
	s.o.Log.InfoContext(ctx, "rejected a passkey", "address", from.Address.String(), "error", err)
	return loci.WrapError(loci.Unauthenticated, err, "%s", errBadPasskey())
}

// used records the use of a passkey. If the counter didn't advance, two copies of the key exist,
// and used rejects both.
func (s *SignIn) used(ctx context.Context, u *passkeyUser, c *webauthn.Credential, from From) error {
	before, ok := u.key(c.ID)
	if !ok {
		return errBadPasskey()
	}
	if c.Authenticator.CloneWarning {
		s.o.Log.WarnContext(ctx, "a passkey may have been copied: its counter did not advance", "user", u.who.UserID.String(),
			"address", from.Address.String())
		return errBadPasskey()
	}
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	after := before
	after.Data, after.LastUsedAt = data, loci.CutTime(s.o.Now())
	return s.o.Store.Update(ctx, u.who.OrgID, func(tx store.Tx) error {
		keys, err := tx.SignIn().Passkeys(ctx, u.who.UserID)
		if err != nil {
			return err
		}
		now, ok := (&passkeyUser{keys: keys}).key(c.ID)
		if !ok || !bytes.Equal(now.Data, before.Data) && c.Authenticator.SignCount != 0 {
			return errBadPasskey() // removed meanwhile, or used with this counter
		}
		after.Name = now.Name
		return tx.SignIn().PutPasskey(ctx, u.who.UserID, after)
	})
}

// BeginPasskeyStepUp starts a fresh proof of p with one of their passkeys. The authenticator must
// verify its holder. It fails with Unavailable if they have no passkey.
func (s *SignIn) BeginPasskeyStepUp(ctx context.Context, p loci.Principal,
	rp RP) (options []byte, state loci.Secret, err error) {
	w, u, err := s.passkeysOf(ctx, p, rp)
	if err != nil {
		return nil, "", err
	}
	if len(u.list) == 0 {
		return nil, "", loci.Errorf(loci.Unavailable, "this account has no passkey")
	}
	assertion, session, err := w.BeginLogin(u, webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return nil, "", err
	}
	return s.begun(ctx, forStepUp, rp, assertion, session)
}

// CheckPasskey finishes what BeginPasskeyStepUp started for the same person; StepUp then records
// it. It fails like FinishPasskey.
func (s *SignIn) CheckPasskey(ctx context.Context, p loci.Principal, state loci.Secret, response []byte,
	from From) error {
	st, w, err := s.opened(ctx, forStepUp, state)
	if err != nil {
		return err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(response)
	if err != nil {
		return loci.WrapError(loci.Unauthenticated, err, "%s", errBadPasskey())
	}
	u, err := s.passkeyUser(ctx, loci.Person{UserID: p.UserID, OrgID: p.OrgID})
	if err != nil {
		return err
	}
	credential, err := w.ValidateLogin(u, st.Session, parsed) // the state also names the person
	if err != nil {
		return s.refused(ctx, err, from)
	}
	return s.used(ctx, u, credential, from)
}

// BeginRegister starts creating a passkey for p. It returns the options of navigator.credentials.create as JSON, and
// the state to pass to FinishRegister. It fails with Conflict if there are too many.
func (s *SignIn) BeginRegister(ctx context.Context, p loci.Principal,
	rp RP) (options []byte, state loci.Secret, err error) {
	w, u, err := s.passkeysOf(ctx, p, rp)
	if err != nil {
		return nil, "", err
	}
	if len(u.keys) >= maxPasskeys {
		return nil, "", loci.Errorf(loci.Conflict, "you already have %d passkeys; remove one first", maxPasskeys)
	}
	creation, session, err := w.BeginRegistration(u,
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{UserVerification: protocol.VerificationRequired}),
		webauthn.WithResidentKeyRequirement(protocol.ResidentKeyRequirementRequired),
		webauthn.WithConveyancePreference(protocol.PreferNoAttestation),
		webauthn.WithExclusions(webauthn.Credentials(u.list).CredentialDescriptors()))
	if err != nil {
		return nil, "", err
	}
	return s.begun(ctx, forRegister, rp, creation, session)
}

// FinishRegister returns the new passkey, which the caller must store. It fails like FinishPasskey,
// and with Invalid for the name.
func (s *SignIn) FinishRegister(ctx context.Context, p loci.Principal, state loci.Secret, response []byte,
	name string) (loci.Passkey, error) {
	if err := loci.CheckText("name", name, 1, loci.MaxKeyName); err != nil {
		return loci.Passkey{}, err
	}
	st, w, err := s.opened(ctx, forRegister, state)
	if err != nil {
		return loci.Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(response)
	if err != nil {
		return loci.Passkey{}, loci.WrapError(loci.Unauthenticated, err, "%s", errBadPasskey())
	}
	credential, err := w.CreateCredential(&passkeyUser{who: loci.Person{UserID: p.UserID}}, st.Session, parsed)
	if err != nil {
		return loci.Passkey{}, s.refused(ctx, err, From{})
	}
	data, err := json.Marshal(credential)
	if err != nil {
		return loci.Passkey{}, err
	}
	return loci.Passkey{ID: credential.ID, Name: name, Data: data, CreatedAt: loci.CutTime(s.o.Now())}, nil
}
