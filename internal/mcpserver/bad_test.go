package mcpserver_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/memory"
)

// TestBadRequests sends malformed requests. Each answer must be a JSON-RPC error
// that says what is wrong, and never a 500. Nothing may be stored.
//
// long: a table of cases is data.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	message := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":9,"method":"` + method + `","params":` + params + `}`
	}
	tests := []struct {
		name, body string
		status     int
		code       int
		text       string
	}{
		{"empty", "", 400, -32700, "not valid JSON"},
		{"cut off", `{"jsonrpc":"2.0","id":1,`, 400, -32700, "not valid JSON"},
		{"invalid UTF-8", message("tools/call",
			"{\"name\":\"write_memory\",\"arguments\":{\"title\":\"t\",\"content\":\"\xc3\x28\"}}"), 400, -32700,
			"not valid UTF-8"},
		{"deep", strings.Repeat("[", 200_000), 400, -32700, "not valid JSON"},
		{"deep arguments", message("tools/call", `{"name":"write_memory","arguments":`+strings.Repeat(`{"a":`, 20_000)+"1"+
			strings.Repeat("}", 20_000)+"}"), 400, -32700, "not valid JSON"},
		{"a string", `"hello"`, 400, -32600, `needs "jsonrpc"`},
		{"null", `null`, 400, -32600, `needs "jsonrpc"`},
		{"no version", `{"id":1,"method":"ping"}`, 400, -32600, `needs "jsonrpc"`},
		{"an array as id", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, 400, -32600, `needs "jsonrpc"`},
		{"an infinite id", `{"jsonrpc":"2.0","id":1e999,"method":"ping"}`, 400, -32600, `needs "jsonrpc"`},
		{"neither call nor answer", `{"jsonrpc":"2.0"}`, 400, -32600, `needs "jsonrpc"`},
		{"an empty batch", `[]`, 400, -32600, "batch"},
		{"a batch", `[` + message("ping", "{}") + `]`, 400, -32600, "batching is not supported"},
		{"unknown method", message("memories/steal", "{}"), 400, -32601, "memories/steal"},
		{"params of another type", message("tools/call", `[1,2]`), 0, -32602, "invalid params"},
		{"arguments of another type", message("tools/call", `{"name":"read_memories","arguments":"all"}`), 200, 0,
			"must be a JSON object"},
		{"no tool", message("tools/call", `{}`), 0, -32602, "unknown tool"},
		{"unknown tool", message("tools/call", `{"name":"rm -rf"}`), 0, -32602, "unknown tool"},
		{"a cursor of nothing", message("tools/list", `{"cursor":"zzz"}`), 0, -32602, ""},
		{"huge id", message("tools/call", `{"name":"get_memory_by_id","arguments":{"id":"`+strings.Repeat("9", 500_000)+
			`"}}`), 200, 0, "id is not an id"},
		{"huge field name", message("tools/call", `{"name":"read_memories","arguments":{"`+strings.Repeat("x", 500_000)+
			`":1}}`), 200, 0, "one of the fields is unknown"},
		{"huge number", message("tools/call", `{"name":"read_memories","arguments":{"limit":`+strings.Repeat("9", 10_000)+
			`}}`), 0, 0, ""},
		{"over-long title", message("tools/call", `{"name":"write_memory","arguments":{"content":"c","title":"`+
			strings.Repeat("t", 501)+`"}}`), 200, 0, "title is longer than 500"},
		{"over-long content", message("tools/call", `{"name":"write_memory","arguments":{"title":"t","content":"`+
			strings.Repeat("c", 100_001)+`"}}`), 200, 0, "content is longer than 100000"},
		{"many tags", message("tools/call", `{"name":"write_memory","arguments":{"title":"t","content":"c","tags":[`+
			strings.Repeat(`"a",`, 250_000)+`"b"]}}`), 200, 0, "tags"},
		{"NUL", message("tools/call", `{"name":"write_memory","arguments":{"title":"t\u0000","content":"c"}}`), 200, 0,
			"title contains a NUL"},
		{"NUL in an id", message("resources/read", `{"uri":"loci://memory/\u0000"}`), 0, -32602, "not found"},
		{"an address that is none", message("resources/read", `{"uri":"\u0001%zz"}`), 0, -32602, "not found"},
		{"half a pair in an address", message("resources/read", `{"uri":"loci://memory/\ud800"}`), 400, -32600,
			"half of a surrogate pair"},
		{"half a pair in an argument",
			message("tools/call", `{"name":"write_memory","arguments":{"title":"t","content":"c","tags":["\udc00"]}}`), 200, 0,
			"tags is rejected: the JSON contains half of a surrogate pair"},
		{"an argument twice", message("tools/call",
			`{"name":"write_memory","arguments":{"title":"t","content":"c","allowed_vendors":["claude"],`+
				`"allowed_vendors":["*"]}}`), 200, 0, "allowed_vendors appears twice"},
		{"arguments twice", message("tools/call",
			`{"name":"write_memory","arguments":{"title":"t","content":"c","allowed_vendors":["claude"]},`+
				`"arguments":{"title":"t","content":"c"}}`), 400, -32600, "arguments appears twice"},
		{"two tools", message("tools/call",
			`{"name":"read_memories","name":"write_memory","arguments":{"title":"t","content":"c"}}`), 400, -32600,
			"name appears twice"},
		{"a method twice", `{"jsonrpc":"2.0","id":9,"method":"ping","method":"tools/list"}`, 400, -32600,
			"method appears twice"},
		{"a deep argument", message("tools/call", `{"name":"read_memories","arguments":{"limit":`+strings.Repeat("[", 100)+
			strings.Repeat("]", 100)+`}}`), 200, 0, "nested deeper"},
		{"a fraction as id", `{"jsonrpc":"2.0","id":1.2,"method":"ping"}`, 400, -32600, `needs "jsonrpc"`},
		{"null as id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, -32600, `needs "jsonrpc"`},
		{"an id beyond the numbers", `{"jsonrpc":"2.0","id":1000000000000000000000000000000,"method":"ping"}`, 400, -32600,
			`needs "jsonrpc"`},
		{"Method", `{"jsonrpc":"2.0","id":9,"Method":"ping"}`, 400, -32600, `needs "jsonrpc"`},
		{"a secret in a prompt's arguments", message("prompts/get", `{"name":"recall","arguments":{"topic":["s3cret"]}}`), 0,
			-32602, "invalid params"},
		{"text for params", message("tools/call", `"`+strings.Repeat("s3cret", 100_000)+`"`), 0, -32602, "invalid params"},
		{"a number for a name", message("tools/call", `{"name":7}`), 0, -32602, "invalid params"},
		{"a huge method", message(strings.Repeat("m", 10_000), "{}"), 400, -32601, "unknown method"},
		{"a huge tool", message("tools/call", `{"name":"`+strings.Repeat("m", 10_000)+`"}`), 0, -32602, "unknown tool"},
		{"a level that is none", message("logging/setLevel", `{"level":"s3cret"}`), 0, -32602, "level must be one of debug"},
		{"initialize without params", `{"jsonrpc":"2.0","id":9,"method":"initialize"}`, 0, -32600, "params"},
		{"NUL in a topic", message("prompts/get", `{"name":"recall","arguments":{"topic":"a\u0000"}}`), 0, -32602,
			"topic contains a NUL"},
		{"an argument of another type", message("prompts/get", `{"name":"recall","arguments":{"topic":7}}`), 0, 0, ""},
		{"1 MiB", message("tools/call", `{"name":"write_memory","arguments":{"title":"t","content":"`+
			strings.Repeat("c", 2<<20)+`"}}`), 413, -32600, "larger than 2097152 bytes"},
	}
	for _, version := range []string{stateful, stateless} {
		for _, tt := range tests {
			t.Run(version+"/"+tt.name, func(t *testing.T) {
				r := w.raw(key, version)
				a := r.post(modern(tt.body, version), headersFor(tt.body, version))
				if a.status >= 500 || tt.status != 0 && a.status != tt.status && version == stateful {
					t.Errorf("status %d, want %d: %.300s", a.status, tt.status, a.body)
				}
				var m struct {
					ID    json.RawMessage
					Error *struct {
						Code    int
						Message string
					}
				}
				if err := json.Unmarshal([]byte(a.body), &m); err != nil || m.ID == nil {
					t.Fatalf("status %d, not a JSON-RPC message: %.300s", a.status, a.body)
				}
				if len(a.body) > 700 || strings.Contains(a.body, "s3cret") || strings.Contains(a.body, "*mcp.") {
					t.Errorf("the answer repeats the input: %d bytes", len(a.body))
				}
				if version != stateful {
					return // what is wrong may be found earlier, in the headers
				}
				if tt.code != 0 && (m.Error == nil || m.Error.Code != tt.code) {
					t.Errorf("want error %d: %.300s", tt.code, a.body)
				}
				if !strings.Contains(a.body, strings.ReplaceAll(tt.text, `"`, `\"`)) {
					t.Errorf("want %q in %.300s", tt.text, a.body)
				}
			})
		}
	}
	page, err := w.app.Memory.List(t.Context(), w.owner, memory.ListRequest{Total: true})
	if err != nil || page.Total != 0 {
		t.Errorf("%d memories were stored (%v)", page.Total, err)
	}
	if w.log.Len() != 0 {
		t.Errorf("bad requests are not the server's errors, but it logged: %.500s", w.log)
	}
}

// modern adds the metadata of the stateless version, if params is an object.
func modern(body, version string) string {
	if version != stateless {
		return body
	}
	return strings.Replace(body, `"params":{`,
		`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
			`"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},`,
		1)
}

func headersFor(body, version string) http.Header {
	if version != stateless {
		return nil
	}
	var m struct {
		Method string
		Params struct{ Name, URI string }
	}
	_ = json.Unmarshal([]byte(body), &m) // half of the bodies are not JSON
	h := http.Header{}
	if m.Method != "" {
		h.Set("Mcp-Method", m.Method)
	}
	if name := m.Params.Name + m.Params.URI; name != "" {
		h["Mcp-Name"] = []string{fmt.Sprintf("=?base64?%s?=", b64(name))}
	}
	return h
}

func TestBadHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	tests := []struct {
		name   string
		header http.Header
		status int
		text   string
	}{
		{"no session", http.Header{"Mcp-Session-Id": nil}, 400, "send initialize first"},
		{"unknown version", http.Header{"Mcp-Protocol-Version": {"1999-01-01"}}, 400, "nsupported protocol version"},
		{"a version to come", http.Header{"Mcp-Protocol-Version": {"2031-01-01"}}, 400, ""},
		{"text", http.Header{"Content-Type": {"text/plain"}}, 415, "application/json"},
		{"compressed", http.Header{"Content-Encoding": {"gzip"}}, 415, "without Content-Encoding"},
		{"wants HTML", http.Header{"Accept": {"text/html"}}, 400, "Accept"},
		{"Last-Event-ID", http.Header{"Last-Event-Id": {"x"}}, 400, "Last-Event-ID"},
		{"huge session id", http.Header{"Mcp-Session-Id": {strings.Repeat("x", 10_000)}}, 404, "connection not found"},
	}
	for _, tt := range tests {
		r := w.raw(key, stateful)
		a := r.post(list, tt.header)
		if a.status != tt.status || !strings.Contains(a.body, tt.text) || !strings.Contains(a.body, `"jsonrpc":"2.0"`) {
			t.Errorf("%s: %d %s, want %d with %q", tt.name, a.status, a.body, tt.status, tt.text)
		}
	}
	if a := w.raw(key, stateful).send(http.MethodPut, "", nil); a.status != http.StatusMethodNotAllowed ||
		a.header.Get("Allow") == "" {
		t.Errorf("PUT: %d, Allow %q", a.status, a.header.Get("Allow"))
	}
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
