package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/loci-memory/loci/client"
)

func big(n int) string { return strings.Repeat("a", n) }

// badInput is a request that must be refused with an exact answer.
type badInput struct {
	name, request, body string
	status              int
	field, text         string // text: a part of it
}

// long: a table of cases is data.
func TestBadBodies(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title": "kept", "content": "as it is"}`)
	one := "/memories/" + m.ID.String()
	list := func(n int, entry string) string { return "[" + strings.Repeat(entry+",", n-1) + entry + "]" }
	s.refuses(t, []badInput{
		{"unknown field", "POST /memories", `{"title":"x","content":"y","color":"red"}`, 400, "color", "is an unknown field"},
		{"unknown field in another case", "POST /memories", `{"Title":"x","content":"y"}`, 400, "Title",
			"is an unknown field"},
		{"unknown field with a name to inject", "POST /memories", `{"title":"x","content":"y","<script>":1}`, 400, "",
			"a name in the body is an unknown field"},
		{"unknown nested field", "POST /memories/list", `{"filter":{"by":"all","sort":"up"}}`, 400, "filter.sort",
			"is an unknown field"},
		{"origin", "POST /agent/memories", `{"title":"x","content":"y","origin":"cursor"}`, 400, "origin",
			"comes from the credential"},
		{"origin in a replacement", "PUT " + one,
			`{"title":"x","content":"y","tags":[],"allowed_vendors":["*"],"origin":"cursor"}`, 400, "origin",
			"comes from the credential"},
		{"origin in a patch", "PATCH " + one, `{"origin":"cursor"}`, 400, "origin", "comes from the credential"},
		{"id", "POST /memories", `{"id":"` + m.ID.String() + `","title":"x","content":"y"}`, 400, "id",
			"is an unknown field"},
		{"missing title", "POST /memories", `{"content":"y"}`, 400, "title", "is required"},
		{"null title", "POST /memories", `{"title":null,"content":"y"}`, 400, "title", "is required"},
		{"word for no title", "POST /memories", `{"title":"None","content":"y"}`, 400, "title", `cannot be "None"`},
		{"word for no key", "POST /memories", `{"title":"x","content":"y","key":"null"}`, 400, "key", `cannot be "null"`},
		{"word for no category", "POST /memories", `{"title":"x","content":"y","category":"undefined"}`, 400, "category",
			`cannot be "undefined"`},
		{"word for no tag", "POST /memories", `{"title":"x","content":"y","tags":["a","nil"]}`, 400, "tags[1]",
			`cannot be "nil"`},
		{"word for no vendor", "POST /memories", `{"title":"x","content":"y","allowed_vendors":["claude","none"]}`, 400,
			"allowed_vendors[1]", `cannot be "none"`},
		{"word for no key in a patch", "PATCH " + one, `{"key":"NULL"}`, 400, "key", `cannot be "NULL"`},
		{"word for no tag in a bulk", "POST /memories/bulk",
			`{"operations":[{"op":"create","memory":{"title":"x","content":"y","tags":["null"]}}]}`, 400, "",
			`cannot be "null"`},
		{"number for text", "POST /memories", `{"title":5,"content":"y"}`, 400, "title", "must be a string"},
		{"text for a list", "POST /memories", `{"title":"x","content":"y","tags":"ops"}`, 400, "tags", "must be a list"},
		{"number in a list", "POST /memories", `{"title":"x","content":"y","tags":["a",5]}`, 400, "tags[1]",
			"must be a string"},
		{"object for a list", "POST /memories", `{"title":"x","content":"y","allowed_vendors":{"a":1}}`, 400,
			"allowed_vendors", "must be a list"},
		{"long title", "POST /memories", `{"title":"` + big(501) + `","content":"y"}`, 400, "title",
			"longer than 500 characters"},
		{"long content", "POST /memories", `{"title":"x","content":"` + big(100_001) + `"}`, 400, "content",
			"longer than 100000 characters"},
		{"long tag", "POST /memories", `{"title":"x","content":"y","tags":["` + big(101) + `"]}`, 400, "tags[0]",
			"longer than 100 characters"},
		{"51 tags", "POST /memories", `{"title":"x","content":"y","tags":` + list(51, `"t"`) + `}`, 400, "tags",
			"at most 50"},
		{"as many tags as a body takes", "POST /memories", `{"title":"x","content":"y","tags":` + list(250_000,
			`"t"`) + `}`, 400, "tags", "at most 50"},
		{"a million tags", "POST /memories", `{"title":"x","content":"y","tags":` + list(1_000_000, `"t"`) + `}`, 413,
			"", "larger than 1048576 bytes"},
		{"a name twice", "POST /memories", `{"title":"x","content":"y","allowed_vendors":["claude"],"allowed_vendors":["*"]}`,
			400, "allowed_vendors", "appears twice"},
		{"a name twice, once escaped", "POST /memories", `{"title":"x","content":"y","t\u0069tle":"z"}`, 400, "title",
			"appears twice"},
		{"a nested name twice", "POST /memories/list", `{"filter":{"by":"all"},"filter":{"term":"` + big(3000) + `"}}`,
			400, "filter", "appears twice"},
		{"a name twice in a filter", "POST /query", `{"query":"x","memory_filter":{"tags":["a"],"tags":[]}}`, 400,
			"tags", "appears twice"},
		{"a long name twice", "POST /memories", `{"` + big(500) + `":1,"` + big(500) + `":2}`, 400, "", "appears twice"},
		{"null vendors", "POST /memories", `{"title":"x","content":"y","allowed_vendors":null}`, 400, "allowed_vendors",
			"must be a list"},
		{"null vendors of an agent", "POST /agent/memories", `{"title":"x","content":"y","allowed_vendors":null}`, 400,
			"allowed_vendors", "must be a list"},
		{"null vendors in a replacement", "PUT " + one, `{"title":"x","content":"y","tags":[],"allowed_vendors":null}`,
			400, "allowed_vendors", "must be a list"},
		{"no vendor", "POST /memories", `{"title":"x","content":"y","allowed_vendors":[]}`, 400, "allowed_vendors",
			"at least 1"},
		{"bad vendor", "POST /memories", `{"title":"x","content":"y","allowed_vendors":["cl aude"]}`, 400,
			"allowed_vendors[0]", "vendor name"},
		{"bad enum", "POST /memories", `{"title":"x","content":"y","memory_type":"vague"}`, 400, "memory_type",
			"semantic, episodic, procedural"},
		{"a life of 101 years", "POST /memories", `{"title":"x","content":"y","ttl":3184704000}`, 400, "ttl",
			"at most 3153600000"},
		{"content and value", "POST /memories", `{"title":"x","content":"y","value":"z"}`, 400, "value",
			"is another name for content"},
		{"neither content nor value", "POST /memories", `{"title":"x"}`, 400, "content",
			"is required (value is another name for it)"},
		{"importance 0", "POST /memories", `{"title":"x","content":"y","importance":0}`, 400, "importance", "at least 1"},
		{"importance 1e999", "POST /memories", `{"title":"x","content":"y","importance":1e999}`, 400, "", "wrong form"},
		{"importance with a fraction", "POST /memories", `{"title":"x","content":"y","importance":1.5}`, 400,
			"importance", "whole number"},
		{"a project of nobody", "POST /memories",
			`{"title":"x","content":"y","scope":"project","project_id":"00000000-0000-4000-8000-000000000000"}`, 400,
			"project_id", "must be a project that you belong to"},
		{"bad time", "POST /memories", `{"title":"x","content":"y","valid_from":"2026-02-30T00:00:00Z"}`, 400,
			"valid_from", "RFC 3339"},
		{"no time", "POST /memories", `{"title":"x","content":"y","expires_at":"0001-01-01T00:00:00Z"}`, 400,
			"expires_at", "after the year 1"},
		{"no time by another zone", "POST /memories", `{"title":"x","content":"y","valid_to":"0000-12-31T23:00:00-01:00"}`,
			400, "valid_to", "after the year 1"},
		{"no time in a patch", "PATCH " + one, `{"expires_at":"0001-01-01T00:00:00Z"}`, 400, "expires_at",
			"after the year 1"},
		{"no time in a filter", "POST /memories/list", `{"filter":{"to":"0001-01-01T00:00:00Z"}}`, 400, "filter.to",
			"after the year 1"},
		{"no time in a query", "GET /memories?to=0001-01-01T00:00:00Z", "", 400, "to", "after the year 1"},
		{"times in the wrong order", "POST /memories",
			`{"title":"x","content":"y","valid_from":"2026-02-02T00:00:00Z","valid_to":"2026-02-01T00:00:00Z"}`, 400, "valid_to",
			"before valid_from"},
		{"never valid: no beginning", "POST /memories", `{"title":"x","content":"y","valid_to":"2020-02-01T00:00:00Z"}`, 400,
			"valid_to", "specify valid_from, too"},
		{"never valid: no duration", "POST /memories",
			`{"title":"x","content":"y","valid_from":"2026-02-01T00:00:00Z","valid_to":"2026-02-01T00:00:00Z"}`, 400, "valid_to",
			"must be after valid_from"},
		{"never valid in a patch", "PATCH " + one, `{"valid_to":"2020-02-01T00:00:00Z"}`, 400, "valid_to",
			"specify valid_from, too"},
		{"never valid in a bulk", "POST /memories/bulk",
			`{"operations":[{"op":"create","memory":{"title":"x","content":"y","valid_to":"2020-02-01T00:00:00Z"}}]}`, 400,
			"", "specify valid_from, too"},
		{"NUL", "POST /memories", `{"title":"x","content":"a\u0000b"}`, 400, "content", "NUL"},
		{"invalid UTF-8", "POST /memories", "{\"title\":\"x\",\"content\":\"a\xffb\"}", 400, "", "not valid UTF-8"},
		{"half a surrogate pair", "POST /memories", `{"title":"x","content":"a\ud800b"}`, 400, "", "surrogate"},
		{"surrogates in the wrong order", "POST /memories", `{"title":"x","content":"\udc00\ud800"}`, 400, "", "surrogate"},
		{"deep JSON", "POST /memories", strings.Repeat(`{"a":`, 500_000/5) + "1", 400, "", "deeper than 64"},
		{"deep lists", "POST /memories", strings.Repeat("[", 1_000_000), 400, "", "deeper than 64"},
		{"half a body", "POST /memories", `{"title":"x","content`, 400, "", "not valid JSON"},
		{"two bodies", "POST /memories", `{"title":"x","content":"y"}{"title":"x"}`, 400, "", "not valid JSON"},
		{"not an object", "POST /memories", `"memory"`, 400, "", "must be an object"},
		{"null", "POST /memories", `null`, 400, "", "must be an object"},
		{"too large", "POST /memories", `{"title":"x","content":"` + big(1<<20) + `"}`, 413, "", "larger than 1048576 bytes"},
	})
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one := "/memories/" + s.write(t, owner, `{"title": "kept", "content": "as it is"}`).ID.String()
	s.refuses(t, []badInput{
		{"id that is none", "GET /memories/5", "", 404, "", "no such memory"},
		{"huge id", "GET /memories/" + big(100_000), "", 404, "", "no such memory"},
		{"id with a NUL", "GET /memories/%00", "", 404, "", "no such memory"},
		{"id with a slash", "GET /memories/a%2Fb", "", 404, "", "no such memory"},
		{"huge version", "PATCH " + one + " If-Match: \"99999999999999999999\"", `{"title":"x"}`, 400, "If-Match",
			"a version"},
		{"version 0", "PATCH " + one + " If-Match: 0", `{"title":"x"}`, 400, "If-Match", "a version"},
		{"two versions", "PATCH " + one + " If-Match: \"1\", \"2\"", `{"title":"x"}`, 400, "If-Match", "a version"},
		{"old version", "PATCH " + one + " If-Match: \"7\"", `{"title":"x"}`, 412, "", "at version 1, not 7"},
		{"nothing to go back to", "PATCH " + one, `{"title":null}`, 400, "title", "cannot be cleared"},
		{"empty title", "PATCH " + one, `{"title":""}`, 400, "title", "must not be empty"},

		{"limit 0", "GET /memories?limit=0", "", 400, "limit", "at least 1"},
		{"limit 501", "GET /memories?limit=501", "", 400, "limit", "at most 500"},
		{"limit of another language", "GET /memories?limit=NaN", "", 400, "limit", "whole number from 1 to 500"},
		{"negative offset", "GET /memories?offset=-1", "", 400, "offset", "at least 0"},
		{"deep offset", "GET /memories?offset=10001", "", 400, "offset", "at most 10000"},
		{"search too many", "GET /memories?q=x&limit=501", "", 400, "limit", "at most 500"},
		{"search for a NUL", "GET /memories?q=%00", "", 400, "q", "NUL"},
		{"search among ids", "GET /memories?q=x&ids=0d9a1b3c-5e7f-4128-8c6d-1e2f3a4b5c6d", "", 400, "q",
			"cannot be combined"},
		{"tag that is not UTF-8", "GET /memories?tags=%ff", "", 400, "tags[0]", "UTF-8"},
		{"origin that is not UTF-8", "GET /agent/memories/latest?origin=%ff", "", 400, "origin", "UTF-8"},
		{"501 ids", "GET /memories?ids=" + strings.Repeat("00000000-0000-4000-8000-000000000000,", 500) +
			"00000000-0000-4000-8000-000000000000", "", 400, "ids", "at most 500"},
		{"cursor of nothing", "GET /memories?cursor=AAAA", "", 400, "cursor", "does not belong to this query"},
		{"version cursor", "GET " + one + "/versions?cursor=x", "", 400, "cursor", "is not a cursor of this list"},
		{"by tags without tags", "POST /memories/list", `{"filter":{"by":"tags"}}`, 400, "filter.tags", "is required"},
		{"by origin without an origin", "POST /memories/list", `{"filter":{"by":"origin"}}`, 400, "filter.origin",
			"is required"},
		{"ids and an origin", "POST /memories/list", `{"filter":{"ids":["0d9a1b3c-5e7f-4128-8c6d-1e2f3a4b5c6d"],` +
			`"origin":"claude"}}`, 400, "filter.ids", "cannot be combined"},
		{"ids and a project", "POST /memories/list", `{"filter":{"ids":["0d9a1b3c-5e7f-4128-8c6d-1e2f3a4b5c6d"],` +
			`"project_id":"0d9a1b3c-5e7f-4128-8c6d-1e2f3a4b5c6d"}}`, 400, "filter.ids", "cannot be combined"},
		{"by tags without tags", "POST /agent/memories/by-tag", `{"tags":[]}`, 400, "tags", "at least 1"},
		{"limit of by-tag", "POST /agent/memories/by-tag", `{"tags":["x"],"limit":101}`, 400, "limit", "at most 100"},
		{"limit of browse", "POST /agent/memories/browse", `{"limit":201}`, 400, "limit", "at most 200"},
		{"limit of list", "POST /agent/memories/list", `{"limit":51}`, 400, "limit", "at most 50"},
		{"two names of the term", "POST /agent/memories/search", `{"term":"x","query":"y"}`, 400, "term",
			"another name for it"},
		{"NUL in the query", "POST /agent/memories/search", `{"query":"x\u0000"}`, 400, "query", "NUL"},
		{"bad id in a list", "POST /memories/list", `{"filter":{"by":"ids","ids":["x"]}}`, 400, "filter.ids[0]",
			"no such memory"},
		{"id of another form in a list", "POST /memories/list",
			`{"filter":{"by":"ids","ids":["{00000000-0000-4000-8000-000000000000}"]}}`, 400, "filter.ids[0]", "no such memory"},
		{"briefing for too many tags", "GET /briefing?top_tags=many", "", 400, "top_tags", "whole number from 0 to 1000"},
		{"empty question", "POST /query", `{"query":""}`, 400, "query", "must not be empty; it needs at least 1 character"},
		{"long question", "POST /query", `{"query":"` + big(10_001) + `"}`, 400, "query", "longer than 10000"},
		{"question to too many", "POST /query", `{"query":"x","limit":51}`, 400, "limit", "at most 50"},
	})
}

// refuses sends requests to a server with one memory, and checks that they are
// refused, and that nothing of them was stored.
func (s *server) refuses(t *testing.T, tests []badInput) {
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			method, rest, _ := strings.Cut(tt.request, " ")
			path, header, _ := strings.Cut(rest, " ")
			var headers []string
			if header != "" {
				headers = append(headers, header)
			}
			w := s.do(method, path, owner, tt.body, headers...)
			var p client.Problem
			decode(t, w, &p)
			if w.Code != tt.status || p.Status != tt.status || p.Field != tt.field || !strings.Contains(p.Error, tt.text) ||
				p.Detail != p.Error {
				t.Errorf("got %d, field %q, %q; want %d, field %q, …%s…", w.Code, p.Field, cutText(p.Error), tt.status,
					tt.field, tt.text)
			}
			if len(w.Body.Bytes()) > 4096 || strings.Contains(w.Body.String(), big(64)) {
				t.Errorf("the answer repeats what was sent: %s", cutText(w.Body.String()))
			}
		})
	}
	var page client.MemoryPage
	decode(t, s.do("GET", "/memories?total=true", owner, ""), &page)
	if *page.Total != 1 || page.Memories[0].Title != "kept" || page.Memories[0].Version != 1 {
		b, _ := json.Marshal(page)
		t.Errorf("something was written: %s", b)
	}
}

func cutText(s string) string { return s[:min(len(s), 300)] }

// TestManyErrors demands that a body full of faults costs little and is
// answered briefly.
func TestManyErrors(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var body strings.Builder
	body.WriteString(`{"title":"x"`)
	for i := range 60_000 {
		fmt.Fprintf(&body, `,"f%d":%d`, i, i)
	}
	body.WriteString("}")
	w := s.do("POST", "/memories", owner, body.String())
	var p client.Problem
	decode(t, w, &p)
	if w.Code != 400 || len(p.Errors) != 10 {
		t.Errorf("got %d with %d errors, want 400 with 10", w.Code, len(p.Errors))
	}
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title":"a","content":"b"}`)
	const body, save = `{"title":"x","content":"y"}`, `{"title":"x","content":"y","dedupe":"create"}`
	for contentType, want := range map[string]int{
		"": 201, "application/json": 201, "application/json; charset=utf-8": 201, "Application/JSON;charset=UTF-8": 201,
		"application/merge-patch+json": 415,
		"text/plain":                   415, "application/x-www-form-urlencoded": 415, "application/cbor": 415,
		";+": 415, ";;;": 415,
		"multipart/form-data":  415,
		"application/foo+json": 415, "application/json; charset=utf-16": 415, "json": 415,
	} {
		w := s.do("POST", "/memories", owner, save, "Content-Type: "+contentType)
		if w.Code != want {
			t.Errorf("%q: got %d %s, want %d", contentType, w.Code, w.Body, want)
		}
	}
	for contentType, want := range map[string]int{"": 200, "application/json": 200,
		"application/merge-patch+json": 200, "application/json-patch+json": 415} {
		if w := s.do("PATCH", "/memories/"+m.ID.String(), owner, body, "Content-Type: "+contentType); w.Code != want {
			t.Errorf("PATCH %q: got %d %s, want %d", contentType, w.Code, w.Body, want)
		}
	}
	for coding, want := range map[string]int{"gzip": 415, "identity": 201} {
		w := s.do("POST", "/memories", owner, save, "Content-Encoding: "+coding)
		if w.Code != want || want == 415 && !strings.Contains(w.Body.String(), "omit Content-Encoding") {
			t.Errorf("%s: got %d %s", coding, w.Code, w.Body)
		}
	}
}

// TestIDsOnce asks for the same memory in several ways at once.
func TestIDsOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id := s.write(t, owner, `{"title":"a","content":"b"}`).ID.String()
	list := `["` + id + `","` + strings.ToUpper(id) + `","` + id + `"]`
	for request, body := range map[string]string{
		"GET /memories?ids=" + id + "," + id: "", "POST /memories/list": `{"filter":{"ids":` + list + `}}`,
		"POST /agent/memories/browse": `{"filter":{"ids":` + list + `}}`,
		"POST /query":                 `{"query":"when?","memory_filter":{"ids":` + list + `}}`,
	} {
		method, path, _ := strings.Cut(request, " ")
		var got struct {
			Memories []any
			Used     int `json:"memories_used_count"`
		}
		w := s.do(method, path, owner, body)
		decode(t, w, &got)
		if len(got.Memories)+got.Used != 1 {
			t.Errorf("%s: got %d %s, want the memory once", request, w.Code, w.Body)
		}
	}
}

// TestBrokenBodies cuts the connection in the middle of a body.
func TestBrokenBodies(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r, err := http.NewRequest(http.MethodPost, "/memories", brokenReader{})
	if err != nil {
		t.Fatal(err)
	}
	w := s.send(r, owner)
	if w.Code != 400 || !strings.Contains(w.Body.String(), "ended early") {
		t.Errorf("got %d %s, want 400", w.Code, w.Body)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, http.ErrBodyReadAfterClose }
