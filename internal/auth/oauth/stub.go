// Package oauth is the OAuth 2.1 authorization server for MCP clients.
package oauth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

var errSoon = errors.New("not written yet")

// How long what the server issues is good for.
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

// Server is the authorization server.
type Server struct{}

// New returns a Server.
func New(o Options) *Server { return &Server{} }

// Request is an authorization request as it was sent.
type Request struct {
	ClientID, RedirectURI, State, Challenge, Method, Scope, Resource, ResponseType string
}

// ParseRequest reads an authorization request.
func ParseRequest(query url.Values) (Request, error) { return Request{}, errSoon }

// Consent is what a person is asked to allow.
type Consent struct {
	Client      loci.OAuthClient
	Verified    string       // the host that the client proved to belong to; "" if none
	Suggested   loci.Vendor  // what it probably is; "" if nothing proves it
	Fixed       bool         // the operator decided: Suggested is the only choice
	Rights      []loci.Right // asked for
	RedirectURI string
	State       string
	Challenge   string
	Resource    string
	Local       bool // the redirect is to a program on the person's own machine
}

// Authorize checks a request.
func (s *Server) Authorize(ctx context.Context, r Request, own func(resource string) bool) (*Consent, error) {
	return nil, errSoon
}

// RedirectError is an error that goes back to the client.
type RedirectError struct{ Code, Description, RedirectURI, State string }

// Error describes it.
func (e *RedirectError) Error() string { return e.Description }

// Location returns where to send the browser.
func (e *RedirectError) Location(issuer string) string { return "" }

// Allow stores a grant. Only app.Consent calls it.
func (s *Server) Allow(ctx context.Context, p loci.Principal, c *Consent, vendor loci.Vendor, rights []loci.Right) (loci.Secret, loci.Grant, error) {
	return "", loci.Grant{}, errSoon
}

// Redirect returns where to send the browser with a code.
func Redirect(c *Consent, issuer string, code loci.Secret) string { return "" }

// Deny returns where to send the browser after a refusal.
func Deny(c *Consent, issuer string) string { return "" }

// TokenResponse is the answer of the token endpoint.
type TokenResponse struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"`
	RefreshToken string `json:"refresh_token,omitempty"`
	Scope        string `json:"scope,omitempty"`
}

// Error is an OAuth error.
type Error struct {
	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`
	Status      int    `json:"-"`
}

// Error describes it.
func (e *Error) Error() string { return e.Description }

// Token exchanges a code or a refresh token.
func (s *Server) Token(ctx context.Context, form url.Values, own func(resource string) bool) (TokenResponse, error) {
	return TokenResponse{}, errSoon
}

// RegisterResponse is the answer of the registration endpoint.
type RegisterResponse struct {
	ClientID string `json:"client_id"`
}

// Register registers a client.
func (s *Server) Register(ctx context.Context, body []byte, from auth.From) (RegisterResponse, error) {
	return RegisterResponse{}, errSoon
}

// Revoke revokes a token.
func (s *Server) Revoke(ctx context.Context, form url.Values) error { return errSoon }

// Metadata describes the server.
func (s *Server) Metadata(base string) any { return nil }

// ProtectedResource describes /mcp.
func (s *Server) ProtectedResource(base string) any { return nil }

// SupportedScopes returns every scope.
func SupportedScopes() []string { return nil }
