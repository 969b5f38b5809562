package loci_test

import (
	"testing"

	"github.com/loci-memory/loci"
)

// The cases of RFC 7396, appendix A, whose documents and patches are objects, and those about empty ones.
func TestMergeObject(t *testing.T) {
	for _, tt := range []struct{ object, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, ``},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{``, `{"z":"<é>","a":1.50}`, `{"a":1.50,"z":"<é>"}`},
		{`{"a":1}`, ``, `{"a":1}`},
		{`{"a":12345678901234567890}`, `{}`, `{"a":12345678901234567890}`},
		{`{"a":1}`, `{"a":null,"b":null}`, ``},
	} {
		got, err := loci.MergeObject([]byte(tt.object), []byte(tt.patch))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s merged with %s: got %s, %v; want %s", tt.object, tt.patch, got, err, tt.want)
		}
	}
}
