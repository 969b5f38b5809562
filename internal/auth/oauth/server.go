// Package oauth is the OAuth 2.1 authorization server that gives MCP clients access. It supports authorization codes
// with PKCE, rotated refresh tokens, dynamic registration and client metadata documents. All clients are public. All
// tokens are opaque: 256 random bits, of which the store has the SHA-256.
//
// Other packages do the rest: auth signs people in, identity decides whether they may consent, and web has the pages.
//
// The invariant: a client acts as the vendor that the person chose or the operator set. What a
// client claims about itself decides nothing.
package oauth

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// The lifetimes of codes and tokens.
const (
	AccessLife  = time.Hour
	RefreshLife = 90 * 24 * time.Hour
	CodeLife    = time.Minute
)

// Options configure a Server.
type Options struct {
	Store  store.Store      // required
	Now    func() time.Time // default: time.Now
	Log    *slog.Logger     // default: discard
	Fetch  *http.Client     // for metadata documents; default: one that reaches only public addresses
	Egress bool             // whether metadata documents may be fetched
}

// Server is the authorization server. It is safe for concurrent use.
type Server struct {
	store     store.Store
	now       func() time.Time
	log       *slog.Logger
	documents *documents
}

// New returns a Server. It panics without a store.
func New(o Options) *Server {
	if o.Store == nil {
		panic("oauth: no store")
	}
	s := &Server{store: o.Store, now: o.Now, log: cmp.Or(o.Log, slog.New(slog.DiscardHandler))}
	if s.now == nil {
		s.now = time.Now
	}
	s.documents = newDocuments(o.Fetch, o.Egress, s.now, s.log)
	return s
}

// Error is an OAuth error. Code is one of the RFCs' codes. Description is safe to show and never repeats the request.
type Error struct {
	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`
	Status      int    `json:"-"` // HTTP status
}

// Error returns the description.
func (e *Error) Error() string { return e.Description }

func errorOf(code, description string) error {
	return &Error{Code: code, Description: description, Status: http.StatusBadRequest}
}

// SupportedScopes returns every scope that a client can get.
func SupportedScopes() []string {
	var out []string
	for _, r := range loci.AgentRights() {
		out = append(out, string(r))
	}
	return out
}

// serverMetadata omits jwks_uri, which the type of the SDK always writes: this server signs nothing.
type serverMetadata struct {
	oauthex.AuthServerMeta
	JWKSURI string `json:"jwks_uri,omitempty"`
}

// Metadata describes the authorization server at base (RFC 8414).
func (s *Server) Metadata(base string) any {
	return serverMetadata{AuthServerMeta: oauthex.AuthServerMeta{
		Issuer:                                     base,
		AuthorizationEndpoint:                      base + "/oauth/authorize",
		TokenEndpoint:                              base + "/oauth/token",
		RegistrationEndpoint:                       base + "/oauth/register",
		RevocationEndpoint:                         base + "/oauth/revoke",
		ScopesSupported:                            SupportedScopes(),
		ResponseTypesSupported:                     []string{"code"},
		ResponseModesSupported:                     []string{"query"},
		GrantTypesSupported:                        []string{"authorization_code", "refresh_token"},
		TokenEndpointAuthMethodsSupported:          []string{"none"},
		RevocationEndpointAuthMethodsSupported:     []string{"none"},
		CodeChallengeMethodsSupported:              []string{"S256"},
		ClientIDMetadataDocumentSupported:          s.documents.supported(),
		AuthorizationResponseIssParameterSupported: true,
	}}
}

// ProtectedResource describes /mcp below base, for which issuer authorizes (RFC 9728).
func (s *Server) ProtectedResource(base, issuer string) any {
	return oauthex.ProtectedResourceMetadata{Resource: base + "/mcp", AuthorizationServers: []string{issuer},
		ScopesSupported: SupportedScopes(), BearerMethodsSupported: []string{"header"}, ResourceName: "Loci"}
}
