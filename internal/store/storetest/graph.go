package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func ent(name, kind string, observations ...string) loci.NewEntity {
	return loci.NewEntity{EntityRef: loci.EntityRef{Name: name, Type: kind}, Observations: observations}
}

func rel(from, kind, to string) loci.NewRelation {
	return loci.NewRelation{From: loci.EntityRef{Name: from}, To: loci.EntityRef{Name: to}, Type: kind}
}

func named(names ...string) (refs []loci.EntityRef) {
	for _, n := range names {
		refs = append(refs, loci.EntityRef{Name: n})
	}
	return refs
}

// by is what a viewer's rows carry: a vendor keeps its own to itself.
func by(v loci.Viewer) loci.GraphAccess {
	a := loci.GraphAccess{UserID: v.UserID, Origin: "api", AllowedVendors: []loci.Vendor{"*"}}
	if v.Vendor != "" {
		a.Origin, a.AllowedVendors = string(v.Vendor), []loci.Vendor{v.Vendor}
	}
	return a
}

func (e *env) updateGraph(p loci.Project, fn func(context.Context, store.GraphTx) error) {
	e.Helper()
	if err := e.tryGraph(p, fn); err != nil {
		e.Fatalf("UpdateProject: %v", explain(err))
	}
}

func (e *env) tryGraph(p loci.Project, fn func(context.Context, store.GraphTx) error) error {
	return e.st.UpdateProject(e.Context(), p.OrgID, p.ID, func(tx store.GraphTx) error { return fn(e.Context(), tx) })
}

func (e *env) viewGraph(p loci.Project, fn func(context.Context, store.Graph) error) {
	e.Helper()
	err := e.st.ViewProject(e.Context(), p.OrgID, p.ID,
		func(tx store.GraphTx) error { return fn(e.Context(), tx.Graph()) })
	if err != nil {
		e.Fatalf("ViewProject: %v", explain(err))
	}
}

// putEntities stores entities as v.
func (e *env) putEntities(p loci.Project, v loci.Viewer, items ...loci.NewEntity) (out []store.PutEntity) {
	e.Helper()
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) (err error) {
		out, err = tx.Entities().Create(ctx, v, by(v), items)
		return err
	})
	return out
}

func (e *env) relate(p loci.Project, v loci.Viewer, items ...loci.NewRelation) (out []store.PutRelation) {
	e.Helper()
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) (err error) {
		out, err = tx.Entities().Relate(ctx, v, by(v), items)
		return err
	})
	return out
}

func (e *env) find(p loci.Project, v loci.Viewer, names ...string) (list []loci.Entity) {
	e.Helper()
	e.viewGraph(p, func(ctx context.Context, g store.Graph) (err error) {
		list, err = g.Find(ctx, v, named(names...))
		return err
	})
	return list
}

func (e *env) observationsOf(p loci.Project, v loci.Viewer, name string) (out []string) {
	e.Helper()
	for _, x := range e.find(p, v, name) {
		for _, o := range x.Observations {
			out = append(out, o.Content)
		}
	}
	return out
}

func entityNames(list []loci.Entity) (out []string) {
	for _, x := range list {
		out = append(out, x.Name)
	}
	return out
}

func edges(list []loci.Relation) (out []string) {
	for _, r := range list {
		out = append(out, r.From+" "+r.Type+" "+r.To)
	}
	return out
}

func (e *env) wantList(what string, got []string, want ...string) {
	e.Helper()
	if !slices.Equal(got, want) {
		e.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func testGraphCreate(e *env) {
	p := e.project("p")
	v := e.in(p)
	v.Vendor = "claude"
	out := e.putEntities(p, v, ent("Ada", "person", "one", "two", "one"), ent("Go", "language"))
	now := e.clock.now()
	access := by(v)
	want := loci.Entity{ID: out[0].Entity.ID, Name: "Ada", Type: "person", GraphAccess: access, CreatedAt: now,
		UpdatedAt: now, Relations: []loci.Relation{}}
	for i, text := range []string{"one", "two"} {
		want.Observations = append(want.Observations,
			loci.Observation{ID: out[0].Added[i].ID, EntityID: want.ID, Content: text, GraphAccess: access, CreatedAt: now})
	}
	if diff := cmp.Diff(store.PutEntity{Entity: want, Created: true, Added: want.Observations},
		out[0]); diff != "" {
		e.Errorf("Create (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]loci.Entity{want}, e.find(p, v, "Ada")); diff != "" {
		e.Errorf("Find (-want +got):\n%s", diff)
	}
	e.clock.move(time.Minute)
	out = e.putEntities(p, v, ent("Ada", "person", "two", "three"), ent("Ada", "ship"), ent("New", "x"),
		ent("New", "x", "late"))
	if out[0].Created || out[0].Entity.ID != want.ID || len(out[0].Added) != 1 || len(out[0].Entity.Observations) != 3 ||
		!out[0].Entity.UpdatedAt.Equal(e.clock.now()) {
		e.Errorf("an entity that exists: %+v", out[0])
	}
	if !out[1].Created || !out[2].Created || out[3].Created || out[3].Entity.ID != out[2].Entity.ID ||
		len(out[3].Added) != 1 {
		e.Errorf("another type, and twice in a call: %+v", out[1:])
	}
	if got := e.find(p, v, "New"); len(got) != 1 || len(got[0].Observations) != 1 {
		e.Errorf("New: %+v", got)
	}
	refused := errors.New("refused")
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		create := func(name string, err error) error {
			return tx.Try(func() error {
				_, bad := tx.Entities().Create(ctx, v, by(v), []loci.NewEntity{ent(name, "x")})
				return errors.Join(bad, err)
			})
		}
		if err := create("undone", refused); !errors.Is(err, refused) {
			e.Errorf("Try: %v", err)
		}
		return create("done", nil)
	})
	e.wantList("what was tried", entityNames(e.find(p, v, "undone", "done")), "done")
	for name, stranger := range map[string]loci.Viewer{"no member": e.person(), "nobody": {}} {
		err := e.tryGraph(p, func(ctx context.Context, tx store.GraphTx) error {
			_, err := tx.Entities().Create(ctx, stranger, by(v), []loci.NewEntity{ent("x", "x")})
			return err
		})
		e.wantCode(name, err, loci.NotFound)
	}
}

// wantItems demands that exactly these items were refused.
func (e *env) wantItems(err error, code loci.Code, indices ...int) (items []loci.ItemError) {
	e.Helper()
	var bad *loci.ItemsError
	if !errors.As(err, &bad) || loci.CodeOf(err) != code {
		e.Errorf("got %v, want refusals of %d with code %q", explain(err), indices, code)
		return nil
	}
	var got []int
	for _, item := range bad.Items {
		got = append(got, item.Index)
	}
	if !slices.Equal(got, indices) {
		e.Errorf("refused are %d, want %d: %v", got, indices, err)
	}
	return bad.Items
}

func testGraphObserve(e *env) {
	p := e.project("p")
	v := e.in(p)
	e.putEntities(p, v, ent("Ada Lovelace", "person", "one"), ent("Twin", "a"), ent("Twin", "b"))
	var out []store.Observed
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) (err error) {
		out, err = tx.Entities().Observe(ctx, v, by(v), []loci.Contents{
			{Entity: loci.EntityRef{Name: "Ada Lovelace"}, Contents: []string{"two", "one", "two"}},
			{Entity: loci.EntityRef{Name: "Twin", Type: "b"}, Contents: []string{"b's"}},
		})
		return err
	})
	if len(out) != 2 || len(out[0].Added) != 1 || out[0].Added[0].Content != "two" || len(out[0].Duplicates) != 1 ||
		out[0].Duplicates[0].Content != "one" {
		e.Errorf("Observe: %+v", out)
	}
	e.wantList("Ada", e.observationsOf(p, v, "Ada Lovelace"), "one", "two")
	e.wantList("Twin", e.observationsOf(p, v, "Twin"), "b's")
	try := func(items ...loci.Contents) error {
		return e.tryGraph(p, func(ctx context.Context, tx store.GraphTx) error {
			_, err := tx.Entities().Observe(ctx, v, by(v), items)
			return err
		})
	}
	items := e.wantItems(try(loci.Contents{Entity: loci.EntityRef{Name: "Ada Lovelace"}, Contents: []string{"lost"}},
		loci.Contents{Entity: loci.EntityRef{Name: "ada lovelase"}, Contents: []string{"x"}}), loci.NotFound, 1)
	if len(items) == 1 && (!slices.Equal(items[0].Nearest, []string{"Ada Lovelace"}) ||
		!strings.Contains(items[0].Text, `"ada lovelase"; did you mean "Ada Lovelace"?`)) {
		e.Errorf("the suggestion is %+v", items[0])
	}
	e.wantItems(try(loci.Contents{Entity: loci.EntityRef{Name: "Twin"}, Contents: []string{"x"}}), loci.Conflict, 0)
	e.wantList("after refusals", e.observationsOf(p, v, "Ada Lovelace"), "one", "two")
}

func testGraphRelate(e *env) {
	p := e.project("p")
	v := e.in(p)
	e.putEntities(p, v, ent("Ada", "person"), ent("Go", "language"))
	out := e.relate(p, v, rel("Ada", "uses", "Go"), rel("Ada", "uses", "Go"), rel("Go", "uses", "Ada"),
		rel("Ada", "is", "Ada"))
	if !out[0].Created || out[1].Created || out[1].Relation.ID != out[0].Relation.ID || !out[2].Created ||
		!out[3].Created {
		e.Errorf("Relate: %+v", out)
	}
	want := loci.Relation{ID: out[0].Relation.ID, FromID: out[0].Relation.FromID, ToID: out[0].Relation.ToID, From: "Ada",
		To: "Go", Type: "uses", GraphAccess: by(v), CreatedAt: e.clock.now()}
	list := e.find(p, v, "Go", "Ada")
	if diff := cmp.Diff(want, out[0].Relation); diff != "" || len(list) != 2 || list[0].ID != want.ToID ||
		list[1].ID != want.FromID {
		e.Errorf("(-want +got):\n%s of %+v", diff, list)
	}
	e.wantList("of Go", edges(list[0].Relations), "Ada uses Go", "Go uses Ada")
	e.wantList("of Ada", edges(list[1].Relations), "Ada uses Go", "Go uses Ada", "Ada is Ada")
	err := e.tryGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		_, err := tx.Entities().Relate(ctx, v, by(v),
			[]loci.NewRelation{rel("Ada", "likes", "Go"), rel("Ada", "likes", "Ga"), rel("Nobody", "likes", "Go")})
		return err
	})
	e.wantItems(err, loci.NotFound, 1, 2)
	e.wantList("after a refusal", edges(e.find(p, v, "Go")[0].Relations), "Ada uses Go", "Go uses Ada")
}

// long: one story, from deletion to restoration
func testGraphDelete(e *env) {
	p := e.project("p")
	v := e.in(p)
	e.putEntities(p, v, ent("A", "x", "a1", "a2"), ent("B", "x", "b1"), ent("C", "x"))
	e.relate(p, v, rel("A", "to", "B"), rel("B", "to", "C"), rel("A", "to", "C"))
	e.clock.move(time.Second)
	count := func(want int, fn func(context.Context, store.Entities) (int, error)) {
		e.Helper()
		e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
			n, err := fn(ctx, tx.Entities())
			if n != want {
				e.Errorf("counted %d, want %d", n, want)
			}
			return err
		})
	}
	count(1, func(ctx context.Context, n store.Entities) (int, error) {
		return n.DeleteObservations(ctx, v, by(v),
			[]loci.Contents{{Entity: loci.EntityRef{Name: "A"}, Contents: []string{"a1", "zz"}},
				{Entity: loci.EntityRef{Name: "absent"}, Contents: []string{"a2"}}})
	})
	e.wantList("of A", e.observationsOf(p, v, "A"), "a2")
	count(1, func(ctx context.Context, n store.Entities) (int, error) {
		return n.DeleteRelations(ctx, v, by(v),
			[]loci.NewRelation{rel("A", "to", "C"), rel("C", "to", "A"), rel("A", "on", "B")})
	})
	count(2, func(ctx context.Context, n store.Entities) (int, error) {
		return counted(n.Delete(ctx, v, by(v), named("A", "absent", "B")))
	})
	count(0, func(ctx context.Context, n store.Entities) (int, error) {
		return counted(n.Delete(ctx, v, by(v), named("A")))
	})
	e.wantList("left", entityNames(e.find(p, v, "A", "B", "C")), "C")
	e.wantList("of C", edges(e.find(p, v, "C")[0].Relations))
	var trash store.GraphTrash
	e.viewGraph(p, func(ctx context.Context, g store.Graph) (err error) { trash, err = g.Trash(ctx, v, 9); return err })
	e.wantList("trash", entityNames(trash.Entities), "B", "A")
	if len(trash.Observations)+len(trash.Relations) != 0 {
		e.Errorf("what went along, or cannot be restored, is in the trash: %+v", trash)
	}
	restore := func(items store.GraphIDs) error {
		return e.tryGraph(p, func(ctx context.Context, tx store.GraphTx) error {
			_, err := tx.Entities().Restore(ctx, v, by(v), items)
			return err
		})
	}
	a, b := trash.Entities[1].ID, trash.Entities[0].ID
	if err := restore(store.GraphIDs{Entities: []loci.EntityID{a}}); err != nil {
		e.Fatal(explain(err))
	}
	e.wantList("of A restored", e.observationsOf(p, v, "A"), "a2")
	e.wantList("its relations", edges(e.find(p, v, "A")[0].Relations))
	if err := restore(store.GraphIDs{Entities: []loci.EntityID{b}}); err != nil {
		e.Fatal(explain(err))
	}
	e.wantList("relations, both ends back", edges(e.find(p, v, "B")[0].Relations), "A to B", "B to C")
	e.viewGraph(p, func(ctx context.Context, g store.Graph) (err error) { trash, err = g.Trash(ctx, v, 9); return err })
	if len(trash.Entities) != 0 || len(trash.Observations) != 1 || trash.Observations[0].Content != "a1" ||
		len(trash.Relations) != 1 {
		e.Fatalf("trash: %+v", trash)
	}
	back := store.GraphIDs{Observations: []loci.ObservationID{trash.Observations[0].ID},
		Relations: []loci.RelationID{trash.Relations[0].ID}}
	if err := restore(back); err != nil {
		e.Error(explain(err))
	}
	e.wantItems(restore(back), loci.NotFound, 0, 1)
	e.wantItems(restore(store.GraphIDs{Entities: []loci.EntityID{loci.NewEntityID(), b}}), loci.NotFound, 0, 1)
	e.wantList("of A, all", e.observationsOf(p, v, "A"), "a1", "a2")
	count(1, func(ctx context.Context, n store.Entities) (int, error) {
		return counted(n.Delete(ctx, v, by(v), named("A")))
	})
	if again := e.putEntities(p, v, ent("A", "x", "new")); !again[0].Created || again[0].Entity.ID == a {
		e.Errorf("a deleted name: %+v", again)
	}
	e.wantItems(restore(store.GraphIDs{Entities: []loci.EntityID{a}}), loci.Conflict, 0)
	e.wantItems(restore(store.GraphIDs{Observations: back.Observations}), loci.Conflict, 0)
}

func testGraphRead(e *env) {
	p := e.project("p")
	v := e.in(p)
	for i := range 7 {
		e.putEntities(p, v, ent(fmt.Sprint("n", i), "x", "o"))
	}
	e.relate(p, v, rel("n0", "to", "n6"), rel("n6", "to", "n0"), rel("n3", "to", "n3"))
	var names, links []string
	q := store.GraphQuery{Limit: 3}
	for left := 4; ; left -= 3 {
		var page store.GraphPage
		e.viewGraph(p, func(ctx context.Context, g store.Graph) (err error) { page, err = g.Read(ctx, v, q); return err })
		if page.Left != max(0, left) || (page.Next == "") != (left <= 0) || len(page.Entities) != min(3, 3+left) {
			e.Fatalf("page %+v, want %d left", page, left)
		}
		names, links = append(names, entityNames(page.Entities)...), append(links, edges(page.Relations)...)
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	e.wantList("entities", names, "n0", "n1", "n2", "n3", "n4", "n5", "n6")
	e.wantList("relations", links, "n0 to n6", "n3 to n3", "n6 to n0")
	e.viewGraph(p, func(ctx context.Context, g store.Graph) error {
		for _, bad := range []store.Position{"x", store.Position(loci.NewEntityID().String())} {
			_, err := g.Read(ctx, v, store.GraphQuery{Limit: 1, After: bad})
			e.wantCode("a bad position", err, loci.Invalid)
		}
		list, err := g.Get(ctx, v, loci.NewEntityID())
		e.wantList("Get of nothing", entityNames(list))
		return err
	})
}

func testGraphWalk(e *env) {
	p := e.project("p")
	v := e.in(p)
	ids := map[string]loci.EntityID{}
	for _, put := range e.putEntities(p, v, ent("a", "x", "text"), ent("b", "x"), ent("c", "x"), ent("d", "x"),
		ent("lonely", "x")) {
		ids[put.Entity.Name] = put.Entity.ID
	}
	e.relate(p, v, rel("a", "to", "b"), rel("c", "to", "b"), rel("c", "to", "d"), rel("d", "to", "a"))
	e.viewGraph(p, func(ctx context.Context, g store.Graph) error {
		for _, tt := range []struct {
			hops, limit int
			want        []string
		}{{0, 9, []string{"a"}}, {1, 9, []string{"a", "b", "d"}}, {2, 9, []string{"a", "b", "d", "c"}},
			{9, 9, []string{"a", "b", "d", "c"}}, {2, 2, []string{"a", "b"}}} {
			got, err := g.Neighbours(ctx, v, ids["a"], tt.hops, tt.limit)
			if err != nil {
				return err
			}
			e.wantList(fmt.Sprint(tt.hops, " hops"), entityNames(got), tt.want...)
		}
		_, err := g.Neighbours(ctx, v, loci.NewEntityID(), 1, 1)
		e.wantCode("Neighbours of nothing", err, loci.NotFound)
		_, err = g.History(ctx, v, loci.NewEntityID(), 1)
		e.wantCode("History of nothing", err, loci.NotFound)
		names, err := g.Suggest(ctx, v, "lonly", 5)
		e.wantList("Suggest", names, "lonely")
		return err
	})
	e.clock.move(time.Second)
	deleter := by(v)
	deleter.Origin = "cleaner"
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		n := tx.Entities()
		_, err := n.DeleteObservations(ctx, v, deleter,
			[]loci.Contents{{Entity: loci.EntityRef{Name: "a"}, Contents: []string{"text"}}})
		_, err2 := n.Delete(ctx, v, deleter, named("a"))
		return errors.Join(err, err2)
	})
	e.clock.move(time.Second)
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		_, err := tx.Entities().Restore(ctx, v, by(v), store.GraphIDs{Entities: []loci.EntityID{ids["a"]}})
		return err
	})
	var got []string
	e.viewGraph(p, func(ctx context.Context, g store.Graph) error {
		list, err := g.History(ctx, v, ids["a"], 99)
		for _, c := range list {
			got = append(got, c.Kind+" "+c.Change+" "+c.Origin+" "+c.Text)
		}
		return err
	})
	e.wantList("History", got, "entity created api a", "observation created api text", "relation created api a to b",
		"relation created api d to a",
		"observation deleted cleaner text", "entity deleted cleaner a", "entity restored api a")
}

func testGraphUpkeep(e *env) {
	p := e.project("p")
	v := e.in(p)
	e.putEntities(p, v, ent("Ada", "person", "wrote notes"))
	for range 2 {
		e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
			if got := tx.Project(); got != p {
				e.Errorf("Project: %+v, want %+v", got, p)
			}
			problems, err := tx.Check(ctx)
			if len(problems) != 0 {
				e.Errorf("Check: %q", problems)
			}
			return errors.Join(err, tx.Rebuild(ctx))
		})
	}
}

func counted(list []loci.Entity, err error) (int, error) { return len(list), err }
