package storetest

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Two entities that were made for different vendors may have one name and type. Who sees both must say which.
func testGraphResolveTwins(e *env) {
	p := e.project("p")
	v := e.in(p)
	a, b := v, v
	a.Vendor, b.Vendor = "a", "b"
	first := e.as(p, a, []loci.Vendor{"a"}, ent("Plan", "doc"))[0]
	second := e.as(p, b, []loci.Vendor{"b"}, ent("Plan", "doc"))[0]
	for vendor, want := range map[loci.Vendor]loci.EntityID{"a": first, "b": second, "": {}} {
		who := v
		who.Vendor = vendor
		e.viewGraph(p, func(ctx context.Context, g store.Graph) error {
			id, err := g.Resolve(ctx, who, loci.EntityRef{Name: "Plan"})
			if id != want {
				e.Errorf("for %q: got %s, %v; want %s", vendor, id, explain(err), want)
			}
			if vendor != "" {
				return err
			}
			if text := loci.SafeText(err); loci.CodeOf(err) != loci.Conflict ||
				!strings.HasSuffix(text, "by its id: "+first.String()+", "+second.String()) {
				e.Errorf("for the person: %v", explain(err))
			}
			return nil
		})
	}
}

// A reference means one entity, and never one that the viewer may not see.
func testGraphResolve(e *env) {
	p := e.project("p")
	v := e.in(p)
	a, b := v, v
	a.Vendor, b.Vendor = "a", "b"
	e.putEntities(p, v, ent("Mercury", "planet"), ent("Mercury", "metal"), ent("Venus", "planet"))
	e.updateGraph(p, func(ctx context.Context, tx store.GraphTx) error {
		own := by(a)
		own.AllowedVendors = []loci.Vendor{"a"}
		_, err := tx.Entities().Create(ctx, a, own, []loci.NewEntity{ent("Vulcan", "planet"), ent("Venus", "goddess")})
		return err
	})
	for _, tt := range []struct {
		v    loci.Viewer
		ref  loci.EntityRef
		want string // a type, or a code
		text string
	}{
		{v, loci.EntityRef{Name: "Mercury", Type: "metal"}, "metal", ""},
		{v, loci.EntityRef{Name: "Mercury"}, string(loci.Conflict), `with types "planet" and "metal"`},
		{v, loci.EntityRef{Name: "Mercuri"}, string(loci.NotFound), `did you mean "Mercury"?`},
		{a, loci.EntityRef{Name: "Venus"}, string(loci.Conflict), ""},
		{b, loci.EntityRef{Name: "Venus"}, "planet", ""},
		{a, loci.EntityRef{Name: "Vulcan"}, "planet", ""},
		{b, loci.EntityRef{Name: "Vulcan"}, string(loci.NotFound), ""},
		{b, loci.EntityRef{Name: "Vulcam"}, string(loci.NotFound), ""},
		{loci.Viewer{OrgID: e.org, UserID: v.UserID}, loci.EntityRef{Name: "Venus"}, string(loci.NotFound), ""},
	} {
		got, text := "", ""
		e.viewGraph(p, func(ctx context.Context, g store.Graph) error {
			id, err := g.Resolve(ctx, tt.v, tt.ref)
			if err != nil {
				got, text = string(loci.CodeOf(err)), err.Error()
				return nil
			}
			found, err := g.Get(ctx, tt.v, id)
			got = found[0].Type
			return err
		})
		if got != tt.want || !strings.Contains(text, tt.text) || tt.text == "" && strings.Contains(text, "Vulcan\"?") {
			e.Errorf("%v for %q: got %s %q, want %s", tt.ref, tt.v.Vendor, got, text, tt.want)
		}
	}
}
