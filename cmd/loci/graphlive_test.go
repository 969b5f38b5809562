package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
)

// withSessions is the newest version of the protocol that has sessions; the
// SDK's own choice has none.
const withSessions = "2025-11-25"

// These are the answers without an active project: where there is one to select, and where there is none.
const (
	noActiveProject = "No active project. Use switch_project to select one."
	noProject       = "No active project, and there is none yet. Create one with create_project."
)

// inSession connects a client that has a session.
func inSession(tb testing.TB, name string, transport mcp.Transport) *assistant {
	tb.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil).
		Connect(tb.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: withSessions})
	if err != nil {
		tb.Fatalf("connect %s: %v", name, err)
	}
	tb.Cleanup(func() { session.Close() })
	return &assistant{tb, name, session}
}

// stdioSession is `loci mcp` as a client starts it, in dir.
func stdioSession(tb testing.TB, dir string, args ...string) *assistant {
	cmd := exec.Command("loci", append([]string{"mcp"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, environmentOf(dir), os.Stderr
	return inSession(tb, "stdio", &mcp.CommandTransport{Command: cmd})
}

// startMCP starts `loci mcp --transport http` in dir and waits until it says
// how to connect.
func startMCP(tb testing.TB, dir string, args ...string) *liveServer {
	tb.Helper()
	address := freeAddress(tb)
	port := address[strings.LastIndex(address, ":")+1:]
	watch := &lineWatch{want: "Connect Claude Code", seen: make(chan struct{})}
	s := &liveServer{tb: tb, process: lociCommand(tb, dir, append([]string{"mcp", "--transport", "http", "--port", port},
		args...)...), errors: &watch.text}
	s.process.Dir, s.process.Stderr, s.url = dir, watch, "http://"+address
	if err := s.process.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.kill)
	select {
	case <-watch.seen:
	case <-time.After(time.Minute):
		tb.Fatalf("it does not say where it is: %s", s.errors)
	}
	if want := "MCP is at " + localURL(strings.TrimPrefix(s.url, "http://")) + "/mcp"; !strings.Contains(
		s.errors.String(),
		want,
	) {
		tb.Fatalf("got %q, want %q in it", s.errors, want)
	}
	return s
}

func (s *liveServer) transport(client *http.Client) mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: client, MaxRetries: -1}
}

// must calls a tool that has to answer, and returns the answer as JSON.
func (a *assistant) must(tool string, args map[string]any) string {
	a.tb.Helper()
	var raw json.RawMessage
	if err := a.call(tool, args, &raw); err != nil {
		a.tb.Fatalf("%s calls %s: %v", a.name, tool, err)
	}
	return string(raw)
}

// refused calls a tool that has to refuse in these words.
func (a *assistant) refused(tool string, args map[string]any, want string) {
	a.tb.Helper()
	var raw json.RawMessage
	if err := a.call(tool, args, &raw); err == nil || !strings.Contains(err.Error(), want) {
		a.tb.Errorf("%s calls %s: got %s, %v; want %q", a.name, tool, raw, err, want)
	}
}

// step is one call of a conversation: what has to be in its answer.
type step struct {
	tool string
	args map[string]any
	want string // in the answer, or in the error if refuse
	not  string // "" or what must not be in it
	fail bool
}

// conversation is all sixteen tools of seed S3, in an order in which they make
// sense.
var conversation = []step{
	{tool: "list_projects", want: `"projects":[]`},
	{tool: "read_graph", want: noProject, fail: true},
	{tool: "create_project", args: map[string]any{"name": "home", "description": "At home"}, want: `"status":"active"`},
	{tool: "get_current_project", want: `"name":"home"`},
	{tool: "create_entities", args: map[string]any{"entities": []any{
		map[string]any{"name": "Ada", "entity_type": "person",
			"observations": []string{"Lives in Kiel.", "Plays the cello."}},
		map[string]any{"name": "Acme", "entity_type": "company"}}}, want: `"name":"Acme"`},
	{tool: "add_observations", args: map[string]any{"observations": []any{map[string]any{"entity_name": "Ada",
		"contents": []string{"Takes her coffee black."}}}}, want: "coffee"},
	{tool: "add_observations", args: map[string]any{"observations": []any{map[string]any{"entity_name": "Adda",
		"contents": []string{"x"}}}}, want: "Ada", fail: true},
	{tool: "create_relations", args: map[string]any{"relations": []any{map[string]any{"from": "Ada", "to": "Acme",
		"relation_type": "works_at"}}}, want: "works_at"},
	{tool: "search_nodes", args: map[string]any{"query": "cello OR anvil*"}, want: `"name":"Ada"`, not: `"name":"Acme"`},
	{tool: "open_nodes", args: map[string]any{"names": []string{"Acme"}}, want: "works_at", not: "cello"},
	{tool: "read_graph", want: "coffee"},
	{tool: "delete_observations", args: map[string]any{"deletions": []any{map[string]any{"entity_name": "Ada",
		"observations": []string{"Plays the cello."}}}}, want: `"deleted":1`},
	{tool: "search_nodes", args: map[string]any{"query": "cello"}, want: `"entities":[]`},
	{tool: "delete_relations", args: map[string]any{"relations": []any{map[string]any{"from": "Ada", "to": "Acme",
		"relation_type": "works_at"}}}, want: `"deleted":1`},
	{tool: "delete_entities", args: map[string]any{"names": []string{"Acme", "Nobody"}}, want: `"deleted":1`},
	{tool: "read_graph", want: `"name":"Ada"`, not: "Acme"},
	{tool: "archive_project", args: map[string]any{"name": "home"}, want: "archived"},
	{tool: "read_graph", want: noActiveProject, fail: true},
	{tool: "switch_project", args: map[string]any{"name": "home"}, want: "restore", fail: true},
	{tool: "list_projects", args: map[string]any{"status": "archived"}, want: `"name":"home"`},
	{tool: "restore_project", args: map[string]any{"name": "home"}, want: `"status":"active"`},
	{tool: "switch_project", args: map[string]any{"name": "home"}, want: `"name":"home"`},
	{tool: "open_nodes", args: map[string]any{"names": []string{"Ada"}}, want: "Kiel"},
	{tool: "delete_project", args: map[string]any{"name": "home"}, want: "home"},
	{tool: "read_graph", want: noProject, fail: true},
	{tool: "list_projects", args: map[string]any{"status": "all"}, want: `"projects":[]`},
}

func (a *assistant) converse(steps []step) {
	a.tb.Helper()
	for i, s := range steps {
		if s.fail {
			a.refused(s.tool, s.args, s.want)
			continue
		}
		got := a.must(s.tool, s.args)
		if !strings.Contains(got, s.want) || s.not != "" && strings.Contains(got, s.not) {
			a.tb.Errorf("step %d, %s: got %s, want %s in it and not %q", i, s.tool, got, s.want, s.not)
		}
	}
}

// TestSixteenToolsOverStdioAndHTTP has the conversation over both, with the command lines of seed S3.
func TestSixteenToolsOverStdioAndHTTP(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, s := range conversation {
		used[s.tool] = true
	}
	if len(used) != 16 {
		t.Fatalf("the conversation uses %d tools, want all 16", len(used))
	}
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		stdioSession(t, dir, "--transport", "stdio", "--data-dir", "./data").converse(conversation)
		checkNothingLeft(t, dir)
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		s := startMCP(t, dir, "--data-dir", "./data")
		inSession(t, "http", s.transport(http.DefaultClient)).converse(conversation)
		checkNothingLeft(t, dir)
		s.stop()
	})
}

func checkNothingLeft(t *testing.T, dir string) {
	t.Helper()
	for _, place := range []string{"projects", "archive"} {
		left, err := filepath.Glob(filepath.Join(dir, "data", place, "*.db*"))
		if err != nil || len(left) > 0 {
			t.Errorf("after delete_project there is %v, %v", left, err)
		}
	}
}

// TestFirstKeyClosesTheOpenDoor: no key is needed until there is one, also if
// that is made while the process runs.
func TestFirstKeyClosesTheOpenDoor(t *testing.T) {
	interruptible(t)
	dir := t.TempDir()
	s := startMCP(t, dir, "--vendor", "cursor")
	if said := s.errors.String(); !strings.Contains(said,
		"claude mcp add --scope user --transport http loci "+localURL(strings.TrimPrefix(s.url, "http://"))+"/mcp\n") {
		t.Errorf("it does not say how to connect: %s", said)
	}
	open := inSession(t, "nobody", s.transport(http.DefaultClient))
	open.must("create_project", map[string]any{"name": "home"})
	open.must("create_entities", map[string]any{"entities": []any{map[string]any{"name": "Ada",
		"entity_type": "person"}}})
	if got := open.must("read_graph", map[string]any{"detail": "full"}); !strings.Contains(got, `"origin":"cursor"`) {
		t.Errorf("got %s, want the vendor of the command line as its origin", got)
	}
	for header, value := range map[string]string{"Host": "evil.example", "Origin": "https://evil.example"} {
		if got := postTo(t, s, header, value); got != http.StatusForbidden {
			t.Errorf("with %s: %s: got %d, want 403", header, value, got)
		}
	}
	made := runLoci(t, dir, "agent-key", "create", "--vendor", "claude", "--name", "c")
	key := loci.Secret(regexp.MustCompile(`loci_agent_[A-Za-z0-9_-]+`).Find(made))
	var raw json.RawMessage
	if err := open.call("list_projects", nil, &raw); err == nil {
		t.Errorf("without a key it still answers: %s", raw)
	}
	if got := postTo(t, s, "", ""); got != http.StatusUnauthorized {
		t.Errorf("without a key: got %d, want 401", got)
	}
	if got := inSession(t, "claude", s.transport(&http.Client{Transport: bearer(key)})).must("list_projects",
		nil); !strings.Contains(got, "home") {
		t.Errorf("with the key: got %s", got)
	}
	runLoci(t, dir, "connect", "cursor", "--yes", "--listen", strings.TrimPrefix(s.url, "http://")) // of this directory
	s.stop()
}

// postTo asks for the list of tools without a key, and returns the status.
func postTo(t *testing.T, s *liveServer, header, value string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},`+
			`"clientInfo":{"name":"t","version":"1"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	if header == "Host" {
		r.Host = value
	} else if header != "" {
		r.Header.Set(header, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// TestSessionsOfTwoProcesses: a server and a stdio process on one directory.
// Sessions in different projects never mix; what one archives or deletes is no
// longer active for any.
func TestSessionsOfTwoProcesses(t *testing.T) {
	interruptible(t)
	dir := t.TempDir()
	server := startServer(t, dir)
	far := inSession(t, "http",
		server.transport(&http.Client{Transport: bearer(server.key("claude"))}))
	near := stdioSession(t, dir, "--vendor", "cursor")
	far.must("create_project", map[string]any{"name": "one"})
	near.must("create_project", map[string]any{"name": "two"})
	for _, a := range []*assistant{far, near} {
		a.must("create_entities", map[string]any{"entities": []any{map[string]any{"name": "of " + a.name,
			"entity_type": "note"}}})
		if got := a.must("read_graph", nil); strings.Count(got, `"entity_type"`) != 1 || !strings.Contains(got,
			"of "+a.name) {
			t.Errorf("%s reads %s, want only its own", a.name, got)
		}
	}
	near.must("switch_project", map[string]any{"name": "one"})
	near.must("archive_project", map[string]any{"name": "one"})
	for _, a := range []*assistant{far, near} {
		a.refused("read_graph", nil, noActiveProject)
	}
	runLoci(t, dir, "project", "restore", "one")
	far.refused("read_graph", nil, noActiveProject) // it was cleared, not hidden
	far.must("switch_project", map[string]any{"name": "two"})
	near.must("switch_project", map[string]any{"name": "two"})
	runLoci(t, dir, "project", "delete", "two", "--yes")
	for _, a := range []*assistant{far, near} {
		a.refused("search_nodes", map[string]any{"query": "note"}, noActiveProject)
	}
	server.stop()
}

// TestWritersOfOneGraph: a server, stdio processes and the command line write
// into one project at once, and nothing is lost.
func TestWritersOfOneGraph(t *testing.T) {
	interruptible(t)
	dir, each := t.TempDir(), 20
	server := startServer(t, dir)
	runLoci(t, dir, "project", "create", "home")
	writers := []*assistant{stdioSession(t, dir, "--project", "home"), stdioSession(t, dir, "--project", "home"),
		inSession(t, "http", server.transport(&http.Client{Transport: bearer(server.key("claude"))}))}
	failed := make(chan error, len(writers)+1)
	for w, a := range writers {
		go func() {
			var err error
			for i := 0; i < each && err == nil; i++ {
				var raw json.RawMessage
				err = a.call("create_entities", map[string]any{"project": "home", "entities": []any{
					map[string]any{"name": fmt.Sprintf("%d.%d", w, i), "entity_type": "note", "observations": []string{"written"}}}},
					&raw)
			}
			failed <- err
		}()
	}
	go func() {
		var err error
		for i := 0; i < 5 && err == nil; i++ {
			err = lociCommand(t, dir, "graph", "add", fmt.Sprintf("cli.%d", i), "written", "--type", "note").Run()
		}
		failed <- err
	}()
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	var page struct {
		Total int `json:"total"`
	}
	if err := json.Unmarshal(runLoci(t, dir, "graph", "search", "written", "--json", "--limit", "1"), &page); err != nil {
		t.Fatal(err)
	}
	if want := len(writers)*each + 5; page.Total != want {
		t.Errorf("%d entities are there, want %d", page.Total, want)
	}
	if out := runLoci(t, dir, "graph", "check"); !bytes.Contains(out, []byte("matches its rows")) {
		t.Errorf("the index is not in order: %s", out)
	}
	server.stop()
}

// TestGraphSearchAmongProcesses searches in one process what others have stored, of which some are killed while they
// write. What was acknowledged is found, with and without the files of the index.
func TestGraphSearchAmongProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	server := startServer(t, dir)
	reader := server.assistant("reader", server.key("claude"))
	reader.must("create_project", map[string]any{"name": "p"})
	entity := func(name, text string) map[string]any {
		return map[string]any{"project": "p", "entities": []any{map[string]any{"name": name, "entity_type": "thing",
			"observations": []string{text}}}}
	}
	stored := 0
	for round := range 3 {
		writer := exec.Command("loci", "mcp", "--data-dir", data)
		writer.Dir, writer.Env = dir, environmentOf(dir)
		session := inSession(t, "writer", &mcp.CommandTransport{Command: writer})
		for range 20 {
			session.must("create_entities", entity(fmt.Sprint("item ", stored), fmt.Sprint("the word w", stored)))
			stored++
		}
		if err := writer.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for i := range stored {
			want, query := fmt.Sprintf(`"name":"item %d"`, i), fmt.Sprintf("w%d NOT zebra", i)
			got := reader.must("search_nodes", map[string]any{"project": "p", "query": query})
			if !strings.Contains(got, want) {
				t.Errorf("round %d: got %s, want %s", round, got, want)
			}
		}
	}
	server.kill()
	for _, what := range []string{"after a kill", "without an index"} {
		out, err := lociCommand(t, dir, "graph", "search", "w7", "--project", "p").Output()
		if err != nil || !strings.Contains(string(out), "item 7 (thing)") {
			t.Errorf("%s: got %s, %v", what, out, err)
		}
		if err := os.RemoveAll(filepath.Join(data, "index-graphs")); err != nil {
			t.Fatal(err)
		}
	}
}
