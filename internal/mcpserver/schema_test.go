package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/node"
)

// listed is what tools/list returns about a tool.
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

const allTools = "?toolsets=memory,memory-extra,graph,graph-extra,reflect,session,tasks,review,search"

func TestToolsAreSmallAndComplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	const (
		memory = "browse_memories get_latest_memory get_memories_by_tag get_memory_by_id read_memories read_team_memories " +
			"search_memories share_memory trash_memory update_memory write_memory"
		graph = "add_observations archive_project create_entities create_project create_relations delete_entities " +
			"delete_observations delete_project delete_relations " +
			"get_current_project list_projects open_nodes read_graph restore_project search_nodes switch_project"
		more    = "add_sources get_sources list_memory_nodes list_suggestions read_memory_node recall_memories"
		session = "close_session create_session get_session_context log_decision log_event search_events"
		tasks   = "create_task list_tasks update_task"
		notes   = "context reflect remember"
		review  = "decide_candidate edit_candidate list_candidates merge_candidates show_candidate"
		search  = "fetch search"
		extra   = "get_entity_history get_neighbors list_deleted_nodes merge_entities restore_nodes"
	)
	for _, tt := range []struct {
		query, want string
		tokens      int // at most; it is what they cost in every conversation
	}{
		{"?toolsets=memory", memory, 1500},
		{"?toolsets=graph", graph, 3000},
		{"?toolsets=memory-extra", more, 1400},
		{"?toolsets=graph-extra", extra, 1000},
		{"?toolsets=reflect", notes, 1200},
		{"?toolsets=session", session, 1650},
		{"?toolsets=reflect&toolsets=session", notes + " " + session, 2450},
		{"?toolsets=review", review, 1150},
		{"?toolsets=tasks", tasks, 650},
		{"?toolsets=search", search, 350},
		{"", memory + " " + graph + " " + notes + " " + session, 6850},
		{"?toolsets=session,graph,memory,reflect,graph", memory + " " + graph + " " + notes + " " + session, 6850},
		{allTools, strings.Join([]string{memory, more, graph, extra, notes, session, tasks, review, search}, " "), 11_150},
	} {
		var tools []listed
		for _, version := range []string{stateful, stateless} {
			var size int
			if tools, size = listTools(t, w.rawAt(key, version, tt.query)); size > tt.tokens*4 {
				t.Errorf("%q: tools/list over %s takes about %d tokens, at most %d are allowed", tt.query, version, size/4,
					tt.tokens)
			}
		}
		var names []string
		for _, tool := range tools {
			names = append(names, tool.Name)
		}
		want := strings.Fields(tt.want)
		slices.Sort(want)
		if diff := cmp.Diff(want, names); diff != "" && len(want)+len(names) > 0 {
			t.Errorf("%q: tools (-want +got):\n%s", tt.query, diff)
		}
		checkTools(t, tools)
	}
}

func checkTools(t *testing.T, tools []listed) {
	t.Helper()
	for _, tool := range tools {
		if tool.Title == "" || tool.Description == "" || tool.OutputSchema == nil {
			t.Errorf("%s lacks a title, a description or an output schema", tool.Name)
		}
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := tool.Annotations[hint].(bool); !ok {
				t.Errorf("%s has no %s", tool.Name, hint)
			}
		}
		destroys := slices.Contains([]string{"delete_project", "delete_entities", "delete_observations", "delete_relations",
			"merge_entities", "trash_memory", "decide_candidate"}, tool.Name)
		if tool.Annotations["destructiveHint"] != destroys {
			t.Errorf("%s: destructiveHint is %v", tool.Name, !destroys)
		}
	}
}

// TestDocumentsNameTheCosts compares what the README says about tools with what TestToolsAreSmallAndComplete enforces.
func TestDocumentsNameTheCosts(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := strings.Join(strings.Fields(string(text)), " ")
	w := newWorld(t)
	_, key := w.key("claude")
	for set, tokens := range map[string]string{"memory": "1,500", "graph": "3,000", "session": "1,650",
		"reflect": "1,200"} {
		tools, size := listTools(t, w.rawAt(key, stateless, "?toolsets="+set))
		want := fmt.Sprintf("%s for the %d %s tools", tokens, len(tools), set)
		limit, err := strconv.Atoi(strings.ReplaceAll(tokens, ",", ""))
		if err != nil || size/4 > limit || !strings.Contains(readme, want) {
			t.Errorf("%q: README lacks it, or tools/list takes %d tokens", want, size/4)
		}
	}
}

// TestLimitsAreEnforced calls every tool with a value one beyond each limit in its
// schema, including nested ones.
func TestLimitsAreEnforced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.rawAt(key, stateful, allTools)
	if text := failure(t, r.tool("create_project", `{"name":"limits"}`)); text != "" {
		t.Fatal(text)
	}
	tools, _ := listTools(t, r)
	checked := 0
	for _, tool := range tools {
		for _, b := range beyondLimits(tool.InputSchema, "") {
			checked++
			body, err := json.Marshal(b.value)
			if err != nil {
				t.Fatal(err)
			}
			if text := failure(t, r.tool(tool.Name, string(body))); !strings.HasPrefix(text, b.path) {
				t.Errorf("%s with %s = %.60s…: %q, want an error about it", tool.Name, b.path, body, text)
			}
		}
		args := valid(tool)
		args["surprise"] = true
		body, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		text := failure(t, r.tool(tool.Name, string(body)))
		if takesAny := len(tool.InputSchema.Properties) > 0; strings.Contains(text,
			`"surprise" is unknown`) != takesAny {
			t.Errorf("%s with an unknown field: %q", tool.Name, text)
		}
	}
	if checked < 130 {
		t.Errorf("only %d limits were found in the schemas", checked)
	}
	var graph struct{ StructuredContent struct{ Entities []any } }
	r.tool("read_graph", "{}").result(t, &graph)
	if n := len(graph.StructuredContent.Entities); n > 0 {
		t.Errorf("%d entities were stored", n)
	}
}

// beyond is a value that breaks one limit, at a path.
type beyond struct {
	path  string
	value any
}

// beyondLimits returns values that exceed each limit of a schema by one, and
// values of other types.
func beyondLimits(p *jsonschema.Schema, path string) []beyond {
	if p.Type == "object" && path == "" {
		return beyondMembers(p, path)
	}
	out := []beyond{{path, map[string]any{}}}
	if p.Type == "object" && p.Properties == nil { // any object is right
		return []beyond{{path, []any{}}, {path, "x"}}
	}
	if p.Maximum != nil {
		out = append(out, beyond{path, *p.Maximum + 1}, beyond{path, -1}, beyond{path, "one"})
	}
	if p.MaxLength != nil {
		out = append(out, beyond{path, strings.Repeat("ü", *p.MaxLength+1)}, beyond{path, true})
	}
	if p.MinLength != nil {
		out = append(out, beyond{path, ""})
	}
	if p.MaxItems != nil {
		var many []any
		for i := range *p.MaxItems + 1 {
			one := example("item", p.Items)
			if _, ok := one.(string); ok {
				one = fmt.Sprintf("t%d", i)
			}
			many = append(many, one)
		}
		out = append(out, beyond{path, many})
	}
	if p.MinItems != nil {
		out = append(out, beyond{path, []any{}})
	}
	if p.Items == nil {
		return out
	}
	for _, b := range slices.Concat(beyondMembers(p.Items, path+"[0]"), beyondText(p.Items, path)) {
		out = append(out, beyond{b.path, []any{b.value}})
	}
	return out
}

// beyondText is for the items of an array of texts.
func beyondText(p *jsonschema.Schema, path string) []beyond {
	if p.MaxLength == nil {
		return nil
	}
	return []beyond{{path, strings.Repeat("x", *p.MaxLength+1)}, {path, true}}
}

// beyondMembers returns objects with one bad member each, and objects without one
// required member each.
func beyondMembers(p *jsonschema.Schema, path string) (out []beyond) {
	at := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	for name, member := range p.Properties {
		for _, b := range beyondLimits(member, at(name)) {
			args := object(p)
			args[name] = b.value
			out = append(out, beyond{b.path, args})
		}
		if slices.Contains(p.Required, name) {
			args := object(p)
			delete(args, name)
			null := object(p)
			null[name] = nil // the same as left out
			out = append(out, beyond{at(name), args}, beyond{at(name), null})
		}
	}
	if len(p.Properties) > 0 && path != "" {
		args := object(p)
		args["surprise"] = 1
		out = append(out, beyond{`"surprise" in ` + path + " is unknown", args})
	}
	return out
}

// valid returns arguments that the tool accepts.
func valid(tool listed) map[string]any { return object(tool.InputSchema) }

func object(p *jsonschema.Schema) map[string]any {
	out := map[string]any{}
	for _, name := range p.Required {
		out[name] = example(name, p.Properties[name])
	}
	return out
}

func example(name string, p *jsonschema.Schema) any {
	switch {
	case p.Type == "array":
		return []any{example(name, p.Items)}
	case len(p.Properties) > 0:
		return object(p)
	case strings.HasPrefix(name, "supersedes"):
		return "00000000-0000-4000-8000-000000000000"
	case len(p.Enum) > 0:
		return p.Enum[0]
	case name == "id" || name == "memory_id" || name == "session_id" || name == "others":
		return "00000000-0000-4000-8000-000000000000"
	}
	return "a"
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

// TestResultsFitTheirSchemas validates what each tool returns. It calls them in an
// order in which each has something to return.
func TestResultsFitTheirSchemas(t *testing.T) {
	t.Parallel()
	schemas := map[string]*jsonschema.Resolved{}
	everyTool(t, "claude", func(tool listed) { schemas[tool.Name] = resolved(t, tool.OutputSchema) },
		func(r *raw, name, arguments string) map[string]any {
			t.Helper()
			var result struct{ StructuredContent map[string]any }
			answer := r.tool(name, arguments)
			if text := failure(t, answer); text != "" {
				t.Fatalf("%s %s: %s", name, arguments, text)
			}
			answer.result(t, &result)
			if err := schemas[name].Validate(result.StructuredContent); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return result.StructuredContent
		})
}

func resolved(t *testing.T, schema *jsonschema.Schema) *jsonschema.Resolved {
	t.Helper()
	r, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// everyTool lists all tools to an assistant of a vendor, shows each to see, and then calls each. call
// returns the structured content.
func everyTool(t *testing.T, vendor loci.Vendor, see func(listed),
	call func(r *raw, name, arguments string) map[string]any) {
	t.Helper()
	w := newWorld(t)
	_, key := w.key(vendor)
	r := w.rawAt(key, stateful, allTools)
	tools, _ := listTools(t, r)
	left := map[string]bool{}
	for _, tool := range tools {
		see(tool)
		left[tool.Name] = true
	}
	callInOrder(t, w, func(name, arguments string) map[string]any {
		t.Helper()
		delete(left, name)
		return call(r, name, arguments)
	})
	if len(left) > 0 {
		t.Errorf("not called: %v", left)
	}
}

// callInOrder calls each tool, in an order in which each has something to return.
func callInOrder(t *testing.T, w *world, call func(name, arguments string) map[string]any) {
	t.Helper()
	w.team("Platform", w.owner)
	id := call("write_memory", `{"title":"a","content":"a","tags":["a"]}`)["id"].(string)
	for _, name := range []string{"read_memories", "browse_memories", "get_latest_memory", "read_team_memories"} {
		call(name, "{}")
	}
	call("search_memories", `{"term":"a"}`)
	call("get_memories_by_tag", `{"tags":["a"]}`)
	call("search", `{"query":"a"}`)
	call("fetch", `{"id":"`+id+`"}`)
	call("get_memory_by_id", `{"id":"`+id+`"}`)
	call("share_memory", `{"memory_id":"`+id+`"}`)
	call("recall_memories", `{"query":"a"}`)
	call("add_sources", `{"memory_id":"`+id+`","sources":[{"kind":"url","ref":"https://x.example"}]}`)
	call("get_sources", `{"memory_id":"`+id+`"}`)
	call("list_suggestions", "{}")
	node, err := w.app.Node.Create(t.Context(), w.owner, node.Draft{Name: "Outline"})
	if err != nil {
		t.Fatal(err)
	}
	call("list_memory_nodes", "{}")
	call("read_memory_node", `{"id":"`+node.ID.String()+`"}`)
	session := call("create_session", `{"agent":"reviewer","title":"Login page","reach":"team"}`)
	mine := call("write_memory", `{"title":"mine","content":"x"}`)["id"].(string)
	call("update_memory", `{"id":"`+mine+`","content":"y"}`)
	call("trash_memory", `{"id":"`+mine+`"}`)
	in := `"session_id":"` + session["id"].(string) + `"`
	call("log_event", `{"content":"x",`+in+`}`)
	call("log_event", `{"content":"x",`+in+`}`)
	call("log_decision", `{"decision":"x","reasoning":"y",`+in+`}`)
	call("get_session_context", `{`+in+`}`)
	call("search_events", `{`+in+`}`)
	call("close_session", `{"session_id":"`+session["id"].(string)+`"}`)
	call("get_current_project", "{}")
	call("create_project", `{"name":"p"}`)
	call("list_projects", "{}")
	call("switch_project", `{"name":"p"}`)
	call("get_current_project", "{}")
	call("create_task", `{"title":"Passkeys","notes":"x"}`)
	call("list_tasks", `{"project":"p","state":"todo"}`)
	call("update_task", `{"task_id":"Passkeys","state":"doing"}`)
	call("context", `{"goal":"ship on Mondays"}`)
	call("remember", `{"content":"We ship on Mondays.","kind":"decision","project":"p"}`)
	made := call("reflect", `{"content":"decision: Deploy on Tuesdays\nplan: Write it down","project":"p","persist":true,`+
		`"persist_review":true}`)["candidates"].([]any)
	candidate := func(i int) string { return `"` + made[i].(map[string]any)["id"].(string)[:loci.ShortID] + `"` }
	call("list_candidates", `{"project":"p"}`)
	call("show_candidate", `{"id":`+candidate(0)+`}`)
	call("edit_candidate", `{"id":`+candidate(0)+`,"title":"Deploys"}`)
	call("merge_candidates", `{"id":`+candidate(0)+`,"others":[`+candidate(1)+`]}`)
	call("decide_candidate", `{"id":`+candidate(0)+`,"action":"accept"}`)
	call("create_entities", `{"entities":[{"name":"a","entity_type":"t","observations":["x"]},{"name":"b",`+
		`"entity_type":"t"},{"name":"c","entity_type":"t"}]}`)
	call("add_observations", `{"observations":[{"entity_name":"a","contents":["x","y"]}]}`)
	call("create_relations",
		`{"relations":[{"from":"a","to":"b","relation_type":"uses"},{"from":"c","to":"b","relation_type":"uses"}]}`)
	call("search_nodes", `{"query":"x"}`)
	call("open_nodes", `{"names":["a","z"]}`)
	call("read_graph", "{}")
	call("get_entity_history", `{"name":"a"}`)
	call("get_neighbors", `{"name":"a","hops":2}`)
	call("merge_entities", `{"from":"c","into":"a"}`)
	call("delete_observations", `{"deletions":[{"entity_name":"a","observations":["y"]}]}`)
	call("delete_relations", `{"relations":[{"from":"a","to":"b","relation_type":"uses"}]}`)
	call("delete_entities", `{"names":["a"]}`)
	gone := call("list_deleted_nodes", "{}")["entities"].([]any)
	call("restore_nodes", `{"entities":["`+gone[0].(map[string]any)["id"].(string)+`"]}`)
	call("archive_project", `{"name":"p"}`)
	call("restore_project", `{"name":"p"}`)
	call("archive_project", `{"name":"p"}`)
	w.deletesByKey()
	call("delete_project", `{"name":"p"}`)
}
