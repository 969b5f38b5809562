package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
)

// fill repeats a word up to n characters.
func fill(n int, word string) string { return strings.Repeat(word, n/len([]rune(word))) }

// hugeRows fills the data directory with rows of the largest size, or of what size makes of it, as claude. It returns
// the ids of a memory and of a node.
func (w *world) hugeRows(t *testing.T, r *raw, size func(int) int) (loci.MemoryID, loci.NodeID) {
	t.Helper()
	ctx := context.Background()
	claude, err := w.auth.Local(ctx, "claude")
	if err != nil {
		t.Fatal(err)
	}
	cursor, err := w.auth.Local(ctx, "cursor")
	if err != nil {
		t.Fatal(err)
	}
	outline, err := w.app.Node.Create(ctx, w.owner, node.Draft{Name: fill(loci.MaxName, "n"), Tags: []string{"all"}})
	if err != nil {
		t.Fatal(err)
	}
	var last loci.MemoryID
	for i := range 7 {
		tags := []string{"all"}
		for j := 1; j < loci.MaxTags; j++ {
			tags = append(tags, fmt.Sprintf("%02d%s", j, fill(loci.MaxTag-2, "標")))
		}
		word := []string{"word ", "記憶", "\"\n"}[i%3]
		d := memory.Draft{Title: fmt.Sprint(i, " ", fill(loci.MaxTitle-10, word), "x"),
			Content: "needle " + fill(size(90_000), word),
			Summary: new(fill(loci.MaxSummary, word)), Tags: tags,
			Key: fmt.Sprint(i, fill(loci.MaxKey-3, "鍵")), Pinned: new(true)}
		for range 6 {
			d.Sources = append(d.Sources, loci.Source{Kind: loci.SourceText, Ref: fmt.Sprint(len(d.Sources)),
				Text: fill(size(20_000), word), Quote: fill(loci.MaxQuote, word)})
		}
		saved, err := w.app.Memory.Create(ctx, claude, d)
		if err != nil {
			t.Fatal(err)
		}
		last = saved.ID
		if _, err := w.app.Memory.Share(ctx, claude, last); err != nil {
			t.Fatal(err)
		}
		if _, err := w.app.Memory.Create(ctx, cursor, memory.Draft{Title: "x", Content: fmt.Sprint("it is ", i),
			Supersedes: []loci.MemoryID{last}}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.app.Node.AddItem(ctx, w.owner, outline.ID,
			node.ItemDraft{Kind: loci.ItemMemory, MemoryID: last}); err != nil {
			t.Fatal(err)
		}
	}
	r.must("create_project", `{"name":"p","description":"`+fill(loci.MaxDescription, "d")+`"}`)
	return last, outline.ID
}

// hugeGraph returns arguments that create a graph with entities of many observations, long names
// and many relations.
func hugeGraph() (entities, observations, relations string) {
	var contents, more, names, links []string
	for i := range 300 {
		contents = append(contents, fmt.Sprintf(`"%d fact %s"`, i, fill(200, "word ")))
		more = append(more, fmt.Sprintf(`"%d more %s"`, i, fill(200, "記憶")))
	}
	for i := range 200 {
		names = append(names, fmt.Sprintf(`{"name":"%d %s","entity_type":"t","observations":["fact"]}`, i, fill(480, "名")))
		links = append(links, fmt.Sprintf(`{"from":"big","to":"%d %s","relation_type":"uses"}`, i, fill(480, "名")))
	}
	return `{"entities":[{"name":"big","entity_type":"t","observations":[` + strings.Join(contents, ",") + `]},` +
			`{"name":"old","entity_type":"t"},` + strings.Join(names, ",") + `]}`,
		`{"observations":[{"entity_name":"big","contents":[` + strings.Join(more, ",") + `]}]}`,
		`{"relations":[` + strings.Join(links, ",") + `]}`
}

// manyNotes are notes with many long candidates, and more that are left out.
func manyNotes(size int) string {
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("claim: %d %s", i, fill(size, []string{"word ", "記憶"}[i%2])))
	}
	return strings.Join(lines, `\n`)
}

// TestAnswersKeepToTheBudget calls every tool, resource and prompt on the largest rows. A new tool
// must get a line here.
func TestAnswersKeepToTheBudget(t *testing.T) {
	t.Parallel()
	for _, budget := range []int{mcpserver.DefaultAnswerTokens, mcpserver.MinAnswerTokens} {
		t.Run(fmt.Sprint(budget), func(t *testing.T) {
			t.Parallel()
			// Rows of the largest size meet the default. A smaller budget meets smaller rows, and cuts as much of them.
			size := func(n int) int { return n * budget / mcpserver.DefaultAnswerTokens }
			w := newWorld(t, func(o *mcpserver.Options) { o.AnswerTokens = budget })
			w.team("Platform", w.owner)
			_, key := w.key("claude")
			r := w.rawAt(key, stateful, allTools)
			id, outline := w.hugeRows(t, r, size)
			for i := range 25 {
				r.must("create_session", fmt.Sprintf(`{"agent":"%d%s"}`, i, fill(loci.MaxName-3, "名")))
				r.must("create_project", fmt.Sprintf(`{"name":"%d%s","description":"%s"}`, i, fill(loci.MaxName-3, "名"),
					fill(loci.MaxDescription, "述")))
			}
			r.must("switch_project", `{"name":"P"}`)
			entities, observations, relations := hugeGraph()
			candidate, second := w.proposed(t, "decision: "+fill(9_000, "word "), "claim: It rains")
			memoryID := fmt.Sprintf(`"memory_id":%q`, id)
			calls := [][2]string{
				{"create_entities", entities}, {"add_observations", observations}, {"create_relations", relations},
				{"search_memories", `{"term":"needle"}`}, {"search_memories", `{"term":"needle","limit":50,"detail":"full"}`},
				{"recall_memories", `{"query":"needle","limit":50,"detail":"full"}`},
				{"search", `{"query":"needle"}`}, {"fetch", fmt.Sprintf(`{"id":"%s#2"}`, id)},
				{"get_memories_by_tag", `{"tags":["all"],"limit":100}`}, {"read_memories", `{"limit":50,"detail":"full"}`},
				{"browse_memories", `{"limit":200}`}, {"get_memory_by_id", fmt.Sprintf(`{"id":%q}`, id.Short())},
				{"get_memory_by_id", fmt.Sprintf(`{"id":%q,"detail":"full"}`, id)},
				{"get_latest_memory", `{"tag":"all","detail":"full"}`}, {"read_team_memories", `{"limit":50}`},
				{"write_memory", `{"title":"` + fill(490, "word ") + `x","content":"needle ` + fill(size(90_000), "word ") + `"}`},
				{"update_memory", fmt.Sprintf(`{"id":%q,"summary":%q}`, id, fill(400, "word "))},
				{
					"share_memory",
					"{" + memoryID + "}",
				}, {"trash_memory", fmt.Sprintf(`{"id":%q}`, id)}, {"list_suggestions", `{"limit":200}`},
				{"add_sources", "{" + memoryID + `,"sources":[{"kind":"text","text":"` + fill(size(90_000), "word ") + `"}]}`},
				{"get_sources", "{" + memoryID + "}"},
				{"list_memory_nodes", `{}`}, {"read_memory_node", fmt.Sprintf(`{"id":%q,"budget":100000}`, outline)},
				{"create_session", `{"title":"t"}`},
				{"log_event", `{"content":"` + fill(size(90_000), "word ") + `"}`},
				{"log_event", `{"content":"` + fill(size(60_000), "記憶 ") + `","importance":9}`},
				{"log_decision", `{"decision":"` + fill(size(90_000), "word ") + `","reasoning":"` + fill(1990, "記憶") + `"}`},
				{"get_session_context", `{"max_tokens":100000}`}, {"get_session_context", `{}`},
				{"search_events", `{"limit":100}`},
				{"list_projects", `{}`}, {"get_current_project", `{}`}, {"switch_project", `{"name":"p"}`},
				{"remember", `{"content":"` + fill(size(90_000), "word ") + `"}`},
				{"reflect", `{"limit":25,"persist":true,"persist_review":true,"content":"` + manyNotes(size(3_000)) + `"}`},
				{"reflect", `{"limit":25,"content":"` + manyNotes(size(3_000)) + `"}`},
				{"context", `{"goal":"needle word","max_tokens":32000}`},
				{"list_candidates", `{"limit":100}`}, {"show_candidate", `{"id":"` + candidate + `"}`},
				{"edit_candidate", `{"id":"` + candidate + `","content":"` + fill(size(90_000), "記憶") + `"}`},
				{"merge_candidates", `{"id":"` + candidate + `","others":["` + second + `"]}`},
				{"decide_candidate", `{"id":"` + candidate + `","action":"reject"}`},
				{"create_task", `{"title":"huge","notes":"` + fill(9_900, "記憶") + `"}`},
				{"list_tasks", `{"limit":100}`}, {"update_task", `{"task_id":"huge","state":"done"}`},
				{"search_nodes", `{"query":"fact","limit":100}`}, {"search_nodes", `{"query":"fact","detail":"full"}`},
				{"open_nodes", `{"names":["big"]}`}, {"open_nodes", `{"names":["big"],"detail":"full","offset":7}`},
				{"read_graph", `{"limit":1}`}, {"read_graph", `{"limit":500}`}, {"read_graph", `{"detail":"full"}`},
				{"get_neighbors", `{"name":"big","hops":2,"limit":100}`},
				{"get_entity_history", `{"name":"big","limit":1000}`},
				{"merge_entities", `{"from":"old","into":"big"}`},
				{"delete_observations", `{"deletions":[{"entity_name":"big","observations":["none"]}]}`},
				{"delete_relations", `{"relations":[{"from":"big","to":"none","relation_type":"uses"}]}`},
				{"delete_entities", `{"names":["big"]}`}, {"list_deleted_nodes", `{"limit":1000}`},
				{"archive_project", `{"name":"p"}`}, {"restore_project", `{"name":"p"}`},
			}
			missing := mcpserver.ToolActions()
			// These answer with a number or one small row; the test of schemas calls them.
			for _, name := range []string{"create_project", "delete_project", "restore_nodes", "close_session"} {
				delete(missing, name)
			}
			for _, call := range calls {
				var result struct{ StructuredContent json.RawMessage }
				a := r.tool(call[0], call[1])
				if text := failure(t, a); text != "" {
					t.Fatalf("%s %.100s: %s", call[0], call[1], text)
				}
				a.result(t, &result)
				got := string(result.StructuredContent)
				checkBudget(t, call[0]+" "+cutTo(call[1], 60), got, budget)
				delete(missing, call[0])
			}
			if len(missing) > 0 {
				t.Errorf("not called: %v", slices.Sorted(maps.Keys(missing)))
			}
			for _, uri := range []string{"loci://briefing", "loci://briefing.json", "loci://memory/" + id.Short(),
				"loci://project/p/graph"} {
				a := r.call("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
				var result struct{ Contents []struct{ Text string } }
				a.result(t, &result)
				checkBudget(t, uri, result.Contents[0].Text, budget)
			}
			for _, params := range []string{`{"name":"recall","arguments":{"topic":"needle"}}`, `{"name":"session_start"}`} {
				var result struct {
					Messages []struct{ Content struct{ Text string } }
				}
				r.call("prompts/get", params).result(t, &result)
				checkBudget(t, params, result.Messages[0].Content.Text, budget)
			}
		})
	}
}

func cutTo(text string, n int) string { return text[:min(n, len(text))] }

// checkBudget also checks the size in bytes, of which a token has at most about four.
func checkBudget(t *testing.T, what, text string, budget int) {
	t.Helper()
	if n := mcpserver.Tokens(text); n > budget || len(text) > 4*budget {
		t.Errorf("%s: %d tokens, %d bytes; at most %d tokens are allowed: %.200s", what, n, len(text), budget, text)
	}
	if len(text) < 2 {
		t.Errorf("%s: the answer is empty", what)
	}
}
