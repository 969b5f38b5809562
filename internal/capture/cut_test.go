package capture

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// cutTo cuts a text that comes in pieces.
func cutTo(t *testing.T, in string, most int) string {
	t.Helper()
	out, err := shortened(iotest.OneByteReader(strings.NewReader(in)), most)
	whole, errWhole := shortened(strings.NewReader(in), most)
	if err != nil || errWhole != nil || !bytes.Equal(out, whole) {
		t.Errorf("%.40q: in pieces %q, %v; in one %q, %v", in, out, err, whole, errWhole)
	}
	return string(out)
}

func TestShortened(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, tt := range []struct{ in, want string }{
		{`{}`, `{}`},
		{`{"n": -1 , "t": 1}`, `{"n": -1 , "t": 1}`},
		{`{"long":"` + long + `","n":[]}`, `{"long":"xxxxxxxxxxx","n":[]}`},
		{`{"a":1,"long": {"a":"}\"` + long + `"},"n":{"y":"` + long + `"}}`,
			`{"a":1,"long":"{\"a\":\"}\\\"xx","n":"{\"y\":\"xxxxxx"}`},
		{`{"long":"xxxxxxxxx\n` + long + `"}`, `{"long":"xxxxxxxxx\n"}`},
		{`{"long":"xxxxxxxxxx\n` + long + `"}`, `{"long":"xxxxxxxxxx"}`},
		{`{"long":"xxxxxxxx\ud83d\ude00` + long + `"}`, `{"long":"xxxxxxxx"}`},
		{`{"long":[[` + long + `],{"x":[]}]}`, `{"long":"[[xxxxxxxxxx"}`},
		{`{"a\":b":true,"n":{}}`, `{"a\":b":true,"n":{}}`},
		{"", ""}, {"hello", "hello"}, {`{"a"`, `{"a"`}, {`{"a":"x`, `{"a":"x`}, {`}}]]`, `}}]]`}, {`"\`, `"\`},
	} {
		if got := cutTo(t, tt.in, 12); got != tt.want {
			t.Errorf("%.40s: got %.200s; want %s", tt.in, got, tt.want)
		}
	}
}

// TestReadKeepsTheBeginning reads what follows a long result.
func TestReadKeepsTheBeginning(t *testing.T) {
	call, ok := Read(io.MultiReader(strings.NewReader(`{"session_id":"a","hook_event_name":"PostToolUse","tool_name":`+
		`"Bash","tool_response":{"stdout":"`), io.LimitReader(letters{}, 20<<20), strings.NewReader(`"},"tool_use_id":"u"}`)))
	if !ok || call.ToolUse != "u" || len(call.Result) > 13*maxToolResult {
		t.Fatalf("got %v, %d bytes", ok, len(call.Result))
	}
	e, ok := call.event("own")
	if !ok || e.DedupKey != "u" || !strings.HasPrefix(e.Content, "Bash\n\n{\"stdout\":\"xxx") || len(e.Content) > 17_000 {
		t.Errorf("got %v, %q, %d bytes", ok, e.DedupKey, len(e.Content))
	}
}

// letters never ends.
type letters struct{}

func (letters) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte{'x'}, len(p))), nil }

// FuzzShortened leaves an object as it is if nothing is too long, and always valid.
func FuzzShortened(f *testing.F) {
	f.Add(`{"a":[1,{"b":"\"}"}],"c":null,"long":"0123456789012345678901234567890"}`)
	f.Fuzz(func(t *testing.T, in string) {
		if got := cutTo(t, in, 1<<20); got != in {
			t.Errorf("%q: got %q", in, got)
		}
		var object map[string]any
		if json.Unmarshal([]byte(in), &object) != nil || object == nil {
			return
		}
		n := len(object)
		if out := cutTo(t, in, 20); json.Unmarshal([]byte(out), &object) != nil || len(object) != n {
			t.Errorf("%q: got %q", in, out)
		}
	})
}

func BenchmarkRead20MB(b *testing.B) {
	in := []byte(`{"session_id":"a","hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":{"stdout":"` +
		strings.Repeat(`line\n`, 4<<20) + `"},"tool_use_id":"u"}`)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, ok := Read(bytes.NewReader(in)); !ok {
			b.Fatal("not understood")
		}
	}
}
