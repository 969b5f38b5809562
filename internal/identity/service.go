// Package identity contains the use cases for people and their credentials: accounts, ways to sign
// in, browser sign-ins, keys, grants to OAuth clients, and how the operator and admins manage them.
package identity

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/oauth"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/store"
)

// Service implements the use cases for people and credentials. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	orgs   *org.Service
	oauth  *oauth.Server
	signIn *auth.SignIn
	forget func(context.Context, loci.OrgID, loci.UserID) error
}

// New returns a Service. Without an OAuth server, Consent fails with Unavailable. Without a SignIn, NewLink and
// changes of the ways to sign in do. It calls forget before it deletes a person, to delete what is not in the store.
func New(g *gate.Gate, orgs *org.Service, oauthServer *oauth.Server, signIn *auth.SignIn,
	forget func(context.Context, loci.OrgID, loci.UserID) error) *Service {
	return &Service{g, orgs, oauthServer, signIn, forget}
}

// Setup creates the default org and its owner if they don't exist. created reports whether it did, which is the first
// start of a data directory. It takes no principal, because nobody can authenticate yet. Only main calls it.
func (s *Service) Setup(ctx context.Context) (org loci.Org, created bool, err error) {
	return s.Store.Orgs().Ensure(ctx, loci.Org{ID: loci.DefaultOrg, Name: string(loci.DefaultOrg),
		OwnerID: loci.NewUserID(), CreatedAt: s.Time()}, loci.User{})
}

// SetOwnerEmail sets the address by which a dashboard's tokens identify the owner of the default org. Only main calls
// it, like Setup, with the operator's settings. It fails with Invalid if it is not an e-mail address.
func (s *Service) SetOwnerEmail(ctx context.Context, email string) error {
	email, err := loci.ParseEmail(email)
	if err != nil {
		return err
	}
	org, err := s.Store.Orgs().Get(ctx, loci.DefaultOrg)
	if err != nil {
		return err
	}
	var known string
	err = s.Store.View(ctx, org.ID, func(tx store.Tx) error {
		u, err := tx.Users().Get(ctx, org.OwnerID)
		known = u.Email
		return err
	})
	if err != nil || known == email {
		return err
	}
	return s.Store.People().SetEmail(ctx, org.ID, org.OwnerID, email)
}
