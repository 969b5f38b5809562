package loci_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loci-memory/loci"
)

func TestCheckJSON(t *testing.T) {
	deep := strings.Repeat("[", 64) + strings.Repeat("]", 64)
	for _, good := range []string{``, `{}`, `null`, `{"a":{"a":1},"b":[{"a":2},{"a":3}]}`, `["a","a"]`,
		`{"a":"a","b":"a"}`,
		`{"a":"\"a\":{[,","b":1}`, `"\ud83d\ude00 \\ud800"`, deep, `{"a":1}{"a":2}`, `}`, `{"a`, `,:`, `"\ud800`} {
		if err := loci.CheckJSON([]byte(good)); err != nil {
			t.Errorf("%.60s: %v", good, err)
		}
	}
	for bad, want := range map[string]string{
		"\"\xff\"":                        "UTF-8",
		`{"a":1,"a":2}`:                   "a appears twice",
		`{"a":1,"\u0061":2}`:              "a appears twice",
		`[{"x":{"b":1,"c":[1,2],"b":2}}]`: "b appears twice",
		`"\ud800"`:                        "surrogate",
		`"\udc00\ud800"`:                  "surrogate",
		`{"a":"\ud800\u0041"}`:            "surrogate",
		"[" + deep + "]":                  "64 levels",
		strings.Repeat(`{"a":`, 1<<20):    "64 levels",
		`{"` + strings.Repeat("n", 99) + `":1,"` + strings.Repeat("n", 99) + `":2}`: "twice",
	} {
		err := loci.CheckJSON([]byte(bad))
		if loci.CodeOf(err) != loci.Invalid || !strings.Contains(err.Error(), want) || len(err.Error()) > 150 {
			t.Errorf("%.60s: got %v, want %q", bad, err, want)
		}
	}
}

func FuzzCheckJSONFindsWhatDecodersChange(f *testing.F) {
	f.Add([]byte(`{"a":["\ud83d\ude00",{"b":null}],"c":"\\"}`))
	f.Add([]byte(`{"a":1,"a":2}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if loci.CheckJSON(b) != nil || !json.Valid(b) {
			return
		}
		var v any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		if s, ok := v.(string); ok && strings.ContainsRune(s, utf8.RuneError) && !strings.Contains(string(b), "\ufffd") &&
			!strings.Contains(strings.ToLower(string(b)), `\ufffd`) {
			t.Errorf("%q was changed to %q", b, s)
		}
	})
}
