package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/test/random"
)

// many is a list of n entries.
func many(n int, entry string) string { return "[" + strings.Repeat(entry+",", n-1) + entry + "]" }

func TestBadProjects(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.write(t, owner, `{"title": "kept", "content": "as it is"}`)
	g := s.graph(t, owner, "kept", "")
	one := "/projects/" + g.project
	s.refuses(t, []badInput{
		{"no name", "POST /projects", `{}`, 400, "name", "is required"},
		{"empty name", "POST /projects", `{"name":""}`, 400, "name", "must not be empty"},
		{"long name", "POST /projects", `{"name":"` + big(101) + `"}`, 400, "name", "longer than 100 characters"},
		{"name of two lines", "POST /projects", `{"name":"a\nb"}`, 400, "name", "one line"},
		{"name that is taken, with a space before", "POST /projects", `{"name":" kept"}`, 409, "", "exists"},
		{"name with two spaces", "POST /projects", `{"name":"a  b"}`, 400, "name", "two spaces in a row"},
		{"name with a NUL", "POST /projects", `{"name":"a\u0000"}`, 400, "name", "NUL"},
		{"number for a name", "POST /projects", `{"name":5}`, 400, "name", "must be a string"},
		{"name that is taken", "POST /projects", `{"name":"kept"}`, 409, "", "exists"},
		{"long description", "POST /projects", `{"name":"x","description":"` + big(2001) + `"}`, 400, "description",
			"longer than 2000 characters"},
		{"text for everyone", "POST /projects", `{"name":"x","everyone":"yes"}`, 400, "everyone", "true or false"},
		{"unknown field", "POST /projects", `{"name":"x","org_id":"acme"}`, 400, "org_id", "is an unknown field"},
		{"status", "POST /projects", `{"name":"x","status":"archived"}`, 400, "status", "is an unknown field"},
		{"too large", "POST /projects", `{"name":"x","description":"` + big(1<<20) + `"}`, 413, "",
			"larger than 1048576 bytes"},
		{"no body", "POST /projects", ``, 400, "", "send a JSON object"},
		{"no change", "PATCH " + one, `{}`, 400, "", "changes nothing"},
		{"status in a patch", "PATCH " + one, `{"status":"archived"}`, 400, "status", "is an unknown field"},
		{"other status", "GET /projects?status=deleted", "", 400, "status", "active, archived, all"},
		{"limit 0", "GET /projects?limit=0", "", 400, "limit", "at least 1"},
		{"limit 501", "GET /projects?limit=501", "", 400, "limit", "at most 500"},
		{"cursor", "GET /projects?cursor=AAAA", "", 400, "cursor", "does not belong"},
		{"unknown parameter", "GET /projects?name=x", "", 400, "name", "known parameters are status, limit, cursor"},
		{"id that is none", "GET /projects/5", "", 404, "", "no such project"},
		{"id of no project", "GET /projects/" + absent, "", 404, "", "no such project"},
		{"archiving none", "POST /projects/x/archive", "", 404, "", "no such project"},
		{"deleting none", "DELETE /projects/x", "", 404, "", "no such project"},
		{"restoring an active one", "POST " + one + "/restore", "", 409, "", "not archived"},
		{"role", "PUT " + one + "/members/" + absent, `{"role":"king"}`, 400, "role", "owner, admin, member"},
		{"nobody", "PUT " + one + "/members/" + absent, `{"role":"admin"}`, 404, "", "no such member"},
		{"the last owner", "PUT " + one + "/members/" + s.owner.UserID.String(), `{"role":"member"}`, 409, "", "owner"},
	})
	s.unchanged(t, one)
}

// unchanged demands that the graph of a project is as it was made.
func (s *server) unchanged(t *testing.T, one string) {
	t.Helper()
	var page client.GraphPage
	decode(t, s.expect(t, 200, owner, "GET "+one+"/graph"), &page)
	if len(page.Entities) != 2 || len(page.Entities[0].Observations) != 1 || len(page.Relations) != 1 ||
		page.Entities[0].AllowedVendors[0] != loci.AnyVendor {
		b, _ := json.Marshal(page)
		t.Errorf("something was written: %s", b)
	}
	var list client.ProjectList
	decode(t, s.expect(t, 200, owner, "GET /projects?status=all"), &list)
	if len(list.Projects) != 1 || list.Projects[0].Name != "kept" || list.Projects[0].Status != loci.ProjectActive {
		t.Errorf("the projects changed: %+v", list.Projects)
	}
}

// long: a table of cases is data.
func TestBadGraphs(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.write(t, owner, `{"title": "kept", "content": "as it is"}`)
	g := s.graph(t, owner, "kept", "")
	one := "/projects/" + g.project
	at := one + "/graph"
	entities := func(list string) string { return `{"entities":` + list + `}` }
	const x = `{"name":"x","entity_type":"y"}`
	s.refuses(t, []badInput{
		{"no entities", "POST " + at + "/entities", `{}`, 400, "entities", "is required"},
		{"null", "POST " + at + "/entities", `{"entities":null}`, 400, "entities", "must be a list"},
		{"none", "POST " + at + "/entities", entities(`[]`), 400, "entities", "at least 1"},
		{"1,001", "POST " + at + "/entities", entities(many(1001, x)), 400, "entities", "at most 1000"},
		{"no type", "POST " + at + "/entities", entities(`[{"name":"x"}]`), 400, "entities[0].entity_type", "is required"},
		{"empty type", "POST " + at + "/entities", entities(`[{"name":"x","entity_type":""}]`), 400,
			"entities[0].entity_type", "must not be empty"},
		{"long type", "POST " + at + "/entities", entities(`[` + x + `,{"name":"x","entity_type":"` + big(101) + `"}]`),
			400, "entities[1].entity_type", "longer than 100"},
		{"long name", "POST " + at + "/entities", entities(`[{"name":"` + big(501) + `","entity_type":"y"}]`), 400,
			"entities[0].name", "longer than 500"},
		{"long observation", "POST " + at + "/entities",
			entities(`[{"name":"x","entity_type":"y","observations":["` + big(100_001) + `"]}]`), 400,
			"entities[0].observations[0]", "longer than 100000"},
		{"1,001 observations", "POST " + at + "/entities",
			entities(`[{"name":"x","entity_type":"y","observations":` + many(1001, `"o"`) + `}]`), 400,
			"entities[0].observations", "at most 1000"},
		{"text for observations", "POST " + at + "/entities",
			entities(`[{"name":"x","entity_type":"y","observations":"o"}]`), 400, "entities[0].observations", "must be a list"},
		{"spelling of the reference", "POST " + at + "/entities", entities(`[{"name":"x","entityType":"y"}]`), 400,
			"entities[0].entityType", "is an unknown field"},
		{"origin", "POST " + at + "/entities", entities(`[` + x + `]`)[:len(entities(`[`+x+`]`))-1] + `,"origin":"cursor"}`,
			400, "origin", "comes from the credential"},
		{"null vendors", "POST " + at + "/entities", `{"entities":[` + x + `],"allowed_vendors":null}`, 400,
			"allowed_vendors", "must be a list"},
		{"no vendor", "POST " + at + "/entities", `{"entities":[` + x + `],"allowed_vendors":[]}`, 400,
			"allowed_vendors", "at least 1"},
		{"bad vendor", "POST " + at + "/entities", `{"entities":[` + x + `],"allowed_vendors":["cl aude"]}`, 400,
			"allowed_vendors[0]", "vendor name"},
		{"twice", "POST " + at + "/entities", `{"entities":[` + x + `],"entities":[]}`, 400, "entities", "appears twice"},
		{"too large", "POST " + at + "/entities",
			entities(`[{"name":"x","entity_type":"y","observations":["` + big(16<<20) + `"]}]`), 413, "",
			"larger than 16777216 bytes"},
		{"too many values", "POST " + at + "/entities", entities(many(random.Rounds(5_000_000, 500_000), `{}`)),
			400, "", "more than 262144 values"},
		{"as many values as a body takes", "POST " + at + "/entities", entities(many(260_000, `{}`)), 400, "entities",
			"at most 1000"},

		{"no contents", "POST " + at + "/observations", `{"observations":[{"entity_name":"website"}]}`, 400,
			"observations[0].contents", "is required"},
		{"empty content", "POST " + at + "/observations", `{"observations":[{"entity_name":"website","contents":[""]}]}`,
			400, "observations[0].contents[0]", "must not be empty"},
		{"no such entity", "POST " + at + "/observations",
			`{"observations":[{"entity_name":"websites","contents":["x"]}]}`, 404, "", "websites"},
		{"no such type", "POST " + at + "/observations",
			`{"observations":[{"entity_name":"website","entity_type":"person","contents":["x"]}]}`, 404, "", "website"},
		{"null vendors of observations", "POST " + at + "/observations",
			`{"observations":[{"entity_name":"website","contents":["x"]}],"allowed_vendors":null}`, 400, "allowed_vendors",
			"must be a list"},
		{"no such end", "POST " + at + "/relations",
			`{"relations":[{"from":"website","to":"nowhere","relation_type":"uses"}]}`, 404, "", "nowhere"},
		{"no relation type", "POST " + at + "/relations", `{"relations":[{"from":"website","to":"API gateway"}]}`, 400,
			"relations[0].relation_type", "is required"},
		{"null vendors of relations", "POST " + at + "/relations",
			`{"relations":[{"from":"website","to":"API gateway","relation_type":"is"}],"allowed_vendors":null}`, 400,
			"allowed_vendors", "must be a list"},

		{"deleting nothing", "POST " + at + "/entities/delete", `{}`, 400, "names", "is required"},
		{"deleting by both", "POST " + at + "/entities/delete", `{"names":["website"],"entities":[{"name":"website"}]}`,
			400, "names", "one of them"},
		{"deleting 1,001", "POST " + at + "/entities/delete", `{"names":` + many(1001, `"website"`) + `}`, 400, "names",
			"at most 1000"},
		{"no content to delete", "POST " + at + "/observations/delete", `{"deletions":[{"entity_name":"API gateway"}]}`,
			400, "deletions[0].observations", "is required"},
		{"too large for a deletion", "POST " + at + "/entities/delete", `{"names":["` + big(1<<20) + `"]}`, 413, "",
			"larger than 1048576 bytes"},
		{"restoring nothing", "POST " + at + "/restore", `{}`, 400, "", "the body is empty"},
		{"restoring 1,001", "POST " + at + "/restore", `{"entities":` + many(600,
			`"`+absent+`"`) + `,"relations":` + many(401, `"`+absent+`"`) + `}`, 400, "", "together have 1001 ids"},
		{"restoring what is no id", "POST " + at + "/restore", `{"entities":["x"]}`, 400, "entities[0]", "UUID"},
		{"restoring what is there", "POST " + at + "/restore", `{"entities":["` + g.gone + `","` + g.website + `"]}`,
			404, "", "Nothing was changed"},
		{"merging with itself", "POST " + at + "/merge", `{"from":"` + g.website + `","into":"` + g.website + `"}`, 400,
			"into", "must be another entity"},
		{"merging with nothing", "POST " + at + "/merge", `{"from":"` + g.website + `","into":"` + absent + `"}`, 404,
			"", "no such entity"},
		{"vendors of nothing", "PUT " + at + "/vendors", `{"allowed_vendors":["*"]}`, 400, "", "the body is empty"},
		{"no vendors", "PUT " + at + "/vendors", `{"entities":["` + g.website + `"]}`, 400, "allowed_vendors", "is required"},
		{"vendors of what is not there", "PUT " + at + "/vendors",
			`{"entities":["` + g.website + `","` + absent + `"],"allowed_vendors":["cursor"]}`, 404, "", "Nothing was changed"},

		{"no q", "GET " + at + "/search", "", 400, "q", "is required"},
		{"long q", "GET " + at + "/search?q=" + big(501), "", 400, "q", "longer than 500"},
		{"half a phrase", "GET " + at + "/search?q=%22a", "", 400, "q", "q "},
		{"a parenthesis too many", "GET " + at + "/search?q=a)", "", 400, "q", "parentheses"},
		{"no word", "GET " + at + "/search?q=%3F", "", 400, "q", "a word to search for"},
		{"limit of a search", "GET " + at + "/search?q=a&limit=101", "", 400, "limit", "at most 100"},
		{"cursor of a search", "GET " + at + "/search?q=a&cursor=x", "", 400, "cursor", "does not belong"},
		{"limit of a page", "GET " + at + "?limit=501", "", 400, "limit", "at most 500"},
		{"cursor of a page", "GET " + at + "?cursor=AAAA", "", 400, "cursor", "does not belong"},
		{"cursor of observations", "GET " + at + "/entities/" + g.gateway + "/observations?cursor=AAAA", "", 400,
			"cursor", "does not belong"},
		{"cursor of relations", "GET " + at + "/entities/" + g.gateway + "/relations?cursor=AAAA", "", 400, "cursor",
			"does not belong"},
		{"limit of a history", "GET " + at + "/entities/" + g.gateway + "/history?limit=1001", "", 400, "limit",
			"at most 1000"},
		{"limit of the trash", "GET " + at + "/trash?limit=1001", "", 400, "limit", "at most 1000"},
		{"far", "GET " + at + "/entities/" + g.gateway + "/neighbours?hops=6", "", 400, "hops", "at most 5"},
		{"many neighbours", "GET " + at + "/entities/" + g.gateway + "/neighbours?limit=101", "", 400, "limit",
			"at most 100"},
		{"entity that is none", "GET " + at + "/entities/5", "", 404, "", "no such entity"},
		{"deleted entity", "GET " + at + "/entities/" + g.gone, "", 404, "", "no such entity"},
		{"format", "GET " + at + "/export?format=csv", "", 400, "format", "loci, reference"},
		{"nothing to import", "POST " + at + "/import", "", 400, "", "lines of JSON"},
		{"too large to import", "POST " + at + "/import", big(16<<20 + 1), 413, "", "larger than 16777216 bytes"},
		{"vendor of an import", "POST " + at + "/import?allowed_vendors=cl%20aude", "{}", 400, "allowed_vendors[0]",
			"vendor name"},
		{"import of the other format", "POST " + at + "/import Content-Type: application/json", "{}", 415,
			"Content-Type", "application/x-ndjson"},
		{"lines for entities", "POST " + at + "/entities Content-Type: application/x-ndjson", "{}", 415, "Content-Type",
			"application/json"},
		{"an import that is compressed", "POST " + at + "/import Content-Encoding: gzip", "{}", 415, "Content-Encoding",
			"compressed"},
	})
	s.unchanged(t, one)
}

// TestGraphOfAnArchivedProject demands that all routes about it say so.
func TestGraphOfAnArchivedProject(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	g := s.graph(t, owner, "kept", "")
	s.expect(t, 200, owner, "POST /projects/"+g.project+"/archive")
	sent := 0
	for path, item := range readDocument(t, s).paths {
		if !strings.HasPrefix(path, "/projects/{id}/graph") {
			continue
		}
		for method, op := range item.(map[string]any) {
			sent++
			path := strings.NewReplacer("{id}", g.project, "{entity}", g.gateway, "/search", "/search?q=x").Replace(path)
			body := strings.NewReplacer("6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e", g.gateway).Replace(exampleBody(op))
			w := s.do(strings.ToUpper(method), path, owner, body)
			if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "archived") ||
				!strings.Contains(w.Body.String(), "estore") {
				t.Errorf("%s %s: got %d %s", method, path, w.Code, w.Body)
			}
		}
	}
	if sent != 21 {
		t.Errorf("%d routes were tried, want 21", sent)
	}
}

// TestManyRefusedItems demands that every refused item has its reason, and that
// the text stays short.
func TestManyRefusedItems(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	g := s.graph(t, owner, "p", "")
	var items []string
	for i := range 1000 {
		items = append(items, fmt.Sprintf(`{"entity_name":"never %d","contents":["x"]}`, i))
	}
	w := s.expect(t, 404, owner, "POST /projects/"+g.project+`/graph/observations {"observations":[`+
		strings.Join(items, ",")+`]}`)
	p := problemOf(t, w.Body.Bytes())
	if len(p.Items) != 1000 || p.Items[999].Index != 999 || p.Items[999].Code != loci.NotFound ||
		!strings.Contains(p.Items[999].Text, "never 999") {
		t.Errorf("got %d items: %s", len(p.Items), cutText(w.Body.String()))
	}
	if strings.Contains(p.Error, "never 10\"") || !strings.Contains(p.Error, "never 9") || !strings.Contains(p.Error,
		"990 further reasons") || !strings.Contains(p.Error, "Nothing was changed") {
		t.Errorf("the text is %s", cutText(p.Error))
	}
}

// TestBulkBodies demands that what stores in a graph takes up to 16 MiB.
func TestBulkBodies(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	g := s.graph(t, owner, "p", "")
	at := "/projects/" + g.project + "/graph"
	text := strings.Repeat("word ", 19_000)
	var items, lines []string
	for i := range 120 {
		items = append(items, fmt.Sprintf(`{"name":"e%d","entity_type":"t","observations":["%s"]}`, i, text))
		lines = append(lines, fmt.Sprintf(`{"type":"entity","name":"l%d","entityType":"t","observations":["%s"]}`, i, text))
	}
	body := `{"entities":[` + strings.Join(items, ",") + `]}`
	if len(body) < 10<<20 {
		t.Fatalf("the body has only %d bytes", len(body))
	}
	s.expect(t, 201, owner, "POST "+at+"/entities "+body)
	var got client.GraphImported
	decode(t, s.expect(t, 200, owner, "POST "+at+"/import "+strings.Join(lines, "\n")), &got)
	if got.Entities != 120 || got.Refused != 0 {
		t.Errorf("the import stored %d entities and refused %d lines", got.Entities, got.Refused)
	}
	var page client.GraphPage
	w := s.expect(t, 200, owner, "GET "+at+"?limit=500")
	decode(t, w, &page)
	if !page.HasMore || page.Left+len(page.Entities) != 242 || w.Body.Len() > 3<<20 {
		t.Errorf("a page has %d entities in %d bytes, and %d are left", len(page.Entities), w.Body.Len(), page.Left)
	}
}

// TestNamesAreTrimmed saves under names that only look different: with blanks outside, in another form of Unicode, and
// with characters without width.
func TestNamesAreTrimmed(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	g := s.graph(t, owner, "garden", "")
	at := "POST /projects/" + g.project + "/graph"
	var put client.PutEntities
	decode(t, s.expect(t, 201, owner, at+`/entities {"entities":[{"name":" API gateway ","entity_type":" service ",`+
		`"observations":["new"]},{"name":"Cafe\u0301","entity_type":"ser\u200bvice"},`+
		`{"name":"Caf\u00e9","entity_type":"service"}]}`), &put)
	if e := put.Entities; len(e) != 3 || e[0].ID.String() != g.gateway || e[0].Name != "API gateway" ||
		e[1].ID != e[2].ID || e[1].Name != "Caf\u00e9" || e[1].Type != "service" {
		t.Errorf("got %+v", e)
	}
	var relations client.PutRelations
	decode(t, s.expect(t, 200, owner, at+`/relations {"relations":[{"from":"\ufeffwebsite","to":" API gateway",`+
		`"relation_type":" uses "}]}`), &relations)
	if r := relations.Relations; len(r) != 1 || r[0].Type != "uses" || r[0].Created {
		t.Errorf("got %+v", r)
	}
	const save = `POST /memories {"title":"Deploys","content":"%s","key":"%s","category":"%s","tags":[%s]}`
	var first, second loci.Memory
	decode(t, s.expect(t, 201, owner, fmt.Sprintf(save, "on Tuesdays", " deploy.day\u00a0", `Cafe\u0301`,
		`" ops ","ops","o\u200bps"`)), &first)
	decode(t, s.expect(t, 200, owner, fmt.Sprintf(save, "on Fridays", "deploy.day", `Caf\u00e9`, `"ops"`)), &second)
	if first.Key != "deploy.day" || first.Category != "Caf\u00e9" || len(first.Tags) != 1 || first.Tags[0] != "ops" ||
		second.ID != first.ID || second.Category != first.Category {
		t.Errorf("got %+v, then %+v", first, second)
	}
}
