package storetest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// graphWorld is a project with random rows that random viewers meet. It keeps
// what it stored beside the store.
type graphWorld struct {
	*env
	t            *rapid.T
	p            loci.Project
	entities     []*loci.Entity
	observations []*loci.Observation
	relations    []*loci.Relation
}

var graphVendors = [][]loci.Vendor{{"*"}, {"*"}, {"a"}, {"b"}, {"a", "b"}, {"b", "*"}, {"zz"}}

func (w *graphWorld) all() loci.Viewer { return w.in(w.p) }

func (w *graphWorld) access() loci.GraphAccess {
	return loci.GraphAccess{UserID: w.user, Origin: "api", AllowedVendors: draw(w.t, "vendors", graphVendors...)}
}

// fill stores rows that are all different, so that none is a duplicate.
func (w *graphWorld) fill(n int) {
	w.updateGraph(w.p, func(ctx context.Context, tx store.GraphTx) error {
		w.entities, w.observations, w.relations = nil, nil, nil
		for range n {
			// Each name has a number, so that twins are never merged.
			name := fmt.Sprint(draw(w.t, "name", "red", "green", "red house"), " ", len(w.entities))
			put, err := tx.Entities().Create(ctx, w.all(), w.access(),
				[]loci.NewEntity{ent(name, draw(w.t, "type", "red", "thing"))})
			if err != nil {
				return err
			}
			w.entities = append(w.entities, &put[0].Entity)
		}
		for i := range 2 * n {
			e := draw(w.t, "of", w.entities...)
			text := fmt.Sprint(draw(w.t, "text", "blue", "red red", "green blue"), " ", i)
			out, err := tx.Entities().Observe(ctx, w.all(), w.access(),
				[]loci.Contents{{Entity: loci.EntityRef{Name: e.Name}, Contents: []string{text}}})
			if err != nil {
				return err
			}
			w.observations = append(w.observations, &out[0].Added[0])
		}
		for i := range n {
			from, to := draw(w.t, "from", w.entities...), draw(w.t, "to", w.entities...)
			out, err := tx.Entities().Relate(ctx, w.all(), w.access(),
				[]loci.NewRelation{rel(from.Name, fmt.Sprint("r", i), to.Name)})
			if err != nil {
				return err
			}
			w.relations = append(w.relations, &out[0].Relation)
		}
		return nil
	})
	w.trim()
}

// trim deletes some of what fill stored.
func (w *graphWorld) trim() {
	w.updateGraph(w.p, func(ctx context.Context, tx store.GraphTx) error {
		v := w.all()
		for _, o := range w.observations {
			if o.DeletedAt.IsZero() && draw(w.t, "delete observation", false, false, false, true) {
				ref := w.entity(o.EntityID)
				if _, err := tx.Entities().DeleteObservations(ctx, v, by(v),
					[]loci.Contents{{Entity: loci.EntityRef{Name: ref.Name}, Contents: []string{o.Content}}}); err != nil {
					return err
				}
				o.DeletedAt = w.clock.now()
			}
		}
		for _, r := range w.relations {
			if draw(w.t, "delete relation", false, false, false, true) {
				if _, err := tx.Entities().DeleteRelations(ctx, v, by(v),
					[]loci.NewRelation{rel(r.From, r.Type, r.To)}); err != nil {
					return err
				}
				r.DeletedAt = w.clock.now()
			}
		}
		for _, e := range w.entities {
			if draw(w.t, "delete entity", false, false, false, true) {
				if _, err := tx.Entities().Delete(ctx, v, by(v), named(e.Name)); err != nil {
					return err
				}
				e.DeletedAt = w.clock.now()
			}
		}
		return nil
	})
}

func (w *graphWorld) entity(id loci.EntityID) *loci.Entity {
	i := slices.IndexFunc(w.entities, func(e *loci.Entity) bool { return e.ID == id })
	return w.entities[i]
}

func (w *graphWorld) viewer() loci.Viewer {
	v := loci.Viewer{OrgID: w.org, UserID: w.user, Vendor: draw[loci.Vendor](w.t, "vendor", "", "a", "b", "c"),
		WorkspaceID: oneOf(w.t, "in workspace",
			[]loci.WorkspaceID{newID[loci.WorkspaceID](), w.p.WorkspaceID, w.p.WorkspaceID, w.p.WorkspaceID})}
	if draw(w.t, "member", true, true, true, true, false) {
		v.ProjectIDs = []loci.ProjectID{loci.NewProjectID(), w.p.ID}
	}
	if rapid.IntRange(0, 9).Draw(w.t, "nobody") == 0 {
		v = draw(w.t, "which nobody", loci.Viewer{}, loci.Viewer{OrgID: "other", UserID: w.user, ProjectIDs: v.ProjectIDs},
			loci.Viewer{OrgID: w.org, ProjectIDs: v.ProjectIDs})
	}
	return v
}

// expect is what v may see of an entity, by the rule alone.
func (w *graphWorld) expect(v loci.Viewer, l loci.Lifecycle, e *loci.Entity) (string, bool) {
	if !v.SeesGraph(&w.p, &e.GraphAccess, l) {
		return "", false
	}
	text := e.Name + ":"
	for _, o := range w.observations {
		if o.EntityID == e.ID && v.SeesGraph(&w.p, &o.GraphAccess, loci.LiveOnly) {
			text += " " + o.Content
		}
	}
	for _, r := range w.relations {
		if (r.FromID == e.ID || r.ToID == e.ID) && w.seesRelation(v, r) {
			text += " " + r.From + r.Type + r.To
		}
	}
	return text, true
}

func (w *graphWorld) seesRelation(v loci.Viewer, r *loci.Relation) bool {
	return v.SeesGraph(&w.p, &r.GraphAccess, loci.LiveOnly) && w.seesEnds(v, r, loci.LiveOnly)
}

func (w *graphWorld) seesEnds(v loci.Viewer, r *loci.Relation, l loci.Lifecycle) bool {
	return v.SeesGraph(&w.p, &w.entity(r.FromID).GraphAccess, l) && v.SeesGraph(&w.p, &w.entity(r.ToID).GraphAccess, l)
}

func shown(list []loci.Entity) (out []string) {
	for _, e := range list {
		text := e.Name + ":"
		for _, o := range e.Observations {
			text += " " + o.Content
		}
		for _, r := range e.Relations {
			text += " " + r.From + r.Type + r.To
		}
		out = append(out, text)
	}
	return out
}

func (w *graphWorld) same(what string, v loci.Viewer, want, got []string) {
	if !slices.Equal(want, got) {
		w.t.Fatalf("%s for %+v:\nthe rule says %q\nthe engine   %q", what, v, want, got)
	}
}

// Every path that returns text or existence agrees with the rule.
func testGraphVisibility(e *env) {
	p := e.project("p", func(p *loci.Project) { p.WorkspaceID = newID[loci.WorkspaceID]() })
	rapid.Check(e, func(t *rapid.T) {
		w := &graphWorld{env: e, t: t, p: p}
		w.clear()
		w.fill(rapid.IntRange(1, 5).Draw(t, "rows"))
		for range 3 {
			v := w.viewer()
			w.viewGraph(p, func(ctx context.Context, g store.Graph) error {
				for _, compare := range []func(context.Context, store.Graph, loci.Viewer) error{w.compareReads, w.compareOwners,
					w.compareWalks, w.compareLists, w.comparePositions} {
					if err := compare(ctx, g, v); err != nil {
						return err
					}
				}
				return nil
			})
			w.compareWrites(v)
			w.compareRestores(v)
			w.compareVendors(v)
			w.compareInserts(v)
		}
	})
}

// clear makes the project empty again for everybody who looks at what lives.
func (w *graphWorld) clear() {
	if err := w.st.Projects().Delete(w.Context(), w.org, w.p.ID); err != nil {
		w.t.Fatal(explain(err))
	}
	if _, err := w.st.Projects().Create(w.Context(), w.p, w.user); err != nil {
		w.t.Fatal(explain(err))
	}
}

func (w *graphWorld) compareReads(ctx context.Context, g store.Graph, v loci.Viewer) error {
	var want, names []string
	for _, e := range w.entities {
		text, sees := w.expect(v, loci.LiveOnly, e)
		got, err := g.Get(ctx, v, e.ID)
		switch {
		case err != nil:
			return err
		case sees:
			want = append(want, text)
			w.same("Get", v, []string{text}, shown(got))
		case len(got) > 0:
			w.t.Fatalf("Get of a hidden entity for %+v: %v", v, got)
		}
		names = append(names, e.Name)
	}
	found, err := g.Find(ctx, v, named(names...))
	if err != nil {
		return err
	}
	w.same("Find", v, want, shown(found))
	page, err := g.Read(ctx, v, store.GraphQuery{Limit: 2})
	w.same("Read", v, want[:min(2, len(want))], shown(page.Entities))
	if page.Left != max(0, len(want)-2) {
		w.t.Fatalf("Read for %+v says that %d are left of %q", v, page.Left, want)
	}
	suggested := []string{}
	for _, e := range w.entities {
		if _, sees := w.expect(v, loci.LiveOnly, e); sees {
			suggested = append(suggested, e.Name)
		}
	}
	got, err2 := g.Suggest(ctx, v, "red 9", 9)
	w.same("Suggest", v, loci.Nearest("red 9", suggested, 9), got)
	return cmp.Or(err, err2)
}

func (w *graphWorld) compareOwners(ctx context.Context, g store.Graph, v loci.Viewer) error {
	var ids [][16]byte
	want := map[[16]byte]loci.EntityID{}
	for _, e := range w.entities {
		ids = append(ids, e.ID, loci.NewEntityID())
		if v.SeesGraph(&w.p, &e.GraphAccess, loci.LiveOnly) {
			want[e.ID] = e.ID
		}
	}
	for _, o := range w.observations {
		ids = append(ids, o.ID)
		if v.SeesGraph(&w.p, &o.GraphAccess, loci.LiveOnly) &&
			v.SeesGraph(&w.p, &w.entity(o.EntityID).GraphAccess, loci.LiveOnly) {
			want[o.ID] = o.EntityID
		}
	}
	got, err := g.Owners(ctx, v, ids)
	if !maps.Equal(got, want) {
		w.t.Fatalf("Owners for %+v: got %v, want %v", v, got, want)
	}
	return err
}

func (w *graphWorld) compareWalks(ctx context.Context, g store.Graph, v loci.Viewer) error {
	var trash []string
	for _, e := range w.entities {
		if v.SeesGraph(&w.p, &e.GraphAccess, loci.TrashOnly) {
			trash = append(trash, e.Name+":")
		}
		near, err := g.Neighbours(ctx, v, e.ID, 1, 99)
		text, sees := w.expect(v, loci.LiveOnly, e)
		if !sees {
			if loci.CodeOf(err) != loci.NotFound {
				w.t.Fatalf("Neighbours of a hidden entity for %+v: %v", v, err)
			}
		} else {
			w.same("Neighbours", v, w.around(v, e, text), shown(near))
		}
		if err := w.compareHistory(ctx, g, v, e); err != nil {
			return err
		}
	}
	got, err := g.Trash(ctx, v, 99)
	list := shown(got.Entities)
	slices.Sort(list)
	slices.Sort(trash)
	w.same("Trash", v, trash, list)
	var want, observations []string
	for _, o := range w.observations {
		if v.SeesGraph(&w.p, &o.GraphAccess, loci.TrashOnly) &&
			v.SeesGraph(&w.p, &w.entity(o.EntityID).GraphAccess, loci.LiveOnly) {
			want = append(want, o.Content)
		}
	}
	for _, o := range got.Observations {
		observations = append(observations, o.Content)
	}
	slices.Sort(want)
	slices.Sort(observations)
	w.same("Trash of observations", v, want, observations)
	want = nil
	for _, r := range w.relations {
		if v.SeesGraph(&w.p, &r.GraphAccess, loci.TrashOnly) && w.seesEnds(v, r, loci.LiveOnly) {
			want = append(want, r.Type)
		}
	}
	relations := typesOf(got.Relations)
	slices.Sort(relations)
	w.same("Trash of relations", v, want, relations)
	return err
}

// around is what Neighbours within one hop should show.
func (w *graphWorld) around(v loci.Viewer, e *loci.Entity, text string) []string {
	want := []string{text}
	for _, other := range w.entities {
		linked := slices.ContainsFunc(w.relations, func(r *loci.Relation) bool {
			return w.seesRelation(v, r) && (r.FromID == e.ID && r.ToID == other.ID || r.ToID == e.ID && r.FromID == other.ID)
		})
		if linked && other != e {
			text, _ := w.expect(v, loci.LiveOnly, other)
			want = append(want, text)
		}
	}
	return want
}

func (w *graphWorld) compareHistory(ctx context.Context, g store.Graph, v loci.Viewer, e *loci.Entity) error {
	list, err := g.History(ctx, v, e.ID, 999)
	if !v.SeesGraph(&w.p, &e.GraphAccess, loci.AnyState) {
		if loci.CodeOf(err) != loci.NotFound {
			w.t.Fatalf("History of a hidden entity for %+v: %v", v, err)
		}
		return nil
	}
	want := []string{e.ID.String()}
	for _, o := range w.observations {
		if o.EntityID == e.ID && v.SeesGraph(&w.p, &o.GraphAccess, loci.AnyState) {
			want = append(want, o.ID.String())
		}
	}
	for _, r := range w.relations {
		if (r.FromID == e.ID || r.ToID == e.ID) && v.SeesGraph(&w.p, &r.GraphAccess, loci.AnyState) &&
			v.SeesGraph(&w.p, &w.entity(r.FromID).GraphAccess, loci.AnyState) &&
			v.SeesGraph(&w.p, &w.entity(r.ToID).GraphAccess, loci.AnyState) {
			want = append(want, r.ID.String())
		}
	}
	var got []string
	for _, c := range list {
		if c.Change == "created" {
			got = append(got, c.ID)
		}
	}
	w.same("History", v, want, got)
	return err
}

// compareWrites: a name that the viewer cannot see is free, and what is
// deleted is only what the viewer sees. Nothing of it is kept.
func (w *graphWorld) compareWrites(v loci.Viewer) {
	undo := fmt.Errorf("undo")
	err := w.tryGraph(w.p, func(ctx context.Context, tx store.GraphTx) error {
		for _, e := range w.entities {
			_, sees := w.expect(v, loci.LiveOnly, e)
			put, err := tx.Entities().Create(ctx, v, by(w.all()),
				[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: e.Name, Type: e.Type}}})
			if !v.InProject(&w.p) {
				if loci.CodeOf(err) != loci.NotFound {
					w.t.Fatalf("Create for %+v: %v", v, err)
				}
				continue
			}
			if err != nil {
				return err
			}
			if put[0].Created == sees || sees && put[0].Entity.ID != e.ID {
				w.t.Fatalf("Create of %s for %+v: created %v, but sees it %v", e.Name, v, put[0].Created, sees)
			}
			for _, o := range w.observations {
				if o.EntityID != e.ID || !sees {
					continue
				}
				out, err := tx.Entities().Observe(ctx, v, by(w.all()),
					[]loci.Contents{{Entity: loci.EntityRef{Name: e.Name, Type: e.Type}, Contents: []string{o.Content}}})
				if err != nil {
					return err
				}
				if known := v.SeesGraph(&w.p, &o.GraphAccess, loci.LiveOnly); known != (len(out[0].Duplicates) == 1) {
					w.t.Fatalf("Observe for %+v: duplicates %+v, but sees it %v", v, out[0].Duplicates, known)
				}
			}
		}
		return undo
	})
	if err != undo { //nolint:errorlint // the very one
		w.t.Fatalf("compareWrites for %+v: %v", v, explain(err))
	}
}
