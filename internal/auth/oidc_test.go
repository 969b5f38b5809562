package auth_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// provider is a small OpenID Connect provider: discovery, keys, authorization
// by whoever asks, and a token endpoint that checks code, redirect and PKCE.
type provider struct {
	*httptest.Server
	t      testing.TB
	w      *world
	key    *rsa.PrivateKey
	wrong  *rsa.PrivateKey       // signs with this instead
	change func(jwt.MapClaims)   // of the next ID token
	codes  map[string]url.Values // the authorization request of each code
	down   bool
}

func newProvider(t testing.TB, w *world) *provider {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{t: t, w: w, key: key, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	p.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if p.down {
			http.Error(rw, "down", http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(rw, r)
	}))
	t.Cleanup(p.Close)
	answer := func(rw http.ResponseWriter, v any) {
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(v)
	}
	mux.HandleFunc("/.well-known/openid-configuration", func(rw http.ResponseWriter, _ *http.Request) {
		answer(rw, map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize",
			"token_endpoint": p.URL + "/token",
			"jwks_uri":       p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("/keys", func(rw http.ResponseWriter, _ *http.Request) {
		b64 := base64.RawURLEncoding.EncodeToString
		answer(rw, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "kid": "1", "use": "sig", "alg": "RS256",
			"n": b64(key.N.Bytes()), "e": b64(big.NewInt(int64(key.E)).Bytes())}}})
	})
	mux.HandleFunc("/authorize", func(rw http.ResponseWriter, r *http.Request) {
		code := auth.NewSecret("").Reveal()
		p.codes[code] = r.URL.Query()
		back, _ := url.Parse(r.URL.Query().Get("redirect_uri"))
		back.RawQuery = url.Values{"code": {code}, "state": {r.URL.Query().Get("state")}, "iss": {p.URL}}.Encode()
		http.Redirect(rw, r, back.String(), http.StatusFound)
	})
	mux.HandleFunc("/token", func(rw http.ResponseWriter, r *http.Request) {
		asked, ok := p.codes[r.FormValue("code")]
		delete(p.codes, r.FormValue("code"))
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		id, secret, _ := r.BasicAuth()
		if !ok || r.FormValue("redirect_uri") != asked.Get("redirect_uri") || id != "loci" || secret != "s3cret" ||
			asked.Get("code_challenge_method") != "S256" ||
			asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(http.StatusBadRequest)
			answer(rw, map[string]string{"error": "invalid_grant"})
			return
		}
		answer(rw, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": p.idToken(asked)})
	})
	return p
}

func (p *provider) idToken(asked url.Values) string {
	claims := jwt.MapClaims{"iss": p.URL, "aud": "loci", "sub": "1", "nonce": asked.Get("nonce"), "iat": p.w.now.Unix(),
		"exp": p.w.now.Add(time.Minute).Unix(), "email": "mara@example.org", "email_verified": true}
	if asked.Get("max_age") == "0" {
		claims["auth_time"] = p.w.now.Unix()
	}
	if p.change != nil {
		p.change(claims)
	}
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)
	token.Header["kid"] = "1"
	key := p.key
	if p.wrong != nil {
		key = p.wrong
	}
	s, err := token.SignedString(key)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

func (p *provider) settings() auth.SignInOptions {
	return auth.SignInOptions{Site: auth.Site{PublicURL: "https://loci.example/"}, Egress: true,
		OIDC: []auth.OIDCProvider{
			{ID: "acme", Issuer: p.URL, ClientID: "loci", ClientSecret: "s3cret", Domains: []string{"acme.example"}}}}
}

// visit follows the redirect like a browser and returns the callback's query.
func (p *provider) visit(redirect string) url.Values {
	p.t.Helper()
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Get(redirect)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	back, err := resp.Location()
	if err != nil || !strings.HasPrefix(back.String(), "https://loci.example/app/oidc/acme/callback?") {
		p.t.Fatalf("the provider sent the browser to %v, %v", back, err)
	}
	return back.Query()
}

func TestSingleSignOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProvider(t, w)
	s := w.signIn(t, p.settings())
	enter := func() (loci.Person, error) {
		t.Helper()
		redirect, state, err := s.BeginOIDC(t.Context(), "acme", "/app/keys")
		if err != nil {
			t.Fatal(err)
		}
		who, next, err := s.FinishOIDC(t.Context(), "acme", state, p.visit(redirect))
		if err == nil && next != "/app/keys" {
			t.Errorf("next is %q", next)
		}
		return who, err
	}
	if who, err := enter(); err != nil || who.UserID != w.org.OwnerID {
		t.Fatalf("got %+v, %v", who, err)
	}
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	set := func(key string, value any) func(jwt.MapClaims) {
		return func(c jwt.MapClaims) { c[key] = value }
	}
	drop := func(key string) func(jwt.MapClaims) { return func(c jwt.MapClaims) { delete(c, key) } }
	for _, tt := range []struct {
		name   string
		change func(jwt.MapClaims)
		key    *rsa.PrivateKey
		code   loci.Code
	}{
		{"nothing wrong", func(jwt.MapClaims) {}, nil, ""},
		{"another nonce", set("nonce", "x"), nil, loci.Forbidden},
		{"no nonce", drop("nonce"), nil, loci.Forbidden},
		{"unverified", set("email_verified", false), nil, loci.Forbidden},
		{"verified is missing", drop("email_verified"), nil, loci.Forbidden},
		{"verified as a string", set("email_verified", "true"), nil, ""},
		{"no e-mail", drop("email"), nil, loci.Forbidden},
		{"another audience", set("aud", "else"), nil, loci.Forbidden},
		{"two audiences", set("aud", []string{"loci", "else"}), nil, loci.Forbidden},
		{"issued to another", set("azp", "else"), nil, loci.Forbidden},
		{"another issuer", set("iss", "https://evil.example"), nil, loci.Forbidden},
		{"expired", set("exp", w.now.Add(-time.Hour).Unix()), nil, loci.Forbidden},
		{"another key", nil, other, loci.Forbidden},
		{"stranger", set("email", "x@example.org"), nil, loci.Forbidden},
		{"stranger of a listed domain", set("email", "x@ACME.example"), nil, ""},
		{"a dot behind the domain", set("email", "x@acme.example."), nil, loci.Forbidden},
		{"the domain in the name", set("email", "x@acme.example@evil.example"), nil, loci.Invalid},
		{"the domain behind another", set("email", "x@evil.example@acme.example"), nil, loci.Invalid},
		{"a domain that looks like it", set("email", "x@\u0430cme.example"), nil, loci.Forbidden},
		{"the Kelvin sign for a k", set("email", "x@acme.example\u212a"), nil, loci.Invalid},
		{"stranger of a domain below", set("email", "x@sub.acme.example"), nil, loci.Forbidden},
	} {
		p.change, p.wrong = tt.change, tt.key
		if who, err := enter(); loci.CodeOf(err) != tt.code || (err != nil) != (who == loci.Person{}) {
			t.Errorf("%s: got %+v, %v; want code %q", tt.name, who, err, tt.code)
		}
	}
}

func TestSingleSignOnState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProvider(t, w)
	s := w.signIn(t, p.settings())
	begin := func() (loci.Secret, url.Values) {
		t.Helper()
		redirect, state, err := s.BeginOIDC(t.Context(), "acme", "/")
		if err != nil {
			t.Fatal(err)
		}
		return state, p.visit(redirect)
	}
	finish := func(state loci.Secret, query url.Values) loci.Code {
		_, _, err := s.FinishOIDC(t.Context(), "acme", state, query)
		if err == nil {
			return "none"
		}
		return loci.CodeOf(err)
	}
	state, query := begin()
	if got := finish(state, query); got != "none" {
		t.Fatal(got)
	}
	if got := finish(state, query); got != loci.Invalid {
		t.Errorf("replayed: %q", got)
	}
	mine, _ := begin()
	_, theirs := begin()
	if got := finish(mine, theirs); got != loci.Invalid {
		t.Errorf("the callback of another browser: %q", got)
	}
	state, query = begin()
	query.Set("iss", "https://evil.example")
	if got := finish(state, query); got != loci.Invalid {
		t.Errorf("mix-up: %q", got)
	}
	state, query = begin()
	// its code is not for acme
	if _, _, err := s.FinishOIDC(t.Context(), "other", state, query); loci.CodeOf(err) != loci.Invalid {
		t.Errorf("the callback of another provider: %v", err)
	}
	state, query = begin()
	w.now = w.now.Add(6 * time.Minute)
	if got := finish(state, query); got != loci.Invalid {
		t.Errorf("late: %q", got)
	}
	state, query = begin()
	if got := finish(state[:len(state)-2]+"AA", query); got != loci.Invalid {
		t.Errorf("changed: %q", got)
	}
	state, query = begin()
	query.Set("error", "access_denied")
	if got := finish(state, query); got != loci.Forbidden {
		t.Errorf("denied: %q", got)
	}
	state, query = begin()
	query.Set("code", "made up")
	if got := finish(state, query); got != loci.Forbidden {
		t.Errorf("unknown code: %q", got)
	}
	_, passkey, err := s.BeginPasskey(t.Context(), auth.RP{ID: "loci.example", Origin: "https://loci.example"})
	if err != nil {
		t.Fatal(err)
	}
	if got := finish(passkey, query); got != loci.Invalid {
		t.Errorf("the state of another ceremony: %q", got)
	}
}

func TestSingleSignOnStepUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProvider(t, w)
	s := w.signIn(t, p.settings())
	me := loci.Principal{Kind: loci.KindUser, OrgID: w.org.ID, UserID: w.org.OwnerID}
	other := w.newOrg(t, "other", "tom@example.org")
	try := func(change func(jwt.MapClaims)) (loci.Person, error) {
		t.Helper()
		p.change = change
		redirect, state, err := s.BeginOIDCStepUp(t.Context(), me, "acme", "/")
		if err != nil {
			t.Fatal(err)
		}
		who, _, err := s.FinishOIDC(t.Context(), "acme", state, p.visit(redirect))
		return who, err
	}
	if who, err := try(nil); err != nil || who.UserID != me.UserID {
		t.Fatalf("got %+v, %v", who, err)
	}
	if _, err := try(func(c jwt.MapClaims) { c["auth_time"] = w.now.Add(-6 * time.Minute).Unix() }); loci.CodeOf(
		err) != loci.Forbidden {
		t.Errorf("an old proof: %v", err)
	}
	if _, err := try(func(c jwt.MapClaims) { delete(c, "auth_time") }); loci.CodeOf(err) != loci.Forbidden {
		t.Errorf("no word about the proof: %v", err)
	}
	if _, err := try(func(c jwt.MapClaims) { c["email"] = "tom@example.org" }); loci.CodeOf(err) != loci.Forbidden {
		t.Errorf("another person (%v): %v", other.OwnerID, err)
	}
}

func TestSingleSignOnOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := newProvider(t, w)
	p.down = true
	s := w.signIn(t, p.settings()) // a provider that is down stops nothing
	if _, _, err := s.BeginOIDC(t.Context(), "acme", "/"); loci.CodeOf(err) != loci.Upstream {
		t.Errorf("down: %v", err)
	}
	p.down = false
	if _, _, err := s.BeginOIDC(t.Context(), "acme", "/"); err != nil {
		t.Errorf("up again: %v", err)
	}
	if _, _, err := s.BeginOIDC(t.Context(), "else", "/"); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("unknown: %v", err)
	}
	o := p.settings()
	o.Egress = false
	quiet := w.signIn(t, o)
	if _, _, err := quiet.BeginOIDC(t.Context(), "acme", "/"); loci.CodeOf(err) != loci.Unavailable ||
		len(quiet.Providers()) != 0 {
		t.Errorf("without egress: %v, %v", err, quiet.Providers())
	}
	if got := s.Providers(); len(got) != 1 || got[0] != (auth.Provider{ID: "acme", Name: "acme"}) {
		t.Errorf("got %v", got)
	}
	for name, bad := range map[string]auth.OIDCProvider{
		"plain http": {ID: "a", Issuer: "http://idp.example", ClientID: "x"},
		"no client":  {ID: "a", Issuer: "https://idp.example"},
		"bad name":   {ID: "A/b", Issuer: "https://idp.example", ClientID: "x"}, "no issuer": {ID: "a", ClientID: "x"},
	} {
		if _, err := auth.NewSignIn(
			auth.SignInOptions{Authenticator: w.auth(t, auth.Options{}), Store: w.store,
				OIDC: []auth.OIDCProvider{bad}}); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
