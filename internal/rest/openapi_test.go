package rest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// document is /openapi.json, read by somebody else's eyes: the schemas are
// those of an independent JSON Schema library. Its paths are without /api/v1, which every path in
// the document has: both serve the same.
type document struct {
	raw   map[string]any
	paths map[string]any
	defs  map[string]json.RawMessage

	mu    sync.Mutex
	cache map[string]*jsonschema.Resolved
}

// documents holds one document for each text, because the servers of most tests have the same one.
var documents sync.Map

func readDocument(t *testing.T, s *server) *document {
	t.Helper()
	w := s.do("GET", "/openapi.json", "", "")
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("GET /openapi.json: got %d %s", w.Code, w.Header().Get("Content-Type"))
	}
	text := w.Body.String()
	if d, ok := documents.Load(text); ok {
		return d.(*document)
	}
	d := &document{cache: map[string]*jsonschema.Resolved{}}
	var schemas struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := errors.Join(json.Unmarshal([]byte(text), &d.raw), json.Unmarshal([]byte(text), &schemas)); err != nil {
		t.Fatal(err)
	}
	d.paths, d.defs = map[string]any{}, schemas.Components.Schemas
	for path, item := range asMap(d.raw["paths"]) {
		short, ok := strings.CutPrefix(path, "/api/v1")
		if !ok {
			t.Errorf("the document has %s, which is only another name", path)
		}
		d.paths[short] = item
	}
	documents.Store(text, d)
	return d
}

// at walks objects by name; nil if a step is missing.
func at(v any, path ...string) any {
	for _, step := range path {
		m, _ := v.(map[string]any)
		v = m[step]
	}
	return v
}

// openToAll reports whether an operation needs no credential.
func openToAll(op any) bool {
	ways, _ := at(op, "security").([]any)
	return len(ways) == 0
}

const componentPrefix = "#/components/schemas/"

var component = regexp.MustCompile(componentPrefix + `(\w+)`)

// needed adds to defs the components that a schema refers to, and those that they refer to.
func (d *document) needed(schema []byte, defs map[string]json.RawMessage) {
	for _, m := range component.FindAllSubmatch(schema, -1) {
		name := string(m[1])
		if def, ok := d.defs[name]; ok && defs[name] == nil {
			defs[name] = def
			d.needed(def, defs)
		}
	}
}

// schema resolves a schema of the document.
func (d *document) schema(schema any) (*jsonschema.Resolved, error) {
	b, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.cache[string(b)]; r != nil {
		return r, nil
	}
	defs := map[string]json.RawMessage{}
	d.needed(b, defs)
	whole, err := json.Marshal(map[string]any{"allOf": []json.RawMessage{b}, "$defs": defs})
	if err != nil {
		return nil, err
	}
	var root jsonschema.Schema
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(whole), componentPrefix, "#/$defs/")), &root); err != nil {
		return nil, err
	}
	r, err := root.Resolve(nil)
	d.cache[string(b)] = r
	return r, err
}

func (d *document) validate(schema any, value any) error {
	r, err := d.schema(schema)
	if err != nil {
		return fmt.Errorf("the schema does not resolve: %w", err)
	}
	return r.Validate(value)
}

// operation finds what the document says of a request.
func (d *document) operation(method, path string) any {
	path, _, _ = strings.Cut(strings.TrimPrefix(path, "/api/v1"), "?")
	parts := strings.Split(path, "/")
	var found any
	for template, item := range d.paths {
		steps := strings.Split(template, "/")
		same := len(steps) == len(parts)
		for i := 0; same && i < len(parts); i++ {
			same = steps[i] == parts[i] || strings.HasPrefix(steps[i], "{")
		}
		if op := at(item, strings.ToLower(method)); same && op != nil && (found == nil || !strings.Contains(template, "{")) {
			found = op
		}
	}
	return found
}

// checkAnswer demands that an answer is what the document promises.
func (d *document) checkAnswer(t *testing.T, method, path string, status int, contentType string, body []byte) {
	t.Helper()
	if method == http.MethodHead {
		return
	}
	op := d.operation(method, path)
	if op == nil {
		if status != 401 && status != 404 && status != 405 {
			t.Errorf("%s %s is not in the document but answers %d", method, path, status)
		}
		return
	}
	answer := at(op, "responses", strconv.Itoa(status))
	if answer == nil {
		t.Errorf("%s %s answers %d, which the document does not mention", method, path, status)
		return
	}
	contentType, _, _ = strings.Cut(contentType, ";")
	media := at(answer, "content", contentType)
	if media == nil {
		media = at(answer, "content", "*/*")
	}
	if len(body) == 0 {
		return
	}
	if media == nil {
		t.Errorf("%s %s answers %d with %s, which the document does not mention", method, path, status, contentType)
		return
	}
	if contentType == "text/event-stream" {
		d.checkEvents(t, at(media, "schema"), string(body))
		return
	}
	if !strings.Contains(contentType, "json") || strings.Contains(contentType, "ndjson") {
		return
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		t.Fatal(err)
	}
	if err := d.validate(at(media, "schema"), value); err != nil {
		t.Errorf("%s %s: the answer is not as documented: %v\n%s", method, path, err, body)
	}
}

// checkEvents demands that each event of a stream is as documented. Blocks without data are no events.
func (d *document) checkEvents(t *testing.T, schema any, stream string) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSpace(stream), "\n\n") {
		event := map[string]any{}
		for line := range strings.SplitSeq(block, "\n") {
			if name, value, _ := strings.Cut(line, ": "); name != "" {
				event[name] = value
			}
		}
		if event["data"] == nil {
			continue
		}
		if err := d.validate(schema, event); err != nil {
			t.Errorf("an event is not as documented: %v\n%s", err, block)
		}
		feed := map[string]any{"$ref": componentPrefix + "FeedEvent"}
		if err := d.validate(feed, jsonOf(t, event["data"].(string))); event["event"] == "change" && err != nil {
			t.Errorf("a change is no FeedEvent: %v\n%s", err, block)
		}
	}
}

func TestOpenAPIHasEveryRoute(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	d := readDocument(t, s)
	want, got := slices.Clone(theRoutes), []string(nil)
	for _, r := range theRoutes {
		method, path, _ := strings.Cut(r, " ")
		for _, prefix := range []string{"", "/api/v1"} {
			w := s.do("TRACE", prefix+path, owner, "")
			if w.Code != 405 || !slices.Contains(strings.Split(w.Header().Get("Allow"), ", "), method) {
				t.Errorf("%s%s: got %d, Allow %q; want it to allow %s", prefix, path, w.Code, w.Header().Get("Allow"), method)
			}
		}
	}
	ids := map[string]bool{}
	for path, item := range d.paths {
		for method, op := range item.(map[string]any) {
			got = append(got, strings.ToUpper(method)+" "+path)
			id, _ := at(op, "operationId").(string)
			if id == "" || ids[id] {
				t.Errorf("%s %s: operationId %q is empty or taken", method, path, id)
			}
			ids[id] = true
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the document has %d operations, want %d:\ngot  %v\nwant %v", len(got), len(want), got, want)
	}
}

func TestOpenAPIOperations(t *testing.T) {
	t.Parallel()
	d := readDocument(t, newServer(t))
	for path, item := range d.paths {
		for method, op := range item.(map[string]any) {
			name := method + " " + path
			if text, _ := at(op, "description").(string); text == "" || len(text) > 300 {
				t.Errorf("%s: the description has %d characters, want 1 to 300", name, len(text))
			}
			if at(op, "summary") == nil || at(op, "responses", "500") == nil {
				t.Errorf("%s: summary or the answer 500 is missing", name)
			}
			public := slices.Contains([]string{"/health", "/ready", "/openapi.json", "/openapi-agent.json"}, path)
			if ways, stated := at(op, "security").([]any); !stated || (len(ways) > 0) == public {
				t.Errorf("%s: security is %v", name, at(op, "security"))
			}
			if body := at(op, "requestBody"); body != nil {
				media := at(body, "content", "application/json")
				if media != nil && at(body, "content", "application/octet-stream") != nil {
					t.Errorf("%s: the body is said to be JSON or binary", name)
				}
				for _, other := range []string{"application/x-ndjson", "application/octet-stream"} {
					if media == nil {
						media = at(body, "content", other)
					}
				}
				d.checkExample(t, name+" request", media)
			}
			success := at(op, "responses", "200")
			if success == nil {
				success = at(op, "responses", "201")
			}
			media := at(success, "content", "application/json")
			for _, other := range []string{"application/x-ndjson", "text/event-stream", "application/octet-stream"} {
				if media == nil {
					media = at(success, "content", other)
				}
			}
			if success != nil || at(op, "responses", "204") == nil {
				d.checkExample(t, name+" answer", media)
			}
			for status, answer := range at(op, "responses").(map[string]any) {
				for contentType, media := range asMap(at(answer, "content")) {
					if _, err := d.schema(at(media, "schema")); err != nil {
						t.Errorf("%s %s %s: %v", name, status, contentType, err)
					}
				}
			}
		}
	}
}

func asMap(v any) map[string]any { m, _ := v.(map[string]any); return m }

func (d *document) checkExample(t *testing.T, name string, media any) {
	t.Helper()
	example := at(media, "example")
	if example == nil {
		t.Errorf("%s has no example", name)
		return
	}
	if err := d.validate(at(media, "schema"), example); err != nil {
		t.Errorf("%s: the example does not fit the schema: %v", name, err)
	}
}

// exampleBody is the documented example of a request, as it is sent; "" if it
// has no body.
func exampleBody(op any) string {
	if lines, ok := at(op, "requestBody", "content", "application/x-ndjson", "example").(string); ok {
		return lines
	}
	example := at(op, "requestBody", "content", "application/json", "example")
	if example == nil {
		return ""
	}
	b, _ := json.Marshal(example) // it was read from JSON
	return string(b)
}

// refusedExamples are examples that the state of the test's server refuses.
var refusedExamples = map[string]int{
	"delete /orgs/{id}": 409, // it has other members
	"delete /users/me":  409, // the person made the org
	"post /teams":       409, // the person is in one
	"post /teams/join":  404, // the token is made up; the transcripts join

	"post /users/me/passkeys": 400, // no browser made it; the tests of internal/web add some

	"patch /admin/clients":          403, // the person is no instance admin
	"patch /admin/orgs/{id}":        403,
	"post /admin/orgs":              403,
	"put /settings/{key}":           403,
	"post /suggestions/{id}/accept": 404, // there is none; the transcripts accept some
}

// TestOpenAPIExamplesWork sends each documented example of a request, with
// ids and words of a server that has everything.
func TestOpenAPIExamplesWork(t *testing.T) {
	t.Parallel()
	for path, item := range readDocument(t, newServer(t)).paths {
		for method, op := range item.(map[string]any) {
			body := exampleBody(op)
			if body == "" || strings.HasPrefix(path, "/api/v1") { // there stand the same handlers
				continue
			}
			name := method + " " + path
			s, session, fill := peopled(t)
			w := s.do(strings.ToUpper(method), fill(path)+neededQuery[strings.ToUpper(method)+" "+path], session, fill(body))
			if want := refusedExamples[name]; w.Code/100 != 2 && w.Code != want || w.Code/100 == 2 && want != 0 {
				t.Errorf("%s with its own example %s: got %d %s", name, fill(body), w.Code, w.Body)
			}
		}
	}
}

// otherExample is the id of a second thing in the examples.
const otherExample = "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"

// peopled is a server with something of every kind. fill puts the ids and the
// words of its owner into a path or an example.
func peopled(t *testing.T) (s *server, session string, fill func(string) string) {
	t.Helper()
	s = newServer(t)
	if err := s.app.Identity.SetOwnerEmail(t.Context(), "mara@example.org"); err != nil {
		t.Fatal(err)
	}
	noor := s.addUser(t, loci.DefaultOrg, "noor2@example.org", loci.Member)
	team := s.addTeam(t, loci.DefaultOrg, "Old name", s.owner.UserID, noor.ID)
	session = s.session(t, loci.DefaultOrg, s.owner.UserID, time.Minute)
	key, _ := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{})
	memory := s.write(t, owner, `{"title": "x", "content": "y"}`)
	var workspace loci.Workspace
	decode(t, s.request(session, `POST /orgs/default/workspaces {"name":"First"}`), &workspace)
	if w := s.request(session, "PUT /orgs/default/workspaces/"+workspace.ID.String()+"/members/"+
		s.owner.UserID.String()); w.Code/100 != 2 {
		t.Fatalf("joining a workspace: got %d %s", w.Code, w.Body)
	}
	if w := s.request(session, `PATCH /orgs/default {"workspaces":true}`); w.Code != 200 {
		t.Fatalf("turning workspaces on: got %d %s", w.Code, w.Body)
	}
	g := s.graph(t, session, "First project", "")
	var node, gone loci.MemoryNode
	var item loci.NodeItem
	decode(t, s.expect(t, 201, session, `POST /memory-nodes {"name":"First node"}`), &node)
	decode(t, s.expect(t, 201, session, "POST "+
		"/memory-nodes/"+node.ID.String()+`/items {"kind":"text","text":"First text"}`), &item)
	decode(t, s.expect(t, 201, session, `POST /memory-nodes {"name":"Old node"}`), &gone)
	s.expect(t, 200, session, "DELETE /memory-nodes/"+gone.ID.String())
	s.expect(t, 201, session, `POST /agents {"name":"critic","vendor":"claude"}`)
	s.expect(t, 201, session, `POST /sessions {"title":"work"}`)
	s.expect(t, 201, session, `POST /tasks {"project":"First project","title":"job"}`)
	var question loci.GoldenQuestion
	decode(t, s.expect(t, 201, session, `POST /golden {"question":"which?","expected":["`+memory.ID.String()+`"]}`),
		&question)
	candidates, source := s.candidates(t, session, "decision: One", "decision: Two", "decision: Three")
	s.expect(t, 200, session, "POST /review/candidates/"+candidates[2].ID.String()+"/reject {}")
	const example = "6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"
	return s, session, strings.NewReplacer("/projects/{id}", "/projects/"+g.project, "{entity}", g.gateway,
		"/agents/{id}", "/agents/critic", `"agent_id":"reviewer"`, `"agent_id":"critic"`, "/sessions/{id}", "/sessions/work",
		"/review/candidates/{id}/undo", "/review/candidates/"+candidates[2].ID.String()+"/undo",
		"/review/candidates/{id}", "/review/candidates/"+candidates[0].ID.String(), "/reflections/{id}",
		"/reflections/"+source, `"others":["`+otherExample, `"others":["`+candidates[1].ID.String(),
		"/golden/{id}", "/golden/"+question.ID.String(), `"expected":["`+example, `"expected":["`+memory.ID.String(),
		"/tasks/{id}", "/tasks/job", `"project":"website"`, `"project":"First project"`,
		`"entities":["`+example, `"entities":["`+g.gateway,
		`"into":"`+example, `"into":"`+g.gateway, `"from":"0d9a1b3c-5e7f-4128-8c6d-1e2f3a4b5c6d`, `"from":"`+g.website,
		otherExample, g.gone, "/memories/{id}", "/memories/"+memory.ID.String(), "/teams/{id}",
		"/teams/"+team.ID.String(),
		"/memory-nodes/{id}/restore", "/memory-nodes/"+gone.ID.String()+"/restore", "/memory-nodes/{id}",
		"/memory-nodes/"+node.ID.String(), "{item}", item.ID.String(),
		"/keys/{id}", "/keys/"+key.String(), "/orgs/{id}", "/orgs/default", "{user}", noor.ID.String(), "{workspace}",
		workspace.ID.String(),
		`"workspace_id":"`+example, `"workspace_id":"`+workspace.ID.String(), `"ids":["`+example,
		`"ids":["`+memory.ID.String(), `"memory_id":"`+example, `"memory_id":"`+memory.ID.String(),
		`"acme"`, `"default"`).Replace
}

func TestOpenAPIShape(t *testing.T) {
	t.Parallel()
	d := readDocument(t, newServer(t))
	if v, _ := d.raw["openapi"].(string); !strings.HasPrefix(v, "3.1.") {
		t.Errorf("openapi is %q, want 3.1", v)
	}
	if at(d.raw, "components", "securitySchemes", "bearer", "scheme") != "bearer" {
		t.Error("the bearer scheme is missing")
	}
	checkRefs(t, d, d.raw)
	for name := range asMap(at(d.raw, "components", "schemas")) {
		if _, err := d.schema(map[string]any{"$ref": "#/components/schemas/" + name}); err != nil {
			t.Errorf("schema %s: %v", name, err)
		}
	}
}

// checkRefs resolves every $ref in v.
func checkRefs(t *testing.T, d *document, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			target, inside := strings.CutPrefix(ref, "#/")
			if !inside || at(d.raw, strings.Split(target, "/")...) == nil {
				t.Errorf("$ref %s leads nowhere", ref)
			}
		}
		for _, child := range v {
			checkRefs(t, d, child)
		}
	case []any:
		for _, child := range v {
			checkRefs(t, d, child)
		}
	}
}
