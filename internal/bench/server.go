package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// The keys of the measured server. They are open secrets of a server on
// loopback that lives for the length of a run.
const (
	personKey = "loci-bench-person-key"
	agentKey  = "loci-bench-agent-key"
)

// server is a real Loci process on loopback.
type server struct {
	url     string
	client  *http.Client
	process *exec.Cmd
	errors  bytes.Buffer
	started time.Duration // from the start of the process to its first answer
}

// startServer runs binary on dir and waits for its first answer.
func startServer(ctx context.Context, binary, dir string, clients int) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := &server{url: "http://" + address, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}}
	s.process = exec.CommandContext(ctx, binary, "serve", "--data-dir", dir, "--listen", address)
	s.process.Env = []string{"LOCI_API_KEY=" + personKey, "LOCI_AGENT_KEY_CLAUDE=" + agentKey, "LOCI_LOG_LEVEL=error", "HOME=" + dir}
	s.process.Stderr = &s.errors
	begin := time.Now()
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	for time.Since(begin) < 30*time.Second {
		if r, err := s.client.Get(s.url + "/health"); err == nil {
			s.started = time.Since(begin)
			return s, r.Body.Close()
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

// resident returns the process's resident memory in bytes, or 0 where the
// system does not tell.
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

// call makes one request and returns the server's own time for it.
func (s *server) call(ctx context.Context, method, path, key string, body any) (time.Duration, error) {
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, in)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	r, err := s.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, err
	}
	if r.StatusCode >= 300 {
		return 0, fmt.Errorf("%s %s: %s: %s", method, path, r.Status, answer)
	}
	return serverTime(r.Header.Get("Server-Timing")), nil
}

// serverTime reads "app;dur=0.123", milliseconds.
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
