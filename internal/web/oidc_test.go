package web_test

import (
	"crypto/rand"
	"crypto/rsa"
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

	"github.com/loci-memory/loci/internal/auth"
)

// newProvider starts an OpenID provider that signs in, as one e-mail address,
// whoever asks.
func newProvider(t *testing.T, now func() time.Time, email string) *httptest.Server {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	asked := map[string]url.Values{} // by code
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"issuer": srv.URL, "authorization_endpoint": srv.URL + "/authorize",
			"token_endpoint": srv.URL + "/token",
			"jwks_uri":       srv.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		b64 := base64.RawURLEncoding.EncodeToString
		answer(w, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "kid": "1", "use": "sig", "alg": "RS256",
			"n": b64(key.N.Bytes()), "e": b64(big.NewInt(int64(key.E)).Bytes())}}})
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		code := "code-" + q.Get("state")[:8]
		asked[code] = q
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(),
			http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		q := asked[r.FormValue("code")]
		token := jwt.NewWithClaims(jwt.SigningMethodRS256,
			jwt.MapClaims{"iss": srv.URL, "aud": "loci", "sub": "1", "nonce": q.Get("nonce"), "iat": now().Unix(),
				"exp": now().Add(time.Minute).Unix(), "auth_time": now().Unix(), "email": email, "email_verified": true})
		token.Header["kid"] = "1"
		signed, err := token.SignedString(key)
		if err != nil {
			t.Error(err)
		}
		answer(w, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": signed})
	})
	return srv
}

func TestSingleSignOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) auth.OIDCProvider {
		provider := newProvider(t, w.clock.Now, maraMail)
		return auth.OIDCProvider{ID: "corp", Name: "Acme & Co", Issuer: provider.URL, ClientID: "loci",
			ClientSecret: "s3cret"}
	})
	b := w.browser()
	want(t, "the page", b.get("/app/sign-in?next=/app/keys"), 200, `href="/app/oidc/corp?next=%2Fapp%2Fkeys"`,
		"Continue with Acme &amp; Co")
	want(t, "no such provider", b.get("/app/oidc/other"), 404)
	callback := b.begin("/app/oidc/corp?next=/app/keys")
	want(t, "in another browser", w.browser().get(callback), 400, "did not begin in this browser")
	if a := b.get(callback); a.status != 303 || a.location() != "/app/keys" {
		t.Fatalf("the callback: %d %s %s", a.status, a.location(), a.body)
	}
	want(t, "signed in", b.get("/api/v1/whoami"), 200, maraMail)
	want(t, "the callback again", b.get(callback), 400)

	w.clock.advance(6 * time.Minute)
	want(t, "stale", b.remove(passwordPath), 403, "step_up_required")
	want(t, "the proofs", b.get("/app/step-up?next=/app/account"), 200, "Confirm that it is you",
		"Continue with Acme &amp; Co")
	if a := b.get(b.begin("/app/oidc/corp?next=/app/keys")); a.status != 303 || a.location() != "/app/keys" {
		t.Fatalf("the proof: %d %s %s", a.status, a.location(), a.body)
	}
	want(t, "fresh", b.remove(passwordPath), 204)
	if a := b.get(b.begin("/app/oidc/corp?next=//evil.example")); a.location() != "/app/" {
		t.Errorf("another site: %d %s", a.status, a.location())
	}
}

// begin goes to a provider and returns the path to come back to.
func (b *browser) begin(path string) string {
	b.w.t.Helper()
	a := b.get(path)
	if a.status != 303 {
		b.w.t.Fatalf("%s: %d %s", path, a.status, a.body)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Get(a.location())
	if err != nil {
		b.w.t.Fatal(err)
	}
	res.Body.Close()
	return strings.TrimPrefix(res.Header.Get("Location"), b.w.base)
}
