package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// program is an MCP client as people run it: the official SDK with its own
// OAuth, which opens a browser and waits for it to come back.
type program struct {
	t        *testing.T
	handler  *sdkauth.AuthorizationCodeHandler
	open     chan string // addresses that it wants opened
	asked    atomic.Int32
	returned chan *sdkauth.AuthorizationResult // what came back
}

func newProgram(t *testing.T, name string) *program {
	t.Helper()
	p := &program{t: t, open: make(chan string, 1), returned: make(chan *sdkauth.AuthorizationResult, 1)}
	callback := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query(); r.URL.Path == "/callback" {
			p.returned <- &sdkauth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}
			_, _ = w.Write([]byte("you may close this window: " + q.Get("error")))
		}
	}))
	t.Cleanup(callback.Close)
	var err error
	p.handler, err = sdkauth.NewAuthorizationCodeHandler(&sdkauth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &sdkauth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{
				ClientName: name, RedirectURIs: []string{callback.URL + "/callback"}, TokenEndpointAuthMethod: "none",
				GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}}},
		AuthorizationCodeFetcher: func(ctx context.Context, args *sdkauth.AuthorizationArgs) (*sdkauth.AuthorizationResult,
			error) {
			if p.asked.Add(1) > 1 {
				return nil, errors.New("the program asks for a sign-in again")
			}
			p.open <- args.URL
			select {
			case r := <-p.returned:
				return r, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// connected is what came of connecting.
type connected struct {
	session *mcp.ClientSession
	err     error
}

func (p *program) connect(endpoint string) <-chan connected {
	out := make(chan connected, 1)
	go func() {
		client := mcp.NewClient(&mcp.Implementation{Name: "program", Version: "1"}, nil)
		s, err := client.Connect(p.t.Context(), &mcp.StreamableClientTransport{Endpoint: endpoint, OAuthHandler: p.handler,
			DisableStandaloneSSE: true, MaxRetries: -1}, nil)
		out <- connected{s, err}
	}()
	return out
}

// address waits until the program wants the browser.
func (p *program) address(done <-chan connected) string {
	p.t.Helper()
	select {
	case u := <-p.open:
		return u
	case c := <-done:
		p.t.Fatalf("the program did not ask for a browser: %v", c.err)
	}
	return ""
}

func TestBrowserConnectsAProgram(t *testing.T) {
	t.Parallel()
	w, b := newWorld(t), newTab(t)
	w.remember("everybody's")
	w.remember("also everybody's")
	w.remember("claude's", "claude")
	w.remember("cursor's", "cursor")
	p := newProgram(t, "Trustworthy Claude")
	done := p.connect(w.base + "/mcp")

	b.open(p.address(done))
	if at := b.where(); !strings.HasPrefix(at, w.base+"/app/sign-in?next=") {
		t.Fatalf("a stranger's browser is at %s", at)
	}
	b.shot("sign-in")
	b.signIn()
	b.wants("“Trustworthy Claude” asks for access", "self-reported, unverified",
		"nothing: anybody could have sent this request", "a program on your machine",
		"claude it will see 3 memories, but not 1 other", "cursor it will see 3 memories, but not 1 other",
		"chatgpt it will see 2 memories, but not 2 others")
	if chosen := b.evaluate(`String(document.querySelector("input[name=vendor]:checked")?.value)`); chosen != "undefined" {
		t.Errorf("%s is chosen before the person did", chosen)
	}
	b.shot("consent")
	b.do("choose", clickOn(`input[name=vendor][value=claude]`))
	b.press(`button[value=allow]`)
	b.wants("you may close this window")
	c := <-done
	if c.err != nil {
		t.Fatalf("connect: %v; log:\n%s", c.err, w.log)
	}
	defer c.session.Close()
	call(t, c.session, "write_memory", map[string]any{"title": "From the program", "content": "the launch is in May"})
	found := call(t, c.session, "search_memories", map[string]any{"term": "launch"})
	if !strings.Contains(found, `"origin":"claude"`) {
		t.Errorf("found %s, want what was written, by claude", found)
	}
	if text := call(t, c.session, "browse_memories", nil); strings.Contains(text, "cursor's") || !strings.Contains(text,
		"claude's") {
		t.Errorf("it sees %s", text)
	}
	fresh := refresh(t, w, p)

	b.open(w.base + "/app/connections")
	b.sees("Trustworthy Claude", "read memories · write memories", "It sees 4 memories · 1 is hidden from it")
	b.click("Disconnect")
	b.sees("Disconnect Trustworthy Claude?", "can no longer read or write")
	b.click("Disconnect")
	b.sees("Trustworthy Claude is disconnected.", "Ended (1)")
	for _, method := range []string{"tools/list", "tools/call"} {
		a := w.browser().do(http.MethodPost, "/mcp",
			http.Header{"Authorization": {"Bearer " + fresh}, "Content-Type": {"application/json"},
				"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"}},
			`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{}}`)
		if a.status != http.StatusUnauthorized || !strings.Contains(a.header.Get("WWW-Authenticate"),
			`error="invalid_token"`) {
			t.Errorf("%s after it was revoked: %d %s", method, a.status, a.body)
		}
	}
	if _, err := c.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "browse_memories"}); err == nil {
		t.Error("the program still is connected")
	}
	if p.asked.Load() != 2 {
		t.Errorf("the program asked for a sign-in %d times, want again after it was revoked", p.asked.Load())
	}
	b.clean()
}

func TestBrowserDenies(t *testing.T) {
	t.Parallel()
	w, b := newWorld(t), newTab(t)
	p := newProgram(t, "Somebody")
	done := p.connect(w.base + "/mcp")
	b.open(p.address(done))
	b.signIn()
	b.press(`button[value=deny]`)
	b.wants("access_denied")
	if c := <-done; c.err == nil {
		t.Error("it is connected")
	}
	b.clean()
}

// refresh exchanges the program's refresh token by hand and returns the new
// access token.
func refresh(t *testing.T, w *world, p *program) string {
	t.Helper()
	source, err := p.handler.TokenSource(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token, err := source.Token()
	if err != nil || token.RefreshToken == "" {
		t.Fatalf("no refresh token (%v)", err)
	}
	var meta struct {
		ClientID string `json:"client_id"`
	}
	clients, err := w.store.OAuth().Clients(t.Context(), 10)
	if err != nil || len(clients) != 1 {
		t.Fatalf("clients %v, %v", clients, err)
	}
	meta.ClientID = clients[0].ID
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token.RefreshToken},
		"client_id": {meta.ClientID}, "resource": {w.base + "/mcp"}}
	a := w.browser().do(http.MethodPost, "/oauth/token", formType, form.Encode())
	var out struct {
		Access string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(a.body), &out); err != nil || a.status != http.StatusOK || out.Access == "" ||
		out.Access == token.AccessToken {
		t.Fatalf("refresh: %d %s", a.status, a.body)
	}
	return out.Access
}

func call(t *testing.T, s *mcp.ClientSession, tool string, arguments map[string]any) string {
	t.Helper()
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || result.IsError {
		t.Fatalf("%s: %v, %+v", tool, err, result)
	}
	return result.Content[0].(*mcp.TextContent).Text
}

// TestBrowserGoesOnFromASite is what Claude's callback does: it sends the
// browser on, which a redirect after a form would not be allowed to.
func TestBrowserGoesOnFromASite(t *testing.T) {
	t.Parallel()
	w, b := newWorld(t), newTab(t)
	end := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("arrived with code " + strconv.FormatBool(r.URL.Query().Has("code")) + " and error " +
			r.URL.Query().Get("error")))
	}))
	t.Cleanup(end.Close)
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, end.URL+"/?"+r.URL.RawQuery, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(site.Close)
	client := w.client("A site", site.URL+"/callback")
	ask := w.base + w.ask(client, "redirect_uri", site.URL+"/callback")

	b.open(ask + "&code_challenge_method=twice")
	b.signIn() // what is shown after this form is an error at once
	b.wants("appears twice")
	b.open(strings.Replace(ask, "response_type=code", "response_type=token", 1))
	b.waitFor("arrived with code false and error unsupported_response_type")
	b.open(ask)
	b.do("choose", clickOn(`input[name=vendor][value=chatgpt]`), clickOn(`button[value=allow]`))
	b.waitFor("arrived with code true")
	b.open(w.base + "/app/step-up")
	b.press(button("/app/sign-out"))
	b.open(strings.Replace(ask, "response_type=code", "response_type=token", 1))
	b.fill("#email", maraMail)
	b.fill("#password", maraPassword.Reveal())
	b.do("sign in", clickOn(button("/app/sign-in")))
	b.waitFor("arrived with code false and error unsupported_response_type")
	b.clean()
}
