package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/authtest"
)

const (
	passwordPath = "/api/v1/users/me/password"
	passkeysPath = "/api/v1/users/me/passkeys"
)

// send sends JSON, as the dashboard does.
func (b *browser) send(method, path string, body any) answer {
	b.w.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	return b.do(method, path, http.Header{"Content-Type": {"application/json"}}, string(text))
}

func (b *browser) setPassword(password string) answer {
	b.w.t.Helper()
	return b.send(http.MethodPut, passwordPath, client.NewPassword{Password: password})
}

func (b *browser) remove(path string) answer {
	b.w.t.Helper()
	return b.do(http.MethodDelete, path, nil, "")
}

func TestPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	const next = "another long password"
	for name, password := range map[string]string{"too short": "zebra", "too long": strings.Repeat("zebra", 60),
		"the address": maraMail} {
		a := b.setPassword(password)
		want(t, name, a, 400, "password")
		lacks(t, name, a, password)
	}
	want(t, "the last one", b.remove(passwordPath), 409, "last sign-in method")
	other := w.browser()
	other.signIn()
	want(t, "set", b.setPassword(next), 204)
	if a := other.get("/app/"); a.status != 303 {
		t.Errorf("the other sign-in after it: %d", a.status)
	}
	want(t, "the old one", w.browser().post("/app/sign-in", "email", maraMail, "password", maraPassword.Reveal()), 401)
	if a := w.browser().post("/app/sign-in", "email", maraMail, "password", next); a.status != 303 {
		t.Errorf("the new one: %d", a.status)
	}
	w.clock.advance(6 * time.Minute)
	for name, a := range map[string]answer{"set": b.setPassword("yet another password"),
		"remove": b.remove(passwordPath)} {
		want(t, "stale: "+name, a, 403, "step_up_required")
	}
	if a := w.browser().post("/app/sign-in", "email", maraMail, "password", next); a.status != 303 {
		t.Errorf("after changes without a proof: %d", a.status)
	}
	w.passkey("Laptop")
	if a := b.post("/app/step-up", "password", next, "next", "/app/account"); a.location() != "/app/account" {
		t.Errorf("the proof: %d %s", a.status, a.body)
	}
	want(t, "remove", b.remove(passwordPath), 204)
	want(t, "remove again", b.remove(passwordPath), 204)
	want(t, "removed", w.browser().post("/app/sign-in", "email", maraMail, "password", next), 401)
	if log := w.log.String(); strings.Contains(log, next) || strings.Contains(log, "yet another") {
		t.Errorf("a password is in the log: %s", log)
	}
}

func TestPasskeysByREST(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	key := authtest.New(t)
	key.Site = auth.RP{ID: "localhost", Origin: w.base}
	begin := func() client.PasskeyCeremony {
		t.Helper()
		a := b.send(http.MethodPost, passkeysPath+"/options", nil)
		want(t, "options", a, 200)
		if a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("the options may be cached: %v", a.header)
		}
		var out client.PasskeyCeremony
		if err := json.Unmarshal([]byte(a.body), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	add := func(name string, c client.PasskeyCeremony, by *authtest.Authenticator) answer {
		t.Helper()
		options, err := json.Marshal(c.Options)
		if err != nil {
			t.Fatal(err)
		}
		n := client.NewPasskey{Name: name, State: c.State}
		if err := json.Unmarshal(by.Create(options), &n.Response); err != nil {
			t.Fatal(err)
		}
		return b.send(http.MethodPost, passkeysPath, n)
	}
	first := begin()
	want(t, "without a name", add(" ", first, key), 400, "name")
	added := add("Laptop", first, key)
	want(t, "add", added, 201, `"name":"Laptop"`)
	want(t, "a state that was used", add("Laptop", first, key), 400, "start again")
	evil := authtest.New(t)
	evil.Site = auth.RP{ID: "localhost", Origin: "https://evil.example"}
	want(t, "an answer for another site", add("x", begin(), evil), 401)
	want(t, "the same one again", add("Copy", begin(), key), 409, "registered already")
	noObject := map[string]any{"name": "x", "state": "x", "response": "x"}
	want(t, "no object", b.send(http.MethodPost, passkeysPath, noObject), 400, "response")
	want(t, "listed", b.get("/api/v1/users/me/sign-in"), 200, `"Laptop"`, `"fresh":true`)

	var made client.Passkey
	if err := json.Unmarshal([]byte(added.body), &made); err != nil {
		t.Fatal(err)
	}
	other := w.browser()
	other.signIn()
	w.clock.advance(6 * time.Minute)
	want(t, "options without a proof", b.send(http.MethodPost, passkeysPath+"/options", nil), 403, "step_up_required")
	want(t, "remove without a proof", b.remove(passkeysPath+"/"+made.ID), 403, "step_up_required")
	want(t, "listed later", b.get("/api/v1/users/me/sign-in"), 200, `"fresh":false`)
	b.post("/app/step-up", "password", maraPassword.Reveal())
	for _, id := range []string{"AQIDBA", "?", "..."} {
		want(t, "remove "+id, b.remove(passkeysPath+"/"+id), 404)
	}
	want(t, "remove", b.remove(passkeysPath+"/"+made.ID), 204)
	want(t, "remove it again", b.remove(passkeysPath+"/"+made.ID), 404)
	if a := other.get("/app/"); a.status != 303 {
		t.Errorf("the other sign-in after it: %d", a.status)
	}
}

// TestKeysChangeNoSignIn keeps programs away from the ways in which a person signs in.
func TestKeysChangeNoSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key, err := w.app.Identity.CreateKey(t.Context(), w.local(w.mara), auth.KeyRequest{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{"Authorization": {"Bearer " + key.Reveal()}, "Content-Type": {"application/json"}}
	for _, call := range [][3]string{{"PUT", passwordPath, `{"password":"a password of a thief"}`},
		{"DELETE", passwordPath, ""},
		{"POST", passkeysPath + "/options", ""}, {"POST", passkeysPath, `{"name":"x","state":"x","response":{}}`},
		{"DELETE", passkeysPath + "/AQIDBA", ""}} {
		want(t, call[0]+" "+call[1], w.browser().do(call[0], call[1], header, call[2]), 403, "needs a browser sign-in")
	}
}
