package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
)

func TestAnswersCoverEveryCode(t *testing.T) {
	t.Parallel()
	for _, c := range append(loci.Codes(), "") {
		if a := answers[c]; a.rpc == 0 || a.http == 0 {
			t.Errorf("code %q has no answer", c)
		}
	}
}

// maxInstructions is where clients cut off instructions.
const maxInstructions = 2048

func TestInstructionsFitTheContext(t *testing.T) {
	t.Parallel()
	memory := []string{"start of a task", "before you ask", "write_memory", "allowed_vendors"}
	graph := []string{"switch_project", "pass project with each call", "search_nodes before create_entities"}
	notes := []string{"your raw notes to reflect"}
	always := []string{"Do not save secrets", "origin", "never instructions"}
	for _, list := range []string{"memory", "graph", "graph-extra", "memory,graph",
		"memory,graph,graph-extra,reflect,session", "reflect", "search",
		"memory,graph,graph-extra,reflect,session,search"} {
		names, err := ParseToolsets(list)
		if err != nil {
			t.Fatal(err)
		}
		o := offerOf(names)
		text := o.instructions()
		if len(text) > maxInstructions {
			t.Errorf("%s: the instructions have %d bytes, at most %d are allowed", list, len(text), maxInstructions)
		}
		check := func(needed []string, want bool) {
			for _, need := range needed {
				if strings.Contains(text, need) != want {
					t.Errorf("%s: that the instructions say %q is %v", list, need, !want)
				}
			}
		}
		check(always, true)
		check(memory, o.has(toolsetMemory))
		check(graph, o.graphs())
		check(notes, o.has(toolsetReflect))
		if strings.Contains(text, "%s") {
			t.Errorf("%s: a gap is open: %s", list, text)
		}
	}
}

func TestToolsetsAreReadInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, tt := range [][2]string{
		{"memory", "memory"}, {"graph,memory", "memory graph"}, {" graph , graph ,memory,", "memory graph"},
		{"session,reflect,graph-extra", "graph-extra reflect session"},
	} {
		if got, err := ParseToolsets(tt[0]); err != nil || strings.Join(got, " ") != tt[1] {
			t.Errorf("%q: %v, %v; want %s", tt[0], got, err, tt[1])
		}
	}
	for _, list := range []string{"", ",", "memory,graphs", "Memory", "memory graph", strings.Repeat("x", 1<<20)} {
		_, err := ParseToolsets(list)
		if loci.CodeOf(err) != loci.Invalid ||
			!strings.Contains(err.Error(), "memory, memory-extra, graph, graph-extra, reflect, session, tasks, review") ||
			len(err.Error()) > 200 {
			t.Errorf("%.20q: %v, want an error that names those that there are", list, err)
		}
	}
}

func TestTidyErrors(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("s3cret ", 1000)
	tests := []struct {
		name string
		in   jsonrpc.Error
		code int64
		text string
	}{
		{"plain", jsonrpc.Error{Code: -32602, Message: "unknown tool"}, -32602, "unknown tool"},
		{"no code", jsonrpc.Error{Message: "missing required \"params\""}, -32600, "missing required \"params\""},
		{"Go's types", jsonrpc.Error{Code: -32602, Message: `unmarshaling "s3cret" into a *mcp.GetPromptParams: json`},
			-32602, "invalid params: this method takes params of another form"},
		{"a method", jsonrpc.Error{Message: unknownMethod + `"a/b" unsupported`}, -32601, `unknown method "a/b"`},
	}
	for _, tt := range tests {
		if got := tidy(&tt.in); got.Code != tt.code || got.Message != tt.text {
			t.Errorf("%s: got %d %q", tt.name, got.Code, got.Message)
		}
	}
	got := tidy(&jsonrpc.Error{Code: -32001, Message: "header mismatch " + long, Data: json.RawMessage(`"` + long + `"`)})
	if len(got.Message) > 110 || got.Data != nil || !strings.HasPrefix(got.Message, "header mismatch") {
		t.Errorf("a long text: got %d bytes, %d of data", len(got.Message), len(got.Data))
	}
}

// TestParseKeepsIDs compares accepted ids with what the SDK reads: an answer must
// have the id that the client sent.
func TestParseKeepsIDs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		id   string
		want bool
	}{
		{"0", true}, {"-1", true}, {"1.0", true}, {"1e2", true}, {"9007199254740992", true}, {"-9007199254740992", true},
		{`""`, true}, {`"é\n"`, true},
		{"1.2", false}, {"-0.5", false}, {"9007199254740993", false},
		{"9007199254740993.0", false}, {"-9007199254740993", false}, {"9007199254740994", false}, {"1e300", false},
		{"1e999", false}, {"null", false},
		{"true", false}, {"[1]", false}, {"{}", false},
	}
	for _, tt := range tests {
		body := []byte(`{"jsonrpc":"2.0","id":` + tt.id + `,"method":"ping"}`)
		m, problem := parseMessage(body)
		if (problem == nil) != tt.want {
			t.Errorf("%s: got %v, want taken = %v", tt.id, problem, tt.want)
			continue
		}
		if !tt.want {
			if number := tt.id[0] == '-' || tt.id[0] <= '9' && tt.id[0] >= '0'; problem.Code != jsonrpc.CodeInvalidRequest ||
				number != (string(m.id) == tt.id) {
				t.Errorf("%s: answered to %s with %v", tt.id, m.id, problem)
			}
			continue
		}
		decoded, err := jsonrpc.DecodeMessage(body)
		if err != nil {
			t.Fatal(err)
		}
		var sent any
		if err := json.Unmarshal([]byte(tt.id), &sent); err != nil {
			t.Fatal(err)
		}
		if n, ok := decoded.(*jsonrpc.Request).ID.Raw().(int64); ok && float64(n) != sent ||
			!ok && decoded.(*jsonrpc.Request).ID.Raw() != sent {
			t.Errorf("%s: the SDK reads %v", tt.id, decoded.(*jsonrpc.Request).ID.Raw())
		}
	}
}

// TestConnectionTable opens, uses and ends connections, with a clock.
func TestConnectionTable(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	table := newConnectionTable(2, 3, time.Hour)
	table.now = func() time.Time { now = now.Add(time.Second); return now }
	open := func(name, id, wantEvicted string, wantCode loci.Code) {
		t.Helper()
		evicted, err := table.reserve(name)
		var got []string
		for _, one := range evicted {
			got = append(got, one.subject+" "+one.sdk)
		}
		slices.Sort(got)
		if strings.Join(got, ", ") != wantEvicted || loci.CodeOf(err) != wantCode {
			t.Errorf("%s opens %s: evicted %q, %v; want %q, %q", name, id, got, err, wantEvicted, wantCode)
		}
		if err == nil {
			table.add(name, id, "sdk-"+id)
		}
	}
	open("a", "a1", "", "")
	open("a", "a2", "", "")
	table.done("a", "a2") // and so a2 is the oldest idle one
	open("a", "a3", "a sdk-a2", "")
	open("a", "a4", "", loci.RateLimited)
	open("b", "b1", "", "")
	table.done("b", "b1")
	open("c", "c1", "", loci.Unavailable)
	open("b", "b2", "b sdk-b1", "") // the server is full, but b has one to give
	table.done("b", "b2")
	if sdk, ok := table.take("a", "a1"); sdk != "sdk-a1" || !ok {
		t.Errorf("taken: %q, %v", sdk, ok)
	}
	open("c", "c1", "", "")
	table.done("c", "c1")
	now = now.Add(2 * time.Hour)
	if sdk, ok := table.begin("c", "c1"); sdk != "sdk-c1" || !ok {
		t.Errorf("begun: %q, %v", sdk, ok)
	}
	table.done("c", "c1")
	open("d", "d1", "b sdk-b2", "") // c1 has just been used, and a3 is busy
	table.take("a", "a3")
	if _, err := table.reserve("d"); err != nil {
		t.Error(err)
	}
	table.cancel("d")
	table.take("c", "c1")
	table.take("d", "d1")
	table.done("d", "never")
	if _, ok := table.begin("d", "d1"); ok || table.total != 0 || len(table.subjects) != 0 {
		t.Errorf("%d connections are left: %v", table.total, table.subjects)
	}
}

func TestWholeNumbers(t *testing.T) {
	t.Parallel()
	const noNumber, outside = "n must be a whole number", "n must be from -3 to 1000"
	tests := []struct {
		text string
		want int
		err  string
	}{
		{"10", 10, ""}, {"10.0", 10, ""}, {"1e1", 10, ""}, {"-3", -3, ""}, {"2.5", 7, noNumber}, {`"10"`, 10, ""},
		{`" 10 "`, 10, ""}, {`"ten"`, 7, noNumber}, {`""`, 7, noNumber},
		{"true", 7, noNumber}, {"[]", 7, noNumber},
		{"null", 7, noNumber}, {"99999999999999999999", 7, outside}, {"-4", 7, outside}, {"1e400", 7, noNumber},
	}
	for _, tt := range tests {
		var n int
		err := whole("n", &n, -3, 1000, 7).read("n", json.RawMessage(tt.text))
		if n != tt.want || loci.SafeText(err) != tt.err && (err != nil || tt.err != "") {
			t.Errorf("%s: %d, %v; want %d, %q", tt.text, n, err, tt.want, tt.err)
		}
	}
}

// TestOtherSpellings sends values as some clients and models write them.
func TestOtherSpellings(t *testing.T) {
	t.Parallel()
	var in struct {
		tags, texts []string
		vendors     []loci.Vendor
		origin      string
		pinned      bool
		at          time.Time
		sources     []loci.Source
	}
	fields := []field{tags(&in.tags, 1), texts("texts", &in.texts, 100), vendors("vendors", &in.vendors),
		origin(&in.origin),
		flag("pinned", &in.pinned), moment("at", &in.at), items("sources", &in.sources, 5, sourceFields)}
	fields[len(fields)-1].required = false
	for _, tt := range []struct {
		args string
		want any
		got  any
		err  string
	}{
		{`{"tags":"a, b,c"}`, []string{"a", "b", "c"}, &in.tags, ""},
		{`{"tags":"[\"a,b\"]"}`, []string{"a,b"}, &in.tags, ""},
		{`{"tags":["a,b"]}`, []string{"a,b"}, &in.tags, ""},
		{`{"tags":["a"],"texts":"one, two"}`, []string{"one, two"}, &in.texts, ""},
		{`{"tags":["a"],"texts":"[1] is a note"}`, []string{"[1] is a note"}, &in.texts, ""},
		{`{"tags":["a"],"vendors":"Claude,CURSOR"}`, []loci.Vendor{"claude", "cursor"}, &in.vendors, ""},
		{`{"tags":["a"],"vendors":[" ChatGPT"]}`, []loci.Vendor{"chatgpt"}, &in.vendors, ""},
		{`{"tags":["a"],"vendors":null}`, []loci.Vendor(nil), &in.vendors, ""},
		{`{"tags":["a"],"origin":"Cursor"}`, "cursor", &in.origin, ""},
		{`{"tags":["a"],"pinned":"true"}`, true, &in.pinned, ""},
		{`{"tags":["a"],"at":"2026-11-01"}`, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), &in.at, ""},
		{`{"tags":["a"],"at":null,"pinned":null}`, time.Time{}, &in.at, ""},
		{`{"tags":["a"],"sources":"[{\"kind\":\"text\",\"text\":\"x\",\"quote\":null}]"}`,
			[]loci.Source{{Kind: loci.SourceText, Text: "x"}}, &in.sources, ""},
		{`{"tags":null}`, nil, nil, "tags is missing; it must be an array of strings"},
		{`{"tags":""}`, nil, nil, "tags[0] must not be empty"},
		{`{"tags":5}`, []string{"5"}, &in.tags, ""},
		{`{"tags":{}}`, nil, nil, "tags must be an array of strings"},
		{`{"tags":["a"],"pinned":"maybe"}`, nil, nil, "pinned must be true or false"},
		{`{"tags":["a"],"at":"2026-13-01"}`, nil, nil,
			"at must be a date or a time like 2026-11-20T16:00:00Z (RFC 3339)"},
		{`{"tags":["a"],"sources":"[{\"kind\":\"text\",\"kind\":\"url\"}]"}`, nil, nil,
			"sources must be an array of objects"},
	} {
		in.tags, in.texts, in.vendors, in.origin, in.pinned, in.at, in.sources = nil, nil, nil, "", false, time.Time{}, nil
		err := decodeArgs(json.RawMessage(tt.args), fields)
		if loci.SafeText(err) != tt.err && (err != nil || tt.err != "") {
			t.Errorf("%s: %v; want %q", tt.args, err, tt.err)
		}
		if tt.got != nil && !reflect.DeepEqual(reflect.ValueOf(tt.got).Elem().Interface(), tt.want) {
			t.Errorf("%s: %v; want %v", tt.args, reflect.ValueOf(tt.got).Elem(), tt.want)
		}
	}
}

// TestInternalErrorsAreNotShown covers tools, prompts and panics.
func TestInternalErrorsAreNotShown(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := &Server{options: Options{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	cause := errors.New("disk on fire")
	tool := s.toolError(t.Context(), "read_memories", cause)
	if text := tool.Content[0].(*mcp.TextContent).Text; !tool.IsError || text != "internal error" {
		t.Errorf("tool: %q", text)
	}
	var rpc *jsonrpc.Error
	if err := s.rpcError(t.Context(), "recall", cause); !errors.As(err, &rpc) || rpc.Message != "internal error" ||
		rpc.Code != jsonrpc.CodeInternalError {
		t.Errorf("prompt: %v", err)
	}
	_, err := s.guard(func(context.Context, string, mcp.Request) (mcp.Result, error) { panic("disk on fire") })(
		t.Context(), "tools/call", &mcp.CallToolRequest{})
	if !errors.As(err, &rpc) || rpc.Message != "internal error" {
		t.Errorf("panic: %v", err)
	}
	if n := strings.Count(log.String(), "disk on fire"); n != 3 {
		t.Errorf("3 causes were logged %d times: %s", n, &log)
	}
	log.Reset()
	if s.toolError(t.Context(), "read_memories", context.Canceled); log.Len() != 0 {
		t.Errorf("a client that went away was logged: %s", &log)
	}
}

// FuzzMessagesAreReadOrRefused checks that the SDK can read what parseMessage
// accepts, and that nothing makes it panic.
func FuzzMessagesAreReadOrRefused(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping",` +
		`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`))
	f.Add([]byte(`[{"jsonrpc":"2.0","method":"x"}]`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1e300,"result":{}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, problem := parseMessage(body)
		if problem != nil || bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
			return
		}
		decoded, err := jsonrpc.DecodeMessage(body)
		if err != nil && m.method == "" {
			return // the SDK refuses malformed answers
		}
		if err != nil {
			t.Fatalf("let pass: %v", err)
		}
		if request, ok := decoded.(*jsonrpc.Request); ok &&
			(request.Method != m.method || request.IsCall() != (m.id != nil)) {
			t.Errorf("read as %q with id %s", m.method, m.id)
		}
	})
}

// FuzzLinesAreWholeOrRefused checks that readLine returns the lines of its input,
// in whatever pieces they arrive.
func FuzzLinesAreWholeOrRefused(f *testing.F) {
	f.Add([]byte("a\nb"))
	f.Add([]byte("\n\nlonger than the smallest buffer of bufio\n"))
	f.Fuzz(func(t *testing.T, input []byte) {
		in := bufio.NewReaderSize(iotest.OneByteReader(bytes.NewReader(input)), 16)
		var got []byte
		for {
			line, err := readLine(in)
			got = append(got, line...)
			if i := bytes.IndexByte(line, '\n'); i >= 0 && i != len(line)-1 {
				t.Fatalf("two lines in one: %q", line)
			}
			if err != nil {
				break
			}
		}
		if !bytes.Equal(got, input) {
			t.Errorf("got %q of %q", got, input)
		}
	})
}

// TestSavesAnswerBriefly keeps the answer of a plain save below 40 tokens of at least two bytes: the model has just
// written the rest.
func TestSavesAnswerBriefly(t *testing.T) {
	t.Parallel()
	saved := &loci.Saved{Memory: loci.Memory{ID: loci.NewMemoryID(), Title: strings.Repeat("t", 500)}}
	for version, want := range map[int]string{1: "created", 7: "updated"} {
		saved.Version, saved.ReplacedVersion = version, version-1
		b, err := json.Marshal(writtenOf(saved, false))
		if err != nil || len(b) > 80 || !strings.Contains(string(b), `"result":"`+want+`"`) {
			t.Errorf("%d bytes, %v: %s", len(b), err, b)
		}
	}
	saved.Unchanged, saved.ReplacedVersion = true, 0
	if got := writtenOf(saved, false); got.Result != "unchanged" {
		t.Errorf("%+v", got)
	}
}

// TestStdioDropsAnswersToCancelledCalls cancels one of two calls.
func TestStdioDropsAnswersToCancelledCalls(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := newLines(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"+
		`{"jsonrpc":"2.0","id":"two","method":"ping"}`+"\n"+
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"two"}}`+"\n"+
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`+"\n"), &out,
		func(context.Context) (loci.Principal, error) { return loci.Principal{Vendor: "claude"}, nil })
	defer l.Close()
	var ids []jsonrpc.ID
	for range 4 {
		m, err := l.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r := m.(*jsonrpc.Request); r.IsCall() {
			ids = append(ids, r.ID)
		}
	}
	for _, id := range slices.Backward(ids) {
		if err := l.Write(t.Context(), &jsonrpc.Response{ID: id, Result: json.RawMessage(`{}`)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := out.String(); got != `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n" || len(l.inFlight) != 0 {
		t.Errorf("wrote %q, and %d calls are running", got, len(l.inFlight))
	}
}
