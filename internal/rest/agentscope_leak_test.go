package rest_test

import (
	"context"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
)

// office is a server with agents of several vendors and people, and sessions of them.
type office struct {
	*server
	stranger loci.User
	hers     string // a key of the stranger's claude
	limited  string // a key of the owner's claude that is limited to a project
	sessions []loci.Session
	readers  map[string]loci.Principal
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{server: newServer(t), readers: map[string]loci.Principal{}}
	o.stranger = o.addUser(t, loci.DefaultOrg, "noor@loci.example", loci.Member)
	_, o.hers = o.key(t, loci.DefaultOrg, o.stranger.ID, auth.KeyRequest{Vendor: "claude"})
	_, o.limited = o.key(t, loci.DefaultOrg, o.owner.UserID, auth.KeyRequest{Vendor: "claude",
		ProjectIDs: []loci.ProjectID{loci.NewProjectID()}})
	for _, key := range []string{owner, claude, cursor, o.hers, o.limited} {
		p, err := o.auth.Authenticate(t.Context(), auth.Request{Bearer: loci.Secret(key)})
		if err != nil {
			t.Fatal(err)
		}
		o.readers[key] = p
	}
	open := func(key, agent, access string) loci.Session {
		body := `{"title":"hidden work",` + access + `}`
		if agent != "" {
			o.expect(t, 201, key, `POST /agents {"name":"`+agent+`"}`)
			body = `{"agent_id":"` + agent + `",` + body[1:]
		}
		var s loci.Session
		decode(t, o.expect(t, 201, key, "POST /sessions "+body), &s)
		o.sessions = append(o.sessions, s)
		return s
	}
	only := func(vendor string) string { return `"reach":"private","allowed_vendors":["` + vendor + `"]` }
	open(claude, "reviewer", only("claude"))
	open(claude, "writer", only("claude"))
	open(cursor, "critic", only("cursor"))
	open(o.hers, "reader", `"reach":"private"`)
	open(claude, "", only("claude"))                          // of no agent
	open(owner, "", `"reach":"private","allowed_vendors":[]`) // of no vendor
	o.sessions = append(o.sessions, o.again(t, "reviewer", only("claude")))
	closed := open(claude, "closed one", only("claude"))
	decode(t, o.expect(t, 200, claude, "POST /sessions/"+closed.ID.String()+"/close"), &closed)
	o.sessions[len(o.sessions)-1] = closed
	open(o.hers, "guide", `"reach":"org"`) // which everybody sees
	for i := range o.sessions {
		o.sessions[i].OrgID = loci.DefaultOrg // which no answer says
	}
	return o
}

// again creates another session of an agent of claude's.
func (o *office) again(t *testing.T, agent, access string) (s loci.Session) {
	t.Helper()
	decode(t, o.expect(t, 201, claude, `POST /sessions {"agent_id":"`+agent+`",`+access+`}`), &s)
	return s
}

// in sends "METHOD PATH BODY" as a part of a session.
func (s *server) in(session, key, request string) *httptest.ResponseRecorder {
	parts := append(strings.SplitN(request, " ", 3), "")
	return s.do(parts[0], parts[1], key, parts[2], "Loci-Session: "+session)
}

func whole(w *httptest.ResponseRecorder) string {
	return fmt.Sprintf("%d\n%s\n%s", w.Code, headers(w), w.Body)
}

// TestHiddenSessionsAreAbsent sends every route in sessions of others, and
// demands the very answer for a session that never was.
func TestHiddenSessionsAreAbsent(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	doc := readDocument(t, o.server)
	o.clock.freeze()
	refused := 0
	for _, path := range sortedKeys(doc.paths) {
		if strings.HasPrefix(path, "/api/v1") {
			continue
		}
		for method, op := range doc.paths[path].(map[string]any) {
			if openToAll(op) {
				continue
			}
			request := strings.ToUpper(method) + " " + walked(path) + " " + exampleBody(op)
			for key, p := range o.readers {
				want := whole(o.in(absent, key, request))
				if !strings.HasPrefix(want, "400\n") && !strings.HasPrefix(want, "403\n") {
					t.Errorf("%s in a session that never was: got %.200s", request, want)
				}
				for _, s := range o.sessions {
					if v := p.Viewer(); v.SeesSession(&s) {
						if s.State == loci.SessionClosed {
							refused++
							w := o.in(s.ID.String(), key, request)
							if strings.HasPrefix(request, "GET ") && strings.Contains(w.Body.String(), "session is closed") {
								t.Errorf("%s in a closed session: got %d %s", request, w.Code, w.Body)
							}
							saved := w.Code == 201 && w.Header().Get("Location") != ""
							if saved || strings.HasPrefix(request, "POST /agent/memories ") && w.Code != 409 && w.Code != 403 {
								t.Errorf("%s in a closed session: got %d %s", request, w.Code, w.Body)
							}
						}
						continue
					}
					refused++
					if got := whole(o.in(s.ID.String(), key, request)); got != want {
						t.Errorf("%s: a hidden session answers\n%s\none that never was\n%s", request, got, want)
					}
				}
			}
		}
	}
	if refused < 1000 {
		t.Errorf("only %d requests were sent", refused)
	}
}

// TestSessionsInBodiesAreThoseOfTheHeader names sessions in bodies and in queries.
func TestSessionsInBodiesAreThoseOfTheHeader(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.clock.freeze()
	mine, other, cursors := o.sessions[0].ID.String(), o.sessions[1].ID.String(), o.sessions[2].ID.String()
	save := func(session string) string {
		return `POST /agent/memories {"title":"t","content":"c","dedupe":"create","session_id":"` + session + `"}`
	}
	recall := func(session string) string {
		return `POST /memories/recall {"query":"c","session_id":"` + session + `"}`
	}
	for _, request := range []func(string) string{save, recall,
		func(session string) string { return "GET /memories/recall?query=c&session_id=" + session }} {
		never := whole(o.request(claude, request(absent)))
		if !strings.HasPrefix(never, "400\n") || !strings.Contains(never, `"field":"session_id"`) {
			t.Errorf("%s: %s", request(absent), never)
		}
		for _, hidden := range []string{cursors, o.sessions[3].ID.String(), o.sessions[5].ID.String()} {
			if got := whole(o.request(claude, request(hidden))); got != never {
				t.Errorf("%s: got\n%s\nwant\n%s", request(hidden), got, never)
			}
		}
		want := map[bool]int{true: 409, false: 200}[strings.HasPrefix(request(""), "POST /agent/memories ")]
		if w := o.request(claude, request(o.sessions[7].ID.String())); w.Code != want {
			t.Errorf("%s, which is closed: %d %s", request("…"), w.Code, w.Body)
		}
		if w := o.in(mine, claude, request(mine)); w.Code/100 != 2 {
			t.Errorf("%s in it: %d %s", request(mine), w.Code, w.Body)
		}
		absence := whole(o.in(mine, claude, request(absent)))
		for _, not := range []string{other, cursors} {
			if got := whole(o.in(mine, claude, request(not))); got != absence || !strings.HasPrefix(got, "400\n") {
				t.Errorf("%s in another: got\n%s\nwant\n%s", request(not), got, absence)
			}
		}
	}
	var m loci.Memory
	decode(t, o.expect(t, 201, claude, save(mine)), &m)
	if m.SessionID.String() != mine || m.EditorSessionID.String() != mine {
		t.Errorf("written in session %s: %+v", mine, m)
	}
}

// byIDInSession are routes about one memory; lists are those that find it by its tag.
var (
	byIDInSession = []string{"GET /agent/memories/%s", "GET /memories/%s", "GET /memories/%s/versions",
		"GET /memories/%s/sources", "GET /memories/%s/assets",
		"GET /memories/%s/diff?from=1", "GET /agent/memories/%s?include_superseded=true",
		`POST /memories/%s/sources {"sources":[{"kind":"session"}]}`, `PATCH /memories/%s {"importance":77}`}
	listsInSession = []string{
		`POST /agent/memories/by-tag {"tags":["TAG"]}`, `POST /agent/memories/browse {"filter":{"by":"ids","ids":["ID"]}}`,
		`POST /agent/memories/search {"term":"\"TAG\""}`,
		`POST /memories/recall {"query":"\"TAG\""}`, `GET /memories/recall?query=TAG&include_superseded=true`,
		`POST /query {"query":"zebra?","memory_filter":{"tags":["TAG"]}}`,
		`POST /query {"query":"zebra","memory_filter":{"ids":["ID"]}}`, "GET /agent/memories/latest?tag=TAG"}
)

// TestAgentScopeOverREST draws memories of agent scope, and demands that every
// route answers whoever is not in a session of that agent as if the memory had
// never been there, and finds it for whoever is.
func TestAgentScopeOverREST(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.clock.freeze()
	ctx := context.Background()
	found := 0
	rapid.Check(t, func(rt *rapid.T) {
		tag := wordOf(loci.NewMemoryID().String())
		of := o.sessions[rapid.IntRange(0, 3).Draw(rt, "agent")]
		writer := loci.Principal{Kind: loci.KindAgent, OrgID: loci.DefaultOrg, UserID: of.UserID,
			Vendor: loci.Vendor(of.Origin), Origin: of.Origin, AgentID: of.AgentID, SessionID: of.ID}
		vendors := rapid.SliceOfNDistinct(rapid.SampledFrom([]loci.Vendor{"*", "claude", "cursor", "other"}), 1, 3,
			rapid.ID).Draw(rt, "vendors")
		saved, err := o.app.Memory.Create(ctx, writer, memory.Draft{Title: "drawn " + tag, Content: "zebra " + tag,
			Tags: []string{tag}, AllowedVendors: vendors, Scope: loci.ScopeAgent})
		if err != nil {
			rt.Fatal(err)
		}
		m := &saved.Memory
		trashed := rapid.IntRange(0, 4).Draw(rt, "trashed") == 0
		if trashed {
			person := o.readers[owner]
			person.UserID, person.AgentID, person.SessionID = of.UserID, of.AgentID, of.ID
			gone, err := o.app.Memory.Trash(ctx, person, m.ID, 0)
			if err != nil {
				rt.Fatal(err)
			}
			m = &gone.Memory
		}
		there := rapid.Bool().Draw(rt, "in the session of the memory")
		keys := slices.DeleteFunc(slices.Sorted(maps.Keys(o.readers)), func(key string) bool {
			v := o.readers[key].Viewer()
			return there && !v.SeesSession(&of)
		})
		key := rapid.SampledFrom(keys).Draw(rt, "reader")
		v, session := o.readers[key].Viewer(), ""
		named := slices.DeleteFunc(slices.Clone(o.sessions), func(s loci.Session) bool {
			return !v.SeesSession(&s) || s.State == loci.SessionClosed || there && s.ID != of.ID
		})
		if i := rapid.IntRange(-1, len(named)-1).Draw(rt, "session"); there || i >= 0 {
			i = max(i, 0)
			session = named[i].ID.String()
			if v.Vendor == "" || string(v.Vendor) == named[i].Origin { // the agent is of the vendor that created the session
				v.AgentID = named[i].AgentID
			}
		}
		if o.checkAgentScope(rt, key, session, v, m, tag) {
			found++
		}
	})
	if found == 0 {
		t.Error("nobody ever found a memory")
	}
}

// checkAgentScope reports whether the reader sees the memory.
func (o *office) checkAgentScope(rt *rapid.T, key, session string, v loci.Viewer, m *loci.Memory, tag string) bool {
	life := loci.LiveOnly
	if v.Vendor == "" {
		life = loci.LiveOrTrash
	}
	visible, live := v.Sees(&m.Access, life, o.clock.Now()), v.Sees(&m.Access, loci.LiveOnly, o.clock.Now())
	hidden := !v.Sees(&m.Access, loci.AnyState, o.clock.Now())
	for _, route := range byIDInSession {
		got := o.in(session, key, fmt.Sprintf(route, m.ID))
		if hidden {
			want := o.in(session, key, fmt.Sprintf(route, absent))
			if whole(got) != whole(want) {
				rt.Fatalf("%s in session %q, %s: a hidden memory answers\n%s\nan absent one\n%s", key, session, route,
					whole(got), whole(want))
			}
		}
		if strings.HasPrefix(route, "GET /agent/memories/%s") && !strings.Contains(route, "?") &&
			visible != (got.Code == 200) {
			rt.Fatalf("%s in session %q, %s: got %d %s, visible: %v", key, session, route, got.Code, got.Body, visible)
		}
	}
	for _, route := range listsInSession {
		got := o.in(session, key, strings.NewReplacer("TAG", tag, "ID", m.ID.String()).Replace(route))
		if found := strings.Contains(got.Body.String(), `"id":"`+m.ID.String()+`"`); found != live {
			rt.Fatalf("%s in session %q, %s: found %v, want %v: %d %s", key, session, route, found, live, got.Code, got.Body)
		}
		if live {
			continue
		}
		want := o.in(session, key, strings.NewReplacer("TAG", wordOf(absent), "ID", absent).Replace(route))
		if got.Code != want.Code || got.Body.String() != want.Body.String() {
			rt.Fatalf("%s in session %q, %s: with a hidden memory\n%d %s\nwith none\n%d %s", key, session, route, got.Code,
				got.Body, want.Code, want.Body)
		}
	}
	if b := o.in(session, key, "GET /agent/briefing"); strings.Contains(b.Body.String(), tag) && !live {
		rt.Fatalf("%s in session %q: the briefing names a hidden memory: %s", key, session, b.Body)
	}
	return live
}

// TestClosingASessionEndsItsReach closes a session between two requests.
func TestClosingASessionEndsItsReach(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	s := o.sessions[0].ID.String()
	var m loci.Memory
	decode(t, o.in(s, claude, `POST /agent/memories {"title":"Habit","content":"zebra","scope":"agent"}`), &m)
	if m.AgentID != o.sessions[0].AgentID {
		t.Fatalf("got %+v", m)
	}
	get := "GET /agent/memories/" + m.ID.String()
	if w := o.in(s, claude, get); w.Code != 200 {
		t.Fatalf("in the session: %d %s", w.Code, w.Body)
	}
	if w := o.in(o.sessions[6].ID.String(), claude, get); w.Code != 200 {
		t.Errorf("in another session of the same agent: %d %s", w.Code, w.Body)
	}
	if w := o.in(s, owner, get); w.Code != 200 {
		t.Errorf("the person in the session: %d %s", w.Code, w.Body)
	}
	if w := o.in(s, claude, "POST /sessions/"+s+"/close"); w.Code != 200 {
		t.Fatalf("closing a session in it: %d %s", w.Code, w.Body)
	}
	for _, key := range []string{owner, claude} {
		if w := o.in(s, key, get); w.Code != 200 {
			t.Errorf("reading in the closed session: %d %s", w.Code, w.Body)
		}
		if w := o.in(s, key, "PATCH /agent/memories/"+m.ID.String()+` {"content":"x"}`); w.Code != 409 ||
			!strings.Contains(w.Body.String(), "the session is closed") {
			t.Errorf("writing in the closed session: %d %s", w.Code, w.Body)
		}
	}
	if w := o.request(claude, get); w.Code != 404 {
		t.Errorf("in no session: %d %s", w.Code, w.Body)
	}
	for _, about := range []string{"PATCH /sessions/" + s + ` {"title":"over"}`, "POST /sessions/" + s + "/close",
		`POST /sessions {"title":"the next one"}`, "POST /sessions/" + s + "/reopen"} {
		if w := o.in(s, claude, about); w.Code != 200 && w.Code != 201 {
			t.Errorf("%s in the closed session: %d %s", about, w.Code, w.Body)
		}
	}
	if w := o.in(s, claude, "PATCH /agent/memories/"+m.ID.String()+` {"content":"x"}`); w.Code != 200 {
		t.Errorf("writing in the reopened session: %d %s", w.Code, w.Body)
	}
}

// TestSessionsStayInTheirWorkspace divides the org after a session was opened.
func TestSessionsStayInTheirWorkspace(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := t.Context()
	boss := o.session(t, loci.DefaultOrg, o.owner.UserID, 0)
	o.expect(t, 200, boss, `PATCH /orgs/default {"workspaces":true}`)
	var second loci.Workspace
	decode(t, o.expect(t, 201, boss, `POST /orgs/default/workspaces {"name":"Second"}`), &second)
	o.expect(t, 204, boss, "PUT /orgs/default/workspaces/"+second.ID.String()+"/members/"+o.owner.UserID.String())
	var s loci.Session
	decode(t, o.expect(t, 201, claude, `POST /sessions {}`), &s)
	if s.WorkspaceID.IsZero() || s.WorkspaceID == second.ID {
		t.Fatalf("opened in workspace %s", s.WorkspaceID)
	}
	id, key := o.key(t, loci.DefaultOrg, o.owner.UserID, auth.KeyRequest{Vendor: "claude"})
	if w := o.in(s.ID.String(), key, "GET /whoami"); w.Code != 200 {
		t.Fatalf("in the same workspace: %d %s", w.Code, w.Body)
	}
	if err := o.app.Identity.EnterWorkspace(ctx, o.owner, id, second.ID); err != nil {
		t.Fatal(err)
	}
	o.clock.freeze()
	if got, want := whole(o.in(s.ID.String(), key, "GET /whoami")),
		whole(o.in(absent, key, "GET /whoami")); got != want || !strings.HasPrefix(got, "400\n") {
		t.Errorf("from another workspace: got\n%s\nwant\n%s", got, want)
	}
	if got, want := whole(o.request(key, "GET /sessions/"+s.ID.String())),
		whole(o.request(key, "GET /sessions/"+absent)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestHiddenSessionsHaveNoNames asks for sessions by id, by the beginning of their ids and by title, and lists them.
func TestHiddenSessionsHaveNoNames(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.clock.freeze()
	for key, p := range o.readers {
		v := p.Viewer()
		list := o.request(key, "GET /sessions?limit=500").Body.String()
		for _, s := range o.sessions {
			sees := v.SeesSession(&s)
			if found := strings.Contains(list, s.ID.String()); found != sees {
				t.Errorf("%s lists session %s: %v, want %v", key, s.ID, found, sees)
			}
			for _, route := range []string{"GET /sessions/%s", `PATCH /sessions/%s {"title":"x"}`, "POST /sessions/%s/close",
				"POST /sessions/%s/reopen"} {
				for _, cut := range []int{36, loci.ShortID} {
					ask := func(id string) string { return whole(o.request(key, fmt.Sprintf(route, id[:cut]))) }
					if got, want := ask(s.ID.String()), ask(absent); !sees && got != want {
						t.Errorf("%s, %s: got\n%s\nwant\n%s", key, route, got, want)
					}
				}
			}
		}
	}
	for key, code := range map[string]int{claude: 400, cursor: 400, o.limited: 404} { // several of that title, or none
		if w := o.request(key, "GET /sessions/x"); w.Code != code {
			t.Errorf("%s: got %d %s, want %d", key, w.Code, w.Body, code)
		}
	}
	o.expect(t, 200, o.hers, "GET /sessions/"+o.sessions[8].ID.Short())
}

// TestAgentsOfTheOrgAreSeenByAll gets the agents of each by id and by name.
func TestAgentsOfTheOrgAreSeenByAll(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, key := range []string{owner, claude, cursor, o.hers} {
		list := o.request(key, "GET /agents?limit=500").Body.String()
		for _, name := range []string{"reviewer", "writer", "critic", "reader", "closed%20one", "guide"} {
			var a loci.Agent
			decode(t, o.expect(t, 200, key, "GET /agents/"+name), &a)
			o.expect(t, 200, key, "GET /agents/"+a.ID.String())
			o.expect(t, 200, key, "GET /agents/"+name+"/stats")
			if !strings.Contains(list, a.ID.String()) {
				t.Errorf("%s does not list agent %s", key, name)
			}
		}
	}
	if list := o.request(o.limited, "GET /agents").Body.String(); !strings.Contains(list, `"agents":[]`) {
		t.Errorf("a key of projects lists %s", list)
	}
	for _, route := range []string{"GET /agents/%s", "GET /agents/%s/stats", `PATCH /agents/%s {"name":"x"}`} {
		if got, want := whole(o.request(o.limited, fmt.Sprintf(route, "reviewer"))), whole(o.request(o.limited,
			fmt.Sprintf(route, "nobody"))); got != want || !strings.HasPrefix(got, "404\n") {
			t.Errorf("a key of projects, %s: got\n%s\nwant\n%s", route, got, want)
		}
	}
}
