package rest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/fair"
)

// seenBody counts the bodies that are read.
type seenBody struct {
	io.Reader
	seen  *atomic.Int64
	begun bool
}

func (b *seenBody) Read(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		b.seen.Add(1)
	}
	return b.Reader.Read(p)
}

// TestLargeBodiesHaveRoom floods the server with large bodies of a credential that has no more room. Loci must not read
// them, refuse those that are too many, and read those of other credentials meanwhile.
func TestLargeBodiesHaveRoom(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p, err := s.auth.Authenticate(t.Context(), auth.Request{Bearer: claude})
	if err != nil {
		t.Fatal(err)
	}
	done, err := s.app.Room(fair.In(t.Context(), p.Subject()), 13<<20, 16<<20)
	if err != nil {
		t.Fatal(err)
	}
	const flood, waiting = 80, 64
	large := `{"title":"long","content":"short"` + strings.Repeat(" ", 40_000) + `}` // quick once Loci has read it
	bulk := `{"operations":[{"op":"create","memory":` + large + `}],"atomic":true}`
	var seen atomic.Int64
	answers := make(chan *httptest.ResponseRecorder, flood)
	for range flood {
		go func() {
			r := httptest.NewRequest(http.MethodPost, "/api/v1/memories/bulk", &seenBody{Reader: strings.NewReader(bulk),
				seen: &seen})
			r.Host, r.ContentLength = "127.0.0.1:5624", int64(len(bulk))
			answers <- s.send(r, claude)
		}()
	}
	for range flood - waiting {
		w := <-answers
		if p := problemOf(t, w.Body.Bytes()); w.Code != 429 || p.Code != "rate_limited" ||
			w.Header().Get("Retry-After") == "" {
			t.Errorf("too many at once: got %d %s", w.Code, w.Body)
		}
	}
	if n := seen.Load(); n != flood-waiting { // those that it refused, and dropped
		t.Errorf("Loci read %d bodies, want %d", n, flood-waiting)
	}
	for _, key := range []string{owner, cursor} {
		if w := s.do("POST", "/agent/memories", key, large); w.Code != 201 {
			t.Errorf("another credential meanwhile: got %d %s", w.Code, w.Body)
		}
	}
	for _, body := range []string{"", `{"title":"t","content":"short"}`} {
		if w := s.do("POST", "/agent/memories", claude, body); w.Code == 429 {
			t.Errorf("that credential with a short body: got %d %s", w.Code, w.Body)
		}
	}
	done()
	for range waiting {
		if w := <-answers; w.Code != 200 {
			t.Errorf("with room again: got %d %s", w.Code, w.Body)
		}
	}
}

// TestLargeBodiesArriveWhole demands that bodies of every size reach their handlers as they were sent, and that one
// with too much is refused.
func TestLargeBodiesArriveWhole(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, size := range []int{10 << 10, 16 << 10, 99_000} {
		content := strings.Repeat("w", size)
		if m := s.write(t, claude, `{"title":"t","content":"`+content+`"}`); m.Content != content {
			t.Errorf("of %d characters, Loci stored %d", size, len(m.Content))
		}
	}
	for name, tt := range map[string]struct {
		body string
		want int
	}{
		"bulk of 900 KiB": {`{"operations":[` + strings.Repeat(`{"op":"create","memory":{"title":"b","content":"`+
			strings.Repeat("v", 90_000)+`"}},`, 9) + `{"op":"create","memory":{"title":"b","content":"last"}}]}`, 200},
		"more than 16 MiB": {`{"operations":[` + strings.Repeat(" ", 16<<20) + `]}`, 413},
		"cut":              {`{"operations":[` + strings.Repeat(" ", 300<<10), 400},
	} {
		for _, length := range []int64{int64(len(tt.body)), -1} {
			r := httptest.NewRequest(http.MethodPost, "/api/v1/memories/bulk", strings.NewReader(tt.body))
			r.Host, r.ContentLength = "127.0.0.1:5624", length
			if w := s.send(r, claude); w.Code != tt.want {
				t.Errorf("%s, length %d: got %d %.200s", name, length, w.Code, w.Body)
			}
		}
	}
	list := `{"events":[` + strings.Repeat(
		`{"content":"e `+strings.Repeat("x", 9000)+`","dedup_key":""},`,
		99,
	) + `{"content":"last"}]}`
	if w := s.do("POST", "/events", claude, list); w.Code != 201 || !strings.Contains(w.Body.String(), `"stored":`) {
		t.Errorf("a list of events: got %d %.200s", w.Code, w.Body)
	}
	if w := s.do("POST", "/events", claude, `{"events":[`+strings.Repeat(" ", 16<<20)+`]}`); w.Code != 413 {
		t.Errorf("a list of more than 16 MiB: got %d %.200s", w.Code, w.Body)
	}
}
