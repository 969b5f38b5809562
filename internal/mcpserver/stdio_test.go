package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// local returns the local operator with a client of that vendor.
func (w *world) local(v loci.Vendor) mcpserver.Who {
	return func(ctx context.Context) (loci.Principal, error) { return w.auth.Local(ctx, v) }
}

// stdio starts the server on two pipes. wait returns its error.
func (w *world) stdio(ctx context.Context) (in io.WriteCloser, out io.Reader, wait func() error) {
	w.t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := w.server.ServeStdio(ctx, w.local(loci.LocalVendor), inR, outW)
		outW.Close()
		done <- err
	}()
	return inW, outR, func() error { return <-done }
}

// A connected client loses its team's pool when its person leaves the team, and all
// access when their org is suspended.
func TestStdioSeesWhatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	mate := w.person(w.owner.OrgID, "mate@default.example")
	w.team("Platform", w.owner, mate)
	mate, err := w.auth.LocalAs(ctx, mate.OrgID, mate.UserID) // with the team
	if err != nil {
		t.Fatal(err)
	}
	m, err := w.app.Memory.Create(ctx, mate,
		memory.Draft{Title: "mates", Content: "shared", AllowedVendors: []loci.Vendor{"*"}})
	if err == nil {
		_, err = w.app.Memory.Share(ctx, mate, m.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	in, out, wait := w.stdio(ctx)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: io.NopCloser(out), Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	get := func() (*mcp.CallToolResult, error) {
		return session.CallTool(ctx, &mcp.CallToolParams{Name: "get_memory_by_id", Arguments: map[string]any{"id": m.ID}})
	}
	if got, err := get(); err != nil || got.IsError {
		t.Errorf("in the team: %+v, %v", got, err)
	}
	err = w.store.Update(ctx, w.owner.OrgID, func(tx store.Tx) error {
		me, err := tx.Users().Get(ctx, w.owner.UserID)
		if err != nil {
			return err
		}
		me.TeamID, me.TeamRole = loci.TeamID{}, ""
		return tx.Users().Update(ctx, me)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := get(); err != nil || !got.IsError {
		t.Errorf("after leaving: %+v, %v", got, err)
	}
	_, err = w.store.Orgs().Update(ctx, w.owner.OrgID, func(o *loci.Org) error { o.State = loci.OrgSuspended; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if got, err := get(); err == nil || !strings.Contains(err.Error(), "suspended") {
		t.Errorf("in a suspended org: %+v, %v", got, err)
	}
	if err := errors.Join(session.Close(), wait()); err != nil {
		t.Error(err)
	}
}

func TestConcurrentWritersOverStdioLoseNothing(t *testing.T) {
	t.Parallel()
	const writers, each = 16, 25
	w := newWorld(t)
	in, out, wait := w.stdio(context.Background())
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.IOTransport{Reader: io.NopCloser(out), Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	acknowledged := make([][]loci.MemoryID, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for n := range each {
				m := write(t, session, map[string]any{"title": fmt.Sprintf("%d/%d", i, n), "content": "kept"})
				if m.Origin != "local" {
					t.Errorf("origin %q", m.Origin)
				}
				acknowledged[i] = append(acknowledged[i], m.ID)
			}
		})
	}
	wg.Wait()
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if err := wait(); err != nil {
		t.Errorf("ServeStdio: %v", err)
	}
	checkStored(t, w, acknowledged, writers*each)
}

// talk sends text and the end of the input at once, and returns the answers.
func (w *world) talk(text string) []map[string]any {
	w.t.Helper()
	var out bytes.Buffer
	if err := w.server.ServeStdio(context.Background(), w.local("claude"), strings.NewReader(text), &out); err != nil {
		w.t.Errorf("ServeStdio: %v", err)
	}
	var messages []map[string]any
	for line := range strings.Lines(out.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil || m["jsonrpc"] != "2.0" {
			w.t.Errorf("not a message on the output: %q", line)
		}
		messages = append(messages, m)
	}
	return messages
}

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":` +
	`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func writeCall(id int, title string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"write_memory",`+
		`"arguments":{"title":%q,"content":"c"}}}`+"\n", id, title)
}

// TestStdioAnswersEverythingBeforeItEnds pipes many calls and closes the pipe. Each
// must be answered and stored.
func TestStdioAnswersEverythingBeforeItEnds(t *testing.T) {
	t.Parallel()
	const calls = 300
	w := newWorld(t)
	text := hello
	for i := range calls {
		text += writeCall(i+1, fmt.Sprint(i))
	}
	acknowledged := make([][]loci.MemoryID, 1)
	for _, m := range w.talk(strings.TrimSuffix(text, "\n")) {
		if m["id"] == "hello" {
			continue
		}
		id, err := loci.ParseMemoryID(m["result"].(map[string]any)["structuredContent"].(map[string]any)["id"].(string))
		if err != nil {
			t.Fatal(err)
		}
		acknowledged[0] = append(acknowledged[0], id)
	}
	checkStored(t, w, acknowledged, calls)
}

func TestStdioGoesOnAfterBadLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line string
		code       float64
		id         any // that the answer carries
	}{
		{"no JSON", `{"jsonrpc":"2.0",`, -32700, nil},
		{"a word", "hello", -32700, nil},
		{"two messages", `{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":1,"method":"ping"}`, -32700, nil},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}", -32700, nil},
		{"deep", strings.Repeat("[", 20000) + strings.Repeat("]", 20000), -32700, nil},
		{"a number", "42", -32600, nil},
		{"another version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, -32600, 1.0},
		{"an id of another type", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, nil},
		{"a method of another type", `{"jsonrpc":"2.0","id":1,"method":7}`, -32600, 1.0},
		{"Method", `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, -32600, 1.0},
		{"a fraction as id", `{"jsonrpc":"2.0","id":1.2,"method":"ping"}`, -32600, 1.2},
		{"an id beyond the numbers", `{"jsonrpc":"2.0","id":1e30,"method":"ping"}`, -32600, 1e30},
		{"a name twice", `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"a","name":"b"}}`, -32600, "x"},
		{"a secret where a text belongs",
			`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"recall","arguments":{"topic":["s3cret"]}}}`,
			-32602, 1.0},
		{"a level that is none", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"s3cret"}}`, -32602,
			1.0},
		{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"a/b"}`, -32601, 1.0},
		{"no params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, -32600, 1.0},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600, nil},
		{"an empty batch", `[]`, -32600, nil},
		{"too long", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("x", 2<<20) + `"}}`, -32600,
			1.0},
		{"too long, with the id behind", `{"jsonrpc":"2.0","method":"ping","params":{"a":"` + strings.Repeat("x", 2<<20) +
			`"},"id":1}`, -32600, nil},
		{"too long, with a long id", `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 2<<20-100) + `","method":"ping"` +
			strings.Repeat(" ", 100) + `}`, -32600, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			got := w.talk(hello + "\n" + tt.line + "\n" + writeCall(7, "after"))
			if len(got) != 3 {
				t.Fatalf("%d messages, want 3: %v", len(got), got)
			}
			var problem, written map[string]any
			for _, m := range got {
				switch m["id"] {
				case tt.id:
					problem, _ = m["error"].(map[string]any)
				case 7.0:
					written, _ = m["result"].(map[string]any)
				}
			}
			if problem["code"] != tt.code || strings.Contains(fmt.Sprint(problem), "s3cret") {
				t.Errorf("error %v, want code %v: %v", problem, tt.code, got)
			}
			if written["structuredContent"] == nil {
				t.Errorf("the call after it: %v", written)
			}
		})
	}
}

// TestStdioAnswersIDsThatAreInUse sends many calls with one id at once. Each must be
// answered, with a result or an error.
func TestStdioAnswersIDsThatAreInUse(t *testing.T) {
	t.Parallel()
	const calls = 50
	w := newWorld(t)
	results, refused := 0, 0
	for _, m := range w.talk(hello + strings.Repeat(writeCall(7, "again"), calls)) {
		if m["id"] != 7.0 {
			continue
		}
		if problem, ok := m["error"].(map[string]any); ok && strings.Contains(problem["message"].(string), "still running") {
			refused++
		} else if m["result"] != nil {
			results++
		}
	}
	if results < 1 || results+refused != calls {
		t.Errorf("%d results and %d refusals, want %d answers", results, refused, calls)
	}
}

func TestStdioSpeaksTheStatelessVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	got := w.talk(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_memories","arguments":{},` + meta +
		`}}` + "\n")
	if len(got) != 1 || got[0]["result"] == nil {
		t.Errorf("%v", got)
	}
}

func TestStdioEndsWithItsContext(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	in, out, wait := w.stdio(ctx)
	go func() { _, _ = io.Copy(io.Discard, out) }() // ends when the server closes the pipe
	if _, err := io.WriteString(in, hello); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := wait(); err != nil {
		t.Errorf("ServeStdio: %v", err)
	}
}

func TestStdioNeedsAVendor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	who := func(context.Context) (loci.Principal, error) { return w.owner, nil }
	err := w.server.ServeStdio(context.Background(), who, strings.NewReader(hello), io.Discard)
	if loci.CodeOf(err) != loci.Forbidden {
		t.Errorf("a person over stdio: %v", err)
	}
}

// A request before initialize is told what to send, as over HTTP. The connection stays usable.
func TestStdioAsksForInitialize(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := w.talk(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n" + writeCall(2, "early") +
		`{"jsonrpc":"2.0","id":3,"method":"ping"}` + "\n" + hello + writeCall(4, "late"))
	if len(got) != 5 {
		t.Fatalf("%d messages, want 5: %v", len(got), got)
	}
	for _, m := range got {
		problem, _ := m["error"].(map[string]any)
		early := m["id"] == 1.0 || m["id"] == 2.0
		if early != strings.HasPrefix(fmt.Sprint(problem["message"]), "not connected: send initialize first; or use ") ||
			early && problem["code"] != -32600.0 {
			t.Errorf("answer %v", m)
		}
	}
}
