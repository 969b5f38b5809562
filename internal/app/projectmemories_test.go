package app_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/store"
)

func inProject(title string, id loci.ProjectID) memory.Draft {
	return memory.Draft{Title: title, Content: title + " and more", Scope: loci.ScopeProject, ProjectID: id}
}

// A key that is limited to a project reaches the memories and the graph of that project, and nothing else.
func TestAKeyThatIsLimitedToAProject(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx, olga, mia := t.Context(), w.session(w.olga), w.who["member"]()
	w.add(olga, memory.Draft{Title: "mine", Content: "nobody else's"})
	w.add(mia, inProject("plan", w.open.ID))
	w.add(olga, inProject("layout", w.open.ID))
	w.add(mia, inProject("price", w.closed.ID))
	for _, p := range []loci.Project{w.open, w.closed} {
		w.must(second(w.Graph.CreateEntities(ctx, olga, p.ID, nil,
			[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: "node of " + p.Name, Type: "x"}}})))
	}
	for _, vendor := range []loci.Vendor{"", "claude"} {
		p := w.stage.key(olga, auth.KeyRequest{Vendor: vendor, ProjectIDs: []loci.ProjectID{w.open.ID}})
		page, err := w.Memory.List(ctx, p, memory.ListRequest{Total: true})
		if err != nil || titles(page.Items) != "layout plan" || page.Total != 2 {
			t.Errorf("%q lists %v, %v", vendor, page, err)
		}
		found, err := w.Memory.Search(ctx, p, memory.SearchRequest{Query: "and"})
		if err != nil || len(found.Items) != 2 {
			t.Errorf("%q finds %+v, %v", vendor, found, err)
		}
		gr, err := w.Graph.Read(ctx, p, w.open.ID, graph.ListRequest{})
		if err != nil || len(gr.Entities) != 1 || gr.Entities[0].Name != "node of website" {
			t.Errorf("%q reads %+v, %v", vendor, gr, err)
		}
		_, hidden := w.Graph.Read(ctx, p, w.closed.ID, graph.ListRequest{})
		_, never := w.Graph.Read(ctx, p, loci.NewProjectID(), graph.ListRequest{})
		if loci.CodeOf(hidden) != loci.NotFound || hidden.Error() != never.Error() {
			t.Errorf("hidden %v, absent %v", hidden, never)
		}
		w.add(p, inProject("from the key", w.open.ID))
		for what, err := range map[string]error{
			"outside":         second(w.Memory.Create(ctx, p, memory.Draft{Title: "t", Content: "c"})),
			"another project": second(w.Memory.Create(ctx, p, inProject("t", w.closed.ID))),
			"none at all":     second(w.Memory.Create(ctx, p, inProject("t", loci.NewProjectID()))),
		} {
			if loci.CodeOf(err) != loci.Invalid || loci.FieldOf(err) != "project_id" {
				t.Errorf("%q writes %s: %v", vendor, what, err)
			}
		}
		for _, d := range []node.Draft{{}, {ProjectID: w.open.ID}, {Scope: loci.ScopeProject, ProjectID: w.closed.ID},
			{Scope: loci.ScopeProject, ProjectID: w.open.ID, AgentID: loci.NewAgentID()}} {
			d.Name = "n"
			wantCode(t, second(w.Node.Create(ctx, p, d)), loci.Invalid)
		}
		w.must(second(w.Node.Create(ctx, p, node.Draft{Name: "n", Scope: loci.ScopeProject, ProjectID: w.open.ID})))
		own := w.latest(p, w.open.ID)
		for what, err := range map[string]error{"share": second(w.Memory.Share(ctx, p, own)),
			"unshare":       second(w.Memory.Unshare(ctx, p, own)),
			"read the pool": second(w.Memory.TeamMemories(ctx, p, memory.ListRequest{}))} {
			if loci.CodeOf(err) != loci.Forbidden {
				t.Errorf("%q may %s: %v", vendor, what, err)
			}
		}
		w.st.entries = nil
		_, err = w.Project.Create(ctx, p, project.Draft{Name: "more"})
		wantCode(t, err, loci.Forbidden)
		if len(w.st.entries) != 1 || w.st.entries[0].Allowed || w.st.entries[0].Action != string(project.Create) {
			t.Errorf("the trail has %+v", w.st.entries)
		}
		w.must(w.Memory.Erase(ctx, olga, w.latest(olga, w.open.ID), 0))
	}
}

func (w *projectWorld) latest(p loci.Principal, in loci.ProjectID) loci.MemoryID {
	w.t.Helper()
	m, err := w.Memory.Latest(w.t.Context(), p, memory.Filter{ProjectID: in})
	w.must(err)
	return m.ID
}

// People keep what they wrote about a project that they have left, and put nothing more into it.
func TestMemoriesOfAProjectThatTheirOwnerHasLeft(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx, mia := t.Context(), w.who["member"]()
	inside := w.add(mia, inProject("price", w.closed.ID))
	about := w.add(mia, memory.Draft{Title: "about", Content: "c", ProjectID: w.closed.ID})
	w.must(w.Project.RemoveMember(ctx, w.session(w.olga), w.closed.ID, mia.UserID))
	mia = w.who["member"]()
	global, in := loci.ScopeGlobal, loci.ScopeProject
	for _, tt := range []struct {
		name string
		m    *loci.Memory
		c    memory.Patch
		code loci.Code
	}{
		{"another title", inside, memory.Patch{Title: loci.Set("prices")}, ""},
		{"out of it, but about it", inside, memory.Patch{Scope: loci.Set(global), ProjectID: loci.Set(w.closed.ID)}, ""},
		{"into it", about, memory.Patch{Scope: loci.Set(in), ProjectID: loci.Set(w.closed.ID)}, loci.Invalid},
		{"about another", about, memory.Patch{ProjectID: loci.Set(loci.NewProjectID())}, loci.Invalid},
		{"about hers", about, memory.Patch{ProjectID: loci.Set(w.open.ID)}, ""},
		{"into hers", about, memory.Patch{Scope: loci.Set(in), ProjectID: loci.Set(w.open.ID)}, ""},
		{"about none", about, memory.Patch{Scope: loci.Set(global)}, ""},
		{"about it again", about, memory.Patch{ProjectID: loci.Set(w.closed.ID)}, loci.Invalid},
	} {
		if err := second(w.Memory.Patch(ctx, mia, tt.m.ID, 0, tt.c)); loci.CodeOf(err) != tt.code {
			t.Errorf("%s: got %v, want code %q", tt.name, err, tt.code)
		}
	}
}

// A key stays limited when its project goes, and when its person leaves the project.
func TestALimitedKeyNeverWidens(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx, mia := t.Context(), w.who["member"]()
	w.add(mia, memory.Draft{Title: "mine", Content: "nobody else's"})
	w.add(mia, inProject("price", w.closed.ID))
	_, secret, err := w.Identity.CreateKey(ctx, mia,
		auth.KeyRequest{Name: "k", ProjectIDs: []loci.ProjectID{w.closed.ID, w.open.ID}})
	w.must(err)
	sees := func(want string) {
		t.Helper()
		p := w.with(secret)
		page, err := w.Memory.List(ctx, p, memory.ListRequest{})
		if err != nil || titles(page.Items) != want || !p.OnlyProjects {
			t.Errorf("sees %v, %v; want %q", page, err, want)
		}
	}
	sees("price")
	w.must(w.Project.RemoveMember(ctx, w.session(w.olga), w.closed.ID, mia.UserID))
	sees("")
	w.must(w.Project.Delete(ctx, w.session(w.olga), w.closed.ID))
	w.must(w.Project.Delete(ctx, w.session(w.olga), w.open.ID))
	sees("")
	wantCode(t, second(w.Project.Create(ctx, w.with(secret), project.Draft{Name: "x"})), loci.Forbidden)
	keys, err := w.Identity.Keys(ctx, w.who["member"](), "")
	if err != nil || len(keys) != 1 || len(keys[0].ProjectIDs) != 2 {
		t.Errorf("the list of keys has %+v, %v", keys, err)
	}
}

// Keys are limited to projects of the person; the operator may name any of the org.
func TestToWhichProjectsKeysAreLimited(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx := t.Context()
	try := func(who string, id loci.ProjectID) error {
		return third(w.Identity.CreateKey(ctx, w.who[who](),
			auth.KeyRequest{Name: "k", ProjectIDs: []loci.ProjectID{w.open.ID, id}}))
	}
	w.must(try("member", w.closed.ID))
	w.must(try("operator", w.closed.ID))
	hidden, never := try("anybody", w.closed.ID), try("anybody", loci.NewProjectID())
	if loci.CodeOf(hidden) != loci.Invalid || loci.FieldOf(hidden) != "project_ids" || hidden.Error() != never.Error() {
		t.Errorf("hidden %v, absent %v", hidden, never)
	}
	wantCode(t, try("operator", loci.NewProjectID()), loci.Invalid)
	foreign, err := w.Project.Create(ctx, w.who["other org"](), project.Draft{Name: "theirs"})
	w.must(err)
	wantCode(t, try("operator", foreign.ID), loci.Invalid)
}

// The memories of an archived project are read and thrown away, not written.
func TestMemoriesOfAnArchivedProject(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx, olga := t.Context(), w.session(w.olga)
	m := w.add(olga, inProject("layout", w.open.ID))
	free := w.add(olga, memory.Draft{Title: "free", Content: "of projects"})
	w.must(second(w.Project.Archive(ctx, olga, w.open.ID)))
	w.st.entries = nil
	for what, err := range map[string]error{
		"create":    second(w.Memory.Create(ctx, olga, inProject("new", w.open.ID))),
		"patch":     second(w.Memory.Patch(ctx, olga, m.ID, 0, memory.Patch{Title: loci.Set("other")})),
		"replace":   second(w.Memory.Replace(ctx, olga, m.ID, 0, inProject("other", w.open.ID))),
		"move into": second(w.Memory.Replace(ctx, olga, free.ID, 0, inProject("other", w.open.ID))),
	} {
		if loci.CodeOf(err) != loci.Conflict || err.Error() != "project website is archived; restore it first" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if len(w.st.entries) != 0 {
		t.Errorf("the trail has %+v", w.st.entries)
	}
	if got, err := w.Memory.Get(ctx, w.who["anybody"](), m.ID); err != nil || got.Title != "layout" || got.Version != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	w.must(second(w.Memory.Patch(ctx, olga, free.ID, 0, memory.Patch{Title: loci.Set("still free")})))
	w.must(second(w.Memory.Trash(ctx, olga, m.ID, 0)))
	w.must(second(w.App.Memory.Restore(ctx, olga, m.ID, 0)))
	moved, err := w.Memory.Patch(ctx, olga, m.ID, 0, memory.Patch{Content: loci.Set("kept"),
		Scope: loci.Set(loci.ScopeGlobal)})
	if err != nil || !moved.ProjectID.IsZero() {
		t.Errorf("moved out: %+v, %v", moved, err)
	}
	w.must(second(w.Project.Restore(ctx, olga, w.open.ID)))
	again, err := w.Memory.Replace(ctx, olga, m.ID, 0, inProject("back", w.open.ID))
	if err != nil || again.ProjectID != w.open.ID || again.Version != moved.Version+1 {
		t.Errorf("got %+v, %v", again, err)
	}
	patched, err := w.Memory.Patch(ctx, olga, m.ID, again.Version, memory.Patch{Title: loci.Set("patched")})
	if err != nil || patched.Title != "patched" || patched.Version != again.Version+1 {
		t.Errorf("got %+v, %v", patched, err)
	}
}

// Deleting a project sends its memories to the trash of who wrote them.
func TestMemoriesOfADeletedProject(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx, mia := t.Context(), w.who["member"]()
	m := w.add(mia, inProject("price", w.closed.ID))
	w.must(w.Project.Delete(ctx, w.session(w.olga), w.closed.ID))
	mia = w.who["member"]()
	page, err := w.Memory.List(ctx, mia, memory.ListRequest{Filter: memory.Filter{Lifecycle: loci.TrashOnly}})
	if err != nil || titles(page.Items) != "price" {
		t.Errorf("the trash has %+v, %v", page, err)
	}
	wantCode(t, second(w.Memory.Get(ctx, w.session(w.olga), m.ID)), loci.NotFound)
	w.must(second(w.App.Memory.Restore(ctx, mia, m.ID, 0)))
	wantCode(t, second(w.Memory.Get(ctx, w.session(w.olga), m.ID)), loci.NotFound) // it is only hers now
	kept, err := w.Memory.Patch(ctx, mia, m.ID, 0, memory.Patch{Content: loci.Set("kept"),
		Scope: loci.Set(loci.ScopeGlobal)})
	if err != nil || kept.Scope == loci.ScopeProject {
		t.Errorf("got %+v, %v", kept, err)
	}
}

// What somebody wrote about a project stays theirs to change when the project is gone, or they have left it.
func TestMemoriesOfNoProjectOfTheirOwnersAnyMore(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*projectWorld, context.Context) error{
		"deleted": func(w *projectWorld, ctx context.Context) error {
			return w.Project.Delete(ctx, w.session(w.olga), w.closed.ID)
		},
		"left": func(w *projectWorld, ctx context.Context) error {
			return w.Project.RemoveMember(ctx, w.session(w.olga), w.closed.ID, w.who["member"]().UserID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newProjectWorld(t, loci.DeleteWithKey)
			ctx, mia := t.Context(), w.who["member"]()
			about := func(title string, ids ...loci.MemoryID) memory.Draft {
				return memory.Draft{Title: title, Content: "about " + title, Supersedes: ids}
			}
			first := about("price")
			first.ProjectID = w.closed.ID
			m, err := w.App.Memory.Create(ctx, mia, first)
			w.must(err)
			w.must(leave(w, ctx))
			mia = w.who["member"]()
			_, err = w.App.Memory.Create(ctx, mia, first)
			if fault, ok := errors.AsType[*loci.Error](err); !ok || fault.Field != "project_id" {
				t.Errorf("a new one in the project: %v", err)
			}
			narrow := []loci.Vendor{"claude"}
			changed, err := w.App.Memory.Patch(ctx, mia, m.ID, 0, memory.Patch{Content: loci.Set("changed"),
				AllowedVendors: loci.Set(narrow)})
			if err != nil || changed.Content != "changed" || !slices.Equal(changed.AllowedVendors, narrow) {
				t.Errorf("changed: %+v, %v", changed, err)
			}
			w.must(second(w.App.Memory.Revert(ctx, mia, m.ID, 0, 1)))
			by, err := w.App.Memory.Create(ctx, mia, about("new price", m.ID))
			if err != nil || len(by.Superseded) != 1 {
				t.Errorf("superseded: %+v, %v", by, err)
			}
		})
	}
}

// countingProjects counts look-ups of projects.
type countingProjects struct {
	store.Store
	n *int
}

type countedProjects struct {
	store.Projects
	n *int
}

func (c countingProjects) Projects() store.Projects { return countedProjects{c.Store.Projects(), c.n} }

func (c countedProjects) Get(ctx context.Context, v loci.Viewer, id loci.ProjectID) (loci.Project, error) {
	*c.n++
	return c.Projects.Get(ctx, v, id)
}

// Only a write that is about a project pays for one.
func TestOnlyWritesIntoProjectsLookThemUp(t *testing.T) {
	t.Parallel()
	w := newProjectWorld(t, loci.DeleteWithKey)
	ctx, olga, n := t.Context(), w.session(w.olga), 0
	a := app.New(app.Options{Store: countingProjects{w.st, &n}, Now: w.clock})
	count := func(want int, what string, err error) {
		t.Helper()
		w.must(err)
		if n != want {
			t.Errorf("%s: %d look-ups, want %d", what, n, want)
		}
		n = 0
	}
	free, err := a.Memory.Create(ctx, olga, memory.Draft{Title: "t", Content: "c"})
	count(0, "create", err)
	count(0, "patch", second(a.Memory.Patch(ctx, olga, free.ID, 0, memory.Patch{Title: loci.Set("u")})))
	in, err := a.Memory.Create(ctx, olga, inProject("t", w.open.ID))
	count(1, "create in a project", err)
	count(1, "patch in a project", second(a.Memory.Patch(ctx, olga, in.ID, 0, memory.Patch{Title: loci.Set("u")})))
	count(0, "read", second(a.Memory.Get(ctx, olga, in.ID)))
	if _, err := a.Memory.Patch(ctx, olga, in.ID, 1, memory.Patch{Title: loci.Set("v")}); loci.CodeOf(
		err) != loci.Precondition || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("got %v", err)
	}
}
