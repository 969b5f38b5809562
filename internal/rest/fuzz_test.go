package rest_test

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// fuzzRoutes take a body.
var fuzzRoutes = []string{"POST /memories", "POST /memories/list", "POST /agent/memories",
	"POST /agent/memories/by-tag",
	"POST /agent/memories/browse", "POST /agent/memories/search", "POST /agent/memories/list", "POST /query",
	"PUT /memories/" + absent, "PATCH /memories/" + absent, "POST /projects", "POST {graph}/entities",
	"POST {graph}/observations", "POST {graph}/relations",
	"POST {graph}/open", "POST {graph}/entities/delete", "POST {graph}/restore", "PUT {graph}/vendors",
	"POST {graph}/import"}

// FuzzBodiesNeverFailTheServer demands that no body is answered with 5xx, that
// every refusal is a problem document, and that what is stored is what was
// sent.
func FuzzBodiesNeverFailTheServer(f *testing.F) {
	for _, body := range []string{``, `{}`, `[]`, `null`, `{"title":"x","content":"y"}`,
		`{"title":"\ud800","content":"y"}`,
		`{"filter":{"by":"ids","ids":["` + absent + `"]},"limit":2,"cursor":"x"}`, `{"tags":["a"],"limit":1e2,"total":null}`,
		`{"term":"\"a b\" c*"}`, `{"query":"?","memory_filter":{"by":"search","term":"x"}}`,
		`{"title":"x","content":"y","expires_at":"0000-01-01T00:00:00Z"}`,
		`{"title":"x","content":"y","importance":9223372036854775808}`, "{\"title\":\"\xff\"}",
		`{"expires_at":null,"tags":null}`,
		`{"entities":[{"name":"a","entity_type":"b","observations":["c"]}],"allowed_vendors":["x"]}`, `{"names":["a"]}`,
		"{\"type\":\"entity\",\"name\":\"a\"}\n{",
		`{"observations":[{"entity_name":"website","contents":["c","c"]}]}`,
		`{"relations":[{"from":"website","to":"website","relation_type":"is"}]}`,
		`{"title":"x","content":"y","valid_from":"9999-12-31T23:59:59.999999999-23:59"}`, strings.Repeat(`[`, 100)} {
		for i := range fuzzRoutes {
			f.Add(uint8(i), body)
		}
	}
	s := newServer(f)
	graph := "/projects/" + s.graph(f, owner, "p", "").project + "/graph"
	f.Fuzz(func(t *testing.T, route uint8, body string) {
		method, path, _ := strings.Cut(fuzzRoutes[int(route)%len(fuzzRoutes)], " ")
		lines := strings.HasSuffix(path, "/import")
		w := s.do(method, strings.Replace(path, "{graph}", graph, 1), owner, body)
		if w.Code >= 500 || w.Code < 200 {
			t.Fatalf("%s %s %q: got %d %s", method, path, body, w.Code, w.Body)
		}
		if w.Code >= 400 && w.Header().Get("Content-Type") != "application/problem+json" {
			t.Fatalf("%s %s %q: got %d as %s", method, path, body, w.Code, w.Header().Get("Content-Type"))
		}
		if w.Code < 300 && !lines && !utf8.ValidString(body) {
			t.Fatalf("%s %s: a body that is not UTF-8 was taken: %q", method, path, body)
		}
	})
}

// FuzzQueryStringsNeverFailTheServer is the same for what follows the "?".
func FuzzQueryStringsNeverFailTheServer(f *testing.F) {
	for _, q := range []string{"", "limit=5", "tags=a&tags=b", "from=2026-01-01T00:00:00Z", "q=%22a%22", "ids=,",
		"cursor=AAAA", "a=%zz", "from=0000-01-01T00:00:00Z", ";", "limit[a]=1"} {
		f.Add(q)
	}
	s := newServer(f)
	graph := "/projects/" + s.graph(f, owner, "p", "").project + "/graph"
	f.Fuzz(func(t *testing.T, q string) {
		if strings.ContainsFunc(q, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '#' }) || !utf8.ValidString(q) {
			t.Skip("cannot stand in a request line")
		}
		for _, path := range []string{"/memories?", "/agent/memories/latest?", "/agent/briefing?",
			"/memories/" + absent + "/versions?",
			"/projects?", graph + "?", graph + "/search?"} {
			w := s.do("GET", path+q, owner, "")
			if w.Code >= 500 {
				t.Fatalf("%s%s: got %d %s", path, q, w.Code, w.Body)
			}
		}
	})
}
