package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// Limits of dynamic registration, which is open to everyone.
const (
	maxRegistration  = 32 << 10 // bytes
	maxRedirects     = 10
	maxClientName    = 100 // characters
	registersPerHour = 100 // per client address
)

// RegisterResponse is the answer of the registration endpoint (RFC 7591).
type RegisterResponse struct {
	ClientID      string   `json:"client_id"`
	IssuedAt      int64    `json:"client_id_issued_at"`
	Name          string   `json:"client_name,omitempty"`
	URI           string   `json:"client_uri,omitempty"`
	RedirectURIs  []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
	Scope         string   `json:"scope"`
}

// metadata is a client's description of itself, here and in its document.
type metadata struct {
	ClientID      string   `json:"client_id"`
	Name          string   `json:"client_name"`
	URI           string   `json:"client_uri"`
	RedirectURIs  []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
	Secret        string   `json:"client_secret"`
	Scope         string   `json:"scope"`
}

// Register creates a public client from a program's description of itself. It fails with an *Error
// with a code of RFC 7591, 3.2.2, that repeats nothing of the body.
func (s *Server) Register(ctx context.Context, body []byte, from auth.From) (RegisterResponse, error) {
	if len(body) > maxRegistration {
		return RegisterResponse{}, errorOf("invalid_client_metadata", "the registration is too large")
	}
	var m metadata
	if err := json.Unmarshal(body, &m); err != nil || !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{")) {
		return RegisterResponse{},
			errorOf("invalid_client_metadata", "the body must be a JSON object with redirect_uris as a list of strings")
	}
	if err := m.check(); err != nil {
		return RegisterResponse{}, err
	}
	rights, err := rightsOf(m.Scope)
	if err != nil { // only a hint: rights are requested at authorization
		rights = loci.AgentRights()
	}
	now := loci.CutTime(s.o.Now())
	used, err := s.o.Store.Limits().Take(ctx, "register:"+auth.AddressKey(from.Address), now.Truncate(time.Hour), 1)
	if err != nil {
		return RegisterResponse{}, err
	}
	if used > registersPerHour {
		return RegisterResponse{},
			&Error{Code: "temporarily_unavailable", Description: "too many registrations from this address; wait an hour",
				Status: http.StatusTooManyRequests}
	}
	c := loci.OAuthClient{ID: auth.NewSecret("loci_client_").Reveal(), Name: m.Name, RedirectURIs: m.RedirectURIs,
		URI: m.URI, CreatedAt: now}
	if err := s.o.Store.OAuth().PutClient(ctx, c); err != nil {
		return RegisterResponse{}, err
	}
	return RegisterResponse{ClientID: c.ID, IssuedAt: now.Unix(), Name: c.Name, URI: c.URI, RedirectURIs: c.RedirectURIs,
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, AuthMethod: "none",
		Scope: strings.Join(loci.Texts(rights), " ")}, nil
}

// check leaves out unusable redirects, because clients list those of all their editions.
func (m *metadata) check() error {
	if len(m.RedirectURIs) == 0 || len(m.RedirectURIs) > maxRedirects {
		return errorOf("invalid_redirect_uri", "redirect_uris must have 1 to 10 entries")
	}
	if m.RedirectURIs = usableRedirects(m.RedirectURIs); len(m.RedirectURIs) == 0 {
		return errorOf("invalid_redirect_uri",
			"a redirect URI must be https, http on 127.0.0.1, [::1] or localhost, or an app's scheme, such as app://callback; "+
				"without fragment and user")
	}
	if utf8.RuneCountInString(m.Name) > maxClientName || m.Name != loci.OneLine(m.Name) {
		return errorOf("invalid_client_metadata", "client_name must be one line of at most 100 printable characters")
	}
	if len(m.GrantTypes) > 0 && !slices.Contains(m.GrantTypes, "authorization_code") {
		return errorOf("invalid_client_metadata", "grant_types must have authorization_code")
	}
	if len(m.ResponseTypes) > 0 && !slices.Contains(m.ResponseTypes, "code") {
		return errorOf("invalid_client_metadata", "response_types must have code")
	}
	if provedBy(m.URI) == "" || !plainURI(m.URI) {
		m.URI = "" // pages would show it as a link
	}
	return nil
}

// maxURI is the maximum length of a redirect URI or client id, in bytes.
const maxURI = 2000

// checkRedirect reports whether codes may be sent to a client's URI: over TLS, to a program on the
// person's own machine, or to an app by its scheme.
func checkRedirect(s string) bool {
	if !plainURI(s) || strings.Contains(s, "#") {
		return false
	}
	u, err := url.Parse(s)
	if err != nil || u.User != nil || u.Opaque != "" {
		return false
	}
	switch scheme, _, _ := strings.Cut(s, ":"); scheme { // as sent: schemes are in lower case
	case "https":
		return u.Hostname() != ""
	case "http":
		_, _, ok := loopback(s)
		return ok
	default:
		return scheme == u.Scheme && MayOpen(scheme)
	}
}

// MayOpen reports whether a browser may follow an address with the scheme: it neither runs nor shows
// the address itself. An app can have any other scheme.
func MayOpen(scheme string) bool {
	return !slices.Contains([]string{"", "javascript", "data", "file", "blob", "about", "vbscript"}, scheme)
}

// usableRedirects returns those of a client's redirects to which codes may be sent.
func usableRedirects(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return !checkRedirect(s) })
}

// plainURI reports whether s has only characters that every URI parser interprets in the same way.
func plainURI(s string) bool {
	return s != "" && len(s) <= maxURI && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("\\\"<>^`{|}", r)
	})
}

// loopback splits a redirect to a program on the same machine into its host and what follows the
// port. It works on bytes, because one parser's port is another one's password.
func loopback(s string) (host, rest string, ok bool) {
	for _, host := range []string{"http://127.0.0.1", "http://[::1]", "http://localhost"} {
		rest, found := strings.CutPrefix(s, host)
		if !found {
			continue
		}
		if port, found := strings.CutPrefix(rest, ":"); found {
			digits := len(port) - len(strings.TrimLeft(port, "0123456789"))
			if digits == 0 || digits > 5 {
				return "", "", false
			}
			rest = port[digits:]
		}
		return host, rest, rest == "" || rest[0] == '/' || rest[0] == '?'
	}
	return "", "", false
}

// matchRedirect reports whether the client registered the redirect. It compares bytes, but accepts
// any port of a loopback redirect (RFC 8252, section 7.3).
func matchRedirect(registered []string, got string) bool {
	if !checkRedirect(got) {
		return false
	}
	if slices.Contains(registered, got) {
		return true
	}
	host, rest, ok := loopback(got)
	return ok && slices.ContainsFunc(registered, func(r string) bool {
		h, s, ok := loopback(r)
		return ok && h == host && s == rest
	})
}

// provedBy returns the host of a redirect if only the host's owner can receive codes there, or "".
func provedBy(redirect string) string {
	u, err := url.Parse(redirect)
	if err != nil || u.Scheme != "https" {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	name := strings.TrimSuffix(host, ".")
	// Browsers treat a host that ends in a number as an address: 127.1, 0x7f.1.
	last := name[strings.LastIndexByte(name, '.')+1:]
	if _, err := netip.ParseAddr(host); err == nil || last == "" || last[0] >= '0' && last[0] <= '9' ||
		last == "localhost" {
		return ""
	}
	return host
}

// withQuery adds parameters to a redirect and keeps its existing ones.
func withQuery(redirect string, q url.Values) string {
	sep := "?"
	if strings.Contains(redirect, "?") {
		sep = "&"
	}
	return redirect + sep + q.Encode()
}
