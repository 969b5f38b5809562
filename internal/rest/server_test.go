package rest_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/rest"
)

// TestServerTimingIsForPeople: a microsecond would tell a vendor of rows that
// it may not see.
func TestServerTimingIsForPeople(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, path := range []string{"/whoami", "/agent/briefing", "/no/such/route", "/memories/x"} {
		if got := s.do("GET", path, owner, "").Header().Get("Server-Timing"); !regexp.MustCompile(
			`^app;dur=\d+\.\d{3}$`).MatchString(got) {
			t.Errorf("%s, a person: got %q", path, got)
		}
		for name, key := range map[string]string{"an agent": claude, "nobody": "", "a stranger": "unknown"} {
			if got := s.do("GET", path, key, "").Header().Get("Server-Timing"); got != "" {
				t.Errorf("%s, %s: got %q", path, name, got)
			}
		}
	}
	if got := s.do("GET", "/health", owner, "").Header().Get("Server-Timing"); got != "" {
		t.Errorf("/health: got %q", got)
	}
}

func TestLogHasNoSecrets(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.do("POST", "/memories?api_key=s3cret", owner,
		`{"title":"s3cret title","content":"s3cret content","origin":"s3cret"}`)
	s.do("GET", "/memories?q=s3cret+words", owner, "", "X-Dashboard-Token: s3cret-token")
	s.do("GET", "/whoami", "s3cret-key", "")
	log := s.log.String()
	if strings.Contains(log, "s3cret") || strings.Contains(log, owner) {
		t.Errorf("the log tells too much:\n%s", log)
	}
	if strings.Count(log, "msg=request") != 3 || !strings.Contains(log, "status=401") {
		t.Errorf("the log does not have one line for each request:\n%s", log)
	}
}

// TestRefusalsAreNoFaults: what a caller did wrong is no error of the server,
// and the log holds nothing of what they sent.
func TestRefusalsAreNoFaults(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title":"x","content":"y"}`)
	form := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"s3cret.txt\"\r\n\r\nabc"
	w := s.do("POST", "/memories/"+m.ID.String()+"/assets", owner, form, "Content-Type: multipart/form-data; boundary=b")
	if w.Code != 400 {
		t.Errorf("a cut form: got %d %s", w.Code, w.Body)
	}
	for _, want := range []int{201, 409} {
		s.expect(t, want, claude, `POST /agents {"name":"s3cret","vendor":"claude"}`)
	}
	if log := s.log.String(); strings.Contains(log, "ERROR") || strings.Contains(log, "s3cret") {
		t.Errorf("the log has:\n%s", log)
	}
}

func TestTwoCredentials(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, path := range []string{"/whoami", "/no/such/route"} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header["Authorization"] = []string{"Bearer " + owner, "Bearer " + claude}
		if w := s.send(r, ""); w.Code != 400 || !strings.Contains(w.Body.String(), "Authorization appears twice") {
			t.Errorf("%s: got %d %s", path, w.Code, w.Body)
		}
	}
}

// TestUncleanPaths demands that unclean and unknown paths lead nowhere, also without a key.
func TestUncleanPaths(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, path := range []string{"//memories", "/memories/", "/./memories", "/agent/../memories", "/memories/..",
		"/api/v1", "/api/v1/", "/healthz", "/metrics", "/favicon.ico", "/mcp/sse"} {
		for _, key := range []string{"", "loci_live_guess", owner} {
			if w := s.do("GET", path, key, ""); w.Code != 404 || w.Header().Get("WWW-Authenticate") != "" {
				t.Errorf("%s with the key %q: got %d %v, want 404", path, key, w.Code, w.Header())
			}
		}
	}
}

func TestHomeIsForWhoeverOpensTheAddress(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.do("GET", "/", "", "")
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") ||
		!strings.Contains(w.Body.String(), "/openapi.json") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if w := s.do("POST", "/", "", ""); w.Code != 401 {
		t.Errorf("POST / without a key: got %d, want 401", w.Code)
	}
}

type brokenChat struct{}

func (brokenChat) Complete(context.Context, string) (string, error) {
	return "", errors.New("s3cret cause")
}
func (brokenChat) Model() memory.ChatModel {
	return memory.ChatModel{Provider: "model.example", Name: "m"}
}

type echoChat struct{}

func (echoChat) Complete(_ context.Context, prompt string) (string, error) {
	return "On Tuesdays [1].", nil
}
func (echoChat) Model() memory.ChatModel {
	return memory.ChatModel{Provider: "model.example", Name: "m", Temperature: 0.5, MaxTokens: 7}
}

func TestModels(t *testing.T) {
	t.Parallel()
	broken := newServer(t, func(_ *rest.Options, o *app.Options) { o.Chat = brokenChat{} })
	w := broken.do("POST", "/query", owner, `{"query":"when?"}`)
	if w.Code != 502 || strings.Contains(w.Body.String(), "s3cret") || strings.Count(broken.log.String(),
		"s3cret cause") != 1 {
		t.Errorf("a model that fails: got %d %s, log\n%s", w.Code, w.Body, broken.log)
	}
	s := newServer(t, func(_ *rest.Options, o *app.Options) { o.Chat = echoChat{} })
	d := readDocument(t, s)
	w = s.do("POST", "/query", owner, `{"query":"when?"}`)
	d.checkAnswer(t, "POST", "/query", w.Code, w.Header().Get("Content-Type"), w.Body.Bytes())
	if !strings.Contains(w.Body.String(),
		`"model_config":{"provider":"model.example","model":"m","parameters":{"temperature":0.5,"max_tokens":7}}`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// An Arc that doesn't answer makes the server not ready, and nothing more.
func TestNotReadyWithoutArc(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(_ *rest.Options, o *app.Options) {
		o.Arcs = func(context.Context) error {
			return loci.Errorf(loci.Unavailable, "1 of 2 Arcs of orgs cannot be used")
		}
	})
	if w := s.do("GET", "/ready", "", ""); w.Code != 503 || !strings.Contains(w.Body.String(), "1 of 2 Arcs of orgs") {
		t.Errorf("got %d %s, want 503", w.Code, w.Body)
	}
	for _, path := range []string{"/health", "/whoami"} {
		if w := s.do("GET", path, owner, ""); w.Code != 200 {
			t.Errorf("%s: got %d, want 200", path, w.Code)
		}
	}
}

func TestNotReady(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.store.Close()
	w := s.do("GET", "/ready", "", "")
	if w.Code != 503 || !strings.Contains(w.Body.String(), `"unavailable"`) {
		t.Errorf("got %d %s, want 503", w.Code, w.Body)
	}
	if w := s.do("GET", "/whoami", owner, ""); w.Code != 503 && w.Code != 500 || !strings.Contains(s.log.String(),
		"level=ERROR") {
		t.Errorf("/whoami: got %d, want 503, and the cause in the log:\n%s", w.Code, s.log)
	}
	if w := s.do("GET", "/health?probe=1", "", ""); w.Code != 200 {
		t.Errorf("/health: got %d, want 200: the process still answers", w.Code)
	}
}

// ofPeople are the routes about projects that agents may not call.
var ofPeople = map[string]bool{"PATCH /projects/{id}": true, "GET /projects/{id}/members": true,
	"PUT /projects/{id}/members/{user}":    true,
	"DELETE /projects/{id}/members/{user}": true, "PUT /projects/{id}/graph/vendors": true,
	"GET /projects/{id}/graph/export":  true,
	"POST /projects/{id}/graph/import": true, "POST /memory-nodes/{id}/restore": true,
	"DELETE /agents/{id}":           true,
	"DELETE /tasks/{id}":            true,
	"POST /suggestions/{id}/accept": true, "POST /suggestions/{id}/decline": true}

// toAgents is how the paths begin that agents may call, but for those of ofPeople.
var toAgents = []string{"/agent/", "/projects", "/agents", "/sessions", "/tasks", "/events", "/memory-nodes",
	"/assets/",
	"/memories/{id}/assets", "/sources/", "/memories/{id}/sources", "/suggestions", "/memories/recall", "/memories/bulk",
	"/context", "/reflections/", "/review/"}

// TestAgentsAreConfined walks every documented route with an agent's key.
func TestAgentsAreConfined(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	public := []string{"/health", "/ready", "/openapi.json", "/openapi-agent.json"}
	open := map[string]bool{"/whoami": true, "/query": true, "/changes": true}
	m := s.write(t, claude, `{"title":"x","content":"y"}`)
	for _, r := range theRoutes {
		method, path, _ := strings.Cut(r, " ")
		for _, prefix := range []string{"", "/api/v1"} {
			for _, id := range []string{m.ID.String(), "00000000-0000-4000-8000-000000000000", "x"} {
				w := s.do(method, prefix+strings.ReplaceAll(path, "{id}", id), claude, "{}")
				allowed := open[path] || slices.Contains(public, path) || !ofPeople[r] && slices.ContainsFunc(toAgents,
					func(begin string) bool { return strings.HasPrefix(path, begin) })
				if refused := w.Code == 403; refused == allowed {
					t.Errorf("%s %s%s: got %d %s", method, prefix, path, w.Code, w.Body)
				}
				if !allowed && !strings.Contains(w.Body.String(), "an agent's key cannot use this route") {
					t.Errorf("%s %s: got %s", method, path, w.Body)
				}
				if w := s.do(method, prefix+path, "", "{}"); (w.Code == 401) == slices.Contains(public, path) {
					t.Errorf("%s %s without a key: got %d", method, path, w.Code)
				}
			}
		}
	}
}
