package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/pack"
	"github.com/loci-memory/loci/internal/project"
)

// TestNearRowsComeLast has an event that matches, of which everything else in its session is no answer.
func TestNearRowsComeLast(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.session(w.owner)
	for i := range 6 {
		w.logged(in, fmt.Sprint("We keep the old parser of module ", strings.Repeat("x", i+1)))
	}
	w.logged(in, "The staging host is eu-2.")
	w.add(w.owner, memory.Draft{Title: "Hosts", Content: "Long list: " + strings.Repeat("words ", 60) + "staging."})
	for limit, near := range map[int]int{3: 1, 10: 3} {
		page, err := w.Memory.Recall(t.Context(), w.owner, memory.SearchRequest{Limit: limit,
			Query: "where is the staging host?"})
		w.must(err)
		if len(page.Items) != 1 || len(page.Events) != 1+near || page.Total != 2+near || page.Items[0].Rank > 2 {
			t.Errorf("limit %d: %d memories and %d events of %d; the memory is at %d", limit, len(page.Items),
				len(page.Events), page.Total, page.Items[0].Rank)
		}
	}
	got := w.context(w.owner, pack.Request{Goal: "where is the staging host?"})
	if strings.Contains(got.Context, "parser") || !strings.Contains(got.Context, "eu-2") {
		t.Errorf("the pack has what is only near a match:\n%s", got.Context)
	}
}

// TestAlikeEventsAreOne has more events of one text than a page, which differ in their numbers.
func TestAlikeEventsAreOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.session(w.owner)
	for i := range 30 {
		w.logged(in, fmt.Sprint("Mara: please look at step ", i+100))
	}
	w.logged(in, "Mara: please look at the roof")
	w.add(w.owner, memory.Draft{Title: "Diet", Content: "Mara is vegetarian since 2019."})
	page, err := w.Memory.Recall(t.Context(), w.owner, memory.SearchRequest{Limit: 5,
		Query: "what does vegetarian Mara look at"})
	w.must(err)
	alike := 0
	for _, e := range page.Events {
		alike += e.Alike
	}
	if len(page.Items) != 1 || len(page.Events) != 2 || alike != 29 || page.Total != 32 || page.NextCursor != "" {
		t.Errorf("%d memories, %d events and %d more, of %d", len(page.Items), len(page.Events), alike, page.Total)
	}
	got := w.context(w.owner, pack.Request{Goal: "what does vegetarian Mara look at"})
	if strings.Count(got.Context, "look at step") != 1 || !strings.Contains(got.Context, "[29 more like this]") {
		t.Errorf("the pack:\n%s", got.Context)
	}
}

// TestDecisionsHaveReasons asks for a decision by what was not chosen, in its project.
func TestDecisionsHaveReasons(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made, err := w.Project.Create(t.Context(), w.owner, project.Draft{Name: "shop"})
	w.must(err)
	who := w.owner
	who.ProjectIDs = []loci.ProjectID{made.ID}
	_, err = w.Event.Record(t.Context(), who, event.Draft{Content: "We use NATS.", Class: loci.EventDecision,
		Type: "decision", ProjectID: made.ID,
		Metadata: []byte(`{"reasoning":"one binary","alternatives":["Kafka","Redis"]}`)})
	w.must(err)
	const why = "We use NATS. Reason: one binary Not chosen: Kafka; Redis"
	if got := w.context(who, pack.Request{Goal: "why not Kafka", Project: "shop"}); !strings.Contains(got.Context, why) ||
		got.Project != "shop" {
		t.Errorf("the pack of %q:\n%s", got.Project, got.Context)
	}
}

// TestContextPackOfAProject has memories of the project, of another one and of none.
func TestContextPackOfAProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	who := w.owner
	ids := map[string]loci.ProjectID{}
	for _, name := range []string{"shop", "house"} {
		made, err := w.Project.Create(t.Context(), w.owner, project.Draft{Name: name})
		w.must(err)
		ids[name] = made.ID
		who.ProjectIDs = append(who.ProjectIDs, made.ID)
	}
	add := func(title, content, in string, pinned bool) *loci.Memory {
		d := memory.Draft{Title: title, Content: content, ProjectID: ids[in], Pinned: new(pinned)}
		if in != "" {
			d.Scope = loci.ScopeProject
		}
		return w.add(who, d)
	}
	pinned := add("Deploy day", "Deploy on Tuesdays only.", "", true)
	own := add("Deploys", "Run the deploy from atlas.", "shop", false)
	same := add("Deploys", "Run the deploy from atlas.", "", false)
	other := add("Kitchen", "The deploy of the kitchen is in May.", "house", true)
	got := w.context(who, pack.Request{Goal: "run the deploy", Project: "SHOP"})
	why := reasons(got)
	if got.Project != "shop" || got.ProjectID != ids["shop"] || why[pinned.ID.String()] != "pinned" ||
		why[own.ID.String()] != "match" || why[same.ID.String()] != "match" || why[other.ID.String()] != "" {
		t.Errorf("the pack of %q: %v\n%s", got.Project, why, got.Context)
	}
	if strings.Index(got.Context, own.ID.Short()) > strings.Index(got.Context, same.ID.Short()) {
		t.Errorf("what belongs to the project comes later:\n%s", got.Context)
	}
}

// TestPassagesHaveNoMarks has a text of which only a part has room.
func TestPassagesHaveNoMarks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	details := strings.Repeat("Section 7: backups. Details about backups. ", 90)
	w.add(
		w.owner,
		memory.Draft{
			Title: "Manual",
			Content: details + "The nightly backups of the database stay for 35 days. " + strings.Repeat(
				"More about backups. ",
				90,
			),
		},
	)
	got := w.context(w.owner, pack.Request{Goal: "how long do we keep backups", MaxTokens: 300})
	if strings.ContainsAny(got.Context, "\x02\x03") || strings.Contains(got.Context, "[U+") ||
		!strings.Contains(got.Context, "35 days") {
		t.Errorf("the pack:\n%s", got.Context)
	}
}

// TestForkedKeysDisagree has one key in a project and outside of it.
func TestForkedKeysDisagree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made, err := w.Project.Create(t.Context(), w.owner, project.Draft{Name: "house"})
	w.must(err)
	who := w.owner
	who.ProjectIDs = []loci.ProjectID{made.ID}
	w.add(who, memory.Draft{Title: "Kitchen", Key: "kitchen.budget", Content: "19,500 euros", Scope: loci.ScopeProject,
		ProjectID: made.ID})
	second, err := w.Memory.Create(t.Context(), who, memory.Draft{Title: "Kitchen", Key: "kitchen.budget",
		Content: "21,000 euros"})
	w.must(err)
	if len(second.Similar) != 1 {
		t.Errorf("the save names %v", second.Similar)
	}
	page, err := w.Memory.Recall(t.Context(), who, memory.SearchRequest{Query: "kitchen budget"})
	w.must(err)
	for _, m := range page.Items {
		if len(m.DisputedBy) != 1 {
			t.Errorf("%s is disputed by %v", m.Content, m.DisputedBy)
		}
	}
	if len(page.Items) != 2 {
		t.Errorf("found %d", len(page.Items))
	}
	w.must(func() error { _, err := w.Memory.Trash(t.Context(), who, second.ID, 0); return err }())
	if m, err := w.Memory.Get(t.Context(), who, second.ID); err != nil || len(m.DisputedBy) > 0 {
		t.Errorf("in the trash, it is disputed by %v, %v", m, err)
	}
}
