package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/review"
)

// TestReflectAsksTheConfiguredModel runs the command with a model, with one that is gone, and with egress off.
func TestReflectAsksTheConfiguredModel(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	var asked, connections atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		text := `{"candidates":[{"kind":"claim","quote":"The lanterns look lovely","confidence":1},` +
			`{"kind":"claim","quote":"We moved to Paris.","confidence":1}]}`
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{
			"content": text}}}})
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	first := &program{in: strings.NewReader(""), out: io.Discard, err: io.Discard}
	if code := first.execute(t.Context(), []string{"add", "x", "--data-dir", dir}); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	run := func(environ ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		notes := strings.NewReader("We decided to deploy on Tuesdays. The lanterns look lovely at night.")
		p := &program{in: notes, out: &out, err: &errs, environ: append(environ, "LOCI_REFLECT_MODEL=small",
			"LOCI_REFLECT_API_KEY=sk-endpoint")}
		if code := p.execute(t.Context(), []string{"reflect", "--data-dir", dir, "-"}); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &errs)
		}
		if strings.Contains(out.String()+errs.String(), "sk-endpoint") {
			t.Errorf("the key is in the output: %s%s", &out, &errs)
		}
		return out.String()
	}
	at := "LOCI_REFLECT_BASE_URL=" + server.URL
	alone := run(at, "LOCI_EGRESS=off")
	if connections.Load() != 0 || strings.Contains(alone, "claim: ") {
		t.Errorf("with egress off: %d connections, %s", connections.Load(), alone)
	}
	got := run(at)
	if asked.Load() != 1 || !strings.Contains(got, "claim: The lanterns look lovely at night") ||
		!strings.Contains(got, "1 candidate of the model refused, such as those that are not in the notes") {
		t.Errorf("asked %d times: %s", asked.Load(), got)
	}
	server.Close()
	got = run(at)
	const why = "the rules found these alone: the server of the model is not reachable (reflect.base_url)\n"
	if !strings.Contains(got, why) || strings.Replace(got, why, "", 1) != alone {
		t.Errorf("without the server: %s\nthe rules: %s", got, alone)
	}
}

// TestEveryReasonHasAText compares the reasons of the API with those that the command explains.
func TestEveryReasonHasAText(t *testing.T) {
	field, _ := reflect.TypeFor[loci.Reflected]().FieldByName("NoModel")
	list := strings.Split(field.Tag.Get("enum"), ",")
	for _, why := range list {
		if withoutModel[review.NoModel(why)] == "" {
			t.Errorf("%q has no text", why)
		}
	}
	if len(list) != len(withoutModel) {
		t.Errorf("the API has %d reasons, the command %d", len(list), len(withoutModel))
	}
}
