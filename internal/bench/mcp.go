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
)

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
