package mcpserver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/store"
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
		text += toolCall(i, x.tool, x.args)
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

func toolCall(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n",
		id, tool, arguments)
}

// A read on one connection sees all writes that the client sent before it, and none that it sent after it.
func TestStdioReadsSeeEarlierWrites(t *testing.T) {
	t.Parallel()
	const rounds = 60
	w := newWorld(t)
	text, want := hello, map[float64]string{}
	call := func(tool, arguments, expect string) {
		id := len(want) + 1
		text += toolCall(id, tool, arguments)
		want[float64(id)] = expect
	}
	for i := range rounds {
		plum, fig := fmt.Sprintf("plum%dx", rounds+i), fmt.Sprintf("fig%dx", i) // no number is in both
		save := func(word string) string { return fmt.Sprintf(`{"content":"Likes %s","key":"fruit%d"}`, word, i) }
		find := func(word string) string { return fmt.Sprintf(`{"query":%q}`, word) }
		call("search_memories", find(plum), `"memories":[]`)
		call("write_memory", save(plum), `"result":"created"`)
		call("search_memories", find(plum), "Likes "+plum)
		call("read_memories", `{"limit":1}`, "Likes "+plum)
		call("write_memory", save("pears"), `"result":"updated"`)
		call("write_memory", save(fig), `"result":"updated"`)
		call("search_memories", find(plum), `"memories":[]`)
		call("get_latest_memory", `{}`, "Likes "+fig)
	}
	answered := 0
	for _, m := range w.talk(text) {
		id, ok := m["id"].(float64)
		if !ok {
			continue
		}
		answered++
		if got := fmt.Sprint(m["result"].(map[string]any)["content"]); !strings.Contains(got, want[id]) {
			t.Errorf("call %v: %s, want %s", id, got, want[id])
		}
	}
	if answered != len(want) {
		t.Errorf("%d answers, want %d", answered, len(want))
	}
}

// While calls wait for a slow one, the client can cancel it and them, and pings are answered.
func TestStdioCancelsWhileCallsWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in, out, wait := w.stdio(context.Background())
	answers := bufio.NewScanner(out)
	expect := func(parts ...string) {
		t.Helper()
		if !answers.Scan() {
			t.Fatalf("the output ended: %v", answers.Err())
		}
		for _, part := range parts {
			if !strings.Contains(answers.Text(), part) {
				t.Errorf("%s, want %s", answers.Text(), part)
			}
		}
	}
	send := func(text string) {
		t.Helper()
		if _, err := io.WriteString(in, text); err != nil {
			t.Fatal(err)
		}
	}
	cancel := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", id)
	}
	send(hello)
	expect(`"hello"`)
	hold, held := make(chan struct{}), make(chan error, 1)
	inside := make(chan struct{})
	go func() {
		held <- w.store.Update(context.Background(), w.owner.OrgID, func(store.Tx) error {
			close(inside)
			<-hold
			return nil
		})
	}()
	<-inside
	// The writes wait for the store, or for another write.
	send(writeCall(3, "slow") + writeCall(4, "queued") + toolCall(5, "search_memories", `{"query":"queued"}`) +
		cancel(4) + `{"jsonrpc":"2.0","id":6,"method":"ping"}` + "\n")
	expect(`"id":6`)
	send(cancel(3))
	expect(`"id":5`, `\"memories\":[]`)
	close(hold)
	send(toolCall(7, "read_memories", `{}`))
	expect(`"id":7`, `\"memories\":[]`)
	if err := errors.Join(in.Close(), wait(), <-held); err != nil {
		t.Error(err)
	}
}
