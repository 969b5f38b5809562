package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/test/random"
)

var someVendors = []loci.Vendor{"claude", "cursor", "gemini"}

// TestHiddenIsAbsent writes random memories of three vendors. If a vendor may not
// see a memory, everything that vendor can ask over MCP must have the same answer
// as before. Asking for its id must be the same as asking for a missing id. A
// vendor that may see it must get another answer.
func TestHiddenIsAbsent(t *testing.T) {
	t.Parallel()
	const rounds = 1
	writes := random.Rounds(12, 5)
	for round := range uint64(rounds) {
		for _, version := range []string{stateful, stateless} {
			t.Run(fmt.Sprintf("%s/%d", version, round),
				func(t *testing.T) { hiddenIsAbsent(t, rand.New(rand.NewPCG(round, 7)), version, writes) })
		}
	}
}

func hiddenIsAbsent(t *testing.T, r *rand.Rand, version string, writes int) {
	w := newWorld(t)
	readers := map[loci.Vendor]*raw{}
	for _, v := range someVendors {
		_, key := w.key(v)
		readers[v] = w.rawAt(key, version, allTools)
	}
	node, err := w.app.Node.Create(t.Context(), w.owner, node.Draft{Name: "Everything"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.app.Agent.CreateSession(t.Context(), w.owner, agent.SessionDraft{Title: "watched"}); err != nil {
		t.Fatal(err)
	}
	w.clock.freeze()
	hidden, seen := 0, 0
	for n := range writes {
		w.clock.advance(time.Minute)
		ghost := loci.NewMemoryID()
		before := map[loci.Vendor]string{}
		for _, v := range someVendors {
			before[v] = everything(readers[v], ghost)
		}
		m := w.writeRandom(r, n)
		w.showIn(node.ID, m)
		for _, v := range someVendors {
			after := everything(readers[v], m.ID)
			after = strings.ReplaceAll(after, m.ID.String(), ghost.String())
			after = strings.ReplaceAll(after, m.ID.Short(), ghost.Short())
			viewer := loci.Viewer{OrgID: m.OrgID, UserID: m.UserID, Vendor: v}
			if viewer.Sees(&m.Access, loci.LiveOnly, w.clock.Now()) {
				seen++
				if after == before[v] {
					t.Errorf("%s may see memory %d, but nothing shows it", v, n)
				}
				continue
			}
			hidden++
			if diff := cmp.Diff(before[v], after); diff != "" {
				t.Errorf("%s notices memory %d of %s for %v, which it may not see (-before +after):\n%s", v, n, m.Origin,
					m.AllowedVendors, diff)
			}
		}
	}
	if hidden == 0 || seen == 0 {
		t.Errorf("%d hidden and %d seen: the draw tests nothing", hidden, seen)
	}
}

// writeRandom stores a memory of a random vendor for random vendors. Some have
// already expired.
func (w *world) writeRandom(r *rand.Rand, n int) *loci.Memory {
	w.t.Helper()
	p, err := w.auth.Local(context.Background(), someVendors[r.IntN(len(someVendors))])
	if err != nil {
		w.t.Fatal(err)
	}
	d := memory.Draft{Title: fmt.Sprintf("Memory %d", n),
		Content: "alpha " + []string{"beta", "gamma", "beta gamma"}[r.IntN(3)],
		Tags:    [][]string{nil, {"red"}, {"blue"}, {"red", "blue"}}[r.IntN(4)], Pinned: new(r.IntN(3) == 0)}
	for _, v := range someVendors {
		if r.IntN(2) == 0 {
			d.AllowedVendors = append(d.AllowedVendors, v)
		}
	}
	if r.IntN(5) == 0 {
		d.AllowedVendors = nil // everybody
	}
	if r.IntN(6) == 0 {
		d.ExpiresAt = w.clock.Now().Add(-time.Second)
	}
	if r.IntN(2) == 0 {
		d.Key, d.Dedupe = "alpha", memory.DedupeCreate
	}
	d.Sources = []loci.Source{{Kind: loci.SourceURL, Ref: fmt.Sprintf("https://alpha.example/%d", n)}}
	m, err := w.app.Memory.Create(context.Background(), p, d)
	if err != nil {
		w.t.Fatal(err)
	}
	return &m.Memory
}

// showIn adds a memory to a node, with a text below it.
func (w *world) showIn(n loci.NodeID, m *loci.Memory) {
	w.t.Helper()
	if !m.Live(w.clock.Now()) {
		return
	}
	shown, err := w.app.Node.AddItem(context.Background(), w.owner, n,
		node.ItemDraft{Kind: loci.ItemMemory, MemoryID: m.ID})
	if err == nil {
		_, err = w.app.Node.AddItem(context.Background(), w.owner, n,
			node.ItemDraft{Kind: loci.ItemText, Text: "about " + m.Title, ParentID: shown.ID})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// everything calls every tool that reads, some of them with one id.
func everything(r *raw, id loci.MemoryID) string {
	var out strings.Builder
	ask := func(method, params string) map[string]any {
		r.next = 0 // the same message ids each time
		a := r.call(method, params)
		fmt.Fprintf(&out, "%s %s\n%d %s\n", method, params, a.status, a.body)
		var m struct {
			Result struct{ StructuredContent map[string]any }
		}
		if err := json.Unmarshal([]byte(a.body), &m); err != nil {
			r.w.t.Fatal(err)
		}
		return m.Result.StructuredContent
	}
	tool := func(name, arguments string) map[string]any {
		return ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
	}
	for _, call := range [][2]string{
		{"read_memories", `{}`}, {"read_memories", `{"limit":1}`},
		{"browse_memories", `{}`}, {"browse_memories", `{"limit":2,"offset":1}`},
		{"search_memories", `{"term":"alpha"}`}, {"search_memories", `{"term":"beta memory","limit":1}`},
		{"search_memories", `{"term":"gam*","tags":["red"]}`},
		{"search_memories", `{"term":"alpha","origin":"claude","detail":"full"}`},
		{"search_memories", `{"term":"nothing at all"}`},
		{"get_memories_by_tag", `{"tags":["red"]}`}, {"get_memories_by_tag", `{"tags":["red","blue"],"limit":1}`},
		{"get_memory_by_id", `{"id":"` + id.String() + `"}`},
		{"get_memory_by_id", `{"id":"` + id.Short() + `"}`}, {"get_sources", `{"memory_id":"` + id.Short() + `"}`},
		{"context", `{"goal":"alpha"}`}, {"context", `{"goal":"nothing at all","limit":3}`},
		{"context", `{"goal":"beta","max_tokens":200,"intent":"decide"}`}, {"context", `{"goal":"red","domain":"fact"}`},
		{"context", `{"goal":"gamma","session_id":"watched","fresh":true,"max_tokens":300}`},
		{"context", `{"goal":"gamma","session_id":"watched"}`},
		{"search", `{"query":"alpha"}`}, {"search", `{"query":"nothing at all"}`},
		{"fetch", `{"id":"` + id.String() + `"}`}, {"fetch", `{"id":"` + id.Short() + `#2"}`},
		{"get_latest_memory", `{}`}, {"get_latest_memory", `{"tag":"blue"}`},
		{"read_team_memories", `{}`}, {"share_memory", `{"memory_id":"` + id.String() + `"}`},
	} {
		tool(call[0], call[1])
	}
	asOf := `"as_of":"` + r.w.clock.Now().Add(time.Hour).Format(time.RFC3339) + `"`
	for _, call := range [][2]string{
		{"recall_memories", `{"query":"alpha","include_superseded":true}`},
		{"recall_memories", `{"query":"alpha",` + asOf + `}`},
		{"recall_memories", `{"query":"alpha","known_at":"` + r.w.clock.Now().Format(time.RFC3339) + `"}`},
		{"recall_memories", `{"query":"lph"}`}, {"recall_memories", `{"query":"alpha","pinned":true,"limit":1}`},
		{"recall_memories", `{"query":"alpha","key":"alpha"}`},
		{"search_memories", `{"term":"alpha",` + asOf + `}`}, {"get_sources", `{"memory_id":"` + id.String() + `"}`},
		{"list_suggestions", `{}`}, {"read_memory_node", `{"id":"` + id.String() + `"}`},
	} {
		tool(call[0], call[1])
	}
	nodes, _ := tool("list_memory_nodes", `{}`)["memory_nodes"].([]any)
	for _, node := range nodes {
		tool("read_memory_node", fmt.Sprintf(`{"id":%q}`, node.(map[string]any)["id"]))
		tool("read_memory_node", fmt.Sprintf(`{"id":%q,"budget":60}`, node.(map[string]any)["id"]))
	}
	for cursor := ""; ; {
		page := tool("browse_memories", fmt.Sprintf(`{"limit":3,"cursor":%q}`, cursor))
		var more bool
		if cursor, more = page["next_cursor"].(string); !more {
			break
		}
	}
	for _, uri := range []string{"loci://briefing", "loci://briefing.json", "loci://memory/" + id.String(),
		"loci://memory/" + id.Short()} {
		ask("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
	}
	ask("prompts/get", `{"name":"recall","arguments":{"topic":"alpha beta"}}`)
	ask("prompts/get", `{"name":"recall","arguments":{"topic":"`+id.String()+`"}}`)
	ask("prompts/get", `{"name":"session_start"}`)
	ask("prompts/get", `{"name":"remember","arguments":{"text":"alpha"}}`)
	for _, list := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		ask(list, "{}")
	}
	return out.String()
}
