package mcpserver_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestNotGiven calls each tool with what clients send for an optional argument without a value: each answers as if the
// argument were left out.
func TestNotGiven(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.rawAt(key, stateful, allTools)
	w.clock.freeze() // so that two answers differ only in ids
	tools, _ := listTools(t, r)
	checked := 0
	for _, tool := range tools {
		args := valid(tool)
		plain := outcome(t, r, tool.Name, args)
		for _, name := range slices.Sorted(maps.Keys(tool.InputSchema.Properties)) {
			if slices.Contains(tool.InputSchema.Required, name) {
				continue
			}
			p := tool.InputSchema.Properties[name]
			empty := []any{nil, "", "None", []any{"null"}}
			if p.Type == "integer" && (p.Minimum == nil || *p.Minimum > 0) {
				empty = append(empty, 0, "0")
			}
			for _, value := range empty {
				checked++
				sent := maps.Clone(args)
				sent[name] = value
				if got := outcome(t, r, tool.Name, sent); got != plain && !strings.HasPrefix(got, "duplicate") {
					t.Errorf("%s with %s = %#v: %q, want %q", tool.Name, name, value, got, plain)
				}
			}
		}
	}
	if checked < 500 {
		t.Errorf("only %d values were sent", checked)
	}
	if n := w.named(t, "null", "None"); n > 0 {
		t.Errorf("%d rows have a placeholder as a name", n)
	}
}

// outcome returns the error of a call, or the members of its answer.
func outcome(t *testing.T, r *raw, name string, args map[string]any) string {
	t.Helper()
	body, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	a := r.tool(name, string(body))
	if text := failure(t, a); text != "" {
		if strings.Contains(text, "already") || strings.Contains(text, "exists") {
			return "duplicate: " + text
		}
		return text
	}
	return ""
}

func (w *world) named(t *testing.T, words ...string) (n int) {
	t.Helper()
	_, key := w.key("cursor")
	r := w.rawAt(key, stateful, allTools)
	for _, call := range []string{"list_projects", "browse_memories", "list_tasks", "search_events", "list_memory_nodes"} {
		body := strings.ToLower(r.tool(call, "{}").body)
		for _, word := range words {
			n += strings.Count(body, `\"`+strings.ToLower(word)+`\"`)
		}
	}
	return n
}

// TestPlaceholdersAreNoNames sends words for a missing value as names, required ones and among others.
func TestPlaceholdersAreNoNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.rawAt(key, stateful, allTools)
	if text := failure(t, r.tool("create_project", `{"name":"home"}`)); text != "" {
		t.Fatal(text)
	}
	for _, tt := range []struct{ tool, args, want string }{
		{"write_memory", `{"title":"Cat","content":"Miso","tags":["a","Null"]}`, "tags[1] cannot be"},
		{"write_memory", `{"title":"null","content":"Miso"}`, "title is required"},
		{"write_memory", `{"title":"Cat","content":"x","allowed_vendors":["claude","none"]}`, "allowed_vendors[1] cannot be"},
		{"create_project", `{"name":"undefined"}`, "name cannot be"},
		{"create_entities", `{"entities":[{"name":"nil","entity_type":"x"}]}`, "entities[0].name cannot be"},
		{"log_event", `{"content":"x","tags":["a","null"]}`, "tags[1] cannot be"},
		{"create_task", `{"title":"None"}`, "title cannot be"},
	} {
		if text := failure(t, r.tool(tt.tool, tt.args)); !strings.Contains(text, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.tool, tt.args, text, tt.want)
		}
	}
	if text := failure(t, r.tool("search_memories", `{"term":"null"}`)); text != "" {
		t.Errorf("a search for the word: %s", text)
	}
}

// TestNumbersAreTexts sends numbers where a text is required.
func TestNumbersAreTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.raw(key, stateful)
	if text := failure(t, r.tool("write_memory", `{"title":123,"content":4711,"tags":[2026]}`)); text != "" {
		t.Fatal(text)
	}
	if a := r.tool("search_memories", `{"term":4711}`); !strings.Contains(a.body, `"123"`) &&
		!strings.Contains(a.body, `\"123\"`) {
		t.Errorf("not found: %s", a.body)
	}
}

// TestReplacedTitleIsNamed saves another fact under the key of one.
func TestReplacedTitleIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.raw(key, stateful)
	save := func(args string) string {
		t.Helper()
		a := r.tool("write_memory", args)
		if text := failure(t, a); text != "" {
			t.Fatal(text)
		}
		var result struct{ StructuredContent struct{ Tell string } }
		a.result(t, &result)
		return result.StructuredContent.Tell
	}
	for _, tt := range []struct{ args, want string }{
		{`{"title":"Ship day","content":"We ship on day one.","key":"fact"}`, ""},
		{`{"title":"Ship day","content":"We ship on day two.","key":"fact"}`, ""},
		{`{"title":"Day of shipping","content":"We ship on day two.","key":"fact"}`, ""},
		{`{"title":"Cat name","content":"The cat is called Miso.","key":"fact"}`, `"Day of shipping"`},
	} {
		if tell := save(tt.args); !strings.Contains(tell, tt.want) || tt.want == "" && tell != "" {
			t.Errorf("%s: %q, want %q", tt.args, tell, tt.want)
		}
	}
}

// TestArgumentsOutsideTheSchema sends arguments that schemas leave out to save tokens. Such a schema allows other
// members, so that a client that checks arguments can send them.
func TestArgumentsOutsideTheSchema(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.rawAt(key, stateful, allTools)
	tools, _ := listTools(t, r)
	open := map[string]bool{}
	for _, tool := range tools {
		open[tool.Name] = tool.InputSchema.AdditionalProperties == nil
	}
	r.must("create_project", `{"name":"home"}`)
	old := r.must("write_memory", `{"title":"Rent","content":"The rent is 900.","tags":["a","b"]}`)["id"].(string)
	for _, tt := range []struct{ tool, args string }{
		{"write_memory", `{"title":"New rent","content":"The rent is 950.","corrects":["` + old +
			`"],"valid_from":"2026-01-01",` +
			`"valid_to":"2027-01-01","tags":["a"],"sources":[{"kind":"url","ref":"https://x.example"}],"project":"home"}`},
		{"update_memory", `{"id":"` + old + `","valid_from":"2025-01-01"}`},
		{"search_memories", `{"term":"rent","known_at":"2026-03-03","tag_mode":"all","tags":["a"],"project":"home"}`},
		{"get_memories_by_tag", `{"tags":["a","b"],"tag_mode":"all"}`},
		{"read_memories", `{"tags":["a","b"],"tag_mode":"all"}`},
		{"recall_memories", `{"query":"rent","tags":["a","b"],"tag_mode":"all"}`},
		{"log_event", `{"content":"x","metadata":{"a":1},"dedup_key":"k"}`},
	} {
		text := failure(t, r.tool(tt.tool, tt.args))
		if replaced := tt.tool == "update_memory" && strings.Contains(text, "replaced"); text != "" && !replaced {
			t.Errorf("%s %s: %s", tt.tool, tt.args, text)
		}
		if !open[tt.tool] {
			t.Errorf("the schema of %s forbids what the tool takes", tt.tool)
		}
	}
	if got := r.must("get_memories_by_tag", `{"tags":["a","b"],"tag_mode":"all"}`)["memories"].([]any); len(got) != 0 {
		t.Errorf("with both tags: %v", got)
	}
}

// TestDaysOfEventsAreThoseOfTheAsker logs an event late in the evening of a day, which is the next day in Japan.
func TestDaysOfEventsAreThoseOfTheAsker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.rawAt(key, stateful, allTools)
	r.must("log_event", `{"content":"planted garlic","time":"2026-03-01T20:00:00Z"}`)
	for args, want := range map[string]int{`"asked_at":"2026-03-03T21:00:00+09:00"`: 1, `"time_zone":"Asia/Tokyo"`: 1,
		`"asked_at":"2026-03-03T12:00:00Z"`: 0, `"asked_at":"2026-03-03T21:00:00+09:00","time_zone":"UTC"`: 0} {
		got := r.must("search_events", `{"query":"garlic","since":"yesterday",`+args+`}`)
		if events := got["events"].([]any); len(events) != want {
			t.Errorf("%s: got %d events, want %d", args, len(events), want)
		}
	}
}

// TestDaysOfMemoriesAreThoseOfTheAsker asks about two evenings. In Japan, each is the morning of the next day.
func TestDaysOfMemoriesAreThoseOfTheAsker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.rawAt(key, stateful, allTools)
	w.clock.advance(8 * time.Hour) // it is the evening of the third
	r.must("write_memory", `{"title":"North bed","content":"We planted garlic in the north."}`)
	w.clock.advance(24 * time.Hour)
	r.must("write_memory", `{"title":"South bed","content":"We planted garlic in the south."}`)
	for asked, want := range map[string]string{"2026-03-05T09:00:00+09:00": "North bed",
		"2026-03-05T00:00:00Z": "South bed"} {
		for _, call := range [][2]string{{"search_memories", "term"}, {"recall_memories", "query"}} {
			got := r.must(call[0], `{"`+call[1]+`":"garlic yesterday","asked_at":"`+asked+`"}`)
			if list := got["memories"].([]any); len(list) != 2 || list[0].(map[string]any)["title"] != want {
				t.Errorf("%s at %s: got %v, want %s first", call[0], asked, list, want)
			}
		}
	}
}

// TestDecisionsOfAProjectAreInItsContext logs a decision with a project and no session.
func TestDecisionsOfAProjectAreInItsContext(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.rawAt(key, stateless, allTools)
	r.must("create_project", `{"name":"Apollo"}`)
	r.must("log_decision", `{"decision":"We rent the barn.","reasoning":"It is dry.","project":"Apollo"}`)
	r.must("log_decision", `{"decision":"We sell the van.","reasoning":"It rusts."}`)
	got := r.must("context", `{"goal":"What do we rent, and what do we sell?","project":"Apollo"}`)["context"].(string)
	if !strings.Contains(got, "We rent the barn. Reason: It is dry.") {
		t.Errorf("the project's context lacks its decision: %s", got)
	}
	if events := r.must("search_events", `{"project":"Apollo"}`)["events"].([]any); len(events) != 1 {
		t.Errorf("got %v, want the decision that names the project", events)
	}
}
