package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/authtest"
)

// TestTwoServers sends every other request to another process behind the same name, so what begins at one ends at the
// other.
func TestTwoServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) auth.OIDCProvider {
		provider := newProvider(t, w.clock.Now, maraMail)
		return auth.OIDCProvider{ID: "corp", Issuer: provider.URL, ClientID: "loci", ClientSecret: "s3cret"}
	})
	second := http.NewServeMux()
	w.serve(second)
	w.second = second
	b := w.browser()
	callback := b.begin("/app/oidc/corp?next=/app/keys")
	if a := b.get(callback); a.status != 303 || a.location() != "/app/keys" {
		t.Fatalf("single sign-on: %d %s %s", a.status, a.location(), a.body)
	}
	for range 2 {
		want(t, "single sign-on again", b.get(callback), 400)
	}
	key := authtest.New(t)
	key.Site = auth.RP{ID: "localhost", Origin: w.base}
	var begun client.PasskeyCeremony
	read(t, b.send(http.MethodPost, passkeysPath+"/options", nil), &begun)
	options, err := json.Marshal(begun.Options)
	if err != nil {
		t.Fatal(err)
	}
	added := client.NewPasskey{Name: "Laptop", State: begun.State}
	if err := json.Unmarshal(key.Create(options), &added.Response); err != nil {
		t.Fatal(err)
	}
	want(t, "a passkey", b.send(http.MethodPost, passkeysPath, added), 201, `"name":"Laptop"`)
	for what, path := range map[string]string{"sign-in": "/app/sign-in", "step-up": "/app/step-up"} {
		var asked struct {
			Options json.RawMessage `json:"options"`
			State   string          `json:"state"`
		}
		read(t, b.post("/app/passkey/options", "for", what), &asked)
		a := b.post(path, "state", asked.State, "response", string(key.Get(asked.Options)), "next", "/app/keys")
		if a.status != 303 || a.location() != "/app/keys" {
			t.Errorf("%s with a passkey: %d %s %s", what, a.status, a.location(), a.body)
		}
	}
	client := w.client("Claude", redirect)
	form := answerForm(b.get(w.ask(client)), "answer", "allow", "vendor", "claude", "scope", "memories:read")
	q := sentBack(t, b.post("/oauth/authorize", form...))
	got, answer := w.token("grant_type", "authorization_code", "code", q.Get("code"), "redirect_uri", redirect,
		"client_id", client, "code_verifier", verifier)
	if answer.status != 200 || got.Access == "" {
		t.Errorf("the token of a consent: %d %s", answer.status, answer.body)
	}
	if log := w.log.String(); strings.Contains(log, begun.State) {
		t.Error("a sealed state is in the log")
	}
}

func read(t *testing.T, a answer, into any) {
	t.Helper()
	want(t, "the answer", a, 200)
	if err := json.Unmarshal([]byte(a.body), into); err != nil {
		t.Fatal(err)
	}
}
