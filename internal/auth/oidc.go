package auth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/loci-memory/loci"
)

// OIDCProvider is an OpenID Connect provider for single sign-on. Loci trusts it for every email
// address that it calls verified.
type OIDCProvider struct {
	ID           string // part of the callback's path: a-z, 0-9 and -
	Name         string // shown on the button; default: the ID
	Issuer       string
	ClientID     string
	ClientSecret loci.Secret // "" for a public client
	Domains      []string    // e-mail domains whose users get their own org without an invitation
}

func (o *OIDCProvider) validate() error {
	if err := loci.OrgID(o.ID).Validate(); err != nil {
		return loci.Errorf(loci.Invalid, "the name of an OIDC provider must have 1 to 64 of a-z, 0-9 and -")
	}
	u, err := url.Parse(o.Issuer)
	if err != nil || u.Host == "" ||
		u.Scheme != "https" && (u.Scheme != "http" || !IsLoopback(strings.ToLower(u.Hostname()))) {
		return loci.Errorf(loci.Invalid, "the issuer of the OIDC provider %s must be an https address", o.ID)
	}
	if o.ClientID == "" {
		return loci.Errorf(loci.Invalid, "the OIDC provider %s has no client_id", o.ID)
	}
	return nil
}

// Provider is what a sign-in page shows of an OIDC provider.
type Provider struct{ ID, Name string }

// oidcClients are the providers, in the order of the settings.
type oidcClients struct {
	list   []*oidcClient
	open   bool
	egress bool
	fetch  *http.Client
}

// oidcClient discovers its provider when someone first signs in with it, so that a provider that is
// down affects nothing else.
type oidcClient struct {
	OIDCProvider
	mu       sync.Mutex
	provider *oidc.Provider
	verifier *oidc.IDTokenVerifier
}

func newOIDCClients(o SignInOptions) (*oidcClients, error) {
	all := &oidcClients{open: o.Open, egress: o.Egress, fetch: o.Fetch}
	if all.fetch == nil {
		all.fetch = &http.Client{Timeout: 10 * time.Second}
	}
	for _, p := range o.OIDC {
		if err := p.validate(); err != nil {
			return nil, err
		}
		if all.find(p.ID) != nil {
			return nil, loci.Errorf(loci.Invalid, "two OIDC providers have the name %s; rename one", p.ID)
		}
		p.Name = cmp.Or(p.Name, p.ID)
		all.list = append(all.list, &oidcClient{OIDCProvider: p})
	}
	return all, nil
}

func (o *oidcClients) find(id string) *oidcClient {
	for _, c := range o.list {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// Providers returns the OIDC providers with which people can sign in.
func (s *SignIn) Providers() []Provider {
	var out []Provider
	if !s.oidc.egress || s.o.Site.PublicURL == "" {
		return nil
	}
	for _, c := range s.oidc.list {
		out = append(out, Provider{ID: c.ID, Name: c.Name})
	}
	return out
}

const forOIDC = "oidc"

type oidcState struct {
	Provider string      `json:"provider"`
	State    string      `json:"state"`
	Nonce    string      `json:"nonce"`
	Verifier string      `json:"verifier"`
	Next     string      `json:"next"`
	StepUp   loci.UserID `json:"step_up,omitzero"` // who must prove again
}

// BeginOIDC returns the URL to which to send the browser, and the state to keep in a cookie and to pass to
// FinishOIDC, which returns next. It fails with NotFound for an unknown provider, with Unavailable if calls to other
// servers are off or the server has no public address, and with Upstream if it cannot reach the provider.
func (s *SignIn) BeginOIDC(ctx context.Context, id, next string) (redirect string, state loci.Secret, err error) {
	return s.beginOIDC(ctx, id, oidcState{Next: next})
}

// BeginOIDCStepUp works like BeginOIDC for a fresh proof of p. It tells the provider to ask again.
// FinishOIDC then rejects other people and older proofs.
func (s *SignIn) BeginOIDCStepUp(ctx context.Context, p loci.Principal, id, next string) (
	redirect string, state loci.Secret, err error) {
	return s.beginOIDC(ctx, id, oidcState{Next: next, StepUp: p.UserID}, oauth2.SetAuthURLParam("prompt", "login"),
		oauth2.SetAuthURLParam("max_age", "0"))
}

func (s *SignIn) beginOIDC(ctx context.Context, id string, st oidcState, options ...oauth2.AuthCodeOption) (
	string, loci.Secret, error) {
	c, config, err := s.oidcConfig(ctx, id)
	if err != nil {
		return "", "", err
	}
	st.Provider, st.State, st.Nonce = c.ID, NewSecret("").Reveal(), NewSecret("").Reveal()
	st.Verifier = oauth2.GenerateVerifier()
	sealed, err := s.seal(ctx, forOIDC, st)
	if err != nil {
		return "", "", err
	}
	return config.AuthCodeURL(st.State, append(options, oidc.Nonce(st.Nonce), oauth2.S256ChallengeOption(st.Verifier))...),
		sealed, nil
}

func (s *SignIn) oidcConfig(ctx context.Context, id string) (*oidcClient, *oauth2.Config, error) {
	c := s.oidc.find(id)
	if c == nil {
		return nil, nil, loci.Errorf(loci.NotFound, "no such provider of single sign-on")
	}
	if !s.oidc.egress {
		return nil, nil, loci.Errorf(loci.Unavailable, "cannot use single sign-on: calls to other servers are off")
	}
	if s.o.Site.PublicURL == "" {
		return nil, nil, loci.Errorf(loci.Unavailable,
			"single sign-on needs the server's public address; set LOCI_PUBLIC_URL")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.provider == nil {
		p, err := oidc.NewProvider(oidc.ClientContext(ctx, s.oidc.fetch), c.Issuer)
		if err != nil {
			return nil, nil, loci.WrapError(loci.Upstream, err, "cannot reach %s; try again later", c.Name)
		}
		c.provider, c.verifier = p, p.Verifier(&oidc.Config{ClientID: c.ClientID, Now: s.o.Now})
	}
	return c, &oauth2.Config{ClientID: c.ClientID, ClientSecret: c.ClientSecret.Reveal(), Endpoint: c.provider.Endpoint(),
		RedirectURL: strings.TrimRight(s.o.Site.PublicURL, "/") + "/app/oidc/" + c.ID + "/callback",
		Scopes:      []string{oidc.ScopeOpenID, "email"}}, nil
}

// FinishOIDC returns who signed in, from the callback query of the provider id, and the next of BeginOIDC. It creates
// an account for a new person who was invited or whose address is open for sign-up. It fails with Invalid if the
// state has expired, was used or belongs to another browser, and with Forbidden if the provider or Loci rejects the
// sign-in. For a step-up, it also fails with Forbidden if it is another person or the proof is not fresh.
func (s *SignIn) FinishOIDC(ctx context.Context, id string, state loci.Secret, query url.Values) (
	who loci.Person, next string, err error) {
	var st oidcState
	if err := s.unseal(ctx, forOIDC, state, &st); err != nil {
		return loci.Person{}, "", err
	}
	// A malicious provider may send the browser to another provider. A code that arrives at one
	// provider's callback must not go to another one's token endpoint.
	if subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(st.State)) != 1 || id != st.Provider {
		return loci.Person{}, "", errBadState()
	}
	c, config, err := s.oidcConfig(ctx, st.Provider)
	if err != nil {
		return loci.Person{}, "", err
	}
	if iss := query.Get("iss"); iss != "" && iss != c.Issuer {
		return loci.Person{}, "", errBadState()
	}
	if query.Get("error") != "" || query.Get("code") == "" {
		return loci.Person{}, "", loci.Errorf(loci.Forbidden, "%s did not let you sign in", c.Name)
	}
	token, err := config.Exchange(oidc.ClientContext(ctx, s.oidc.fetch), query.Get("code"),
		oauth2.VerifierOption(st.Verifier))
	if err != nil {
		if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.ErrorCode != "" {
			return loci.Person{}, "", loci.WrapError(loci.Forbidden, err, "%s did not let you sign in", c.Name)
		}
		return loci.Person{}, "",
			loci.WrapError(loci.Upstream, err, "cannot reach %s; try again later", c.Name)
	}
	who, err = s.oidcPerson(ctx, c, token, st)
	return who, st.Next, err
}

// flexibleBool also parses the strings that some providers send.
type flexibleBool bool

// UnmarshalJSON treats true and "true" as true.
func (b *flexibleBool) UnmarshalJSON(text []byte) error {
	*b = string(text) == "true" || string(text) == `"true"`
	return nil
}

func (s *SignIn) oidcPerson(ctx context.Context, c *oidcClient, token *oauth2.Token, st oidcState) (
	loci.Person, error) {
	raw, _ := token.Extra("id_token").(string)
	id, err := c.verifier.Verify(oidc.ClientContext(ctx, s.oidc.fetch), raw)
	if err != nil {
		return loci.Person{}, loci.WrapError(loci.Forbidden, err, "%s sent an invalid token", c.Name)
	}
	var claims struct {
		Email    string       `json:"email"`
		Verified flexibleBool `json:"email_verified"`
		Party    string       `json:"azp"`
		AuthTime int64        `json:"auth_time"`
	}
	if err := id.Claims(&claims); err != nil {
		return loci.Person{}, loci.WrapError(loci.Forbidden, err, "%s sent an invalid token", c.Name)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(st.Nonce)) != 1 ||
		claims.Party != "" && claims.Party != c.ClientID || len(id.Audience) > 1 && claims.Party == "" {
		return loci.Person{}, loci.Errorf(loci.Forbidden, "%s sent a token that is not for this sign-in", c.Name)
	}
	if !claims.Verified || claims.Email == "" {
		return loci.Person{}, loci.Errorf(loci.Forbidden, "%s has not verified your e-mail address", c.Name)
	}
	if !st.StepUp.IsZero() {
		return s.oidcStepUp(ctx, c, claims.Email, time.Unix(claims.AuthTime, 0), st.StepUp)
	}
	return s.o.Authenticator.FindOrCreate(ctx, claims.Email, s.oidc.open || c.allows(claims.Email))
}

func (s *SignIn) oidcStepUp(ctx context.Context, c *oidcClient, email string, proved time.Time, wanted loci.UserID) (
	loci.Person, error) {
	if age := s.o.Now().Sub(proved); age > loci.StepUpAge || age < -loci.StepUpAge {
		return loci.Person{}, loci.Errorf(loci.Forbidden,
			"%s did not confirm that you just signed in; sign out there and sign in again", c.Name)
	}
	email, err := loci.ParseEmail(email)
	if err != nil {
		return loci.Person{}, err
	}
	who, err := s.o.Store.People().ByEmail(ctx, email)
	if loci.CodeOf(err) == loci.NotFound || err == nil && who.UserID != wanted {
		return loci.Person{}, loci.Errorf(loci.Forbidden, "this is not your account at %s", c.Name)
	}
	return who, err
}

// allows reports whether list contains the domain of an address.
func (o *OIDCProvider) allows(email string) bool {
	_, domain, _ := strings.Cut(strings.ToLower(strings.TrimSpace(email)), "@")
	return slices.ContainsFunc(o.Domains, func(d string) bool {
		return d != "" && strings.EqualFold(strings.TrimPrefix(strings.TrimSpace(d), "@"), domain)
	})
}
