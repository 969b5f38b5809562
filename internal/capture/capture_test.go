package capture_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/capture"
)

// TestContext keeps to the budget, with whole lines.
func TestContext(t *testing.T) {
	long := strings.Repeat("a line of the briefing\n", 500)
	for _, tt := range []struct {
		status, lines int
		want          string
	}{
		{http.StatusOK, 50, "What happened"},
		{http.StatusOK, 5000, ""}, // more than the hook asked for
		{http.StatusNotFound, 1, ""},
		{http.StatusMethodNotAllowed, 1, ""},
	} {
		status, lines, want := tt.status, tt.lines, tt.want
		mux := http.NewServeMux()
		mux.HandleFunc("GET /api/v1/agent/briefing", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(long))
		})
		mux.HandleFunc("GET /api/v1/sessions", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"sessions":[{"id":"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e","state":"active","metadata":` +
				`{"claude_session_id":"a"}},{"id":"7f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e","state":"closed","metadata":` +
				`{"claude_session_id":"b"}}]}`))
		})
		mux.HandleFunc("POST /api/v1/sessions/7f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e/context",
			func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				_, _ = w.Write([]byte(`{"context":"What happened\n` + strings.Repeat(`another line\n`, lines) + `"}`))
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
		if !strings.Contains(text, "a line of the briefing") || !strings.Contains(text, want) ||
			loci.TokenBound(text) > 1000 || want == "" && strings.Contains(text, "Last session") {
			t.Errorf("%d: got %d bytes: %s", status, len(text), text)
		}
	}
}
