package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/fair"
	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/memory"
)

// write stores a memory through the official client and reads it.
func write(t *testing.T, s *mcp.ClientSession, arguments map[string]any) loci.Memory {
	t.Helper()
	saved := calledFor[struct {
		ID      loci.MemoryID
		Version int
		Result  string
	}](t, s, "write_memory", arguments)
	if saved.Version != 1 || saved.Result != "created" {
		t.Fatalf("write_memory answered %+v", saved)
	}
	return calledFor[loci.Memory](t, s, "get_memory_by_id", map[string]any{"id": saved.ID, "detail": "full"})
}

// calledFor calls a tool through the official client and returns its structured content.
func calledFor[T any](t *testing.T, s *mcp.ClientSession, tool string, arguments map[string]any) (got T) {
	t.Helper()
	result, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || result.IsError {
		t.Fatalf("%s: %v, %+v", tool, err, result)
	}
	b, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// titles calls a tool that lists memories, through the official client.
func titles(t *testing.T, s *mcp.ClientSession, tool string, arguments map[string]any) []string {
	t.Helper()
	result, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || result.IsError {
		t.Fatalf("%s: %v, %+v", tool, err, result)
	}
	var out []string
	for _, m := range result.StructuredContent.(map[string]any)["memories"].([]any) {
		out = append(out, m.(map[string]any)["title"].(string))
	}
	return out
}

func TestTwoVendorsShareWhatTheyMay(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", stateful, stateless} {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			_, claudeKey := w.key("claude")
			_, cursorKey := w.key("cursor")
			claude, cursor := w.connect(claudeKey, version), w.connect(cursorKey, version)

			write(t, claude, map[string]any{"title": "Shared", "content": "the launch is in May"})
			write(t, claude, map[string]any{"title": "Private", "content": "the launch slips",
				"allowed_vendors": []string{"claude"}})
			m := write(t, cursor, map[string]any{"title": "For Claude", "content": "launch checklist",
				"allowed_vendors": []string{"claude", "cursor"}})
			if m.Origin != "cursor" {
				t.Errorf("origin is %q, want that of the credential", m.Origin)
			}
			if diff := cmp.Diff([]string{"For Claude", "Private", "Shared"},
				titles(t, claude, "read_memories", nil)); diff != "" {
				t.Errorf("claude reads (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"For Claude", "Shared"}, titles(t, cursor, "read_memories", nil)); diff != "" {
				t.Errorf("cursor reads (-want +got):\n%s", diff)
			}
			if got := titles(t, cursor, "search_memories", map[string]any{"term": "slips"}); len(got) != 0 {
				t.Errorf("cursor finds %v", got)
			}
		})
	}
}

func TestConnectionsBelongToOnePrincipal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, claude := w.key("claude")
	_, twin := w.key("claude") // the same person and vendor, another credential
	_, cursor := w.key("cursor")
	mine := w.raw(claude, stateful)
	for name, key := range map[string]loci.Secret{"another vendor": cursor, "another key": twin} {
		thief := &raw{w: w, key: key, version: stateful, session: mine.session}
		unknown := &raw{w: w, key: key, version: stateful, session: "ABCDEFGHIJKLMNOPQRSTUVWXYZ.AAAA"}
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			body := ""
			if method == http.MethodPost {
				body = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
			}
			got, want := thief.send(method, body, nil), unknown.send(method, body, nil)
			if got.status != http.StatusNotFound || got.body != want.body {
				t.Errorf("%s %s: %d %s, want what an unknown session gets: %d %s", name, method, got.status, got.body, want.status,
					want.body)
			}
		}
	}
	if a := mine.tool("read_memories", "{}"); a.status != 200 {
		t.Errorf("its owner gets %d %s", a.status, a.body)
	}
	if a := mine.send(http.MethodDelete, "", nil); a.status != http.StatusNoContent {
		t.Errorf("DELETE: %d %s", a.status, a.body)
	}
	ended, never := mine.tool("read_memories", "{}"),
		(&raw{w: w, key: claude, version: stateful, session: "X.Y", next: mine.next - 1}).tool("read_memories", "{}")
	if ended.status != http.StatusNotFound {
		t.Errorf("an ended session: %d %s", ended.status, ended.body)
	}
	if strings.Replace(ended.body, `"id":5`, `"id":4`, 1) != strings.Replace(never.body, `"id":5`, `"id":4`, 1) {
		t.Errorf("an ended session %s\nan unknown one %s", ended.body, never.body)
	}
}

func TestRevokedKeyEndsItsConnection(t *testing.T) {
	t.Parallel()
	for _, version := range []string{stateful, stateless} {
		w := newWorld(t)
		_, other := w.key("cursor")
		credential, key := w.key("claude")
		r := w.raw(key, version)
		if a := r.tool("read_memories", "{}"); a.status != 200 {
			t.Fatalf("before: %d %s", a.status, a.body)
		}
		if err := w.app.Identity.RevokeKey(context.Background(), w.owner, credential.ID); err != nil {
			t.Fatal(err)
		}
		a := r.tool("read_memories", "{}")
		if a.status != http.StatusUnauthorized || !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer ") {
			t.Errorf("%s, after: %d, %q, %s", version, a.status, a.header.Get("WWW-Authenticate"), a.body)
		}
		// Another key cannot use the connection either.
		if a := (&raw{w: w, key: other, version: stateful, session: r.session}).call("tools/list",
			"{}"); version == stateful && a.status != http.StatusNotFound {
			t.Errorf("another key in the session: %d", a.status)
		}
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, agent := w.key("claude")
	_, person, err := w.app.Identity.CreateKey(context.Background(), w.owner, auth.KeyRequest{Name: "me"})
	if err != nil {
		t.Fatal(err)
	}
	_, reader, err := w.app.Identity.CreateKey(context.Background(), w.owner,
		auth.KeyRequest{Name: "r", Vendor: "claude", Rights: []loci.Right{loci.RightRead}})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		key    loci.Secret
		status int
		text   string
	}{
		{"none", "", 401, "no credential"},
		{"unknown", "loci_agent_x", 401, "invalid API key"},
		{"the owner's", ownerKey, 403, "loci agent-key create --vendor"},
		{"a person's", person, 403, "loci agent-key create --vendor"},
		{"an agent's", agent, 200, `"memories":[]`},
	}
	for _, tt := range tests {
		a := (&raw{w: w, key: tt.key, version: stateless}).tool("read_memories", "{}")
		if a.status != tt.status || !strings.Contains(a.body, tt.text) {
			t.Errorf("%s: %d %s, want %d with %q", tt.name, a.status, a.body, tt.status, tt.text)
		}
		if got := a.header.Get("WWW-Authenticate"); (got != "") != (tt.status == 401) {
			t.Errorf("%s: WWW-Authenticate %q", tt.name, got)
		}
	}
	limited := w.raw(reader, stateless)
	if text := failure(t, limited.tool("read_memories", "{}")); text != "" {
		t.Errorf("a key that may read: %s", text)
	}
	if text := failure(t, limited.tool("write_memory", `{"title":"a","content":"b"}`)); !strings.Contains(text,
		"memories:write") {
		t.Errorf("a key that may only read writes: %q", text)
	}
}

func TestOffUntilThereIsAnAgentKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	nobody := &raw{w: w, key: ownerKey, version: stateless}
	if a := nobody.call("tools/list", "{}"); a.status != http.StatusNotFound ||
		!strings.Contains(a.body, "agent-key create") {
		t.Errorf("without an agent key: %d %s", a.status, a.body)
	}
	credential, key := w.key("claude")
	if a := (&raw{w: w, key: key, version: stateless}).call("tools/list", "{}"); a.status != 200 {
		t.Errorf("with one: %d %s", a.status, a.body)
	}
	if err := w.app.Identity.RevokeKey(context.Background(), w.owner, credential.ID); err != nil {
		t.Fatal(err)
	}
	for _, key := range []loci.Secret{key, ownerKey, ""} {
		if a := (&raw{w: w, key: key, version: stateless}).call("tools/list", "{}"); a.status != http.StatusNotFound {
			t.Errorf("after the last key was revoked: %d %s", a.status, a.body)
		}
	}
	loopback := newWorld(t, func(o *mcpserver.Options) { o.SignIn = true })
	credential, key = loopback.key("claude")
	if err := loopback.app.Identity.RevokeKey(context.Background(), loopback.owner, credential.ID); err != nil {
		t.Fatal(err)
	}
	if a := (&raw{w: loopback, key: key, version: stateless}).call("tools/list",
		"{}"); a.status != http.StatusUnauthorized {
		t.Errorf("after the last key was revoked, where people sign in: %d %s", a.status, a.body)
	}
	public := newWorld(t, func(o *mcpserver.Options) { o.Site.PublicURL = "https://memory.example" })
	if a := (&raw{w: public, version: stateless}).call("tools/list", "{}"); a.status != http.StatusUnauthorized {
		t.Errorf("with a public address: %d %s", a.status, a.body)
	}
}

func TestForeignHostsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *mcpserver.Options) { o.Site.PublicURL = "https://memory.example/base" })
	_, key := w.key("claude")
	r := &raw{w: w, key: key, version: stateless}
	tests := []struct {
		host, origin string
		want         int
	}{
		{"", "", 200},
		{"localhost:1", "", 200},
		{"[::1]:80", "", 200},
		{"memory.example", "", 200},
		{"MEMORY.example:443", "https://memory.example", 200},
		{"", "http://localhost:6274", 200},
		{"evil.example", "", 403},
		{"localhost.evil.example", "", 403},
		{"memory.example.evil", "", 403},
		{"", "https://evil.example", 403},
		{"", "null", 403},
		{"memory.example", "https://evil.example", 403},
	}
	for _, tt := range tests {
		header := http.Header{"Mcp-Method": {"tools/list"}}
		if tt.host != "" {
			header["Host"] = []string{tt.host}
		}
		if tt.origin != "" {
			header["Origin"] = []string{tt.origin}
		}
		a := r.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list",`+
			`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
			`"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
			header)
		if a.status != tt.want || a.status == 403 && !strings.Contains(a.body, `"code":-32000`) {
			t.Errorf("Host %q Origin %q: %d, want %d: %s", tt.host, tt.origin, a.status, tt.want, a.body)
		}
	}
}

// TestConnectionsAreLimited opens more connections than a credential and the server
// may have. No credential may end the connections of another.
func TestConnectionsAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *mcpserver.Options) { o.MaxConnections, o.MaxPerKey = 3, 2 })
	_, mine := w.key("claude")
	_, other := w.key("cursor")
	_, late := w.key("gemini")
	works := func(r *raw, want int) {
		t.Helper()
		if a := r.tool("read_memories", "{}"); a.status != want {
			t.Errorf("%d %s, want %d", a.status, a.body, want)
		}
	}
	theirs := w.raw(other, stateful)
	first, second := w.raw(mine, stateful), w.raw(mine, stateful)
	works(first, 200) // so that the second has been idle for longer
	third := w.raw(mine, stateful)
	works(second, 200) // its session ended, but the connection did not
	works(first, 200)
	works(third, 200)
	works(theirs, 200)
	refused := (&raw{w: w, key: late, version: stateful}).call("initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}`)
	if refused.status != http.StatusServiceUnavailable || !strings.Contains(refused.body, "too many connections") ||
		strings.Contains(refused.body, "(3)") {
		t.Errorf("beyond the server's limit: %d %s", refused.status, refused.body)
	}
	if a := (&raw{w: w, key: late, version: stateless}).tool("read_memories", "{}"); a.status != 200 {
		t.Errorf("without a session: %d %s", a.status, a.body)
	}
	first.send(http.MethodDelete, "", nil)
	works(w.raw(late, stateful), 200)
	for range 10 { // failing to open leaves nothing behind
		if a := (&raw{w: w, key: mine, version: stateful}).post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
			http.Header{"Accept": {"text/html"}}); a.status != 400 {
			t.Errorf("a bad initialize: %d %s", a.status, a.body)
		}
	}
	works(w.raw(mine, stateful), 200)
}

func TestTwoCredentialsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	bearer := "Bearer " + key.Reveal()
	r := &raw{w: w, key: key, version: stateless}
	if a := r.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		http.Header{"Authorization": {bearer, bearer}}); a.status != 400 || !strings.Contains(a.body, "appears twice") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestPrincipalIsOfTheRequest changes a principal's rights inside a connection:
// a tool must use the rights of the request that calls it, not those of the
// request that opened the connection.
func TestPrincipalIsOfTheRequest(t *testing.T) {
	t.Parallel()
	p := loci.Principal{Kind: loci.KindAgent, OrgID: "default", UserID: loci.NewUserID(), Vendor: "claude"}
	server := func() *mcp.Server {
		srv := mcp.NewServer(&mcp.Implementation{Name: "a"}, nil)
		srv.AddTool(&mcp.Tool{Name: "rights", InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				who := req.Extra.TokenInfo.Extra["principal"].(loci.Principal)
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(who.Rights)}}}, nil
			})
		return srv
	}
	srv := httptest.NewServer(mcpserver.NewHTTP(mcpserver.HTTPOptions{Connections: mcpserver.ConnectionsHere(),
		Stateful: server(), Stateless: server(),
		Authorize: func(*http.Request) (loci.Principal, error) { return p, nil }}))
	t.Cleanup(srv.Close)
	for _, version := range []string{stateful, stateless} {
		p.Rights = loci.Rights()
		r := (&world{t: t, url: srv.URL}).raw("", version)
		if a := r.tool("rights", "{}"); !strings.Contains(a.body, "memories:write") {
			t.Errorf("%s, before: %s", version, a.body)
		}
		p.Rights = []loci.Right{loci.RightRead}
		if a := r.tool("rights", "{}"); strings.Contains(a.body, "memories:write") ||
			!strings.Contains(a.body, "memories:read") {
			t.Errorf("%s, after: %s", version, a.body)
		}
	}
}

// TestLargeMessagesNeedRoom lets other work of a credential take all of its room. Its large messages are refused then,
// and its small ones and those of others are not.
func TestLargeMessagesNeedRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	_, other := w.key("cursor")
	p, err := w.auth.Authenticate(t.Context(), auth.Request{Bearer: key})
	if err != nil {
		t.Fatal(err)
	}
	flood, leave := context.WithCancel(fair.In(t.Context(), p.Subject()))
	done, err := w.app.Room(flood, 16<<20, 16<<20)
	if err != nil {
		t.Fatal(err)
	}
	const more, waiting = 80, 64
	failed := make(chan error, more)
	for range more {
		go func() { _, err := w.app.Room(flood, 16<<20, 16<<20); failed <- err }()
	}
	for range more - waiting {
		if err := <-failed; loci.CodeOf(err) != loci.RateLimited {
			t.Errorf("too many wait: %v", err)
		}
	}
	refused := func(key loci.Secret, content string) bool {
		a := w.raw(key, stateless).tool("write_memory", `{"title":"t","content":"`+content+`"}`)
		return a.status == 429 && strings.Contains(a.body, "after an answer")
	}
	long := strings.Repeat("word ", 8000)
	if !refused(key, long) {
		t.Error("a large message is read without room")
	}
	if refused(key, "short") || refused(other, long) {
		t.Error("a small message is refused, or one of another credential")
	}
	leave()
	for range waiting {
		if err := <-failed; err == nil {
			t.Error("a request waits no more, but has room")
		}
	}
	done()
	if refused(key, long) {
		t.Error("a large message is refused though there is room")
	}
}

func TestConcurrentWritersLoseNothing(t *testing.T) {
	t.Parallel()
	const writers, each = 16, 25
	for _, version := range []string{stateful, stateless} {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			_, key := w.key("claude")
			session := w.connect(key, version)
			acknowledged := make([][]loci.MemoryID, writers)
			var wg sync.WaitGroup
			for i := range writers {
				wg.Go(func() {
					for n := range each {
						m := write(t, session, map[string]any{"title": fmt.Sprintf("%d/%d", i, n), "content": "kept"})
						acknowledged[i] = append(acknowledged[i], m.ID)
					}
				})
			}
			wg.Wait()
			checkStored(t, w, acknowledged, writers*each)
		})
	}
}

// checkStored reads every acknowledged memory directly from app.
func checkStored(t *testing.T, w *world, acknowledged [][]loci.MemoryID, want int) {
	t.Helper()
	n := 0
	for _, ids := range acknowledged {
		for _, id := range ids {
			n++
			if _, err := w.app.Memory.Get(context.Background(), w.owner, id); err != nil {
				t.Errorf("acknowledged memory %s: %v", id, err)
			}
		}
	}
	if n != want {
		t.Errorf("%d writes were acknowledged, want %d", n, want)
	}
	page, err := w.app.Memory.List(context.Background(), w.owner, memory.ListRequest{Total: true})
	if err != nil || page.Total != want {
		t.Errorf("%d memories are stored, want %d (%v)", page.Total, want, err)
	}
}

func TestInternalErrorsAreLoggedOnceAndNotShown(t *testing.T) {
	t.Parallel()
	srv := newWorld(t)
	h := mcpserver.NewHTTP(mcpserver.HTTPOptions{
		Connections: mcpserver.ConnectionsHere(),
		Stateful:    mcp.NewServer(&mcp.Implementation{Name: "a"}, nil),
		Stateless:   mcp.NewServer(&mcp.Implementation{Name: "a"}, nil),
		Authorize:   func(*http.Request) (loci.Principal, error) { return loci.Principal{}, fmt.Errorf("disk on fire") },
		Log:         newLogger(srv.log),
	})
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader("{}")))
	if rec.Code != 500 || strings.Contains(rec.Body.String(), "fire") ||
		!strings.Contains(rec.Body.String(), "internal error") {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if n := strings.Count(srv.log.String(), "disk on fire"); n != 1 {
		t.Errorf("logged %d times: %s", n, srv.log)
	}
}
