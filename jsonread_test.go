package loci_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/loci-memory/loci"
)

func TestJSONReader(t *testing.T) {
	for text, want := range map[string]string{
		`{"content":"x","importance":7.0,"tags":["a"],"metadata":{"b":[1.50]}}`: "",
		`{"content":"x","Tags":["a"]}`:                                          "Tags is an unknown field",
		`{"content":"x","origin":"me"}`:                                         "origin is an unknown field",
		`{"content":"x","content":"y"}`:                                         "the member content appears twice",
		`{"content":"x","metadata":{"a":1,"a":2}}`:                              "the member a appears twice",
		`{"content":1}`:            "content has a value of the wrong form",
		`{"importance":7.5}`:       "importance has a value of the wrong form",
		`{"importance":"7"}`:       "importance has a value of the wrong form",
		`{"tags":["a",1]}`:         "tags[1] has a value of the wrong form",
		`{"time":"yesterday"}`:     "time has a value of the wrong form",
		`{"parent_id":"x"}`:        "parent_id has a value of the wrong form",
		`{"allowed_vendors":null}`: "allowed_vendors has a value of the wrong form",
		`{"content":"\ud800"}`:     "this is not valid JSON in UTF-8 at byte 12",
		"{\"content\":\"\xff\"}":   "this is not valid JSON in UTF-8 at byte 12",
		`{"content":"x"`:           "the JSON ends early",
		`{"content":"x"} 1`:        "something follows",
		`nonsense`:                 "this is not valid JSON",
		`[1]`:                      "this must be a JSON object",
		``:                         "the body is missing",
	} {
		r := loci.NewJSONReader(strings.NewReader(text))
		var e loci.NewEvent
		err := r.Read(&e)
		if err == nil {
			err = r.End()
		}
		if want == "" && err != nil || want != "" && (loci.CodeOf(err) != loci.Invalid ||
			!strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
		if want == "" && (string(e.Metadata) != `{"b":[1.50]}` || e.Importance != 7) {
			t.Errorf("%s: got %+v", text, e)
		}
	}
	broken := errors.New("broken")
	r := loci.NewJSONReader(io.MultiReader(strings.NewReader(`{"content":"`), iotest.ErrReader(broken)))
	if err := r.Read(&loci.NewEvent{}); !errors.Is(err, broken) {
		t.Errorf("a broken source: %v", err)
	}
}
