//go:build arc

// Package arc runs the suite of event logs against a real Arc. It is no part of CI, where a fake replaces Arc
// (internal/eventlog/arc/arctest). LOCI_ARC is the path of an arc binary that you built yourself. The tests start it on
// a free port of the loopback interface, in a directory that they delete:
//
//	LOCI_ARC=/path/to/arc go test -count=1 -tags arc ./test/arc/
package arc

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/arc"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
	"github.com/loci-memory/loci/internal/eventlog/eventlogtest"
)

// The Arc of all tests.
var (
	token   = strings.ToLower(rand.Text() + rand.Text())
	address string
	dataDir string
)

func TestMain(m *testing.M) {
	code, err := runWithArc(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runWithArc(m *testing.M) (code int, err error) {
	path := os.Getenv("LOCI_ARC")
	if path == "" {
		return 0, errors.New("LOCI_ARC must be the path of an arc binary")
	}
	dir, err := os.MkdirTemp("", "loci-arc-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	port, err := freePort()
	if err != nil {
		return 0, err
	}
	address, dataDir = "http://127.0.0.1:"+port, filepath.Join(dir, "data", "arc")
	arc := exec.Command(path)
	arc.Dir = dir
	arc.Env = append(os.Environ(), "ARC_SERVER_HOST=127.0.0.1", "ARC_SERVER_PORT="+port, "ARC_TELEMETRY_ENABLED=false",
		"ARC_AUTH_BOOTSTRAP_TOKEN="+token, "ARC_DELETE_ENABLED=true")
	if err := arc.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = arc.Process.Kill()
		_ = arc.Wait()
	}()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for begin := time.Now(); !isReady(); <-look.C {
		if time.Since(begin) > time.Minute {
			return 0, errors.New("Arc is not ready after a minute")
		}
	}
	return m.Run(), nil
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

func isReady() bool {
	resp, err := http.Get(address + "/ready")
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

var databases atomic.Int64

// newDatabase returns the name of a database that doesn't exist. Arc makes it with the first write.
func newDatabase() string {
	return fmt.Sprintf("test%s%d", hex.EncodeToString(fmt.Append(nil, time.Now().UnixNano())), databases.Add(1))
}

// open returns a log with a database of its own.
func open(t testing.TB, database string, o arc.Options) *arc.Log {
	t.Helper()
	local := embedded.Open(embedded.Options{Dir: t.TempDir(), Now: o.Now})
	o.Local = local
	o.Binding = func(context.Context, loci.OrgID) (loci.ArcBinding, error) {
		return loci.ArcBinding{URL: address, Database: database, Measurement: "events", Key: loci.Secret(token)}, nil
	}
	log := arc.New(o)
	t.Cleanup(func() {
		if err := log.Close(); err != nil {
			t.Error(err)
		}
		if err := local.Close(); err != nil {
			t.Error(err)
		}
	})
	return log
}

// The suite reads what was just written, over and over, so the log forgets at once what has arrived. Two habits of Arc
// must be out of the way for that, and TestDefaults looks at both.
func TestSuite(t *testing.T) {
	eventlogtest.Run(t, func(t *testing.T, now func() time.Time) eventlog.Engine {
		return open(t, newDatabase(), arc.Options{Now: now, HTTP: &http.Client{Transport: eager{http.DefaultTransport}},
			Confirm: 1, Settle: 1, FlushInterval: 1, Resend: 1})
	})
}

// eager makes Arc write its memory to the disk before each query, and hides from it the times in which a query looks,
// because it remembers for up to 90 seconds that an hour has no files.
type eager struct{ http.RoundTripper }

func (e eager) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/api/v1/write/msgpack" {
		return e.RoundTripper.RoundTrip(r)
	}
	const path = "/api/v1/write/line-protocol/flush"
	flush, err := http.NewRequestWithContext(r.Context(), http.MethodPost, address+path, nil)
	if err != nil {
		return nil, err
	}
	flush.Header.Set("x-api-key", token)
	resp, err := e.RoundTripper.RoundTrip(flush)
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("flush: status %d", resp.StatusCode)
	}
	if r.URL.Path == "/api/v1/query" {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		for _, operator := range []string{">=", "<"} {
			body = []byte(strings.ReplaceAll(string(body), " time "+escaped(operator), ` \"time\" `+escaped(operator)))
		}
		r = r.Clone(r.Context())
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	return e.RoundTripper.RoundTrip(r)
}

// escaped is an operator as JSON has it.
func escaped(operator string) string {
	return strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(operator)
}
