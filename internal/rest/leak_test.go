package rest_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// absent is an id that nothing ever had.
const absent = "11111111-2222-4333-8444-555555555555"

// readers are the credentials of the test, with what they are limited to.
var readers = map[string]loci.Vendor{owner: "", claude: "claude", cursor: "cursor", gemini: "gemini"}

// TestHiddenReadsAsAbsent draws memories with random visibility, some of
// another person, and demands that every route answers a reader who may not
// see one as if it had never been there: for its id byte for byte as for an id
// that nothing ever had, and in lists as a server that never stored it.
func TestHiddenReadsAsAbsent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	stranger := loci.NewUserID()
	ctx := context.Background()
	err := s.store.People().Add(ctx, loci.User{ID: stranger, OrgID: loci.DefaultOrg, Email: "x@y.z",
		Role: loci.RoleUser, OrgRole: loci.Member, CreatedAt: s.clock.Now()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var watched loci.Session
	decode(t, s.expect(t, 201, owner, `POST /sessions {"title":"watched"}`), &watched)
	rapid.Check(t, func(rt *rapid.T) {
		tag := wordOf(loci.NewMemoryID().String()) // tells the draws apart in one store
		writer := s.owner
		if rapid.IntRange(0, 3).Draw(rt, "stranger") == 0 {
			writer.UserID = stranger
		}
		writer.Origin = rapid.SampledFrom([]string{"claude", "cursor", "api"}).Draw(rt, "origin")
		vendors := rapid.SliceOfNDistinct(rapid.SampledFrom([]loci.Vendor{"*", "claude", "cursor", "gemini", "other"}),
			1, 3, rapid.ID).Draw(rt, "vendors")
		fact := loci.NewMemoryID().String() // the key of the drawn memory and of one that all may see
		saved, err := s.app.Memory.Create(ctx, writer, memory.Draft{Title: "drawn " + tag, Content: "zebra " + tag,
			Tags: []string{tag}, AllowedVendors: vendors, Key: fact})
		if err != nil {
			rt.Fatal(err)
		}
		other := s.owner
		other.Origin = "codex"
		open, err := s.app.Memory.Create(ctx, other, memory.Draft{Content: "horse", Key: fact,
			Dedupe: memory.DedupeCreate})
		if err != nil {
			rt.Fatal(err)
		}
		m := &saved.Memory
		trashed := rapid.Bool().Draw(rt, "trashed")
		if trashed {
			gone, err := s.app.Memory.Trash(ctx, writer, m.ID, 0)
			if err != nil {
				rt.Fatal(err)
			}
			m = &gone.Memory
		}
		for key, vendor := range readers {
			v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: s.owner.UserID, Vendor: vendor}
			life := loci.LiveOnly
			if vendor == "" {
				life = loci.LiveOrTrash
			}
			checkByID(rt, s, key, m, v.Sees(&m.Access, life, s.clock.Now()))
			visible := v.Sees(&m.Access, loci.LiveOnly, s.clock.Now())
			checkInLists(rt, s, key, m, tag, visible, watched.ID)
			checkDisputes(rt, s, key, &open.Memory, m, visible && writer.UserID == s.owner.UserID)
		}
	})
}

// checkDisputes demands that what a reader sees of one memory names another that disagrees only if
// the reader sees that one, too.
func checkDisputes(rt *rapid.T, s *server, key string, seen, drawn *loci.Memory, want bool) {
	for _, route := range []string{
		"GET /agent/memories/" + seen.ID.String(), `GET /agent/memories/latest?origin=codex`,
		`POST /agent/memories/browse {"filter":{"key":"` + seen.Key + `"}}`,
		`POST /agent/memories/browse {"filter":{"ids":["` + seen.ID.String() + `"]}}`,
		`POST /agent/memories/search {"term":"horse","key":"` + seen.Key + `"}`, "GET /agent/briefing",
		`POST /query {"query":"horse?","memory_filter":{"key":"` + seen.Key + `"}}`,
	} {
		got := s.request(key, route)
		if got.Code != 200 || !strings.Contains(got.Body.String(), seen.ID.String()) {
			rt.Fatalf("%s, %s: %d %s", key, route, got.Code, got.Body)
		}
		named := `"disputed_by":[{"id":"` + drawn.ID.String() + `"`
		if found := strings.Contains(got.Body.String(), named); found != want {
			rt.Fatalf("%s, %s: disputed %v, want %v: %s", key, route, found, want, got.Body)
		}
	}
}

// routesByID take an id; PATCH comes last because it changes what it may.
var routesByID = []string{"GET /agent/memories/%s", "GET /memories/%s", "GET /memories/%s/versions",
	"GET /memories/%s/readers", "GET /memories/%s/replaced",
	"GET /agent/memories/%s/versions", "PUT /agent/memories/%s {}", "PATCH /agent/memories/%s {\"importance\":4}",
	"PATCH /memories/%s {\"title\":5}", "PATCH /memories/%s {\"importance\":3}", "PUT /memories/%s {}"}

func checkByID(rt *rapid.T, s *server, key string, m *loci.Memory, visible bool) {
	for _, route := range routesByID {
		got := s.request(key, fmt.Sprintf(route, m.ID))
		if visible {
			if strings.HasPrefix(route, "GET /agent") && got.Code != 200 {
				rt.Fatalf("%s, %s: a visible memory answers %d %s", key, route, got.Code, got.Body)
			}
			continue
		}
		want := s.request(key, fmt.Sprintf(route, absent))
		if got.Code != want.Code || got.Body.String() != want.Body.String() || headers(got) != headers(want) {
			rt.Fatalf("%s, %s: a hidden memory answers\n%d %s %s\nan absent one\n%d %s %s", key, route,
				got.Code, got.Body, headers(got), want.Code, want.Body, headers(want))
		}
	}
}

func checkInLists(rt *rapid.T, s *server, key string, m *loci.Memory, tag string, visible bool,
	watched loci.SessionID) {
	id := m.ID.String()
	for _, route := range []string{
		`POST /agent/memories/by-tag {"tags":["` + tag + `"]}`,
		`POST /agent/memories/browse {"filter":{"by":"tags","tags":["` + tag + `"]}}`,
		`POST /agent/memories/browse {"filter":{"by":"ids","ids":["` + id + `"]}}`,
		`POST /agent/memories/browse {"filter":{"by":"search","term":"\"` + tag + `\""}}`,
		`POST /agent/memories/search {"term":"\"` + tag + `\""}`,
		`POST /query {"query":"zebra?","memory_filter":{"tags":["` + tag + `"]}}`,
		`POST /query {"query":"zebra?","memory_filter":{"ids":["` + id + `"]}}`,
		`GET /agent/memories/latest?tag=` + tag,
		`POST /context {"goal":"` + tag + `"}`,
		`POST /context {"goal":"what about ` + tag + `?","session_id":"` + watched.String() + `","fresh":true}`,
	} {
		got := s.request(key, route)
		if found := strings.Contains(got.Body.String(), `"id":"`+id+`"`); found != visible {
			rt.Fatalf("%s, %s: found %v, want %v: %d %s", key, route, found, visible, got.Code, got.Body)
		}
		if visible {
			continue
		}
		names := strings.NewReplacer(tag, wordOf(absent), id, absent)
		want := s.request(key, names.Replace(route))
		if got.Code != want.Code || names.Replace(got.Body.String()) != want.Body.String() {
			rt.Fatalf("%s, %s: with a hidden memory\n%d %s\nwith none\n%d %s", key, route, got.Code, got.Body, want.Code,
				want.Body)
		}
	}
	facets, none := s.request(key, "GET /memories/facets?tags="+tag), s.request(key, "GET /memories/facets?tags="+absent)
	if same := whole(facets) == whole(none); same == (visible && key == owner) {
		rt.Fatalf("%s: visible %v, but the facets are %d %s", key, visible, facets.Code, facets.Body)
	}
	if b := s.request(key, "GET /agent/briefing"); !visible && strings.Contains(b.Body.String(), tag) {
		rt.Fatalf("%s: the briefing names a hidden memory: %s", key, b.Body)
	}
}

// request sends "METHOD PATH BODY".
func (s *server) request(key, text string) *httptest.ResponseRecorder {
	parts := append(strings.SplitN(text, " ", 3), "")
	return s.do(parts[0], parts[1], key, parts[2])
}

// headers are those that could tell; ids and times of the request itself
// differ always.
func headers(w *httptest.ResponseRecorder) string {
	var out []string
	for name, values := range w.Header() {
		if name != "X-Request-Id" && name != "Server-Timing" {
			out = append(out, name+": "+strings.Join(values, ", "))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// wordOf returns an id as one word of letters. Searches find ids by their parts, and those of two ids can be equal.
func wordOf(id string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= '0' && c <= '9':
			return 'g' + c - '0'
		case c == '-':
			return -1
		}
		return c
	}, id)
}
