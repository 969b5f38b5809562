package capture_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/capture"
)

// TestContext prints nothing but a pack and the context of the last session, which are fenced and within the budget,
// whatever the routes answer. The briefing is not fenced.
func TestContext(t *testing.T) {
	const pack = `{"context":"Context from memory.\n\n<memories>\n- a fact\n</memories>\n"}`
	for _, tt := range []struct {
		pack, status, lines int
		want                string
	}{
		{http.StatusOK, http.StatusOK, 50, "a fact|Last session|What happened"},
		{http.StatusOK, http.StatusOK, 5000, "a fact"}, // more than the hook asked for
		{http.StatusOK, http.StatusNotFound, 1, "a fact"},
		{http.StatusNotFound, http.StatusOK, 1, "Last session|What happened"},
		{http.StatusMethodNotAllowed, http.StatusMethodNotAllowed, 1, ""},
		{http.StatusTooManyRequests, http.StatusTooManyRequests, 1, ""},
		{http.StatusBadGateway, http.StatusBadGateway, 1, ""},
	} {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /api/v1/agent/briefing", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("# Memory briefing"))
		})
		mux.HandleFunc("POST /api/v1/context", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.pack)
			_, _ = w.Write([]byte(pack))
		})
		mux.HandleFunc("GET /api/v1/sessions", func(w http.ResponseWriter, r *http.Request) {
			own := `{"id":"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e","state":"active","metadata":{"claude_session_id":"a"}}`
			if r.URL.Query().Get("key") == "claude-code a" {
				_, _ = w.Write([]byte(`{"sessions":[` + own + `]}`))
				return
			}
			_, _ = w.Write([]byte(`{"sessions":[` + own + `,{"id":"7f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e","state":"closed",` +
				`"metadata":{"claude_session_id":"b"}}]}`))
		})
		mux.HandleFunc("POST /api/v1/sessions/7f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e/context",
			func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(`{"context":"What happened\n` + strings.Repeat(`another line\n`, tt.lines) + `"}`))
			})
		server := httptest.NewServer(mux)
		entry := `{"mcpServers":{"mine":{"url":"` + server.URL + `/mcp/?project=x","headers":{"Authorization":"Bearer ` +
			`loci_agent_abcdefgh"}}}}`
		call, ok := capture.Read(strings.NewReader(`{"session_id":"a","hook_event_name":"SessionStart"}`))
		if !ok {
			t.Fatal("the call is not understood")
		}
		text := capture.ServerIn([]byte(entry)).Handle(t.Context(), call)
		server.Close()
		var got []string
		for _, part := range []string{"briefing", "a fact", "Last session", "What happened"} {
			if strings.Contains(text, part) {
				got = append(got, part)
			}
		}
		if strings.Join(got, "|") != tt.want || loci.TokenBound(text) > 1000 || tt.want == "" && text != "" {
			t.Errorf("%+v: got %d bytes: %s", tt, len(text), text)
		}
	}
}
