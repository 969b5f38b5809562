package front_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loci-memory/loci/internal/front"
)

// pipe is a listener with one connection.
type pipe struct {
	net.Listener
	conns chan net.Conn
}

func (p *pipe) Accept() (net.Conn, error) {
	c, ok := <-p.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p *pipe) Close() error   { return nil }
func (p *pipe) Addr() net.Addr { return &net.TCPAddr{} }

// send starts a server with h behind the front door, sends head and then a byte
// every pause, and returns the status line and how long it took.
func send(t *testing.T, h http.HandlerFunc, head string, pause time.Duration) (status string, took time.Duration) {
	t.Helper()
	here, there := net.Pipe()
	l := &pipe{conns: make(chan net.Conn, 1)}
	l.conns <- there
	server := &http.Server{Handler: newDoor(front.Options{REST: h})}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(l) }()
	begin := time.Now()
	stop := make(chan struct{})
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, err := io.WriteString(here, head)
		for err == nil {
			select {
			case <-stop:
				return
			case <-time.After(pause):
				_, err = here.Write([]byte("x"))
			}
		}
	}()
	status, _ = bufio.NewReader(here).ReadString('\n')
	took = time.Since(begin)
	close(stop)
	here.Close()
	<-sent
	close(l.conns)
	server.Close()
	<-served
	<-time.After(time.Second) // the server closes connections a moment later
	return strings.TrimSpace(status), took
}

const slowPost = "POST /memories HTTP/1.1\r\nHost: 127.0.0.1:5624\r\nContent-Length: 1000000\r\n\r\n"

// TestSlowBodies sends a byte every three seconds: the server gives up long
// before the two minutes that it would wait for a body that comes.
func TestSlowBodies(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"read": func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); errors.Is(err, os.ErrDeadlineExceeded) {
				w.WriteHeader(http.StatusRequestTimeout)
			}
		},
		"refused": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				status, took := send(t, h, slowPost, 3*time.Second)
				want, most := "408", 40*time.Second
				if name == "refused" {
					want, most = "401", 5*time.Second
				}
				if !strings.Contains(status, want) || took > most {
					t.Errorf("got %q after %v, want %s within %v", status, took, want, most)
				}
			})
		})
	}
}

// TestSteadyBodies sends a body as fast as it must come, for ten minutes.
func TestSteadyBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n int64
		read := func(w http.ResponseWriter, r *http.Request) {
			var err error
			if n, err = io.Copy(io.Discard, r.Body); err != nil {
				w.WriteHeader(http.StatusRequestTimeout)
			}
		}
		const size = 600 * 16 << 10
		r := &ticking{left: size}
		w := httptest.NewRecorder()
		newDoor(front.Options{REST: http.HandlerFunc(read)}).ServeHTTP(&timed{w, r}, httptest.NewRequest(http.MethodPost,
			"/memories", r))
		if w.Code != 200 || n != size {
			t.Errorf("got %d after %d bytes, want all %d", w.Code, n, size)
		}
	})
}

// ticking is a body that takes a second for every 16 KiB, and ends at its deadline.
type ticking struct {
	left     int
	deadline time.Time
}

func (r *ticking) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), r.left, 16<<10)
	took := time.Duration(n) * time.Second / (16 << 10)
	if time.Now().Add(took).After(r.deadline) {
		return 0, os.ErrDeadlineExceeded
	}
	<-time.After(took)
	r.left -= n
	return n, nil
}

type timed struct {
	*httptest.ResponseRecorder
	body *ticking
}

func (w *timed) SetReadDeadline(at time.Time) error { w.body.deadline = at; return nil }
func (w *timed) SetWriteDeadline(time.Time) error   { return nil }

// boundWriter notes which deadlines a request got.
type boundWriter struct {
	*httptest.ResponseRecorder
	read, written bool
}

func (w *boundWriter) SetReadDeadline(t time.Time) error  { w.read = !t.IsZero(); return nil }
func (w *boundWriter) SetWriteDeadline(t time.Time) error { w.written = !t.IsZero(); return nil }

func TestOnlyStreamsHaveNoDeadline(t *testing.T) {
	for _, tt := range []struct {
		method, path, accept string
		bounded              bool
	}{
		{http.MethodGet, "/mcp", "text/event-stream", false},
		{http.MethodGet, "/mcp/", "", false},
		{http.MethodPost, "/mcp", "application/json, text/event-stream", true},
		{http.MethodGet, "/api/v1/memories", "text/event-stream", true},
		{http.MethodGet, "/", "text/event-stream", true},
		{http.MethodGet, "/api/v1/changes", "", false},
		{http.MethodGet, "/changes", "", false},
		{http.MethodPost, "/api/v1/changes", "", true},
	} {
		t.Run(tt.method+" "+tt.path+" "+tt.accept, func(t *testing.T) {
			w := &boundWriter{ResponseRecorder: httptest.NewRecorder()}
			r := httptest.NewRequest(tt.method, tt.path, strings.NewReader("{}"))
			r.Header.Set("Accept", tt.accept)
			newDoor(front.Options{}).ServeHTTP(w, r)
			if w.read != tt.bounded || w.written != tt.bounded {
				t.Errorf("deadlines to read %t, to write %t; want %t", w.read, w.written, tt.bounded)
			}
		})
	}
}

// TestStreamsEndWithTheServer demands that streams end when the server stops,
// and that other requests may finish.
func TestStreamsEndWithTheServer(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	h := front.Until(ctx, newDoor(front.Options{REST: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stop()
		if r.URL.Path == "/changes" {
			<-r.Context().Done()
		} else if r.Context().Err() != nil {
			t.Error("a request that is no stream was cut off")
		}
	})}))
	do(h, "GET", "/changes")
	do(h, "GET", "/memories")
}
