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
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
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
	o         Options
	documents *documents
}

// New returns a Server. It panics without a store.
func New(o Options) *Server {
	if o.Store == nil {
		panic("oauth: no store")
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Server{o, newDocuments(o.Fetch, o.Egress, o.Now, o.Log)}
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
func SupportedScopes() []string { return loci.Texts(loci.AgentRights()) }

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

// guardedTransport connects only to port 443 of public addresses. It checks the address after resolving the name,
// when it connects. So a name that changes its address a moment later gains nothing.
func guardedTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: fetchTimeout,
		Control: func(network, address string, _ syscall.RawConn) error { return checkDial(network, address) }}
	return &http.Transport{
		Proxy:                  nil, // a proxy would connect for us, unchecked
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    fetchTimeout,
		ResponseHeaderTimeout:  fetchTimeout,
		MaxResponseHeaderBytes: maxDocument,
		DisableKeepAlives:      true,
		ForceAttemptHTTP2:      true,
	}
}

func checkDial(network, address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("dial %s %s: not a TCP address", network, address)
	}
	if at.Port() != 443 || !isPublic(at.Addr()) {
		return fmt.Errorf("dial %s: only port 443 of public addresses", address)
	}
	return nil
}

// notPublic are networks that don't belong to anyone on the Internet, or that embed another address that isPublic
// can't check. It lists those within IPv4 and within the assigned part of IPv6 (2000::/3).
var notPublic = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24",
	"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16")

var (
	givenOut  = netip.MustParsePrefix("2000::/3")
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
)

func prefixes(list ...string) []netip.Prefix {
	return loci.Mapped(list, netip.MustParsePrefix)
}

// isPublic reports whether an address is a single host on the public Internet. It checks an IPv4
// address within an IPv6 one as IPv4.
func isPublic(a netip.Addr) bool {
	if a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	if a.Is6() {
		b := a.As16()
		switch {
		case nat64.Contains(a):
			return isPublic(netip.AddrFrom4([4]byte(b[12:16])))
		case sixToFour.Contains(a):
			return isPublic(netip.AddrFrom4([4]byte(b[2:6])))
		case !givenOut.Contains(a):
			return false
		}
	}
	if !a.IsValid() {
		return false
	}
	return !slices.ContainsFunc(notPublic, func(p netip.Prefix) bool { return p.Contains(a) })
}
