package storetest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// A name that very many types of entity have is as good as any other.
func testGraphNames(e *env) {
	p := e.project("p")
	v := e.in(p)
	for done := 0; done < 1100; done += 550 {
		items := make([]loci.NewEntity, 550)
		for i := range items {
			items[i] = ent("one", fmt.Sprint("t", done+i))
		}
		e.putEntities(p, v, items...)
	}
	list := e.find(p, v, "one")
	if len(list) != loci.MaxGraphItems || list[0].Type != "t0" || list[999].Type != "t999" {
		e.Errorf("found %d, from %q", len(list), list[0].Type)
	}
	err := e.tryGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		_, err := tx.Entities().Observe(ctx, v, by(v),
			[]loci.Contents{{Entity: loci.EntityRef{Name: "one"}, Contents: []string{"x"}}})
		return err
	})
	for _, item := range e.wantItems(err, loci.Conflict, 0) {
		if !strings.Contains(item.Text, `"t0" and "t1"`) {
			e.Errorf("the refusal is %q", item.Text)
		}
	}
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		list, err := tx.Entities().Delete(ctx, v, by(v), named("one"))
		if len(list) != 1100 {
			e.Errorf("deleted %d", len(list))
		}
		return err
	})
	e.wantList("left", entityNames(e.find(p, v, "one")))
}

// A name with blanks around it, as earlier versions stored it, is found as it is. If no entity has a name, it means
// what Loci would store for it.
func testGraphOldNames(e *env) {
	p := e.project("p")
	v := e.in(p)
	e.putEntities(p, v, ent(" API ", "old"), ent("API", "new"), ent("Caf\u00e9", "new"))
	for _, name := range []string{" API ", "API", "  API", "Cafe\u0301"} {
		e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
			_, err := tx.Entities().Observe(ctx, v, by(v),
				[]loci.Contents{{Entity: loci.EntityRef{Name: name}, Contents: []string{"said of [" + name + "]"}}})
			return err
		})
	}
	e.wantList("of the old name", e.observationsOf(p, v, " API "), "said of [ API ]")
	e.wantList("of the new name", e.observationsOf(p, v, "API"), "said of [API]", "said of [  API]")
	e.wantList("of the other form", e.observationsOf(p, v, "Caf\u00e9"), "said of [Cafe\u0301]")
}

// What a vendor keeps to itself on an entity that others see does not show in
// the entity's time either.
func testGraphHiddenTime(e *env) {
	p := e.project("p")
	v := e.in(p)
	a := v
	a.Vendor = "a"
	e.putEntities(p, v, ent("x", "t", "open"))
	made := e.clock.now()
	change := func(want time.Time, fn func(context.Context, store.Entities) error) {
		e.Helper()
		e.clock.move(time.Minute)
		e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error { return fn(ctx, tx.Entities()) })
		if got := e.find(p, v, "x")[0].UpdatedAt; !got.Equal(want) {
			e.Errorf("changed at %v, want %v", got, want)
		}
	}
	x := func(text string) []loci.Contents {
		return []loci.Contents{{Entity: loci.EntityRef{Name: "x"}, Contents: []string{text}}}
	}
	observe := func(v loci.Viewer, text string) func(context.Context, store.Entities) error {
		return func(ctx context.Context, n store.Entities) error {
			_, err := n.Observe(ctx, v, by(v), x(text))
			return err
		}
	}
	forget := func(text string) func(context.Context, store.Entities) error {
		return func(ctx context.Context, n store.Entities) error {
			_, err := n.DeleteObservations(ctx, v, by(v), x(text))
			return err
		}
	}
	change(made, observe(a, "hidden"))
	change(made, forget("hidden"))
	from := e.as(p, v, []loci.Vendor{"*"}, ent("from", "t"))[0]
	e.as(p, v, []loci.Vendor{"b"}, ent("b's end", "t"))
	e.relate(p, v, rel("from", "to", "b's end"))
	into := e.find(p, v, "x")[0].ID
	change(made, func(ctx context.Context, n store.Entities) error {
		_, err := n.Merge(ctx, v, by(v), from, into)
		return err
	})
	change(e.clock.now().Add(time.Minute), observe(v, "open too"))
	change(e.clock.now().Add(time.Minute), forget("open"))
}

// The texts of a history have the room of any answer.
func testGraphHistoryLimit(e *env) {
	p := e.project("p")
	v := e.in(p)
	e.putEntities(p, v, ent("big", "x"), ent("hub", "x"))
	e.hang(p, v, "big", 0, 15, 90_000)
	big := e.find(p, v, "big")[0].ID
	e.viewGraph(p, func(ctx context.Context, g store.Graph) error {
		for _, tt := range []struct{ limit, want int }{{3, 3}, {999, 12}} {
			list, err := g.History(ctx, v, big, tt.limit)
			if err != nil || len(list) != tt.want || list[0].Kind != "entity" {
				return fmt.Errorf("got %d changes, want %d: %w", len(list), tt.want, err)
			}
		}
		return nil
	})
}
