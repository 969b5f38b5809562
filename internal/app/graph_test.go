package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
)

// graphWorld is an org with an open project, and one that only its owner is in.
type graphWorld struct {
	*stage
	olga, tom      loci.Principal // people: the owner of both; a colleague
	claude, cursor loci.Principal // agents of olga's
	local          loci.Principal // the operator, in this org
	open, closed   loci.ProjectID
}

func newGraphWorld(t testing.TB) *graphWorld {
	t.Helper()
	w := &graphWorld{stage: newStage(t, loci.DeleteWithKey)}
	operator, _ := w.org("acme", "boss@acme.example")
	olga, tom := w.user(operator, "olga@acme.example", loci.Member), w.user(operator, "tom@acme.example", loci.Member)
	w.open = w.project(w.session(olga), "website", true).ID
	w.closed = w.project(w.session(olga), "merger", false).ID
	w.olga, w.tom, w.local = w.session(olga), w.session(tom), w.operator("acme")
	w.claude = w.key(w.olga, auth.KeyRequest{Vendor: "claude"})
	w.cursor = w.key(w.olga, auth.KeyRequest{Vendor: "cursor"})
	return w
}

func ent(name, kind string, observations ...string) loci.NewEntity {
	return loci.NewEntity{EntityRef: loci.EntityRef{Name: name, Type: kind}, Observations: observations}
}

func obs(name string, contents ...string) loci.Contents {
	return loci.Contents{Entity: loci.EntityRef{Name: name}, Contents: contents}
}

func rel(from, kind, to string) loci.NewRelation {
	return loci.NewRelation{From: loci.EntityRef{Name: from}, To: loci.EntityRef{Name: to}, Type: kind}
}

func refs(names ...string) (list []loci.EntityRef) {
	for _, n := range names {
		list = append(list, loci.EntityRef{Name: n})
	}
	return list
}

func named(name string) app.Which { return app.Which{EntityRef: loci.EntityRef{Name: name}} }

// put stores entities for everybody, or for some vendors.
func (w *graphWorld) put(p loci.Principal, vendors []loci.Vendor, items ...loci.NewEntity) []app.PutEntity {
	w.t.Helper()
	put, err := w.CreateEntities(w.t.Context(), p, w.open, vendors, items)
	w.must(err)
	return put
}

func (w *graphWorld) relate(p loci.Principal, items ...loci.NewRelation) []app.PutRelation {
	w.t.Helper()
	put, err := w.CreateRelations(w.t.Context(), p, w.open, nil, items)
	w.must(err)
	return put
}

// text says what p sees of the open project, a line for each row.
func (w *graphWorld) text(p loci.Principal) string { w.t.Helper(); return w.textOf(p, w.open) }

func (w *graphWorld) textOf(p loci.Principal, in loci.ProjectID) string {
	w.t.Helper()
	var out strings.Builder
	for r := (app.GraphList{}); ; {
		page, err := w.ReadGraph(w.t.Context(), p, in, r)
		w.must(err)
		for _, e := range page.Entities {
			fmt.Fprintf(&out, "%s/%s\n", e.Name, e.Type)
			for _, o := range e.Observations {
				fmt.Fprintf(&out, "  %s\n", o.Content)
			}
		}
		for _, r := range page.Relations {
			fmt.Fprintf(&out, "%s -%s-> %s\n", r.From, r.Type, r.To)
		}
		if r.Cursor = page.NextCursor; r.Cursor == "" {
			return out.String()
		}
	}
}

func wantText(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// wantItems expects these items to be refused, and this said of the first.
func wantItems(t *testing.T, err error, code loci.Code, text string, items ...int) {
	t.Helper()
	var refused *loci.ItemsError
	if !errors.As(err, &refused) {
		t.Fatalf("got %v, want an error of items %v", err, items)
	}
	var got []int
	for _, item := range refused.Items {
		got = append(got, item.Index)
	}
	if !slices.Equal(got, items) || refused.Items[0].Code != code || !strings.Contains(refused.Items[0].Text, text) {
		t.Errorf("refused %v, want %v; the first with %s %q, want %s %q", got, items, refused.Items[0].Code, refused.Items[0].Text, code, text)
	}
	if !strings.HasSuffix(err.Error(), "Nothing was changed") || loci.CodeOf(err) != code {
		t.Errorf("the whole error is %s %q", loci.CodeOf(err), err)
	}
}

func TestCreatingAnEntityAgainAddsOnlyWhatIsNew(t *testing.T) {
	w := newGraphWorld(t)
	first := w.put(w.claude, nil, ent("Ann", "person", "tall", "kind"))[0]
	again := w.put(w.cursor, nil, ent("Ann", "person", "kind", "quick", "quick"), ent("Ann", "ship"))
	if !first.Created || again[0].Created || again[0].Entity.ID != first.Entity.ID || len(again[0].Added) != 1 || again[0].Added[0].Content != "quick" {
		t.Errorf("first %+v, again %+v", first, again[0])
	}
	if !again[1].Created || again[1].Entity.ID == first.Entity.ID {
		t.Errorf("another type is another entity: %+v", again[1])
	}
	wantText(t, w.text(w.olga), "Ann/person\n  tall\n  kind\n  quick\nAnn/ship\n")
	e, err := w.Entity(t.Context(), w.olga, w.open, app.Which{EntityRef: loci.EntityRef{Name: "Ann", Type: "person"}})
	w.must(err)
	if e.Origin != "claude" || e.UserID != w.olga.UserID || e.Observations[2].Origin != "cursor" || !slices.Equal(e.AllowedVendors, []loci.Vendor{"*"}) {
		t.Errorf("who wrote it: %+v", e)
	}
}

func TestAnUnknownEntityIsNamedWithTheNearestNames(t *testing.T) {
	w := newGraphWorld(t)
	ctx := t.Context()
	w.put(w.claude, nil, ent("Alice", "person"), ent("Bob", "person"))
	_, err := w.AddObservations(ctx, w.claude, w.open, nil, []loci.Contents{obs("Alice", "fine"), obs("Alise", "tall"), obs("Bob", ""), obs("Zed", "x")})
	wantItems(t, err, loci.NotFound, `"Alise"; did you mean "Alice"?`, 1, 2, 3)
	var items *loci.ItemsError
	errors.As(err, &items)
	if !slices.Equal(items.Items[0].Nearest, []string{"Alice"}) || len(items.Items[2].Nearest) != 0 {
		t.Errorf("nearest: %+v", items.Items)
	}
	_, err = w.CreateRelations(ctx, w.claude, w.open, nil, []loci.NewRelation{rel("Alice", "knows", "Bob"), rel("Alise", "knows", "Bob"), rel("Bob", "knows", "Bod")})
	wantItems(t, err, loci.NotFound, `"Alise"`, 1, 2)
	if !strings.Contains(err.Error(), `"Bod"; did you mean "Bob"?`) {
		t.Errorf("got %v", err)
	}
	wantText(t, w.text(w.olga), "Alice/person\nBob/person\n")
	for what, err := range map[string]error{
		"entity": second(w.Entity(ctx, w.claude, w.open, named("Alise"))),
		"merge":  second(w.MergeEntities(ctx, w.claude, w.open, named("Bob"), named("Alise"))),
		"hops":   second(w.Neighbours(ctx, w.claude, w.open, named("Alise"), 1, 0)),
	} {
		if loci.CodeOf(err) != loci.NotFound || !strings.Contains(err.Error(), `there is no entity "Alise"; did you mean "Alice"?`) {
			t.Errorf("%s: %v", what, err)
		}
	}
	found, err := w.OpenNodes(ctx, w.claude, w.open, refs("Alise", "Bob", "Bob", "Nobody"))
	w.must(err)
	want := []app.NoSuchName{{Name: "Alise", Nearest: []string{"Alice"}}, {Name: "Nobody"}}
	if len(found.Entities) != 1 || !cmp.Equal(found.Missing, want) {
		t.Errorf("got %+v", found)
	}
}

func TestDuplicatesAreReportedAndNotStored(t *testing.T) {
	w := newGraphWorld(t)
	w.put(w.claude, nil, ent("Ann", "person", "tall"), ent("Bob", "person"))
	got, err := w.AddObservations(t.Context(), w.cursor, w.open, nil, []loci.Contents{obs("Ann", "tall", "new", "new"), obs("Bob")})
	w.must(err)
	if len(got) != 2 || len(got[0].Added) != 1 || len(got[0].Duplicates) != 1 || got[0].Duplicates[0].Content != "tall" || got[0].Duplicates[0].Origin != "claude" {
		t.Errorf("got %+v", got)
	}
	first := w.relate(w.claude, rel("Ann", "knows", "Bob"))
	again := w.relate(w.cursor, rel("Ann", "knows", "Bob"), rel("Bob", "knows", "Ann"))
	if !first[0].Created || again[0].Created || again[0].Relation.ID != first[0].Relation.ID || !again[1].Created {
		t.Errorf("first %+v, again %+v", first, again)
	}
	wantText(t, w.text(w.olga), "Ann/person\n  tall\n  new\nBob/person\nAnn -knows-> Bob\nBob -knows-> Ann\n")
}

func TestADeletedNameCanBeCreatedAgain(t *testing.T) {
	w := newGraphWorld(t)
	ctx := t.Context()
	old := w.put(w.claude, nil, ent("Ann", "person", "tall"), ent("Bob", "person"))[0].Entity
	w.relate(w.claude, rel("Bob", "knows", "Ann"))
	// Agents may put into the trash what others wrote and they see.
	if n, err := w.DeleteEntities(ctx, w.cursor, w.open, refs("Ann", "Nobody")); n != 1 || err != nil {
		t.Fatalf("deleted %d, %v", n, err)
	}
	wantText(t, w.text(w.olga), "Bob/person\n")
	made := w.put(w.cursor, nil, ent("Ann", "person"))[0]
	if !made.Created || made.Entity.ID == old.ID || len(made.Entity.Observations) != 0 {
		t.Errorf("made %+v", made)
	}
	_, err := w.RestoreNodes(ctx, w.claude, w.open, app.GraphIDs{Entities: []loci.EntityID{old.ID}})
	wantItems(t, err, loci.Conflict, "Ann", 0)
	n, err := w.DeleteEntities(ctx, w.olga, w.open, refs("Ann"))
	w.must(err)
	trash, err := w.GraphTrash(ctx, w.cursor, w.open, 0)
	w.must(err)
	if n != 1 || len(trash.Entities) != 2 || trash.Entities[1].ID != old.ID {
		t.Errorf("deleted %d, trash %+v", n, trash)
	}
	_, err = w.RestoreNodes(ctx, w.claude, w.open, app.GraphIDs{Entities: []loci.EntityID{old.ID}})
	w.must(err)
	wantText(t, w.text(w.olga), "Ann/person\n  tall\nBob/person\nBob -knows-> Ann\n")
	history, err := w.EntityHistory(ctx, w.olga, w.open, app.Which{ID: old.ID}, 0)
	w.must(err)
	var changes []string
	for _, c := range history {
		if c.Kind == "entity" {
			changes = append(changes, c.Change+" by "+c.Origin)
		}
	}
	if want := []string{"created by claude", "deleted by cursor", "restored by claude"}; !slices.Equal(changes, want) {
		t.Errorf("history %v, want %v", changes, want)
	}
}

func TestDeletionsOfRowsCountAndMayBeRepeated(t *testing.T) {
	w := newGraphWorld(t)
	ctx := t.Context()
	w.put(w.claude, nil, ent("Ann", "person", "tall", "kind"), ent("Bob", "person"))
	w.relate(w.claude, rel("Ann", "knows", "Bob"), rel("Ann", "likes", "Bob"))
	for _, want := range []int{1, 0} {
		n, err := w.DeleteObservations(ctx, w.cursor, w.open, []loci.Contents{obs("Ann", "tall", "never said"), obs("Nobody", "x")})
		if n != want || err != nil {
			t.Errorf("observations: %d, %v; want %d", n, err, want)
		}
		n, err = w.DeleteRelations(ctx, w.cursor, w.open, []loci.NewRelation{rel("Ann", "knows", "Bob"), rel("Bob", "knows", "Ann")})
		if n != want || err != nil {
			t.Errorf("relations: %d, %v; want %d", n, err, want)
		}
	}
	wantText(t, w.text(w.olga), "Ann/person\n  kind\nBob/person\nAnn -likes-> Bob\n")
}

func TestANameOfSeveralTypesNeedsTheType(t *testing.T) {
	w := newGraphWorld(t)
	ctx := t.Context()
	w.put(w.claude, nil, ent("Mercury", "planet"), ent("Mercury", "metal"), ent("Sun", "star"))
	_, err := w.AddObservations(ctx, w.claude, w.open, nil, []loci.Contents{obs("Mercury", "hot")})
	wantItems(t, err, loci.Conflict, "entity_type", 0)
	_, err = w.Entity(ctx, w.claude, w.open, named("Mercury"))
	if loci.CodeOf(err) != loci.Conflict || !strings.Contains(err.Error(), `"planet" and "metal"`) {
		t.Errorf("got %v", err)
	}
	e, err := w.Entity(ctx, w.claude, w.open, app.Which{EntityRef: loci.EntityRef{Name: "Mercury", Type: "metal"}})
	if err != nil || e.Type != "metal" {
		t.Errorf("got %+v, %v", e, err)
	}
	found, err := w.OpenNodes(ctx, w.claude, w.open, refs("Mercury"))
	if err != nil || len(found.Entities) != 2 || len(found.Missing) != 0 {
		t.Errorf("open: %+v, %v", found, err)
	}
}

func TestBadGraphInputIsNamed(t *testing.T) {
	w := newGraphWorld(t)
	ctx := t.Context()
	long := strings.Repeat("x", loci.MaxEntityName+1)
	e, o, r := []loci.NewEntity{}, []loci.Contents{}, []loci.NewRelation{}
	ids := app.GraphIDs{Entities: make([]loci.EntityID, 1001)}
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"no entities":      {second(w.CreateEntities(ctx, w.claude, w.open, nil, e)), "entities must have"},
		"no observations":  {second(w.AddObservations(ctx, w.claude, w.open, nil, o)), "observations must have"},
		"no relations":     {second(w.CreateRelations(ctx, w.claude, w.open, nil, r)), "relations must have"},
		"nothing deleted":  {second(w.DeleteEntities(ctx, w.claude, w.open, nil)), "names must have"},
		"no deletions":     {second(w.DeleteObservations(ctx, w.claude, w.open, o)), "deletions must have"},
		"no relation gone": {second(w.DeleteRelations(ctx, w.claude, w.open, r)), "relations must have"},
		"no names":         {second(w.OpenNodes(ctx, w.claude, w.open, nil)), "names must have"},
		"no items":         {second(w.RestoreNodes(ctx, w.claude, w.open, app.GraphIDs{})), "items must have"},
		"many items":       {second(w.RestoreNodes(ctx, w.claude, w.open, ids)), "items has 1001 entries"},
		"many entities":    {second(w.CreateEntities(ctx, w.claude, w.open, nil, make([]loci.NewEntity, 1001))), "entities has 1001"},
		"a name":           {second(w.CreateEntities(ctx, w.claude, w.open, nil, []loci.NewEntity{ent("ok", "t"), ent(" ", "t")})), "entities[1].name must not be empty"},
		"a type":           {second(w.CreateEntities(ctx, w.claude, w.open, nil, []loci.NewEntity{ent("ok", "")})), "entities[0].entity_type"},
		"an observation":   {second(w.CreateEntities(ctx, w.claude, w.open, nil, []loci.NewEntity{ent("ok", "t", "a", "\x00")})), "entities[0].observations[1]"},
		"an end":           {second(w.CreateRelations(ctx, w.claude, w.open, nil, []loci.NewRelation{rel("", "knows", "b")})), "relations[0].from"},
		"a deleted name":   {second(w.DeleteEntities(ctx, w.claude, w.open, refs("ok", long))), "names[1] is longer"},
		"a deletion":       {second(w.DeleteObservations(ctx, w.claude, w.open, []loci.Contents{obs("", "x")})), "deletions[0].entity_name"},
		"an opened name":   {second(w.OpenNodes(ctx, w.claude, w.open, refs("\xff"))), "names[0] is not valid UTF-8"},
		"a named entity":   {second(w.Entity(ctx, w.claude, w.open, named(""))), "name must not be empty"},
		"merge":            {second(w.MergeEntities(ctx, w.claude, w.open, named(""), named("b"))), "from must not be empty"},
		"vendors":          {second(w.CreateEntities(ctx, w.claude, w.open, []loci.Vendor{}, []loci.NewEntity{ent("ok", "t")})), "allowed_vendors"},
		"a vendor":         {second(w.CreateEntities(ctx, w.claude, w.open, []loci.Vendor{"No Vendor"}, []loci.NewEntity{ent("ok", "t")})), "allowed_vendors[0]"},
		"vendors later":    {second(w.SetGraphVendors(ctx, w.olga, w.open, app.GraphIDs{Entities: ids.Entities[:1]}, nil)), "allowed_vendors"},
		"a query":          {second(w.SearchGraph(ctx, w.claude, w.open, app.GraphSearch{Query: `"open`})), "quotation mark"},
		"search limit":     {second(w.SearchGraph(ctx, w.claude, w.open, app.GraphSearch{Query: "x", Limit: 101})), "limit must be from 1 to 100"},
		"read limit":       {second(w.ReadGraph(ctx, w.claude, w.open, app.GraphList{Limit: -1})), "limit must be from 1 to 500"},
		"hops":             {second(w.Neighbours(ctx, w.claude, w.open, named("x"), 6, 0)), "hops must be from 1 to 5"},
		"history limit":    {second(w.EntityHistory(ctx, w.claude, w.open, named("x"), 1001)), "limit must be from 1 to 1000"},
		"trash limit":      {second(w.GraphTrash(ctx, w.claude, w.open, 1001)), "limit must be from 1 to 1000"},
		"format":           {w.ExportGraph(ctx, w.olga, w.open, "xml", io.Discard), "format must be loci or reference"},
	} {
		if loci.CodeOf(tt.err) != loci.Invalid || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%s: got %v (%s), want %q", name, tt.err, loci.CodeOf(tt.err), tt.want)
		}
	}
	wantText(t, w.text(w.olga), "")
}

// graphCalls are all calls about a graph, with arguments that fit.
var graphCalls = map[string]func(context.Context, *graphWorld, loci.Principal, loci.ProjectID) (any, error){
	"create": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.CreateEntities(ctx, p, in, nil, []loci.NewEntity{ent("Plan", "doc", "new")})
	},
	"observe": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.AddObservations(ctx, p, in, nil, []loci.Contents{obs("Plan", "new")})
	},
	"relate": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.CreateRelations(ctx, p, in, nil, []loci.NewRelation{rel("Plan", "is", "Plan")})
	},
	"delete": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.DeleteEntities(ctx, p, in, refs("Plan"))
	},
	"forget": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.DeleteObservations(ctx, p, in, []loci.Contents{obs("Plan", "secret")})
	},
	"part": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.DeleteRelations(ctx, p, in, []loci.NewRelation{rel("Plan", "is", "Plan")})
	},
	"restore": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.RestoreNodes(ctx, p, in, app.GraphIDs{Entities: []loci.EntityID{{9}}})
	},
	"merge": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.MergeEntities(ctx, p, in, named("Plan"), app.Which{ID: loci.EntityID{9}})
	},
	"vendors": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.SetGraphVendors(ctx, p, in, app.GraphIDs{Entities: []loci.EntityID{{9}}}, []loci.Vendor{"*"})
	},
	"check": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.CheckGraph(ctx, p, in, true)
	},
	"search": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.SearchGraph(ctx, p, in, app.GraphSearch{Query: "secret"})
	},
	"open": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.OpenNodes(ctx, p, in, refs("Plan", "Pla"))
	},
	"read": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.ReadGraph(ctx, p, in, app.GraphList{})
	},
	"entity": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Entity(ctx, p, in, named("Plan"))
	},
	"observations": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.EntityObservations(ctx, p, in, named("Plan"), app.GraphList{})
	},
	"relations": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.EntityRelations(ctx, p, in, named("Plan"), app.GraphList{})
	},
	"neighbours": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.Neighbours(ctx, p, in, named("Plan"), 2, 0)
	},
	"history": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.EntityHistory(ctx, p, in, named("Plan"), 0)
	},
	"trash": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.GraphTrash(ctx, p, in, 0)
	},
	"export": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		var b strings.Builder
		err := w.ExportGraph(ctx, p, in, app.GraphLoci, &b)
		return b.String(), err
	},
	"import": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.ImportGraph(ctx, p, in, strings.NewReader(`{"type":"entity","name":"Plan","entityType":"doc"}`), app.GraphImportOptions{})
	},
	"rehearse": func(ctx context.Context, w *graphWorld, p loci.Principal, in loci.ProjectID) (any, error) {
		return w.ImportGraph(ctx, p, in, strings.NewReader(`{"type":"entity","name":"Plan","entityType":"doc"}`), app.GraphImportOptions{DryRun: true})
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
	w := newGraphWorld(t)
	ctx := t.Context()
	if _, err := w.CreateEntities(ctx, w.olga, w.closed, nil, []loci.NewEntity{ent("Plan", "doc", "secret")}); err != nil {
		t.Fatal(err)
	}
	elsewhere := w.olga // in a workspace that the projects are not in, as workspaces may be turned on at any moment
	elsewhere.WorkspaceID = loci.NewWorkspaceID()
	limited := w.key(w.olga, auth.KeyRequest{ProjectIDs: []loci.ProjectID{w.open}})
	for _, state := range []string{"active", "archived"} {
		if state == "archived" {
			_, err := w.ArchiveProject(ctx, w.olga, w.closed)
			w.must(err)
		}
		for name, call := range graphCalls {
			for who, p := range map[string]loci.Principal{"a colleague": w.tom, "another org": w.stage.local, "another workspace": elsewhere, "a limited key": limited} {
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
	if _, err := w.RestoreProject(ctx, w.olga, w.closed); err != nil {
		t.Fatal(err)
	}
}

// What a vendor keeps to itself is not there for another: not as a duplicate, a suggestion, an
// end of a relation, or a count.
func TestAHiddenEntityAnswersLikeNone(t *testing.T) {
	ctx := t.Context()
	with, without := newGraphWorld(t), newGraphWorld(t)
	only := []loci.Vendor{"claude"}
	for _, w := range []*graphWorld{with, without} {
		w.put(w.cursor, nil, ent("Plane", "vehicle", "flies"))
		w.relate(w.cursor, rel("Plane", "is", "Plane"))
	}
	with.put(with.claude, only, ent("Plan", "doc", "secret"), ent("Planet", "secret"))
	with.relate(with.claude, rel("Plan", "is", "Plan"), rel("Plane", "hides", "Plan"))
	_, err := with.AddObservations(ctx, with.claude, with.open, only, []loci.Contents{obs("Plane", "a secret flight")})
	with.must(err)
	for _, name := range []string{"search", "open", "read", "entity", "observations", "relations", "neighbours", "history", "trash", "relate", "observe", "merge",
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
	wantText(t, with.text(with.claude), "Plane/vehicle\n  flies\n  a secret flight\nPlan/doc\n  secret\nPlanet/secret\nPlane -is-> Plane\nPlane -hides-> Plan\nPlan -is-> Plan\n")
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
		page, err := x.ReadGraph(x.t.Context(), x.cursor, x.open, app.GraphList{})
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
