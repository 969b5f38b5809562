package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
)

// liveServer is a real `loci serve` process.
type liveServer struct {
	tb      testing.TB
	process *exec.Cmd
	errors  *output
	url     string
	greeted string // what it printed at its start
}

// environmentOf is all that a process of the tests gets to know.
func environmentOf(dir string, more ...string) []string {
	home := filepath.Join(dir, "home")
	return append([]string{"HOME=" + home, "USERPROFILE=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(),
		"SystemRoot=" + os.Getenv("SystemRoot"), "LOCI_DATA_DIR=" + filepath.Join(dir, "data")}, more...)
}

// lociCommand is the program as a process of its own, on dir.
func lociCommand(tb testing.TB, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(tb.Context(), "loci", args...)
	cmd.Env = environmentOf(dir)
	return cmd
}

// output is what a process wrote so far; it may be read while more comes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer // not embedded: its ReadFrom would pass Write by
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// startServer starts a server on dir and waits until it has said its address
// and how to connect.
func startServer(tb testing.TB, dir string, env ...string) *liveServer {
	tb.Helper()
	s := &liveServer{tb: tb, process: lociCommand(tb, dir, "serve", "--listen", "127.0.0.1:0"), errors: &output{}}
	s.process.Env = append(s.process.Env, env...)
	s.process.Stderr = s.errors
	s.waitForAddress()
	return s
}

// waitForAddress starts the process and reads all that it says at its start.
func (s *liveServer) waitForAddress() {
	s.tb.Helper()
	out, err := s.process.StdoutPipe()
	if err != nil {
		s.tb.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		s.tb.Fatal(err)
	}
	s.tb.Cleanup(s.kill)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		line := lines.Text()
		s.greeted += line + "\n"
		if url, ok := strings.CutPrefix(line, "Loci listens on "); ok {
			s.url = url
		}
		if line == lastLine {
			return
		}
	}
	s.tb.Fatalf("the server ended at its start: %s%s", s.greeted, s.errors)
}

// kill is kill -9: nothing is finished, nothing is said.
func (s *liveServer) kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

func (s *liveServer) stop() {
	s.tb.Helper()
	if err := s.process.Process.Signal(os.Interrupt); err != nil {
		s.tb.Fatal(err)
	}
	if err := s.process.Wait(); err != nil {
		s.tb.Errorf("the server ended with %v: %s", err, s.errors)
	}
	if strings.Contains(s.errors.String(), "cut off") {
		s.tb.Errorf("open streams of clients kept the server from ending: %s", s.errors)
	}
}

// key makes an agent's key on the server's data directory, with the command that people use.
func (s *liveServer) key(vendor string) loci.Secret {
	s.tb.Helper()
	cmd := exec.CommandContext(s.tb.Context(), "loci", "agent-key", "create", "--vendor", vendor, "--name", vendor)
	cmd.Env = s.process.Env
	out, err := cmd.Output()
	if err != nil {
		s.tb.Fatalf("create a key of %s: %v", vendor, err)
	}
	return loci.Secret(strings.TrimSpace(string(out)))
}

// bearer sends a key with every request, as the clients' configurations do.
type bearer loci.Secret

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+loci.Secret(b).Reveal())
	return http.DefaultTransport.RoundTrip(r)
}

// assistant is a connected MCP client.
type assistant struct {
	tb      testing.TB
	name    string
	session *mcp.ClientSession
}

func connectAssistant(tb testing.TB, name string, transport mcp.Transport) *assistant {
	tb.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil).Connect(tb.Context(), transport, nil)
	if err != nil {
		tb.Fatalf("connect %s: %v", name, err)
	}
	tb.Cleanup(func() { session.Close() })
	return &assistant{tb, name, session}
}

func (s *liveServer) assistant(name string, key loci.Secret) *assistant {
	return connectAssistant(s.tb, name,
		&mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(key)}})
}

func stdioAssistant(tb testing.TB, name, dir string) *assistant {
	cmd := exec.Command("loci", "mcp", "--vendor", name)
	cmd.Env = environmentOf(dir)
	cmd.Stderr = os.Stderr
	return connectAssistant(tb, name, &mcp.CommandTransport{Command: cmd})
}

// call returns a tool's structured content, or the text of its error.
func (a *assistant) call(tool string, args map[string]any, into any) error {
	result, err := a.session.CallTool(a.tb.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err
	}
	if result.IsError {
		return errors.New(result.Content[0].(*mcp.TextContent).Text)
	}
	b, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

func (a *assistant) write(title, content string, more map[string]any) (string, error) {
	args := map[string]any{"title": title, "content": content}
	for k, v := range more {
		args[k] = v
	}
	var m struct {
		ID string `json:"id"`
	}
	err := a.call("write_memory", args, &m)
	return m.ID, err
}

type foundMemory struct {
	ID      string `json:"id"`
	Content string `json:"text"`
	Origin  string `json:"origin"`
}

func (a *assistant) search(term string) []foundMemory {
	a.tb.Helper()
	var page struct {
		Memories []foundMemory `json:"memories"`
	}
	if err := a.call("search_memories", map[string]any{"term": term, "limit": 10}, &page); err != nil {
		a.tb.Fatalf("%s searches %q: %v", a.name, term, err)
	}
	return page.Memories
}

// runLoci runs the command line on dir and returns its standard output.
func runLoci(tb testing.TB, dir string, args ...string) []byte {
	tb.Helper()
	cmd := lociCommand(tb, dir, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("loci %s: %v: %s", strings.Join(args, " "), err, &stderr)
	}
	return out
}
