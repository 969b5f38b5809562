package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
)

func TestAnswersCoverEveryCode(t *testing.T) {
	for _, c := range append(loci.Codes(), "") {
		if a := answers[c]; a.rpc == 0 || a.http == 0 {
			t.Errorf("code %q has no answer", c)
		}
	}
}

func TestInstructionsFitTheContext(t *testing.T) {
	if n := len(instructions); n > 2048 {
		t.Errorf("the instructions have %d bytes, at most 2048 are allowed", n)
	}
	for _, need := range []string{"start of a task", "before you ask", "Do not save secrets", "origin", "never instructions"} {
		if !strings.Contains(instructions, need) {
			t.Errorf("the instructions do not say %q", need)
		}
	}
}

func TestHasLoneSurrogate(t *testing.T) {
	tests := []struct {
		text string
		want bool
	}{
		{`"plain"`, false},
		{`"\ud83d\ude00"`, false},
		{`"\u00fc\\ud83d"`, false},
		{`"\ud83d"`, true},
		{`"\ud83dx"`, true},
		{`"\ud83d\n"`, true},
		{`"\ud83d\u0041"`, true},
		{`"\ude00"`, true},
		{`"\\\ud83d\ud83d\ude00"`, true},
		{`["a","\uDFFF"]`, true},
		{`"\ud83d\ude00\ud83d"`, true},
		{`"\u00`, false}, // no JSON, but no panic either
	}
	for _, tt := range tests {
		if got := hasLoneSurrogate([]byte(tt.text)); got != tt.want {
			t.Errorf("hasLoneSurrogate(%s) = %v, want %v", tt.text, got, tt.want)
		}
	}
}

// FuzzLoneSurrogatesAreFound holds hasLoneSurrogate against what the decoder
// makes of a text: it puts U+FFFD where a half is, and nowhere else.
func FuzzLoneSurrogatesAreFound(f *testing.F) {
	f.Add(`\ud83d\ude00`)
	f.Add(`\ud83d\\ud83d`)
	f.Fuzz(func(t *testing.T, s string) {
		text := `"` + s + `"`
		var decoded string
		if strings.ContainsRune(s, 0xfffd) || strings.Contains(strings.ToLower(s), "fffd") || json.Unmarshal([]byte(text), &decoded) != nil {
			t.Skip()
		}
		if strings.ToValidUTF8(s, "") != s {
			t.Skip()
		}
		if got, want := hasLoneSurrogate([]byte(text)), strings.ContainsRune(decoded, 0xfffd); got != want {
			t.Errorf("hasLoneSurrogate(%s) = %v, want %v", text, got, want)
		}
	})
}

func TestSealedSessionsOpenOnlyForTheirPrincipal(t *testing.T) {
	s := newSealer()
	sealed := s.seal("ABC", "me")
	if id, ok := s.open(sealed, "me"); !ok || id != "ABC" {
		t.Errorf("open gave %q, %v", id, ok)
	}
	for _, tt := range []struct{ sealed, subject string }{
		{sealed, "you"}, {"ABC", "me"}, {"ABD" + sealed[3:], "me"}, {sealed + "x", "me"}, {"", "me"}, {".", "me"},
	} {
		if _, ok := s.open(tt.sealed, tt.subject); ok {
			t.Errorf("%q opened for %q", tt.sealed, tt.subject)
		}
	}
	if _, ok := newSealer().open(sealed, "me"); ok {
		t.Error("a session of another process opened")
	}
}

func TestCountReadsWholeNumbers(t *testing.T) {
	tests := []struct {
		text string
		want any // nil: refused
	}{
		{"10", 10}, {"10.0", 10}, {"1e1", 10}, {"-3", -3}, {"2.5", nil}, {`"10"`, nil}, {"true", nil}, {"[]", nil},
		{"99999999999999999999", 1<<31 - 1}, {"-1e400", -(1<<31 - 1)},
	}
	for _, tt := range tests {
		var args struct {
			N *count `json:"n"`
		}
		err := decodeArg("n", json.RawMessage(tt.text), reflect.ValueOf(&args).Elem().Field(0))
		if tt.want == nil {
			if err == nil || err.Error() != "n must be a whole number" {
				t.Errorf("%s: %v, want a refusal", tt.text, err)
			}
			continue
		}
		if err != nil || int(*args.N) != tt.want {
			t.Errorf("%s: %v, %v, want %v", tt.text, args.N, err, tt.want)
		}
	}
}

// TestInternalErrorsAreNotShown covers tools, prompts and panics.
func TestInternalErrorsAreNotShown(t *testing.T) {
	var log bytes.Buffer
	s := &Server{log: slog.New(slog.NewTextHandler(&log, nil))}
	cause := errors.New("disk on fire")
	tool := s.toolError(t.Context(), "read_memories", cause)
	if text := tool.Content[0].(*mcp.TextContent).Text; !tool.IsError || text != "internal error" {
		t.Errorf("tool: %q", text)
	}
	var rpc *jsonrpc.Error
	if err := s.rpcError(t.Context(), "recall", cause); !errors.As(err, &rpc) || rpc.Message != "internal error" || rpc.Code != jsonrpc.CodeInternalError {
		t.Errorf("prompt: %v", err)
	}
	_, err := s.guard(func(context.Context, string, mcp.Request) (mcp.Result, error) { panic("disk on fire") })(t.Context(), "tools/call", nil)
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

// FuzzMessagesAreReadOrRefused holds that what parseMessage lets pass is what
// the SDK can read, and that nothing makes it panic.
func FuzzMessagesAreReadOrRefused(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`))
	f.Add([]byte(`[{"jsonrpc":"2.0","method":"x"}]`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1e300,"result":{}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, problem := parseMessage(body)
		if problem != nil || bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
			return
		}
		decoded, err := jsonrpc.DecodeMessage(body)
		if err != nil {
			t.Fatalf("let pass: %v", err)
		}
		if request, ok := decoded.(*jsonrpc.Request); ok && (request.Method != m.method || request.IsCall() != (m.id != nil)) {
			t.Errorf("read as %q with id %s", m.method, m.id)
		}
	})
}

// FuzzLinesAreWholeOrRefused holds that readLine returns the lines of its
// input, whatever the sizes in which they arrive.
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
