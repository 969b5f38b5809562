package app_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/task"
	"github.com/loci-memory/loci/internal/transfer"
)

// house is what a person has who moves to another Loci.
type house struct {
	*projectWorld
	olga, mia loci.Principal
	home      loci.Project
	memory    *loci.Memory
	work      loci.SessionID
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{projectWorld: newProjectWorld(t, loci.DeleteWithKey)}
	ctx, claude := t.Context(), h.who["agent"]()
	var err error
	h.home, err = h.Project.Create(ctx, claude, project.Draft{Name: "home", Description: "the house"})
	h.must(err)
	claude = h.who["agent"]()
	h.memory = h.add(claude, memory.Draft{Title: "boiler", Content: "the boiler", Scope: loci.ScopeProject,
		ProjectID: h.home.ID, AllowedVendors: []loci.Vendor{"claude"}})
	put, err := h.Graph.CreateEntities(ctx, claude, h.home.ID, []loci.Vendor{"claude"},
		[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: "boiler", Type: "x"}, Observations: []string{"hums"}},
			{EntityRef: loci.EntityRef{Name: "cellar", Type: "x"}}})
	h.must(err)
	h.must(second(h.Graph.CreateRelations(ctx, claude, h.home.ID, nil, []loci.NewRelation{{
		From: loci.EntityRef{Name: "boiler"}, To: loci.EntityRef{Name: "cellar"}, Type: "is_in"}})))
	h.must(second(h.Task.Create(ctx, claude, task.Draft{Project: "home", Title: "sweep"})))
	work, err := h.Agent.CreateSession(ctx, claude, agent.SessionDraft{Title: "repair", ProjectID: h.home.ID})
	h.must(err)
	h.work = work.ID
	for _, text := range []string{"it hums", "it stopped"} {
		h.must(second(h.Event.Record(ctx, claude, event.Draft{Content: text, Session: work.ID.String()})))
	}
	h.must(second(h.Event.Record(ctx, claude, event.Draft{Content: "alone", ProjectID: h.home.ID})))
	h.must(second(h.Agent.CloseSession(ctx, claude, work.ID.String())))
	h.must(second(h.Review.Reflect(ctx, claude, review.Notes{Content: "Decision: we keep the boiler.\n", Project: "home",
		Persist: true, PersistReview: true, PersistSource: true})))
	h.must(second(h.Review.Reflect(ctx, claude, review.Notes{Content: "Nothing to keep.", Project: "home",
		Persist: true, PersistReview: true, PersistSource: true}))) // notes alone
	h.olga, h.mia = h.session(h.projectWorld.olga), h.who["member"]()
	page, err := h.Node.Create(ctx, h.olga, node.Draft{Name: "house"})
	h.must(err)
	h.must(second(h.Node.AddItem(ctx, h.olga, page.ID, node.ItemDraft{Kind: loci.ItemEntity, ProjectID: h.home.ID,
		EntityID: put[0].Entity.ID})))
	old, err := h.Project.Create(ctx, h.olga, project.Draft{Name: "old flat"})
	h.must(err)
	h.olga = h.session(h.projectWorld.olga) // who belongs to it now
	h.must(second(h.Project.Archive(ctx, h.olga, old.ID)))
	// In the project of both, each has an entity, and an observation of the other's.
	for _, p := range []loci.Principal{h.olga, h.mia} {
		h.must(second(h.Graph.CreateEntities(ctx, p, h.closed.ID, nil,
			[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: "of " + p.UserID.String()[:4], Type: "x"}}})))
	}
	h.must(second(h.Graph.AddObservations(ctx, h.olga, h.closed.ID, nil, []loci.Contents{{
		Entity: loci.EntityRef{Name: "of " + h.mia.UserID.String()[:4]}, Contents: []string{"hangs on another's"}}})))
	h.must(second(h.Event.Record(ctx, h.mia, event.Draft{Content: "mia's secret", ProjectID: h.closed.ID})))
	h.add(h.mia, memory.Draft{Title: "mia's secret", Content: "x", Scope: loci.ScopeProject, ProjectID: h.closed.ID})
	return h
}

func (h *house) exported(t *testing.T, p loci.Principal) (string, transfer.ExportEnd) {
	t.Helper()
	var out bytes.Buffer
	end, err := h.Transfer.Export(t.Context(), p, &out)
	h.must(err)
	return out.String(), end
}

func TestMovingHouse(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first, end := h.exported(t, h.olga)
	want := map[string]int{"memory": 1, "event": 3, "session": 1, "task": 1, "node": 1, "candidate": 1, "note": 2,
		"project": 3, "entity": 3, "observation": 1, "relation": 1}
	if diff := cmp.Diff(want, end.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"graphs of archived projects: 1",
		"rows of graphs that are other people's, or hang on those: 2"}, end.LeftOut); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	for _, other := range []string{"mia's secret", "hangs on another's", h.olga.UserID.String(), h.mia.UserID.String()} {
		if strings.Contains(first, other) {
			t.Errorf("the export has %q", other)
		}
	}

	// Into a fresh Loci: the same ids and lines. Into another org of this Loci: other ids for the projects.
	fresh := &house{projectWorld: &projectWorld{stage: newStage(t, loci.DeleteWithKey)}}
	for name, to := range map[string]struct {
		*house
		local loci.Principal
	}{"fresh": {fresh, fresh.local}, "other org": {h, h.operator("other")}} {
		for round := range 2 {
			got, problems := importedTo(t, to.house, to.local, first)
			if all := records(first); problems != "" || got.Added != all*(1-round) || got.Present != all*round {
				t.Errorf("%s, round %d: %+v, %d rows\n%s", name, round, got, all, problems)
			}
		}
		to.local = to.operator(to.local.OrgID) // who belongs to the projects now
		moved, end := to.exported(t, to.local)
		if diff := cmp.Diff(want, end.Rows); diff != "" {
			t.Errorf("%s: rows (-want +got):\n%s", name, diff)
		}
		if name == "fresh" {
			if diff := cmp.Diff(body(first), body(moved)); diff != "" {
				t.Errorf("%s:\n%s", name, diff)
			}
		}
		to.checkLinks(t, name, to.local, h)
	}
}

// body is an export without what its last line says.
func body(export string) string { return export[:strings.LastIndex(export, `{"end":`)] }

func importedTo(t *testing.T, h *house, p loci.Principal, export string) (transfer.ImportReport, string) {
	t.Helper()
	return imported(t, &world{App: h.App, local: p}, export, transfer.ImportOptions{})
}

// checkLinks looks for everything of the house in its project, as it was.
func (h *house) checkLinks(t *testing.T, name string, p loci.Principal, from *house) {
	t.Helper()
	ctx := t.Context()
	home, err := h.Project.Find(ctx, p, "home")
	h.must(err)
	if home.Everyone || home.Members != 1 || home.Description != "the house" ||
		name == "fresh" && home.ID != from.home.ID {
		t.Errorf("%s: the project is %+v", name, home)
	}
	for what, n := range h.countIn(p, home.ID) {
		if what != "hits" && n == 0 {
			t.Errorf("%s: no %s in the project", name, what)
		}
	}
	m, err := h.Memory.Get(ctx, p, from.memory.ID)
	if err != nil || m.ProjectID != home.ID || m.Origin != "claude" ||
		!slices.Equal(m.AllowedVendors, []loci.Vendor{"claude"}) {
		t.Errorf("%s: the memory is %+v, %v", name, m, err)
	}
	events, err := h.Event.Search(ctx, p, event.SearchRequest{Filter: event.Filter{Session: from.work.String()}})
	if err != nil || len(events.Items) != 2 || events.Items[0].ProjectID != home.ID ||
		events.Items[0].Origin != "claude" {
		t.Errorf("%s: the session has %+v, %v", name, events.Items, err)
	}
	candidates, err := h.Review.List(ctx, p, review.ListRequest{Project: "home"})
	if err != nil || len(candidates.Items) != 1 || *candidates.Items[0].SuggestedScopeKey != home.ID.String() {
		t.Errorf("%s: the candidates are %+v, %v", name, candidates.Items, err)
	}
	flat, err := h.Project.Find(ctx, p, "old flat")
	if err != nil || flat.Status != loci.ProjectArchived {
		t.Errorf("%s: the archived project is %+v, %v", name, flat, err)
	}
}

// An import shares nothing: a project of the same name that others are in is another one.
func TestAnImportSharesNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	export, _ := h.exported(t, h.olga)
	for _, shared := range []bool{false, true} {
		to := &house{projectWorld: newProjectWorld(t, loci.DeleteWithKey)}
		local := to.operator("other") // in which there is nothing yet
		home, err := to.Project.Create(t.Context(), local, project.Draft{Name: "home", Everyone: &shared})
		h.must(err)
		_, problems := importedTo(t, to, local, export)
		local = to.operator("other")
		m, err := to.Memory.Get(t.Context(), local, h.memory.ID)
		if err != nil || problems != "" || (m.ProjectID == home.ID) == shared {
			t.Errorf("shared %t: the memory is in %s, the project is %s; %v %s", shared, m.ProjectID, home.ID, err, problems)
		}
		if other, err := to.Project.Get(t.Context(), local, m.ProjectID); err != nil || other.Everyone ||
			(other.Name == "home-2") != shared {
			t.Errorf("shared %t: the project is %+v, %v", shared, other, err)
		}
	}
}

// A key exports what it may read, and the last line names the rest.
func TestAnExportNamesWhatTheKeyMayNotRead(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p := h.olga
	p.Rights = []loci.Right{loci.RightRead}
	_, end := h.exported(t, p)
	for _, kind := range []string{"event", "candidate", "note", "project", "entity"} {
		if end.Rows[kind] != 0 {
			t.Errorf("the export has %d of %s", end.Rows[kind], kind)
		}
	}
	left := strings.Join(end.LeftOut, "\n")
	for _, what := range []string{"events, because", "candidates and their notes, because",
		"projects and their graphs, because"} {
		if !strings.Contains(left, what) {
			t.Errorf("left out: %s; want %s", left, what)
		}
	}
	if len(end.LeftOut) != 3 {
		t.Errorf("left out: %s; rows %v", left, slices.Sorted(maps.Keys(end.Rows)))
	}
}
