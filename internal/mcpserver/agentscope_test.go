package mcpserver_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/memory"
)

// inSession calls a tool in the session that its header names; "" is none.
func (r *raw) inSession(session, tool, arguments string) reply {
	r.w.t.Helper()
	r.next = 0 // the same message ids each time
	if session == "" {
		return r.tool(tool, arguments)
	}
	r.header = http.Header{"Loci-Session": {session}}
	defer func() { r.header = nil }()
	return r.tool(tool, arguments)
}

// work creates a private session of a new agent for p, for one vendor or none. Its origin is that vendor.
func (w *world) work(p loci.Principal, vendor loci.Vendor, agentName string) loci.Session {
	w.t.Helper()
	draft := agent.SessionDraft{Reach: loci.ReachPrivate, AllowedVendors: []loci.Vendor{}}
	if vendor != "" {
		draft.AllowedVendors = []loci.Vendor{vendor}
	}
	if agentName != "" {
		a, err := w.app.Agent.Create(context.Background(), p, agent.Draft{Name: agentName, Vendor: vendor})
		if err != nil {
			w.t.Fatal(err)
		}
		draft.Agent = a.Name
	}
	p.Origin = string(vendor)
	s, err := w.app.Agent.CreateSession(context.Background(), p, draft)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

const neverOpened = "11111111-2222-4333-8444-555555555555"

// TestHiddenSessionsAreAbsentOverMCP names other people's sessions, in the header
// and as an argument. The answer must be the same as for a missing session.
func TestHiddenSessionsAreAbsentOverMCP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, key := w.key("claude")
	noor := w.person(loci.DefaultOrg, "noor@loci.example")
	mine, closed := w.work(w.owner, "claude", "reviewer"), w.work(w.owner, "claude", "")
	hidden := []loci.Session{w.work(w.owner, "cursor", "writer"), w.work(w.owner, "", ""),
		w.work(noor, "claude", "critic")}
	if _, err := w.app.Agent.CloseSession(t.Context(), w.owner, closed.ID.String()); err != nil {
		t.Fatal(err)
	}
	w.clock.freeze()
	for _, version := range []string{stateful, stateless} {
		r := w.rawAt(key, version, allTools)
		if a := r.inSession(mine.ID.String(), "read_memories", "{}"); a.status != http.StatusOK {
			t.Fatalf("in a session: %d %s", a.status, a.body)
		}
		never := r.inSession(neverOpened, "read_memories", "{}")
		if never.status != http.StatusBadRequest ||
			!strings.Contains(never.body, "Loci-Session is not a session that you can see") {
			t.Errorf("in a session that never was: %d %s", never.status, never.body)
		}
		if a := r.inSession(closed.ID.String(), "read_memories", "{}"); failure(t, a) != "" {
			t.Errorf("reading in a closed session: %d %s", a.status, a.body)
		}
		if a := r.inSession(closed.ID.String(), "write_memory", `{"title":"x","content":"x"}`); !strings.Contains(
			failure(t, a), "create_session with reopen") {
			t.Errorf("writing in a closed session: %d %s", a.status, a.body)
		}
		if a := r.inSession("what", "read_memories", "{}"); a.body != never.body || a.status != never.status {
			t.Errorf("in no id: %d %s", a.status, a.body)
		}
		for _, s := range hidden {
			if a := r.inSession(s.ID.String(), "read_memories", "{}"); a.body != never.body || a.status != never.status {
				t.Errorf("in a hidden session: %d %s, want %s", a.status, a.body, never.body)
			}
		}
		for tool, arguments := range map[string]string{"search_memories": `{"term":"a","session_id":"%s"}`,
			"write_memory":    `{"title":"a","content":"b","session_id":"%s"}`,
			"recall_memories": `{"query":"a","session_id":"%s"}`, "list_suggestions": `{"session_id":"%s"}`,
			"get_sources": `{"memory_id":"` + neverOpened + `","session_id":"%s"}`,
			"add_sources": `{"memory_id":"` + neverOpened +
				`","sources":[{"kind":"session","ref":"x"}],"session_id":"%s"}`,
			"log_event":           `{"content":"x","session_id":"%s"}`,
			"log_decision":        `{"decision":"x","reasoning":"y","session_id":"%s"}`,
			"get_session_context": `{"session_id":"%s"}`,
			"create_session":      `{"title":"x","project":"%s"}`, "close_session": `{"session_id":"%s"}`} {
			never := r.inSession("", tool, fmt.Sprintf(arguments, neverOpened))
			if failure(t, never) == "" {
				t.Errorf("%s in a session that never was: %s", tool, never.body)
			}
			for _, s := range hidden {
				if a := r.inSession("", tool, fmt.Sprintf(arguments, s.ID)); a.body != never.body {
					t.Errorf("%s in a hidden session: %s, want %s", tool, a.body, never.body)
				}
			}
			text := failure(t, r.inSession("", tool, fmt.Sprintf(arguments, closed.ID)))
			writes := tool == "write_memory" || tool == "add_sources" || strings.HasPrefix(tool, "log_")
			if writes != strings.Contains(text, "closed") {
				t.Errorf("%s in a closed session: %q", tool, text)
			}
		}
	}
}

// TestAgentScopeOverMCP draws memories of agent scope, their readers, and the
// session of each read.
func TestAgentScopeOverMCP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	noor := w.person(loci.DefaultOrg, "noor@loci.example")
	sessions := []loci.Session{w.work(w.owner, "claude", "reviewer"), w.work(w.owner, "claude", "writer"),
		w.work(w.owner, "cursor", "critic"), w.work(noor, "claude", "reader"), w.work(w.owner, "claude", "")}
	readers := map[loci.Vendor]*raw{}
	for _, vendor := range []loci.Vendor{"claude", "cursor"} {
		_, key := w.key(vendor)
		readers[vendor] = w.rawAt(key, stateless, allTools)
	}
	w.clock.freeze()
	found := 0
	rapid.Check(t, func(rt *rapid.T) {
		of := sessions[rapid.IntRange(0, 3).Draw(rt, "agent")]
		writer := loci.Principal{Kind: loci.KindAgent, OrgID: loci.DefaultOrg, UserID: of.UserID,
			Vendor: loci.Vendor(of.Origin), Origin: of.Origin, AgentID: of.AgentID, SessionID: of.ID}
		tag := wordOf(loci.NewMemoryID().String())
		vendors := rapid.SampledFrom([][]loci.Vendor{{"*"}, {"claude"}, {"cursor"}, {"claude", "cursor"}}).Draw(rt, "vendors")
		m, err := w.app.Memory.Create(context.Background(), writer,
			memory.Draft{Title: tag, Content: "zebra " + tag, Tags: []string{tag}, Scope: loci.ScopeAgent,
				AllowedVendors: vendors})
		if err != nil {
			rt.Fatal(err)
		}
		there := rapid.Bool().Draw(rt, "in the session of the memory")
		reader := rapid.SampledFrom([]loci.Vendor{"claude", "cursor"}).Draw(rt, "reader")
		in := sessions[rapid.IntRange(0, 4).Draw(rt, "session")]
		if there {
			reader, in = loci.Vendor(of.Origin), of
		}
		v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: w.owner.UserID, Vendor: reader}
		session := ""
		if v.SeesSession(&in) {
			v.AgentID, session = in.AgentID, in.ID.String()
		}
		if w.checkAgentScope(rt, readers[reader], session, &m.Memory, tag, v.Sees(&m.Access, loci.LiveOnly, w.clock.Now())) {
			found++
		}
	})
	if found == 0 {
		t.Error("nobody ever found a memory")
	}
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

func (w *world) checkAgentScope(rt *rapid.T, r *raw, session string, m *loci.Memory, tag string, visible bool) bool {
	for _, call := range [][2]string{
		{"search_memories", `{"term":"\"TAG\""}`}, {"recall_memories", `{"query":"\"TAG\"","scope":"agent"}`},
		{"get_memories_by_tag", `{"tags":["TAG"]}`},
		{"get_memory_by_id", `{"id":"ID"}`}, {"get_latest_memory", `{"tag":"TAG"}`}, {"get_sources", `{"memory_id":"ID"}`},
		{"search_memories", `{"term":"\"TAG\"","session_id":"SESSION"}`},
		{"recall_memories", `{"query":"TAG","session_id":"SESSION"}`},
		{"get_sources", `{"memory_id":"ID","session_id":"SESSION"}`},
	} {
		header := session
		if strings.Contains(call[1], "SESSION") {
			header = ""
		}
		a := r.inSession(header, call[0],
			strings.NewReplacer("TAG", tag, "ID", m.ID.String(), "SESSION", session).Replace(call[1]))
		sees := strings.Contains(a.body, `"id":"`+m.ID.Short()+`"`) ||
			call[0] == "get_sources" && !strings.Contains(a.body, "no such memory")
		if sees != visible {
			rt.Fatalf("%s %s in session %q: found %v, want %v: %s", call[0], call[1], session, sees, visible, a.body)
		}
		b := r.inSession(header, call[0],
			strings.NewReplacer("TAG", wordOf(neverOpened), "ID", neverOpened, "SESSION", session).Replace(call[1]))
		if !visible && (a.body != b.body || a.status != b.status) {
			rt.Fatalf("%s %s in session %q: with a hidden memory\n%s\nwith none\n%s", call[0], call[1], session, a.body, b.body)
		}
	}
	return visible
}

// TestSessionOfAProcess uses a session over stdio until it is closed.
func TestSessionOfAProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.work(w.owner, "claude", "reviewer")
	p := loci.Principal{Kind: loci.KindAgent, OrgID: loci.DefaultOrg, UserID: w.owner.UserID, Vendor: "claude",
		Origin: "claude", AgentID: s.AgentID, SessionID: s.ID}
	m, err := w.app.Memory.Create(t.Context(), p, memory.Draft{Title: "Habit", Content: "zebra", Scope: loci.ScopeAgent})
	if err != nil {
		t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- w.server.ServeStdio(context.WithoutCancel(t.Context()), func(ctx context.Context) (loci.Principal, error) {
			p, err := w.auth.Local(ctx, "claude")
			if err != nil {
				return p, err
			}
			return w.auth.InNamedSession(ctx, p, s.ID.String())
		}, inR, outW)
	}()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.IOTransport{Reader: outR, Writer: inW}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = client.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	if got := text(t, client, "get_memory_by_id", map[string]any{"id": m.ID.String()}); !strings.Contains(got, "zebra") {
		t.Errorf("in the session: %s", got)
	}
	if _, err := w.app.Agent.CloseSession(t.Context(), w.owner, s.ID.String()); err != nil {
		t.Fatal(err)
	}
	if got := text(t, client, "get_memory_by_id", map[string]any{"id": m.ID.String()}); !strings.Contains(got, "zebra") {
		t.Errorf("reading in the closed session: %s", got)
	}
	if got := text(t, client, "update_memory", map[string]any{"id": m.ID.String(), "content": "x"}); !strings.Contains(got,
		"the session is closed") {
		t.Errorf("writing in the closed session: %s", got)
	}
	reopened := text(t, client, "create_session", map[string]any{"reopen": s.ID.String()})
	if !strings.Contains(reopened, `"active"`) {
		t.Errorf("reopened: %s", reopened)
	}
	if got := text(t, client, "update_memory", map[string]any{"id": m.ID.String(), "content": "x"}); !strings.Contains(got,
		"updated") {
		t.Errorf("writing in the reopened session: %s", got)
	}
}
