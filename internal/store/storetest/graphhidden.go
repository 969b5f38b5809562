package storetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

var errUndo = errors.New("undo")

// compareLists holds what is paged against the rule: the rows for export, and
// what hangs on one entity.
func (w *graphWorld) compareLists(ctx context.Context, g store.Graph, v loci.Viewer) error {
	limit := rapid.IntRange(1, 4).Draw(w.t, "limit")
	var entities, observations, relations []string
	for _, e := range w.entities {
		if !v.SeesGraph(&w.p, &e.GraphAccess, loci.LiveOnly) {
			if err := w.compareHiddenLists(ctx, g, v, e); err != nil {
				return err
			}
			continue
		}
		entities = append(entities, e.Name)
		var own, links []string
		for _, o := range w.observations {
			if o.EntityID == e.ID && v.SeesGraph(&w.p, &o.GraphAccess, loci.LiveOnly) {
				own = append(own, o.Content)
			}
		}
		for _, r := range w.relations {
			if (r.FromID == e.ID || r.ToID == e.ID) && w.seesRelation(v, r) {
				links = append(links, r.Type)
			}
		}
		observations = append(observations, own...)
		if err := w.compareListsOf(ctx, g, v, e, limit, own, links); err != nil {
			return err
		}
	}
	for _, r := range w.relations {
		if w.seesRelation(v, r) {
			relations = append(relations, r.Type)
		}
	}
	bare, err := exported(ctx, g, v, store.GraphQuery{Limit: limit, Bare: true})
	if err != nil {
		return err
	}
	w.same("bare Rows, entities", v, entities, entityNames(bare.Entities))
	w.same("bare Rows, observations", v, nil, contentsOf(bare.Observations))
	w.same("bare Rows, relations", v, relations, typesOf(bare.Relations))
	rows, err := exported(ctx, g, v, store.GraphQuery{Limit: limit})
	w.same("Rows, entities", v, entities, entityNames(rows.Entities))
	w.same("Rows, observations", v, observations, contentsOf(rows.Observations))
	w.same("Rows, relations", v, relations, typesOf(rows.Relations))
	return err
}

func contentsOf(list []loci.Observation) (out []string) {
	for _, o := range list {
		out = append(out, o.Content)
	}
	return out
}

func typesOf(list []loci.Relation) (out []string) {
	for _, r := range list {
		out = append(out, r.Type)
	}
	return out
}

func exported(ctx context.Context, g store.Graph, v loci.Viewer, q store.GraphQuery) (all store.GraphRows, err error) {
	for {
		rows, next, err := g.Rows(ctx, v, q)
		all.Entities = append(all.Entities, rows.Entities...)
		all.Observations = append(all.Observations, rows.Observations...)
		all.Relations = append(all.Relations, rows.Relations...)
		if q.After = next; next == "" || err != nil {
			return all, err
		}
	}
}

func (w *graphWorld) compareHiddenLists(ctx context.Context, g store.Graph, v loci.Viewer, e *loci.Entity) error {
	_, err := g.Observations(ctx, v, e.ID, store.GraphQuery{Limit: 1})
	_, err2 := g.Relations(ctx, v, e.ID, store.GraphQuery{Limit: 1})
	if loci.CodeOf(err) != loci.NotFound || loci.CodeOf(err2) != loci.NotFound {
		w.t.Fatalf("lists of a hidden entity for %+v: %v, %v", v, err, err2)
	}
	return nil
}

func (w *graphWorld) compareListsOf(ctx context.Context, g store.Graph, v loci.Viewer, e *loci.Entity, limit int, own,
	links []string) error {
	var observations, relations []string
	for q := (store.GraphQuery{Limit: limit}); ; {
		page, err := g.Observations(ctx, v, e.ID, q)
		observations = append(observations, contentsOf(page.Observations)...)
		if err != nil {
			return err
		}
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	for q := (store.GraphQuery{Limit: limit}); ; {
		page, err := g.Relations(ctx, v, e.ID, q)
		relations = append(relations, typesOf(page.Relations)...)
		if err != nil {
			return err
		}
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	w.same("Observations", v, own, observations)
	w.same("Relations", v, links, relations)
	return nil
}

// comparePositions: no list goes on after a row that the viewer cannot see, in any state.
func (w *graphWorld) comparePositions(ctx context.Context, g store.Graph, v loci.Viewer) error {
	check := func(what string, sees bool, err error) {
		if want := map[bool]loci.Code{true: "", false: loci.Invalid}[sees]; loci.CodeOf(err) != want {
			w.t.Fatalf("%s after a row that %+v sees (%v): %v", what, v, sees, err)
		}
	}
	after := func(id string) store.GraphQuery { return store.GraphQuery{Limit: 1, After: store.Position(id)} }
	for _, e := range w.entities {
		_, err := g.Read(ctx, v, after(e.ID.String()))
		check("Read", v.SeesGraph(&w.p, &e.GraphAccess, loci.AnyState), err)
	}
	for _, o := range w.observations {
		if v.SeesGraph(&w.p, &w.entity(o.EntityID).GraphAccess, loci.LiveOnly) {
			_, err := g.Observations(ctx, v, o.EntityID, after(o.ID.String()))
			check("Observations", v.SeesGraph(&w.p, &o.GraphAccess, loci.AnyState), err)
		}
	}
	for _, r := range w.relations {
		if v.SeesGraph(&w.p, &w.entity(r.FromID).GraphAccess, loci.LiveOnly) {
			_, err := g.Relations(ctx, v, r.FromID, after(r.ID.String()))
			check("Relations", v.SeesGraph(&w.p, &r.GraphAccess, loci.AnyState) && w.seesEnds(v, r, loci.AnyState), err)
		}
	}
	return nil
}

// compareRestores: a relation that the viewer cannot see can be made, and only what the viewer sees in
// the trash can be restored. Nothing of it is kept.
func (w *graphWorld) compareRestores(v loci.Viewer) {
	undo := errors.New("undo")
	restored := func(what string, sees, live bool, err error) {
		want := loci.NotFound
		if sees && live {
			want = ""
		} else if sees {
			want = loci.Conflict
		}
		if loci.CodeOf(err) != want {
			w.t.Fatalf("Restore of %s for %+v: %v, want %q", what, v, err, want)
		}
	}
	err := w.tryGraph(w.p, func(ctx context.Context, tx store.GraphTx) error {
		for _, r := range w.relations {
			live := w.seesEnds(w.all(), r, loci.LiveOnly)
			if w.seesEnds(v, r, loci.LiveOnly) {
				out, err := tx.Entities().Relate(ctx, v, by(w.all()), []loci.NewRelation{rel(r.From, r.Type, r.To)})
				if err != nil {
					return err
				}
				if sees := w.seesRelation(v, r); out[0].Created == sees {
					w.t.Fatalf("Relate for %+v: created %v, but sees it %v", v, out[0].Created, sees)
				}
			}
			_, err := tx.Entities().Restore(ctx, v, by(w.all()), store.GraphIDs{Relations: []loci.RelationID{r.ID}})
			if live || !r.DeletedAt.IsZero() { // those that were deleted with an entity are not kept beside the store
				sees := v.SeesGraph(&w.p, &r.GraphAccess, loci.TrashOnly) && w.seesEnds(v, r, loci.AnyState)
				restored("a relation", sees, live, err)
			}
		}
		for _, o := range w.observations {
			e := w.entity(o.EntityID)
			_, err := tx.Entities().Restore(ctx, v, by(w.all()), store.GraphIDs{Observations: []loci.ObservationID{o.ID}})
			if e.DeletedAt.IsZero() || !o.DeletedAt.IsZero() {
				sees := v.SeesGraph(&w.p, &o.GraphAccess, loci.TrashOnly) && v.SeesGraph(&w.p, &e.GraphAccess, loci.AnyState)
				restored("an observation", sees, e.DeletedAt.IsZero(), err)
			}
		}
		return undo
	})
	if !errors.Is(err, undo) {
		w.t.Fatalf("compareRestores for %+v: %v", v, explain(err))
	}
}

// readers are one viewer of each vendor.
func (w *graphWorld) readers() (list []loci.Viewer) {
	for _, vendor := range []loci.Vendor{"", "a", "b", "c", "zz"} {
		v := w.all()
		v.Vendor = vendor
		list = append(list, v)
	}
	return list
}

// graphView is what one reader has of a graph: texts with the id of their entity.
type graphView struct {
	names, texts, links map[string]bool
	of                  map[loci.EntityID]map[string]bool
	changed             map[loci.EntityID]time.Time
}

func (w *graphWorld) read(ctx context.Context, g store.Graph, v loci.Viewer) graphView {
	rows, err := exported(ctx, g, v, store.GraphQuery{Limit: 100})
	if err != nil {
		w.t.Fatal(explain(err))
	}
	out := graphView{names: map[string]bool{}, texts: map[string]bool{}, links: map[string]bool{},
		of: map[loci.EntityID]map[string]bool{}, changed: map[loci.EntityID]time.Time{}}
	for _, e := range rows.Entities {
		out.names[e.Name], out.changed[e.ID], out.of[e.ID] = true, e.UpdatedAt, map[string]bool{}
	}
	for _, o := range rows.Observations {
		out.texts[o.Content] = true
		out.of[o.EntityID][o.Content] = true
	}
	for _, r := range rows.Relations {
		out.links[r.Type] = true
		out.of[r.FromID][r.Type], out.of[r.ToID][r.Type] = true, true
	}
	return out
}

// Through a merge nobody comes to read what he could not read before, and who
// sees both entities loses nothing. Restoring undoes it.
func testGraphHiddenMerge(e *env) {
	p := e.project("p", func(p *loci.Project) { p.WorkspaceID = newID[loci.WorkspaceID]() })
	rapid.Check(e, func(t *rapid.T) {
		w := &graphWorld{env: e, t: t, p: p}
		w.clear()
		w.fill(rapid.IntRange(2, 4).Draw(t, "rows"))
		w.clock.move(time.Minute)
		v, from, into := w.viewer(), draw(t, "from", w.entities...), draw(t, "into", w.entities...)
		if from == into {
			return
		}
		err := w.tryGraph(p, func(ctx context.Context, tx store.GraphTx) error {
			w.twins(ctx, tx, from, into)
			w.mergeOnce(ctx, tx, v, from, into)
			return errUndo
		})
		if !errors.Is(err, errUndo) {
			t.Fatal(explain(err))
		}
	})
}

// twins says on into some of what is said on from, to whomever.
func (w *graphWorld) twins(ctx context.Context, tx store.GraphTx, from, into *loci.Entity) {
	if !from.DeletedAt.IsZero() || !into.DeletedAt.IsZero() {
		return
	}
	for _, o := range w.observations {
		if o.EntityID != from.ID || !draw(w.t, "twin", false, true) {
			continue
		}
		var row loci.Observation
		row.ID, row.EntityID, row.Content, row.GraphAccess, row.CreatedAt = loci.NewObservationID(), into.ID, o.Content,
			w.access(), w.clock.now()
		if _, _, err := tx.Entities().Insert(ctx, w.all(),
			store.GraphRows{Observations: []loci.Observation{row}}); err != nil {
			w.t.Fatal(explain(err))
		}
	}
}

func (w *graphWorld) mergeOnce(ctx context.Context, tx store.GraphTx, v loci.Viewer, from, into *loci.Entity) {
	before := map[loci.Vendor]graphView{}
	for _, r := range w.readers() {
		before[r.Vendor] = w.read(ctx, tx.Graph(), r)
	}
	_, err := tx.Entities().Merge(ctx, v, by(v), from.ID, into.ID)
	sees := v.SeesGraph(&w.p, &from.GraphAccess, loci.LiveOnly) && v.SeesGraph(&w.p, &into.GraphAccess, loci.LiveOnly)
	if sees != (err == nil) || err != nil && loci.CodeOf(err) != loci.NotFound {
		w.t.Fatalf("Merge for %+v: %v, but sees both %v", v, explain(err), sees)
	}
	if !sees {
		return
	}
	for _, r := range w.readers() {
		w.compareMerged(r, before[r.Vendor], w.read(ctx, tx.Graph(), r), from, into)
		w.compareMergeHistory(ctx, tx.Graph(), r, from, into)
	}
	if _, err := tx.Entities().Restore(ctx, w.all(), by(w.all()),
		store.GraphIDs{Entities: []loci.EntityID{from.ID}}); err != nil {
		w.t.Fatalf("restore: %v", explain(err))
	}
	for _, r := range w.readers() {
		if after := w.read(ctx, tx.Graph(), r); !maps.Equal(before[r.Vendor].of[from.ID], after.of[from.ID]) {
			w.t.Fatalf("restored, %q reads %v of it, before %v", r.Vendor, after.of[from.ID], before[r.Vendor].of[from.ID])
		}
	}
}

func (w *graphWorld) compareMerged(r loci.Viewer, before, after graphView, from, into *loci.Entity) {
	for what, maps := range map[string][2]map[string]bool{"names": {before.names, after.names},
		"texts": {before.texts, after.texts}, "relations": {before.links, after.links}} {
		for text := range maps[1] {
			if !maps[0][text] {
				w.t.Fatalf("%s: after the merge %q reads %q, before it did not", what, r.Vendor, text)
			}
		}
	}
	here, sees := after.of[into.ID]
	grown := false
	for text := range before.of[from.ID] {
		between := slices.ContainsFunc(w.relations, func(x *loci.Relation) bool {
			return x.Type == text && (x.FromID == into.ID || x.ToID == into.ID)
		})
		if sees && !here[text] && !between {
			w.t.Fatalf("after the merge %q, who saw both, no longer reads %q", r.Vendor, text)
		}
		grown = grown || here[text]
	}
	if sees && !grown && !after.changed[into.ID].Equal(before.changed[into.ID]) {
		w.t.Fatalf("the time tells %q of a merge of which it sees nothing", r.Vendor)
	}
}

func (w *graphWorld) compareMergeHistory(ctx context.Context, g store.Graph, r loci.Viewer, from, into *loci.Entity) {
	for _, e := range []*loci.Entity{from, into} {
		list, err := g.History(ctx, r, e.ID, 99)
		both := r.SeesGraph(&w.p, &from.GraphAccess, loci.LiveOnly) && r.SeesGraph(&w.p, &into.GraphAccess, loci.LiveOnly)
		if !r.SeesGraph(&w.p, &e.GraphAccess, loci.LiveOnly) {
			if loci.CodeOf(err) != loci.NotFound {
				w.t.Fatalf("History of a hidden entity for %q: %v", r.Vendor, err)
			}
			continue
		}
		merged := slices.ContainsFunc(list, func(c loci.GraphChange) bool { return c.Change == "merged" })
		text := slices.ContainsFunc(list,
			func(c loci.GraphChange) bool { return c.Change == "merged" && c.Text == from.Name+" into "+into.Name })
		if merged != both || text != both {
			w.t.Fatalf("History for %q, who sees both %v: %+v", r.Vendor, both, list)
		}
	}
}

// compareVendors: only visible live rows of one's own can be opened or closed.
func (w *graphWorld) compareVendors(v loci.Viewer) {
	access := by(w.all())
	if draw(w.t, "stranger", false, false, true) {
		access.UserID = loci.NewUserID()
	}
	err := w.tryGraph(w.p, func(ctx context.Context, tx store.GraphTx) error {
		check := func(ids store.GraphIDs, sees bool) {
			_, err := tx.Entities().SetVendors(ctx, v, access, ids, []loci.Vendor{"a", "b", "zz"})
			if want := sees && access.UserID == w.user; want != (err == nil) || err != nil && loci.CodeOf(err) != loci.NotFound {
				w.t.Fatalf("SetVendors of %+v for %+v: %v, but sees it %v", ids, v, explain(err), sees)
			}
		}
		for _, r := range w.relations {
			check(store.GraphIDs{Relations: []loci.RelationID{r.ID}}, w.seesRelation(v, r))
		}
		for _, o := range w.observations {
			check(store.GraphIDs{Observations: []loci.ObservationID{o.ID}},
				v.SeesGraph(&w.p, &o.GraphAccess, loci.LiveOnly) &&
					v.SeesGraph(&w.p, &w.entity(o.EntityID).GraphAccess, loci.LiveOnly))
		}
		for _, e := range w.entities {
			check(store.GraphIDs{Entities: []loci.EntityID{e.ID}}, v.SeesGraph(&w.p, &e.GraphAccess, loci.LiveOnly))
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		w.t.Fatal(explain(err))
	}
}

// compareInserts: a hidden entity is not there for what is imported, and a taken
// id is only that.
func (w *graphWorld) compareInserts(v loci.Viewer) {
	err := w.tryGraph(w.p, func(ctx context.Context, tx store.GraphTx) error {
		for _, e := range w.entities {
			o := loci.Observation{ID: loci.NewObservationID(), EntityID: e.ID, Content: "new", GraphAccess: w.access(),
				CreatedAt: w.clock.now()}
			_, _, err := tx.Entities().Insert(ctx, v, store.GraphRows{Observations: []loci.Observation{o}})
			if sees := v.SeesGraph(&w.p, &e.GraphAccess, loci.LiveOnly); sees != (err == nil) ||
				err != nil && loci.CodeOf(err) != loci.NotFound {
				w.t.Fatalf("Insert for %+v: %v, but sees it %v", v, explain(err), sees)
			}
			if !v.InProject(&w.p) {
				continue
			}
			other := loci.Entity{ID: e.ID, Name: "another", Type: "thing", GraphAccess: w.access(), CreatedAt: w.clock.now()}
			_, _, err = tx.Entities().Insert(ctx, v, store.GraphRows{Entities: []loci.Entity{other}})
			if loci.CodeOf(err) != loci.Conflict || err.Error() != "this id is taken. Nothing was changed" {
				w.t.Fatalf("Insert under a taken id for %+v: %v", v, err)
			}
			other.ID, other.Name, other.Type, other.AllowedVendors = loci.NewEntityID(), e.Name, e.Type, e.AllowedVendors
			_, _, err = tx.Entities().Insert(ctx, v, store.GraphRows{Entities: []loci.Entity{other}})
			if sees := v.SeesGraph(&w.p, &e.GraphAccess, loci.LiveOnly); sees == (err == nil) {
				w.t.Fatalf("Insert of a twin for %+v: %v, but sees it %v", v, err, sees)
			}
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		w.t.Fatal(explain(err))
	}
}
