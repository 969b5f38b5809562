package auth

import (
	"context"
	"crypto/cipher"
	"errors"
	"net/url"
	"time"

	"github.com/loci-memory/loci"
)

var errSoon = errors.New("not written yet")

func newSealer() cipher.AEAD { return nil }

// RetryAfter returns how long the caller of a RateLimited error must wait.
func RetryAfter(err error) time.Duration { return 0 }

// Password signs in by e-mail and password.
func (s *SignIn) Password(ctx context.Context, email string, password loci.Secret, from From) (loci.Person, error) {
	return loci.Person{}, errSoon
}

// CheckPassword checks the password of p, for step-up.
func (s *SignIn) CheckPassword(ctx context.Context, p loci.Principal, password loci.Secret, from From) error {
	return errSoon
}

// HashPassword returns what is kept of a new password of the person with that e-mail.
func (s *SignIn) HashPassword(ctx context.Context, password loci.Secret, email string) (string, error) {
	return "", errSoon
}

// BeginPasskey starts a sign-in by passkey.
func (s *SignIn) BeginPasskey(ctx context.Context, rp RP) (options []byte, state loci.Secret, err error) {
	return nil, "", errSoon
}

// FinishPasskey ends it.
func (s *SignIn) FinishPasskey(ctx context.Context, state loci.Secret, response []byte, from From) (loci.Person, error) {
	return loci.Person{}, errSoon
}

// BeginPasskeyStepUp starts a step-up of p by passkey.
func (s *SignIn) BeginPasskeyStepUp(ctx context.Context, p loci.Principal, rp RP) (options []byte, state loci.Secret, err error) {
	return nil, "", errSoon
}

// CheckPasskey ends it; StepUp records it.
func (s *SignIn) CheckPasskey(ctx context.Context, p loci.Principal, state loci.Secret, response []byte, from From) error {
	return errSoon
}

// BeginRegister starts the registration of a passkey.
func (s *SignIn) BeginRegister(ctx context.Context, p loci.Principal, rp RP) (options []byte, state loci.Secret, err error) {
	return nil, "", errSoon
}

// FinishRegister returns the new passkey; the app stores it.
func (s *SignIn) FinishRegister(ctx context.Context, p loci.Principal, state loci.Secret, response []byte, name string) (loci.Passkey, error) {
	return loci.Passkey{}, errSoon
}

// OIDCProvider is a provider of single sign-on.
type OIDCProvider struct {
	ID           string // part of the callback's path: a-z, 0-9 and -
	Name         string // shown on the button
	Issuer       string
	ClientID     string
	ClientSecret loci.Secret
	Domains      []string // e-mail domains that may sign up besides invited people
}

// Provider is what a sign-in page shows of a provider.
type Provider struct{ ID, Name string }

type oidcClients struct{}

func newOIDCClients(o SignInOptions) (*oidcClients, error) { return &oidcClients{}, nil }

// Providers returns the providers.
func (s *SignIn) Providers() []Provider { return nil }

// BeginOIDC returns where to send the browser, and what to give FinishOIDC.
func (s *SignIn) BeginOIDC(ctx context.Context, id, next string) (redirect string, state loci.Secret, err error) {
	return "", "", errSoon
}

// BeginOIDCStepUp is BeginOIDC for a fresh proof of p.
func (s *SignIn) BeginOIDCStepUp(ctx context.Context, p loci.Principal, id, next string) (redirect string, state loci.Secret, err error) {
	return "", "", errSoon
}

// FinishOIDC returns who signed in.
func (s *SignIn) FinishOIDC(ctx context.Context, state loci.Secret, query url.Values) (who loci.Person, next string, err error) {
	return loci.Person{}, "", errSoon
}

// NewLink makes a one-time link's token.
func (s *SignIn) NewLink(ctx context.Context, who loci.Person, life time.Duration) (loci.Secret, error) {
	return "", errSoon
}

// UseLink uses it up.
func (s *SignIn) UseLink(ctx context.Context, token loci.Secret, from From) (loci.Person, error) {
	return loci.Person{}, errSoon
}

// Invitation returns what a token invites to.
func (s *SignIn) Invitation(ctx context.Context, token loci.Secret) (loci.Org, loci.Invite, error) {
	return loci.Org{}, loci.Invite{}, errSoon
}

// Join makes the account of an invited e-mail.
func (s *SignIn) Join(ctx context.Context, token loci.Secret) (loci.Person, error) {
	return loci.Person{}, errSoon
}
