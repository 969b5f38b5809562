package rest_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/rest"
)

// once sends "METHOD PATH BODY" under an Idempotency-Key.
func (s *server) once(key, under, request string) *httptest.ResponseRecorder {
	method, rest, _ := strings.Cut(request, " ")
	path, body, _ := strings.Cut(rest, " ")
	return s.do(method, path, key, body, "Idempotency-Key: "+under)
}

// replayed demands that the second request was not carried out, and that its answer is the first one, or the row that
// the first one made or changed.
func replayed(tb testing.TB, first, second *httptest.ResponseRecorder) {
	tb.Helper()
	if !repeats(tb, first, second) {
		tb.Errorf("got %s %s after %s", second.Header().Get("Content-Type"), second.Body, first.Body)
	}
}

// named is replayed for an answer of which Loci keeps only the id of what was made.
func named(tb testing.TB, first, second *httptest.ResponseRecorder) {
	tb.Helper()
	if repeats(tb, first, second) {
		return
	}
	var made struct{ ID string }
	decode(tb, first, &made)
	want := `{"replayed":true}`
	if made.ID != "" {
		want = `{"replayed":true,"target":"` + made.ID + `"}`
	}
	if got := strings.TrimSpace(second.Body.String()); got != want ||
		second.Header().Get("Content-Type") != "application/vnd.loci.replayed+json" {
		tb.Errorf("got %s %s, want %s", second.Header().Get("Content-Type"), got, want)
	}
}

// repeats demands that the second request was not carried out, and reports whether its answer has what the first has.
func repeats(tb testing.TB, first, second *httptest.ResponseRecorder) bool {
	tb.Helper()
	if first.Header().Get("Idempotency-Replayed") != "" || second.Header().Get("Idempotency-Replayed") != "true" {
		tb.Errorf("Idempotency-Replayed: %q, then %q", first.Header().Get("Idempotency-Replayed"),
			second.Header().Get("Idempotency-Replayed"))
	}
	if first.Code != second.Code {
		tb.Errorf("got %d %s after %d %s", second.Code, second.Body, first.Code, first.Body)
	}
	if first.Code == 204 {
		return true
	}
	var made, now struct {
		ID, Title, Name string
		Version         int
	}
	decode(tb, first, &made)
	decode(tb, second, &now)
	sameRow := now == made && made.ID != "" && second.Header().Get("ETag") == first.Header().Get("ETag")
	return second.Header().Get("Content-Type") == first.Header().Get("Content-Type") &&
		(sameRow || first.Body.String() == second.Body.String())
}

// notRepeated are the routes whose repetition has only an id, and why.
var notRepeated = map[string]string{
	"/keys": "a secret", "/keys/{id}/rotate": "a secret", "/orgs/{id}/invite": "secrets", "/teams/{id}/invite": "secrets",
	"/teams/join": "takes a secret", "/users/me/passkeys": "proves a secret", "/admin/orgs": "the first password",
	"/context/reflect": "texts that Loci need not store",
}

var titles = regexp.MustCompile(`"title":"[^"]+"`)

// TestRepeatedPosts sends what makes and changes things twice: the second answer is the first one, and nothing is there
// twice. Every route that takes a key is among them or in notRepeated. "x: POST …" makes {x} the id in the answer.
func TestRepeatedPosts(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.clock.freeze()
	g := s.graph(t, owner, "garden", "")
	graph := "/projects/" + g.project + "/graph"
	m := s.write(t, owner, `{"title":"t","content":"c"}`)
	s.addTeam(t, loci.DefaultOrg, "Rhinos", s.owner.UserID)
	noor := s.addUser(t, loci.DefaultOrg, "noor@loci.example", loci.Member)
	okapis := s.addTeam(t, loci.DefaultOrg, "Okapis", s.addUser(t, loci.DefaultOrg, "ada@loci.example", loci.Member).ID,
		noor.ID)
	owners := s.session(t, loci.DefaultOrg, s.owner.UserID, 0)
	noors := s.session(t, loci.DefaultOrg, noor.ID, 0)
	operator := s.session(t, "ops", s.instanceAdmin(t, "ops").ID, 0)
	id := map[string]string{"{m}": m.ID.String(), "{team}": okapis.ID.String(), "{graph}": graph, "{project}": g.project,
		"{website}": g.website, "{gateway}": g.gateway, "{org}": string(loci.DefaultOrg),
		"{s0}": s.secret(t, "hunter2-Xy7qPw"),
		"{s1}": s.secret(t, "f9X!kq-22pLm")}
	candidates, _ := s.candidates(t, claude, "decision: Deploy on Tuesdays", "idea: Try canaries",
		"plan: Write the runbook",
		"claim: It rains", "idea: Ship the okapi")
	for i, c := range candidates {
		id[fmt.Sprintf("{c%d}", i)] = c.ID.String()
	}
	sent := map[string]bool{}
	for i, line := range []string{
		"POST /memories/{m}/share", "POST /memories/{m}/unshare", `POST /agent/team/share {"memory_id":"{m}"}`,
		`POST /projects {"name":"orchard"}`, `POST /tasks {"project":"{project}","title":"Sweep"}`,
		`POST /events {"content":"planted garlic"}`,
		`POST {graph}/entities {"entities":[{"name":"proxy","entity_type":"service","observations":["new","newer",` +
			`"password: hunter2!x9"]},{"name":"API gateway","entity_type":"service","observations":["Listens on port 8443"]}]}`,
		`POST {graph}/entities {"entities":[{"name":"API gateway","entity_type":"service"}]}`,
		`POST {graph}/observations {"observations":[{"entity_name":"proxy","contents":["new","newest"]}]}`,
		`POST {graph}/relations {"relations":[{"from":"proxy","to":"website","relation_type":"serves"},` +
			`{"from":"website","to":"API gateway","relation_type":"uses"}]}`,
		`POST {graph}/relations/delete {"relations":[{"from":"proxy","to":"website","relation_type":"serves"}]}`,
		`POST {graph}/observations/delete {"deletions":[{"entity_name":"proxy","observations":["newest"]}]}`,
		`POST {graph}/entities/delete {"names":["website"]}`, `POST {graph}/restore {"entities":["{website}"]}`,
		`POST {graph}/merge {"from":"{website}","into":"{gateway}"}`,
		`POST {graph}/import {"type":"entity","name":"tree","entityType":"plant","observations":["tall"]}`,
		"POST /projects/{project}/archive", "POST /projects/{project}/restore",
		`POST /memories {"title":"kept","content":"once"}`,
		`POST /memories {"title":"kept","content":"once","similar":false}`,
		`POST /agent/memories {"title":"kept","content":"once"}`,
		`POST /memories/bulk {"operations":[{"op":"create","memory":{"title":"b","content":"bulky"}}]}`,
		"POST /memories/{m}/assets?name=a.txt bytes", "POST /memories/{m}/assets?name=a.txt bytes",
		`POST /memories/{m}/sources {"sources":[{"kind":"url","ref":"https://x.example"}]}`,
		`POST /memories/{m}/revert {"version":1}`, "restored: DELETE /memories/{m}", "POST /memories/{m}/restore",
		`node: POST /memory-nodes {"name":"n"}`, `POST /memory-nodes/{node}/items {"kind":"text","text":"t"}`,
		`POST /memory-nodes/{node}/items {"kind":"memory","memory_id":"{m}"}`,
		"node: DELETE /memory-nodes/{node}", "POST /memory-nodes/{node}/restore",
		`POST /golden {"question":"x?","expected":["{m}"]}`, "POST /golden/run",
		`agent: POST /agents {"name":"reviewer"}`, `session: POST /sessions {"title":"first"}`,
		"POST /sessions/{session}/close", "POST /sessions/{session}/reopen",
		"POST /review/candidates/{c0}/accept {}", "POST /review/candidates/{c0}/undo {}",
		"POST /review/candidates/{c0}/reject {}", "POST /review/candidates/{c1}/archive {}",
		`POST /review/candidates/{c2}/merge {"others":["{c3}"]}`, "POST /review/candidates/{c2}/defer {}",
		`POST /review/bulk {"action":"reject","ids":["{c4}","{c0}"]}`,
		"POST /suggestions/{s0}/accept {}", "POST /suggestions/{s1}/decline {}", "POST /dream {}",
		`POST /orgs/{org}/workspaces {"name":"lab"}`,
		"POST /teams/{team}/leave", `POST /teams {"name":"Zebras"}`,
		`POST /undo {"origin":"api","since":"2020-01-01T00:00:00Z"}`,
		"POST /admin/backups",
		"POST /users/me/sign-ins/end-others",
	} {
		name, request, _ := strings.Cut(line, ": ")
		if strings.Contains(name, " ") {
			name, request = "", line
		}
		for from, to := range id {
			request = strings.ReplaceAll(request, from, to)
		}
		key := owner
		switch path := strings.Fields(request)[1]; {
		case path == "/undo":
			key = owners
		case strings.HasPrefix(path, "/teams"):
			key = noors
		case strings.HasPrefix(path, "/admin"):
			key = operator
		}
		under := "number " + strconv.Itoa(i)
		first := s.once(key, under, request)
		if first.Code >= 300 {
			t.Fatalf("%s: %d %s", request, first.Code, first.Body)
		}
		if name != "" {
			var made struct{ ID string }
			decode(t, first, &made)
			id["{"+name+"}"] = made.ID
		}
		if method, path, _ := strings.Cut(request, " "); method == "POST" {
			path, _, _ = strings.Cut(path, " ")
			path, _, _ = strings.Cut(path, "?")
			sent[path] = true
			t.Run(request[:min(len(request), 60)], func(t *testing.T) {
				if path == "/undo" || path == "/review/bulk" { // their titles do not come again
					first.Body = bytes.NewBuffer(titles.ReplaceAll(first.Body.Bytes(), []byte(`"title":""`)))
				}
				replayed(t, first, s.once(key, under, request))
			})
		}
	}
	if got := s.expect(t, 200, owner, "GET /projects").Body.String(); strings.Count(got, "orchard") != 1 {
		t.Errorf("the project is not there once: %s", got)
	}
	for path, item := range readDocument(t, s).paths {
		parameters, _ := at(item.(map[string]any)["post"], "parameters").([]any)
		takes := slices.ContainsFunc(parameters, func(p any) bool { return at(p, "name") == "Idempotency-Key" })
		like := regexp.MustCompile("^" + regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "[^/]+") + "$")
		once := slices.ContainsFunc(slices.Collect(maps.Keys(sent)), like.MatchString)
		if !strings.HasPrefix(path, "/api/v1") && takes && once == (notRepeated[path] != "") {
			t.Errorf("POST %s: repeated by this test: %v, cannot be repeated because it answers %q", path, once,
				notRepeated[path])
		}
	}
}

// TestARepetitionIsTheRow repeats requests that make one row: the answer is the row as it is now.
func TestARepetitionIsTheRow(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for under, request := range map[string]string{
		"memory": `POST /memories {"title":"first","content":"okapi"}`, "project": `POST /projects {"name":"orchard"}`,
		"session": `POST /sessions {"title":"first"}`, "agent": `POST /agents {"name":"reviewer"}`,
	} {
		first, second := s.once(owner, under, request), s.once(owner, under, request)
		var made, now struct{ ID, Title, Name string }
		decode(t, first, &made)
		decode(t, second, &now)
		if made.ID == "" || now != made || second.Header().Get("Idempotency-Replayed") != "true" ||
			second.Code != first.Code {
			t.Errorf("%s: %d %s after %d %s", under, second.Code, second.Body, first.Code, first.Body)
		}
		if under == "memory" {
			s.expect(t, 200, owner, "PATCH /memories/"+made.ID+` {"title":"second"}`)
			if again := s.once(owner, under, request); !strings.Contains(again.Body.String(), `"second"`) ||
				again.Header().Get("ETag") != `"2"` {
				t.Errorf("after a change: %s %s", again.Header().Get("ETag"), again.Body)
			}
		}
	}
}

// TestRepetitionNeedsTheRight repeats requests of a person who has left the project or is no admin any more.
func TestRepetitionNeedsTheRight(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.clock.freeze()
	noor := s.addUser(t, loci.DefaultOrg, "noor@example.org", loci.MemberAdmin)
	hers := s.session(t, loci.DefaultOrg, noor.ID, 0)
	boss := s.session(t, loci.DefaultOrg, s.owner.UserID, 0)
	member := "/projects/" + s.graph(t, owner, "garden", "").project + "/members/" + noor.ID.String()
	s.expect(t, 204, owner, "PUT "+member+` {"role":"member"}`)
	for _, tt := range []struct {
		request, loss string
		lost, code    int
	}{
		{"POST " + strings.Replace(member, "/members/"+noor.ID.String(), "/graph/entities/delete", 1) +
			` {"names":["nothing"]}`, "DELETE " + member, 204, 404},
		{`POST /orgs/default/workspaces {"name":"First"}`, "PATCH /orgs/default/members/" + noor.ID.String() +
			` {"role":"member"}`, 200, 403},
	} {
		first := s.once(hers, tt.request, tt.request)
		s.expect(t, tt.lost, boss, tt.loss)
		if again := s.once(hers, tt.request, tt.request); first.Code >= 300 || again.Code != tt.code {
			t.Errorf("%s: %d, then %d %s", tt.request, first.Code, again.Code, again.Body)
		}
	}
}

// TestARepetitionByAWriterReadsNothing requires an id for a repetition by a credential that only writes, and no
// rejected read in the audit trail.
func TestARepetitionByAWriterReadsNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.clock.freeze()
	_, writes := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Rights: []loci.Right{loci.RightWrite}})
	save := `POST /memories {"title":"kept","content":"okapi"}`
	named(t, s.once(writes, "save", save), s.once(writes, "save", save))
	if got := s.denials(t, loci.DefaultOrg); len(got) > 0 {
		t.Errorf("the audit trail has rejected %v", got)
	}
}

// TestRepetitionRevivesNothing repeats requests whose result is gone meanwhile.
func TestRepetitionRevivesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(_ *rest.Options, o *app.Options) { o.Deletion = loci.DeleteWithKey })
	g := s.graph(t, owner, "garden", "")
	graph := "/projects/" + g.project + "/graph"
	request := "POST " + graph +
		`/entities {"entities":[{"name":"proxy","entity_type":"service","observations":["zebra"]}]}`
	if w := s.once(owner, "k", request); w.Code != 201 {
		t.Fatal(w.Body)
	}
	s.expect(t, 200, owner, "POST "+graph+`/entities/delete {"names":["proxy"]}`)
	if w := s.once(owner, "k", request); w.Code != 201 || strings.Contains(w.Body.String(), "zebra") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if w := s.expect(t, 200, owner, "GET "+graph+"/search?q=zebra"); strings.Contains(w.Body.String(), "zebra\"") {
		t.Errorf("the repetition brought it back: %s", w.Body)
	}
	two := "POST " + graph + `/entities {"entities":[{"name":"hidden one","entity_type":"service"},` +
		`{"name":"open one","entity_type":"service"}]}`
	var put client.PutEntities
	decode(t, s.once(claude, "two", two), &put)
	s.expect(t, 200, owner, "PUT "+graph+`/vendors {"allowed_vendors":["cursor"],"entities":["`+
		put.Entities[0].ID.String()+`"]}`)
	if w := s.once(claude, "two", two); w.Code != 201 || !strings.Contains(w.Body.String(), `{"replayed":true}`) {
		t.Errorf("one is hidden meanwhile: got %d %s", w.Code, w.Body)
	}
	var n loci.MemoryNode
	decode(t, s.once(owner, "node", `POST /memory-nodes {"name":"zebras"}`), &n)
	s.expect(t, 200, owner, "DELETE /memory-nodes/"+n.ID.String())
	if w := s.once(owner, "node", `POST /memory-nodes {"name":"zebras"}`); strings.Contains(w.Body.String(), "zebras") {
		t.Errorf("a node in the trash: %s", w.Body)
	}
	save := `POST /memories {"title":"t","content":"okapi"}`
	var saved loci.Memory
	first := s.once(owner, "save", save)
	decode(t, first, &saved)
	s.expect(t, 204, owner, "DELETE /memories/"+saved.ID.String()+"?permanent=true")
	named(t, first, s.once(owner, "save", save))
	s.expect(t, 404, owner, "GET /memories/"+saved.ID.String())
}

// TestARepeatedUpdateIsOne demands 200 for a save under a key that was there.
func TestARepeatedUpdateIsOne(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.expect(t, 201, owner, `POST /memories {"key":"k","title":"t","content":"one"}`)
	update := `POST /memories {"key":"k","title":"t","content":"two"}`
	first := s.once(owner, "k", update)
	if first.Code != 200 {
		t.Fatal(first.Body)
	}
	replayed(t, first, s.once(owner, "k", update))
}

// TestDryRunsAreRepeated: a key does not keep them from being made again.
func TestDryRunsAreRepeated(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	fresh := s.session(t, loci.DefaultOrg, s.owner.UserID, time.Minute)
	for range 2 {
		w := s.once(fresh, "k", `POST /undo {"origin":"cursor","since":"2026-01-01T00:00:00Z","dry_run":true}`)
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"undone"`) {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	}
}

func TestOneKeyForOneRequest(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	if w := s.once(owner, "k", `POST /projects {"name":"one"}`); w.Code != 201 {
		t.Fatal(w.Body)
	}
	if w := s.once(owner, "k", `POST /projects {"name":"two"}`); w.Code != 409 || !strings.Contains(w.Body.String(),
		"different request") {
		t.Errorf("another body under the same key: got %d %s", w.Code, w.Body)
	}
	// A key is one sender's, and one route's.
	_, mine := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{})
	if w := s.once(mine, "k", `POST /projects {"name":"two"}`); w.Code != 201 ||
		w.Header().Get("Idempotency-Replayed") != "" {
		t.Errorf("another credential: got %d %s", w.Code, w.Body)
	}
	if w := s.once(owner, "k", `POST /memories/list {}`); w.Code != 200 {
		t.Errorf("another route: got %d %s", w.Code, w.Body)
	}
	// What failed may be sent again, also with another body.
	if w := s.once(owner, "failing", `POST /projects {"name":"one"}`); w.Code != 409 {
		t.Fatal(w.Body)
	}
	if w := s.once(owner, "failing", `POST /projects {"name":"three"}`); w.Code != 201 {
		t.Errorf("after a failure: got %d %s", w.Code, w.Body)
	}
	for _, bad := range []string{strings.Repeat("k", 256), "ä"} {
		if w := s.once(owner, bad, `POST /projects {"name":"four"}`); w.Code != 400 || !strings.Contains(w.Body.String(),
			`"Idempotency-Key"`) {
			t.Errorf("%q: got %d %s", bad, w.Code, w.Body)
		}
	}
	if w := s.do("GET", "/projects", owner, "", "Idempotency-Key: "+strings.Repeat("k", 256)); w.Code != 200 {
		t.Errorf("a GET: got %d %s", w.Code, w.Body)
	}
	// A day later the key is forgotten, by the daily job; until then it holds.
	s.clock.advance(23 * time.Hour)
	if w := s.once(owner, "k", `POST /projects {"name":"one"}`); w.Header().Get("Idempotency-Replayed") != "true" {
		t.Errorf("after 23 hours: got %d %s", w.Code, w.Body)
	}
}

func TestSecretsAreNotRepeated(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	browser := s.session(t, loci.DefaultOrg, s.owner.UserID, 0)
	first := s.once(browser, "k", `POST /keys {"name":"a key"}`)
	if first.Code != 201 {
		t.Fatal(first.Body)
	}
	second := s.once(browser, "k", `POST /keys {"name":"a key"}`)
	if second.Code != 201 || strings.Contains(second.Body.String(), "loci_key") {
		t.Errorf("got %d %s", second.Code, second.Body)
	}
	if got := s.expect(t, 200, browser, "GET /keys").Body.String(); strings.Count(got, `"a key"`) != 1 {
		t.Errorf("the key was made twice: %s", got)
	}
}

// TestAtOnceUnderOneKey sends one request many times at once: it is carried out
// once, and whoever comes too early is told to come again.
func TestAtOnceUnderOneKey(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var group sync.WaitGroup
	answers := make([]*httptest.ResponseRecorder, 16)
	for i := range answers {
		group.Go(func() { answers[i] = s.once(owner, "k", `POST /projects {"name":"once"}`) })
	}
	group.Wait()
	fresh := 0
	for _, w := range answers {
		switch {
		case w.Code == 201 && w.Header().Get("Idempotency-Replayed") == "":
			fresh++
		case w.Code == 201, w.Code == 409 && strings.Contains(w.Body.String(), "being carried out"):
		default:
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	}
	if fresh != 1 {
		t.Errorf("%d of them made the project", fresh)
	}
}

// TestEveryPostTakesAKey sends an Idempotency-Key to every POST route of the
// document. A route that only reads does not document it.
func TestEveryPostTakesAKey(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	reads := []string{"/memories/list", "/memories/recall", "/query", "/graph/open", "/by-tag", "/browse", "/search",
		"/agent/memories/list", "/context", "/verify", "/passkeys/options"}
	for path, item := range readDocument(t, s).paths {
		op, ok := item.(map[string]any)["post"]
		if !ok || openToAll(op) {
			continue
		}
		documented := false
		parameters, _ := at(op, "parameters").([]any)
		for _, p := range parameters {
			documented = documented || at(p, "name") == "Idempotency-Key"
		}
		want := !slices.ContainsFunc(reads, func(end string) bool { return strings.HasSuffix(path, end) })
		if documented != want {
			t.Errorf("POST %s documents Idempotency-Key: %v, want %v", path, documented, want)
		}
	}
}
