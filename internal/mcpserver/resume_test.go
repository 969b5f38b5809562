package mcpserver_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci/internal/mcpserver"
)

// resuming is a handler with few connections, and what it calls when it sets one up again.
type resuming struct {
	*testing.T
	http.Handler
	offered func(offer string)
}

func newResuming(t *testing.T, most int) *resuming {
	s := &resuming{T: t}
	server := func() *mcp.Server { return mcp.NewServer(&mcp.Implementation{Name: "a"}, nil) }
	s.Handler = mcpserver.NewHTTP(mcpserver.HTTPOptions{Connections: mcpserver.ConnectionsHere(),
		Stateful: server(), Stateless: server(), Authorize: everyone,
		MaxPerKey: most,
		Choose: func(r *http.Request) (mcpserver.Choice, error) {
			return mcpserver.Choice{Offer: r.URL.RawQuery}, nil
		},
		Offered: func(offer string) mcpserver.Choice {
			if s.offered != nil {
				s.offered(offer)
			}
			return mcpserver.Choice{}
		}})
	return s
}

const opening = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`

// post sends a message in a connection, or without one, and returns the answer. panicked tells that
// the handler did.
func (s *resuming) post(out http.ResponseWriter, offer, connection, body string) (panicked bool) {
	r := httptest.NewRequest(http.MethodPost, "/mcp?"+offer, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if connection != "" {
		r.Header.Set("Mcp-Session-Id", connection)
	}
	defer func() { panicked = recover() != nil }()
	s.ServeHTTP(out, r)
	return false
}

func (s *resuming) open(offer string) (connection string) {
	s.Helper()
	out := httptest.NewRecorder()
	s.post(out, offer, "", opening)
	if out.Code != http.StatusOK {
		s.Fatalf("opening %s: %d %s", offer, out.Code, out.Body)
	}
	return out.Header().Get("Mcp-Session-Id")
}

func (s *resuming) ping(connection string) int {
	out := httptest.NewRecorder()
	s.post(out, "", connection, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	_, _ = io.Copy(io.Discard, out.Result().Body)
	return out.Code
}

// broken is a client whose answer cannot be written.
type broken struct{ http.ResponseWriter }

func (broken) WriteHeader(int) { panic("broken") }

// TestPanicsLeakNoConnection lets the handler panic while it opens and while it resumes the only
// connection that a credential may have in use.
func TestPanicsLeakNoConnection(t *testing.T) {
	t.Parallel()
	s := newResuming(t, 1)
	first := s.open("first")
	if !s.post(broken{httptest.NewRecorder()}, "", "", opening) {
		t.Fatal("the answer could be written")
	}
	s.open("second") // the first one's session ends
	s.offered = func(string) { panic("resuming") }
	if !s.post(httptest.NewRecorder(), "", first, `{"jsonrpc":"2.0","id":2,"method":"ping"}`) {
		t.Fatal("the connection was not resumed")
	}
	s.offered = nil
	if got := s.ping(first); got != http.StatusOK {
		t.Errorf("after it failed once: %d", got)
	}
}

// TestConnectionsResumeAtOnce holds up one connection while it is resumed: another must not wait.
func TestConnectionsResumeAtOnce(t *testing.T) {
	t.Parallel()
	s := newResuming(t, 2)
	slow, fast := s.open("slow"), s.open("fast")
	s.open("third")
	s.open("fourth") // the first two are not in use
	begun, end := make(chan bool), make(chan bool)
	s.offered = func(offer string) {
		if offer == "slow" {
			close(begun)
			<-end
		}
	}
	slowly, fastly := make(chan int), make(chan int)
	go func() { slowly <- s.ping(slow) }()
	<-begun
	go func() { fastly <- s.ping(fast) }()
	select {
	case got := <-fastly:
		if got != http.StatusOK {
			t.Errorf("the fast one: %d", got)
		}
	case <-time.After(10 * time.Second):
		t.Error("the fast one waits for the slow one")
	}
	close(end)
	if got := <-slowly; got != http.StatusOK {
		t.Errorf("the slow one: %d", got)
	}
}
