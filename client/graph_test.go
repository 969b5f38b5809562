package client_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

func TestProjects(t *testing.T) {
	ctx := t.Context()
	address, st := start(t)
	key, agent := client.New(address, "owner"), client.New(address, "claude-key")
	me := must(key.Me(ctx))(t)
	nobodyElse := false
	p := must(agent.CreateProject(ctx, client.NewProject{Name: "website", Description: "The site",
		Everyone: &nobodyElse}))(t)
	if p.Name != "website" || p.Description != "The site" || p.Everyone || p.Status != loci.ProjectActive {
		t.Errorf("CreateProject: got %+v", p)
	}
	if _, err := key.CreateProject(ctx, client.NewProject{Name: "website"}); client.CodeOf(err) != loci.Conflict {
		t.Errorf("a name that is taken: got %v", err)
	}
	must(key.CreateProject(ctx, client.NewProject{Name: "api"}))(t)
	first := must(key.Projects(ctx, "", 1, ""))(t)
	second := must(key.Projects(ctx, "", 1, first.NextCursor))(t)
	if len(first.Projects) != 1 || first.Projects[0].Name != "api" || !first.HasMore || len(second.Projects) != 1 ||
		second.Projects[0].ID != p.ID || second.HasMore {
		t.Errorf("Projects: got %+v, then %+v", first, second)
	}
	name, text := "site", ""
	if got := must(key.EditProject(ctx, p.ID, client.ProjectEdit{Name: &name,
		Description: &text}))(t); got.Name != name || got.Description != "" || got.Everyone {
		t.Errorf("EditProject: got %+v", got)
	}

	noor := loci.User{ID: loci.NewUserID(), OrgID: loci.DefaultOrg, Email: "noor@loci.example", Role: loci.RoleUser,
		OrgRole: loci.Member, CreatedAt: loci.CutTime(time.Now())}
	ok(t, st.People().Add(ctx, noor, nil))
	hers := signIn(t, address, st, noor.ID, 0)
	if _, err := hers.Project(ctx, p.ID); client.CodeOf(err) != loci.NotFound {
		t.Errorf("the project of others: got %v", err)
	}
	ok(t, key.PutProjectMember(ctx, p.ID, noor.ID, loci.Member))
	if got := must(hers.Project(ctx, p.ID))(t); got.Name != name {
		t.Errorf("Project: got %+v", got)
	}
	roles := map[loci.UserID]loci.MemberRole{}
	for _, m := range must(key.ProjectMembers(ctx, p.ID))(t).Members {
		roles[m.UserID] = m.Role
	}
	if len(roles) != 2 || roles[me.ID] != loci.MemberOwner || roles[noor.ID] != loci.Member {
		t.Errorf("ProjectMembers: got %v", roles)
	}
	ok(t, key.RemoveProjectMember(ctx, p.ID, noor.ID))
	if _, err := hers.Project(ctx, p.ID); client.CodeOf(err) != loci.NotFound {
		t.Errorf("after leaving: got %v", err)
	}

	if got := must(agent.ArchiveProject(ctx, p.ID))(t); got.Status != loci.ProjectArchived {
		t.Errorf("ArchiveProject: got %+v", got)
	}
	if got := must(key.Projects(ctx, client.ArchivedProjects, 0, ""))(t); len(got.Projects) != 1 ||
		got.Projects[0].ID != p.ID {
		t.Errorf("the archived ones: got %+v", got)
	}
	if got := must(key.Projects(ctx, client.AllProjects, 0, ""))(t); len(got.Projects) != 2 {
		t.Errorf("all: got %+v", got)
	}
	if _, err := key.Graph(ctx, p.ID, 0, ""); client.CodeOf(err) != loci.Conflict {
		t.Errorf("the graph of an archived project: got %v", err)
	}
	if got := must(key.RestoreProject(ctx, p.ID))(t); got.Status != loci.ProjectActive {
		t.Errorf("RestoreProject: got %+v", got)
	}
	ok(t, key.DeleteProject(ctx, p.ID))
	if _, err := key.Project(ctx, p.ID); client.CodeOf(err) != loci.NotFound {
		t.Errorf("after deleting: got %v", err)
	}
}

// newGraph makes a project with three entities: web → api → db.
func newGraph(t *testing.T, c *client.Client) (loci.ProjectID, map[string]loci.EntityID) {
	t.Helper()
	p := must(c.CreateProject(t.Context(), client.NewProject{Name: "p"}))(t)
	put := must(c.CreateEntities(t.Context(), p.ID, client.NewEntities{Entities: []client.NewEntity{
		{Name: "web", Type: "service", Observations: []string{"is red", "is fast"}}, {Name: "api", Type: "service"},
		{Name: "db", Type: "store"}}}))(t)
	ids := map[string]loci.EntityID{}
	for _, e := range put.Entities {
		if ids[e.Name] = e.ID; !e.Created {
			t.Errorf("CreateEntities: %+v is not new", e)
		}
	}
	r := must(c.CreateRelations(t.Context(), p.ID, client.NewRelations{Relations: []client.NewRelation{
		{From: "web", To: "api", Type: "uses"}, {From: "api", FromType: "service", To: "db", ToType: "store",
			Type: "uses"}}}))(t)
	if len(r.Relations) != 2 || !r.Relations[0].Created || r.Relations[1].ToID != ids["db"] {
		t.Errorf("CreateRelations: got %+v", r)
	}
	return p.ID, ids
}

func TestGraphReads(t *testing.T) {
	ctx := t.Context()
	url := newServer(t)
	person, agent := client.New(url, "owner"), client.New(url, "claude-key")
	in, ids := newGraph(t, person)
	first := must(agent.Graph(ctx, in, 2, ""))(t)
	second := must(agent.Graph(ctx, in, 2, first.NextCursor))(t)
	if len(first.Entities) != 2 || first.Left != 1 || !first.HasMore || len(second.Entities) != 1 || second.HasMore ||
		len(first.Relations)+len(second.Relations) != 2 {
		t.Errorf("Graph: got %+v, then %+v", first, second)
	}
	hits := must(agent.SearchGraph(ctx, in, "red OR store", 1, ""))(t)
	more := must(agent.SearchGraph(ctx, in, "red OR store", 1, hits.NextCursor))(t)
	if hits.Total != 2 || len(hits.Entities) != 1 || len(more.Entities) != 1 || more.HasMore ||
		hits.Entities[0].ID == more.Entities[0].ID {
		t.Errorf("SearchGraph: got %+v, then %+v", hits, more)
	}
	found := must(agent.OpenEntities(ctx, in, client.EntityNames{Names: []string{"web", "apj"}}))(t)
	if len(found.Entities) != 1 || len(found.Missing) != 1 || found.Missing[0].Name != "apj" ||
		len(found.Missing[0].Nearest) == 0 || found.Missing[0].Nearest[0] != "api" {
		t.Errorf("OpenEntities: got %+v", found)
	}
	found = must(agent.OpenEntities(ctx, in, client.EntityNames{Entities: []client.EntityRef{{Name: "db", Type: "store"},
		{Name: "db", Type: "service"}}}))(t)
	if len(found.Entities) != 1 || found.Entities[0].ID != ids["db"] {
		t.Errorf("OpenEntities with types: got %+v", found)
	}
	if got := must(agent.Entity(ctx, in, ids["web"]))(t); got.Name != "web" || len(got.Observations) != 2 ||
		len(got.Relations) != 1 {
		t.Errorf("Entity: got %+v", got)
	}
	obs := must(agent.EntityObservations(ctx, in, ids["web"], 1, ""))(t)
	rest := must(agent.EntityObservations(ctx, in, ids["web"], 1, obs.NextCursor))(t)
	if obs.Observations[0].Content != "is red" || rest.Observations[0].Content != "is fast" || rest.HasMore {
		t.Errorf("EntityObservations: got %+v, then %+v", obs, rest)
	}
	if got := must(agent.EntityRelations(ctx, in, ids["api"], 0, ""))(t); len(got.Relations) != 2 || got.HasMore {
		t.Errorf("EntityRelations: got %+v", got)
	}
	if got := must(agent.EntityHistory(ctx, in, ids["web"], 1))(t); len(got.Changes) != 1 || !got.HasMore ||
		got.Changes[0].Change != "created" {
		t.Errorf("EntityHistory: got %+v", got)
	}
	for hops, want := range map[int]int{0: 2, 2: 3} {
		if got := must(agent.Neighbours(ctx, in, ids["web"], hops, 0))(t); len(got.Entities) != want || got.HasMore ||
			got.Entities[0].ID != ids["web"] {
			t.Errorf("Neighbours within %d: got %+v, want %d", hops, got, want)
		}
	}
	if got := must(agent.Neighbours(ctx, in, ids["web"], 2, 2))(t); len(got.Entities) != 2 || !got.HasMore {
		t.Errorf("2 Neighbours: got %+v", got)
	}
}

func TestGraphChanges(t *testing.T) {
	ctx := t.Context()
	url := newServer(t)
	person, agent := client.New(url, "owner"), client.New(url, "claude-key")
	in, ids := newGraph(t, person)
	put := must(agent.AddObservations(ctx, in,
		client.AddedObservations{Observations: []client.NewObservations{{Entity: "web",
			Contents: []string{"is red", "is new"}}}}))(t)
	if len(put.Observations) != 1 || put.Observations[0].EntityName != "web" || put.Observations[0].Origin != "claude" ||
		len(put.Duplicates) != 1 || put.Duplicates[0].Content != "is red" {
		t.Errorf("AddObservations: got %+v", put)
	}
	_, err := agent.AddObservations(ctx, in,
		client.AddedObservations{Observations: []client.NewObservations{{Entity: "web", Contents: []string{"x"}},
			{Entity: "wep", Contents: []string{"y"}}}})
	var e *client.Error
	if !errors.As(err, &e) || e.Code != loci.NotFound || len(e.Items) != 1 || e.Items[0].Index != 1 ||
		e.Items[0].Code != loci.NotFound || len(e.Items[0].Nearest) == 0 || e.Items[0].Nearest[0] != "web" {
		t.Errorf("a refused item: got %+v", err)
	}
	for _, tt := range []struct {
		what string
		do   func() (*client.Deleted, error)
	}{
		{"DeleteObservations", func() (*client.Deleted, error) {
			return agent.DeleteObservations(ctx, in, client.OldObservations{Entity: "web",
				Observations: []string{"is new", "never was"}})
		}},
		{"DeleteRelations", func() (*client.Deleted, error) {
			return person.DeleteRelations(ctx, in, client.NewRelation{From: "api", To: "db", Type: "uses"})
		}},
		{"DeleteEntities", func() (*client.Deleted, error) {
			return person.DeleteEntities(ctx, in, client.EntityNames{Names: []string{"web", "never"}})
		}},
	} {
		if got := must(tt.do())(t); *got != (client.Deleted{Deleted: 1}) {
			t.Errorf("%s: got %+v, want 1", tt.what, got)
		}
	}
	trash := must(person.GraphTrash(ctx, in, 10))(t)
	if trash.HasMore || len(trash.Entities) != 1 || trash.Entities[0].ID != ids["web"] || len(trash.Relations) != 1 {
		t.Fatalf("GraphTrash: got %+v", trash)
	}
	if n := must(person.RestoreEntities(ctx, in, client.GraphIDs{Entities: []loci.EntityID{ids["web"]},
		Relations: []loci.RelationID{trash.Relations[0].ID}}))(t); n < 2 {
		t.Errorf("RestoreEntities: got %d", n)
	}
	if got := must(person.MergeEntities(ctx, in, ids["db"], ids["api"]))(t); got.ID != ids["api"] {
		t.Errorf("MergeEntities: got %+v", got)
	}
	if n := must(person.SetGraphVendors(ctx, in, client.GraphIDs{Entities: []loci.EntityID{ids["web"]}},
		"cursor"))(t); n != 1 {
		t.Errorf("SetGraphVendors: got %d", n)
	}
	if _, err := agent.Entity(ctx, in, ids["web"]); client.CodeOf(err) != loci.NotFound {
		t.Errorf("what is for another vendor: got %v", err)
	}
}

func TestGraphTransfer(t *testing.T) {
	ctx := t.Context()
	c := client.New(newServer(t), "owner")
	in, _ := newGraph(t, c)
	var own, reference bytes.Buffer
	ok(t, c.ExportGraph(ctx, in, "", &own))
	ok(t, c.ExportGraph(ctx, in, client.GraphReference, &reference))
	if !strings.Contains(own.String(), `"allowed_vendors"`) || !strings.Contains(reference.String(),
		`"entityType":"service"`) {
		t.Errorf("ExportGraph: got %s and %s", &own, &reference)
	}
	var drawing bytes.Buffer
	ok(t, c.DrawGraph(ctx, in, &drawing))
	if !strings.Contains(drawing.String(), `"names":[`) || !strings.Contains(drawing.String(), `{"end":{"entities":3,`) {
		t.Errorf("DrawGraph: got %s", &drawing)
	}
	if err := c.ExportGraph(ctx, loci.NewProjectID(), "", &own); client.CodeOf(err) != loci.NotFound {
		t.Errorf("the graph of no project: got %v", err)
	}
	other := must(c.CreateProject(ctx, client.NewProject{Name: "other"}))(t)
	lines := reference.String() + "not JSON\n"
	for _, tt := range []struct {
		o              client.GraphImport
		added, present bool
	}{{client.GraphImport{DryRun: true}, true, false}, {client.GraphImport{AllowedVendors: []loci.Vendor{"cursor"}}, true,
		false}, {client.GraphImport{}, false, true}} {
		got := must(c.ImportGraph(ctx, other.ID, strings.NewReader(lines), tt.o))(t)
		if (got.Entities == 3) != tt.added || (got.Present > 0) != tt.present || got.Refused != 1 ||
			len(got.Problems) != 1 || got.Problems[0].Line != got.Lines || got.Problems[0].Detail == "" {
			t.Errorf("ImportGraph with %+v: got %+v", tt.o, got)
		}
	}
	page := must(c.Graph(ctx, other.ID, 0, ""))(t)
	if len(page.Entities) != 3 || len(page.Relations) != 2 || page.Entities[0].AllowedVendors[0] != "cursor" {
		t.Errorf("what was imported: got %+v", page)
	}
	if _, err := c.ImportGraph(ctx, other.ID, &own, client.GraphImport{}); client.CodeOf(err) != loci.Forbidden {
		t.Errorf("importing the loci format: got %v", err)
	}
}
