package mcpserver_test

import (
	"strings"
	"testing"
)

// TestAnswersNameTheTwin creates what has almost the name of something else.
func TestAnswersNameTheTwin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.raw(key, stateful)
	r.must("create_project", `{"name":"Harbor App"}`)
	made := r.must("create_project", `{"name":"harbor app"}`)
	if got, _ := made["message"].(string); !strings.HasSuffix(got, `The project "Harbor App" exists already; `+
		"only case or blanks differ. If you mean that one, use it.") {
		t.Errorf("got %q", got)
	}
	list, _ := r.must("create_entities", `{"entities":[{"name":"API Gateway","entity_type":"service"},`+
		`{"name":"Api  gateway","entity_type":"service"},{"name":"Gateway","entity_type":"service"}]}`)["entities"].([]any)
	for i, want := range []any{nil, `The entity "API Gateway" exists already; only case or blanks differ. If you mean ` +
		"that one, use it.", nil} {
		if got := list[i].(map[string]any)["hint"]; got != want {
			t.Errorf("entity %d: got %v, want %v", i, got, want)
		}
	}
	r.must("write_memory", `{"key":"deploy.Day","content":"Tuesdays"}`)
	if got, _ := r.must("write_memory", `{"key":"deploy.day","content":"Owls hunt"}`)["hint"].(string); !strings.HasPrefix(
		got, `The key "deploy.Day" exists already; `) {
		t.Errorf("got %q", got)
	}
	r.must("create_session", `{"agent":"Helper"}`)
	if got, _ := r.must("create_session", `{"agent":"helper"}`)["hint"].(string); !strings.HasPrefix(got,
		`The agent "Helper" exists already; `) {
		t.Errorf("got %q", got)
	}
}
