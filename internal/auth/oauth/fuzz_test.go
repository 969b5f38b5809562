package oauth_test

import (
	"errors"
	"net/url"
	"testing"

	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/oauth"
)

// FuzzTokenForm sends random forms to the token and revocation endpoints of a
// server that has a grant: none may get a token, and each refusal is an OAuth
// error.
func FuzzTokenForm(f *testing.F) {
	w := newWorld(f, nil)
	client := w.register(f, callback)
	code, _ := w.consent(f, request(client), "claude")
	f.Add("grant_type=authorization_code&client_id=" + client + "&code=x&code_verifier=" + verifier)
	f.Add("grant_type=refresh_token&client_id=" + client + "&refresh_token=loci_refresh_x&scope=memories:read")
	f.Add("grant_type=authorization_code&client_id=" + client + "&code=" + code.Reveal() + "&code_verifier=" +
		challenge(verifier))
	f.Add("grant_type=a&grant_type=b&resource=x&resource=y&token=z")
	f.Fuzz(func(t *testing.T, body string) {
		form, err := url.ParseQuery(body)
		if err != nil || form.Get("code_verifier") == verifier && form.Get("code") == code.Reveal() {
			return
		}
		_, err = w.oauth.Token(t.Context(), form, own)
		var e *oauth.Error
		if !errors.As(err, &e) || e.Status != 400 || e.Code == "" {
			t.Errorf("%q: %v", body, err)
		}
		if err := w.oauth.Revoke(t.Context(), form); err != nil && !errors.As(err, &e) {
			t.Errorf("revoke %q: %v", body, err)
		}
	})
}

// FuzzRegister sends random bodies to the registration endpoint.
func FuzzRegister(f *testing.F) {
	w := newWorld(f, nil)
	f.Add([]byte(`{"redirect_uris":["https://a.example/cb"],"client_name":"x"}`))
	f.Add([]byte(`{"redirect_uris":[1]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := w.oauth.Register(t.Context(), body, auth.From{})
		var e *oauth.Error
		if err != nil && (!errors.As(err, &e) || e.Code == "") ||
			err == nil && (r.ClientID == "" || len(r.RedirectURIs) == 0) {
			t.Errorf("%q: %+v, %v", body, r, err)
		}
	})
}
