package oauth_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/oauth"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

const (
	issuer   = "https://loci.example"
	verifier = "0123456789012345678901234567890123456789abc"
	callback = "https://claude.ai/api/mcp/auth_callback"
)

func own(resource string) bool { return resource == issuer || resource == issuer+"/mcp" }

type world struct {
	store  store.Store
	now    time.Time
	auth   *auth.Authenticator
	oauth  *oauth.Server
	person loci.Principal
}

func newWorld(t testing.TB, fetch *http.Client) *world {
	t.Helper()
	w := &world{now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	st, err := sqlite.Open(t.Context(), sqlite.Options{Dir: t.TempDir(), Now: w.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	w.store = st
	owner := loci.User{ID: loci.NewUserID(), OrgID: "acme", Email: "mara@example.org", Role: loci.RoleUser,
		OrgRole: loci.MemberOwner, CreatedAt: w.now}
	if _, _, err := st.Orgs().Ensure(t.Context(),
		loci.Org{ID: "acme", Name: "Acme", OwnerID: owner.ID, State: loci.OrgActive, CreatedAt: w.now}, owner); err != nil {
		t.Fatal(err)
	}
	if w.auth, err = auth.New(auth.Options{Store: st, Now: w.clock}); err != nil {
		t.Fatal(err)
	}
	w.oauth = oauth.New(oauth.Options{Store: st, Now: w.clock, Fetch: fetch, Egress: fetch != nil})
	w.person = loci.Principal{Kind: loci.KindUser, OrgID: "acme", UserID: owner.ID, Method: loci.BySignIn}
	return w
}

func (w *world) clock() time.Time { return w.now }

func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func (w *world) register(t testing.TB, redirects ...string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"client_name": "Totally Claude", "redirect_uris": redirects})
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.oauth.Register(t.Context(), body, auth.From{})
	if err != nil {
		t.Fatal(err)
	}
	return r.ClientID
}

func request(client string) oauth.Request {
	return oauth.Request{ClientID: client, RedirectURI: callback, State: "a b&c", Challenge: challenge(verifier),
		Method: "S256",
		Scope:  "memories:read memories:write offline_access", Resource: issuer + "/mcp", ResponseType: "code"}
}

// consent walks up to the code that the client gets.
func (w *world) consent(t testing.TB, r oauth.Request, vendor loci.Vendor) (loci.Secret, loci.Grant) {
	t.Helper()
	c, err := w.oauth.Authorize(t.Context(), r, own)
	if err != nil {
		t.Fatal(err)
	}
	code, g, err := w.oauth.Allow(t.Context(), w.person, c, vendor, c.Rights)
	if err != nil {
		t.Fatal(err)
	}
	return code, g
}

func exchange(client string, code loci.Secret) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "client_id": {client}, "code": {code.Reveal()},
		"code_verifier": {verifier},
		"redirect_uri":  {callback}, "resource": {issuer + "/mcp"}}
}

func refreshing(client, token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {token}}
}

func (w *world) token(t testing.TB, form url.Values) oauth.TokenResponse {
	t.Helper()
	r, err := w.oauth.Token(t.Context(), form, own)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func codeOf(err error) string {
	var e *oauth.Error
	if errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		return "not an OAuth error: " + err.Error()
	}
	return ""
}

func (w *world) works(ctx context.Context, token string) (loci.Principal, bool) {
	p, err := w.auth.Authenticate(ctx, auth.Request{Bearer: loci.Secret(token)})
	return p, err == nil
}

func TestFlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	client := w.register(t, callback)
	c, err := w.oauth.Authorize(t.Context(), request(client), own)
	if err != nil {
		t.Fatal(err)
	}
	if c.Verified != "claude.ai" || c.Suggested != "claude" || c.Fixed || c.Local ||
		!slices.Equal(c.Rights, []loci.Right{loci.RightRead, loci.RightWrite}) {
		t.Errorf("got %+v", c)
	}
	code, g, err := w.oauth.Allow(t.Context(), w.person, c, "claude", []loci.Right{loci.RightRead})
	if err != nil {
		t.Fatal(err)
	}
	back, err := url.Parse(oauth.Redirect(c, issuer, code))
	if err != nil || back.Query().Get("iss") != issuer || back.Query().Get("state") != "a b&c" ||
		back.Query().Get("code") != code.Reveal() || !strings.HasPrefix(back.String(), callback+"?") {
		t.Errorf("redirect %v, %v", back, err)
	}
	if deny, _ := url.Parse(oauth.Deny(c, issuer)); deny.Query().Get("error") != "access_denied" ||
		deny.Query().Get("iss") != issuer || deny.Query().Get("state") != "a b&c" {
		t.Errorf("deny %v", deny)
	}
	first := w.token(t, exchange(client, code))
	if first.TokenType != "Bearer" || first.ExpiresIn != 3600 || first.Scope != "memories:read" {
		t.Errorf("got %+v", first)
	}
	p, ok := w.works(t.Context(), first.AccessToken)
	if !ok || p.Kind != loci.KindAgent || p.Vendor != "claude" || p.UserID != w.person.UserID || p.GrantID != g.ID ||
		p.Has(loci.RightWrite) || p.Method != loci.ByOAuth {
		t.Errorf("got %+v", p)
	}
	second := w.token(t, refreshing(client, first.RefreshToken))
	q, ok := w.works(t.Context(), second.AccessToken)
	if !ok || q.Subject() != p.Subject() {
		t.Errorf("after a refresh: %+v", q)
	}
	if _, ok := w.works(t.Context(), second.RefreshToken); ok {
		t.Error("a refresh token opens /mcp")
	}
	w.now = w.now.Add(oauth.AccessLife)
	if _, ok := w.works(t.Context(), second.AccessToken); ok {
		t.Error("an access token works after an hour")
	}
	third := w.token(t, refreshing(client, second.RefreshToken))
	if err := w.oauth.Revoke(t.Context(), url.Values{"token": {third.RefreshToken}, "client_id": {client}}); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.works(t.Context(), third.AccessToken); ok {
		t.Error("an access token works after its grant was revoked")
	}
}

func TestNamesDecideNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for redirect, want := range map[string]loci.Vendor{
		callback: "claude", "https://chatgpt.com/connector_platform_oauth_redirect": "chatgpt",
		"https://vscode.dev/redirect":      "vscode",
		"https://claude.ai.evil.example/x": "", "https://evil.example/claude.ai": "", "http://127.0.0.1:33418/": "",
		"http://localhost/cb":                                "",
		"cursor://anysphere.cursor-retrieval/oauth/callback": "", "com.anthropic.claude:/cb": "", "https://localhost/cb": "",
	} {
		r := request(w.register(t, redirect))
		r.RedirectURI = redirect
		c, err := w.oauth.Authorize(t.Context(), r, own)
		if err != nil || c.Suggested != want || c.Local != strings.HasPrefix(redirect, "http://") {
			t.Errorf("%s: got %+v, %v; want vendor %q", redirect, c, err, want)
		}
	}
}

func TestOperatorFixesTheVendor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	client := w.register(t, callback)
	before, err := w.oauth.Authorize(t.Context(), request(client), own)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.OAuth().SetVendor(t.Context(), client, "acme-bot"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.oauth.Allow(t.Context(), w.person, before, "claude", before.Rights); loci.CodeOf(
		err) != loci.Forbidden {
		t.Errorf("a consent page that was open while the operator spoke: %v", err)
	}
	c, err := w.oauth.Authorize(t.Context(), request(client), own)
	if err != nil || !c.Fixed || c.Suggested != "acme-bot" {
		t.Errorf("got %+v, %v", c, err)
	}
	if _, _, err := w.oauth.Allow(t.Context(), w.person, c, "acme-bot", c.Rights); err != nil {
		t.Error(err)
	}
	for _, vendor := range []loci.Vendor{"", "api", "cli", "dashboard", "A b", "*"} {
		if _, _, err := w.oauth.Allow(t.Context(), w.person, c, vendor, c.Rights); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("vendor %q: %v", vendor, err)
		}
	}
	for _, rights := range [][]loci.Right{nil, {loci.RightAdmin}, {loci.RightRead, loci.RightGraph}} {
		if _, _, err := w.oauth.Allow(t.Context(), w.person, c, "acme-bot", rights); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("rights %v: %v", rights, err)
		}
	}
}

func TestAuthorizeRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	client := w.register(t, callback)
	for name, tt := range map[string]struct {
		change func(*oauth.Request)
		code   string
		back   bool // whether the client learns of it
	}{
		"unknown client":    {func(r *oauth.Request) { r.ClientID = "loci_client_x" }, "invalid_client", false},
		"no client":         {func(r *oauth.Request) { r.ClientID = "" }, "invalid_request", false},
		"no redirect":       {func(r *oauth.Request) { r.RedirectURI = "" }, "invalid_request", false},
		"other redirect":    {func(r *oauth.Request) { r.RedirectURI = callback + "/" }, "invalid_request", false},
		"redirect and more": {func(r *oauth.Request) { r.RedirectURI = callback + "?x=1" }, "invalid_request", false},
		"document, offline": {func(r *oauth.Request) { r.ClientID = "https://claude.ai/client.json" }, "invalid_client",
			false},
		"implicit":           {func(r *oauth.Request) { r.ResponseType = "token" }, "unsupported_response_type", true},
		"no PKCE":            {func(r *oauth.Request) { r.Challenge, r.Method = "", "" }, "invalid_request", true},
		"plain PKCE":         {func(r *oauth.Request) { r.Method = "plain" }, "invalid_request", true},
		"PKCE, no method":    {func(r *oauth.Request) { r.Method = "" }, "invalid_request", true},
		"short challenge":    {func(r *oauth.Request) { r.Challenge = "x" }, "invalid_request", true},
		"another's resource": {func(r *oauth.Request) { r.Resource = "https://evil.example/mcp" }, "invalid_target", true},
		"only unknown scope": {func(r *oauth.Request) { r.Scope = "admin account x" }, "invalid_scope", true},
		"long state":         {func(r *oauth.Request) { r.State = strings.Repeat("x", 5000) }, "invalid_request", true},
	} {
		r := request(client)
		tt.change(&r)
		c, err := w.oauth.Authorize(t.Context(), r, own)
		var back *oauth.RedirectError
		if errors.As(err, &back) != tt.back || c != nil {
			t.Errorf("%s: got %+v, %v", name, c, err)
			continue
		}
		if !tt.back {
			if codeOf(err) != tt.code {
				t.Errorf("%s: got %q, want %q", name, codeOf(err), tt.code)
			}
			continue
		}
		to, err := url.Parse(back.Location(issuer))
		if err != nil || to.Query().Get("error") != tt.code || to.Query().Get("iss") != issuer ||
			len(r.State) < 100 && to.Query().Get("state") != r.State || to.Host != "claude.ai" {
			t.Errorf("%s: sends the browser to %v", name, to)
		}
	}
	if _, err := oauth.ParseRequest(url.Values{"client_id": {"a", "b"}}); codeOf(err) != "invalid_request" {
		t.Errorf("a parameter twice: %v", err)
	}
	if r, err := oauth.ParseRequest(
		url.Values{"client_id": {"a"}, "code_challenge_method": {"S256"}, "else": {"x", "y"}}); err != nil ||
		r.ClientID != "a" || r.Method != "S256" {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestTokenRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	client, other := w.register(t, callback), w.register(t, callback)
	code, _ := w.consent(t, request(client), "claude")
	refresh := func() string {
		code, _ := w.consent(t, request(client), "claude")
		return w.token(t, exchange(client, code)).RefreshToken
	}()
	set := func(key string, values ...string) func(url.Values) {
		return func(f url.Values) { f[key] = values }
	}
	for name, tt := range map[string]struct {
		form   url.Values
		change func(url.Values)
		code   string
	}{
		"no grant type":       {exchange(client, code), func(f url.Values) { f.Del("grant_type") }, "invalid_request"},
		"password":            {exchange(client, code), set("grant_type", "password"), "unsupported_grant_type"},
		"no client":           {exchange(client, code), func(f url.Values) { f.Del("client_id") }, "invalid_request"},
		"other client":        {exchange(other, code), set("x", "y"), "invalid_grant"},
		"no code":             {exchange(client, code), func(f url.Values) { f.Del("code") }, "invalid_request"},
		"unknown code":        {exchange(client, "loci_code_x"), set("x", "y"), "invalid_grant"},
		"huge code":           {exchange(client, loci.Secret(strings.Repeat("x", 1<<16))), set("x", "y"), "invalid_grant"},
		"no verifier":         {exchange(client, code), func(f url.Values) { f.Del("code_verifier") }, "invalid_request"},
		"wrong verifier":      {exchange(client, code), set("code_verifier", strings.Repeat("x", 43)), "invalid_grant"},
		"short verifier":      {exchange(client, code), set("code_verifier", "x"), "invalid_grant"},
		"long verifier":       {exchange(client, code), set("code_verifier", strings.Repeat("x", 129)), "invalid_grant"},
		"challenge itself":    {exchange(client, code), set("code_verifier", challenge(verifier)), "invalid_grant"},
		"other redirect":      {exchange(client, code), set("redirect_uri", "https://evil.example/"), "invalid_grant"},
		"other resource":      {exchange(client, code), set("resource", "https://evil.example"), "invalid_target"},
		"one resource is not": {exchange(client, code), set("resource", issuer, "https://evil.example"), "invalid_target"},
		"code twice":          {exchange(client, code), set("code", code.Reveal(), code.Reveal()), "invalid_request"},
		"no refresh token":    {refreshing(client, ""), set("x", "y"), "invalid_request"},
		"unknown refresh":     {refreshing(client, "loci_refresh_x"), set("x", "y"), "invalid_grant"},
		"refresh of another":  {refreshing(other, refresh), set("x", "y"), "invalid_grant"},
		"more scope":          {refreshing(client, refresh), set("scope", "memories:read graph"), "invalid_scope"},
		"only unknown scope":  {refreshing(client, refresh), set("scope", "offline_access"), "invalid_scope"},
		"refresh elsewhere":   {refreshing(client, refresh), set("resource", "https://evil.example"), "invalid_target"},
		"code as refresh":     {refreshing(client, code.Reveal()), set("x", "y"), "invalid_grant"},
	} {
		tt.change(tt.form)
		if r, err := w.oauth.Token(t.Context(), tt.form, own); codeOf(err) != tt.code || r != (oauth.TokenResponse{}) {
			t.Errorf("%s: got %q, want %q", name, codeOf(err), tt.code)
		}
	}
	// None of that used anything up.
	if narrow := w.token(t, func() url.Values {
		f := refreshing(client, refresh)
		f.Set("scope", "offline_access memories:write x")
		return f
	}()); narrow.Scope != "memories:write" {
		t.Errorf("scope is %q", narrow.Scope)
	}
	form := exchange(client, code)
	form.Del("redirect_uri") // as OAuth 2.1 has it
	w.token(t, form)
	late, _ := w.consent(t, request(client), "claude")
	w.now = w.now.Add(oauth.CodeLife)
	if _, err := w.oauth.Token(t.Context(), exchange(client, late), own); codeOf(err) != "invalid_grant" {
		t.Errorf("a code after its minute: %v", err)
	}
}

// TestUsedCodeAfterItsMinute replays a code that a client used: that its time is
// over must not hide that somebody else has it.
func TestUsedCodeAfterItsMinute(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	client := w.register(t, callback)
	code, _ := w.consent(t, request(client), "claude")
	got := w.token(t, exchange(client, code))
	w.now = w.now.Add(10 * time.Minute)
	if _, ok := w.works(t.Context(), got.AccessToken); !ok {
		t.Fatal("the access token does not work")
	}
	if _, err := w.oauth.Token(t.Context(), exchange(client, code), own); codeOf(err) != "invalid_grant" {
		t.Fatalf("replayed late: %v", err)
	}
	if _, ok := w.works(t.Context(), got.AccessToken); ok {
		t.Error("the access token still works")
	}
	if _, err := w.oauth.Token(t.Context(), refreshing(client, got.RefreshToken), own); codeOf(err) != "invalid_grant" {
		t.Errorf("the refresh token: %v", err)
	}
	err := w.store.View(t.Context(), w.person.OrgID, func(tx store.Tx) error {
		rows, err := tx.Audit().List(t.Context(), store.AuditQuery{Action: oauth.GrantReused, Limit: 5})
		if err == nil && (len(rows) != 1 || rows[0].Allowed || rows[0].UserID != w.person.UserID ||
			rows[0].Vendor != "claude") {
			t.Errorf("the trail has %+v, want the end of the grant once", rows)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestRevokeLeavesKeysAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c, key, err := auth.NewCredential(w.person, auth.KeyRequest{Name: "k"}, w.now)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Credentials().Insert(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	client, other := w.register(t, callback), w.register(t, callback)
	code, _ := w.consent(t, request(client), "claude")
	tokens := w.token(t, exchange(client, code))
	if err := w.oauth.Revoke(t.Context(), url.Values{}); codeOf(err) != "invalid_request" {
		t.Errorf("no token: %v", err)
	}
	if err := w.oauth.Revoke(t.Context(), url.Values{"token": {tokens.RefreshToken}, "client_id": {other}}); codeOf(
		err) != "invalid_client" {
		t.Errorf("another client: %v", err)
	}
	for _, token := range []string{"unknown", key.Reveal(), tokens.AccessToken} {
		if err := w.oauth.Revoke(t.Context(), url.Values{"token": {token}}); err != nil {
			t.Errorf("%.10s: %v", token, err)
		}
	}
	if _, ok := w.works(t.Context(), key.Reveal()); !ok {
		t.Error("a key was revoked by the OAuth endpoint")
	}
	if _, ok := w.works(t.Context(), tokens.AccessToken); ok {
		t.Error("the access token still works")
	}
	w.token(t, refreshing(client, tokens.RefreshToken)) // the grant lives on
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	text, err := json.Marshal([]any{w.oauth.Metadata(issuer), w.oauth.ProtectedResource(issuer, issuer)})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"issuer":"https://loci.example"`, `"code_challenge_methods_supported":["S256"]`,
		`"authorization_response_iss_parameter_supported":true`,
		`"resource":"https://loci.example/mcp"`, `"authorization_servers":["https://loci.example"]`,
		`"token_endpoint_auth_methods_supported":["none"]`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s has no %s", text, want)
		}
	}
	if strings.Contains(string(text), "jwks") || strings.Contains(string(text), "client_id_metadata") {
		t.Errorf("%s promises too much", text)
	}
}
