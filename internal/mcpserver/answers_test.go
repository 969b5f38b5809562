package mcpserver

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

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
