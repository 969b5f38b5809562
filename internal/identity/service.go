// Package identity holds the use cases about people and their credentials: accounts, ways to sign in, sign-ins of
// browsers, keys, grants of OAuth clients, and what the operator and admins do about them.
package identity

import (
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/oauth"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/org"
)

// Service is the use cases about people and credentials. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	orgs   *org.Service
	oauth  *oauth.Server
	signIn *auth.SignIn
}

// New returns a Service. Without an OAuth server Consent is Unavailable, without a SignIn NewLink is.
func New(g *gate.Gate, orgs *org.Service, oauthServer *oauth.Server, signIn *auth.SignIn) *Service {
	return &Service{g, orgs, oauthServer, signIn}
}
