package app_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/store"
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

func named(name string) graph.Which { return graph.Which{EntityRef: loci.EntityRef{Name: name}} }

// put stores entities for everybody, or for some vendors.
func (w *graphWorld) put(p loci.Principal, vendors []loci.Vendor, items ...loci.NewEntity) []graph.PutEntity {
	w.t.Helper()
	put, err := w.Graph.CreateEntities(w.t.Context(), p, w.open, vendors, items)
	w.must(err)
	return put
}

func (w *graphWorld) relate(p loci.Principal, items ...loci.NewRelation) []graph.PutRelation {
	w.t.Helper()
	put, err := w.Graph.CreateRelations(w.t.Context(), p, w.open, nil, items)
	w.must(err)
	return put
}

// text says what p sees of the open project, a line for each row.
func (w *graphWorld) text(p loci.Principal) string { w.t.Helper(); return w.textOf(p, w.open) }

func (w *graphWorld) textOf(p loci.Principal, in loci.ProjectID) string {
	w.t.Helper()
	var out strings.Builder
	for r := (graph.ListRequest{}); ; {
		page, err := w.Graph.Read(w.t.Context(), p, in, r)
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
		t.Errorf("refused %v, want %v; the first with %s %q, want %s %q", got, items, refused.Items[0].Code,
			refused.Items[0].Text, code, text)
	}
	if !strings.HasSuffix(err.Error(), "Nothing was changed") || loci.CodeOf(err) != code {
		t.Errorf("the whole error is %s %q", loci.CodeOf(err), err)
	}
}

func TestCreatingAnEntityAgainAddsOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	first := w.put(w.claude, nil, ent("Ann", "person", "tall", "kind"))[0]
	again := w.put(w.cursor, nil, ent("Ann", "person", "kind", "quick", "quick"), ent("Ann", "ship"))
	if !first.Created || again[0].Created || again[0].Entity.ID != first.Entity.ID || len(again[0].Added) != 1 ||
		again[0].Added[0].Content != "quick" {
		t.Errorf("first %+v, again %+v", first, again[0])
	}
	if !again[1].Created || again[1].Entity.ID == first.Entity.ID {
		t.Errorf("another type is another entity: %+v", again[1])
	}
	wantText(t, w.text(w.olga), "Ann/person\n  tall\n  kind\n  quick\nAnn/ship\n")
	e, err := w.Graph.Entity(t.Context(), w.olga, w.open,
		graph.Which{EntityRef: loci.EntityRef{Name: "Ann", Type: "person"}})
	w.must(err)
	if e.Origin != "claude" || e.UserID != w.olga.UserID || e.Observations[2].Origin != "cursor" ||
		!slices.Equal(e.AllowedVendors, []loci.Vendor{"*"}) {
		t.Errorf("who wrote it: %+v", e)
	}
}

func TestNamesAreSuggestedForSomeOfMany(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	w.put(w.claude, nil, ent("Alice", "person"))
	var names []string
	for i := range store.MaxSuggested + 5 {
		names = append(names, fmt.Sprintf("Alice%d", i))
	}
	found, err := w.Graph.OpenEntities(t.Context(), w.claude, w.open, refs(names...))
	if err != nil || len(found.Missing) != len(names) {
		t.Fatalf("got %+v, %v", found, err)
	}
	for i, m := range found.Missing {
		if suggested := len(m.Nearest) > 0; m.Name != names[i] || suggested != (i < store.MaxSuggested) {
			t.Errorf("%d is %+v", i, m)
		}
	}
}

func TestAnUnknownEntityIsNamedWithTheNearestNames(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	ctx := t.Context()
	w.put(w.claude, nil, ent("Alice", "person"), ent("Bob", "person"))
	_, err := w.Graph.AddObservations(ctx, w.claude, w.open, nil,
		[]loci.Contents{obs("Alice", "fine"), obs("Alise", "tall"), obs("Zed", "x")})
	wantItems(t, err, loci.NotFound, `"Alise"; did you mean "Alice"?`, 1, 2)
	var items *loci.ItemsError
	errors.As(err, &items)
	if !slices.Equal(items.Items[0].Nearest, []string{"Alice"}) || len(items.Items[1].Nearest) != 0 {
		t.Errorf("nearest: %+v", items.Items)
	}
	// Broken limits are reported before anything is looked up.
	_, err = w.Graph.AddObservations(ctx, w.claude, w.open, nil, []loci.Contents{obs("Alise", "tall"), obs("Bob", "")})
	wantItems(t, err, loci.Invalid, "must not be empty", 1)
	_, err = w.Graph.CreateRelations(ctx, w.claude, w.open, nil,
		[]loci.NewRelation{rel("Alice", "knows", "Bob"), rel("Alise", "knows", "Bob"), rel("Bob", "knows", "Bod")})
	wantItems(t, err, loci.NotFound, `"Alise"`, 1, 2)
	if !strings.Contains(err.Error(), `"Bod"; did you mean "Bob"?`) {
		t.Errorf("got %v", err)
	}
	wantText(t, w.text(w.olga), "Alice/person\nBob/person\n")
	for what, err := range map[string]error{
		"entity": second(w.Graph.Entity(ctx, w.claude, w.open, named("Alise"))),
		"merge":  second(w.Graph.Merge(ctx, w.claude, w.open, named("Bob"), named("Alise"))),
		"hops":   second(w.Graph.Neighbours(ctx, w.claude, w.open, named("Alise"), 1, 0)),
	} {
		if loci.CodeOf(err) != loci.NotFound ||
			!strings.Contains(err.Error(), `there is no entity "Alise"; did you mean "Alice"?`) {
			t.Errorf("%s: %v", what, err)
		}
	}
	found, err := w.Graph.OpenEntities(ctx, w.claude, w.open, refs("Alise", "Bob", "Bob", "Nobody"))
	w.must(err)
	want := []graph.NoSuchName{{Name: "Alise", Nearest: []string{"Alice"}}, {Name: "Nobody"}}
	if len(found.Entities) != 1 || !cmp.Equal(found.Missing, want) {
		t.Errorf("got %+v", found)
	}
}

func TestDuplicatesAreReportedAndNotStored(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	w.put(w.claude, nil, ent("Ann", "person", "tall"), ent("Bob", "person"))
	got, err := w.Graph.AddObservations(t.Context(), w.cursor, w.open, nil,
		[]loci.Contents{obs("Ann", "tall", "new", "new"), obs("Bob")})
	w.must(err)
	if len(got) != 2 || len(got[0].Added) != 1 || len(got[0].Duplicates) != 1 || got[0].Duplicates[0].Content != "tall" ||
		got[0].Duplicates[0].Origin != "claude" {
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
	t.Parallel()
	w := newGraphWorld(t)
	ctx := t.Context()
	old := w.put(w.claude, nil, ent("Ann", "person", "tall"), ent("Bob", "person"))[0].Entity
	w.relate(w.claude, rel("Bob", "knows", "Ann"))
	gone, err := w.Graph.DeleteEntities(ctx, w.olga, w.open, refs("Ann", "Nobody"))
	if gone.Count != 1 || gone.Entities[0].ID != old.ID || err != nil {
		t.Fatalf("deleted %+v, %v", gone, err)
	}
	wantText(t, w.text(w.olga), "Bob/person\n")
	made := w.put(w.cursor, nil, ent("Ann", "person"))[0]
	if !made.Created || made.Entity.ID == old.ID || len(made.Entity.Observations) != 0 {
		t.Errorf("made %+v", made)
	}
	_, err = w.Graph.RestoreEntities(ctx, w.claude, w.open, graph.IDs{Entities: []loci.EntityID{old.ID}})
	wantItems(t, err, loci.Conflict, "Ann", 0)
	gone, err = w.Graph.DeleteEntities(ctx, w.olga, w.open, refs("Ann"))
	w.must(err)
	trash, err := w.Graph.Trash(ctx, w.cursor, w.open, 0)
	w.must(err)
	if gone.Count != 1 || len(trash.Entities) != 2 || trash.Entities[1].ID != old.ID {
		t.Errorf("deleted %d, trash %+v", gone.Count, trash)
	}
	_, err = w.Graph.RestoreEntities(ctx, w.claude, w.open, graph.IDs{Entities: []loci.EntityID{old.ID}})
	w.must(err)
	wantText(t, w.text(w.olga), "Ann/person\n  tall\nBob/person\nBob -knows-> Ann\n")
	history, err := w.Graph.EntityHistory(ctx, w.olga, w.open, graph.Which{ID: old.ID}, 0)
	w.must(err)
	var changes []string
	for _, c := range history {
		if c.Kind == "entity" {
			changes = append(changes, c.Change+" by "+c.Origin)
		}
	}
	if want := []string{"created by claude", "deleted by " + w.olga.Origin, "restored by claude"}; !slices.Equal(
		changes,
		want,
	) {
		t.Errorf("history %v, want %v", changes, want)
	}
}

func TestDeletionsOfRowsCountAndMayBeRepeated(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	ctx := t.Context()
	w.put(w.claude, nil, ent("Ann", "person", "tall", "kind"), ent("Bob", "person"))
	w.relate(w.claude, rel("Ann", "knows", "Bob"), rel("Ann", "likes", "Bob"))
	for _, want := range []int{1, 0} {
		n, err := w.Graph.DeleteObservations(ctx, w.claude, w.open,
			[]loci.Contents{obs("Ann", "tall", "never said"), obs("Nobody", "x")})
		if n.Count != want || err != nil {
			t.Errorf("observations: %d, %v; want %d", n.Count, err, want)
		}
		n, err = w.Graph.DeleteRelations(ctx, w.claude, w.open,
			[]loci.NewRelation{rel("Ann", "knows", "Bob"), rel("Bob", "knows", "Ann")})
		if n.Count != want || err != nil {
			t.Errorf("relations: %d, %v; want %d", n.Count, err, want)
		}
	}
	wantText(t, w.text(w.olga), "Ann/person\n  kind\nBob/person\nAnn -likes-> Bob\n")
}

func TestANameOfSeveralTypesNeedsTheType(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	ctx := t.Context()
	w.put(w.claude, nil, ent("Mercury", "planet"), ent("Mercury", "metal"), ent("Sun", "star"))
	_, err := w.Graph.AddObservations(ctx, w.claude, w.open, nil, []loci.Contents{obs("Mercury", "hot")})
	wantItems(t, err, loci.Conflict, "specify the type", 0)
	_, err = w.Graph.Entity(ctx, w.claude, w.open, named("Mercury"))
	if loci.CodeOf(err) != loci.Conflict || !strings.Contains(err.Error(), `"planet" and "metal"`) {
		t.Errorf("got %v", err)
	}
	e, err := w.Graph.Entity(
		ctx,
		w.claude,
		w.open,
		graph.Which{EntityRef: loci.EntityRef{Name: "Mercury", Type: "metal"}},
	)
	if err != nil || e.Type != "metal" {
		t.Errorf("got %+v, %v", e, err)
	}
	found, err := w.Graph.OpenEntities(ctx, w.claude, w.open, refs("Mercury"))
	if err != nil || len(found.Entities) != 2 || len(found.Missing) != 0 {
		t.Errorf("open: %+v, %v", found, err)
	}
}

func TestBadGraphInputIsNamed(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	ctx := t.Context()
	long := strings.Repeat("x", loci.MaxEntityName+1)
	e, o, r := []loci.NewEntity{}, []loci.Contents{}, []loci.NewRelation{}
	ids := graph.IDs{Entities: make([]loci.EntityID, 1001)}
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"no entities":      {second(w.Graph.CreateEntities(ctx, w.claude, w.open, nil, e)), "entities must have"},
		"no observations":  {second(w.Graph.AddObservations(ctx, w.claude, w.open, nil, o)), "observations must have"},
		"no relations":     {second(w.Graph.CreateRelations(ctx, w.claude, w.open, nil, r)), "relations must have"},
		"nothing deleted":  {second(w.Graph.DeleteEntities(ctx, w.claude, w.open, nil)), "names must have"},
		"no deletions":     {second(w.Graph.DeleteObservations(ctx, w.claude, w.open, o)), "deletions must have"},
		"no relation gone": {second(w.Graph.DeleteRelations(ctx, w.claude, w.open, r)), "relations must have"},
		"no names":         {second(w.Graph.OpenEntities(ctx, w.claude, w.open, nil)), "names must have"},
		"no items":         {second(w.Graph.RestoreEntities(ctx, w.claude, w.open, graph.IDs{})), "items must have"},
		"many items":       {second(w.Graph.RestoreEntities(ctx, w.claude, w.open, ids)), "items has 1001 entries"},
		"many entities": {second(w.Graph.CreateEntities(ctx, w.claude, w.open, nil, make([]loci.NewEntity, 1001))),
			"entities has 1001"},
		"a name": {second(
			w.Graph.CreateEntities(ctx, w.claude, w.open, nil, []loci.NewEntity{ent("ok", "t"), ent(" ", "t")})),
			"entities[1].name must not be empty"},
		"a type": {second(w.Graph.CreateEntities(ctx, w.claude, w.open, nil, []loci.NewEntity{ent("ok", "")})),
			"entities[0].entity_type"},
		"an observation": {second(
			w.Graph.CreateEntities(ctx, w.claude, w.open, nil, []loci.NewEntity{ent("ok", "t", "a", "\x00")})),
			"entities[0].observations[1]"},
		"an end": {second(
			w.Graph.CreateRelations(ctx, w.claude, w.open, nil, []loci.NewRelation{rel("", "knows", "b")})),
			"relations[0].from"},
		"a deleted name": {second(w.Graph.DeleteEntities(ctx, w.claude, w.open, refs("ok", long))), "names[1] is longer"},
		"a deletion": {second(w.Graph.DeleteObservations(ctx, w.claude, w.open, []loci.Contents{obs("", "x")})),
			"deletions[0].entity_name"},
		"an opened name": {second(w.Graph.OpenEntities(ctx, w.claude, w.open, refs("\xff"))),
			"names[0] is not valid UTF-8"},
		"a named entity": {second(w.Graph.Entity(ctx, w.claude, w.open, named(""))), "name must not be empty"},
		"merge":          {second(w.Graph.Merge(ctx, w.claude, w.open, named(""), named("b"))), "from must not be empty"},
		"vendors": {second(
			w.Graph.CreateEntities(ctx, w.claude, w.open, []loci.Vendor{}, []loci.NewEntity{ent("ok", "t")})),
			"allowed_vendors"},
		"a vendor": {second(
			w.Graph.CreateEntities(ctx, w.claude, w.open, []loci.Vendor{"No Vendor"}, []loci.NewEntity{ent("ok", "t")})),
			"allowed_vendors[0]"},
		"vendors later": {second(w.Graph.SetVendors(ctx, w.olga, w.open, graph.IDs{Entities: ids.Entities[:1]}, nil)),
			"allowed_vendors"},
		"a query": {second(w.Graph.Search(ctx, w.claude, w.open, graph.SearchRequest{Query: `"open`})),
			"quotation mark"},
		"search limit": {second(w.Graph.Search(ctx, w.claude, w.open, graph.SearchRequest{Query: "x", Limit: 101})),
			"limit must be from 1 to 100"},
		"read limit": {second(w.Graph.Read(ctx, w.claude, w.open, graph.ListRequest{Limit: -1})),
			"limit must be from 1 to 500"},
		"hops": {second(w.Graph.Neighbours(ctx, w.claude, w.open, named("x"), 6, 0)), "hops must be from 1 to 5"},
		"history limit": {second(w.Graph.EntityHistory(ctx, w.claude, w.open, named("x"), 1001)),
			"limit must be from 1 to 1000"},
		"trash limit": {second(w.Graph.Trash(ctx, w.claude, w.open, 1001)), "limit must be from 1 to 1000"},
		"format":      {w.Graph.Export(ctx, w.olga, w.open, "xml", io.Discard), "format must be loci or reference"},
	} {
		if loci.CodeOf(tt.err) != loci.Invalid || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%s: got %v (%s), want %q", name, tt.err, loci.CodeOf(tt.err), tt.want)
		}
	}
	wantText(t, w.text(w.olga), "")
}
