package rest_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
)

// as sends "METHOD PATH BODY" for what a vendor sees.
func (s *server) as(vendor, key, request string) *httptest.ResponseRecorder {
	parts := append(strings.SplitN(request, " ", 3), "")
	return s.do(parts[0], parts[1], key, parts[2], auth.ViewAsHeader+": "+vendor)
}

// TestViewAs has a person ask for what Claude sees: the answers are those that Claude's own credential gets.
func TestViewAs(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var memories []*loci.Memory
	for i, vendors := range []string{`["*"]`, `["claude"]`, `["cursor"]`, `["claude","cursor"]`, `["gemini"]`} {
		memories = append(memories, s.write(t, owner, fmt.Sprintf(
			`{"title":"Deploy %d","content":"We deploy on day %d.","tags":["ops"],"pinned":%t,"allowed_vendors":%s}`, i, i,
			i < 3, vendors)))
	}
	gone := s.write(t, owner, `{"title":"Gone","content":"We deploy never.","tags":["ops"]}`)
	s.expect(t, 200, owner, "DELETE /memories/"+gone.ID.String())
	s.clock.freeze()
	reads := []string{"GET /agent/memories/latest?tag=ops", `POST /agent/memories/search {"term":"deploy"}`,
		`POST /agent/memories/browse {"filter":{"tags":["ops"]}}`, `POST /agent/memories/list {}`,
		`POST /agent/memories/by-tag {"tags":["ops"]}`, "GET /memories/recall?query=deploy&explain=true",
		"GET /agent/briefing",
		`POST /context {"goal":"deploy"}`, `POST /query {"query":"deploy?"}`, "GET /agent/memories/team"}
	for _, m := range append(memories, gone) {
		reads = append(reads, "GET /agent/memories/"+m.ID.String(), "GET /agent/memories/"+m.ID.String()+"/versions",
			"GET /memories/"+m.ID.String()+"/sources")
	}
	for _, vendor := range []string{"claude", "cursor"} {
		key := map[string]string{"claude": claude, "cursor": cursor}[vendor]
		differs := false
		for _, read := range reads {
			want, got := s.request(key, read), s.as(vendor, owner, read)
			if whole(got) != whole(want) {
				t.Errorf("%s as %s: %d %s\nwant %d %s", read, vendor, got.Code, got.Body, want.Code, want.Body)
			}
			differs = differs || whole(s.request(owner, read)) != whole(got)
		}
		if !differs {
			t.Error("the owner sees nothing else anyway")
		}
	}
	// What only people have, shows what the vendor sees, too.
	list := s.as("claude", owner, "GET /memories?limit=50").Body.String()
	for i, m := range append(memories, gone) {
		if want := i == 0 || i == 1 || i == 3; strings.Contains(list, m.ID.String()) != want {
			t.Errorf("in the list as claude: %s, want %t", m.Title, want)
		}
	}
	for _, read := range []string{"GET /memories?trash=true", "GET /memories/" + gone.ID.String(), "GET /keys"} {
		if got := s.as("claude", owner, read); got.Code < 400 && strings.Contains(got.Body.String(), gone.ID.String()) ||
			got.Code < 400 && !strings.HasPrefix(read, "GET /memories?") {
			t.Errorf("%s as claude: %d %s", read, got.Code, got.Body)
		}
	}
}

// TestHiddenFrom lists and counts what Claude does not get: all that it gets and all that it does not are everything.
func TestHiddenFrom(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for i, vendors := range []string{`["*"]`, `["claude"]`, `["cursor"]`, `["claude","cursor"]`} {
		s.write(t, owner, fmt.Sprintf(`{"title":"Deploy %d","content":"We deploy on day %d.","allowed_vendors":%s}`, i, i,
			vendors))
	}
	for _, list := range []string{"GET /memories?total=true&hidden_from=claude", "GET /memories/facets?hidden_from=claude",
		`POST /memories/list {"filter":{"hidden_from":"claude"},"total":true}`,
		`POST /memories/list {"filter":{"term":"deploy","hidden_from":"claude"}}`} {
		got := s.expect(t, 200, owner, list).Body.String()
		if !strings.Contains(got, `"total":1`) || strings.Contains(list, "/list") && !strings.Contains(got, "Deploy 2") {
			t.Errorf("%s: %s", list, got)
		}
	}
	if got := s.as("claude", owner, "GET /memories?hidden_from=claude"); got.Code != 200 ||
		!strings.Contains(got.Body.String(), `"memories":[]`) {
		t.Errorf("what is hidden from it, as claude: %d %s", got.Code, got.Body)
	}
	s.expect(t, 400, owner, `POST /memories/list {"filter":{"hidden_from":"`+strings.Repeat("x", 51)+`"}}`)
}

// TestExpiredList lists and counts what has expired, to people only, also with conditions.
func TestExpiredList(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.write(t, owner, `{"title":"Parking","content":"Level 2 today.","ttl":60,"tags":["car"]}`)
	s.write(t, owner, `{"title":"Lunch","content":"At noon.","ttl":60}`)
	s.write(t, owner, `{"title":"Rent","content":"900"}`)
	list := `POST /memories/list {"filter":{"by":"expired"},"total":true}`
	if got := s.expect(t, 200, owner, list).Body.String(); !strings.Contains(got, `"total":0`) {
		t.Errorf("before: %s", got)
	}
	s.clock.advance(2 * time.Minute)
	if got := s.expect(t, 200, owner, list).Body.String(); !strings.Contains(got, `"total":2`) ||
		!strings.Contains(got, "Parking") {
		t.Errorf("after: %s", got)
	}
	for _, some := range []string{"GET /memories?expired=true&tags=car&total=true",
		`POST /memories/list {"filter":{"by":"expired","tags":["car"]},"total":true}`,
		"GET /memories/facets?expired=true&tags=car"} {
		got := s.expect(t, 200, owner, some).Body.String()
		if !strings.Contains(got, `"total":1`) || strings.Contains(got, "Lunch") {
			t.Errorf("%s: %s", some, got)
		}
		if got := s.as("claude", owner, some).Body.String(); strings.Contains(got, `"car"`) ||
			strings.Contains(got, `"total":1`) {
			t.Errorf("%s as claude: %s", some, got)
		}
	}
	for _, both := range []string{"GET /memories?expired=true&trashed=true",
		"GET /memories/facets?expired=true&trashed=true"} {
		s.expect(t, 400, owner, both)
	}
	if got := s.as("claude", owner, list).Body.String(); strings.Contains(got, "Parking") {
		t.Errorf("as claude: %s", got)
	}
	s.expect(t, 403, claude, list)
	s.expect(t, 400, owner, `POST /query {"query":"x","memory_filter":{"by":"expired"}}`)
}

// TestSearchInTrash searches the trash and what has expired: people find there what is theirs, with the reasons, and
// nobody finds it elsewhere.
func TestSearchInTrash(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.write(t, owner, `{"title":"Rent","content":"Deploy money."}`)
	gone := s.write(t, owner, `{"title":"Old plan","content":"We deploy on Tuesday.","tags":["ops"]}`)
	s.write(t, owner, `{"title":"Lunch","content":"A deployment at noon.","ttl":60}`)
	for i := range 2 {
		m := s.write(t, owner, fmt.Sprintf(`{"title":"Plan %d","content":"We deploy by hand."}`, i))
		s.expect(t, 200, owner, "DELETE /memories/"+m.ID.String())
	}
	s.expect(t, 200, owner, "DELETE /memories/"+gone.ID.String())
	s.clock.advance(2 * time.Minute)
	for ask, want := range map[string]string{
		"GET /memories?trashed=true&q=tuesday":                                          "Old plan",
		"GET /memories?trashed=true&q=uesda":                                            "Old plan", // a part of a word
		"GET /memories?trashed=true&q=deploy&tags=ops":                                  "Old plan",
		`POST /memories/list {"filter":{"by":"trashed","term":"tuesday"},"total":true}`: "Old plan",
		"GET /memories?expired=true&q=deploy":                                           "Lunch", // the beginning of a word
	} {
		var page client.MemoryPage
		decode(t, s.request(owner, ask), &page)
		if len(page.Memories) != 1 || page.Memories[0].Title != want || len(page.Hits) != 1 ||
			page.Hits[0].ID != page.Memories[0].ID || *page.Total != 1 {
			t.Errorf("%s: %+v", ask, page)
		}
		if got := s.as("claude", owner, ask).Body.String(); !strings.Contains(got, `"memories":[]`) ||
			!strings.Contains(got, `"total":0`) || strings.Contains(got, "hits") {
			t.Errorf("%s as claude: %s", ask, got)
		}
	}
	var first, rest client.MemoryPage
	decode(t, s.request(owner, "GET /memories?trashed=true&q=deploy&limit=2"), &first)
	next := "&limit=2&cursor=" + first.NextCursor
	decode(t, s.request(owner, "GET /memories?trashed=true&q=deploy"+next), &rest)
	if len(first.Hits) != 2 || *first.Total != 3 || len(rest.Hits) != 1 || rest.NextCursor != "" {
		t.Errorf("pages: %+v, %+v", first, rest)
	}
	s.expect(t, 400, owner, "GET /memories?q=deploy"+next)
	s.expect(t, 400, owner, "GET /memories?trashed=true&q=plan"+next)
	s.expect(t, 403, claude, `POST /memories/list {"filter":{"by":"trashed","term":"tuesday"}}`)
	s.expect(t, 400, owner,
		`POST /memories/list {"filter":{"by":"trashed","term":"tuesday","known_at":"2020-01-01T00:00:00Z"}}`)
	for _, elsewhere := range []string{"GET /memories?q=tuesday", "GET /memories/recall?query=tuesday"} {
		if got := s.expect(t, 200, owner, elsewhere).Body.String(); strings.Contains(got, "Old plan") {
			t.Errorf("%s: %s", elsewhere, got)
		}
	}
}

// TestViewAsGivesNoRights has keys view as Claude: what a key may not read itself, it does not read so either.
func TestViewAsGivesNoRights(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title":"Tea","content":"at four"}`)
	reads := []string{"GET /memories", "GET /memories/" + m.ID.String(), "GET /memories/facets",
		"GET /memories/recall?query=tea", `POST /context {"goal":"tea"}`, "GET /agent/memories/latest", "GET /events"}
	for _, rights := range [][]loci.Right{{loci.RightAccount}, {loci.RightAdmin}, {loci.RightAccount, loci.RightAdmin},
		{loci.RightEvents}, {loci.RightReflect}, {loci.RightRead}} {
		_, key := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Rights: rights})
		for _, read := range reads {
			plain, as := s.request(key, read), s.as("claude", key, read)
			if plain.Code == 403 && as.Code != 403 {
				t.Errorf("%v: %s is refused, but as claude it is %d %s", rights, read, as.Code, as.Body)
			}
		}
	}
}

// TestViewAsIsInNoSession names a session in the body, where the header is refused as well.
func TestViewAsIsInNoSession(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var session loci.Session
	decode(t, s.expect(t, 201, owner, `POST /sessions {"title":"work"}`), &session)
	id := session.ID.String()
	for _, read := range []string{`POST /context {"goal":"tea","session_id":"` + id + `"}`,
		`POST /memories/recall {"query":"tea","session_id":"` + id + `"}`,
		"GET /memories/recall?query=tea&session_id=" + id} {
		if got := s.as("claude", owner, read); got.Code != 400 || !strings.Contains(got.Body.String(), `"session_id"`) {
			t.Errorf("%s: %d %s", read, got.Code, got.Body)
		}
	}
}

// TestViewAsRefuses has wrong uses of the header.
func TestViewAsRefuses(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title":"Tea","content":"at four"}`)
	for _, tt := range []struct {
		key, vendor, request, session, code string
	}{
		{owner, "claude", `PATCH /memories/` + m.ID.String() + ` {"title":"x"}`, "", "invalid"},
		{owner, "claude", `POST /memories {"title":"x","content":"x"}`, "", "invalid"},
		{owner, "not a vendor", "GET /memories", "", "invalid"},
		{owner, "api", "GET /memories", "", "invalid"},
		{owner, "claude", "GET /memories", "a session", "invalid"},
		{claude, "cursor", "GET /agent/memories/latest", "", "forbidden"},
		{claude, "claude", "GET /agent/memories/latest", "", "forbidden"},
	} {
		headers := []string{auth.ViewAsHeader + ": " + tt.vendor}
		if tt.session != "" {
			headers = append(headers, auth.SessionHeader+": "+tt.session)
		}
		parts := append(strings.SplitN(tt.request, " ", 3), "")
		got := s.do(parts[0], parts[1], tt.key, parts[2], headers...)
		if !strings.Contains(got.Body.String(), `"code":"`+tt.code+`"`) || got.Code < 400 {
			t.Errorf("%s as %q: %d %s, want %s", tt.request, tt.vendor, got.Code, got.Body, tt.code)
		}
	}
	if got := s.request(owner, "GET /memories/"+m.ID.String()); !strings.Contains(got.Body.String(), `"title":"Tea"`) {
		t.Errorf("a refused change was made: %s", got.Body)
	}
}

// TestChangesAsAVendor follows the changes that a vendor sees.
func TestChangesAsAVendor(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	stream := func() string { return s.as("claude", owner, "GET /changes?once=true").Body.String() }
	start := stream()
	id := start[strings.LastIndex(start, "id: ")+4:]
	id = strings.TrimSpace(id)
	hidden := s.write(t, owner, `{"title":"a","content":"b","allowed_vendors":["cursor"]}`)
	seen := s.write(t, owner, `{"title":"c","content":"d"}`)
	got := s.as("claude", owner, "GET /changes?once=true&last_event_id="+id).Body.String()
	if strings.Contains(got, hidden.ID.String()) || !strings.Contains(got, seen.ID.String()) ||
		strings.Contains(got, "event: reset") {
		t.Errorf("changes as claude: %s", got)
	}
}
