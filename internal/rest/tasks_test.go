package rest_test

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
)

// TestHiddenTaskReadsAsAbsent sends every route about a task to one that the reader may not see, and to one that never
// was, and compares the answers byte by byte.
func TestHiddenTaskReadsAsAbsent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.clock.freeze()
	doc := readDocument(t, s)
	noor := s.addUser(t, loci.DefaultOrg, "noor@loci.example", loci.Member)
	hers := s.session(t, loci.DefaultOrg, noor.ID, 0)
	var open, closed loci.Project
	decode(t, s.expect(t, 201, owner, `POST /projects {"name":"website"}`), &open)
	decode(t, s.expect(t, 201, owner, `POST /projects {"name":"secret","everyone":false}`), &closed)
	_, limited := s.key(t, loci.DefaultOrg, s.owner.UserID,
		auth.KeyRequest{ProjectIDs: []loci.ProjectID{loci.NewProjectID()}})
	add := func(project, title, more string) loci.Task {
		var made loci.Task
		decode(t, s.expect(t, 201, owner, `POST /tasks {"project":"`+project+`","title":"`+title+`"`+more+"}"), &made)
		return made
	}
	forCursor := add("website", "for cursor", `,"allowed_vendors":["cursor"],"state":"doing"`)
	secret := add("secret", "in secret", "")
	sent := 0
	for _, path := range sortedKeys(doc.paths) {
		if !strings.HasPrefix(path, "/tasks/") {
			continue
		}
		for method, op := range doc.paths[path].(map[string]any) {
			for reader, hidden := range map[string][]loci.Task{claude: {forCursor}, hers: {secret},
				limited: {forCursor, secret}} {
				for _, h := range hidden {
					ask := func(id string) string {
						return shown(s.do(strings.ToUpper(method), strings.Replace(path, "{id}", id, 1), reader, exampleBody(op)))
					}
					for _, name := range [][2]string{{h.ID.String(), absent}, {h.Title, "never was"}} {
						sent++
						got, want := ask(strings.ReplaceAll(name[0], " ", "%20")), ask(strings.ReplaceAll(name[1], " ", "%20"))
						if got != want || !strings.Contains(got, "404") && !strings.Contains(got, "403") {
							t.Errorf("%s %s: a hidden task answers\n%s\none that never was\n%s", method, path, got, want)
						}
					}
				}
			}
		}
	}
	if sent < 24 {
		t.Errorf("only %d requests were sent", sent)
	}
	for reader, title := range map[string]string{claude: "for cursor", hers: "in secret", limited: "in secret"} {
		if w := s.expect(t, 200, reader, "GET /tasks"); strings.Contains(w.Body.String(), title) {
			t.Errorf("the list shows %q: %s", title, w.Body)
		}
	}
	none, other := s.expect(t, 400, hers, "GET /tasks?project="+closed.ID.String()),
		s.expect(t, 400, hers, "GET /tasks?project="+absent)
	if shown(none) != shown(other) {
		t.Errorf("a hidden project answers %s, none %s", none.Body, other.Body)
	}
}

// TestTasksHaveVersions changes and deletes a task at its version.
func TestTasksHaveVersions(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.expect(t, 201, owner, `POST /projects {"name":"website"}`)
	first := s.do("POST", "/tasks", claude, `{"project":"website","title":"job"}`, "Idempotency-Key: a")
	again := s.do("POST", "/tasks", claude, `{"project":"website","title":"job"}`, "Idempotency-Key: a")
	replayed(t, first, again)
	if first.Header().Get("ETag") != `"1"` {
		t.Errorf("the tag of a new task is %q", first.Header().Get("ETag"))
	}
	var list client.TaskList
	if decode(t, s.expect(t, 200, owner, "GET /tasks?project=website&state=open"), &list); len(list.Tasks) != 1 {
		t.Fatalf("got %+v, want one task", list)
	}
	const done = `{"state":"done"}`
	if w := s.do("PATCH", "/tasks/job", claude, done, `If-Match: "2"`); w.Code != 412 {
		t.Errorf("at another version: %d %s", w.Code, w.Body)
	}
	w := s.do("PATCH", "/tasks/job", claude, done, `If-Match: "1"`)
	var changed loci.Task
	if decode(t, w, &changed); w.Code != 200 || w.Header().Get("ETag") != `"2"` || changed.DoneAt.IsZero() {
		t.Errorf("at its version: %d %s %+v", w.Code, w.Header().Get("ETag"), changed)
	}
	for _, bad := range []string{`{"state":"open"}`, `{"allowed_vendors":null}`, `{"title":""}`,
		`{"origin":"x"}`, `{"project":"website"}`} {
		if w := s.do("PATCH", "/tasks/job", owner, bad); w.Code != 400 {
			t.Errorf("%s: got %d %s", bad, w.Code, w.Body)
		}
	}
	if w := s.do("PATCH", "/tasks/job", owner, done, `If-Match: x`); w.Code != 400 {
		t.Errorf("a bad If-Match: %d %s", w.Code, w.Body)
	}
	for _, request := range []struct {
		key, match string
		want       int
	}{{claude, `"2"`, 403}, {owner, `"1"`, 412}, {owner, `"2"`, 204}, {owner, "*", 404}} {
		if w := s.do("DELETE", "/tasks/job", request.key, "", "If-Match: "+request.match); w.Code != request.want {
			t.Errorf("DELETE at %s: got %d %s, want %d", request.match, w.Code, w.Body, request.want)
		}
	}
}
