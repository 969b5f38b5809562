package app_test

import (
	"slices"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
)

// pending returns the rows of each pending suggestion that p sees.
func (w *graphWorld) pending(p loci.Principal) (list [][]string, ids []loci.SuggestionID) {
	w.t.Helper()
	page, err := w.Memory.Suggestions(w.t.Context(), p, memory.SuggestionsRequest{State: loci.SuggestionPending})
	w.must(err)
	for _, sg := range page.Items {
		var rows []string
		for _, row := range sg.Graph.Rows {
			rows = append(rows, row.Kind+" "+row.Text+" by "+row.Origin)
		}
		list, ids = append(list, rows), append(ids, sg.ID)
	}
	return list, ids
}

func TestAgentsSuggestToDeleteWhatOthersWrote(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	ctx := t.Context()
	w.put(w.claude, nil, ent("Ann", "person", "tall"), ent("Bob", "person"), ent("Own", "doc", "mine"))
	w.put(w.cursor, nil, ent("Cur", "doc", "his"))
	w.relate(w.claude, rel("Ann", "knows", "Bob"))
	_, err := w.Graph.AddObservations(ctx, w.cursor, w.open, nil, []loci.Contents{obs("Bob", "kind")})
	w.must(err)
	all := w.text(w.olga)

	check := func(what string, d graph.Deleted, err error, deleted int, rows ...string) loci.SuggestionID {
		t.Helper()
		w.must(err)
		list, ids := w.pending(w.olga)
		if d.Count != deleted || d.Suggestion == nil || len(list) == 0 || !slices.Equal(list[0], rows) {
			t.Fatalf("%s: deleted %d, suggested %d: %q", what, d.Count, d.Suggested(), list)
		}
		again, _ := w.pending(w.claude)
		if len(again) != len(list) {
			t.Errorf("%s: claude sees %d of %d suggestions", what, len(again), len(list))
		}
		return ids[0]
	}
	decline := func(id loci.SuggestionID) {
		t.Helper()
		_, err := w.Memory.DeclineSuggestion(ctx, w.olga, id)
		w.must(err)
	}

	d, err := w.Graph.DeleteObservations(ctx, w.cursor, w.open, []loci.Contents{obs("Ann", "tall")})
	decline(check("observation", d, err, 0, "observation Ann: tall by claude"))
	d, err = w.Graph.DeleteRelations(ctx, w.cursor, w.open, []loci.NewRelation{rel("Ann", "knows", "Bob")})
	decline(check("relation", d, err, 0, "relation Ann → knows → Bob by claude"))
	d, err = w.Graph.Merge(ctx, w.cursor, w.open, named("Ann"), named("Cur"))
	decline(check("merge", d, err, 0, "entity Ann (person) → Cur by claude", "observation Ann: tall by claude",
		"relation Ann → knows → Bob by claude"))
	// Bob is claude's, but cursor's observation hangs on it.
	d, err = w.Graph.DeleteEntities(ctx, w.claude, w.open, refs("Bob"))
	decline(check("carrying", d, err, 0, "entity Bob (person) by claude", "observation Bob: kind by cursor",
		"relation Ann → knows → Bob by claude"))
	wantText(t, w.text(w.olga), all)

	// What the call names of its own leaves at once, and a repetition suggests nothing more.
	d, err = w.Graph.DeleteEntities(ctx, w.claude, w.open, refs("Own", "Cur"))
	id := check("mixed", d, err, 1, "entity Cur (doc) by cursor", "observation Cur: his by cursor")
	d, err = w.Graph.DeleteEntities(ctx, w.claude, w.open, refs("Own", "Cur"))
	if again := check("again", d, err, 0, "entity Cur (doc) by cursor", "observation Cur: his by cursor"); again != id {
		t.Errorf("a second suggestion %s", again)
	}
	if _, err := w.Memory.AcceptSuggestion(ctx, w.claude, id, false); loci.CodeOf(err) != loci.Forbidden {
		t.Errorf("an agent accepts: %v", err)
	}
	noGraphs := w.olga
	noGraphs.Rights = []loci.Right{loci.RightRead, loci.RightWrite}
	if _, err := w.Memory.AcceptSuggestion(ctx, noGraphs, id, false); loci.CodeOf(err) != loci.Forbidden {
		t.Errorf("a key without the right to graphs accepts: %v", err)
	}
	sg, err := w.Memory.AcceptSuggestion(ctx, w.olga, id, false)
	w.must(err)
	wantText(t, w.text(w.olga), "Ann/person\n  tall\nBob/person\n  kind\nAnn -knows-> Bob\n")
	if _, err := w.Memory.AcceptSuggestion(ctx, w.olga, id, false); loci.CodeOf(err) != loci.Conflict {
		t.Errorf("accepted twice: %v", err)
	}
	_, err = w.Graph.RestoreEntities(ctx, w.olga, w.open, sg.Graph.GraphIDs)
	w.must(err)
	wantText(t, w.text(w.olga), "Ann/person\n  tall\nBob/person\n  kind\nCur/doc\n  his\nAnn -knows-> Bob\n")

	// An accepted merge is the same as a person's.
	d, err = w.Graph.Merge(ctx, w.cursor, w.open, named("Ann"), named("Cur"))
	id = check("merge", d, err, 0, "entity Ann (person) → Cur by claude", "observation Ann: tall by claude",
		"relation Ann → knows → Bob by claude")
	_, err = w.Memory.AcceptSuggestion(ctx, w.olga, id, false)
	w.must(err)
	wantText(t, w.text(w.olga), "Bob/person\n  kind\nCur/doc\n  his\n  tall\nCur -knows-> Bob\n")
}

// People in a project delete what others wrote. What they accepted stays in the list of accepted suggestions.
func TestPeopleDeleteWhatOthersWrote(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	ctx := t.Context()
	w.put(w.olga, nil, ent("Ann", "person"), ent("Bob", "person"))
	d, err := w.Graph.DeleteEntities(ctx, w.tom, w.open, refs("Ann"))
	if err != nil || d.Count != 1 || d.Suggestion != nil {
		t.Errorf("another person: %+v, %v", d, err)
	}
	w.must(second(w.Graph.DeleteEntities(ctx, w.claude, w.open, refs("Bob"))))
	_, ids := w.pending(w.olga)
	w.must(second(w.Memory.AcceptSuggestion(ctx, w.olga, ids[0], false)))
	list, err := w.Memory.Suggestions(ctx, w.olga, memory.SuggestionsRequest{State: loci.SuggestionAccepted})
	if err != nil || len(list.Items) != 1 || len(list.Items[0].Graph.Rows) != 1 {
		t.Errorf("accepted ones: %+v, %v", list.Items, err)
	}
}

func TestSuggestionsAboutGraphsAreAsVisibleAsTheirRows(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	ctx := t.Context()
	w.put(w.cursor, []loci.Vendor{"cursor", "claude"}, ent("Both", "doc"))
	w.put(w.claude, nil, ent("Mine", "doc"))
	_, err := w.Graph.AddObservations(
		ctx,
		w.cursor,
		w.open,
		[]loci.Vendor{"cursor"},
		[]loci.Contents{obs("Mine", "hidden")},
	)
	w.must(err)
	// To claude, nothing of another origin hangs on the entity.
	d, err := w.Graph.DeleteEntities(ctx, w.claude, w.open, refs("Mine", "Both"))
	w.must(err)
	if d.Count != 1 || d.Suggested() != 1 {
		t.Errorf("deleted %d, suggested %d", d.Count, d.Suggested())
	}
	third := w.claude
	third.Vendor, third.Origin = "gemini", "gemini"
	stranger := w.olga
	stranger.ProjectIDs = nil
	for what, p := range map[string]loci.Principal{"a vendor that may not read the row": third, "no member": stranger} {
		if list, _ := w.pending(p); len(list) != 0 {
			t.Errorf("%s sees %q", what, list)
		}
		if _, err := w.Memory.Suggestion(ctx, p, d.Suggestion.ID); loci.CodeOf(err) != loci.NotFound {
			t.Errorf("%s: %v", what, err)
		}
	}
	// When the row has left the graph, no one can accept, and the list leaves the suggestion out.
	_, err = w.Graph.DeleteEntities(ctx, w.olga, w.open, refs("Both"))
	w.must(err)
	if list, _ := w.pending(w.olga); len(list) != 0 {
		t.Errorf("pending: %q", list)
	}
	if _, err := w.Memory.AcceptSuggestion(ctx, w.olga, d.Suggestion.ID, false); loci.CodeOf(err) != loci.Conflict {
		t.Errorf("accepted what is gone: %v", err)
	}
}
