package mcpserver_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/mcpserver"
)

const initialize = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}`

func TestUnknownToolsetsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	for _, query := range []string{"?toolsets=memories", "?toolsets=", "?toolsets=memory,admin",
		"?toolsets=memory&toolsets=x", "?toolsets=" + strings.Repeat("x", 10_000)} {
		for _, version := range []string{stateful, stateless} {
			for _, method := range []string{"initialize", "tools/list"} {
				a := (&raw{w: w, key: key, version: version, query: query}).call(method, initialize)
				if a.status != http.StatusBadRequest || !a.failed() ||
					!strings.Contains(a.body, "choose from memory, memory-extra, graph, graph-extra, reflect, session, tasks, "+
						"review, search") ||
					len(a.body) > 300 {
					t.Errorf("%.40s, %s over %s: %d %s", query, method, version, a.status, a.body)
				}
			}
		}
		if a := (&raw{w: w, version: stateless, query: query}).call("tools/list", "{}"); a.status != http.StatusUnauthorized {
			t.Errorf("%.40s without a key: %d %s, want 401 first", query, a.status, a.body)
		}
	}
}

// TestConnectionsKeepTheirToolsets changes the address during a connection.
func TestConnectionsKeepTheirToolsets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.rawAt(key, stateful, "?toolsets=graph")
	graph, _ := listTools(t, r)
	r.query = "?toolsets=memory"
	if still, _ := listTools(t, r); len(graph) != 16 || len(still) != 16 {
		t.Errorf("%d tools, then %d; want 16", len(graph), len(still))
	}
	r.query = "?toolsets=what"
	if a := r.call("tools/list", "{}"); a.status != http.StatusBadRequest {
		t.Errorf("an unknown toolset in a session: %d %s", a.status, a.body)
	}
}

// TestToolsetsOfTheProcess checks what clients get that choose nothing, over HTTP
// and stdio.
func TestToolsetsOfTheProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *mcpserver.Options) {
		o.Toolsets, o.Project = []string{"graph-extra", "graph", "reflect"}, "site"
	})
	_, key := w.key("claude")
	r := w.raw(key, stateless)
	if tools, _ := listTools(t, r); len(tools) != 24 {
		t.Errorf("%d tools over HTTP, want 24", len(tools))
	}
	for range 3 {
		if tools, _ := listTools(t, w.rawAt(key, stateless, "?toolsets=session,memory,reflect")); len(tools) != 20 {
			t.Errorf("%d tools at an address of its own, want 20", len(tools))
		}
	}
	session := w.localClient(t, stateful)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 24 {
		t.Errorf("over stdio: %+v, %v", list, err)
	}
	if text := r.mustFail("read_graph", "{}"); !strings.Contains(text, `there is no project "site"`) {
		t.Errorf("the process works on a project that is not there: %q", text)
	}
	r.must("create_project", `{"name":"site"}`)
	r.must("create_project", `{"name":"other"}`)
	r.must("create_entities", `{"entities":[{"name":"a","entity_type":"t"}]}`)
	if n := len(r.names("site")); n != 1 {
		t.Errorf("%d entities in the project of the process, want 1", n)
	}
	other := w.rawAt(key, stateless, "?project=other")
	if n := len(other.names("")); n != 0 {
		t.Errorf("%d entities in the project of the address, want none", n)
	}
	over := func(version string) string { return text(t, w.localClient(t, version), "get_current_project", nil) }
	if a, b := over(stateful), over(stateless); !strings.Contains(a, `"name":"site"`) ||
		!strings.Contains(b, `"name":"site"`) {
		t.Errorf("over stdio: %s, %s", a, b)
	}
	r.must("archive_project", `{"name":"site"}`)
	if a := over(stateless); !strings.Contains(a, "is archived") {
		t.Errorf("the project of the process is archived: %s", a)
	}
	if text := r.mustFail("read_graph", "{}"); !strings.Contains(text, "archived") {
		t.Errorf("the project of the process is archived: %q", text)
	}
}

func TestNewRefusesUnknownToolsets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	defer func() {
		if recover() == nil {
			t.Error("it took a toolset that is none")
		}
	}()
	mcpserver.New(mcpserver.Options{App: w.app, Auth: w.auth, Toolsets: []string{"what"}})
}

// TestOpenServer accepts clients without a credential until an agent
// key exists. If a client sends a credential, it counts, and a wrong one is always
// rejected.
func TestOpenServer(t *testing.T) {
	t.Parallel()
	var w *world
	w = newWorld(t, func(o *mcpserver.Options) {
		o.Open = func(ctx context.Context) (loci.Principal, error) { return w.auth.Local(ctx, "cursor") }
	})
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	nobody := w.raw("", stateful)
	nobody.must("create_project", `{"name":"p"}`)
	nobody.must("create_entities", `{"entities":[{"name":"a","entity_type":"t"}]}`)
	if a := nobody.tool("open_nodes", `{"names":["a"],"detail":"full"}`); !strings.Contains(a.body, `"origin":"cursor"`) {
		t.Errorf("who is let in writes as somebody else: %s", a.body)
	}
	if names := w.raw("", stateless).names("p"); len(names) != 1 {
		t.Errorf("without a session: %v", names)
	}
	refused := []http.Header{
		{"Authorization": {"Bearer loci_agent_x"}}, {"Authorization": {"Basic eDp5"}}, {"Authorization": {""}},
		{"X-Api-Key": {"x"}},
		{"X-Dashboard-Token": {"x"}}, {"Cookie": {"loci=loci_session_x"}},
	}
	for _, header := range refused {
		if a := (&raw{w: w, version: stateful, session: nobody.session}).post(list,
			header); a.status != http.StatusUnauthorized {
			t.Errorf("%v: %d %.300s, want 401", header, a.status, a.body)
		}
	}
	if a := (&raw{w: w, key: ownerKey, version: stateless}).call("tools/list", "{}"); a.status != http.StatusForbidden {
		t.Errorf("a person's key: %d %s", a.status, a.body)
	}
	for _, header := range []http.Header{{"Host": {"evil.example"}}, {"Origin": {"https://evil.example"}}} {
		if a := nobody.post(list, header); a.status != http.StatusForbidden {
			t.Errorf("%v: %d %s, want 403", header, a.status, a.body)
		}
	}
	for _, header := range []http.Header{{"Forwarded": {"for=203.0.113.7"}}, {"X-Forwarded-For": {"203.0.113.7"}},
		{"X-Forwarded-Proto": {"https"}}, {"X-Real-Ip": {"127.0.0.1"}},
		{"Via": {"1.1 proxy"}}, {"Origin": {"http://localhost:3000"}}, {"Sec-Fetch-Site": {"same-site"}}} {
		if a := nobody.post(list, header); a.status != http.StatusUnauthorized || !strings.Contains(a.body, "agent key") {
			t.Errorf("%v: %d %s, want 401", header, a.status, a.body)
		}
	}
	c, key := w.key("claude")
	if a := nobody.post(list, nil); a.status != http.StatusUnauthorized || !strings.Contains(a.body, "agent key") {
		t.Errorf("after the first agent key: %d %s, want 401", a.status, a.body)
	}
	r := w.raw(key, stateful)
	r.must("create_entities", `{"project":"p","entities":[{"name":"b","entity_type":"t"}]}`)
	if a := r.tool("open_nodes", `{"project":"p","names":["b"],"detail":"full"}`); !strings.Contains(a.body,
		`"origin":"claude"`) {
		t.Errorf("with a key: %s", a.body)
	}
	if err := w.app.Identity.RevokeKey(t.Context(), w.owner, c.ID); err != nil {
		t.Fatal(err)
	}
	if a := nobody.post(list, nil); a.status != http.StatusUnauthorized {
		t.Errorf("after the last agent key: %d %s, want 401", a.status, a.body)
	}
}

// text calls a tool over the official client.
func text(t *testing.T, s *mcp.ClientSession, tool string, arguments map[string]any) string {
	t.Helper()
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return result.Content[0].(*mcp.TextContent).Text
}

// must calls a tool that has to succeed, and returns its answer.
func (r *raw) must(tool, arguments string) map[string]any {
	r.w.t.Helper()
	a := r.tool(tool, arguments)
	if text := failure(r.w.t, a); text != "" {
		r.w.t.Fatalf("%s %.200s: %s", tool, arguments, text)
	}
	var out struct{ StructuredContent map[string]any }
	a.result(r.w.t, &out)
	return out.StructuredContent
}

// mustFail calls a tool that has to fail, and returns its error.
func (r *raw) mustFail(tool, arguments string) string {
	r.w.t.Helper()
	a := r.tool(tool, arguments)
	text := failure(r.w.t, a)
	if text == "" {
		r.w.t.Errorf("%s %.200s is not refused: %.300s", tool, arguments, a.body)
	}
	return text
}

// names returns the names of all entities in a project; "" is the active one.
func (r *raw) names(project string) (names []string) {
	r.w.t.Helper()
	for _, e := range r.must("read_graph", `{"limit":500,"project":"`+project+`"}`)["entities"].([]any) {
		names = append(names, e.(map[string]any)["name"].(string))
	}
	return names
}

// TestProjectNamesAProject calls the tools about one project with the argument that the tools for graphs have.
func TestProjectNamesAProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deletesByKey()
	_, key := w.key("claude")
	r := w.rawAt(key, stateful, allTools)
	r.must("create_project", `{"name":"site"}`)
	for _, tool := range []string{"switch_project", "archive_project", "restore_project", "delete_project"} {
		if got := r.must(tool, `{"project":"site"}`); got["name"] != "site" {
			t.Errorf("%s: got %v", tool, got)
		}
	}
}
