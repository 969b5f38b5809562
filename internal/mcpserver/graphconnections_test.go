package mcpserver_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// localClient connects the official client over stdio, until the test ends.
func (w *world) localClient(t *testing.T, version string) *mcp.ClientSession {
	t.Helper()
	in, out, wait := w.stdio(context.Background())
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(context.Background(), &mcp.IOTransport{Reader: io.NopCloser(out), Writer: in},
			&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	w.ends = append(w.ends, func() { once.Do(func() { _, _ = session.Close(), wait() }) })
	t.Cleanup(w.ends[len(w.ends)-1])
	return session
}

// TestConnectionsNeverMix lets real clients with one key work on two projects at
// the same time, over HTTP and stdio.
func TestConnectionsNeverMix(t *testing.T) {
	t.Parallel()
	const each = 20
	w := newWorld(t)
	_, key := w.key("claude")
	sessions := map[string]*mcp.ClientSession{
		"http-a": w.connect(key, stateful), "http-b": w.connect(key, stateful),
		"stdio-a": w.localClient(t, stateful), "stdio-b": w.localClient(t, stateful),
	}
	var wg sync.WaitGroup
	for name, session := range sessions {
		project := strings.TrimPrefix(strings.TrimPrefix(name, "http-"), "stdio-")
		if strings.HasPrefix(name, "http-") {
			text(t, session, "create_project", map[string]any{"name": project})
		}
		wg.Go(func() {
			for {
				r, err := session.CallTool(t.Context(),
					&mcp.CallToolParams{Name: "switch_project", Arguments: map[string]any{"name": project}})
				if err != nil {
					t.Error(err)
					return
				}
				if !r.IsError { // the other client has made it
					break
				}
			}
			for i := range each {
				r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "create_entities", Arguments: map[string]any{
					"entities": []any{map[string]any{"name": fmt.Sprintf("%s %d", name, i), "entity_type": project}}}})
				if err != nil || r.IsError {
					t.Errorf("%s: %+v, %v", name, r, err)
				}
			}
		})
	}
	wg.Wait()
	r := w.raw(key, stateless)
	for _, project := range []string{"a", "b"} {
		names := r.names(project)
		if slices.ContainsFunc(names, func(n string) bool { return !strings.Contains(n, "-"+project+" ") }) ||
			len(names) != 2*each {
			t.Errorf("project %s has %d entities: %v", project, len(names), names)
		}
	}
}

// TestProjectsCloseUnderConnections archives and deletes a project in another
// process while it is active in connections.
func TestProjectsCloseUnderConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	other, err := sqlite.Open(t.Context(), sqlite.Options{Dir: w.dir, Now: w.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	elsewhere := app.New(app.Options{Store: other, Now: w.clock.Now})
	none := "No active project. Use switch_project to select one."
	first, second, local := w.raw(key, stateful), w.raw(key, stateful), w.localClient(t, stateful)
	project := first.must("create_project", `{"name":"p"}`)["id"].(string)
	id, err := loci.ParseID[struct{}](project)
	if err != nil {
		t.Fatal(err)
	}
	enter := func() {
		first.must("switch_project", `{"name":"p"}`)
		second.must("switch_project", `{"name":"p"}`)
		if got := text(t, local, "switch_project", map[string]any{"name": "p"}); !strings.Contains(got, project) {
			t.Errorf("over stdio: %s", got)
		}
	}
	left := func(how string) {
		t.Helper()
		a, b, c := first.mustFail("read_graph", "{}"), second.mustFail("search_nodes", `{"query":"a"}`),
			text(t, local, "read_graph", nil)
		if a != none || b != none || c != none {
			t.Errorf("%s: %q, %q, %q", how, a, b, c)
		}
	}
	owner, err := w.auth.LocalAs(t.Context(), w.owner.OrgID, w.owner.UserID)
	if err != nil {
		t.Fatal(err)
	}
	enter()
	if _, err := elsewhere.Project.Archive(t.Context(), owner, loci.ProjectID(id)); err != nil {
		t.Fatal(err)
	}
	left("archived")
	if _, err := elsewhere.Project.Restore(t.Context(), owner, loci.ProjectID(id)); err != nil {
		t.Fatal(err)
	}
	left("restored")
	enter()
	if err := elsewhere.Project.Delete(t.Context(), owner, loci.ProjectID(id)); err != nil {
		t.Fatal(err)
	}
	none = "No active project, and there is none yet. Create one with create_project."
	left("deleted")
	if got := text(t, local, "get_current_project", nil); !strings.Contains(got, none) {
		t.Errorf("what is active: %s", got)
	}
}

// remembered returns how many connections are stored or have a stored project, and forgets them.
func (w *world) remembered() int {
	w.t.Helper()
	n, err := w.store.Connections().Purge(context.Background(), w.clock.Now().Add(time.Hour), 100)
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// TestEndedConnectionsAreForgotten ends connections in every way in which they end.
func TestEndedConnectionsAreForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *mcpserver.Options) { o.MaxPerKey = 1 })
	_, key := w.key("claude")
	r := w.raw(key, stateful)
	r.must("create_project", `{"name":"p"}`)
	key32 := sha256.Sum256([]byte(r.session))
	_, err := w.store.Connections().Get(t.Context(), key32)
	if _, failed := w.store.Connections().Opened(t.Context(), key32); err != nil || failed != nil {
		t.Errorf("the session is not stored under the hash of its id: %v, %v", err, failed)
	}
	if a := r.send(http.MethodDelete, "", nil); a.status != http.StatusNoContent {
		t.Errorf("DELETE: %d %s", a.status, a.body)
	}
	if n := w.remembered(); n != 0 {
		t.Errorf("after DELETE %d connections are remembered", n)
	}
	if _, err := w.store.Connections().Opened(t.Context(), key32); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("after DELETE the connection can be continued: %v", err)
	}
	evicted := w.raw(key, stateful)
	evicted.must("switch_project", `{"name":"p"}`)
	w.raw(key, stateful) // there is room for one only
	if got := evicted.must("get_current_project", `{}`); got["name"] != "p" {
		t.Errorf("after an eviction the connection works on %v", got)
	}
	if a := evicted.send(http.MethodDelete, "", nil); a.status != http.StatusNoContent {
		t.Errorf("DELETE after an eviction: %d, %s", a.status, a.body)
	}
	if n := w.remembered(); n != 1 {
		t.Errorf("%d connections are remembered, want the one that is left", n)
	}
	session := w.localClient(t, stateful)
	text(t, session, "switch_project", map[string]any{"name": "p"})
	w.ends[len(w.ends)-1]()
	if n := w.remembered(); n != 0 {
		t.Errorf("after the end of stdio %d connections are remembered", n)
	}
	text(t, w.localClient(t, stateful), "switch_project", map[string]any{"name": "p"})
	if n := w.remembered(); n != 1 {
		t.Errorf("%d connections are remembered while one is at work: this test sees nothing", n)
	}
}

// TestStatelessClientsHaveNoConnection covers stdio too, where the process could
// be the connection.
func TestStatelessClientsHaveNoConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.localClient(t, stateless)
	if got := text(t, session, "create_project", map[string]any{"name": "p"}); !strings.Contains(got,
		"pass project with each call") {
		t.Errorf("create_project: %s", got)
	}
	for _, tool := range []string{"read_graph", "switch_project"} {
		arguments := map[string]any{}
		if tool == "switch_project" {
			arguments["name"] = "p"
		}
		if got := text(t, session, tool, arguments); !strings.Contains(got, "this client has no session") {
			t.Errorf("%s: %s", tool, got)
		}
	}
	if got := text(t, session, "read_graph", map[string]any{"project": "p"}); !strings.Contains(got, `"left":0`) {
		t.Errorf("with the project named: %s", got)
	}
	if n := w.remembered(); n != 0 {
		t.Errorf("%d connections are remembered", n)
	}
}

// TestOperatorsClientDeletesProjects checks that stdio requires no step-up in a
// browser: whoever runs it already has the data directory.
func TestOperatorsClientDeletesProjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.localClient(t, stateful)
	text(t, session, "create_project", map[string]any{"name": "p"})
	if got := text(t, session, "delete_project", map[string]any{"name": "p"}); !strings.Contains(got, "permanently") {
		t.Errorf("delete_project: %s", got)
	}
	if got := text(t, session, "list_projects", map[string]any{"status": "all"}); !strings.Contains(got, `"projects":[]`) {
		t.Errorf("list_projects: %s", got)
	}
}
