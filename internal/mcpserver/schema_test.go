package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// listed is what tools/list says of a tool.
type listed struct {
	Name, Title, Description string
	Annotations              map[string]any
	InputSchema              *jsonschema.Schema
	OutputSchema             *jsonschema.Schema
}

func listTools(t *testing.T, r *raw) (tools []listed, size int) {
	t.Helper()
	var result json.RawMessage
	r.call("tools/list", "{}").result(t, &result)
	var out struct{ Tools []listed }
	if err := json.Unmarshal(result, &out); err != nil {
		t.Fatal(err)
	}
	return out.Tools, len(result)
}

// maxListTokens is what the nine tools may cost in every conversation.
const maxListTokens = 1600

func TestToolsAreSmallAndComplete(t *testing.T) {
	w := newWorld(t)
	_, key := w.key("claude")
	var tools []listed
	for _, version := range []string{withSessions, stateless} {
		var size int
		tools, size = listTools(t, w.raw(key, version))
		if size > maxListTokens*4 {
			t.Errorf("tools/list over %s takes about %d tokens, at most %d are allowed", version, size/4, maxListTokens)
		}
	}
	want := "browse_memories get_latest_memory get_memories_by_tag get_memory_by_id read_memories read_team_memories search_memories share_memory write_memory"
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
		if tool.Title == "" || tool.Description == "" || tool.OutputSchema == nil {
			t.Errorf("%s lacks a title, a description or an output schema", tool.Name)
		}
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := tool.Annotations[hint].(bool); !ok {
				t.Errorf("%s has no %s", tool.Name, hint)
			}
		}
		if tool.InputSchema.AdditionalProperties == nil {
			t.Errorf("the input schema of %s lets unknown fields pass", tool.Name)
		}
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("tools:\n got %s\nwant %s", got, want)
	}
}

// TestLimitsAreEnforced calls every tool one beyond each limit of its schema:
// the schema is written by hand, and so could lie.
func TestLimitsAreEnforced(t *testing.T) {
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.raw(key, withSessions)
	tools, _ := listTools(t, r)
	checked := 0
	for _, tool := range tools {
		for name, p := range tool.InputSchema.Properties {
			for _, beyond := range beyondLimits(t, p) {
				checked++
				args := valid(tool)
				args[name] = beyond
				body, err := json.Marshal(args)
				if err != nil {
					t.Fatal(err)
				}
				if text := failure(t, r.tool(tool.Name, string(body))); !strings.HasPrefix(text, name) {
					t.Errorf("%s with %s = %.40s…: %q, want an error about %s", tool.Name, name, fmt.Sprint(beyond), text, name)
				}
			}
		}
		args := valid(tool)
		args["surprise"] = true
		body, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		if text := failure(t, r.tool(tool.Name, string(body))); !strings.Contains(text, `"surprise" is unknown`) {
			t.Errorf("%s with an unknown field: %q", tool.Name, text)
		}
	}
	if checked < 25 {
		t.Errorf("only %d limits were found in the schemas", checked)
	}
}

// beyondLimits returns values that the schema refuses by one, and one of
// another type.
func beyondLimits(t *testing.T, p *jsonschema.Schema) []any {
	t.Helper()
	out := []any{map[string]any{}, nil}
	if p.Maximum != nil {
		out = append(out, *p.Maximum+1, *p.Minimum-1, "1")
	}
	if p.MaxLength != nil {
		out = append(out, strings.Repeat("ü", *p.MaxLength+1), 1)
	}
	if p.MinLength != nil {
		out = append(out, "")
	}
	if p.MaxItems != nil {
		var many []string
		for i := range *p.MaxItems + 1 {
			many = append(many, fmt.Sprintf("t%d", i))
		}
		out = append(out, many, []string{strings.Repeat("x", *p.Items.MaxLength+1)})
	}
	if p.MinItems != nil {
		out = append(out, []string{})
	}
	return out
}

// valid returns arguments that the tool accepts.
func valid(tool listed) map[string]any {
	args := map[string]any{}
	for _, name := range tool.InputSchema.Required {
		switch name {
		case "tags":
			args[name] = []string{"a"}
		case "id", "memory_id":
			args[name] = "00000000-0000-4000-8000-000000000000"
		default:
			args[name] = "a"
		}
	}
	return args
}

// failure returns the text of a tool's error, or "".
func failure(t testing.TB, a reply) string {
	t.Helper()
	var result struct {
		IsError bool
		Content []struct{ Text string }
	}
	a.result(t, &result)
	if !result.IsError {
		return ""
	}
	return result.Content[0].Text
}

// TestResultsFitTheirSchemas validates what each tool returns.
func TestResultsFitTheirSchemas(t *testing.T) {
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.raw(key, withSessions)
	w.team("Platform", w.owner)
	tools, _ := listTools(t, r)
	var written struct{ StructuredContent struct{ ID string } }
	r.tool("write_memory", `{"title":"a","content":"a","tags":["a"]}`).result(t, &written)
	for _, tool := range tools {
		args := valid(tool)
		for _, name := range []string{"id", "memory_id"} {
			if args[name] != nil {
				args[name] = written.StructuredContent.ID
			}
		}
		body, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		var result struct{ StructuredContent any }
		r.tool(tool.Name, string(body)).result(t, &result)
		schema, err := tool.OutputSchema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(result.StructuredContent); err != nil {
			t.Errorf("%s: %v", tool.Name, err)
		}
	}
}
