package rest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// TestSecretsOfMemories saves secrets as an assistant. Lists mask them until their owner, who sees them in their inbox
// and the assistant does not, keeps or removes them.
func TestSecretsOfMemories(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const secret = "Kx92mmQQtulip"
	saved := func(key, request string) (m loci.Saved) {
		t.Helper()
		w := s.request(key, request)
		if decode(t, w, &m); w.Code > 201 || len(m.Secrets) != 1 || m.Secrets[0] != "password" ||
			!strings.Contains(m.Hint, "has a secret (password)") || strings.Contains(m.Hint, secret) {
			t.Fatalf("%s: %d %s", request, w.Code, w.Body)
		}
		return m
	}
	m := saved(claude, `POST /agent/memories {"title":"Staging","content":"The password is `+secret+`."}`)
	at := "/memories/" + m.ID.String()
	saved(claude, `PATCH /agent`+at+` {"tags":["`+secret+`"]}`)
	saved(owner, `PUT `+at+` {"title":"Staging host","content":"The password is `+secret+`, says Ada.","tags":[],`+
		`"allowed_vendors":["*"]}`)
	pending := func(key string) (list []loci.Suggestion) {
		t.Helper()
		w := s.request(key, "GET /suggestions?state=pending")
		var got client.SuggestionList
		if decode(t, w, &got); w.Code != 200 || strings.Contains(w.Body.String(), secret) {
			t.Errorf("suggestions: %d %s", w.Code, w.Body)
		}
		return got.Suggestions
	}
	shows := func(request string, key string, want bool) {
		t.Helper()
		if w := s.request(key, request); w.Code != 200 || strings.Contains(w.Body.String(), secret) != want {
			t.Errorf("%s: %d %s, want the secret: %v", request, w.Code, w.Body, want)
		}
	}
	lists := func(want bool) {
		t.Helper()
		for _, request := range []string{"GET /memories",
			`POST /memories/list {"filter":{"by":"origin","origin":"claude"}}`} {
			shows(request, owner, want)
		}
		shows(`POST /agent/memories/list {}`, claude, want)
	}
	inbox := pending(owner)
	if len(inbox) != 1 || inbox[0].Kind != loci.SuggestSecret || inbox[0].MemoryID != m.ID ||
		inbox[0].Origin != "claude" || inbox[0].Memory.Secrets[0] != "password" ||
		!strings.Contains(inbox[0].Memory.Text, "The password is [secret], says Ada.") {
		t.Fatalf("got %+v", inbox)
	}
	if list := pending(claude); len(list) > 0 {
		t.Errorf("an assistant sees %+v", list)
	}
	lists(false)
	shows("GET "+at, owner, true)
	shows("GET /agent"+at, claude, true)
	shows("GET /memories?q=staging", owner, true)
	settle := func(how string) string { return "POST /suggestions/" + pending(owner)[0].ID.String() + "/" + how }
	if w := s.request(claude, settle("accept")); w.Code != 403 {
		t.Errorf("an assistant: %d %s", w.Code, w.Body)
	}
	if w := s.request(owner, settle("decline")); w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	lists(true)
	kept := "POST /suggestions/" + inbox[0].ID.String()
	s.expect(t, 409, owner, kept+"/decline")
	saved(owner, `PATCH `+at+` {"content":"Its new password is Lw37ppZZrose."}`)
	lists(false)
	if w := s.request(owner, kept+"/accept"); w.Code != 200 || !strings.Contains(w.Body.String(), "Backups") ||
		len(pending(owner)) > 0 { // what was kept is removed with what came later
		t.Fatal(w.Code, w.Body, pending(owner))
	}
	s.expect(t, 409, owner, kept+"/accept")
	for _, request := range []string{"GET " + at, "GET " + at + "/versions", "GET /memories?q=" + secret} {
		shows(request, owner, false)
	}
	if w := s.request(owner, "GET "+at); !strings.Contains(w.Body.String(),
		"Its new password is [secret removed].") {
		t.Error(w.Body)
	}
}

// TestSecretsOfEvents logs secrets in one event, in a list and in a stream. They are in the inbox of the person alone,
// who removes one.
func TestSecretsOfEvents(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const secret = "Kx92mmQQtulip"
	body := s.expect(t, 201, claude, `POST /events {"content":"The password is `+secret+`, says Ada."}`).Body.String()
	logged := []string{body, s.expect(t, 201, claude, `POST /events {"events":[{"content":"A deploy"},{"content":"We use `+
		`it.","metadata":{"reasoning":"The password is `+secret+`"}}]}`).Body.String(),
		s.do("POST", "/events", claude, `{"content":"Its password is `+secret+`"}`, lines).Body.String()}
	for _, answer := range logged {
		if !strings.Contains(answer, `"secrets":["password"]`) {
			t.Errorf("got %s", answer)
		}
	}
	inbox := func(key string) (list []loci.Suggestion) {
		t.Helper()
		w := s.expect(t, 200, key, "GET /suggestions?state=pending")
		var got client.SuggestionList
		if decode(t, w, &got); strings.Contains(w.Body.String(), secret) {
			t.Errorf("the inbox shows %s", w.Body)
		}
		return got.Suggestions
	}
	list := inbox(owner)
	if len(list) != 3 || len(inbox(claude)) > 0 {
		t.Fatalf("the person has %+v, the assistant %+v", list, inbox(claude))
	}
	first := list[2]
	if first.Kind != loci.SuggestSecret || first.Row == nil || first.Row.Kind != loci.RowEvent ||
		first.Row.Excerpt.Text != "The password is [secret], says Ada." || first.Row.Excerpt.Secrets[0] != "password" ||
		!strings.Contains(list[1].Row.Excerpt.Text, `{"reasoning":"The password is [secret]"}`) {
		t.Errorf("got %+v", first.Row)
	}
	accept := "POST /suggestions/" + first.ID.String() + "/accept"
	s.expect(t, 403, claude, accept)
	if w := s.expect(t, 200, owner, accept); !strings.Contains(w.Body.String(), "Backups") {
		t.Error(w.Body)
	}
	s.expect(t, 409, owner, accept)
	if w := s.expect(t, 200, claude, "GET /events/"+first.Row.ID.String()); !strings.Contains(w.Body.String(),
		"The password is [secret removed], says Ada.") {
		t.Error(w.Body)
	}
	var settled client.SuggestionList
	decode(t, s.expect(t, 200, owner, "GET /suggestions?state=accepted"), &settled)
	if list := inbox(owner); len(list) != 2 || len(settled.Suggestions) != 1 || settled.Suggestions[0].ID != first.ID {
		t.Errorf("left: %+v, accepted: %+v", list, settled.Suggestions)
	}
	for _, how := range []string{"/decline", "/accept"} {
		s.expect(t, 200, owner, "POST /suggestions/"+list[1].ID.String()+how)
	}
	if w := s.expect(t, 200, claude, "GET /events/"+list[1].Row.ID.String()); strings.Contains(w.Body.String(), secret) {
		t.Error("kept and then removed:", w.Body)
	}
}

// TestSecretsOfGraphs stores secrets in a graph in every way. They are in the inbox of the person alone. A person of
// the project does not see the secrets of another's rows there.
func TestSecretsOfGraphs(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const secret, other = "Kx92mmQQtulip", "Lw37ppZZrose"
	g := "/projects/" + s.graph(t, owner, "infra", "").project + "/graph"
	for _, request := range []string{
		g + `/entities {"entities":[{"name":"db password","entity_type":"host","observations":["` + secret + `","big"]}]}`,
		g + `/entities {"entities":[{"name":"the password is ` + other + `","entity_type":"note"}]}`,
		g + `/observations {"observations":[{"entity_name":"db password","contents":["Say ` + secret + ` there.",` +
			`"The password is ` + secret + `!"]}]}`,
		g + `/relations {"relations":[{"from":"db password","to":"db password","relation_type":"has password: ` + secret +
			`"}]}`,
	} {
		if w := s.request(owner, "POST "+request); w.Code != 201 || !strings.Contains(w.Body.String(),
			`"secrets":["password"]`) {
			t.Errorf("%s: %d %s", request, w.Code, w.Body)
		}
	}
	inbox := func(key string) (list []loci.Suggestion) {
		t.Helper()
		w := s.expect(t, 200, key, "GET /suggestions?state=pending")
		var got client.SuggestionList
		if decode(t, w, &got); strings.Contains(w.Body.String(), secret) || strings.Contains(w.Body.String(), other) {
			t.Errorf("the inbox shows %s", w.Body)
		}
		return got.Suggestions
	}
	list := inbox(owner)
	if len(list) != 4 || len(inbox(claude)) > 0 || list[3].Graph == nil ||
		list[3].Graph.Rows[0].Text != "db password: [secret]" || list[3].Graph.Rows[0].Secrets[0] != "password" {
		t.Fatalf("the person has %+v, the assistant %+v", list, inbox(claude))
	}
	accept := "POST /suggestions/" + list[3].ID.String() + "/accept"
	s.expect(t, 403, claude, accept)
	if w := s.expect(t, 200, owner, accept); !strings.Contains(w.Body.String(), "Backups") {
		t.Error(w.Body)
	}
	s.expect(t, 409, owner, accept)
	if w := s.expect(t, 200, owner, "GET "+g); strings.Contains(w.Body.String(), secret) ||
		!strings.Contains(w.Body.String(), "has password: [secret removed]") ||
		!strings.Contains(w.Body.String(), "Say [secret removed] there.") {
		t.Error(w.Body)
	}
	list = inbox(owner) // the same passage has left all rows
	if len(list) != 1 || list[0].Graph.Rows[0].Kind != "entity" {
		t.Fatalf("left: %+v", list)
	}
	s.expect(t, 200, owner, "POST /suggestions/"+list[0].ID.String()+"/decline")
	if w := s.expect(t, 200, owner, "GET "+g); !strings.Contains(w.Body.String(), `"secrets_kept":true`) ||
		!strings.Contains(w.Body.String(), other) || len(inbox(owner)) > 0 {
		t.Error(w.Body, inbox(owner))
	}
	s.expect(t, 200, owner, "POST /suggestions/"+list[0].ID.String()+"/accept")
	if w := s.expect(t, 200, owner, "GET "+g); strings.Contains(w.Body.String(), other) {
		t.Error("kept and then removed:", w.Body)
	}
}

// TestSecretsOfNodes stores secrets in a memory node, in its items and in tasks. Lists and packs mask them, and reads
// show them. They are in the inbox of the person alone, who removes or keeps them.
func TestSecretsOfNodes(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const secret, other = "Kx92mmQQtulip", "Lw37ppZZrose"
	s.expect(t, 201, owner, `POST /projects {"name":"infra"}`)
	saved := func(request string, into any) {
		t.Helper()
		w := s.request(claude, request)
		if decode(t, w, into); w.Code > 201 || !strings.Contains(w.Body.String(), `"secrets":["password"]`) {
			t.Fatalf("%s: %d %s", request, w.Code, w.Body)
		}
	}
	var n loci.MemoryNode
	var item loci.NodeItem
	var task loci.Task
	saved(`POST /memory-nodes {"name":"Staging","description":"The password is `+secret+`.","tags":["`+secret+`"]}`, &n)
	node := "/memory-nodes/" + n.ID.String()
	saved(`POST `+node+`/items {"kind":"text","text":"Say the password: `+other+`"}`, &item)
	saved(`POST /tasks {"project":"infra","title":"Rotate `+secret+`","notes":"The password is `+secret+`."}`, &task)
	work := "/tasks/" + task.ID.String()
	shows := func(key, request string, want bool) {
		t.Helper()
		if body := s.expect(t, 200, key, request).Body.String(); want !=
			(strings.Contains(body, secret) || strings.Contains(body, other)) {
			t.Errorf("%s: %s, want the secret: %v", request, body, want)
		}
	}
	inbox := func(key string) (list []loci.Suggestion) {
		t.Helper()
		shows(key, "GET /suggestions?state=pending", false)
		var got client.SuggestionList
		decode(t, s.expect(t, 200, key, "GET /suggestions?state=pending"), &got)
		return got.Suggestions
	}
	lists := []string{"GET /memory-nodes", "GET /tasks", "GET " + node + "/pack", "GET " + node + "/pack?format=json"}
	for _, request := range lists {
		shows(claude, request, false)
	}
	for _, request := range []string{"GET " + node, "GET " + node + "/items", "GET " + work} {
		shows(claude, request, true)
	}
	list := inbox(owner)
	if len(list) != 3 || len(inbox(claude)) > 0 || list[0].Row.Kind != loci.RowTask || list[1].Row.Kind != loci.RowItem ||
		list[2].Row.Kind != loci.RowNode || list[2].Row.ID != loci.ID[any](n.ID) || list[0].Origin != "claude" ||
		list[2].Row.Excerpt.Text != "Staging\nThe password is [secret].\n[secret]" ||
		list[0].Row.Excerpt.Title != "Rotate [secret] The password is [secret]." ||
		list[1].Row.Excerpt.Secrets[0] != "password" {
		t.Fatalf("the person has %+v, the assistant %+v", list, inbox(claude))
	}
	settle := func(sg loci.Suggestion, how string) {
		t.Helper()
		s.expect(t, 403, claude, "POST /suggestions/"+sg.ID.String()+"/"+how)
		s.expect(t, 200, owner, "POST /suggestions/"+sg.ID.String()+"/"+how)
		s.expect(t, 409, owner, "POST /suggestions/"+sg.ID.String()+"/"+how)
	}
	settle(list[2], "decline")
	shows(owner, "GET /memory-nodes", true)
	shows(owner, lists[2], true)
	if w := s.expect(t, 200, owner, "GET "+node); !strings.Contains(w.Body.String(), `"secrets_kept":true`) {
		t.Error(w.Body)
	}
	saved(`PATCH `+node+` {"description":"The password is `+other+`.","tags":[]}`, &n)
	shows(owner, "GET /memory-nodes", false)
	settle(inbox(owner)[0], "accept")
	settle(list[1], "accept")
	settle(list[0], "accept")
	for _, request := range append(lists, "GET "+node, "GET "+node+"/items", "GET "+work) {
		shows(owner, request, false)
	}
	var now loci.Task
	decode(t, s.expect(t, 200, owner, "GET "+work), &now)
	if now.Title != "Rotate [secret removed]" || now.Version != task.Version+1 || len(inbox(owner)) > 0 {
		t.Errorf("got %+v, left %+v", now, inbox(owner))
	}
	saved(`PATCH `+work+` {"notes":"The password is `+secret+`."}`, &task)
	s.expect(t, 204, owner, "DELETE "+work)
	if list := inbox(owner); len(list) > 0 {
		t.Errorf("of a deleted task: %+v", list)
	}
}

// TestReportsMaskSecrets looks at reports that name memories by their titles, and at titles of sessions. A memory whose
// secret is kept, and then removed, keeps none.
func TestReportsMaskSecrets(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const secret = "Kx92mmQQtulip"
	m := s.write(t, owner, `{"title":"password: `+secret+`","content":"c"}`)
	var session loci.Session
	decode(t, s.expect(t, 201, owner, `POST /sessions {"title":"password: `+secret+`"}`), &session)
	for request, status := range map[string]int{
		`POST /golden {"question":"Which?","expected":["` + m.ID.String() + `"]}`: 201,
		"GET /golden": 200, "GET /sessions": 200, "POST /sessions/" + session.ID.String() + "/context {}": 200,
		`POST /undo {"origin":"api","since":"2026-01-01T00:00:00Z","dry_run":true}`: 200,
	} {
		got := s.expect(t, status, owner, request).Body.String()
		if strings.Contains(got, secret) || strings.HasPrefix(request, "POST") && !strings.Contains(got, "[secret]") {
			t.Errorf("%s: %s", request, got)
		}
	}
	var list client.SuggestionList
	decode(t, s.expect(t, 200, owner, "GET /suggestions"), &list)
	for i, how := range []string{"/decline", "/accept"} {
		kept := i == 0
		s.expect(t, 200, owner, "POST /suggestions/"+list.Suggestions[0].ID.String()+how)
		if got := s.expect(t, 200, owner, "GET /memories/"+m.ID.String()); strings.Contains(got.Body.String(),
			"secrets_kept") != kept {
			t.Errorf("kept %v: %s", kept, got.Body)
		}
	}
}

// TestSecretsOfSources saves sources with secrets, alone and with a memory.
func TestSecretsOfSources(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	source := `"sources":[{"kind":"text","text":"The password of the mail host is Mv55rrTTlily."}]`
	w := s.expect(t, 201, owner, `POST /memories {"title":"Mail host","content":"It runs Debian.",`+source+`}`)
	var m loci.Saved
	if decode(t, w, &m); !slices.Equal(m.Secrets, []string{"password"}) || !strings.Contains(m.Hint, "has a secret") {
		t.Errorf("a memory: %s", w.Body)
	}
	other := s.write(t, owner, `{"title":"t","content":"c"}`)
	if w := s.expect(t, 201, owner, "POST /memories/"+other.ID.String()+"/sources {"+source+"}"); !strings.Contains(
		w.Body.String(), `"hint":"The text has a secret (password)`) {
		t.Errorf("a source: %s", w.Body)
	}
}
