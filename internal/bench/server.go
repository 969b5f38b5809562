package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The keys of the measured server. They need not be secret: the server listens on loopback and
// lives only as long as the run.
const (
	personKey = "loci-bench-person-key"
	agentKey  = "loci-bench-agent-key"
)

// server is a real Loci process on loopback.
type server struct {
	address string
	process *exec.Cmd
	errors  bytes.Buffer
	started time.Duration // from the start of the process to its first answer
}

// startServer runs binary on dir, with more of the environment, and waits for its first answer.
func startServer(ctx context.Context, binary, dir string, env ...string) (*server, error) {
	return start(ctx, binary, dir, nil, env, "serve", "--data-dir", dir, "--listen")
}

// serve calls fn with a server on a directory in Dir, and stops the server.
func (o *Common) serve(ctx context.Context, dir string, fn func(*server) error, env ...string) error {
	s, err := startServer(ctx, o.Binary, filepath.Join(o.Dir, dir), env...)
	if err != nil {
		return err
	}
	return errors.Join(fn(s), s.stop())
}

// start runs a command of binary that listens on the address after it, and waits for its first answer.
func start(ctx context.Context, binary, dir string, in io.Reader, env []string, command ...string) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := &server{address: address}
	s.process = exec.CommandContext(ctx, binary, append(command, address)...)
	s.process.Stdin = in
	s.process.Env = []string{"LOCI_API_KEY=" + personKey, "LOCI_AGENT_KEY_CLAUDE=" + agentKey, "LOCI_RATE_LIMIT=0",
		"LOCI_LOG_LEVEL=error", "HOME=" + dir}
	s.process.Env = append(s.process.Env, env...)
	s.process.Stderr = &s.errors
	begin := time.Now()
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	for time.Since(begin) < 30*time.Second {
		if c, err := s.dial(); err == nil {
			_, err = c.call("GET", "/health", "", nil)
			s.started = time.Since(begin)
			return s, errors.Join(err, c.close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), s.stop())
		case <-time.After(time.Millisecond):
		}
	}
	return nil, errors.Join(fmt.Errorf("the server did not answer: %s", s.errors.String()), s.stop())
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// stop ends the process as Ctrl-C would and waits for it.
func (s *server) stop() error {
	if err := s.process.Process.Signal(os.Interrupt); err != nil {
		_ = s.process.Process.Kill()
	}
	if err := s.process.Wait(); err != nil {
		return fmt.Errorf("stopping the server: %w: %s", err, s.errors.String())
	}
	return nil
}

// resident returns the process's resident memory in bytes, or 0 if the system doesn't report it.
func (s *server) resident() int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kb << 10
		}
	}
	return 0
}

// processorTime returns how long a process has used processors. ok is false if the system doesn't report it.
func processorTime(pid int) (used time.Duration, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // the name before may have spaces
	if len(fields) < 13 {
		return 0, false
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * (time.Second / 100), true // Linux reports hundredths on every platform of Go
}

// serverTime parses "app;dur=0.123", in milliseconds.
func serverTime(header string) time.Duration {
	_, value, ok := strings.Cut(header, "dur=")
	if !ok {
		return 0
	}
	value, _, _ = strings.Cut(value, ",")
	ms, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil {
		return 0
	}
	return time.Duration(ms * float64(time.Millisecond))
}
