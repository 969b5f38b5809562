package oauth

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// Request is an authorization request as received.
type Request struct {
	ClientID, RedirectURI, State, Challenge, Method, Scope, Resource, ResponseType string
}

// ParseRequest parses an authorization request. If a parameter appears twice, it returns an *Error
// to show, because two readers may use different ones.
func ParseRequest(query url.Values) (Request, error) {
	var r Request
	for name, to := range map[string]*string{"client_id": &r.ClientID, "redirect_uri": &r.RedirectURI, "state": &r.State,
		"code_challenge": &r.Challenge, "code_challenge_method": &r.Method, "scope": &r.Scope, "resource": &r.Resource,
		"response_type": &r.ResponseType} {
		switch values := query[name]; len(values) {
		case 0:
		case 1:
			*to = values[0]
		default:
			return Request{}, errorOf("invalid_request", "the parameter "+name+" appears twice")
		}
	}
	return r, nil
}

// Consent is what a client asks a person to allow. Only Authorize creates it.
type Consent struct {
	Client      loci.OAuthClient
	Verified    string       // the host that the client proved to own; "" if none
	Suggested   loci.Vendor  // the vendor with that host; "" if nothing proves one
	Fixed       bool         // the operator chose: Suggested is the only choice
	Rights      []loci.Right // the requested rights
	RedirectURI string
	State       string
	Challenge   string
	Resource    string // "" if the client named none
	Local       bool   // the redirect is to a program on the person's own machine
	document    bool   // the client is known by its metadata document
}

// RedirectError is an error that goes back to the client.
type RedirectError struct{ Code, Description, RedirectURI, State string }

// Error returns the description.
func (e *RedirectError) Error() string { return e.Description }

// Location returns the URL to which to send the browser, with the issuer (RFC 9207).
func (e *RedirectError) Location(issuer string) string {
	return withQuery(e.RedirectURI, answer(issuer, e.State, "error", e.Code, "error_description", e.Description))
}

func answer(issuer, state string, pairs ...string) url.Values {
	q := url.Values{"iss": {issuer}}
	if state != "" {
		q.Set("state", state)
	}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return q
}

// maxState is the maximum length of a client's state, in bytes. It becomes part of URLs.
const maxState = 4000

// Authorize checks a request and returns what to ask the person. Until it has verified the client
// and the redirect, it fails with an *Error, which must be shown on a page and never sent anywhere.
// After that, it fails with a *RedirectError.
func (s *Server) Authorize(ctx context.Context, r Request, own func(resource string) bool) (*Consent, error) {
	c, err := s.client(ctx, r.ClientID)
	if err != nil {
		return nil, err
	}
	if !matchRedirect(c.Client.RedirectURIs, r.RedirectURI) {
		return nil, errorOf("invalid_request", "redirect_uri is missing, or this client did not register it")
	}
	refuse := func(code, description string) error {
		return &RedirectError{Code: code, Description: description, RedirectURI: r.RedirectURI, State: r.State}
	}
	if len(r.State) > maxState {
		r.State = ""
		return nil, refuse("invalid_request", "state is too long")
	}
	if r.ResponseType != "code" {
		return nil, refuse("unsupported_response_type", "response_type must be code")
	}
	if r.Method != "S256" || !isChallenge(r.Challenge) {
		return nil, refuse("invalid_request", "PKCE is required: send code_challenge with code_challenge_method S256")
	}
	if r.Resource != "" && !own(r.Resource) {
		return nil, refuse("invalid_target", "resource does not belong to this server")
	}
	if c.Rights, err = rightsOf(r.Scope); err != nil {
		return nil, refuse("invalid_scope", "scope has no value that this server can grant")
	}
	c.RedirectURI, c.State, c.Challenge, c.Resource = r.RedirectURI, r.State, r.Challenge, r.Resource
	_, _, c.Local = loopback(r.RedirectURI)
	if !c.document {
		c.Verified = provedBy(r.RedirectURI)
	}
	c.Suggested = loci.VendorOfHost(c.Verified)
	if c.Client.Vendor != "" {
		c.Suggested, c.Fixed = c.Client.Vendor, true
	}
	return c, nil
}

// client finds a client by its registration or its metadata document.
func (s *Server) client(ctx context.Context, id string) (*Consent, error) {
	if id == "" || len(id) > maxURI || !plainURI(id) {
		return nil, errorOf("invalid_request", "client_id is missing or not valid")
	}
	stored, err := s.o.Store.OAuth().Client(ctx, id)
	if err != nil && loci.CodeOf(err) != loci.NotFound {
		return nil, err
	}
	if !strings.HasPrefix(id, "https://") {
		if err != nil {
			return nil, errorOf("invalid_client", "this client is not registered on this server, or no longer; connect it again")
		}
		return &Consent{Client: stored}, nil
	}
	c, host, err := s.documents.get(ctx, id)
	if err != nil {
		return nil, err
	}
	c.Vendor, c.CreatedAt = stored.Vendor, stored.CreatedAt
	return &Consent{Client: c, Verified: host, document: true}, nil
}

func isChallenge(s string) bool { return len(s) == 43 && unreserved(s, "-_") }

func unreserved(s, extra string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(extra, r)
	})
}

// rightsOf parses a scope. It ignores rights that no client can have, as RFC 6749 3.3 allows. It
// fails if no others are left. An empty scope means all rights.
func rightsOf(scope string) ([]loci.Right, error) {
	words := strings.Fields(scope)
	if len(words) == 0 {
		return loci.AgentRights(), nil
	}
	out := slices.DeleteFunc(loci.AgentRights(), func(r loci.Right) bool { return !slices.Contains(words, string(r)) })
	if len(out) == 0 {
		return nil, errorOf("invalid_scope", "scope has no value that this server can grant")
	}
	return out, nil
}

// Allow stores a grant: to act as one vendor, with some of the requested rights. It returns the code for the client.
// It fails with Forbidden if the operator set another vendor, and with Invalid if the vendor or the rights are not
// possible. Only identity.Service.Consent calls it, which checks whether the person may consent.
func (s *Server) Allow(ctx context.Context, p loci.Principal, c *Consent, vendor loci.Vendor, rights []loci.Right) (
	loci.Secret, loci.Grant, error) {
	if err := auth.CheckVendor(vendor); err != nil {
		return "", loci.Grant{}, loci.FieldErrorf("vendor", "is not valid: %s", err)
	}
	rights = inOrder(rights, c.Rights)
	if len(rights) == 0 {
		return "", loci.Grant{},
			loci.FieldErrorf("scopes", "must be one or more of those that the client requested")
	}
	now := loci.CutTime(s.o.Now())
	client, err := s.o.Store.OAuth().Client(ctx, c.Client.ID) // the operator may have changed it since the page was shown
	if loci.CodeOf(err) == loci.NotFound && c.document {
		client, err = c.Client, nil
		client.CreatedAt = now
	}
	if err != nil {
		return "", loci.Grant{}, err
	}
	if client.Vendor != "" && client.Vendor != vendor {
		return "", loci.Grant{},
			loci.Errorf(loci.Forbidden, "the operator of this server assigned this client to %s", client.Vendor)
	}
	client.LastUsedAt = now
	if c.document {
		client.Name, client.RedirectURIs, client.URI = c.Client.Name, c.Client.RedirectURIs, c.Client.URI
	}
	if err := s.o.Store.OAuth().PutClient(ctx, client); err != nil {
		return "", loci.Grant{}, err
	}
	code := auth.NewSecret(auth.CodePrefix)
	g := loci.Grant{ID: loci.NewGrantID(), OrgID: p.OrgID, UserID: p.UserID, ClientID: client.ID, ClientName: client.Name,
		Vendor: vendor,
		Rights: rights, Resource: c.Resource, WorkspaceID: p.WorkspaceID, CreatedAt: now, ExpiresAt: now.Add(RefreshLife)}
	err = s.o.Store.OAuth().Allow(ctx, g,
		loci.AuthCode{Hash: auth.Hash(code), GrantID: g.ID, ClientID: client.ID, RedirectURI: c.RedirectURI,
			Challenge: c.Challenge, Resource: c.Resource, ExpiresAt: now.Add(CodeLife)})
	if err != nil {
		return "", loci.Grant{}, err
	}
	return code, g, nil
}

// inOrder returns chosen in the order of asked, or nil if asked doesn't contain all of it.
func inOrder(chosen, asked []loci.Right) []loci.Right {
	for _, r := range chosen {
		if !slices.Contains(asked, r) {
			return nil
		}
	}
	return slices.DeleteFunc(slices.Clone(asked), func(r loci.Right) bool { return !slices.Contains(chosen, r) })
}

// Redirect returns the URL to which to send the browser with a code.
func Redirect(c *Consent, issuer string, code loci.Secret) string {
	return withQuery(c.RedirectURI, answer(issuer, c.State, "code", code.Reveal()))
}

// Deny returns the URL to which to send the browser if the person refuses.
func Deny(c *Consent, issuer string) string {
	return withQuery(c.RedirectURI,
		answer(issuer, c.State, "error", "access_denied", "error_description", "the person denied access"))
}
