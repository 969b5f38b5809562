package oauth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/url"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

// TokenResponse is the answer of the token endpoint. It contains secrets in plain text, because it
// is sent to the client.
type TokenResponse struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"`
	RefreshToken string `json:"refresh_token,omitempty"`
	Scope        string `json:"scope,omitempty"`
}

// maxToken is longer than any token or code that this server creates.
const maxToken = 200

func errBadGrant() error {
	return errorOf("invalid_grant", "invalid code or token: unknown, used, expired, revoked, or another client's")
}

// Token exchanges an authorization code or a refresh token for an access token
// and a new refresh token. A refusal is an *Error with a code of RFC 6749 5.2.
func (s *Server) Token(ctx context.Context, form url.Values, own func(resource string) bool) (TokenResponse, error) {
	for name, values := range form {
		if len(values) > 1 && name != "resource" { // RFC 8707 allows it several times
			return TokenResponse{}, errorOf("invalid_request", "a parameter appears twice")
		}
	}
	for _, resource := range form["resource"] {
		if !own(resource) {
			return TokenResponse{}, errorOf("invalid_target", "resource does not belong to this server")
		}
	}
	if form.Get("client_id") == "" {
		return TokenResponse{}, errorOf("invalid_request", "client_id is missing; public clients must send it")
	}
	switch form.Get("grant_type") {
	case "":
		return TokenResponse{}, errorOf("invalid_request", "grant_type is missing")
	case "authorization_code":
		return s.redeem(ctx, form)
	case "refresh_token":
		return s.refresh(ctx, form)
	}
	return TokenResponse{}, errorOf("unsupported_grant_type", "grant_type must be authorization_code or refresh_token")
}

func (s *Server) redeem(ctx context.Context, form url.Values) (TokenResponse, error) {
	code, verifier := form.Get("code"), form.Get("code_verifier")
	if code == "" || verifier == "" {
		return TokenResponse{}, errorOf("invalid_request", "code or code_verifier is missing")
	}
	if len(code) > maxToken || !isVerifier(verifier) {
		return TokenResponse{}, errBadGrant()
	}
	hash, now := auth.Hash(loci.Secret(code)), loci.CutTime(s.o.Now())
	c, g, err := s.o.Store.OAuth().Code(ctx, hash)
	if loci.CodeOf(err) == loci.NotFound {
		return TokenResponse{}, errBadGrant()
	}
	if err != nil {
		return TokenResponse{}, err
	}
	sum := sha256.Sum256([]byte(verifier))
	proved := subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(c.Challenge)) == 1
	// OAuth 2.1 no longer has redirect_uri here. A client that sends it must send the same one.
	redirect, sent := form["redirect_uri"]
	if !proved || sent && redirect[0] != c.RedirectURI {
		return TokenResponse{}, errBadGrant()
	}
	if c.ClientID != form.Get("client_id") {
		return TokenResponse{}, s.another(ctx, "code", g, c.UsedAt)
	}
	// The store decides whether it is too late for the code, and then ends the grant.
	t := issue(g, g.Rights, now)
	if _, err := s.o.Store.OAuth().Redeem(ctx, hash, now, t.credential, t.next); err != nil {
		return TokenResponse{}, s.spent(ctx, "code", g, err)
	}
	return t.TokenResponse, nil
}

func isVerifier(s string) bool { return len(s) >= 43 && len(s) <= 128 && unreserved(s, "-._~") }

func (s *Server) refresh(ctx context.Context, form url.Values) (TokenResponse, error) {
	token := form.Get("refresh_token")
	if token == "" {
		return TokenResponse{}, errorOf("invalid_request", "refresh_token is missing")
	}
	if len(token) > maxToken {
		return TokenResponse{}, errBadGrant()
	}
	hash, now := auth.Hash(loci.Secret(token)), loci.CutTime(s.o.Now())
	used, g, err := s.o.Store.OAuth().Refreshable(ctx, hash)
	switch {
	case loci.CodeOf(err) == loci.NotFound:
		return TokenResponse{}, errBadGrant()
	case err != nil:
		return TokenResponse{}, err
	case g.ClientID != form.Get("client_id"):
		return TokenResponse{}, s.another(ctx, "refresh token", g, used.UsedAt)
	}
	rights := g.Rights
	if scope := form.Get("scope"); strings.TrimSpace(scope) != "" {
		asked, err := rightsOf(scope)
		if err != nil {
			return TokenResponse{}, err
		}
		if rights = inOrder(asked, g.Rights); len(rights) == 0 {
			return TokenResponse{}, errorOf("invalid_scope", "scope exceeds what was granted")
		}
	}
	t := issue(g, rights, now)
	if _, err := s.o.Store.OAuth().Refresh(ctx, hash, now, t.credential, t.next); err != nil {
		return TokenResponse{}, s.spent(ctx, "refresh token", g, err)
	}
	return t.TokenResponse, nil
}

// another refuses a code or token that another client sends. If its own client has used it, the
// sender has stolen it, and the grant ends without loci.ReplayGrace.
func (s *Server) another(ctx context.Context, what string, g loci.Grant, used time.Time) error {
	if used.IsZero() {
		return errBadGrant()
	}
	err := s.o.Store.OAuth().Revoke(ctx, g.OrgID, g.UserID, g.ID, loci.CutTime(s.o.Now()))
	if err == nil {
		err = loci.Errorf(loci.Conflict, "the %s belongs to another client", what)
	}
	return s.spent(ctx, what, g, err)
}

// spent handles a failed exchange. A code or token that is used late may be stolen, so its grant was revoked.
func (s *Server) spent(ctx context.Context, what string, g loci.Grant, err error) error {
	switch loci.CodeOf(err) {
	case loci.Conflict:
		s.o.Log.WarnContext(ctx, "a "+what+" was used too late or by another client; its grant is revoked", "grant",
			g.ID.String(), "org", string(g.OrgID), "client", g.ClientID)
		if now := loci.CutTime(s.o.Now()); g.Usable(now) { // until this request came
			s.record(ctx, g, now)
		}
		return errBadGrant()
	case loci.NotFound:
		return errBadGrant()
	}
	return err
}

// GrantReused is the action in the audit trail when a grant ended because its code or refresh token
// came too late, or from another client after its use.
const GrantReused = "grant.reused"

// record adds that entry. A failure is only logged, because the grant has already ended.
func (s *Server) record(ctx context.Context, g loci.Grant, at time.Time) {
	e := loci.AuditEntry{At: at, Action: GrantReused, Kind: loci.KindAgent, Method: loci.ByOAuth, UserID: g.UserID,
		Vendor: g.Vendor, Target: g.ID.String()}
	if err := s.o.Store.Update(ctx, g.OrgID, func(tx store.Tx) error { return tx.Audit().Add(ctx, e) }); err != nil {
		s.o.Log.WarnContext(ctx, "cannot record the end of a grant", "grant", g.ID.String(), "error", err)
	}
}

// tokens are the result of one exchange: what to store, and what to send.
type tokens struct {
	credential loci.Credential
	next       loci.RefreshToken
	TokenResponse
}

func issue(g loci.Grant, rights []loci.Right, now time.Time) tokens {
	access, refresh := auth.NewSecret(auth.AccessPrefix), auth.NewSecret(auth.RefreshPrefix)
	name := []rune(g.ClientName)
	return tokens{
		credential: loci.Credential{ID: loci.NewCredentialID(), OrgID: g.OrgID, UserID: g.UserID, Kind: loci.KindAgent,
			Method: loci.ByOAuth,
			Vendor: g.Vendor, Name: string(name[:min(len(name), loci.MaxKeyName)]), Hash: auth.Hash(access),
			Prefix: auth.AccessPrefix, Rights: rights,
			WorkspaceID: g.WorkspaceID, GrantID: g.ID, CreatedAt: now, ExpiresAt: now.Add(AccessLife)},
		next: loci.RefreshToken{Hash: auth.Hash(refresh), GrantID: g.ID, ExpiresAt: now.Add(RefreshLife)},
		TokenResponse: TokenResponse{AccessToken: access.Reveal(), TokenType: "Bearer",
			ExpiresIn:    int(AccessLife / time.Second),
			RefreshToken: refresh.Reveal(), Scope: strings.Join(loci.Texts(rights), " ")},
	}
}

// Revoke revokes a token (RFC 7009): a refresh token with its whole grant, an access token alone.
// An unknown token isn't an error. Anyone who has a token may revoke it. If the request has a
// client_id, it must be the token's client.
func (s *Server) Revoke(ctx context.Context, form url.Values) error {
	token := form.Get("token")
	if token == "" {
		return errorOf("invalid_request", "token is missing")
	}
	if len(token) > maxToken || len(form["token"]) > 1 {
		return nil
	}
	hash, now := auth.Hash(loci.Secret(token)), loci.CutTime(s.o.Now())
	_, g, err := s.o.Store.OAuth().Refreshable(ctx, hash)
	if err == nil {
		if id := form.Get("client_id"); id != "" && id != g.ClientID {
			return errorOf("invalid_client", "this token was issued to another client")
		}
		if err := s.o.Store.OAuth().Revoke(ctx, g.OrgID, g.UserID, g.ID, now); err != nil {
			return ignoreMissing(err)
		}
		return store.ForgetPacks(ctx, s.o.Store, g.OrgID, g.UserID, g.ID)
	}
	if loci.CodeOf(err) != loci.NotFound {
		return err
	}
	c, err := s.o.Store.Credentials().ByHash(ctx, hash)
	if err != nil || c.Method != loci.ByOAuth { // keys and sessions are revoked elsewhere
		return ignoreMissing(err)
	}
	return ignoreMissing(s.o.Store.Credentials().Revoke(ctx, c.OrgID, c.UserID, c.ID, now))
}

func ignoreMissing(err error) error {
	if loci.CodeOf(err) == loci.NotFound {
		return nil
	}
	return err
}
