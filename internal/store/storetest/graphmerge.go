package storetest

import (
	"context"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (e *env) merge(p loci.Project, v loci.Viewer, from, into loci.EntityID) (out loci.Entity, err error) {
	err = e.tryGraph(p, func(ctx context.Context, tx store.GraphTx) (err error) {
		out, err = tx.Entities().Merge(ctx, v, by(v), from, into)
		return err
	})
	return out, err
}

// as stores entities as v, with rows that these vendors may read.
func (e *env) as(p loci.Project, v loci.Viewer, vendors []loci.Vendor, items ...loci.NewEntity) (ids []loci.EntityID) {
	e.Helper()
	access := by(v)
	access.AllowedVendors = vendors
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		out, err := tx.Entities().Create(ctx, v, access, items)
		for _, put := range out {
			ids = append(ids, put.Entity.ID)
		}
		return err
	})
	return ids
}

func (e *env) history(p loci.Project, v loci.Viewer, id loci.EntityID) (out []string) {
	e.Helper()
	e.viewGraph(p, func(ctx context.Context, g store.Graph) error {
		list, err := g.History(ctx, v, id, 99)
		for _, c := range list {
			out = append(out, c.Kind+" "+c.Change+" "+c.Origin+" "+c.Text)
		}
		return err
	})
	return out
}

// long: one story, from the merge to its undoing
func testGraphMerge(e *env) {
	p := e.project("p")
	v := e.in(p)
	ids := e.as(p, v, []loci.Vendor{"*"}, ent("Ada L.", "person", "both", "of from", "more"),
		ent("Ada", "person", "both", "of into"), ent("Go", "language"))
	from, into := ids[0], ids[1]
	e.relate(p, v, rel("Ada L.", "uses", "Go"), rel("Go", "made by", "Ada L."), rel("Ada", "uses", "Go"),
		rel("Ada L.", "is", "Ada"), rel("Ada", "was", "Ada L."), rel("Ada L.", "knows", "Ada L."))
	before := e.find(p, v, "Ada L.")[0]
	e.clock.move(time.Minute)
	agent := v
	agent.Vendor = "claude"
	got, err := e.merge(p, agent, from, into)
	if err != nil {
		e.Fatal(explain(err))
	}
	var texts []string
	for _, o := range got.Observations {
		texts = append(texts, o.Content)
	}
	e.wantList("observations", texts, "both", "of into", "of from", "more")
	e.wantList("relations", edges(got.Relations), "Ada uses Go", "Go made by Ada", "Ada knows Ada")
	copied := got.Observations[2]
	want := before.Observations[1]
	if diff := cmp.Diff(want, copied, cmpopts.IgnoreFields(loci.Observation{}, "ID", "EntityID")); diff != "" ||
		copied.ID == want.ID || copied.EntityID != into {
		e.Errorf("a copy (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before.Relations[1], got.Relations[1],
		cmpopts.IgnoreFields(loci.Relation{}, "ID", "To", "ToID")); diff != "" ||
		got.Relations[1].ID == before.Relations[1].ID {
		e.Errorf("a copied relation (-want +got):\n%s", diff)
	}
	if !got.UpdatedAt.Equal(e.clock.now()) {
		e.Errorf("changed at %v, want %v", got.UpdatedAt, e.clock.now())
	}
	e.wantList("the two", entityNames(e.find(p, v, "Ada L.", "Ada")), "Ada")
	e.wantList("of Go", edges(e.find(p, v, "Go")[0].Relations), "Ada uses Go", "Go made by Ada")
	for name, id := range map[string]loci.EntityID{"from": from, "into": into} {
		if list := e.history(p, v, id); !slices.Contains(list, "entity merged claude Ada L. into Ada") {
			e.Errorf("history of %s: %q", name, list)
		}
	}
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		_, err := tx.Entities().Restore(ctx, v, by(v), store.GraphIDs{Entities: []loci.EntityID{from}})
		return err
	})
	if diff := cmp.Diff(before, e.find(p, v, "Ada L.")[0], cmpopts.IgnoreFields(loci.Entity{}, "UpdatedAt")); diff != "" {
		e.Errorf("restored (-before +after):\n%s", diff)
	}
	again, err := e.merge(p, v, from, into)
	if diff := cmp.Diff(got.Observations, again.Observations); err != nil || diff != "" {
		e.Errorf("merged again: %v (-want +got):\n%s", err, diff)
	}
}

func testGraphMergeErrors(e *env) {
	p := e.project("p")
	v := e.in(p)
	v.Vendor = "a"
	ids := e.as(p, v, []loci.Vendor{"*"}, ent("x", "t"), ent("y", "t"))
	hidden := e.as(p, v, []loci.Vendor{"b"}, ent("z", "t"))[0]
	for name, tt := range map[string]struct {
		from, into loci.EntityID
		want       loci.Code
	}{
		"the same": {ids[0], ids[0], loci.Invalid}, "nothing": {loci.NewEntityID(), ids[0], loci.NotFound},
		"into nothing": {ids[0], loci.NewEntityID(), loci.NotFound},
		"hidden":       {hidden, ids[0], loci.NotFound}, "into hidden": {ids[0], hidden, loci.NotFound},
	} {
		_, err := e.merge(p, v, tt.from, tt.into)
		e.wantCode(name, err, tt.want)
	}
	_, err := e.merge(p, e.person(), ids[0], ids[1])
	e.wantCode("no member", err, loci.NotFound)
	e.wantList("afterwards", entityNames(e.find(p, v, "x", "y")), "x", "y")
}

// A copy is read by who could read the original, and nobody loses what he read.
func testGraphMergeVendors(e *env) {
	p := e.project("p")
	v := e.in(p)
	as := func(vendor loci.Vendor) loci.Viewer { w := v; w.Vendor = vendor; return w }
	from := e.as(p, v, []loci.Vendor{"a", "b"}, ent("from", "t", "all of from"))[0]
	into := e.as(p, v, []loci.Vendor{"*"}, ent("into", "t"))[0]
	e.as(p, v, []loci.Vendor{"c"}, ent("from", "t", "c's"))
	e.as(p, as("b"), []loci.Vendor{"b"}, ent("from", "t", "b's", "twice"))
	e.as(p, as("a"), []loci.Vendor{"a"}, ent("into", "t", "twice"))
	if _, err := e.merge(p, as("a"), from, into); err != nil {
		e.Fatal(explain(err))
	}
	for vendor, want := range map[loci.Vendor][]string{
		"":  {"twice", "all of from", "c's", "b's", "twice"},
		"a": {"twice", "all of from"},
		"b": {"all of from", "b's", "twice"},
		"c": nil,
	} {
		e.wantList("for "+string(vendor), e.observationsOf(p, as(vendor), "into"), want...)
	}
	for _, o := range e.find(p, v, "into")[0].Observations {
		if o.Content == "c's" && (o.AllowedVendors == nil || len(o.AllowedVendors) != 0) {
			e.Errorf("what only people may read has %#v", o.AllowedVendors)
		}
	}
	e.wantList("history for c", e.history(p, as("c"), into), "entity created api into")
}
