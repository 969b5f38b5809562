package loci_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/loci-memory/loci"
)

// TestTimesSortAsText requires one width for all times, so that programs can compare them as text.
func TestTimesSortAsText(t *testing.T) {
	at := time.Date(2026, 11, 20, 16, 0, 5, 0, time.UTC)
	var texts []string
	for _, micros := range []int{0, 1, 149_124, 181_100, 200_000, 999_999} {
		m := loci.Memory{CreatedAt: at.Add(time.Duration(micros) * time.Microsecond).In(time.FixedZone("west", -8*3600))}
		b, err := loci.EncodeJSON(map[string]any{"in": []*loci.Memory{&m}})
		if err != nil {
			t.Fatal(err)
		}
		var back struct{ In []loci.Memory }
		if err := json.Unmarshal(b, &back); err != nil || !back.In[0].CreatedAt.Equal(m.CreatedAt) {
			t.Errorf("%s: got %v, %v; want %v", b, back.In, err, m.CreatedAt)
		}
		_, rest, _ := strings.Cut(string(b), `"created_at":"`)
		text, _, _ := strings.Cut(rest, `"`)
		texts = append(texts, text)
	}
	if len(texts[0]) != len("2026-11-20T16:00:05.000000Z") || !slices.IsSorted(texts) {
		t.Errorf("got %q, want them sorted and with 27 characters each", texts)
	}
}

// TestEncodeJSON requires the bytes of encoding/json, except for times and escapes for browsers.
func TestEncodeJSON(t *testing.T) {
	v := struct {
		A []string          `json:"a"`
		B map[string]any    `json:"b,omitempty"`
		C loci.MemoryID     `json:"c,omitzero"`
		D json.RawMessage   `json:"d"`
		E float64           `json:"e"`
		F string            `json:"f"`
		G map[string]string `json:"g"`
	}{D: json.RawMessage(`{"z":1,"a":[]}`), E: 1e21, F: "\u2028 日本", G: map[string]string{"b": "1", "a": "2"}}
	want, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	got, err := loci.EncodeJSON(v)
	if err != nil || string(got) != string(want) {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	if got, _ := loci.EncodeJSON("<&>"); string(got) != `"<&>"` {
		t.Errorf("got %s, want no escapes for browsers", got)
	}
}

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
	f.Add([]byte(`[1e999]`)) // a number that no float64 has is still JSON
	f.Fuzz(func(t *testing.T, b []byte) {
		if loci.CheckJSON(b) != nil || !json.Valid(b) {
			return
		}
		var v any
		in := json.NewDecoder(bytes.NewReader(b))
		in.UseNumber()
		if err := in.Decode(&v); err != nil {
			t.Fatal(err)
		}
		if s, ok := v.(string); ok && strings.ContainsRune(s, utf8.RuneError) && !strings.Contains(string(b), "\ufffd") &&
			!strings.Contains(strings.ToLower(string(b)), `\ufffd`) {
			t.Errorf("%q was changed to %q", b, s)
		}
	})
}
