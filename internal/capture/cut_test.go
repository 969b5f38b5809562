package capture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestCutObject(t *testing.T) {
	keep := func(name string) int { return map[string]int{"long": 10}[name] + 2 }
	long := strings.Repeat("x", 100_000)
	for _, tt := range []struct{ in, want string }{
		{`{}`, `{}`},
		{"\ufeff { } trailing", `{}`},
		{`{"n":1}`, `{"n":1}`},
		{`{"n": -1 , "t": 1}`, `{"n":-1,"t":1}`},
		{`{"long":"` + long + `","n":[]}`, `{"long":"xxxxxxxxxxx","n":[]}`},
		{`{"long":{"a":"}\"` + long + `"},"n":2}`, `{"long":"{\"a\":\"}\\\"xxx","n":2}`},
		{`{"long":"xxxxxxxxx\n` + long + `"}`, `{"long":"xxxxxxxxx\n"}`},
		{`{"long":"xxxxxxxxxx\n` + long + `"}`, `{"long":"xxxxxxxxxx"}`},
		{`{"long":"xxxxxxxx\ud83d\ude00` + long + `"}`, `{"long":"xxxxxxxx"}`},
		{`{"a\"b":[[1],{"x":[]}]}`, `{"a\"b":"[["}`},
		{`{"long":true,"n":{}}`, `{"long":true,"n":{}}`},
		{"", ""}, {"hello", ""}, {`[1]`, ""}, {`{"a"`, ""}, {`{"a":`, ""}, {`{"a":"x`, ""}, {`{"a":1`, ""}, {`{1:2}`, ""},
	} {
		for name, in := range map[string]io.Reader{"at once": strings.NewReader(tt.in),
			"byte by byte": iotest.OneByteReader(strings.NewReader(tt.in))} {
			got, err := cutObject(in, keep)
			if (err != nil) != (tt.want == "") || err == nil && string(got) != tt.want {
				t.Errorf("%s: %.40s: got %s, %v; want %s", name, tt.in, got, err, tt.want)
			}
		}
	}
}

// TestReadKeepsTheBeginning reads what follows a long result, and never has all of it in memory.
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

// FuzzCutObject gives the same object as the standard decoder if nothing is too long.
func FuzzCutObject(f *testing.F) {
	f.Add(`{"a":[1,{"b":"\"}"}],"c":null}`)
	f.Fuzz(func(t *testing.T, in string) {
		var want map[string]any
		if json.Unmarshal([]byte(in), &want) != nil || want == nil {
			return
		}
		out, err := cutObject(strings.NewReader(in), func(string) int { return 1 << 20 })
		var got map[string]any
		if err != nil || json.Unmarshal(out, &got) != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: got %s, %v", in, out, err)
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
