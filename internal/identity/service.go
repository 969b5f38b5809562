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
)

// Service implements the use cases for people and credentials. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	orgs   *org.Service
	oauth  *oauth.Server
	signIn *auth.SignIn
	forget func(context.Context, loci.OrgID, loci.UserID) error
}

// New returns a Service. Without an OAuth server, Consent fails with Unavailable. Without a SignIn,
// NewLink and changes of the ways to sign in do. It calls forget before it deletes a person, to delete what is not in
// the store.
func New(g *gate.Gate, orgs *org.Service, oauthServer *oauth.Server, signIn *auth.SignIn,
	forget func(context.Context, loci.OrgID, loci.UserID) error) *Service {
	return &Service{g, orgs, oauthServer, signIn, forget}
}
