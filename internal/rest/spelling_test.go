package rest_test

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// TestShortIDs sends the beginnings of ids, which transcripts cannot show.
func TestShortIDs(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title":"t","content":"okapi"}`)
	old := s.write(t, owner, `{"title":"old","content":"quagga"}`)
	g := s.graph(t, owner, "garden", "")
	short := m.ID.Short()
	for _, request := range []string{
		"GET /memories/" + short, "GET /memories/" + strings.ToUpper(short[:4]), "GET /memories/" + short + "/versions",
		"PATCH /memories/" + short + ` {"project_id":"` + g.project[:8] + `","scope":"project"}`,
		`POST /memories/bulk {"operations":[{"op":"update","id":"` + short + `","changes":{"title":"new"}}]}`,
		"PATCH /memories/" + short + ` {"title":"new","key":null}`,
		"GET /projects/" + g.project[:8] + "/graph", "GET /memories/" + short + "/assets",
		`POST /memories/list {"filter":{"ids":["` + short + `"]}}`,
	} {
		if got := s.expect(t, 200, owner, request).Body.String(); !strings.Contains(got, m.ID.String()) &&
			!strings.Contains(request, "/graph") && !strings.Contains(request, "/versions") &&
			!strings.Contains(request, "/assets") {
			t.Errorf("%s: %s", request, got)
		}
	}
	s.expect(t, 201, owner, `POST /memories {"title":"newer","content":"zebra","supersedes":["`+old.ID.Short()+`"]}`)
	got := s.expect(t, 200, owner, "GET /memories/"+old.ID.Short()+"?include_superseded=true")
	if !strings.Contains(got.Body.String(), "superseded_by") {
		t.Errorf("not superseded: %s", got.Body)
	}
}

// TestShortIDsOfCandidatesAndAttachments sends the beginnings of the other ids that a person sees.
func TestShortIDsOfCandidatesAndAttachments(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	list, _ := s.candidates(t, claude, "decision: Deploy on Tuesdays", "idea: Try canaries", "plan: Write the runbook",
		"claim: It rains")
	short := func(i int) string { return list[i].ID.String()[:8] }
	at := "/memories/" + s.write(t, owner, `{"title":"t","content":"okapi"}`).ID.String()
	uploaded := s.upload(owner, at+"/assets?name=notes.md", "notes")
	var asset loci.Asset
	decode(t, uploaded, &asset)
	var cited struct{ Sources []loci.Source }
	decode(t, s.expect(t, 201, owner, "POST "+at+`/sources {"sources":[{"kind":"url","ref":"https://x.example"}]}`),
		&cited)
	source := cited.Sources[0].ID.String()
	for _, tt := range []struct{ request, want string }{
		{"GET /review/candidates/" + short(0), list[0].ID.String()},
		{"GET /review/candidates/" + strings.ToUpper(short(0)), list[0].ID.String()},
		{"PATCH /review/candidates/" + short(0) + ` {"title":"Tuesdays"}`, `"Tuesdays"`},
		{"POST /review/candidates/" + short(0) + "/accept {}", string(loci.ReviewPromoted)},
		{"POST /review/candidates/" + short(1) + `/merge {"others":["` + short(2) + `"]}`, "Write the runbook"},
		{`POST /review/bulk {"action":"reject","ids":["` + short(3) + `"]}`, `"succeeded":1`},
		{"GET /assets/" + asset.ID.String()[:8], asset.ID.String()},
		{"GET /assets/" + asset.ID.String()[:8] + "/content", "notes"},
	} {
		w := s.request(owner, tt.request)
		got := strings.ReplaceAll(w.Body.String(), `": `, `":`)
		if w.Code != 200 || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %d %s lacks %s", tt.request, w.Code, got, tt.want)
		}
	}
	for _, request := range []string{"DELETE /sources/" + source[:8], "DELETE /assets/" + asset.ID.String()[:8]} {
		if w := s.request(owner, request); w.Code != 204 {
			t.Errorf("%s: %d %s", request, w.Code, w.Body)
		}
	}
	if got := s.expect(t, 200, owner, "GET "+at+"/sources").Body.String(); strings.Contains(got, source) {
		t.Errorf("the source is still there: %s", got)
	}
}

// TestShortIDsOfThingsInLists sends the beginnings of ids that lists show.
func TestShortIDsOfThingsInLists(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	created := func(request string) string {
		t.Helper()
		var x struct{ ID loci.MemoryID }
		decode(t, s.expect(t, 201, owner, request), &x)
		return x.ID.String()
	}
	const at = "/memory-nodes/Onboarding/items"
	created(`POST /memory-nodes {"name":"Onboarding","scope":"global"}`)
	const item = "POST " + at + ` {"kind":"text","text":"x"`
	first, second := created(item+`}`), created(item+`}`)
	below := created(item + `,"parent_id":"` + first[:8] + `"}`)
	golden := created(`POST /golden {"question":"When?","expected":["` +
		s.write(t, owner, `{"title":"t","content":"okapi"}`).ID.String() + `"]}`)
	suggestion := s.secret(t, "hunter2-Xy7qPw")
	for _, tt := range []struct{ request, want string }{
		{"PATCH " + at + "/" + second[:8] + ` {"before":"` + first[:8] + `"}`, second},
		{"PATCH " + at + "/" + below[:4] + ` {"parent_id":"` + strings.ToUpper(second[:8]) + `"}`, `"parent_id":"` + second},
		{"PATCH /golden/" + golden[:8] + ` {"question":"When is it?"}`, golden},
		{"POST /suggestions/" + suggestion[:8] + "/decline {}", suggestion},
	} {
		got := strings.ReplaceAll(s.expect(t, 200, owner, tt.request).Body.String(), `": `, `":`)
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s lacks %s", tt.request, got, tt.want)
		}
	}
	s.expect(t, 400, owner, "PATCH "+at+"/"+second+` {"before":"00000000"}`)
	for _, request := range []string{at + "/" + below[:8], "/golden/" + golden[:8]} {
		s.expect(t, 204, owner, "DELETE "+request)
		s.expect(t, 404, owner, "DELETE "+request)
	}
}

// secret saves a memory with a secret, and returns the id of the suggestion to remove that.
func (s *server) secret(t *testing.T, password string) string {
	t.Helper()
	s.write(t, owner, `{"title":"`+password+`","content":"password: `+password+`"}`)
	var list struct{ Suggestions []loci.Suggestion }
	decode(t, s.expect(t, 200, owner, "GET /suggestions"), &list)
	return list.Suggestions[0].ID.String()
}

// TestHiddenNames: to name what one cannot see is to name nothing, in the path, the query and the body.
func TestHiddenNames(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	hidden := s.write(t, owner, `{"title":"t","content":"okapi","allowed_vendors":["cursor"]}`)
	s.expect(t, 201, owner, `POST /projects {"name":"garden"}`)
	s.expect(t, 201, owner, `POST /sessions {"title":"planting","reach":"private"}`)
	_, noor := s.key(t, loci.DefaultOrg, s.addUser(t, loci.DefaultOrg, "noor@loci.example", loci.Member,
		loci.NewUserID()).ID, auth.KeyRequest{})
	for _, tt := range []struct{ key, request, name, none string }{
		{claude, "GET /agent/memories/NAME", hidden.ID.Short(), "00000000"},
		{claude, `POST /agent/memories {"title":"t","content":"c","supersedes":["NAME"]}`, hidden.ID.Short(), "00000000"},
		{noor, "POST /suggestions/NAME/decline {}", s.secret(t, "hunter2-Xy7qPw")[:8], "00000000"},
		{noor, "GET /projects/NAME", "garden", "forest"},
		{noor, "GET /memories?project_id=NAME", "garden", "forest"},
		{noor, `POST /memories {"title":"t","content":"c","scope":"project","project_id":"NAME"}`, "garden", "forest"},
		{noor, `POST /memories {"title":"t","content":"c","session_id":"NAME"}`, "planting", "plotting"},
		{noor, "GET /memories/recall?q=okapi&session_id=NAME", "planting", "plotting"},
	} {
		there := s.request(tt.key, strings.Replace(tt.request, "NAME", tt.name, 1))
		absent := s.request(tt.key, strings.Replace(tt.request, "NAME", tt.none, 1))
		if there.Code != absent.Code || there.Code < 400 ||
			strings.ReplaceAll(there.Body.String(), tt.name, tt.none) != absent.Body.String() {
			t.Errorf("%s: %d %s, absent: %d %s", tt.request, there.Code, there.Body, absent.Code, absent.Body)
		}
	}
}

// TestNamesNeedTheRight: a credential that may not do something gets 403, whatever it names.
func TestNamesNeedTheRight(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, reads := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Rights: []loci.Right{loci.RightRead}})
	for _, name := range []string{"forest", absent} {
		s.refusedAs(t, reads, `POST /memories {"title":"t","content":"c","scope":"project","project_id":"`+name+`"}`,
			"memory.create")
	}
}

// TestOtherTextStays: what looks like an id or a time elsewhere is stored as it was sent.
func TestOtherTextStays(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.expect(t, 201, owner, `POST /projects {"name":"garden"}`)
	const kept = `{"project_id": "garden", "expires_at": "3d", "n": 1.50}`
	got := s.expect(t, 201, owner, `POST /sessions {"title":"\"project_id\":\"garden\"","project_id":"garden",`+
		`"metadata":`+kept+`}`).Body.String()
	for _, want := range []string{`"project_id":"garden","expires_at":"3d"`, `\"project_id\":\"garden\"`} {
		if !strings.Contains(strings.ReplaceAll(got, `": "`, `":"`), want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
	s.expect(t, 413, owner, `POST /memories/list {"filter":{"by":"ids","ids":["`+
		strings.Repeat("garden", 1<<18)+`"]}}`)
	s.expect(t, 400, owner, `POST /memories/list {"filter":{"ids":["nothing","`)
}
