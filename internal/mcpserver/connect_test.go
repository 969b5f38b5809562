package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/mcpserver"
)

// everyone is an Authorize that lets the same agent in with every request.
func everyone(*http.Request) (loci.Principal, error) {
	return loci.Principal{Kind: loci.KindAgent, OrgID: "default", Vendor: "claude"}, nil
}

// processes returns an address behind which n servers share the data of w. Each request goes to the
// one that next chooses.
func (w *world) processes(n int) (next *atomic.Int64) {
	w.t.Helper()
	var handlers []http.Handler
	for range n {
		handlers = append(handlers, mcpserver.New(mcpserver.Options{App: w.app, Auth: w.auth, Log: newLogger(w.log)}).HTTP())
	}
	next = new(atomic.Int64)
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		handlers[int(next.Load())%n].ServeHTTP(rw, r)
	}))
	w.t.Cleanup(srv.Close)
	w.url = srv.URL
	return next
}

// toolNames returns the names of the tools that a client is offered.
func toolNames(t *testing.T, s *mcp.ClientSession) (names []string) {
	t.Helper()
	list, err := s.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list.Tools {
		names = append(names, one.Name)
	}
	return names
}

// TestConnectionsSurviveTheirProcess continues a connection in a process that has never seen it, as after a
// restart and with several processes behind one address.
func TestConnectionsSurviveTheirProcess(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", stateful} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			next := w.processes(4)
			w.url += "?toolsets=memory,graph-extra,graph"
			_, key := w.key("claude")
			s := w.connect(key, version)
			offered := toolNames(t, s)
			write(t, s, map[string]any{"title": "Before", "content": "a"})
			calledFor[any](t, s, "create_project", map[string]any{"name": "kept"})
			for process := range int64(8) {
				next.Store(process + 1)
				if diff := cmp.Diff(offered, toolNames(t, s)); diff != "" {
					t.Fatalf("process %d offers others (-before +after):\n%s", process, diff)
				}
				if got := titles(t, s, "read_memories", nil); len(got) != 1 {
					t.Errorf("process %d reads %v", process, got)
				}
				if got := calledFor[struct{ Name string }](t, s, "get_current_project", nil); got.Name != "kept" {
					t.Errorf("process %d works on %+v", process, got)
				}
			}
		})
	}
}

// TestAnEndedConnectionEndsEverywhere ends a connection in one process that another one also serves.
func TestAnEndedConnectionEndsEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	next := w.processes(2)
	_, key := w.key("claude")
	_, other := w.key("cursor")
	r := w.raw(key, stateful)
	for process := range int64(2) {
		next.Store(process)
		if a := r.tool("read_memories", "{}"); a.status != 200 {
			t.Fatalf("process %d: %d %s", process, a.status, a.body)
		}
		thief := &raw{w: w, key: other, version: stateful, session: r.session}
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			if a := thief.send(method, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil); a.status != 404 {
				t.Errorf("process %d, %s by another credential: %d %s", process, method, a.status, a.body)
			}
		}
	}
	if a := r.send(http.MethodDelete, "", nil); a.status != http.StatusNoContent || a.body != "" {
		t.Errorf("DELETE: %d %s", a.status, a.body)
	}
	for process := range int64(2) {
		next.Store(process)
		if a := r.tool("read_memories", "{}"); a.status != 404 || !strings.Contains(a.body, "-32001") {
			t.Errorf("process %d, after DELETE: %d %s", process, a.status, a.body)
		}
	}
}

// TestIdleConnectionsContinue ends each session of the SDK as soon as another one is opened.
func TestIdleConnectionsContinue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *mcpserver.Options) { o.ConnectionIdle = time.Nanosecond })
	_, key := w.key("claude")
	var open []*raw
	for range 5 {
		open = append(open, w.raw(key, stateful))
		for i, r := range open {
			if a := r.tool("read_memories", "{}"); a.status != 200 {
				t.Errorf("connection %d of %d: %d %s", i, len(open), a.status, a.body)
			}
		}
	}
}

// TestOpenStreamsCountAsActivity fills the server while one connection has nothing but an open stream.
func TestOpenStreamsCountAsActivity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *mcpserver.Options) { o.MaxPerKey = 2 })
	_, key := w.key("claude")
	listener := w.raw(key, stateful)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Accept": {"text/event-stream"}, "Mcp-Session-Id": {listener.session},
		"Authorization": {"Bearer " + key.Reveal()}}
	stream, err := http.DefaultClient.Do(req) //nolint:bodyclose // closed below
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	if stream.StatusCode != http.StatusOK {
		t.Fatalf("GET: %d", stream.StatusCode)
	}
	ended := make(chan struct{})
	go func() { _, _ = io.Copy(io.Discard, stream.Body); close(ended) }()
	for range 3 {
		w.raw(key, stateful).tool("read_memories", "{}")
	}
	select {
	case <-ended:
		t.Error("the stream ended, although its connection was not idle")
	default:
	}
	cancel()
	<-ended
}

// TestOpeningKeepsNothingUseless rejects what could not be continued.
func TestOpeningKeepsNothingUseless(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := &raw{w: w, key: key, version: stateful}
	a := r.call("initialize", `{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"a":{"b":"`+
		strings.Repeat("x", 20<<10)+`"}}},"clientInfo":{"name":"raw","version":"1"}}`)
	if a.status != http.StatusRequestEntityTooLarge || a.header.Get("Mcp-Session-Id") != "" {
		t.Errorf("large capabilities: %d %s", a.status, a.body)
	}
	if a := r.call("initialize", `[]`); a.header.Get("Mcp-Session-Id") != "" {
		t.Errorf("bad params: %d %s", a.status, a.body)
	}
}

// TestCancelledCallsGetNoAnswer cancels a call that waits for the client.
func TestCancelledCallsGetNoAnswer(t *testing.T) {
	t.Parallel()
	running := make(chan string, 1)
	server := func() *mcp.Server {
		srv := mcp.NewServer(&mcp.Implementation{Name: "a"}, nil)
		srv.AddTool(&mcp.Tool{Name: "wait", InputSchema: map[string]any{"type": "object"}},
			func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				running <- "yes"
				<-ctx.Done()
				return nil, ctx.Err()
			})
		return srv
	}
	srv := httptest.NewServer(mcpserver.NewHTTP(mcpserver.HTTPOptions{Connections: mcpserver.ConnectionsHere(),
		Stateful: server(), Stateless: server(),
		Authorize: everyone}))
	t.Cleanup(srv.Close)
	r := (&world{t: t, url: srv.URL}).raw("", stateful)
	for _, id := range []string{"7", `"seven"`} {
		answered := make(chan reply)
		go func() {
			answered <- r.post(`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"wait"}}`, nil)
		}()
		<-running
		a := r.post(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id), nil)
		if a.status != http.StatusAccepted {
			t.Errorf("cancelling %s: %d %s", id, a.status, a.body)
		}
		a = <-answered
		if a.status != 200 || a.body != "" || a.header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("the cancelled call %s: %d %q %q, want an empty stream", id, a.status, a.header.Get("Content-Type"), a.body)
		}
	}
}

// TestAnswersStreamOnlyIfTheyMust asks a tool that reports progress, and one that does not.
func TestAnswersStreamOnlyIfTheyMust(t *testing.T) {
	t.Parallel()
	server := func() *mcp.Server {
		srv := mcp.NewServer(&mcp.Implementation{Name: "a"}, nil)
		for _, name := range []string{"quiet", "talking"} {
			srv.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}},
				func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					if name == "talking" {
						err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "p", Progress: 1})
						if err != nil {
							return nil, err
						}
					}
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + " is done"}}}, nil
				})
		}
		return srv
	}
	srv := httptest.NewServer(mcpserver.NewHTTP(mcpserver.HTTPOptions{Connections: mcpserver.ConnectionsHere(),
		Stateful: server(), Stateless: server(),
		Authorize: everyone}))
	t.Cleanup(srv.Close)
	for _, version := range []string{stateful, stateless} {
		r := (&world{t: t, url: srv.URL}).raw("", version)
		a := r.tool("quiet", "{}")
		if a.header.Get("Content-Type") != "application/json" || !strings.HasPrefix(a.body, "{") {
			t.Errorf("%s, quiet: %q %s", version, a.header.Get("Content-Type"), a.body)
		}
		a = r.tool("talking", "{}")
		progress, done := strings.Index(a.body, "notifications/progress"), strings.Index(a.body, "talking is done")
		if a.header.Get("Content-Type") != "text/event-stream" || progress < 0 || done < progress {
			t.Errorf("%s, talking: %q %s", version, a.header.Get("Content-Type"), a.body)
		}
	}
}

// aBatch has a call, a notification, a call that fails and another call.
const aBatch = `[{"jsonrpc":"2.0","id":11,"method":"ping"},` +
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}},` +
	`{"jsonrpc":"2.0","id":"twelve","method":"prompts/get","params":{"name":"none"}},` +
	`{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"read_memories","arguments":{}}}]`

// TestBatches sends one over both transports. Versions before 2025-06-18 require it to work.
func TestBatches(t *testing.T) {
	t.Parallel()
	has := map[string]bool{"2024-11-05": true, "2025-03-26": true, "2025-06-18": false, stateful: false}
	for version, works := range has {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			_, key := w.key("claude")
			a := w.raw(key, version).post(aBatch, nil)
			checkBatch(t, "HTTP", works, a.body)
			in, out, wait := w.stdio(t.Context())
			go func() {
				_, _ = io.WriteString(in, strings.ReplaceAll(hello, "2025-11-25", version))
			}()
			lines := bufio.NewScanner(out)
			lines.Scan() // the answer to initialize
			go func() {
				_, _ = io.WriteString(in, aBatch+"\n")
				_ = in.Close()
			}()
			lines.Scan()
			checkBatch(t, "stdio", works, lines.Text())
			if lines.Scan() {
				t.Errorf("stdio: another line: %s", lines.Text())
			}
			if err := wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

func checkBatch(t *testing.T, over string, works bool, body string) {
	t.Helper()
	var answers []struct {
		ID            any
		Result, Error json.RawMessage
	}
	err := json.Unmarshal([]byte(body), &answers)
	if !works {
		if err == nil || !strings.Contains(body, "-32600") || !strings.Contains(body, "batch") {
			t.Errorf("%s: %s, want a refusal", over, body)
		}
		return
	}
	got := map[any]bool{}
	for _, a := range answers {
		got[a.ID] = a.Error == nil
	}
	if diff := cmp.Diff(map[any]bool{11.0: true, "twelve": false, 13.0: true}, got); diff != "" || err != nil {
		t.Errorf("%s: %v\n%s\n(-want +got):\n%s", over, err, body, diff)
	}
}
