package rest_test

import (
	"context"
	"crypto/rand"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/test/random"
)

var someVendors = []loci.Vendor{"claude", "cursor", "gemini"}

// tenant is an org with something of every kind. All its names carry marker.
type tenant struct {
	marker  string
	things  map[string]string // of the placeholders in paths and examples
	token   string            // of an invitation
	email   string
	session string
	key     string
	agents  map[loci.Vendor]string
}

func (s *server) tenant(t *testing.T, marker string) *tenant {
	t.Helper()
	ctx := context.Background()
	org, boss := s.addOrg(t, loci.OrgID(marker), "boss@"+marker+".example")
	member := s.addUser(t, org.ID, "member@"+marker+".example", loci.Member)
	team := s.addTeam(t, org.ID, marker+" team", boss.ID, member.ID)
	x := &tenant{marker: marker, email: boss.Email, agents: map[loci.Vendor]string{}, session: s.session(t, org.ID,
		boss.ID, 0)}
	var keyID loci.CredentialID
	keyID, x.key = s.key(t, org.ID, boss.ID, auth.KeyRequest{Name: marker + " key"})
	p, err := s.auth.LocalAs(ctx, org.ID, boss.ID)
	if err != nil {
		t.Fatal(err)
	}
	x.things = map[string]string{"org": marker, "team": team.ID.String(), "user": member.ID.String(),
		"key": keyID.String()}
	for _, v := range append([]loci.Vendor{"*"}, someVendors...) {
		m, err := s.app.Memory.Create(ctx, p, memory.Draft{Title: marker + " title", Content: "deploys and " + marker +
			" content for " + name(marker, v),
			Tags: []string{"ops", marker}, AllowedVendors: []loci.Vendor{v}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.app.Memory.Share(ctx, p, m.ID); err != nil {
			t.Fatal(err)
		}
		x.things["memory"] = m.ID.String()
		if v == "*" {
			x.things["visible"] = m.ID.String()
		}
		if v != "*" {
			_, x.agents[v] = s.key(t, org.ID, boss.ID, auth.KeyRequest{Name: marker + " agent", Vendor: v})
		}
	}
	var invited client.InvitedList
	decode(t, s.request(x.session, "POST /teams/"+team.ID.String()+`/invite {"emails":["new@`+marker+`.example"]}`),
		&invited)
	x.things["invite"], x.token = invited.Invites[0].Invite.ID.String(), invited.Invites[0].Token
	var agent loci.Agent
	decode(t, s.request(x.session, `POST /agents {"name":"`+marker+` agent","vendor":"claude"}`), &agent)
	var work loci.Session
	decode(t, s.request(x.session, `POST /sessions {"agent_id":"`+agent.ID.String()+`","title":"`+marker+` work"}`), &work)
	x.things["agent"], x.things["work"] = agent.ID.String(), work.ID.String()
	var logged client.Logged
	decode(t, s.expect(t, 201, x.key, `POST /events {"content":"`+marker+` happened","session_id":"`+work.ID.String()+
		`"}`), &logged)
	x.things["event"] = logged.ID.String()
	for _, v := range someVendors {
		s.expect(t, 201, x.key, `POST /events {"content":"`+name(marker, v)+` happened","session_id":"`+work.ID.String()+
			`","tags":["`+marker+`"],"allowed_vendors":["`+string(v)+`"]}`)
	}
	s.structured(t, x)
	var workspace loci.Workspace
	decode(t, s.request(x.session, "POST /orgs/"+marker+`/workspaces {"name":"`+marker+` workspace"}`), &workspace)
	x.things["workspace"] = workspace.ID.String()
	g := s.graph(t, x.session, marker+" project", marker+" ")
	x.things["project"], x.things["entity"], x.things["website"], x.things["gone"] = g.project, g.gateway, g.website,
		g.gone
	for _, v := range someVendors {
		s.expect(t, 201, x.session, "POST /projects/"+g.project+`/graph/entities {"entities":[{"name":"`+name(marker,
			v)+`","entity_type":"service","observations":["`+
			name(marker, v)+` is `+marker+` text"]}],"allowed_vendors":["`+string(v)+`"]}`)
		s.expect(t, 201, x.session, "POST /projects/"+g.project+`/graph/relations {"relations":[{"from":"`+marker+
			` API gateway","to":"`+name(marker, v)+
			`","relation_type":"uses"}],"allowed_vendors":["`+string(v)+`"]}`)
	}
	return x
}

// structured makes what hangs on the memory of the tenant, and a node that shows it.
func (s *server) structured(t *testing.T, x *tenant) {
	t.Helper()
	memory := x.things["memory"]
	id := func(w *httptest.ResponseRecorder) string {
		t.Helper()
		var made struct{ ID string }
		decode(t, w, &made)
		return made.ID
	}
	x.things["asset"] = id(s.request(x.key, "POST "+
		"/memories/"+memory+`/assets?name=`+x.marker+`.txt {"text":"`+x.marker+` file"}`))
	var sources client.SourceList
	decode(t, s.request(x.key, "POST /memories/"+memory+`/sources {"sources":[{"kind":"text","text":"`+x.marker+
		` said so"}]}`), &sources)
	var saved loci.Saved
	decode(t, s.request(x.agents["gemini"], `POST /agent/memories {"title":"`+x.marker+` later","content":"`+x.marker+
		` other","supersedes":["`+x.things["visible"]+`"]}`), &saved)
	if len(sources.Sources) != 1 || len(saved.Suggestions) != 1 {
		t.Fatalf("got %+v and %+v", sources, saved)
	}
	x.things["source"], x.things["suggestion"] = sources.Sources[0].ID.String(), saved.Suggestions[0].ID.String()
	x.things["node"] = id(s.request(x.key, `POST /memory-nodes {"name":"`+x.marker+` node","shared":true}`))
	x.things["item"] = id(s.request(x.key, "POST "+
		"/memory-nodes/"+x.things["node"]+`/items {"kind":"text","text":"`+x.marker+` text"}`))
	s.expect(t, 201, x.key, "POST /memory-nodes/"+x.things["node"]+`/items {"kind":"memory","memory_id":"`+memory+
		`","parent_id":"`+x.things["item"]+`"}`)
}

// name marks what only one vendor may read.
func name(marker string, v loci.Vendor) string {
	if v == "*" {
		return "all"
	}
	return marker + "-only-" + string(v)
}

// ghosts are things that never were.
func ghosts() *tenant {
	return &tenant{marker: "unwovenby", token: auth.NewSecret("loci_invite_").Reveal(),
		email: "boss@nevermark.example", things: map[string]string{"org": "nevermark",
			"team": loci.NewTeamID().String(), "user": loci.NewUserID().String(), "key": loci.NewCredentialID().String(),
			"memory": loci.NewMemoryID().String(),
			"agent":  loci.NewAgentID().String(), "work": loci.NewSessionID().String(), "invite": loci.NewInviteID().String(),
			"workspace": loci.NewWorkspaceID().String(), "project": loci.NewProjectID().String(),
			"entity": loci.NewEntityID().String(), "website": loci.NewEntityID().String(),
			"gone": loci.NewEntityID().String(), "asset": loci.NewAssetID().String(), "source": loci.NewSourceID().String(),
			"suggestion": loci.NewSuggestionID().String(), "node": loci.NewNodeID().String(),
			"item": loci.NewNodeItemID().String(), "event": loci.NewEventID(time.Now()).String()}}
}

// aims puts the things of x into a route and its example.
func (x *tenant) aims(path, body string) (string, string) {
	const example = "6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"
	first := map[string]string{"memories": "memory", "teams": "team", "orgs": "org", "keys": "key",
		"projects": "project", "agents": "agent", "events": "event",
		"assets": "asset", "sources": "source", "suggestions": "suggestion", "memory-nodes": "node"}
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if part != "{id}" {
			parts[i] = strings.NewReplacer("{user}", x.things["user"], "{invite}", x.things["invite"], "{workspace}",
				x.things["workspace"],
				"{entity}", x.things["entity"], "{item}", x.things["item"]).Replace(part)
			continue
		}
		kind, ok := first[parts[i-1]]
		if !ok {
			kind = "key" // of sign-ins and grants: an id of a credential
		}
		if strings.HasPrefix(path, "/sessions/") {
			kind = "work"
		}
		parts[i] = x.things[kind]
	}
	if path == "/events" { // the reader's own; the same is a duplicate
		return path, strings.Replace(body, "{", `{"dedup_key":"`+rand.Text()+`",`, 1)
	}
	if strings.Contains(body, `"content"`) {
		return strings.Join(parts, "/"), body // it is the reader's own
	}
	if path == "/projects" || path == "/agents" { // the reader's own; no name can be had twice
		return path, strings.NewReplacer("website", loci.NewProjectID().String(), "reviewer",
			loci.NewProjectID().String()).Replace(body)
	}
	body = strings.NewReplacer("API gateway", x.marker+" API gateway", `"entities":["`+example,
		`"entities":["`+x.things["entity"], `"into":"`+example,
		`"into":"`+x.things["entity"], "0d9a1b3c-5e7f-4128-8c6d-1e2f3a4b5c6d", x.things["website"],
		"1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", x.things["gone"], `"workspace_id":"`+example,
		`"workspace_id":"`+x.things["workspace"], example, x.things["memory"], "loci_invite_4f2A", x.token,
		`"acme"`, `"`+x.marker+`"`, "noor@example.org", x.email, "mara@example.org", x.email, "deploy day", x.marker,
		`["ops"]`, `["`+x.marker+`"]`).Replace(body)
	return strings.Join(parts, "/"), body
}

// TestOtherOrgReadsAsAbsent fills two orgs for three vendors and sends every
// route of the document, as every reader of one, aimed at the other: nothing of
// the other is in any answer, and every answer is byte for byte that about
// things that never were. Agents see nothing of other vendors either.
func TestOtherOrgReadsAsAbsent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	doc := readDocument(t, s)
	alpha, bravo := s.tenant(t, "quartzite"), s.tenant(t, "hemlockdew")
	s.clock.freeze() // sessions stay fresh
	sent := 0
	for _, pair := range [][2]*tenant{{alpha, bravo}, {bravo, alpha}}[:random.Rounds(2, 1)] {
		us, them := pair[0], pair[1]
		readers := map[string]loci.Vendor{us.key: ""}
		for v, key := range us.agents {
			readers[key] = v
		}
		for _, reader := range append([]string{us.session}, sortedKeys(readers)...) {
			vendor := readers[reader]
			for _, path := range sortedKeys(doc.paths) {
				if strings.HasPrefix(path, "/api/v1") || path == "/users/me/sign-ins/end-others" {
					continue
				}
				for method, op := range doc.paths[path].(map[string]any) {
					body := exampleBody(op)
					method = strings.ToUpper(method)
					nobody := ghosts()
					ask := func(x *tenant) *httptest.ResponseRecorder {
						path, body := x.aims(path, body)
						return s.do(method, path, reader, body)
					}
					got, want := ask(them), ask(nobody)
					sent++
					us.sees(t, method+" "+path, got, them, vendor)
					compare := !strings.Contains(got.Body.String(), "uptime") && path != "/memories" &&
						path != "/agent/memories" && path != "/memories/bulk" || method == "DELETE"
					if text := swap(shown(got), them, nobody); compare && text != shown(want) {
						t.Errorf("%s %s as %s %q: what is in another org answers\n%s\nwhat never was\n%s", method, path, us.marker,
							vendor, text, shown(want))
					}
				}
			}
		}
	}
	if sent < 500 {
		t.Errorf("only %d requests were sent", sent)
	}
}

// sees demands that an answer has nothing of others in it, where it does not
// repeat what was asked for.
func (x *tenant) sees(t *testing.T, route string, w *httptest.ResponseRecorder, them *tenant, vendor loci.Vendor) {
	t.Helper()
	text := shown(w)
	for _, part := range []string{them.marker + " ", "@" + them.marker, `"` + them.marker + `"`, them.token} {
		echoed := strings.Contains(route, "/invite") || route == "POST /query" || route == "POST /memories" ||
			route == "POST /agent/memories"
		if strings.Contains(text, part) && !echoed {
			t.Errorf("%s as %s %q shows %q of the other org: %s", route, x.marker, vendor, part, text)
		}
	}
	for _, v := range someVendors {
		if vendor != "" && v != vendor && strings.Contains(text, name(x.marker, v)) {
			t.Errorf("%s as %s shows what is only for %s: %s", route, vendor, v, text)
		}
		if strings.Contains(text, name(them.marker, v)) {
			t.Errorf("%s as %s %q shows a memory of the other org: %s", route, x.marker, vendor, text)
		}
	}
}

// shown is an answer as the caller sees it, but for what differs always.
func shown(w *httptest.ResponseRecorder) string {
	n := &names{known: map[string]string{}, values: map[string]string{}, counts: map[string]int{}}
	return n.normalise(seal.ReplaceAllString(w.Body.String(), "id: x")) + "\n" + n.normalise(headers(w)) +
		"\n" + w.Result().Status
}

// swap replaces what an answer repeats of the request.
func swap(text string, from, to *tenant) string {
	return strings.NewReplacer(from.email, to.email, from.marker, to.marker).Replace(text)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
