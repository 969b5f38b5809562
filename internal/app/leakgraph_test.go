package app_test

import (
	"crypto/rand"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
)

func projectsOf(s *strangers) [][16]byte { return s.projects }
func nodesOf(s *strangers) [][16]byte    { return s.nodes }

func (c *caller) graph() *graphWorld { return &graphWorld{stage: c.stage} }

func byID(id [16]byte) graph.Which { return graph.Which{ID: id} }

func init() {
	probes = append(probes, graphProbes...)
	for _, name := range slices.Sorted(mapsKeys(graphCalls)) {
		probes = append(probes, probe{"graph: " + name, projectsOf, func(c *caller, id [16]byte) (any, error) {
			return graphCalls[name](c.ctx, c.graph(), c.p, id)
		}})
	}
	for name, walk := range graphWalks {
		walks[name] = walk
	}
}

func mapsKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// graphProbes name a project of strangers, or a row of theirs in a project that A is in.
var graphProbes = []probe{
	{"project", projectsOf, func(c *caller, id [16]byte) (any, error) { return c.Project.Get(c.ctx, c.p, id) }},
	{"change project", projectsOf, func(c *caller, id [16]byte) (any, error) {
		return c.Project.Change(c.ctx, c.p, id, project.Patch{Description: new("x")})
	}},
	{"archive project", projectsOf,
		func(c *caller, id [16]byte) (any, error) { return c.Project.Archive(c.ctx, c.p, id) }},
	{"restore project", projectsOf,
		func(c *caller, id [16]byte) (any, error) { return c.Project.Restore(c.ctx, c.p, id) }},
	{"delete project", projectsOf,
		func(c *caller, id [16]byte) (any, error) { return none(c.Project.Delete(c.ctx, c.p, id)) }},
	{"project members", projectsOf,
		func(c *caller, id [16]byte) (any, error) { return c.Project.Members(c.ctx, c.p, id) }},
	{"enter project", projectsOf, func(c *caller, id [16]byte) (any, error) {
		return none(c.Project.PutMember(c.ctx, c.p, id, loci.ProjectMember{UserID: c.p.UserID, Role: loci.MemberOwner}))
	}},
	{"leave project", projectsOf, func(c *caller, id [16]byte) (any, error) {
		return none(c.Project.RemoveMember(c.ctx, c.p, id, c.p.UserID))
	}},
	{"enter member", usersOf, func(c *caller, id [16]byte) (any, error) {
		return none(c.Project.PutMember(c.ctx, c.p, c.shared, loci.ProjectMember{UserID: id, Role: loci.Member}))
	}},
	{"key of project", projectsOf, func(c *caller, id [16]byte) (any, error) {
		return pair(c.Identity.CreateKey(c.ctx, c.p, auth.KeyRequest{Name: "k", ProjectIDs: []loci.ProjectID{id}}))
	}},
	{"list project", projectsOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.List(c.ctx, c.p, memory.ListRequest{Filter: memory.Filter{ProjectID: id}, Total: true})
	}},
	{"add to project", projectsOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.Create(c.ctx, c.p, memory.Draft{Title: "x", Content: "y", Scope: loci.ScopeProject, ProjectID: id})
	}},
	{"entity", nodesOf, func(c *caller, id [16]byte) (any,
		error) {
		return c.Graph.Entity(c.ctx, c.p, c.shared, byID(id))
	}},
	{"history", nodesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Graph.EntityHistory(c.ctx, c.p, c.shared, byID(id), 0)
	}},
	{"neighbours", nodesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Graph.Neighbours(c.ctx, c.p, c.shared, byID(id), 3, 0)
	}},
	{"its observations", nodesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Graph.EntityObservations(c.ctx, c.p, c.shared, byID(id), graph.ListRequest{})
	}},
	{"its relations", nodesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Graph.EntityRelations(c.ctx, c.p, c.shared, byID(id), graph.ListRequest{})
	}},
	{"merge from", nodesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Graph.Merge(c.ctx, c.p, c.shared, byID(id), named("common ground"))
	}},
	{"merge into", nodesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Graph.Merge(c.ctx, c.p, c.shared, named("common ground"), byID(id))
	}},
	{"restore nodes", nodesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Graph.RestoreEntities(c.ctx, c.p, c.shared,
			graph.IDs{Entities: []loci.EntityID{id}, Observations: []loci.ObservationID{id}, Relations: []loci.RelationID{id}})
	}},
	{"vendors of nodes", nodesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Graph.SetVendors(c.ctx, c.p, c.shared,
			graph.IDs{Entities: []loci.EntityID{id}, Observations: []loci.ObservationID{id}, Relations: []loci.RelationID{id}},
			[]loci.Vendor{"*"})
	}},
}

// graphWalks name nobody.
var graphWalks = map[string]func(*caller) (any, error){
	"projects":   func(c *caller) (any, error) { return c.Project.List(c.ctx, c.p, project.ListRequest{}) },
	"read graph": func(c *caller) (any, error) { return c.Graph.Read(c.ctx, c.p, c.shared, graph.ListRequest{}) },
	"search graph": func(c *caller) (any, error) {
		return c.Graph.Search(c.ctx, c.p, c.shared, graph.SearchRequest{Query: "secret plan"})
	},
	"graph trash": func(c *caller) (any, error) { return c.Graph.Trash(c.ctx, c.p, c.shared, 0) },
	"common": func(c *caller) (any, error) {
		return c.Graph.Neighbours(c.ctx, c.p, c.shared, named("common ground"), 3, 0)
	},
	"common history": func(c *caller) (any, error) {
		return c.Graph.EntityHistory(c.ctx, c.p, c.shared, named("common ground"), 0)
	},
	"new entity": func(c *caller) (any, error) {
		return c.Graph.CreateEntities(c.ctx, c.p, c.shared, nil, []loci.NewEntity{ent("of A's", "t", "my secret plan")})
	},
	"export graph": func(c *caller) (any, error) {
		var b strings.Builder
		err := c.Graph.Export(c.ctx, c.p, c.shared, graph.GraphReference, &b)
		return b.String(), err
	},
	"new project": func(c *caller) (any, error) {
		return c.Project.Create(c.ctx, c.p, project.Draft{Name: "of A's " + rand.Text(), Everyone: new(false)})
	},
	"current": func(c *caller) (any, error) { return c.Project.Current(c.ctx, c.p, project.ConnectionKey{1}) },
}

// nameProbes ask for something by a name. What they answer must be the same for
// a stranger's as for one that nobody has.
var nameProbes = map[string]func(c *caller, name string) (any, error){
	"find project": func(c *caller, name string) (any, error) { return c.Project.Find(c.ctx, c.p, name) },
	"switch": func(c *caller, name string) (any, error) {
		return c.Project.Switch(c.ctx, c.p, project.ConnectionKey{1}, name)
	},
	"choose": func(c *caller, name string) (any, error) {
		return c.Project.Choose(c.ctx, c.p, graph.Read, project.Choice{Name: name})
	},
	"open": func(c *caller, name string) (any, error) {
		return c.Graph.OpenEntities(c.ctx, c.p, c.shared, refs(name))
	},
	"entity": func(c *caller, name string) (any, error) { return c.Graph.Entity(c.ctx, c.p, c.shared, named(name)) },
	"history": func(c *caller, name string) (any, error) {
		return c.Graph.EntityHistory(c.ctx, c.p, c.shared, named(name), 0)
	},
	"search": func(c *caller, name string) (any, error) {
		return c.Graph.Search(c.ctx, c.p, c.shared, graph.SearchRequest{Query: `"` + name + `"`})
	},
	"observe": func(c *caller, name string) (any, error) {
		return c.Graph.AddObservations(c.ctx, c.p, c.shared, nil, []loci.Contents{obs(name, "x")})
	},
	"relate": func(c *caller, name string) (any, error) {
		return c.Graph.CreateRelations(c.ctx, c.p, c.shared, nil, []loci.NewRelation{rel("common ground", "is", name)})
	},
	"delete": func(c *caller, name string) (any, error) {
		return c.Graph.DeleteEntities(c.ctx, c.p, c.shared, refs(name))
	},
	"forget": func(c *caller, name string) (any, error) {
		return c.Graph.DeleteObservations(c.ctx, c.p, c.shared, []loci.Contents{obs(name, "x"), obs("common ground", name)})
	},
	"part": func(c *caller, name string) (any, error) {
		return c.Graph.DeleteRelations(c.ctx, c.p, c.shared,
			[]loci.NewRelation{rel("common ground", "hides", name), rel("common ground", name, "common ground")})
	},
	"typo": func(c *caller, name string) (any, error) {
		return c.Graph.OpenEntities(c.ctx, c.p, c.shared, refs(name[:len(name)-1]+"~"))
	},
}

// probeName compares a stranger's name with one of the same length that nobody has.
func (c *caller) probeName(rt *rapid.T, b *strangers) {
	if len(b.names) == 0 {
		return
	}
	what := rapid.SampledFrom(slices.Sorted(mapsKeys(nameProbes))).Draw(rt, "by name")
	name := rapid.SampledFrom(b.names).Draw(rt, "name")
	other := strings.ToLower(rand.Text() + rand.Text())[:len(name)]
	var got [2]string
	for i, n := range []string{name, other} {
		answer, err := nameProbes[what](c, n)
		got[i] = strings.NewReplacer(n, "NAME", n[:len(n)-1]+"~", "TYPO").Replace(outcome(rt, answer, err))
		c.got.WriteString(what + ": " + got[i] + "\n")
	}
	if got[0] != got[1] {
		rt.Fatalf("%s: a stranger's name answers %q, nobody's %q", what, got[0], got[1])
	}
}

// settleProject gives strangers a project that only they are in, open or archived.
func (s *stage) settleProject(rt *rapid.T, p loci.Principal, b *strangers) {
	ctx := s.t.Context()
	made := s.project(p, b.mark+" project", false)
	p.ProjectIDs = append(p.ProjectIDs, made.ID)
	b.projects = append(b.projects, made.ID)
	b.names = append(b.names, b.mark+" project", b.mark+" entity")
	put, err := s.Graph.CreateEntities(ctx, p, made.ID, nil,
		[]loci.NewEntity{ent(b.mark+" entity", b.mark, "the secret plan of "+b.mark)})
	s.must(err)
	b.nodes = append(b.nodes, put[0].Entity.ID, put[0].Added[0].ID)
	s.settleTask(p, made.ID, b)
	if rapid.Bool().Draw(rt, "archived") {
		_, err := s.Project.Archive(ctx, p, made.ID)
		s.must(err)
	}
}

// settleShared makes a project that A is in, where a colleague keeps something from A's vendor.
func (c *caller) settleShared(rt *rapid.T, colleague loci.Principal, b *strangers) {
	tag, _, _ := strings.Cut(b.mark, "-")
	c.shared = c.project(colleague, "shared "+tag, true).ID
	colleague.ProjectIDs = append(colleague.ProjectIDs, c.shared)
	if c.p.Vendor != "" {
		c.settleTask(colleague, c.shared, b, "cursor")
	}
	_, err := c.Graph.CreateEntities(c.ctx, colleague, c.shared, nil,
		[]loci.NewEntity{ent("common ground", "t", "no secret plan")})
	c.must(err)
	if c.p.Vendor == "" {
		return
	}
	only := rapid.SampledFrom([][]loci.Vendor{{"cursor"}, {"cursor", "chatgpt"}}).Draw(rt, "kept for")
	put, err := c.Graph.CreateEntities(c.ctx, colleague, c.shared, only,
		[]loci.NewEntity{ent(b.mark+" hidden", b.mark, "the secret plan of "+b.mark)})
	c.must(err)
	said, err := c.Graph.AddObservations(c.ctx, colleague, c.shared, only,
		[]loci.Contents{obs("common ground", b.mark+" was here")})
	c.must(err)
	tied, err := c.Graph.CreateRelations(c.ctx, colleague, c.shared, nil,
		[]loci.NewRelation{rel("common ground", "hides", b.mark+" hidden"), rel(b.mark+" hidden", b.mark, "common ground")})
	c.must(err)
	b.nodes = append(b.nodes, put[0].Entity.ID, said[0].Added[0].ID, tied[0].Relation.ID)
	b.names = append(b.names, b.mark+" hidden", b.mark+" was here", b.mark)
	if rapid.Bool().Draw(rt, "in the trash") {
		_, err = c.Graph.DeleteEntities(c.ctx, colleague, c.shared, refs(b.mark+" hidden"))
		c.must(err)
	}
}
