package mcpserver_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// A client of OpenAI's strict mode turns a schema into the subset that a model can be forced to
// follow: each object has no other members and requires all of its own, optional ones may be null,
// and some keywords are left out. Strict clients then send null for what a model does not set.

// strictKeywords are those that strict mode accepts; droppedKeywords are those that clients remove,
// because nothing but a limit or a hint is lost.
var (
	strictKeywords = []string{"type", "properties", "required", "additionalProperties", "items", "enum", "description",
		"minimum", "maximum", "minItems", "maxItems"}
	droppedKeywords = []string{"default", "minLength", "maxLength"}
)

// strictOf changes a schema into strict mode's subset. It reports what a client could not change.
func strictOf(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	for _, keyword := range droppedKeywords {
		delete(schema, keyword)
	}
	for keyword := range schema {
		if !slices.Contains(strictKeywords, keyword) {
			t.Errorf("%s: strict mode has no %q", path, keyword)
		}
	}
	if kind, ok := schema["type"].(string); !ok {
		t.Errorf("%s: the type is %v, want one word", path, kind)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		strictOf(t, path+"[]", items)
	} else if schema["type"] == "array" {
		t.Errorf("%s: an array without items", path)
	}
	if schema["type"] != "object" {
		return
	}
	if more, there := schema["additionalProperties"]; there && more != false {
		t.Errorf("%s: other members are allowed: %v", path, more)
	}
	was, _ := schema["required"].([]any)
	properties, _ := schema["properties"].(map[string]any)
	all := []any{}
	for name, one := range properties {
		member := one.(map[string]any)
		strictOf(t, path+"."+name, member)
		all = append(all, name)
		if slices.Contains(was, any(name)) {
			continue
		}
		member["type"] = []any{member["type"], "null"}
		if words, ok := member["enum"].([]any); ok {
			member["enum"] = append(words, nil)
		}
	}
	schema["required"], schema["additionalProperties"], schema["properties"] = all, false, properties
}

// fillNulls adds null for each member that a schema has and a value has not.
func fillNulls(value any, schema map[string]any) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range schema["properties"].(map[string]any) {
			if one, there := v[name]; there {
				fillNulls(one, member.(map[string]any))
			} else {
				v[name] = nil
			}
		}
	case []any:
		for _, one := range v {
			fillNulls(one, schema["items"].(map[string]any))
		}
	}
}

// TestEveryToolWorksInStrictMode calls each tool as a strict client does.
func TestEveryToolWorksInStrictMode(t *testing.T) {
	t.Parallel()
	schemas, strict := map[string]map[string]any{}, map[string]*jsonschema.Resolved{}
	everyTool(t, "chatgpt", func(tool listed) {
		schema := map[string]any{}
		through(t, tool.InputSchema, &schema)
		strictOf(t, tool.Name, schema)
		schemas[tool.Name] = schema
		var as jsonschema.Schema
		through(t, schema, &as)
		strict[tool.Name] = resolved(t, &as)
	}, func(r *raw, name, arguments string) map[string]any {
		t.Helper()
		sent := map[string]any{}
		if err := json.Unmarshal([]byte(arguments), &sent); err != nil {
			t.Fatal(err)
		}
		fillNulls(sent, schemas[name])
		if err := strict[name].Validate(sent); err != nil {
			t.Errorf("%s: a strict client cannot send %v: %v", name, sent, err)
		}
		b, err := json.Marshal(sent)
		if err != nil {
			t.Fatal(err)
		}
		return r.must(name, string(b))
	})
}

// through writes a value as JSON and reads it as another type.
func through(t *testing.T, from, into any) {
	t.Helper()
	b, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}
