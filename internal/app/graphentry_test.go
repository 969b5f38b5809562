package app_test

import (
	"context"
	"errors"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// shut is a store whose graphs must not be opened.
type shut struct {
	store.Store
	opened *int
}

func (s shut) ViewProject(ctx context.Context, o loci.OrgID, id loci.ProjectID, fn func(store.GraphTx) error) error {
	*s.opened++
	return s.Store.ViewProject(ctx, o, id, fn)
}

func (s shut) UpdateProject(ctx context.Context, o loci.OrgID, id loci.ProjectID, fn func(store.GraphTx) error) error {
	*s.opened++
	return s.Store.UpdateProject(ctx, o, id, fn)
}

// TestOutsidersOpenNoGraph requires that a call from outside a project neither reads its graph nor waits for
// its writers, so that it takes as long as for a project that does not exist.
func TestOutsidersOpenNoGraph(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	ctx := t.Context()
	w.put(w.olga, nil, ent("Quagga", "animal", "the quagga is striped"))
	opened := 0
	a := app.New(app.Options{Store: shut{w.st, &opened}, Now: w.clock})
	for what, do := range map[string]func() error{
		"a read":   func() error { return second(a.Graph.Read(ctx, w.tom, w.closed, graph.ListRequest{})) },
		"a change": func() error { return second(a.Graph.DeleteEntities(ctx, w.tom, w.closed, refs("Quagga"))) },
	} {
		if err := do(); loci.CodeOf(err) != loci.NotFound || opened != 0 {
			t.Errorf("%s: got %v, and it opened %d graphs", what, err, opened)
		}
	}
	elsewhere := w.olga // in a workspace that the projects are not in
	elsewhere.WorkspaceID = loci.NewWorkspaceID()
	for _, tt := range []struct {
		name           string
		who            loci.Principal
		in             loci.ProjectID
		opened, entity int
	}{
		{"of a project of theirs", w.tom, w.open, 1, 1},
		{"of all projects of theirs", w.tom, loci.ProjectID{}, 1, 1},
		{"of a project of others", w.tom, w.closed, 0, 0},
		{"in another workspace", elsewhere, w.open, 1, 0},
	} {
		opened = 0
		found, err := a.Memory.Gather(ctx, tt.who, memory.SearchRequest{Query: "quagga",
			Filter: memory.Filter{ProjectID: tt.in}})
		if err != nil || opened != tt.opened || len(found.Graph) != tt.entity {
			t.Errorf("a search %s: it opened %d graphs and found %+v, %v", tt.name, opened, found, err)
		}
	}
}

// TestAGraphChangesOnlyOnRecord requires that no vendor is admitted to a row of a graph, and no row imported, if
// the trail does not record it.
func TestAGraphChangesOnlyOnRecord(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	ctx := t.Context()
	put := w.put(w.olga, []loci.Vendor{"claude"}, ent("Plan", "doc"))
	for what, do := range map[string]func() error{
		"admit": func() error {
			return second(w.Graph.SetVendors(ctx, w.olga, w.open, graph.IDs{Entities: []loci.EntityID{put[0].Entity.ID}},
				[]loci.Vendor{"*"}))
		},
		"import": func() error { return second(graphCalls["import"](ctx, w, w.olga, w.open)) },
		"export": func() error { return second(graphCalls["export"](ctx, w, w.olga, w.open)) },
	} {
		w.st.broken = true
		err := do()
		w.st.broken = false
		if !errors.Is(err, errNoTrail) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	wantText(t, w.text(w.cursor), "")
	wantText(t, w.text(w.olga), "Plan/doc\n")
}

// TestSuggestionsAboutHiddenRows requires that a suggestion is not there for an agent that sees none of its rows, and
// that a person still reads one whose rows are gone.
func TestSuggestionsAboutHiddenRows(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	ctx := t.Context()
	w.put(w.olga, nil, ent("Plan", "doc", "secret"))
	d, err := w.Graph.DeleteEntities(ctx, w.claude, w.open, refs("Plan"))
	w.must(err)
	w.must(second(w.Memory.Suggestion(ctx, w.claude, d.Suggestion.ID)))
	w.must(second(w.Graph.DeleteEntities(ctx, w.olga, w.open, refs("Plan"))))
	wantCode(t, second(w.Memory.Suggestion(ctx, w.claude, d.Suggestion.ID)), loci.NotFound)
	if sg, err := w.Memory.Suggestion(ctx, w.olga, d.Suggestion.ID); err != nil || len(sg.Graph.Rows) != 0 {
		t.Errorf("a person gets %+v, %v", sg, err)
	}
}

// TestADecidedSuggestionStays requires that a suggestion which was declined deletes nothing when it is accepted after
// all, of a graph and of a memory.
func TestADecidedSuggestionStays(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	ctx := t.Context()
	w.put(w.olga, nil, ent("Plan", "doc"))
	d, err := w.Graph.DeleteEntities(ctx, w.claude, w.open, refs("Plan"))
	w.must(err)
	old := w.add(w.olga, titled("old"))
	by, err := w.Memory.Create(ctx, w.claude, titled("new", supersedes(old.ID)))
	w.must(err)
	for what, id := range map[string]loci.SuggestionID{"a graph": d.Suggestion.ID, "a memory": by.Suggestions[0].ID} {
		w.must(second(w.Memory.DeclineSuggestion(ctx, w.olga, id)))
		refused(t, what, second(w.Memory.AcceptSuggestion(ctx, w.olga, id, false)), loci.Conflict,
			"the suggestion has been declined already")
	}
	wantText(t, w.text(w.olga), "Plan/doc\n")
	w.must(second(w.Memory.Get(ctx, w.olga, old.ID)))
}
