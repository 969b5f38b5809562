package rest_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/rest"
)

// agentOperations are the operations of /openapi-agent.json, and whether an assistant has to ask its
// person first. Assistants store these names, so they never change.
var agentOperations = map[string]bool{
	"getHealth": false, "whoAmI": false, "query": false, "recallMemories": false, "listSuggestions": false,
	"agentCreateMemory": false, "agentGetMemory": false, "agentTrashMemory": true, "agentListVersions": false,
	"agentShareMemory": true, "agentTeamPool": false, "agentTeamMemories": false, "agentLatestMemory": false,
	"agentMemoriesByTag": false, "agentBrowseMemories": false, "agentSearchMemories": false, "agentListMemories": false,
	"agentGetBriefing": false, "agentReplaceMemory": true, "agentEditMemory": true,
}

// What the importer of ChatGPT accepts.
const (
	maxAgentOperations  = 30
	maxAgentDescription = 300
)

func TestAgentOpenAPI(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(o *rest.Options, _ *app.Options) { o.Site.PublicURL = "https://loci.example" })
	w := s.do("GET", "/openapi-agent.json", "", "")
	var d map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || w.Code != 200 || d["openapi"] != "3.1.0" {
		t.Fatalf("got %d, version %v, %v", w.Code, d["openapi"], err)
	}
	servers, _ := d["servers"].([]any)
	if len(servers) != 1 || at(servers[0], "url") != "https://loci.example" {
		t.Errorf("servers: %v", servers)
	}
	found := map[string]bool{}
	for path, item := range asMap(d["paths"]) {
		for method, op := range asMap(item) {
			id, _ := at(op, "operationId").(string)
			consequential, stated := at(op, "x-openai-isConsequential").(bool)
			if want, ok := agentOperations[id]; !ok || !stated || consequential != want {
				t.Errorf("%s %s: %q is consequential: %v, want %v (known: %v)", method, path, id, consequential, want, ok)
			}
			if found[id] {
				t.Errorf("%s occurs twice", id)
			}
			found[id] = true
			parameters, _ := at(op, "parameters").([]any)
			for _, p := range parameters {
				if in := at(p, "in"); in != "path" && in != "query" {
					t.Errorf("%s: a parameter in %v, which assistants cannot send", id, in)
				}
			}
		}
	}
	if len(found) != len(agentOperations) || len(found) > maxAgentOperations {
		t.Errorf("%d operations, want %d, at most %d: %v", len(found), len(agentOperations), maxAgentOperations,
			sortedKeys(found))
	}
	checkDescriptions(t, "", d)
	text := w.Body.String()
	for name := range asMap(at(d, "components", "schemas")) {
		if !strings.Contains(text, `"`+componentPrefix+name+`"`) {
			t.Errorf("nothing refers to the schema %s", name)
		}
	}
	for _, m := range component.FindAllStringSubmatch(text, -1) {
		if at(d, "components", "schemas", m[1]) == nil {
			t.Errorf("the schema %s is missing", m[1])
		}
	}
	if n := w.Body.Len(); n > 150_000 {
		t.Errorf("%d bytes, want a document that an assistant can load", n)
	}
}

func checkDescriptions(t *testing.T, where string, v any) {
	t.Helper()
	if list, ok := v.([]any); ok {
		for _, one := range list {
			checkDescriptions(t, where, one)
		}
	}
	for name, one := range asMap(v) {
		text, ok := one.(string)
		if ok && slices.Contains([]string{"description", "summary"}, name) && len(text) > maxAgentDescription {
			t.Errorf("%s has a %s of %d characters, at most %d", where, name, len(text), maxAgentDescription)
		}
		checkDescriptions(t, where+"/"+name, one)
	}
}

// TestAgentOpenAPIHasAnAddress requires an absolute address also of a server without a public one.
func TestAgentOpenAPIHasAnAddress(t *testing.T) {
	t.Parallel()
	w := newServer(t).do("GET", "/openapi-agent.json", "", "")
	if !strings.Contains(w.Body.String(), `"servers":[{"url":"http://`) {
		t.Errorf("got %.200s", w.Body)
	}
}
