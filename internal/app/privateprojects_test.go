package app_test

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/task"
)

// What an assistant puts into a project that it has made is its person's alone, until the person shares the project.
func TestAProjectOfAnAssistantIsItsPersonsAlone(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx := t.Context()
	claude := w.who["agent"]()
	wantCode(t, second(w.Project.Create(ctx, claude, project.Draft{Name: "house", Everyone: new(true)})), loci.Forbidden)
	house, err := w.Project.Create(ctx, claude, project.Draft{Name: "house", Everyone: new(false)})
	w.must(err)
	if got := house.People(claude); got != "you alone" {
		t.Errorf("in the new project: %s", got)
	}
	claude = w.who["agent"]() // which belongs to it now
	w.add(claude, memory.Draft{Title: "quagga", Content: "the quagga", Scope: loci.ScopeProject, ProjectID: house.ID})
	w.must(second(w.Graph.CreateEntities(ctx, claude, house.ID, nil,
		[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: "quagga", Type: "x"}}})))
	w.must(second(w.Task.Create(ctx, claude, task.Draft{Project: "house", Title: "quagga"})))
	w.must(second(w.Agent.CreateSession(ctx, claude, agent.SessionDraft{Title: "quagga", ProjectID: house.ID})))
	w.must(second(w.Event.Record(ctx, claude, event.Draft{Content: "quagga", ProjectID: house.ID})))
	w.must(second(w.Review.Reflect(ctx, claude, review.Notes{Content: "Decision: we keep the quagga.\n", Project: "house",
		Persist: true, PersistReview: true, PersistSource: true})))

	sees := func(who string, want bool) {
		t.Helper()
		p := w.who[who]()
		for what, got := range w.countIn(p, house.ID) {
			if (got > 0) != want {
				t.Errorf("%s sees %d of %s, want some: %t", who, got, what, want)
			}
		}
	}
	others := []string{"member", "member's", "anybody", "org admin", "org owner"}
	sees("agent", true)
	for _, who := range others {
		sees(who, false)
	}
	olga := w.session(w.olga)
	w.must(w.Project.PutMember(ctx, olga, house.ID, loci.ProjectMember{UserID: w.who["member"]().UserID,
		Role: loci.Member}))
	sees("member's", true)
	sees("anybody", false)
	opened, err := w.Project.Change(ctx, olga, house.ID, project.Patch{Everyone: new(true)})
	w.must(err)
	for _, who := range others {
		sees(who, true)
	}
	if got := opened.People(olga); got != "everybody in the org" || opened.Members != 2 {
		t.Errorf("in the opened project: %s, %d members", got, opened.Members)
	}
}

// countIn counts what p finds of the project, by every way to find it.
func (w *projectWorld) countIn(p loci.Principal, id loci.ProjectID) map[string]int {
	w.t.Helper()
	ctx := w.t.Context()
	memories, err := w.Memory.List(ctx, p, memory.ListRequest{})
	w.must(err)
	found, err := w.Memory.Search(ctx, p, memory.SearchRequest{Query: "quagga"})
	w.must(err)
	candidates, err := w.Review.List(ctx, p, review.ListRequest{})
	w.must(err)
	sessions, err := w.Agent.Sessions(ctx, p, agent.SessionList{})
	w.must(err)
	events, err := w.Event.Search(ctx, p, event.SearchRequest{})
	w.must(err)
	projects, err := w.Project.List(ctx, p, project.ListRequest{})
	w.must(err)
	named := 0
	for _, x := range projects.Items {
		if x.ID == id {
			named++
		}
	}
	tasks, err := w.Task.List(ctx, p, task.ListRequest{Project: id.String()})
	if loci.CodeOf(err) == loci.Invalid {
		tasks, err = gate.Page[loci.Task]{}, nil
	}
	w.must(err)
	entities, err := w.Graph.Read(ctx, p, id, graph.ListRequest{})
	if loci.CodeOf(err) == loci.NotFound {
		entities, err = &graph.Page{}, nil
	}
	w.must(err)
	return map[string]int{"memories": len(memories.Items), "hits": len(found.Items), "candidates": len(candidates.Items),
		"sessions": len(sessions.Items), "events": len(events.Items), "projects": named, "tasks": len(tasks.Items),
		"entities": len(entities.Entities)}
}
