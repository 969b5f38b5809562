package rest_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
)

// TestPlainRequestsAnswerAlike sends each request as a plain one, and again in a form that only huma
// answers. Both answers must be the same.
func TestPlainRequestsAnswerAlike(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, claude, `{"title":"a","content":"b","tags":["ops"],"allowed_vendors":["claude"]}`)
	gone := s.write(t, claude, `{"title":"c","content":"d"}`)
	s.expect(t, http.StatusOK, owner, "DELETE /memories/"+gone.ID.String())
	s.clock.freeze()
	requests := []string{
		`POST /agent/memories/list {"limit":20}`, `POST /agent/memories/list {"limit":0}`, `POST /agent/memories/list {`,
		`POST /agent/memories/list`, `POST /agent/memories/list {"limit":2e0}`, `POST /agent/memories/list {"nothing":1}`,
		`POST /agent/memories/list {"limit":1,"limit":2}`, `POST /agent/memories/list {"cursor":"nonsense"}`,
		`POST /agent/memories/by-tag {"tags":["ops"],"limit":20}`, `POST /agent/memories/by-tag {"tags":[]}`,
		`POST /agent/memories/by-tag {"tags":["` + strings.Repeat("a", 600) + `"]}`,
		`POST /agent/memories/by-tag {"limit":3}`,
		`POST /memories/list {"filter":{"by":"tags"}}`, `POST /memories/list {"filter":{"by":"tags","tags":["ops"]}}`,
		`POST /agent/memories/search {"term":"b"}`, `POST /agent/memories/browse {}`,
	}
	for _, id := range []string{m.ID.String(), gone.ID.String(), loci.NewMemoryID().String(), "nonsense", "a%20b"} {
		requests = append(requests, "GET /agent/memories/"+id, "HEAD /agent/memories/"+id, "GET /memories/"+id,
			"GET /api/v1/memories/"+id, "GET /memories/"+id+"/versions", "GET /memories/"+id+"/sources",
			"POST /memories/"+id+"/share")
	}
	for _, request := range requests {
		for _, key := range []string{owner, claude, cursor, ""} {
			var answers []string
			for _, accept := range []string{"application/json;q=0.9", "application/json", "*/*", "", "application/json"} {
				answers = append(answers, answered(s.accepting(key, request, accept)))
			}
			for i, got := range answers[1:] {
				if got != answers[0] {
					t.Errorf("%s with %q: answer %d differs:\n%s", request, key, i, cmp.Diff(answers[0], got))
				}
			}
		}
	}
}

// accepting sends a request with an Accept header.
func (s *server) accepting(key, request, accept string) *httptest.ResponseRecorder {
	method, path, _ := strings.Cut(request, " ")
	path, body, _ := strings.Cut(path, " ")
	return s.do(method, path, key, body, "Accept: "+accept)
}

// answered is all of an answer but what differs in each one.
func answered(w *httptest.ResponseRecorder) string {
	h := w.Result().Header
	h.Del("X-Request-Id")
	h.Del("Server-Timing")
	var b strings.Builder
	b.WriteString(w.Result().Status + "\n")
	for _, name := range slices.Sorted(maps.Keys(h)) {
		b.WriteString(name + ": " + strings.Join(h[name], ", ") + "\n")
	}
	return b.String() + w.Body.String()
}

// TestKnownBodyThatBreaksOff has a body that begins like one that Loci knows. Its end decides.
func TestKnownBodyThatBreaksOff(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const known = `{"limit":20}`
	for range 2 {
		s.expect(t, http.StatusOK, claude, "POST /agent/memories/list "+known)
	}
	for name, body := range map[string]struct {
		io.Reader
		length int64
		want   int
	}{
		"it breaks off":        {strings.NewReader(known[:5]), int64(len(known)), http.StatusBadRequest},
		"it is of no length":   {strings.NewReader(known), -1, http.StatusOK},
		"it ends with spaces":  {strings.NewReader(known + "  "), int64(len(known)) + 2, http.StatusOK},
		"it ends with another": {strings.NewReader(known + known), int64(2 * len(known)), http.StatusBadRequest},
	} {
		r := httptest.NewRequest(http.MethodPost, "/agent/memories/list", nil)
		r.Host, r.Body, r.ContentLength = "127.0.0.1:5624", io.NopCloser(short{body.Reader}), body.length
		r.Header.Set("Content-Type", "application/json")
		if w := s.send(r, claude); w.Code != body.want {
			t.Errorf("%s: got %d %s, want %d", name, w.Code, w.Body, body.want)
		}
	}
}

// short reads one byte at a time, and reports an early end as package http does.
type short struct{ io.Reader }

func (s short) Read(p []byte) (int, error) { return s.Reader.Read(p[:min(len(p), 1)]) }
