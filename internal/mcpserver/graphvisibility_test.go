package mcpserver_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/project"
)

// askGraph asks everything about a project's graph that changes nothing, much of
// it about one name and the id of one entity.
func askGraph(r *raw, project, name, id string) string {
	var out strings.Builder
	ask := func(method, params string) {
		r.next = 0 // the same message ids each time
		a := r.call(method, params)
		fmt.Fprintf(&out, "%s %s\n%d %s\n", method, params, a.status, a.body)
	}
	for _, call := range [][2]string{
		{"list_projects", `{"status":"all"`},
		{"search_nodes", `{"query":"alpha"`}, {"search_nodes", `{"query":"` + name + `"`},
		{"search_nodes", `{"query":"alpha OR secret","limit":1`},
		{"search_nodes", `{"query":"alpha NOT secret"`}, {"search_nodes", `{"query":"hid*"`},
		{"open_nodes", `{"names":["` + name + `","Alpha"]`}, {"open_nodes", `{"names":["` + name + `x"]`},
		{"read_graph", `{"limit":1`}, {"read_graph", `{"limit":500`},
		{"get_neighbors", `{"name":"Alpha","hops":5`}, {"get_neighbors", `{"name":"` + name + `"`},
		{"get_neighbors", `{"id":"` + id + `"`},
		{"get_entity_history", `{"name":"Alpha"`}, {"get_entity_history", `{"id":"` + id + `"`},
		{"list_deleted_nodes", `{"limit":100`},
		// Rejected calls change nothing either.
		{"add_observations", `{"observations":[{"entity_name":"` + name + `","contents":["x"]}]`},
		{"create_relations", `{"relations":[{"from":"Alpha","to":"` + name + `","relation_type":"r"}]`},
		{"merge_entities", `{"from":"` + name + `","into":"Alpha"`},
		{"restore_nodes", `{"entities":["` + id + `"]`},
		{"delete_entities", `{"names":["` + name + `"]`},
		{"delete_observations", `{"deletions":[{"entity_name":"Alpha","observations":["a secret"]}]`},
		{"delete_relations", `{"relations":[{"from":"Alpha","to":"` + name + `","relation_type":"knows"}]`},
	} {
		args := call[1] + `}`
		if call[0] != "list_projects" {
			args = call[1] + `,"project":"` + project + `"}`
		}
		ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, call[0], args))
	}
	for _, uri := range []string{"/graph", "/entity/Alpha", "/entity/" + name} {
		ask("resources/read", fmt.Sprintf(`{"uri":"loci://project/%s%s"}`, project, uri))
	}
	for _, tool := range []string{"switch_project", "archive_project", "restore_project", "delete_project"} {
		ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":{"name":"%sx"}}`, tool, project)) // suggestions
	}
	return out.String()
}

// TestHiddenRowsAreAbsent lets one vendor write rows that another may not see. The
// other must get the same answers as before, byte for byte.
func TestHiddenRowsAreAbsent(t *testing.T) {
	t.Parallel()
	for _, version := range []string{stateful, stateless} {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			ctx := t.Context()
			_, claudeKey := w.key("claude")
			_, cursorKey := w.key("cursor")
			claude, cursor := w.rawAt(claudeKey, version, allTools), w.rawAt(cursorKey, version, allTools)
			project := loci.ProjectID(mustID(t, claude.must("create_project", `{"name":"shared"}`)["id"]))
			claude.must("create_entities",
				`{"project":"shared","entities":[{"name":"Alpha","entity_type":"t","observations":["alpha"]}]}`)
			w.clock.freeze()
			ghost := loci.NewEntityID().String()
			before, seen := askGraph(cursor, "shared", "Hidden", ghost), askGraph(claude, "shared", "Hidden", ghost)
			p, err := w.auth.Local(ctx, "claude")
			if err != nil {
				t.Fatal(err)
			}
			only := []loci.Vendor{"claude"}
			put, err := w.app.Graph.CreateEntities(ctx, p, project, only,
				[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: "Hidden", Type: "t"},
					Observations: []string{"alpha", "a secret"}}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.app.Graph.AddObservations(ctx, p, project, only,
				[]loci.Contents{{Entity: loci.EntityRef{Name: "Alpha"}, Contents: []string{"a secret"}}}); err != nil {
				t.Fatal(err)
			}
			_, err = w.app.Graph.CreateRelations(ctx, p, project, only,
				[]loci.NewRelation{{From: loci.EntityRef{Name: "Alpha"}, To: loci.EntityRef{Name: "Hidden"}, Type: "knows"},
					{From: loci.EntityRef{Name: "Alpha"}, To: loci.EntityRef{Name: "Alpha"}, Type: "hides"}})
			if err != nil {
				t.Fatal(err)
			}
			id := put[0].Entity.ID.String()
			after := strings.ReplaceAll(askGraph(cursor, "shared", "Hidden", id), id, ghost)
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("cursor notices what only claude may see (-before +after):\n%s", diff)
			}
			// cursor's calls have deleted none of it, and it is not a duplicate.
			made := cursor.must("create_entities",
				`{"project":"shared","entities":[{"name":"Hidden","entity_type":"t","observations":["a secret"]}]}`,
			)["entities"].([]any)[0].(map[string]any)
			if made["created"] != true || made["added"] != 1.0 || made["id"] == id {
				t.Errorf("cursor's entity of the hidden name: %v", made)
			}
			if _, err := w.app.Graph.Entity(ctx, p, project, graph.Which{ID: put[0].Entity.ID}); err != nil {
				t.Errorf("cursor's questions took it away: %v", err)
			}
			if askGraph(claude, "shared", "Hidden", ghost) == seen {
				t.Error("claude may see all of it, but nothing shows it")
			}
		})
	}
}

func mustID(t *testing.T, text any) loci.ID[struct{}] {
	t.Helper()
	id, err := loci.ParseID[struct{}](text.(string))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestHiddenProjectsAreAbsent creates projects that a person is not a member of:
// closed ones in their org and open ones in another org. The answers must be the
// same as before, byte for byte. The person can only learn that a name is taken.
func TestHiddenProjectsAreAbsent(t *testing.T) {
	t.Parallel()
	for _, version := range []string{stateful, stateless} {
		w := newWorld(t)
		ctx := context.Background()
		noor, far := w.person(loci.DefaultOrg, "noor@loci.example"), w.person("acme", "far@acme.example")
		_, noorKey := w.keyOf(noor, "claude")
		_, farKey := w.keyOf(far, "claude")
		readers := map[string]*raw{"noor": w.rawAt(noorKey, version, allTools), "far": w.rawAt(farKey, version, allTools)}
		w.clock.freeze()
		ghost := loci.NewEntityID().String()
		ask := func(r *raw, id string) string {
			return askGraph(r, "closed", "Hidden", id) + r.tool("switch_project", `{"name":"closed"}`).body +
				r.tool("archive_project", `{"name":"closed"}`).body
		}
		before := map[string]string{}
		for name, r := range readers {
			before[name] = ask(r, ghost)
		}
		closed := false
		project, err := w.app.Project.Create(ctx, w.owner, project.Draft{Name: "closed", Everyone: &closed})
		if err != nil {
			t.Fatal(err)
		}
		owner, err := w.auth.LocalAs(ctx, w.owner.OrgID, w.owner.UserID) // with the project
		if err != nil {
			t.Fatal(err)
		}
		put, err := w.app.Graph.CreateEntities(ctx, owner, project.ID, nil,
			[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: "Hidden", Type: "t"}},
				{EntityRef: loci.EntityRef{Name: "Alpha", Type: "t"}}})
		if err != nil {
			t.Fatal(err)
		}
		id := put[0].Entity.ID.String()
		for _, state := range []string{"active", "archived"} {
			for name, r := range readers {
				if diff := cmp.Diff(before[name], strings.ReplaceAll(ask(r, id), id, ghost)); diff != "" {
					t.Errorf("%s, %s: %s notices a project that is not theirs (-before +after):\n%s", version, state, name, diff)
				}
			}
			if state == "active" {
				_, mineKey := w.keyOf(w.owner, "claude")
				if mine := w.rawAt(mineKey, version, allTools); askGraph(mine, "closed", "Hidden", ghost) == before["noor"] {
					t.Error("who belongs to it does not see it either")
				}
				put, err = w.app.Graph.CreateEntities(ctx, owner, project.ID, nil,
					[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: "Hidden", Type: "t"}}})
				if err != nil {
					t.Fatal(err)
				}
				id = put[0].Entity.ID.String()
				if _, err := w.app.Project.Archive(ctx, owner, project.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
		if text := readers["far"].tool("create_project", `{"name":"closed"}`).body; !strings.Contains(text, "Created") {
			t.Errorf("another org's name is taken: %s", text)
		}
	}
}
