package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// hang adds n observations, each of size bytes, and n relations that begin at
// the entity and go to "hub".
func (e *env) hang(p loci.Project, v loci.Viewer, name string, from, n, size int) {
	e.Helper()
	texts, items := make([]string, n), make([]loci.NewRelation, n)
	for i := range n {
		text := fmt.Sprintf("%s %05d ", name, from+i)
		texts[i] = text + strings.Repeat("x", max(0, size-len(text)))
		items[i] = rel(name, fmt.Sprintf("r%05d", from+i), "hub")
	}
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		if _, err := tx.Entities().Observe(ctx, v, by(v),
			[]loci.Contents{{Entity: loci.EntityRef{Name: name}, Contents: texts}}); err != nil {
			return err
		}
		_, err := tx.Entities().Relate(ctx, v, by(v), items)
		return err
	})
}

// readAll reads the whole graph and demands that each visible relation comes once.
func (e *env) readAll(p loci.Project, v loci.Viewer, limit int) (pages []store.GraphPage, links []string) {
	e.Helper()
	for q := (store.GraphQuery{Limit: limit}); len(pages) < 99; {
		var page store.GraphPage
		e.viewGraph(p, func(ctx context.Context, g store.Graph) (err error) { page, err = g.Read(ctx, v, q); return err })
		pages, links = append(pages, page), append(links, edges(page.Relations)...)
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	slices.Sort(links)
	if n := len(slices.Compact(slices.Clone(links))); n != len(links) {
		e.Errorf("of %d relations on the pages, %d are different", len(links), n)
	}
	return pages, links
}

// An entity shows its newest rows, and counts the others that the viewer sees.
func testGraphRowLimit(e *env) {
	p := e.project("p")
	v := e.in(p)
	b := v
	b.Vendor = "b"
	e.putEntities(p, v, ent("big", "x"), ent("hub", "x"), ent("small", "x", "one"))
	e.hang(p, v, "big", 0, 1000, 20)
	e.hang(p, v, "big", 1000, 7, 20)
	e.hang(p, b, "big", 2000, 5, 20) // b's own
	a := v
	a.Vendor = "a"
	e.relate(p, v, rel("small", "to", "big"), rel("small", "to", "small"))
	check := func(what string, v loci.Viewer, got loci.Entity, left int, oldest string) {
		e.Helper()
		if len(got.Observations) != store.MaxEntityRows || got.ObservationsLeft != left ||
			!strings.HasPrefix(got.Observations[0].Content, "big "+oldest) {
			e.Errorf("%s of %q: %d observations from %q on, %d left, want %d", what, v.Vendor, len(got.Observations),
				got.Observations[0].Content, got.ObservationsLeft, left)
		}
		if len(got.Relations) != store.MaxEntityRows || got.RelationsLeft != left+1 ||
			got.Relations[store.MaxEntityRows-1].From != "small" {
			e.Errorf("%s of %q: %d relations, %d left, want %d", what, v.Vendor, len(got.Relations), got.RelationsLeft, left+1)
		}
	}
	for _, tt := range []struct {
		v      loci.Viewer
		left   int
		oldest string
	}{{a, 7, "00007"}, {b, 12, "00012"}, {v, 12, "00012"}} {
		list := e.find(p, tt.v, "big", "small")
		check("Find", tt.v, list[0], tt.left, tt.oldest)
		if len(list[1].Observations) != 1 || list[1].ObservationsLeft != 0 || len(list[1].Relations) != 2 {
			e.Errorf("the other: %+v", list[1])
		}
		pages, links := e.readAll(p, tt.v, 5)
		check("Read", tt.v, pages[0].Entities[0], tt.left, tt.oldest)
		if len(links) != 1002+tt.left || pages[0].Left != 2 {
			e.Errorf("Read for %q has %d relations on %d pages, want %d; %d entities left", tt.v.Vendor, len(links), len(pages),
				1002+tt.left, pages[0].Left)
		}
	}
}

// An answer has so much text at most. What asks for little gets it.
func testGraphTextLimit(e *env) {
	p := e.project("p")
	v := e.in(p)
	e.putEntities(p, v, ent("one", "x"), ent("hub", "x"), ent("small", "x", "its only one"), ent("two", "x"),
		ent("new", "x"))
	for _, name := range []string{"one", "two"} {
		e.hang(p, v, name, 0, 18, 90_000)
	}
	list := e.find(p, v, "one", "small", "two")
	size := 0
	for _, x := range list {
		for _, o := range x.Observations {
			size += len(o.Content)
		}
		for _, r := range x.Relations {
			size += len(r.From + r.To + r.Type)
		}
	}
	if size > store.MaxGraphText || size < store.MaxGraphText-3*90_000 {
		e.Errorf("the answer has %d bytes of text", size)
	}
	for _, i := range []int{0, 2} {
		n := len(list[i].Observations)
		if n != 5 || list[i].ObservationsLeft != 13 || len(list[i].Relations) != 18 || list[i].RelationsLeft != 0 ||
			!strings.Contains(list[i].Observations[n-1].Content, " 00017 ") {
			e.Errorf("%s has %d observations, %d left; %d relations, %d left", list[i].Name, n, list[i].ObservationsLeft,
				len(list[i].Relations), list[i].RelationsLeft)
		}
	}
	if len(list[1].Observations) != 1 || list[1].ObservationsLeft != 0 {
		e.Errorf("the small one: %+v", list[1])
	}
	alone := e.find(p, v, "one")[0]
	if n := len(alone.Observations); n != 11 || alone.ObservationsLeft != 7 {
		e.Errorf("alone it has %d observations, %d left", n, alone.ObservationsLeft)
	}
	pages, links := e.readAll(p, v, 5)
	var names []string
	for _, page := range pages {
		names = append(names, strings.Join(entityNames(page.Entities), " "))
	}
	e.wantList("pages", names, "one", "hub small", "two new")
	if len(links) != 36 {
		e.Errorf("%d relations, want 36", len(links))
	}
	out := e.putEntities(p, v, ent("new", "x", strings.Repeat("y", 100_000)), ent("one", "x"),
		ent("fresh", "x", strings.Repeat("z", 100_000)))
	if len(out[0].Entity.Observations) != 1 || len(out[2].Entity.Observations) != 1 ||
		out[1].Entity.ObservationsLeft == 0 {
		e.Errorf("Create shows %d and %d observations, and leaves %d", len(out[0].Entity.Observations),
			len(out[2].Entity.Observations), out[1].Entity.ObservationsLeft)
	}
}

// Names are suggested for the first of those that are not there, and all of these are named.
func testGraphSuggestLimit(e *env) {
	p := e.project("p")
	v := e.in(p)
	e.putEntities(p, v, ent("Ada Lovelace", "person"))
	const n = store.MaxSuggested + 5
	unknown, edges := make([]loci.Contents, n), make([]loci.NewRelation, n)
	for i := range n {
		name := fmt.Sprintf("Ada Lovelac%d", i)
		unknown[i] = loci.Contents{Entity: loci.EntityRef{Name: name}, Contents: []string{"x"}}
		edges[i] = rel("Ada Lovelace", "knows", name)
	}
	check := func(what string, err error) {
		e.Helper()
		var bad *loci.ItemsError
		if !errors.As(err, &bad) || len(bad.Items) != n {
			e.Errorf("%s: got %v, want %d refusals", what, explain(err), n)
			return
		}
		for i, item := range bad.Items {
			if suggested := len(item.Nearest) > 0; suggested != (i < store.MaxSuggested) || item.Code != loci.NotFound {
				e.Errorf("%s: item %d is %+v", what, i, item)
			}
		}
	}
	check("Observe", e.tryGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		_, err := tx.Entities().Observe(ctx, v, by(v), unknown)
		return err
	}))
	check("Relate", e.tryGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		_, err := tx.Entities().Relate(ctx, v, by(v), edges)
		return err
	}))
}

// Many short rows count for more than their text.
func testGraphShortRows(e *env) {
	p := e.project("p")
	v := e.in(p)
	names := []string{"a", "b", "c", "d"}
	items := []loci.NewEntity{ent("hub", "x")}
	for _, name := range names {
		items = append(items, ent(name, "x"))
	}
	e.putEntities(p, v, items...)
	for _, name := range names {
		e.hang(p, v, name, 0, 1000, 0)
	}
	shown, left := 0, 0
	for _, x := range e.find(p, v, names...) {
		shown += len(x.Observations) + len(x.Relations)
		left += x.ObservationsLeft + x.RelationsLeft
	}
	if most := store.MaxGraphText / store.GraphRow; shown > most || shown < most*9/10 || shown+left != 8000 {
		e.Errorf("the answer has %d rows and leaves %d, at most %d have room", shown, left, most)
	}
}
