package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// export reads all rows, in pages of at most limit.
func (e *env) export(p loci.Project, v loci.Viewer, limit int) (all store.GraphRows) {
	e.Helper()
	q := store.GraphQuery{Limit: limit}
	for range 9999 {
		var rows store.GraphRows
		e.viewGraph(p, func(ctx context.Context, g store.Graph) (err error) {
			rows, q.After, err = g.Rows(ctx, v, q)
			return err
		})
		if n := len(rows.Entities) + len(rows.Observations) + len(rows.Relations); n > limit || n == 0 && q.After != "" {
			e.Fatalf("a page has %d rows, want 1 to %d", n, limit)
		}
		all.Entities = append(all.Entities, rows.Entities...)
		all.Observations = append(all.Observations, rows.Observations...)
		all.Relations = append(all.Relations, rows.Relations...)
		if q.After == "" {
			return all
		}
	}
	e.Fatal("the pages do not end")
	return all
}

func (e *env) insertRows(p loci.Project, v loci.Viewer, rows store.GraphRows) (added, present int, err error) {
	err = e.tryGraph(p, func(ctx context.Context, tx store.GraphTx) (err error) {
		added, present, err = tx.Entities().Insert(ctx, v, rows)
		return err
	})
	return added, present, err
}

func testGraphRows(e *env) {
	p := e.project("p")
	v := e.in(p)
	agent := v
	agent.Vendor = "claude"
	e.putEntities(p, v, ent("a", "x", "a1", "a2", "a3"), ent("gone", "x", "g1"), ent("b", "x"), ent("c", "x", "c1"))
	e.clock.move(time.Second)
	e.putEntities(p, agent, ent("b", "x", "b1"), ent("mine", "x", "m1"))
	e.relate(p, v, rel("a", "to", "b"), rel("c", "to", "a"), rel("c", "to", "gone"), rel("b", "to", "b"))
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		_, err := tx.Entities().Delete(ctx, v, by(v), named("gone"))
		_, err2 := tx.Entities().DeleteObservations(ctx, v, by(v),
			[]loci.Contents{{Entity: loci.EntityRef{Name: "a"}, Contents: []string{"a2"}}})
		return errors.Join(err, err2)
	})
	whole := e.export(p, v, 1000)
	e.wantList("entities", entityNames(whole.Entities), "a", "b", "c", "mine")
	var texts []string
	for _, o := range whole.Observations {
		texts = append(texts, o.Content)
	}
	e.wantList("observations", texts, "a1", "a3", "b1", "c1", "m1")
	e.wantList("relations", edges(whole.Relations), "a to b", "c to a", "b to b")
	for limit := 1; limit < 14; limit++ {
		if diff := cmp.Diff(whole, e.export(p, v, limit)); diff != "" {
			e.Errorf("in pages of %d (-whole +pages):\n%s", limit, diff)
		}
	}
	other := agent
	other.Vendor = "other"
	e.wantList("entities for another", entityNames(e.export(p, other, 2).Entities), "a", "b", "c")
	e.viewGraph(p, func(ctx context.Context, g store.Graph) error {
		for _, bad := range []store.Position{"x", "relations", "relations:x",
			store.Position(whole.Entities[0].ID.String() + ":x"),
			store.Position(whole.Entities[1].ID.String() + ":" + whole.Observations[0].ID.String())} {
			_, _, err := g.Rows(ctx, v, store.GraphQuery{Limit: 1, After: bad})
			e.wantCode("position "+string(bad), err, loci.Invalid)
		}
		rows, next, err := g.Rows(ctx, e.person(), store.GraphQuery{Limit: 1})
		if len(rows.Entities)+len(rows.Observations)+len(rows.Relations) > 0 || next != "" {
			e.Errorf("for no member: %+v, %q", rows, next)
		}
		return err
	})
}

// A copy of a graph has the same rows, and importing may stop and begin again.
func testGraphInsert(e *env) {
	p, to := e.project("p"), e.project("to")
	v, w := e.in(p), e.in(to)
	agent := v
	agent.Vendor = "claude"
	e.putEntities(p, v, ent("a", "x", "a1", "a2"), ent("b", "x"))
	e.putEntities(p, agent, ent("b", "y", "b1"), ent("a", "x", "private"))
	other := agent
	other.Vendor = "other"
	e.putEntities(p, other, ent("b", "y", "a twin")) // nobody but people sees both
	e.relate(p, v, rel("a", "to", "a"))
	if _, err := e.merge(p, v, e.find(p, agent, "b")[1].ID, e.find(p, v, "a")[0].ID); err != nil {
		e.Fatal(explain(err))
	}
	rows := e.export(p, v, 1000)
	e.clock.move(time.Hour)
	half := rows
	half.Observations, half.Relations = rows.Observations[:1], nil
	for i, tt := range []struct {
		rows           store.GraphRows
		added, present int
	}{{half, len(rows.Entities) + 1, 0}, {rows, len(rows.Observations), len(rows.Entities) + 1},
		{rows, 0, len(rows.Entities) + len(rows.Observations) + 1}} {
		added, present, err := e.insertRows(to, w, tt.rows)
		if err != nil || added != tt.added || present != tt.present {
			e.Errorf("%d: added %d, present %d, %v; want %d, %d", i, added, present, explain(err), tt.added, tt.present)
		}
	}
	if diff := cmp.Diff(rows, e.export(to, w, 3)); diff != "" {
		e.Errorf("the copy (-want +got):\n%s", diff)
	}
	e.wantList("of a, for another", e.observationsOf(to, other, "a"))
	other.ProjectIDs = w.ProjectIDs
	e.wantList("of a, for another member", e.observationsOf(to, other, "a"), "a1", "a2")
	if out := e.putEntities(to, w, ent("a", "x", "a1", "new")); len(out[0].Added) != 1 {
		e.Errorf("an imported observation is not known: %+v", out[0].Added)
	}
	if _, present, err := e.insertRows(to, w, rows); err != nil || present != len(rows.Entities)+len(rows.Observations)+1 {
		e.Errorf("after a change: %d present, %v", present, explain(err))
	}
	e.checkGraph(to)
}

func (e *env) checkGraph(p loci.Project) {
	e.Helper()
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		problems, err := tx.Check(ctx)
		for _, text := range problems {
			e.Errorf("check: %s", text)
		}
		return err
	})
}

// long: a list of rows, each refused for a reason of its own
func testGraphInsertErrors(e *env) {
	p := e.project("p")
	v := e.in(p)
	e.putEntities(p, v, ent("a", "x", "a1"), ent("b", "x"))
	e.relate(p, v, rel("a", "to", "b"))
	rows := e.export(p, v, 99)
	a, o, r := rows.Entities[0], rows.Observations[0], rows.Relations[0]
	private := v
	private.Vendor = "claude"
	e.putEntities(p, private, ent("hidden", "x"))
	hidden := e.find(p, v, "hidden")[0]
	entity := func(change func(*loci.Entity)) loci.Entity {
		x := a
		x.ID, x.Name = loci.NewEntityID(), fmt.Sprint("n", loci.NewEntityID())
		change(&x)
		return x
	}
	observation := func(change func(*loci.Observation)) loci.Observation {
		x := o
		x.ID = loci.NewObservationID()
		change(&x)
		return x
	}
	relation := func(change func(*loci.Relation)) loci.Relation {
		x := r
		x.ID = loci.NewRelationID()
		change(&x)
		return x
	}
	absent := loci.NewEntityID()
	codes := []loci.Code{}
	all := store.GraphRows{
		Entities: []loci.Entity{
			entity(func(*loci.Entity) {}),
			entity(func(x *loci.Entity) { x.ID = a.ID }),
			entity(func(x *loci.Entity) { x.ID = hidden.ID }),
			entity(func(x *loci.Entity) { x.Name = "a" }),
		},
		Observations: []loci.Observation{
			observation(func(*loci.Observation) {}),
			observation(func(x *loci.Observation) { x.ID, x.Content = o.ID, "another" }),
			observation(func(x *loci.Observation) { x.EntityID = absent }),
		},
		Relations: []loci.Relation{
			relation(func(*loci.Relation) {}),
			relation(func(x *loci.Relation) { x.ID, x.Type = r.ID, "another" }),
			relation(func(x *loci.Relation) { x.ToID = absent }),
		},
	}
	_, _, err := e.insertRows(p, v, all)
	for _, item := range e.wantItems(err, loci.Conflict, 1, 2, 3, 5, 6, 8, 9) {
		codes = append(codes, item.Code)
	}
	want := []loci.Code{loci.Conflict, loci.Conflict, loci.Conflict, loci.Conflict, loci.NotFound, loci.Conflict,
		loci.NotFound}
	if !slices.Equal(codes, want) {
		e.Errorf("codes are %q, want %q", codes, want)
	}
	if got := e.export(p, v, 99); len(got.Entities) != 3 || len(got.Observations) != 1 || len(got.Relations) != 1 {
		e.Errorf("after refusals: %+v", got)
	}
	_, _, err = e.insertRows(p, private,
		store.GraphRows{Entities: []loci.Entity{entity(func(x *loci.Entity) { x.ID = hidden.ID })}})
	_, _, err2 := e.insertRows(p, e.in(p),
		store.GraphRows{Entities: []loci.Entity{entity(func(x *loci.Entity) { x.ID = a.ID })}})
	if err == nil || err2 == nil || err.Error() != err2.Error() {
		e.Errorf("a hidden id: %v; a known one: %v", err, err2)
	}
	_, _, err = e.insertRows(p, e.person(), store.GraphRows{})
	e.wantCode("no member", err, loci.NotFound)
}

func testGraphSetVendors(e *env) {
	p := e.project("p")
	v := e.in(p)
	agent := v
	agent.Vendor = "a"
	out := e.putEntities(p, v, ent("x", "t", "x1", "x2"), ent("y", "t"))
	r := e.relate(p, v, rel("x", "to", "y"))[0].Relation.ID
	x, x1 := out[0].Entity.ID, out[0].Added[0].ID
	set := func(v loci.Viewer, ids store.GraphIDs, vendors ...loci.Vendor) (n int, err error) {
		err = e.tryGraph(p, func(ctx context.Context, tx store.GraphTx) (err error) {
			n, err = tx.Entities().SetVendors(ctx, v, by(v), ids, vendors)
			return err
		})
		return n, err
	}
	before := e.find(p, v, "x")[0].UpdatedAt
	e.clock.move(time.Minute)
	for _, want := range []int{2, 0} {
		n, err := set(v, store.GraphIDs{Observations: []loci.ObservationID{x1}, Relations: []loci.RelationID{r}}, "b", "b")
		if err != nil || n != want {
			e.Errorf("changed %d, %v; want %d", n, explain(err), want)
		}
	}
	e.wantList("of x for a", e.observationsOf(p, agent, "x"), "x2")
	e.wantList("relations for a", edges(e.find(p, agent, "x")[0].Relations))
	if got := e.find(p, v, "x")[0]; len(got.Observations) != 2 ||
		!slices.Equal(got.Observations[0].AllowedVendors, []loci.Vendor{"b"}) || !got.UpdatedAt.Equal(before) {
		e.Errorf("x: %+v", got)
	}
	if n, err := set(v, store.GraphIDs{Entities: []loci.EntityID{x}}, "b"); err != nil || n != 1 {
		e.Errorf("an entity: %d, %v", n, explain(err))
	}
	e.wantList("for a", entityNames(e.find(p, agent, "x", "y")), "y")
	other := v
	other.UserID = e.addUser().ID
	deleted := e.putEntities(p, v, ent("gone", "t"))[0].Entity.ID
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		_, err := tx.Entities().Delete(ctx, v, by(v), named("gone"))
		return err
	})
	all := store.GraphIDs{Entities: []loci.EntityID{out[1].Entity.ID, x, deleted, loci.NewEntityID()},
		Observations: []loci.ObservationID{x1, out[0].Added[1].ID}, Relations: []loci.RelationID{r}}
	_, err := set(agent, all, "*") // x and what hangs on it is hidden
	e.wantItems(err, loci.NotFound, 1, 2, 3, 4, 5, 6)
	_, err = set(other, all, "*") // nothing is theirs
	e.wantItems(err, loci.NotFound, 0, 1, 2, 3, 4, 5, 6)
	e.wantList("after refusals", entityNames(e.find(p, agent, "x", "y")), "y")
	if n, err := set(v, store.GraphIDs{Entities: []loci.EntityID{x}}, "*"); err != nil || n != 1 {
		e.Errorf("back: %d, %v", n, explain(err))
	}
	e.wantList("of x for a, again", e.observationsOf(p, agent, "x"), "x2")
}

// long: the same for observations and relations
func testGraphLists(e *env) {
	p := e.project("p")
	v := e.in(p)
	a, b := v, v
	a.Vendor, b.Vendor = "a", "b"
	e.putEntities(p, v, ent("x", "t", "1", "2"), ent("y", "t"), ent("hidden", "t"))
	e.putEntities(p, b, ent("x", "t", "b's"))
	e.putEntities(p, v, ent("x", "t", "3", "4"))
	e.relate(p, v, rel("x", "r1", "y"), rel("y", "r2", "x"), rel("x", "r3", "x"))
	e.relate(p, b, rel("x", "b's", "y"))
	e.relate(p, v, rel("x", "r4", "y"), rel("hidden", "r5", "y"))
	x, y := e.find(p, v, "x")[0].ID, e.find(p, v, "y")[0].ID
	lists := func(v loci.Viewer, limit int) (observations, relations []string) {
		e.viewGraph(p, func(ctx context.Context, g store.Graph) error {
			for q := (store.GraphQuery{Limit: limit}); ; {
				page, err := g.Observations(ctx, v, x, q)
				for _, o := range page.Observations {
					observations = append(observations, o.Content)
				}
				if q.After = page.Next; err != nil || len(page.Observations) > limit {
					return fmt.Errorf("%d observations: %w", len(page.Observations), err)
				}
				if q.After == "" {
					break
				}
			}
			for q := (store.GraphQuery{Limit: limit}); ; {
				page, err := g.Relations(ctx, v, x, q)
				relations = append(relations, edges(page.Relations)...)
				if q.After = page.Next; q.After == "" || err != nil {
					return err
				}
			}
		})
		return observations, relations
	}
	for limit := 1; limit < 7; limit++ {
		for _, tt := range []struct {
			v                       loci.Viewer
			observations, relations []string
		}{
			{a, []string{"1", "2", "3", "4"}, []string{"x r1 y", "y r2 x", "x r3 x", "x r4 y"}},
			{v, []string{"1", "2", "b's", "3", "4"}, []string{"x r1 y", "y r2 x", "x r3 x", "x b's y", "x r4 y"}},
		} {
			observations, relations := lists(tt.v, limit)
			e.wantList("observations", observations, tt.observations...)
			e.wantList("relations", relations, tt.relations...)
		}
	}
	e.viewGraph(p, func(ctx context.Context, g store.Graph) error {
		first, err := g.Observations(ctx, v, x, store.GraphQuery{Limit: 1})
		links, err2 := g.Relations(ctx, v, x, store.GraphQuery{Limit: 1})
		for _, after := range []store.Position{"x", store.Position(loci.NewEntityID().String()), first.Next, links.Next} {
			if after != links.Next {
				_, err := g.Relations(ctx, v, x, store.GraphQuery{Limit: 1, After: after})
				e.wantCode("a bad position", err, loci.Invalid)
			}
			if after != first.Next {
				_, err := g.Observations(ctx, v, x, store.GraphQuery{Limit: 1, After: after})
				e.wantCode("a bad position", err, loci.Invalid)
			}
			_, err := g.Observations(ctx, v, y, store.GraphQuery{Limit: 1, After: after})
			e.wantCode("of another entity", err, loci.Invalid)
		}
		for _, stranger := range []loci.Viewer{{}, e.person()} {
			_, err := g.Observations(ctx, stranger, x, store.GraphQuery{Limit: 1})
			e.wantCode("no member", err, loci.NotFound)
			_, err = g.Relations(ctx, stranger, x, store.GraphQuery{Limit: 1})
			e.wantCode("no member", err, loci.NotFound)
		}
		return errors.Join(err, err2)
	})
}
