package mcpserver_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/mcpserver"
)

func signIn(o *mcpserver.Options) { o.SignIn = true }

// challenge parses the one WWW-Authenticate of an answer with the parser that
// clients use.
func challenge(t *testing.T, a reply) map[string]string {
	t.Helper()
	all, err := oauthex.ParseWWWAuthenticate(a.header.Values("WWW-Authenticate"))
	if err != nil || len(all) != 1 || !strings.EqualFold(all[0].Scheme, "bearer") {
		t.Fatalf("WWW-Authenticate %q: %v", a.header.Values("WWW-Authenticate"), err)
	}
	return all[0].Params
}

func TestRefusalSaysHowToSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signIn)
	site := strings.TrimSuffix(w.url, "/mcp")
	tests := []struct {
		name, method string
		header       http.Header
		problem      string
	}{
		{"no token", http.MethodPost, nil, ""},
		{"no token, event stream", http.MethodGet, nil, ""},
		{"a bad token", http.MethodPost, http.Header{"Authorization": {"Bearer loci_access_x"}}, "invalid_token"},
		{"a bad key", http.MethodPost, http.Header{"X-Api-Key": {"loci_agent_x"}}, "invalid_token"},
	}
	for _, tt := range tests {
		a := (&raw{w: w, version: stateless}).send(tt.method, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`,
			tt.header)
		if a.status != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", tt.name, a.status, a.body)
		}
		got := challenge(t, a)
		if got["error"] != tt.problem || got["scope"] != "memories:read memories:write graph events reflect" ||
			got["resource_metadata"] != site+"/.well-known/oauth-protected-resource/mcp" {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	for query, want := range map[string]string{"?toolsets=memory": "memories:read memories:write",
		"?toolsets=graph": "graph", "?toolsets=search": "memories:read",
		"?toolsets=memory,graph-extra": "memories:read memories:write graph",
		"?toolsets=reflect":            "memories:read memories:write reflect",
		"?toolsets=what":               "memories:read memories:write graph events reflect",
		"?toolsets=memory,session":     "memories:read memories:write events"} {
		if got := challenge(t, (&raw{w: w, query: query, version: stateless}).call("tools/list",
			"{}")); got["scope"] != want {
			t.Errorf("%s: scope %q, want %q", query, got["scope"], want)
		}
	}
	public := newWorld(t, signIn, func(o *mcpserver.Options) {
		o.Site = auth.Site{PublicURL: "https://loci.example/"}
	})
	got := challenge(t, (&raw{w: public, version: stateless}).call("tools/list", "{}"))
	if got["resource_metadata"] != "https://loci.example/.well-known/oauth-protected-resource/mcp" {
		t.Errorf("at a public address: %v", got)
	}
	none := newWorld(t)
	none.key("claude")
	if got := challenge(t, (&raw{w: none, version: stateless}).call("tools/list", "{}")); got["resource_metadata"] != "" ||
		got["scope"] != "" {
		t.Errorf("where nobody can sign in: %v", got)
	}
}

func TestTokenWithoutTheScope(t *testing.T) {
	t.Parallel()
	w := newWorld(t, signIn)
	ctx := context.Background()
	c, token, err := auth.NewCredential(w.owner,
		auth.KeyRequest{Name: "t", Vendor: "claude", Rights: []loci.Right{loci.RightRead}}, w.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	c.Method = loci.ByOAuth
	if err := w.store.Credentials().Insert(ctx, c); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{stateful, stateless} {
		r := w.raw(token, version)
		if a := r.tool("read_memories", "{}"); a.status != http.StatusOK {
			t.Errorf("%s, what the token may: %d %s", version, a.status, a.body)
		}
		a := r.tool("write_memory", `{"title":"a","content":"b"}`)
		got := challenge(t, a)
		if a.status != http.StatusForbidden || got["error"] != "insufficient_scope" || got["scope"] != "memories:write" ||
			got["resource_metadata"] == "" {
			t.Errorf("%s, what it may not: %d %v", version, a.status, got)
		}
		a = r.tool("create_project", `{"name":"a"}`)
		if got := challenge(t, a); a.status != http.StatusForbidden || got["error"] != "insufficient_scope" ||
			got["scope"] != "graph" {
			t.Errorf("%s, a graph: %d %v", version, a.status, got)
		}
	}
}

func TestEveryToolHasAnAction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	w.url += allTools
	list, err := w.connect(key, stateless).ListTools(context.Background(), &mcp.ListToolsParams{})
	if err != nil {
		t.Fatal(err)
	}
	actions := mcpserver.ToolActions()
	for _, tool := range list.Tools {
		rule, ok := app.Rules()[actions[tool.Name]]
		if !ok || !slices.Contains(rule.Kinds, loci.KindAgent) || len(rule.Rights) == 0 {
			t.Errorf("%s: action %q, rule %+v; agents must be allowed it by a right", tool.Name, actions[tool.Name], rule)
		}
	}
	if len(actions) != len(list.Tools) {
		t.Errorf("%d actions for %d tools", len(actions), len(list.Tools))
	}
}
