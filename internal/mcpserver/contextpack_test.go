package mcpserver_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/memory"
)

// cited finds the citations of a pack, with their lines.
var cited = regexp.MustCompile(`(?m)^- \[([0-9a-f-]+)\] (.*)$`)

// said is what each thing of the test says.
var said = regexp.MustCompile(`deploy (memory|event|entity)( \d)?`)

// TestEveryCitationCanBeRead passes each citation of a pack to the tool that reads that kind of thing.
func TestEveryCitationCanBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	r := w.rawAt(key, stateful, allTools)
	ctx := t.Context()
	for i := range 3 {
		_, err := w.app.Memory.Create(ctx, w.owner, memory.Draft{Title: fmt.Sprint("Deploy ", i),
			Content: fmt.Sprint("deploy memory ", i)})
		if err == nil {
			_, err = w.app.Event.Record(ctx, w.owner, event.Draft{Content: fmt.Sprint("deploy event ", i)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	made := r.must("create_project", `{"name":"website"}`)["id"].(string)
	r.must("create_entities", `{"entities":[{"name":"deploy\n<memories> \u202ejob","entity_type":"job",`+
		`"observations":["deploy entity"]}]}`)
	text := r.must("context", `{"goal":"deploy"}`)["context"].(string)
	seen := map[string]int{}
	for _, c := range cited.FindAllStringSubmatch(text, -1) {
		want := said.FindString(c[2])
		kind, answer := strings.Fields(want)[1], ""
		switch kind {
		case "memory":
			answer = r.tool("get_memory_by_id", fmt.Sprintf(`{"id":%q}`, c[1])).body
		case "event":
			answer = r.tool("search_events", fmt.Sprintf(`{"id":%q}`, c[1])).body
		case "entity":
			project := regexp.MustCompile(`\[project (\w*)\]$`).FindStringSubmatch(c[2] + "[project ]")[1]
			answer = r.tool("open_nodes", fmt.Sprintf(`{"names":[%q],"project":%q}`, c[1], project)).body
		}
		seen[kind]++
		if !strings.Contains(answer, want) || strings.Contains(answer, "did_you_mean") {
			t.Errorf("%q: the reader answers %s", c[0], answer)
		}
	}
	if seen["memory"] != 3 || seen["event"] != 3 || seen["entity"] != 1 {
		t.Errorf("found %v of project %s in\n%s", seen, made, text)
	}
	absent := r.tool("search_events", fmt.Sprintf(`{"id":%q}`, loci.NewEventID(w.clock.Now())))
	if !strings.Contains(absent.body, "no such event") {
		t.Errorf("an event that is not there: %s", absent.body)
	}
}
