package app_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
)

// forest is an org in which mara and tom share a team, with projects and entities in them.
type forest struct {
	*stage
	mara, tom loci.Principal // tom is in the team and in the open project only
	project   map[string]loci.ProjectID
	entities  []loci.Entity
	in        map[loci.EntityID]loci.ProjectID
	closed    map[loci.ProjectID]bool // archived or deleted now
	gone      map[loci.EntityID]bool  // deleted now
	readers   map[string]func() loci.Principal
}

func newForest(t testing.TB) *forest {
	t.Helper()
	f := &forest{stage: newStage(t, loci.DeleteWithKey), project: map[string]loci.ProjectID{},
		in:     map[loci.EntityID]loci.ProjectID{},
		closed: map[loci.ProjectID]bool{}, gone: map[loci.EntityID]bool{}}
	ctx := t.Context()
	operator, _ := f.org("acme", "boss@acme.example")
	mara, tom, ines := f.user(operator, "mara@acme.example", loci.Member),
		f.user(operator, "tom@acme.example", loci.Member), f.user(operator, "ines@acme.example", loci.Member)
	team, err := f.Org.CreateTeam(ctx, f.session(mara), "Team")
	f.must(err)
	made, err := f.Org.InviteToTeam(ctx, f.session(mara), team.ID, []string{tom.Email}, loci.Member)
	f.must(err)
	f.must(second(f.Org.AcceptInvite(ctx, f.session(tom), made[0].Token)))
	names := []string{"open", "private", "shut", "doomed"}
	for _, name := range names {
		f.project[name] = f.stage.project(f.session(mara), name, name == "open").ID
	}
	f.mara, f.tom = f.session(mara), f.session(tom)
	for _, name := range names {
		id := f.project[name]
		for i, vendors := range [][]loci.Vendor{{"*"}, {"claude"}, {"cursor", "gemini"}} {
			put, err := f.Graph.CreateEntities(ctx, f.mara, id, vendors,
				[]loci.NewEntity{ent(fmt.Sprint(name, i), "thing", "a fact")})
			f.must(err)
			f.entities, f.in[put[0].Entity.ID] = append(f.entities, put[0].Entity), id
		}
	}
	f.readers = map[string]func() loci.Principal{}
	keys := map[string]auth.KeyRequest{"claude": {Vendor: "claude"}, "cursor": {Vendor: "cursor"},
		"other":     {Vendor: "other"},
		"no graph":  {Rights: []loci.Right{loci.RightRead, loci.RightWrite}},
		"only open": {ProjectIDs: []loci.ProjectID{f.project["open"]}}}
	for name, r := range keys {
		r.Name = name
		_, secret, err := f.Identity.CreateKey(ctx, f.mara, r)
		f.must(err)
		f.readers["mara's "+name] = func() loci.Principal { return f.with(secret) }
		if name == "only open" {
			continue
		}
		_, toms, err := f.Identity.CreateKey(ctx, f.tom, r)
		f.must(err)
		f.readers["tom's "+name] = func() loci.Principal { return f.with(toms) }
	}
	for name, u := range map[string]loci.User{"mara": mara, "tom": tom, "ines": ines} {
		f.readers[name] = func() loci.Principal { return f.session(u) }
	}
	return f
}

// planted is an item as the test knows it.
type planted struct {
	item   *loci.NodeItem
	memory *loci.Memory // what it shows
	entity *loci.Entity
	above  *planted
	below  []*planted
}

// sees is the rule: the node, the item, what it shows, and all of that above it.
func (f *forest) sees(p loci.Principal, n *loci.MemoryNode, i *planted) bool {
	v := p.Viewer()
	item := n.Access
	item.AllowedVendors = i.item.AllowedVendors
	if !v.Sees(&n.Access, loci.LiveOnly, f.now) || !v.Sees(&item, loci.LiveOnly, f.now) ||
		i.above.item != nil && !f.sees(p, n, i.above) {
		return false
	}
	if m := i.memory; m != nil {
		return v.Sees(&m.Access, loci.LiveOnly, f.now)
	}
	if e := i.entity; e != nil {
		vendor := p.Vendor == "" || slices.Contains(e.AllowedVendors, loci.AnyVendor) ||
			slices.Contains(e.AllowedVendors, p.Vendor)
		return vendor && p.Has(loci.RightGraph) && slices.Contains(p.ProjectIDs, f.in[e.ID]) && !f.closed[f.in[e.ID]] &&
			!f.gone[e.ID]
	}
	return true
}

// shownTo lists what the rule lets p see, in order.
func (f *forest) shownTo(p loci.Principal, n *loci.MemoryNode, root *planted) (list []string) {
	place := 0
	for _, i := range root.below {
		if f.sees(p, n, i) {
			list = append(list, fmt.Sprint(i.item.ID, " below ", i.item.ParentID, " at ", place))
			list = append(list, f.shownTo(p, n, i)...)
			place++
		}
	}
	return list
}

func lines(items []loci.NodeItem) (list []string) {
	for _, i := range items {
		list = append(list, fmt.Sprint(i.ID, " below ", i.ParentID, " at ", i.Position))
	}
	return list
}

var someVendors = [][]loci.Vendor{nil, {"*"}, {"claude"}, {"cursor", "claude"}, {"other"}}

// plant makes a node with random items, by mara and, if it is shared, by tom.
func (f *forest) plant(r *rand.Rand) (*loci.MemoryNode, *planted, []*planted) {
	ctx := f.t.Context()
	d := node.Draft{Name: "n", AllowedVendors: someVendors[r.IntN(len(someVendors))], Shared: r.IntN(2) == 0}
	if r.IntN(3) == 0 {
		d.Scope, d.ProjectID = loci.ScopeProject, f.project["open"]
	}
	n, err := f.Node.Create(ctx, f.mara, d)
	f.must(err)
	root := &planted{}
	var all []*planted
	for range 14 {
		who := f.mara
		if (d.Shared || d.Scope != "") && r.IntN(4) == 0 {
			who = f.tom
		}
		at := root
		if len(all) > 0 && r.IntN(3) > 0 {
			at = all[r.IntN(len(all))]
		}
		if at.item != nil && !f.sees(who, n, at) {
			at = root
		}
		all = append(all, f.plantOne(r, who, n, at))
		if i := all[len(all)-1]; i == nil {
			all = all[:len(all)-1]
		}
	}
	return n, root, all
}

// plantOne adds an item, or nothing where the writer may not.
func (f *forest) plantOne(r *rand.Rand, who loci.Principal, n *loci.MemoryNode, at *planted) *planted {
	ctx := f.t.Context()
	i := &planted{above: at}
	d := node.ItemDraft{AllowedVendors: someVendors[r.IntN(len(someVendors))]}
	switch r.IntN(3) {
	case 0:
		i.memory = f.add(who, memory.Draft{Title: "t", Content: "c", AllowedVendors: someVendors[r.IntN(len(someVendors))],
			Dedupe: memory.DedupeCreate})
		if r.IntN(2) == 0 {
			shared, err := f.Memory.Share(ctx, who, i.memory.ID)
			f.must(err)
			i.memory = shared
		}
		d.Kind, d.MemoryID = loci.ItemMemory, i.memory.ID
	case 1:
		i.entity = &f.entities[r.IntN(len(f.entities))]
		d.Kind, d.EntityID, d.ProjectID, d.AllowedVendors = loci.ItemEntity, i.entity.ID, f.in[i.entity.ID], nil
		if !slices.Contains(who.ProjectIDs, d.ProjectID) || f.closed[d.ProjectID] {
			return nil
		}
	default:
		d.Kind, d.Text = loci.ItemText, "text"
	}
	for up := at; up.item != nil; up = up.above {
		if up.entity != nil {
			d.AllowedVendors = nil // narrowed to those of the entities
		}
	}
	if at.item != nil {
		d.ParentID = at.item.ID
	}
	place := len(at.below)
	if len(at.below) > 0 && r.IntN(2) == 0 {
		if b := r.IntN(len(at.below)); f.sees(who, n, at.below[b]) {
			place, d.Before = b, at.below[b].item.ID
		}
	}
	var err error
	i.item, err = f.Node.AddItem(ctx, who, n.ID, d)
	if loci.FieldOf(err) == "parent_id" { // no vendor is left below these entities
		return nil
	}
	f.must(err)
	at.below = slices.Insert(at.below, place, i)
	return i
}

// TestEverybodySeesOfANodeWhatTheRuleSays plants random nodes, then closes and deletes some of what they show.
func TestEverybodySeesOfANodeWhatTheRuleSays(t *testing.T) {
	t.Parallel()
	f := newForest(t)
	ctx := t.Context()
	r := rand.New(rand.NewPCG(5, 7))
	compared, shown, hidden := 0, 0, 0
	for round := range 10 {
		n, root, all := f.plant(r)
		for _, i := range all {
			if i.memory != nil && r.IntN(5) == 0 {
				owner := f.mara
				if i.memory.UserID == f.tom.UserID {
					owner = f.tom
				}
				gone, err := f.Memory.Trash(ctx, owner, i.memory.ID, 0)
				f.must(err)
				i.memory = &gone.Memory
			}
		}
		switch round {
		case 7:
			f.must(f.Project.Delete(ctx, f.mara, f.project["doomed"]))
			f.closed[f.project["doomed"]] = true
			f.mara = f.session(loci.User{ID: f.mara.UserID, OrgID: "acme", Email: "mara@acme.example"})
		case 8:
			e := f.entities[0]
			f.must(second(f.Graph.DeleteEntities(ctx, f.mara, f.in[e.ID], []loci.EntityRef{{Name: e.Name}})))
			f.gone[e.ID] = true
		}
		f.must(second(f.Project.Archive(ctx, f.mara, f.project["shut"])))
		f.closed[f.project["shut"]] = true
		for name, reader := range f.readers {
			p := reader()
			want := f.shownTo(p, n, root)
			v := p.Viewer()
			items, err := f.Node.Items(ctx, p, n.ID)
			if !v.Sees(&n.Access, loci.LiveOnly, f.now) {
				wantCode(t, err, loci.NotFound)
				continue
			}
			f.must(err)
			if diff := cmp.Diff(want, lines(items)); diff != "" {
				t.Errorf("round %d, %s sees something else than the rule says (-want +got):\n%s", round, name, diff)
			}
			pack, err := f.Node.Pack(ctx, p, n.ID, 0)
			f.must(err)
			var packed []loci.NodeItem
			for _, i := range pack.Items {
				packed = append(packed, i.NodeItem)
			}
			if diff := cmp.Diff(want, lines(packed)); diff != "" || pack.Left != 0 {
				t.Errorf("round %d, the pack of %s (-want +got):\n%s", round, name, diff)
			}
			compared, shown, hidden = compared+1, shown+len(want), hidden+len(all)-len(want)
		}
		f.must(second(f.Project.Restore(ctx, f.mara, f.project["shut"])))
		f.closed[f.project["shut"]] = false
	}
	if compared < 40 || shown < 100 || hidden < 100 {
		t.Errorf("only %d compared, with %d items shown and %d hidden", compared, shown, hidden)
	}
}
