package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/mcpserver"
)

// pipelined are calls whose answers depend on all earlier calls being done.
var pipelined = []struct{ tool, args, want string }{
	{"create_project", `{"name":"other"}`, `"other"`},
	{"create_project", `{"name":"site"}`, `"site"`},
	{"create_entities", `{"entities":[{"name":"Ada","entity_type":"person"},{"name":"Ida","entity_type":"person"},` +
		`{"name":"Acme","entity_type":"firm"}]}`, `"Acme"`},
	{"add_observations", `{"observations":[{"entity_name":"Ada","contents":["Takes tea."]},{"entity_name":"Ida",` +
		`"contents":["Rows."]}]}`, `"Rows."`},
	{"create_relations", `{"relations":[{"from":"Ada","to":"Acme","relation_type":"works_at"}]}`, `"created":true`},
	{"search_nodes", `{"query":"tea"}`, `"works_at"`},
	{"open_nodes", `{"names":["Ada"]}`, `"Takes tea."`},
	{"delete_relations", `{"relations":[{"from":"Ada","to":"Acme","relation_type":"works_at"}]}`, `"deleted":1`},
	{"delete_observations", `{"deletions":[{"entity_name":"Ada","observations":["Takes tea."]}]}`, `"deleted":1`},
	{"open_nodes", `{"names":["Ada"]}`, `"observations":[]`},
	{"merge_entities", `{"from":"Ida","into":"Ada"}`, `"Rows."`},
	{"delete_entities", `{"names":["Ada"]}`, `"deleted":1`},
	{"read_graph", `{}`, `"left":0`},
	{"archive_project", `{"name":"site"}`, `"archived"`},
	{"get_current_project", `{}`, `"message":"No active project.`},
	{"restore_project", `{"name":"site"}`, `"active"`},
	{"switch_project", `{"name":"site"}`, `"site"`},
	{"get_current_project", `{}`, `"name":"site"`},
	{"delete_project", `{"name":"site"}`, `"Deleted`},
	{"switch_project", `{"name":"other"}`, `"other"`},
	{"read_graph", `{}`, `"entities":[]`},
	{"delete_project", `{"name":"other"}`, `"Deleted`},
}

// Models send dependent calls without waiting for the answers.
func TestStdioKeepsTheOrderOfGraphCalls(t *testing.T) {
	t.Parallel()
	const rounds = 5
	w := newWorld(t, func(o *mcpserver.Options) { o.Toolsets = mcpserver.Toolsets() })
	text := hello
	for i := range rounds * len(pipelined) {
		x := pipelined[i%len(pipelined)]
		text += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", i,
			x.tool, x.args)
	}
	answered := 0
	for _, m := range w.talk(text) {
		id, ok := m["id"].(float64)
		if !ok {
			continue
		}
		answered++
		x := pipelined[int(id)%len(pipelined)]
		got := fmt.Sprint(m["result"].(map[string]any)["content"])
		if !strings.Contains(got, x.want) {
			t.Errorf("call %v, %s: %s, want %s", id, x.tool, got, x.want)
		}
	}
	if answered != rounds*len(pipelined) {
		t.Errorf("%d answers", answered)
	}
}
