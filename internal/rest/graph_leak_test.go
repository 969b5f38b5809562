package rest_test

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/rest"
)

// TestHiddenProjectReadsAsAbsent sends every route about a project, as
// everybody who is not in it, and demands the answer for a project that never was.
func TestHiddenProjectReadsAsAbsent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	doc := readDocument(t, s)
	noor := s.addUser(t, loci.DefaultOrg, "noor@loci.example", loci.Member)
	hers := s.session(t, loci.DefaultOrg, noor.ID, 0)
	_, agent := s.key(t, loci.DefaultOrg, noor.ID, auth.KeyRequest{Vendor: "claude"})
	_, limited := s.key(t, loci.DefaultOrg, s.owner.UserID,
		auth.KeyRequest{ProjectIDs: []loci.ProjectID{loci.NewProjectID()}})
	g := s.graph(t, hers, "hidden project", "hidden ")
	s.expect(t, 200, hers, "PATCH /projects/"+g.project+` {"everyone":false}`)
	s.clock.freeze()
	closed := s.graph(t, owner, "closed project", "hidden ")
	s.expect(t, 200, owner, "PATCH /projects/"+closed.project+` {"everyone":false}`)
	s.expect(t, 200, owner, "POST /projects/"+closed.project+"/archive")
	never := aGraph{absent, absent, absent, absent}
	sent := 0
	for _, path := range sortedKeys(doc.paths) {
		if !strings.HasPrefix(path, "/projects") {
			continue
		}
		for method, op := range doc.paths[path].(map[string]any) {
			for reader, hidden := range map[string]aGraph{owner: g, claude: g, limited: g, hers: closed, agent: closed} {
				ask := func(g aGraph) string {
					fill := strings.NewReplacer("{id}", g.project, "{entity}", g.gateway, "{user}", noor.ID.String(), "/search",
						"/search?q=hidden",
						"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e", g.gateway, "0d9a1b3c-5e7f-4128-8c6d-1e2f3a4b5c6d", g.website,
						"1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", g.gone, `"API gateway"`, `"hidden API gateway"`, `"website"`,
						`"`+loci.NewProjectID().String()+`"`)
					w := s.do(strings.ToUpper(method), fill.Replace(path), reader, fill.Replace(exampleBody(op)))
					if strings.Contains(path, "{id}") && w.Code != 404 && w.Code != 403 {
						t.Errorf("%s %s: got %d %s, want 404 or 403", method, path, w.Code, w.Body)
					}
					return shown(w)
				}
				sent++
				got, want := ask(hidden), ask(never)
				if got != want && path != "/projects" {
					t.Errorf("%s %s: a hidden project answers\n%s\none that never was\n%s", method, path, got, want)
				}
				name := "hidden project"
				if hidden == closed {
					name = "closed project"
				}
				if strings.Contains(got, "hidden API") || strings.Contains(got, name) {
					t.Errorf("%s %s tells of a hidden project: %s", method, path, got)
				}
			}
		}
	}
	if sent < 150 {
		t.Errorf("only %d requests were sent", sent)
	}
}

// hiding is a project with entities, observations and relations of which claude
// may read some.
type hiding struct{ project, seen, hidden, gone, observation, relation string }

func (s *server) hide(t *testing.T) hiding {
	t.Helper()
	g := s.graph(t, owner, "a project", "")
	at := "/projects/" + g.project + "/graph"
	var put client.PutEntities
	decode(t, s.expect(t, 201, owner, "POST "+
		""+at+`/entities {"entities":[{"name":"secret plan","entity_type":"plan","observations":["secret text"]},`+
		`{"name":"secret past","entity_type":"plan"}],`+
		`"allowed_vendors":["cursor"]}`), &put)
	var obs client.PutObservations
	decode(t, s.expect(t, 201, owner, "POST "+
		""+at+`/observations {"observations":[{"entity_name":"website","contents":["secret note"]}],`+
		`"allowed_vendors":["cursor"]}`), &obs)
	var rel client.PutRelations
	decode(t, s.expect(t, 201, owner, "POST "+
		""+at+`/relations {"relations":[{"from":"website","to":"API gateway","relation_type":"secretly_uses"},`+
		`{"from":"website","to":"secret plan","relation_type":"follows"}],"allowed_vendors":["cursor"]}`), &rel)
	s.expect(t, 200, owner, "POST "+at+`/entities/delete {"names":["secret past"]}`)
	return hiding{g.project, g.website, put.Entities[0].ID.String(), put.Entities[1].ID.String(),
		obs.Observations[0].ID.String(), rel.Relations[0].ID.String()}
}

// TestHiddenRowsReadAsAbsent sends every route about a graph as an agent who
// may not read some rows, once about them and once about rows that never were.
func TestHiddenRowsReadAsAbsent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	h := s.hide(t)
	never := hiding{h.project, h.seen, absent, absent, absent, absent}
	at := "/projects/" + h.project + "/graph"
	for _, request := range []string{
		"GET {at}/entities/{hidden}", "GET {at}/entities/{hidden}/observations", "GET {at}/entities/{hidden}/relations",
		"GET {at}/entities/{hidden}/history",
		"GET {at}/entities/{gone}/history", "GET {at}/entities/{gone}", "GET {at}/entities/{hidden}/neighbours?hops=5",
		`POST {at}/open {"names":["{plan}","website"]}`,
		`POST {at}/open {"entities":[{"name":"{plan}","entity_type":"plan"}]}`,
		`GET {at}/search?q={text}`, `GET {at}/search?q="{text}"+OR+gateway`, `GET {at}/search?q={text}+gateway`,
		`POST {at}/observations {"observations":[{"entity_name":"{plan}","contents":["x"]}]}`,
		`POST {at}/relations {"relations":[{"from":"website","to":"{plan}","relation_type":"follows"}]}`,
		`POST {at}/entities/delete {"names":["{plan}"]}`,
		`POST {at}/observations/delete {"deletions":[{"entity_name":"website","observations":["{note}"]}]}`,
		`POST {at}/relations/delete {"relations":[{"from":"website","to":"API gateway","relation_type":"{verb}"}]}`,
		`POST {at}/restore {"entities":["{gone}"]}`, `POST {at}/restore {"observations":["{observation}"]}`,
		`POST {at}/restore {"relations":["{relation}"]}`,
		`POST {at}/merge {"from":"{hidden}","into":"{seen}"}`, `POST {at}/merge {"from":"{seen}","into":"{hidden}"}`,
		`PUT {at}/vendors {"entities":["{hidden}"],"allowed_vendors":["*"]}`,
		// These add something, so they come last and undo it.
		`POST {at}/observations {"observations":[{"entity_name":"API gateway","contents":["{note}"]}]}`,
		`POST {at}/observations/delete {"deletions":[{"entity_name":"API gateway","observations":["{note}"]}]}`,
		`POST {at}/entities {"entities":[{"name":"{plan}","entity_type":"plan","observations":["{text}"]}]}`,
		`POST {at}/entities/delete {"names":["{plan}"]}`,
	} {
		ask := func(h hiding, names *strings.Replacer) string {
			fill := strings.NewReplacer("{at}", at, "{hidden}", h.hidden, "{gone}", h.gone, "{seen}", h.seen,
				"{observation}", h.observation, "{relation}", h.relation)
			return shown(s.request(claude, names.Replace(fill.Replace(request))))
		}
		back := strings.NewReplacer("secret plan", "PLAN", "future plan", "PLAN", "secretly_uses", "VERB",
			"futurely_uses", "VERB", "secret", "WORD", "future", "WORD")
		got := back.Replace(ask(h, strings.NewReplacer("{plan}", "secret plan", "{text}", "secret", "{note}",
			"secret note", "{verb}", "secretly_uses")))
		want := back.Replace(ask(never, strings.NewReplacer("{plan}", "future plan", "{text}", "future", "{note}",
			"future note", "{verb}", "futurely_uses")))
		if got != want {
			t.Errorf("%s about hidden rows answers\n%s\nabout none\n%s", request, got, want)
		}
	}
	for _, request := range []string{"GET {at}", "GET {at}/trash", "GET {at}/entities/{seen}",
		"GET {at}/entities/{seen}/observations", "GET {at}/entities/{seen}/relations",
		"GET {at}/entities/{seen}/history", "GET {at}/entities/{seen}/neighbours?hops=5"} {
		request = strings.NewReplacer("{at}", at, "{seen}", h.seen).Replace(request)
		if text := s.expect(t, 200, owner, request).Body.String(); !strings.Contains(text, "secret") {
			t.Errorf("%s of a person lacks what there is: %s", request, text)
		}
		text := s.expect(t, 200, claude, request).Body.String()
		for _, part := range []string{"secretly", "secret text", h.hidden, h.gone, h.observation, h.relation} {
			if strings.Contains(text, part) {
				t.Errorf("%s shows an agent %q: %s", request, part, text)
			}
		}
	}
	var page client.GraphPage
	decode(t, s.expect(t, 200, claude, "GET "+at+"?limit=1"), &page)
	if page.Left != 1 {
		t.Errorf("an agent is told of %d further entities, want 1", page.Left)
	}
}

// TestWhoMayWhat sends each request with several credentials.
func TestWhoMayWhat(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(_ *rest.Options, o *app.Options) { o.Deletion = loci.DeleteWithStepUp })
	noor := s.addUser(t, loci.DefaultOrg, "noor@loci.example", loci.Member)
	fresh, stale := s.session(t, loci.DefaultOrg, s.owner.UserID, 0), s.session(t, loci.DefaultOrg, s.owner.UserID,
		2*loci.StepUpAge)
	hers := s.session(t, loci.DefaultOrg, noor.ID, 0)
	g := s.graph(t, owner, "p", "")
	one := "/projects/" + g.project
	s.expect(t, 200, owner, "PATCH "+one+` {"everyone":true}`)
	for _, tt := range []struct {
		who, key, request string
		want              int
		text              string
	}{
		{"member", hers, "GET " + one, 200, "p"},
		{"member", hers, "GET " + one + "/graph", 200, "API gateway"},
		{"member", hers, "PATCH " + one + ` {"name":"x"}`, 403, "forbidden"},
		{"member", hers, "POST " + one + "/archive", 403, "forbidden"},
		{"member", hers, "DELETE " + one, 403, "forbidden"},
		{"member", hers, "PUT " + one + "/members/" + noor.ID.String() + ` {"role":"owner"}`, 403, "forbidden"},
		{"agent", claude, "PATCH " + one + ` {"name":"x"}`, 403, "an agent's key cannot use this route"},
		{"agent", claude, "GET " + one + "/members", 403, "an agent's key cannot use this route"},
		{"agent", claude, "GET " + one + "/graph/export", 403, "an agent's key cannot use this route"},
		{"agent", claude, "POST " + one + "/graph/import {}", 403, "an agent's key cannot use this route"},
		{"agent", claude, "PUT " + one + `/graph/vendors {"entities":["` + g.website + `"],"allowed_vendors":["*"]}`,
			403, "an agent's key cannot use this route"},
		{"agent", claude, "DELETE " + one, 403, "deletion=api_key"},
		{"key", owner, "DELETE " + one, 403, "deletion=api_key"},
		{"stale", stale, "DELETE " + one, 403, "step_up_required"},
		{"nobody", "", "GET " + one, 401, "unauthenticated"},
		{"fresh", fresh, "DELETE " + one, 204, ""},
		{"fresh", fresh, "GET " + one, 404, "no such project"},
	} {
		if w := s.request(tt.key, tt.request); w.Code != tt.want || !strings.Contains(w.Body.String(), tt.text) {
			t.Errorf("%s as %s: got %d %s, want %d with %q", tt.request, tt.who, w.Code, w.Body, tt.want, tt.text)
		}
	}
}

// TestKeyOfOneProject demands that a limited key reaches its projects and no
// others.
func TestKeyOfOneProject(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	mine, other := s.graph(t, owner, "mine", ""), s.graph(t, owner, "other", "")
	var id loci.ProjectID
	if err := id.UnmarshalText([]byte(mine.project)); err != nil {
		t.Fatal(err)
	}
	_, key := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{ProjectIDs: []loci.ProjectID{id}})
	for request, want := range map[string]int{"GET /projects/" + mine.project: 200,
		"GET /projects/" + other.project: 404, "GET /projects/" + mine.project + "/graph": 200,
		"GET /projects/" + other.project + "/graph": 404, `POST /projects {"name":"new"}`: 403} {
		s.expect(t, want, key, request)
	}
	var list client.ProjectList
	decode(t, s.expect(t, 200, key, "GET /projects"), &list)
	if len(list.Projects) != 1 || list.Projects[0].ID != id {
		t.Errorf("the key lists %+v", list.Projects)
	}
}
