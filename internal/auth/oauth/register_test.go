package oauth_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/auth"
)

// TestRegisterFromManyAddresses registers from ever new addresses of one IPv6
// customer.
func TestRegisterFromManyAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	body := []byte(`{"redirect_uris":["http://127.0.0.1/"]}`)
	for i := range 101 {
		at := auth.From{Address: netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 15: byte(i)})}
		if _, err := w.oauth.Register(t.Context(), body, at); i < 100 && err != nil ||
			i == 100 && codeOf(err) != "temporarily_unavailable" {
			t.Fatalf("registration %d: %v", i+1, err)
		}
	}
}

func TestRegister(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	good, err := w.oauth.Register(t.Context(),
		[]byte(`{"redirect_uris":["http://127.0.0.1/cb","com.example.app:/x"],"client_name":"App",
		"client_uri":"javascript:alert(1)",
		"token_endpoint_auth_method":"client_secret_post","jwks":{"keys":[]},"grant_types":["authorization_code"]}`),
		auth.From{})
	if err != nil || good.AuthMethod != "none" || good.URI != "" || len(good.ClientID) < 43 ||
		!slices.Contains(good.GrantTypes, "refresh_token") || good.IssuedAt != w.now.Unix() {
		t.Errorf("got %+v, %v", good, err)
	}
	mixed, err := w.oauth.Register(t.Context(), []byte(`{"redirect_uris":["warp://mcp/oauth2callback","data:text/html,x",
		"http://127.0.0.1:6274/cb","http://a.example/cb"]}`), auth.From{})
	kept := []string{"warp://mcp/oauth2callback", "http://127.0.0.1:6274/cb"}
	if stored, err2 := w.store.OAuth().Client(t.Context(), mixed.ClientID); !slices.Equal(mixed.RedirectURIs, kept) ||
		!slices.Equal(stored.RedirectURIs, kept) || err != nil || err2 != nil {
		t.Errorf("of four redirects: %v, %v, %v, %v", mixed.RedirectURIs, stored.RedirectURIs, err, err2)
	}
	many := `"https://a.example/"` + strings.Repeat(`,"https://a.example/"`, 10)
	for body, want := range map[string]string{
		``: "invalid_client_metadata", `null`: "invalid_client_metadata", `[]`: "invalid_client_metadata",
		`{}`:                                        "invalid_redirect_uri",
		`{"redirect_uris":"https://a.example"}`:     "invalid_client_metadata",
		`{"redirect_uris":[]}`:                      "invalid_redirect_uri",
		`{"redirect_uris":[` + many + `]}`:          "invalid_redirect_uri",
		`{"redirect_uris":["javascript:alert(1)"]}`: "invalid_redirect_uri",
		`{"redirect_uris":["http://a.example/","data:text/html,x"]}`:        "invalid_redirect_uri",
		`{"redirect_uris":["https://a.example/"],"client_name":"a\u202eb"}`: "invalid_client_metadata",
		`{"redirect_uris":["https://a.example/"],"client_name":"` + strings.Repeat("x", 101) +
			`"}`: "invalid_client_metadata",
		`{"redirect_uris":["https://a.example/"],"grant_types":["client_credentials"]}`: "invalid_client_metadata",
		`{"redirect_uris":["https://a.example/"],"response_types":["token"]}`:           "invalid_client_metadata",
		`{"redirect_uris":["https://a.example/"],"x":"` + strings.Repeat("x", 40_000) +
			`"}`: "invalid_client_metadata",
	} {
		if _, err := w.oauth.Register(t.Context(), []byte(body), auth.From{}); codeOf(err) != want {
			t.Errorf("%.80s: got %q, want %q", body, codeOf(err), want)
		}
	}
}
