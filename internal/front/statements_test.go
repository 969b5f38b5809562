package front_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
	"github.com/loci-memory/loci/internal/eventlog/eventlogtest"
	"github.com/loci-memory/loci/internal/front"
	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/rest"
	"github.com/loci-memory/loci/internal/review/reviewtest"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// statements counts what every connection of the process runs, whichever goroutine asks. It leaves out what begins and
// ends a transaction, and the triggers of a statement.
type statements struct {
	mu   sync.Mutex
	list []string
}

func (s *statements) connected(c *sqlite3.Conn) error {
	return c.Trace(sqlite3.TRACE_STMT, func(_ sqlite3.TraceEvent, _, text any) error {
		sql := strings.Join(strings.Fields(text.(string)), " ")
		switch word, _, _ := strings.Cut(sql, " "); word {
		case "BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "--":
			return nil
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.list = append(s.list, sql[:min(len(sql), 100)])
		return nil
	})
}

func (s *statements) take() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, s.list = s.list, nil
	return list
}

const (
	countedOwner loci.Secret = "the-owner's-key"
	countedAgent loci.Secret = "the-agent's-key"
)

// counted is a whole server without background work.
type counted struct {
	t *testing.T
	*statements
	http.Handler
	app   *app.App
	owner loci.Principal
}

func newCounted(t *testing.T) *counted {
	ctx, c := t.Context(), &counted{t: t, statements: &statements{}}
	sqlite3.AutoExtension(c.connected)
	dir := t.TempDir()
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	events := embedded.Open(embedded.Options{Dir: filepath.Join(dir, "events")})
	t.Cleanup(func() { events.Close() })
	c.app = app.New(app.Options{Store: st, IndexDir: filepath.Join(dir, "index"), Extractor: reviewtest.ByLine{},
		Events: event.Options{Logs: eventlogtest.One{Log: events}, Orgs: events.Orgs}})
	if _, _, err := c.app.Identity.Setup(ctx); err != nil {
		t.Fatal(err)
	}
	au, err := auth.New(auth.Options{Store: st, OwnerKey: countedOwner,
		AgentKeys: map[loci.Vendor]loci.Secret{"claude": countedAgent}})
	if err != nil {
		t.Fatal(err)
	}
	if c.owner, err = au.Local(ctx, ""); err != nil {
		t.Fatal(err)
	}
	c.Handler = front.New(front.Options{REST: rest.New(rest.Options{App: c.app, Auth: au, Version: "test"}),
		MCP: mcpserver.New(mcpserver.Options{App: c.app, Auth: au, Version: "test"}).HTTP()})
	return c
}

// do sends a request: "POST /path body".
func (c *counted) do(key loci.Secret, request string, into any) {
	c.t.Helper()
	method, rest, _ := strings.Cut(request, " ")
	path, body, _ := strings.Cut(rest, " ")
	r := httptest.NewRequestWithContext(c.t.Context(), method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:5624"
	r.Header.Set("Authorization", "Bearer "+key.Reveal())
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if path == "/mcp" {
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "tools/call")
		var call struct{ Params struct{ Name string } }
		_ = json.Unmarshal([]byte(body), &call)
		r.Header.Set("Mcp-Name", call.Params.Name)
	}
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	if text := w.Body.String(); w.Code >= 300 || strings.Contains(text, `"isError":true`) ||
		strings.Contains(text, `"error":{`) {
		c.t.Fatalf("%s: got %d %s", request, w.Code, w.Body)
	}
	if into != nil {
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			c.t.Fatalf("%s: %v in %s", request, err, w.Body)
		}
	}
}

func (c *counted) tool(name, args string) {
	c.t.Helper()
	c.do(countedAgent, `POST /mcp {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","arguments":`+
		args+`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},`+
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`, nil)
}

// TestStatements holds how many statements each use case runs, once it has run before. The comparison of a save with
// other memories runs beside it, and sometimes reads again what the save has changed, so the fewest of some runs count.
//
// long: one table
func TestStatements(t *testing.T) {
	c := newCounted(t)
	post := func(key loci.Secret, path, body string) func(int) {
		return func(i int) { c.do(key, "POST "+path+" "+fmt.Sprintf(body, i), nil) }
	}
	get := func(path string) func(int) { return func(int) { c.do(countedOwner, "GET "+path, nil) } }
	var saved []string
	for i := range 60 {
		var m loci.Memory
		c.do(countedOwner, fmt.Sprintf(`POST /memories {"title":"Fact %[1]d","content":"Number %[1]d of the facts about the `+
			`town","tags":["town"]}`, i), &m)
		saved = append(saved, m.ID.String())
	}
	for i := range 60 {
		c.do(countedOwner, "POST /memories "+unlike(i), nil)
	}
	const graph = "/projects/website/graph"
	c.do(countedOwner, `POST /projects {"name":"website"}`, nil)
	var waiting struct{ Candidates []struct{ ID string } }
	for i := range runs {
		post(countedAgent, "/context/reflect",
			`{"content":"decision: Deploy service %d on Tuesdays","persist":true,"persist_review":true}`)(i)
	}
	c.do(countedOwner, "GET /review/candidates", &waiting)
	for _, tt := range []struct {
		name string
		most int
		run  func(i int)
	}{
		{"save by key that changes a memory", 10, post(countedOwner, "/memories",
			`{"title":"Port","content":"The port of the test server is %d00","key":"port","tags":["town"]}`)},
		{"save by key that makes a memory", 12, post(countedOwner, "/memories",
			`{"title":"Port %[1]d","content":"The port of server %[1]d is %[1]d00","key":"port %[1]d","tags":["town"]}`)},
		{"save without key", 11, post(countedOwner, "/memories",
			`{"title":"Town %[1]d","content":"The town %[1]d has a mill","tags":["town","new %[1]d"]}`)},
		{"save by an agent", 10, post(countedAgent, "/agent/memories",
			`{"title":"Agent %[1]d","content":"The agent %[1]d prefers tabs over spaces"}`)},
		{"write_memory", 10, func(i int) {
			c.tool("write_memory", fmt.Sprintf(`{"title":"Meeting","content":"The meeting is at %d","key":"meeting"}`, i))
		}},
		{"update", 8, func(i int) {
			c.do(countedOwner, fmt.Sprintf(`PATCH /memories/%s {"content":"Changed %d"}`, saved[0], i), nil)
		}},
		{"pin", 9, func(i int) { c.do(countedOwner, fmt.Sprintf(`PATCH /memories/%s {"pinned":true}`, saved[i]), nil) }},
		{"get by id", 1, func(i int) { c.do(countedOwner, "GET /memories/"+saved[i], nil) }},
		{"GetMany(50)", 1, func(int) {
			c.do(countedOwner, "GET /memories?limit=50&ids="+strings.Join(saved[:50], ","), nil)
		}},
		{"list of 50 with total", 1, get("/memories?limit=50&total=true&tags=unlike")},
		{"the same after a save", 2, func(i int) {
			c.do(countedOwner, "POST /memories "+unlike(100+i), nil)
			c.take()
			get("/memories?limit=50&total=true&tags=unlike")(i)
		}},
		{"the same with open suggestions", 3, func(i int) {
			post(countedOwner, "/memories", `{"title":"Late %[1]d","content":"Late %[1]d","tags":["town"]}`)(i)
			c.take()
			get("/memories?limit=50&total=true&tags=town")(i)
		}},
		{"recall", 4, get("/memories/recall?q=facts+town")},
		{"search_memories", 4, func(int) { c.tool("search_memories", `{"query":"facts of the town"}`) }},
		{"reflect", 18, post(countedAgent, "/context/reflect",
			`{"content":"decision: Rent house %d in May","persist":true,"persist_review":true}`)},
		{"promote a candidate", 16, func(i int) {
			c.do(countedOwner, "POST /review/candidates/"+waiting.Candidates[i].ID+"/accept {}", nil)
		}},
		{"log one event", 2, post(countedAgent, "/events", `{"content":"The build %d ran"}`)},
		{"list events", 3, get("/events")},
		{"graph create", 10, post(countedOwner, graph+"/entities",
			`{"entities":[{"name":"Mill %[1]d","entity_type":"building","observations":["It has %[1]d wheels"]}]}`)},
		{"graph observe", 9, post(countedOwner, graph+"/observations",
			`{"observations":[{"entity_name":"Mill 0","contents":["It was repaired %d times"]}]}`)},
		{"graph search", 6, get(graph + "/search?q=mill")},
		{"graph open", 5, post(countedOwner, graph+"/open", `{"names":["Mill 0","Mill %d"]}`)},
	} {
		tt.run(0)
		fewest := math.MaxInt
		var list []string
		for i := 1; i < runs; i++ {
			c.take()
			tt.run(i)
			if now := c.take(); len(now) < fewest {
				list, fewest = now, len(now)
			}
		}
		if t.Logf("%-40s %d", tt.name, fewest); fewest > tt.most {
			t.Errorf("%s runs %d statements, more than %d:\n%s", tt.name, fewest, tt.most, strings.Join(list, "\n"))
		}
	}
}

// unlike is the body of a memory that nothing resembles.
func unlike(i int) string {
	words := sha256.Sum256([]byte{byte(i)})
	return fmt.Sprintf(`{"title":"%x","content":"%x %x","tags":["unlike"]}`, words[:4], words[4:8], words[8:12])
}

// runs is how often TestStatements runs each use case.
const runs = 5
