package web_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/org"
)

const (
	verifier = "a-verifier-of-at-least-forty-three-characters-0123456789"
	redirect = "http://127.0.0.1:33418/callback"
)

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// ask is the authorization request of a client; pairs change it, and an empty
// value takes a parameter away.
func (w *world) ask(client string, pairs ...string) string {
	q := url.Values{"response_type": {"code"}, "client_id": {client}, "redirect_uri": {redirect}, "state": {"st&te"},
		"code_challenge":        {challengeOf(verifier)},
		"code_challenge_method": {"S256"}, "scope": {"memories:read memories:write"}, "resource": {w.base + "/mcp"}}
	for i := 0; i < len(pairs); i += 2 {
		if q.Del(pairs[i]); pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return "/oauth/authorize?" + q.Encode()
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// answerForm returns what the consent form of a page sends, with pairs added.
func answerForm(page answer, pairs ...string) []string {
	_, form, _ := strings.Cut(page.body, `action="/oauth/authorize"`)
	var out []string
	for _, m := range hiddenField.FindAllStringSubmatch(form, -1) {
		out = append(out, html.UnescapeString(m[1]), html.UnescapeString(m[2]))
	}
	return append(out, pairs...)
}

// sentBack returns the query of what leads back to the client.
func sentBack(t *testing.T, a answer) url.Values {
	t.Helper()
	to := a.location()
	if a.status == http.StatusOK {
		to = strings.TrimPrefix(a.header.Get("Refresh"), "0;url=")
	}
	u, err := url.Parse(to)
	if err != nil || a.status != http.StatusSeeOther && a.status != http.StatusOK || !strings.HasPrefix(to, redirect+"?") {
		t.Fatalf("%d %q: %s", a.status, to, a.body)
	}
	return u.Query()
}

// tokens is an answer of the token endpoint.
type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
	Error   string `json:"error"`
}

func (w *world) token(pairs ...string) (tokens, answer) {
	w.t.Helper()
	b := w.browser()
	b.site = "cross-site" // a client in another site's page may ask too
	a := b.post("/oauth/token", pairs...)
	var out tokens
	if err := json.Unmarshal([]byte(a.body), &out); err != nil {
		w.t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	return out, a
}

func TestConsentToToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.remember("everybody's")
	w.remember("claude's", "claude")
	b := w.browser()
	b.signIn()
	client := w.client(`Evil "Claude" <script>`, redirect)
	page := b.get(w.ask(client))
	want(t, "the page", page, 200, "Evil &#34;Claude&#34; &lt;script&gt;", "self-reported, unverified", "127.0.0.1:33418",
		"it will see 2 memories, but not 0 others", "it will see 1 memory, but not 1 other")
	if csp := page.header.Get("Content-Security-Policy"); !strings.Contains(csp,
		"form-action 'self' http://127.0.0.1:33418;") {
		t.Errorf("CSP %q", csp)
	}
	form := answerForm(page)
	want(t, "no vendor", b.post("/oauth/authorize", append(form, "answer", "allow", "scope", "memories:read")...), 400,
		"Choose a vendor for this client.")
	want(t, "no scope", b.post("/oauth/authorize", append(form, "answer", "allow", "vendor", "claude")...), 400,
		"Select at least one")
	want(t, "no answer", b.post("/oauth/authorize", append(form, "vendor", "claude", "scope", "memories:read")...), 400)
	a := b.post("/oauth/authorize", append(form, "answer", "allow", "vendor", "claude", "scope", "memories:read")...)
	q := sentBack(t, a)
	if q.Get("state") != "st&te" || q.Get("iss") != w.base || q.Get("code") == "" || q.Has("error") {
		t.Errorf("sent back %v", q)
	}
	exchange := []string{"grant_type", "authorization_code", "code", q.Get("code"), "redirect_uri", redirect, "client_id",
		client, "code_verifier", verifier}
	got, answer := w.token(exchange...)
	if answer.status != 200 || got.Access == "" || got.Refresh == "" || got.Scope != "memories:read" {
		t.Fatalf("token: %d %s", answer.status, answer.body)
	}
	if answer.header.Get("Cache-Control") != "no-store" || answer.header.Get("Pragma") != "no-cache" ||
		answer.header.Get("Access-Control-Allow-Origin") != "*" ||
		answer.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("token: %v", answer.header)
	}
	p := w.principal(got.Access)
	if p.Vendor != "claude" || p.UserID != w.mara.UserID || p.Kind != loci.KindAgent {
		t.Errorf("the token is %+v", p)
	}
	if again, a := w.token(exchange...); a.status != 200 || again.Access == got.Access {
		t.Errorf("the code again: %d %s", a.status, a.body)
	}
	w.principal(got.Access)
	w.clock.advance(loci.ReplayGrace)
	if got, a := w.token(exchange...); a.status != 400 || got.Error != "invalid_grant" {
		t.Errorf("the code a minute later: %d %s", a.status, a.body)
	}
}

func TestTypedVendorIsShownFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.remember("everybody's")
	w.remember("raycast's", "raycast")
	b := w.browser()
	b.signIn()
	form := answerForm(b.get(w.ask(w.client("An editor", redirect))), "answer", "allow", "scope", "memories:read")
	want(t, "not a name", b.post("/oauth/authorize", append(form, "vendor", ".other", "other", "Zed & Co")...), 400,
		`role="alert"`)
	page := b.post("/oauth/authorize", append(form, "vendor", ".other", "other", "raycast")...)
	want(t, "a new name", page, 400, `value="raycast" required checked`, "it will see 2 memories, but not 0 others",
		"Check what raycast will see")
	a := b.post("/oauth/authorize", append(answerForm(page), "answer", "allow", "scope", "memories:read", "vendor",
		"raycast")...)
	if sentBack(t, a).Get("code") == "" {
		t.Errorf("sent back %s", a.location())
	}
	want(t, "a person's origin", b.post("/oauth/authorize",
		append(form, "vendor", ".other", "other", "dashboard", "offered", "dashboard")...), 400,
		"the name dashboard is reserved")
}

func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	client := w.client("c", redirect)
	for name, path := range map[string]string{
		"no client":        w.ask(""),
		"unknown client":   w.ask("loci_client_unknown"),
		"another redirect": w.ask(client, "redirect_uri", "https://evil.example/cb"),
		"no redirect":      w.ask(client, "redirect_uri", ""),
		"a client twice":   w.ask(client) + "&client_id=" + client,
	} {
		a := b.get(path)
		want(t, name, a, 400, `role="alert"`)
		if a.location() != "" || strings.Contains(a.body, "evil.example") {
			t.Errorf("%s: %s %s", name, a.location(), a.body)
		}
	}
	for name, tt := range map[string]struct{ path, code string }{
		"no challenge":     {w.ask(client, "code_challenge", ""), "invalid_request"},
		"plain challenge":  {w.ask(client, "code_challenge_method", "plain"), "invalid_request"},
		"implicit":         {w.ask(client, "response_type", "token"), "unsupported_response_type"},
		"another resource": {w.ask(client, "resource", "https://elsewhere.example/mcp"), "invalid_target"},
		"an unknown scope": {w.ask(client, "scope", "admin"), "invalid_scope"},
	} {
		q := sentBack(t, b.get(tt.path))
		if q.Get("error") != tt.code || q.Get("state") != "st&te" || q.Get("iss") != w.base {
			t.Errorf("%s: %v", name, q)
		}
	}
	form := answerForm(b.get(w.ask(client)))
	if q := sentBack(t, b.post("/oauth/authorize", append(form, "answer",
		"deny")...)); q.Get("error") != "access_denied" || q.Get("iss") != w.base {
		t.Errorf("denied: %v", q)
	}
	// The form is checked again when it comes back.
	for i := 0; i < len(form); i += 2 {
		if form[i] == "request.redirect_uri" {
			form[i+1] = "https://evil.example/cb"
		}
	}
	a := b.post("/oauth/authorize", append(form, "answer", "allow", "vendor", "claude", "scope", "memories:read")...)
	if want(t, "a changed form", a, 400); a.location() != "" {
		t.Errorf("it leads to %s", a.location())
	}
}

func TestOperatorsWordIsTheOnlyChoice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	client := w.client("c", redirect)
	if err := w.store.OAuth().SetVendor(t.Context(), client, "cursor"); err != nil {
		t.Fatal(err)
	}
	page := b.get(w.ask(client))
	want(t, "the page", page, 200, `value="cursor" required checked`)
	if strings.Contains(page.body, `value="claude"`) || strings.Contains(page.body, ".other") {
		t.Errorf("there are other choices: %s", page.body)
	}
	q := sentBack(t, b.post("/oauth/authorize", answerForm(page, "answer", "allow", "vendor", "claude", "scope",
		"memories:read")...))
	got, _ := w.token("grant_type", "authorization_code", "code", q.Get("code"), "redirect_uri", redirect, "client_id",
		client, "code_verifier", verifier)
	if p := w.principal(got.Access); p.Vendor != "cursor" {
		t.Errorf("it is %s", p.Vendor)
	}
}

// TestConnectionsOutliveTheirTokens refreshes the token of an MCP connection, which goes on with the new one.
func TestConnectionsOutliveTheirTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	client := w.client("c", redirect)
	granted := func() tokens {
		t.Helper()
		q := sentBack(t, b.post("/oauth/authorize", answerForm(b.get(w.ask(client)), "answer", "allow", "vendor", "claude",
			"scope", "memories:read")...))
		got, _ := w.token("grant_type", "authorization_code", "code", q.Get("code"), "redirect_uri", redirect,
			"client_id", client, "code_verifier", verifier)
		return got
	}
	first := granted()
	second, a := w.token("grant_type", "refresh_token", "refresh_token", first.Refresh, "client_id", client)
	if second.Access == "" || second.Access == first.Access {
		t.Fatalf("refreshed: %d %s", a.status, a.body)
	}
	session := ""
	send := func(token, body string) answer {
		t.Helper()
		header := http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"},
			"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"}}
		if session != "" {
			header["Mcp-Session-Id"] = []string{session}
		}
		return w.browser().do(http.MethodPost, "/mcp", header, body)
	}
	session = send(first.Access, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`).header.Get("Mcp-Session-Id")
	send(first.Access, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	want(t, "with the token of the beginning", send(first.Access, list), 200, "read_memories")
	want(t, "with the refreshed token", send(second.Access, list), 200, "read_memories")
	want(t, "with another consent", send(granted().Access, list), 404)
}

func TestEndpointsOfPrograms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.site = "cross-site"
	for _, path := range []string{"/.well-known/oauth-authorization-server",
		"/.well-known/oauth-authorization-server/mcp", "/.well-known/openid-configuration",
		"/.well-known/openid-configuration/mcp", "/.well-known/oauth-authorization-server/mcp/"} {
		a := b.get(path)
		want(t, path, a, 200, `"issuer":"`+w.base+`"`, `"authorization_endpoint":"`+w.base+`/oauth/authorize"`,
			`"token_endpoint":"`+w.base+`/oauth/token"`,
			`"registration_endpoint":"`+w.base+`/oauth/register"`, `"revocation_endpoint":"`+w.base+`/oauth/revoke"`, `"S256"`,
			`"authorization_response_iss_parameter_supported":true`)
	}
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
		"/.well-known/oauth-protected-resource/mcp/"} {
		want(t, path, b.get(path), 200, `"resource":"`+w.base+`/mcp"`, `"authorization_servers":["`+w.base+`"]`)
	}
	want(t, "unknown metadata", b.get("/.well-known/nothing"), 404, "not_found")
	for _, path := range []string{"/oauth/token", "/oauth/register", "/oauth/revoke",
		"/.well-known/oauth-protected-resource/mcp"} {
		a := b.do(http.MethodOptions, path,
			http.Header{"Origin": {"https://inspector.example"}, "Access-Control-Request-Method": {"POST"}}, "")
		if a.status != 204 || a.header.Get("Access-Control-Allow-Origin") != "*" ||
			a.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("preflight of %s: %d %v", path, a.status, a.header)
		}
	}
	for _, path := range []string{"/mcp", "/oauth/authorize", "/app/keys"} {
		if a := b.do(http.MethodOptions, path, http.Header{"Origin": {w.base}, "Access-Control-Request-Method": {"POST"}},
			""); a.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s is open to other sites", path)
		}
	}
	jsonType := http.Header{"Content-Type": {"application/json"}}
	for name, a := range map[string]answer{
		"a token by JSON":        b.do(http.MethodPost, "/oauth/token", jsonType, `{"grant_type":"refresh_token"}`),
		"a token in the address": b.do(http.MethodPost, "/oauth/token?grant_type=authorization_code&code=x", formType, ""),
		"an unknown grant":       b.post("/oauth/token", "grant_type", "password"),
		"a registered script": b.do(http.MethodPost, "/oauth/register", jsonType,
			`{"redirect_uris":["javascript:alert(1)"]}`),
		"registered by form": b.post("/oauth/register", "redirect_uris", redirect),
		"too much": b.do(http.MethodPost, "/oauth/register", jsonType,
			`{"client_name":"`+strings.Repeat("a", 70_000)+`"}`),
	} {
		var e struct {
			Error string `json:"error"`
		}
		if err := json.Unmarshal([]byte(a.body), &e); err != nil || a.status != 400 || e.Error == "" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	want(t, "revoking nothing", b.post("/oauth/revoke", "token", "loci_refresh_unknown"), 200)
}

// principal is who an access token is.
func (w *world) principal(token string) loci.Principal {
	w.t.Helper()
	p, err := w.auth.Authenticate(w.t.Context(), auth.Request{Bearer: loci.Secret(token)})
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func TestWorkspaceIsChosenBeforeConsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	on, local := true, w.local(w.mara)
	if _, err := w.app.Org.Set(t.Context(), local, org.Settings{Workspaces: &on}); err != nil {
		t.Fatal(err)
	}
	w.clock.advance(time.Second) // the first one is the oldest
	second, err := w.app.Org.CreateWorkspace(t.Context(), w.local(w.mara), "Second")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.app.Org.JoinWorkspace(t.Context(), w.local(w.mara), second.ID, w.mara.UserID); err != nil {
		t.Fatal(err)
	}
	w.remember("in the first")
	b := w.browser()
	b.signIn()
	path := w.ask(w.client("c", redirect))
	want(t, "the first", b.get(path), 200, "access only this workspace", "it will see 1 memory")
	a := b.post("/app/workspace", "workspace", second.ID.String(), "next", path)
	if a.status != 303 || a.location() != path {
		t.Fatalf("switch: %d %s %s", a.status, a.location(), a.body)
	}
	page := b.get(path)
	want(t, "the second", page, 200, `value="`+second.ID.String()+`" selected`, "You have no memories here yet")
	if strings.Contains(page.body, "it will see 0") {
		t.Errorf("it counts no memories for each vendor: %s", page.body)
	}
	sentBack(t, b.post("/oauth/authorize", answerForm(page, "answer", "allow", "vendor", "claude", "scope",
		"memories:read")...))
	grants, err := w.app.Identity.Grants(t.Context(), w.local(w.mara))
	if err != nil || len(grants) != 1 || grants[0].WorkspaceID != second.ID {
		t.Errorf("grants %+v, %v", grants, err)
	}
}

// TestNoClientLeadsToAScript stores a client as no registration would, and looks where its answers lead.
func TestNoClientLeadsToAScript(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	b.signIn()
	for _, script := range []string{"javascript:alert(1)", "JavaScript:alert(1)", "javascript://a.b/%0aalert(1)",
		"data:text/html,x"} {
		c := loci.OAuthClient{ID: "loci_client_" + challengeOf(script), Name: "c", RedirectURIs: []string{script},
			CreatedAt: w.clock.Now()}
		if err := w.store.OAuth().PutClient(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{w.ask(c.ID, "redirect_uri", script),
			w.ask(c.ID, "redirect_uri", script, "code_challenge", "")} {
			a := b.get(path)
			want(t, script, a, 400)
			if lower := strings.ToLower(a.body); strings.Contains(lower, `href="javascript`) ||
				strings.Contains(lower, `href="data:text`) || a.header.Get("Refresh") != "" || a.location() != "" {
				t.Errorf("%s: %v %s", script, a.header, a.body)
			}
		}
	}
}
