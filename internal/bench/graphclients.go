package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/loci-memory/loci"
)

// shared is the result of many clients of one server together.
type shared struct {
	Sample
	lost int // entities that were acknowledged but don't exist
}

// clients compares many clients at once. Loci's clients are HTTP sessions of one server. The
// reference server supports one connection, on which it gets the same number of simultaneous calls.
func (g *graphBencher) clients(ctx context.Context) error {
	g.Progress(fmt.Sprintf("loci serve, %d MCP clients over HTTP", g.Clients))
	ours, err := g.ourClients(ctx)
	if err != nil {
		return err
	}
	at := fmt.Sprintf("at %d entities", g.Entities)
	g.add(fmt.Sprintf("create_entities, %d clients over HTTP, %s", g.Clients, at), ours.Sample, ours.PerSecond,
		"entities/s")
	g.add("acknowledged and lost", Sample{}, float64(ours.lost), fmt.Sprintf("of %d", ours.Count), Bar{"must", 0, true})
	if len(g.Reference) == 0 {
		return nil
	}
	g.Progress(fmt.Sprintf("the reference server, %d calls in flight", g.Clients))
	theirs, err := g.theirClients(ctx)
	if err != nil {
		return err
	}
	g.add(fmt.Sprintf("reference server, %d calls in flight, %s", g.Clients, at), theirs.Sample, theirs.PerSecond,
		"entities/s")
	g.add("reference server, acknowledged and lost", Sample{}, float64(theirs.lost), fmt.Sprintf("of %d", theirs.Count))
	g.add(fmt.Sprintf("create_entities, %d clients, ours to theirs", g.Clients), Sample{}, ours.PerSecond/theirs.PerSecond,
		"× reference", Bar{"must", 50, false})
	return nil
}

// session is one MCP client over HTTP.
type session struct {
	http *conn
	path string
	id   int
}

func (s *server) session() (*session, error) {
	c, err := s.dial()
	if err != nil {
		return nil, err
	}
	h := &session{http: c, path: "/mcp?toolsets=graph&project=" + benchProject}
	return h, h.hello()
}

func (h *session) hello() error {
	h.http.headers = "Accept: application/json, text/event-stream\r\n"
	_, err := h.request("initialize", map[string]any{"protocolVersion": heldVersion, "capabilities": struct{}{},
		"clientInfo": map[string]string{"name": "loci-bench", "version": "1"}})
	if err != nil {
		return err
	}
	h.http.headers += "Mcp-Session-Id: " + h.http.value("Mcp-Session-Id") + "\r\nMcp-Protocol-Version: " +
		heldVersion + "\r\n"
	_, err = h.http.call("POST", h.path, agentKey, map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return err
}

// heldVersion is a protocol version with sessions.
const heldVersion = "2025-06-18"

func (h *session) request(method string, params any) (json.RawMessage, error) {
	h.id++
	if _, err := h.http.call("POST", h.path, agentKey,
		map[string]any{"jsonrpc": "2.0", "id": h.id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	return (&mcpAnswer{}).read(h.http.body)
}

func (h *session) call(tool string, arguments, out any) error {
	answer, err := h.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return err
	}
	return readResult(tool, answer, out)
}

func (g *graphBencher) ourClients(ctx context.Context) (t shared, err error) {
	s, err := startServer(ctx, g.Binary, filepath.Join(g.Dir, "clients"))
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	sessions := make([]*session, g.Clients)
	for i := range sessions {
		if sessions[i], err = s.session(); err != nil {
			return t, err
		}
		defer func() { _ = sessions[i].http.close() }() // the answers were read
	}
	if err := sessions[0].call("create_project", map[string]any{"name": benchProject}, nil); err != nil {
		return t, err
	}
	if _, err := g.fill(newCorpus(1, loci.NewUserID()), sessions[0].call); err != nil {
		return t, err
	}
	sources, told := make([]*corpus, g.Clients), make([][]string, g.Clients)
	for i := range sources {
		sources[i] = newCorpus(uint64(i)+100, loci.NewUserID())
		sources[i].made = (i + 1) * 10_000_000 // a separate range of names
	}
	t.Sample, err = run(ctx, g.Clients, g.Step, func(_ context.Context, i int) (time.Duration, error) {
		e := sources[i].entity(2, 12)
		err := sessions[i].call("create_entities", oneEntity(e), nil)
		if err == nil {
			told[i] = append(told[i], e.Name)
		}
		return 0, err
	})
	if err != nil {
		return t, err
	}
	t.lost, err = missing(slices.Concat(told...), sessions[0].call)
	return t, err
}

func oneEntity(e graphEntity) map[string]any { return map[string]any{"entities": []graphEntity{e}} }

func (g *graphBencher) theirClients(ctx context.Context) (t shared, err error) {
	s, err := startMCP(ctx, g.Reference, []string{"MEMORY_FILE_PATH=" + filepath.Join(g.Dir, "clients.jsonl")}, true)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	c := newCorpus(1, loci.NewUserID())
	if _, err := g.fill(c, s.call); err != nil {
		return t, err
	}
	begin := time.Now()
	told, err := s.inFlight(g.Clients, func() (graphEntity, bool) { return c.entity(2, 12), time.Since(begin) < g.Step })
	if err != nil {
		return t, err
	}
	t.Sample = told.Sample
	t.lost, err = missing(told.names, s.call)
	return t, err
}

// acknowledged is what a server reported as stored.
type acknowledged struct {
	Sample
	names []string
}

// inFlight keeps n calls of create_entities in progress over one connection. A rejected call
// doesn't count. It stops when next returns no more.
func (s *mcpServer) inFlight(n int, next func() (graphEntity, bool)) (a acknowledged, err error) {
	type call struct {
		name string
		sent time.Time
	}
	waiting := map[int]call{}
	var times []time.Duration
	begin := time.Now()
	for more := true; ; {
		for more && len(waiting) < n {
			var e graphEntity
			if e, more = next(); !more {
				break
			}
			waiting[s.id+1] = call{e.Name, time.Now()}
			if err := s.ask("tools/call", map[string]any{"name": "create_entities", "arguments": oneEntity(e)}); err != nil {
				return a, err
			}
		}
		if len(waiting) == 0 {
			a.Sample = summarize(times, time.Since(begin), false)
			return a, nil
		}
		id, answer, err := s.next()
		c, ours := waiting[id]
		if id == 0 && err != nil {
			return a, err
		}
		delete(waiting, id)
		if ours && err == nil && readResult("create_entities", answer, nil) == nil {
			a.names, times = append(a.names, c.name), append(times, time.Since(c.sent))
		}
	}
}

// missing returns how many of these entities don't exist. An answer has a token budget, so missing asks for the rest of
// a batch until an answer has none of it.
func missing(names []string, call caller) (lost int, err error) {
	for batch := range slices.Chunk(slices.Clone(names), 100) {
		for found := 1; found > 0 && len(batch) > 0; {
			var answer struct{ Entities []struct{ Name string } }
			err := call("open_nodes", map[string]any{"names": batch}, &answer)
			if unreadable := (*toolError)(nil); err != nil && !errors.As(err, &unreadable) {
				return 0, err
			}
			// A server that can't read its own file has none of them.
			found = len(batch)
			for _, e := range answer.Entities {
				batch = slices.DeleteFunc(batch, func(name string) bool { return name == e.Name })
			}
			found -= len(batch)
		}
		lost += len(batch)
	}
	return lost, nil
}

// mcpServer is an MCP server controlled over its standard input and output.
type mcpServer struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	errors  bytes.Buffer
	id      int
}

// startMCP runs a command and performs the handshake. The command gets only this environment, or
// this one in addition to ours.
func startMCP(ctx context.Context, command, env []string, addition bool) (*mcpServer, error) {
	s := &mcpServer{process: exec.CommandContext(ctx, command[0], command[1:]...)}
	if addition {
		env = append(s.process.Environ(), env...)
	}
	s.process.Env = env
	s.process.Stderr = &s.errors
	var err error
	if s.in, err = s.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReaderSize(out, 1<<16)
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	if err := s.hello(); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (s *mcpServer) hello() error {
	_, err := s.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": struct{}{},
		"clientInfo": map[string]string{"name": "loci-bench", "version": "1"}})
	if err != nil {
		return err
	}
	return s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

func (s *mcpServer) send(message any) error {
	line, err := json.Marshal(message)
	if err == nil {
		_, err = s.in.Write(append(line, '\n'))
	}
	return err
}

func (s *mcpServer) request(method string, params any) (json.RawMessage, error) {
	if err := s.ask(method, params); err != nil {
		return nil, err
	}
	for {
		id, result, err := s.next()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		if id == s.id {
			return result, nil
		}
	}
}

// ask sends a request, with s.id as its id.
func (s *mcpServer) ask(method string, params any) error {
	s.id++
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params}); err != nil {
		return fmt.Errorf("%s: %w: %s", method, err, s.errors.String())
	}
	return nil
}

// next reads a message. Its id is 0 if it doesn't answer a request, or if there is no next message.
// With an id, an error is the server's answer.
func (s *mcpServer) next() (id int, result json.RawMessage, err error) {
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %s", err, s.errors.String())
	}
	var answer mcpAnswer
	result, err = answer.read(line)
	return answer.ID, result, err
}

type mcpAnswer struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (a *mcpAnswer) read(message []byte) (json.RawMessage, error) {
	if err := json.Unmarshal(message, a); err != nil {
		return nil, fmt.Errorf("%w in %.200q", err, message)
	}
	if a.Error != nil {
		return nil, fmt.Errorf("%s", a.Error)
	}
	return a.Result, nil
}

// caller calls a tool and decodes its answer into out, which may be nil.
type caller func(tool string, arguments, out any) error

func (s *mcpServer) call(tool string, arguments, out any) error {
	answer, err := s.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return err
	}
	return readResult(tool, answer, out)
}

// toolError is the error of a tool, as reported in an answer.
type toolError struct{ tool, answer string }

func (e *toolError) Error() string { return e.tool + ": " + e.answer }

func readResult(tool string, answer json.RawMessage, out any) error {
	var result struct {
		Content    []struct{ Text string }
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool
	}
	if err := json.Unmarshal(answer, &result); err != nil {
		return err
	}
	if result.IsError {
		return &toolError{tool, string(answer)}
	}
	if out == nil {
		return nil
	}
	if result.Structured == nil && len(result.Content) > 0 {
		result.Structured = json.RawMessage(result.Content[0].Text)
	}
	return json.Unmarshal(result.Structured, out)
}

// stop ends the process as clients do: by closing its input.
func (s *mcpServer) stop() error {
	err := s.in.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	_, _ = io.Copy(io.Discard, s.out)
	return errors.Join(err, s.process.Wait())
}
