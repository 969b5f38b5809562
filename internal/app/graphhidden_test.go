package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/graph"
)

// graphCalls are all calls about a graph, with arguments that fit.
var graphCalls = map[string]func(context.Context, *graphWorld, loci.Principal, loci.ProjectID) (any, error){
	"create": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.CreateEntities(ctx, p, in, nil, []loci.NewEntity{ent("Plan", "doc", "new")})
	},
	"observe": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.AddObservations(ctx, p, in, nil, []loci.Contents{obs("Plan", "new")})
	},
	"relate": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.CreateRelations(ctx, p, in, nil, []loci.NewRelation{rel("Plan", "is", "Plan")})
	},
	"delete": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.DeleteEntities(ctx, p, in, refs("Plan"))
	},
	"forget": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.DeleteObservations(ctx, p, in, []loci.Contents{obs("Plan", "secret")})
	},
	"part": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.DeleteRelations(ctx, p, in, []loci.NewRelation{rel("Plan", "is", "Plan")})
	},
	"restore": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.RestoreEntities(ctx, p, in, graph.IDs{Entities: []loci.EntityID{{9}}})
	},
	"merge": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.Merge(ctx, p, in, named("Plan"), graph.Which{ID: loci.EntityID{9}})
	},
	"vendors": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.SetVendors(ctx, p, in, graph.IDs{Entities: []loci.EntityID{{9}}}, []loci.Vendor{"*"})
	},
	"check": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.Check(ctx, p, in, true)
	},
	"search": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.Search(ctx, p, in, graph.SearchRequest{Query: "secret"})
	},
	"open": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.OpenEntities(ctx, p, in, refs("Plan", "Pla"))
	},
	"read": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.Read(ctx, p, in, graph.ListRequest{})
	},
	"entity": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.Entity(ctx, p, in, named("Plan"))
	},
	"observations": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.EntityObservations(ctx, p, in, named("Plan"), graph.ListRequest{})
	},
	"relations": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.EntityRelations(ctx, p, in, named("Plan"), graph.ListRequest{})
	},
	"neighbours": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.Neighbours(ctx, p, in, named("Plan"), 2, 0)
	},
	"history": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.EntityHistory(ctx, p, in, named("Plan"), 0)
	},
	"trash": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.Trash(ctx, p, in, 0)
	},
	"export": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		var b strings.Builder
		err := w.Graph.Export(ctx, p, in, graph.GraphLoci, &b)
		return b.String(), err
	},
	"draw": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		var b strings.Builder
		err := w.Graph.Draw(ctx, p, in, &b)
		return b.String(), err
	},
	"import": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.Import(ctx, p, in, strings.NewReader(`{"type":"entity","name":"Plan","entityType":"doc"}`),
			graph.ImportOptions{})
	},
	"rehearse": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Graph.Import(ctx, p, in, strings.NewReader(`{"type":"entity","name":"Plan","entityType":"doc"}`),
			graph.ImportOptions{DryRun: true})
	},
}

// outcome is everything that a caller can tell of an answer.
func outcome(t interface {
	Helper()
	Fatal(...any)
}, answer any, err error) string {
	t.Helper()
	b, jsonErr := json.Marshal(answer)
	if jsonErr != nil {
		t.Fatal(jsonErr)
	}
	if err != nil {
		return fmt.Sprintf("%s %s %s", loci.CodeOf(err), loci.FieldOf(err), err)
	}
	return string(b)
}

func TestAHiddenProjectAnswersLikeNone(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	ctx := t.Context()
	if _, err := w.Graph.CreateEntities(ctx, w.olga, w.closed, nil,
		[]loci.NewEntity{ent("Plan", "doc", "secret")}); err != nil {
		t.Fatal(err)
	}
	elsewhere := w.olga // in a workspace that the projects are not in, as workspaces may be turned on at any moment
	elsewhere.WorkspaceID = loci.NewWorkspaceID()
	limited := w.key(w.olga, auth.KeyRequest{ProjectIDs: []loci.ProjectID{w.open}})
	for _, state := range []string{"active", "archived"} {
		if state == "archived" {
			_, err := w.Project.Archive(ctx, w.olga, w.closed)
			w.must(err)
		}
		for name, call := range graphCalls {
			for who, p := range map[string]loci.Principal{"a colleague": w.tom, "another org": w.stage.local,
				"another workspace": elsewhere, "a limited key": limited} {
				answer, err := call(ctx, w, p, w.closed)
				got := outcome(t, answer, err)
				answer, err = call(ctx, w, p, loci.NewProjectID())
				if want := outcome(t, answer, err); got != want || err == nil {
					t.Errorf("%s of the %s project by %s: got %q, want %q", name, state, who, got, want)
				}
			}
			answer, err := call(ctx, w, w.local, w.closed)
			if state == "archived" && (loci.CodeOf(err) != loci.Conflict || !strings.Contains(err.Error(), "restore")) {
				t.Errorf("%s of the archived project by somebody in it: %v, %v", name, answer, err)
			}
		}
	}
	if _, err := w.Project.Restore(ctx, w.olga, w.closed); err != nil {
		t.Fatal(err)
	}
}

// Loci records an action on a graph before it happens, but none on a project that the caller may not enter.
func TestActionsOnHiddenGraphsAreNotRecorded(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	for _, name := range []string{"export", "vendors", "import", "rehearse"} {
		for which, in := range map[string]loci.ProjectID{"hidden": w.closed, "absent": loci.NewProjectID()} {
			w.st.entries = nil
			_, err := graphCalls[name](t.Context(), w, w.tom, in)
			if loci.CodeOf(err) != loci.NotFound || len(w.st.entries) > 0 {
				t.Errorf("%s of the %s project: got %v, and the trail has %+v", name, which, err, w.st.entries)
			}
		}
	}
	_, err := w.Graph.Import(t.Context(), w.tom, w.closed, unread{t}, graph.ImportOptions{DryRun: true})
	wantCode(t, err, loci.NotFound) // before it reads anything
}

// What a vendor keeps to itself is not there for another: not as a duplicate, a suggestion, an
// end of a relation, or a count.
func TestAHiddenEntityAnswersLikeNone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	with, without := newGraphWorld(t), newGraphWorld(t)
	only := []loci.Vendor{"claude"}
	for _, w := range []*graphWorld{with, without} {
		w.put(w.cursor, nil, ent("Plane", "vehicle", "flies"))
		w.relate(w.cursor, rel("Plane", "is", "Plane"))
	}
	with.put(with.claude, only, ent("Plan", "doc", "secret"), ent("Planet", "secret"))
	with.relate(with.claude, rel("Plan", "is", "Plan"), rel("Plane", "hides", "Plan"))
	_, err := with.Graph.AddObservations(ctx, with.claude, with.open, only,
		[]loci.Contents{obs("Plane", "a secret flight")})
	with.must(err)
	for _, name := range []string{"search", "open", "read", "entity", "observations", "relations", "neighbours", "history",
		"draw", "trash", "relate", "observe", "merge",
		"delete", "forget", "part"} {
		answer, err := graphCalls[name](ctx, with, with.cursor, with.open)
		got := outcome(t, answer, err)
		answer, err = graphCalls[name](ctx, without, without.cursor, without.open)
		want := outcome(t, answer, err)
		for from, to := range with.sameIDs(without) {
			got = strings.ReplaceAll(got, from, to)
		}
		if got, want = withoutTimes(got), withoutTimes(want); got != want {
			t.Errorf("%s: with a hidden entity %q, without %q", name, got, want)
		}
	}
	wantText(t, with.text(with.claude),
		"Plane/vehicle\n  flies\n  a secret flight\nPlan/doc\n  secret\nPlanet/secret\nPlane -is-> Plane\nPlane -hides-> "+
			"Plan\nPlan -is-> Plan\n")
	made := with.put(with.cursor, nil, ent("Plan", "doc", "secret"))[0]
	if !made.Created || len(made.Added) != 1 {
		t.Errorf("a hidden twin counted as a duplicate: %+v", made)
	}
}

// sameIDs maps the ids of what both worlds' cursors see.
func (w *graphWorld) sameIDs(other *graphWorld) map[string]string {
	w.t.Helper()
	var lists [2][]string
	for i, x := range []*graphWorld{w, other} {
		page, err := x.Graph.Read(x.t.Context(), x.cursor, x.open, graph.ListRequest{})
		x.must(err)
		lists[i] = append(lists[i], x.olga.UserID.String(), x.open.String())
		for _, e := range page.Entities {
			lists[i] = append(lists[i], e.ID.String())
			for _, o := range e.Observations {
				lists[i] = append(lists[i], o.ID.String())
			}
		}
		for _, r := range page.Relations {
			lists[i] = append(lists[i], r.ID.String())
		}
	}
	same := map[string]string{}
	for i := range min(len(lists[0]), len(lists[1])) {
		same[lists[0][i]] = lists[1][i]
	}
	return same
}

// withoutTimes takes out the times, in which two worlds differ.
func withoutTimes(s string) string {
	var out strings.Builder
	for {
		i := strings.Index(s, `"2026-`)
		if i < 0 {
			return out.String() + s
		}
		out.WriteString(s[:i] + `"T`)
		_, s, _ = strings.Cut(s[i+1:], `"`)
		out.WriteString(`"`)
	}
}
