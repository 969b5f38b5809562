package rest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
)

// TestOpenAPISaysWhatIsTaken compares schemas with what the routes take: each
// body is valid by both, or by neither.
func TestOpenAPISaysWhatIsTaken(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	d := readDocument(t, s)
	fresh := s.session(t, loci.DefaultOrg, s.owner.UserID, 0)
	g := s.graph(t, fresh, "garden", "")
	memory := s.write(t, owner, `{"title":"t","content":"c"}`).ID.String()
	var node loci.MemoryNode
	decode(t, s.expect(t, 201, fresh, `POST /memory-nodes {"name":"n"}`), &node)
	node1, graph := "/memory-nodes/"+node.ID.String()+"/items", "/projects/"+g.project+"/graph"
	for body, taken := range map[string]bool{
		`POST /memories/list {"limit":5.0}`: true,
		`POST /memories/list {"limit":5e0}`: true,
		`POST /memories/list {"limit":5.5}`: false,
		`POST /memories {"title":"t","content":"c","importance":7.0,"allowed_vendors":["claude"]}`:              true,
		`POST /memories {"title":"t","content":"c","allowed_vendors":["Claude!"]}`:                              false,
		`POST /memories {"title":"t","content":"c","allowed_vendors":["*"]}`:                                    true,
		`POST /agents {"name":"a","vendor":"claude","config":{"x":1.0}}`:                                        true,
		`POST /agents {"name":"b","vendor":"claude","config":[1]}`:                                              false,
		`POST /orgs/default/invite {"emails":["noor@example.org"]}`:                                             true,
		"POST " + graph + `/open {"names":["x"]}`:                                                               true,
		"POST " + graph + `/open {"entities":[{"name":"x"}]}`:                                                   true,
		"POST " + graph + `/open {}`:                                                                            false,
		"POST " + graph + `/open {"names":["x"],"entities":[{"name":"x"}]}`:                                     false,
		"POST " + node1 + ` {"kind":"text","text":"t"}`:                                                         true,
		"POST " + node1 + ` {"kind":"memory","memory_id":"` + memory + `"}`:                                     true,
		"POST " + node1 + ` {"kind":"memory","text":"t"}`:                                                       false,
		"POST " + node1 + ` {"kind":"entity","text":"t"}`:                                                       false,
		"POST " + node1 + ` {"kind":"text","text":"t","memory_id":"` + memory + `"}`:                            false,
		"POST " + node1 + ` {"kind":"entity","project_id":"` + g.project + `"}`:                                 false,
		"POST " + node1 + ` {"kind":"entity","project_id":"` + g.project + `","entity_id":"` + g.website + `"}`: true,
	} {
		method, rest, _ := strings.Cut(body, " ")
		path, text, _ := strings.Cut(rest, " ")
		w := s.do(method, path, fresh, text, "Sec-Fetch-Site: same-origin")
		if got := w.Code < 300; got != taken {
			t.Errorf("%s: got %d %s, want it taken: %v", body, w.Code, w.Body, taken)
		}
		schema := at(d.operation(method, path), "requestBody", "content", "application/json", "schema")
		if err := d.validate(schema, jsonOf(t, text)); (err == nil) != taken {
			t.Errorf("%s is valid by the schema: %v, want %v (%v)", body, err == nil, taken, err)
		}
	}
}

func jsonOf(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestOpenAPIFormats(t *testing.T) {
	t.Parallel()
	d := readDocument(t, newServer(t))
	for path, want := range map[string]string{"Invitation/properties/emails/items/format": "email",
		"Agent/properties/config/type": "object"} {
		if got := at(at(d.raw, "components", "schemas"), strings.Split(path, "/")...); got != want {
			t.Errorf("%s is %v, want %s", path, got, want)
		}
	}
}

// keywords are those of OpenAPI 3.1 and JSON Schema that our schemas have. Linters reject others without x-.
var keywords = []string{"$ref", "$schema", "additionalProperties", "anyOf", "const", "contentEncoding",
	"contentMediaType", "default", "dependentRequired", "deprecated", "description", "enum", "examples",
	"exclusiveMaximum", "exclusiveMinimum", "format", "items", "maxItems", "maxLength",
	"maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum", "multipleOf", "oneOf", "pattern",
	"properties", "readOnly", "required", "title", "type", "uniqueItems", "writeOnly"}

// TestOpenAPIHasKnownKeywords looks at each schema and operation of both documents, as a linter does.
func TestOpenAPIHasKnownKeywords(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, path := range []string{"/openapi.json", "/openapi-agent.json"} {
		d := jsonOf(t, s.do("GET", path, "", "").Body.String())
		seen := 0
		var visit func(where string, v any, schema bool)
		visit = func(where string, v any, schema bool) {
			list, _ := v.([]any)
			for i, one := range list {
				visit(fmt.Sprintf("%s[%d]", where, i), one, schema)
			}
			for key, child := range asMap(v) {
				at := where + "." + key
				if schema {
					seen++
				}
				if schema && !slices.Contains(keywords, key) && !strings.HasPrefix(key, "x-") {
					t.Errorf("%s: %s is no keyword of a schema", path, at)
				}
				switch key {
				case "example", "examples", "default", "enum", "const": // values
				case "properties", "schemas":
					for name, one := range asMap(child) {
						visit(at+"."+name, one, true)
					}
				default:
					visit(at, child, key == "schema" || schema)
				}
			}
		}
		visit("", d, false)
		if seen < 500 {
			t.Errorf("%s: only %d keywords were seen", path, seen)
		}
		for route, item := range asMap(at(d, "paths")) {
			for method, op := range asMap(item) {
				if _, ok := at(op, "security").([]any); !ok {
					t.Errorf("%s: %s %s does not say which credentials it requires", path, method, route)
				}
			}
		}
	}
}

// TestOpenAPIProblemIsOurs compares the example of an error with the answer that it stands for.
func TestOpenAPIProblemIsOurs(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	schemas := at(readDocument(t, s).raw, "components", "schemas")
	long := s.do("POST", "/memories", owner, `{"title":"`+strings.Repeat("t", 501)+`","content":"c"}`)
	for field, got := range jsonOf(t, long.Body.String()).(map[string]any) {
		if want := exampleOf(schemas, "Problem", field); want != got {
			t.Errorf("the example of %s in client.Problem is %v, but the server answers %v", field, want, got)
		}
	}
	missing := problemOf(t, s.do("PUT", "/memories/"+absent, owner,
		`{"content":"c","tags":[],"allowed_vendors":["*"]}`).Body.Bytes())
	for field, got := range map[string]string{"field": missing.Field, "detail": missing.Detail} {
		if want := exampleOf(schemas, "FieldProblem", field); want != got {
			t.Errorf("the example of %s in client.FieldProblem is %v, but the server answers %q", field, want, got)
		}
	}
}

func exampleOf(schemas any, schema, field string) any {
	examples, _ := at(schemas, schema, "properties", field, "examples").([]any)
	return append(examples, nil)[0]
}

// TestOpenAPILinks demands a link from what makes a thing to what gets it.
func TestOpenAPILinks(t *testing.T) {
	t.Parallel()
	d := readDocument(t, newServer(t))
	for from, to := range map[string]string{"/memories": "getMemory", "/agents": "getAgent",
		"/projects": "getProject", "/sessions": "getSession", "/tasks": "getTask"} {
		link := at(d.paths[from], "post", "responses", "201", "links", "get")
		if at(link, "operationId") != to || at(link, "parameters", "id") != "$response.body#/id" {
			t.Errorf("POST %s has the link %v, want one to %s", from, link, to)
		}
	}
}

// TestAWrongMethodComesFirst: what else is wrong with a request does not matter
// where there is no such route.
func TestAWrongMethodComesFirst(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for method, want := range map[string]int{"PUT": 405, "GET": 400} {
		if w := s.do(method, "/whoami", claude, "", "Loci-Session: nonsense"); w.Code != want {
			t.Errorf("%s with a bad session: got %d %s, want %d", method, w.Code, w.Body, want)
		}
	}
}

// TestDefaultConfidenceInTexts compares the default bound of a recall with the texts that have it, which are no code.
func TestDefaultConfidenceInTexts(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/recall.md")
	if err != nil {
		t.Fatal(err)
	}
	document := newServer(t).do("GET", "/openapi.json", "", "").Body.String()
	for form, text := range map[string]string{`"default":%v,`: document, `the best 10 matches has %v"`: document,
		"the best 10 hits has a confidence of %v.": string(page)} {
		if want := fmt.Sprintf(form, recall.DefaultConfidence); !strings.Contains(text, want) {
			t.Errorf("no text has %s", want)
		}
	}
}
