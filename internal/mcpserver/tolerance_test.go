package mcpserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/mcpserver"
)

// TestAccept sends what clients and proxies have in Accept. The answer has a type that it names.
func TestAccept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	const plain, stream = "application/json", "text/event-stream"
	for _, tt := range []struct {
		accept []string
		want   string // Content-Type; "": rejected
	}{
		{[]string{"application/json, text/event-stream"}, plain},
		{[]string{"text/event-stream", "application/json;q=0.5"}, plain},
		{[]string{plain}, plain}, {[]string{"APPLICATION/JSON; charset=utf-8"}, plain}, {[]string{"application/*"}, plain},
		{[]string{stream}, stream}, {[]string{"text/*"}, stream},
		{[]string{"*/*"}, plain}, {[]string{"text/html, */*;q=0.8"}, plain}, {nil, plain}, {[]string{""}, plain},
		{[]string{"text/html"}, ""}, {[]string{"text/html,application/xml"}, ""},
	} {
		for _, version := range []string{stateful, stateless} {
			r := &raw{w: w, key: key, version: version, header: http.Header{"Accept": tt.accept}}
			check := func(what string, a reply, text string) {
				t.Helper()
				if tt.want == "" && a.status == http.StatusBadRequest {
					return
				}
				data, isStream := strings.CutPrefix(a.body, "event: message\ndata: ")
				if got := a.header.Get("Content-Type"); a.status != 200 || got != tt.want || !strings.Contains(data, text) ||
					isStream != (got == stream) || isStream && !strings.HasSuffix(data, "}\n\n") {
					t.Errorf("%s, Accept %q, %s: %d %s %.200s", version, tt.accept, what, a.status, got, a.body)
				}
			}
			if version == stateful {
				a := r.call("initialize", initialize)
				check("initialize", a, `"protocolVersion"`)
				if r.session = a.header.Get("Mcp-Session-Id"); r.session == "" && tt.want != "" {
					t.Errorf("Accept %q: initialize opens no connection", tt.accept)
				}
			}
			check("a tool", r.tool("read_memories", "{}"), `"memories"`)
			check("an error", r.tool("read_memories", `{"x":1}`), "is unknown")
			if a := r.call("prompts/get", `{"name":"recall","arguments":{"topic":["s3cret"]}}`); strings.Contains(a.body,
				"s3cret") {
				t.Errorf("%s, Accept %q: the answer repeats the input: %s", version, tt.accept, a.body)
			}
		}
	}
	r := w.raw(key, stateful)
	if a := r.send(http.MethodGet, "", http.Header{"Accept": {plain}}); a.status != http.StatusBadRequest ||
		!strings.Contains(a.body, "text/event-stream") {
		t.Errorf("GET for JSON: %d %s", a.status, a.body)
	}
	for _, accept := range [][]string{nil, {"*/*"}, {stream}} {
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{
			"Accept":         accept,
			"Mcp-Session-Id": {r.session},
			"Authorization":  {"Bearer " + key.Reveal()},
		}
		a, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if a.StatusCode != http.StatusOK || a.Header.Get("Content-Type") != stream {
			t.Errorf("GET, Accept %q: %d %s", accept, a.StatusCode, a.Header.Get("Content-Type"))
		}
		cancel()
		a.Body.Close()
		r = w.raw(key, stateful) // a connection has one such stream
	}
}

func TestUnknownNotificationsAreIgnored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	for _, version := range []string{stateful, stateless} {
		r := w.raw(key, version)
		a := r.post(`{"jsonrpc":"2.0","method":"notifications/vendor/telemetry","params":{`+meta+`}}`,
			http.Header{"Mcp-Method": {"notifications/vendor/telemetry"}})
		if a.status != http.StatusAccepted || a.body != "" {
			t.Errorf("%s, unknown: %d %s", version, a.status, a.body)
		}
		if a := r.call("vendor/telemetry", "{}"); !a.failed() {
			t.Errorf("%s, an unknown request: %d %s", version, a.status, a.body)
		}
		if a := r.post(`{"jsonrpc":"2.0","method":"tools/list","params":{`+meta+`}}`,
			http.Header{"Mcp-Method": {"tools/list"}}); a.status != http.StatusBadRequest {
			t.Errorf("%s, a request without an id: %d %s", version, a.status, a.body)
		}
	}
}

// TestInitializeWithADeadConnection sends the id of a connection that ended, as clients do after a restart.
func TestInitializeWithADeadConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	_, other := w.key("cursor")
	theirs, ended := w.raw(other, stateful), w.raw(key, stateful)
	if a := ended.send(http.MethodDelete, "", nil); a.status != http.StatusNoContent {
		t.Fatalf("DELETE: %d %s", a.status, a.body)
	}
	for name, old := range map[string]string{"ended": ended.session, "another's": theirs.session, "never": "X.Y"} {
		r := &raw{w: w, key: key, version: stateful, session: old}
		if a := r.tool("read_memories", "{}"); a.status != http.StatusNotFound {
			t.Errorf("%s: a call gets %d %s", name, a.status, a.body)
		}
		a := r.call("initialize", initialize)
		if r.session = a.header.Get("Mcp-Session-Id"); a.status != 200 || r.session == "" || r.session == old {
			t.Errorf("%s: initialize: %d %s", name, a.status, a.body)
			continue
		}
		if a := r.tool("read_memories", "{}"); a.status != 200 {
			t.Errorf("%s: in the new connection: %d %s", name, a.status, a.body)
		}
	}
	if a := theirs.tool("read_memories", "{}"); a.status != 200 {
		t.Errorf("another's connection: %d %s", a.status, a.body)
	}
}

func TestDummyArgumentsAreIgnored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.raw(key, stateless)
	if text := failure(t, r.tool("get_current_project", `{"random_string":"dummy","origin":"x"}`)); text != "" {
		t.Errorf("a dummy: %s", text)
	}
	for _, arguments := range []string{`[]`, `"x"`} {
		if text := failure(t, r.tool("get_current_project", arguments)); !strings.Contains(text, "must be a JSON object") {
			t.Errorf("%s: %q", arguments, text)
		}
	}
	if text := failure(t, r.tool("read_memories", `{"random_string":"dummy"}`)); !strings.Contains(text, "is unknown") {
		t.Errorf("a tool with arguments: %q", text)
	}
}

// written collects an answer that is read while it is written.
type written struct {
	header http.Header
	mu     sync.Mutex
	text   strings.Builder
}

func (w *written) Header() http.Header { return w.header }
func (w *written) WriteHeader(int)     {}

func (w *written) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(b)
}

func (w *written) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.text.Reset()
	return w.text.String()
}

// TestIdleStreamsBeat waits beside streams that have nothing to say.
func TestIdleStreamsBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := func() *mcp.Server {
			return mcp.NewServer(&mcp.Implementation{Name: "a"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{
				Tools: &mcp.ToolCapabilities{ListChanged: true}}})
		}
		h := mcpserver.NewHTTP(mcpserver.HTTPOptions{Connections: mcpserver.ConnectionsHere(),
			Stateful: server(), Stateless: server(),
			Authorize: func(*http.Request) (loci.Principal, error) {
				return loci.Principal{Kind: loci.KindAgent, OrgID: "default", Vendor: "claude"}, nil
			}})
		send := func(ctx context.Context, w http.ResponseWriter, method, body string, header http.Header) {
			r := httptest.NewRequestWithContext(ctx, method, "/mcp", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			for name, values := range header {
				r.Header[name] = values
			}
			h.ServeHTTP(w, r)
		}
		opened := httptest.NewRecorder()
		send(t.Context(), opened, http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+initialize+`}`,
			nil)
		session := http.Header{"Mcp-Session-Id": {opened.Header().Get("Mcp-Session-Id")}}
		const listen = `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{` +
			`"notifications":{"toolsListChanged":true},"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":` +
			`{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
		for name, tt := range map[string]struct {
			method, body string
			header       http.Header
		}{
			"GET": {http.MethodGet, "", session},
			"subscriptions/listen": {http.MethodPost, listen,
				http.Header{"Mcp-Protocol-Version": {stateless}, "Mcp-Method": {"subscriptions/listen"}}},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			w := &written{header: http.Header{}}
			var serving sync.WaitGroup
			serving.Go(func() { send(ctx, w, tt.method, tt.body, tt.header) })
			synctest.Wait()
			if begin := w.take(); begin != ": ok\n\n" && !strings.HasPrefix(begin, "event: message\n") {
				t.Errorf("%s begins with %q", name, begin)
			}
			for range 3 {
				<-time.After(25*time.Second + time.Millisecond)
				synctest.Wait()
				if got := w.take(); got != ": still here\n\n" {
					t.Errorf("%s: after 25 seconds %q", name, got)
				}
			}
			cancel()
			serving.Wait()
			<-time.After(time.Minute)
			if got := w.take(); strings.Contains(got, "still here") {
				t.Errorf("%s: after its end %q", name, got)
			}
		}
		send(t.Context(), httptest.NewRecorder(), http.MethodDelete, "", session)
	})
}
