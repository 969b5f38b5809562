package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

const shutdownKey = "the-owner-key-of-this-test"

// halfRequest sends the beginning of a write and waits until the server works
// on it: it answers "100 Continue" when somebody reads the body.
func halfRequest(t *testing.T, s *liveServer, body string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn,
		"POST /memories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", shutdownKey, len(body))
	answer := bufio.NewReader(conn)
	line, err := answer.ReadString('\n')
	if err != nil || !strings.Contains(line, "100") {
		t.Fatalf("got %q, %v; want 100 Continue", line, err)
	}
	if _, err := answer.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return conn, answer
}

func interruptible(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted from outside")
	}
	t.Parallel()
}

// lineWatch keeps what is written to it and says when a text was there.
type lineWatch struct {
	text output
	want string
	seen chan struct{}
}

func (w *lineWatch) Write(b []byte) (int, error) {
	before := strings.Contains(w.text.String(), w.want)
	n, err := w.text.Write(b)
	if !before && strings.Contains(w.text.String(), w.want) {
		close(w.seen)
	}
	return n, err
}

// startWatched is startServer with a channel that closes when the server says
// that it is stopping.
func startWatched(t *testing.T) (*liveServer, chan struct{}) {
	t.Helper()
	watch := &lineWatch{want: "stopping", seen: make(chan struct{})}
	s := &liveServer{tb: t, process: lociCommand(t, t.TempDir(), "serve", "--listen", "127.0.0.1:0"), errors: &watch.text}
	s.process.Env = append(s.process.Env, "LOCI_API_KEY="+shutdownKey)
	s.process.Stderr = watch
	s.waitForAddress()
	return s, watch.seen
}

func TestFirstSignalFinishesRequests(t *testing.T) {
	interruptible(t)
	s, stopping := startWatched(t)
	const body = `{"title":"t","content":"written while the server stops"}`
	conn, answer := halfRequest(t, s, body)
	if err := s.process.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-stopping
	if _, err := io.WriteString(conn, body); err != nil {
		t.Fatal(err)
	}
	r, err := http.ReadResponse(answer, nil)
	if err != nil {
		t.Fatalf("the request was not finished: %v", err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusCreated {
		t.Errorf("got %s, want 201", r.Status)
	}
	if err := s.process.Wait(); err != nil {
		t.Errorf("the server ended with %v: %s", err, s.errors)
	}
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	interruptible(t)
	s, stopping := startWatched(t)
	halfRequest(t, s, `{"this never comes": true}`)
	ended := make(chan error, 1)
	if err := s.process.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-stopping
	go func() { ended <- s.process.Wait() }()
	began := time.Now()
	for {
		_ = s.process.Process.Signal(os.Interrupt) // fails only when it has ended
		select {
		case err := <-ended:
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != -1 {
				t.Errorf("got %v, want an end by the signal", err)
			}
			if took := time.Since(began); took > shutdownPatience/2 {
				t.Errorf("it took %v", took)
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func TestStdioEndsWithASignal(t *testing.T) {
	interruptible(t)
	cmd := lociCommand(t, t.TempDir(), "mcp", "--vendor", "claude")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},`+
			`"clientInfo":{"name":"t","version":"1"}}}`)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, `"id":1`) {
		t.Fatalf("got %q, %v", line, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// TestOpenStreamsDoNotKeepTheServer opens an assistant's event stream, which
// stays open for as long as both sides want it.
func TestOpenStreamsDoNotKeepTheServer(t *testing.T) {
	interruptible(t)
	s := startServer(t, t.TempDir())
	key := s.key("claude")
	session := mcpRequest(t, s, key, http.MethodPost, "",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},`+
			`"clientInfo":{"name":"t","version":"1"}}}`).header.Get("Mcp-Session-Id")
	mcpRequest(t, s, key, http.MethodPost, session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	stream := mcpRequest(t, s, key, http.MethodGet, session, "")
	if got := stream.header.Get("Content-Type"); stream.status != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("no stream was opened: %d, %s", stream.status, got)
	}
	began := time.Now()
	s.stop()
	if took := time.Since(began); took > shutdownPatience/2 {
		t.Errorf("it took %v to stop", took)
	}
}

// opened is an answer whose body stays open until the test ends.
type opened struct {
	status int
	header http.Header
}

// mcpRequest speaks the protocol by hand; the SDK's client chooses a version
// without sessions.
func mcpRequest(t *testing.T, s *liveServer, key loci.Secret, method, session, body string) opened {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	if method == http.MethodPost {
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Content-Type", "application/json")
	}
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	answer, err := (&http.Client{Transport: bearer(key)}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return opened{answer.StatusCode, answer.Header}
}

// TestLoopbackRefusesForeignNames: a web page that makes its own name mean
// 127.0.0.1 gets nowhere.
func TestLoopbackRefusesForeignNames(t *testing.T) {
	t.Parallel()
	s := startServer(t, t.TempDir())
	for host, want := range map[string]int{"evil.example": http.StatusForbidden, "localhost": http.StatusOK} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/health", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("as %s: got %s, want %d", host, answer.Status, want)
		}
	}
}
