package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// otherActions are the actions of resources and prompts. One prompt reads nothing.
var otherActions = map[string]gate.Action{
	"resource loci://briefing": memory.Briefing, "resource loci://briefing.json": memory.Briefing,
	"resource loci://memory/{id}":          memory.Read,
	"resource loci://project/{name}/graph": graph.Read, "resource loci://project/{name}/entity/{entity}": graph.Read,
	"prompt recall": memory.Read, "prompt session_start": memory.Briefing, "prompt remember": "",
}

// TestEverythingCarriesOutItsAction calls every tool, resource and prompt with a key
// that lacks the rights. Each must be rejected, and the audit trail must record the
// declared action.
func TestEverythingCarriesOutItsAction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude", loci.RightReflect)
	r := w.rawAt(key, stateless, allTools)
	_, other := w.key("claude", loci.RightEvents)
	noReflect := w.rawAt(other, stateless, allTools)
	const none = "00000000-0000-4000-8000-000000000000"
	actions, rules := mcpserver.ToolActions(), app.Rules()
	tools, _ := listTools(t, r)
	if len(tools) != len(actions) {
		t.Errorf("%d tools and %d actions", len(tools), len(actions))
	}
	for _, tool := range tools {
		args := map[string]string{"search_memories": `{"term":"a"}`, "get_memories_by_tag": `{"tags":["a"]}`,
			"get_memory_by_id": `{"id":"` + none + `"}`, "fetch": `{"id":"` + none + `"}`,
			"write_memory": `{"title":"a","content":"b"}`, "share_memory": `{"memory_id":"` + none + `"}`,
			"show_candidate": `{"id":"` + none + `"}`, "edit_candidate": `{"id":"` + none + `"}`,
			"decide_candidate": `{"id":"` + none + `","action":"reject"}`,
			"merge_candidates": `{"id":"` + none + `","others":["` + none + `"]}`,
			"restore_nodes":    `{"entities":["` + none + `"]}`}[tool.Name]
		if args == "" {
			some := valid(tool)
			if _, named := tool.InputSchema.Properties["name"]; named {
				some["name"] = "a"
			}
			b, err := json.Marshal(some)
			if err != nil {
				t.Fatal(err)
			}
			args = string(b)
		}
		with := r
		if slices.Contains(rules[actions[tool.Name]].Rights, loci.RightReflect) {
			with = noReflect
		}
		w.refusedAs(t, tool.Name, actions[tool.Name], func() bool { return failure(t, with.tool(tool.Name, args)) != "" })
	}
	var listed struct {
		Resources         []struct{ URI string }
		ResourceTemplates []struct{ URITemplate string }
		Prompts           []struct{ Name string }
	}
	for _, list := range []string{"resources/list", "resources/templates/list", "prompts/list"} {
		r.call(list, "{}").result(t, &listed)
	}
	names := map[string]string{}
	for _, one := range listed.Resources {
		names["resource "+one.URI] = `resources/read {"uri":"` + one.URI + `"}`
	}
	for _, one := range listed.ResourceTemplates {
		names["resource "+one.URITemplate] = `resources/read {"uri":"` +
			strings.NewReplacer("{id}", none, "{name}", "p", "{entity}", "e").Replace(one.URITemplate) + `"}`
	}
	for _, one := range listed.Prompts {
		names["prompt "+one.Name] = `prompts/get {"name":"` + one.Name + `","arguments":{"topic":"a","text":"a"}}`
	}
	if len(names) != len(otherActions) {
		t.Errorf("there are %v, want %v", names, otherActions)
	}
	for name, request := range names {
		action, known := otherActions[name]
		if !known {
			t.Errorf("%s declares no action", name)
			continue
		}
		if action == "" {
			continue
		}
		var method, params string
		if _, err := fmt.Sscan(request, &method); err != nil {
			t.Fatal(err)
		}
		params = request[len(method)+1:]
		w.refusedAs(t, name, action, func() bool { return r.call(method, params).failed() })
	}
	for name, action := range actions {
		if _, ok := rules[action]; !ok {
			t.Errorf("%s: %s has no rule", name, action)
		}
	}
}

// refusedAs checks that do is rejected and recorded under an action.
func (w *world) refusedAs(t *testing.T, name string, action gate.Action, do func() bool) {
	t.Helper()
	before := w.denials()
	if !do() {
		t.Errorf("%s is not refused", name)
	}
	after := w.denials()
	if len(after) != len(before)+1 || after[0] != string(action) {
		t.Errorf("%s: the trail says %v, want one refusal of %s", name, after[:len(after)-len(before)], action)
	}
}

func (w *world) denials() (actions []string) {
	w.t.Helper()
	err := w.store.View(context.Background(), loci.DefaultOrg, func(tx store.Tx) error {
		rows, err := tx.Audit().List(context.Background(), store.AuditQuery{Denied: true, Limit: 1000})
		for _, row := range rows {
			actions = append(actions, row.Action)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return actions
}
