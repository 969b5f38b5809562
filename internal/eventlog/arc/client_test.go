package arc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/loci-memory/loci"
)

// against returns a client of a server with one handler.
func against(t *testing.T, h http.HandlerFunc) *client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &client{binding: loci.ArcBinding{URL: server.URL, Database: "db", Measurement: "events", Key: "the-key"},
		table: table{"acme", "events"}, http: NewHTTP(true), timeout: 10 * time.Second, zstd: z,
		places: make(chan struct{}, maxCalls)}
}

func (c *client) ask(t *testing.T) ([][]any, error) {
	t.Helper()
	st, err := c.table.selects("id", []column{colID}, always, condition{}, "LIMIT 1")
	if err != nil {
		t.Fatal(err)
	}
	return c.query(t.Context(), st)
}

func TestRequests(t *testing.T) {
	var got *http.Request
	var body []byte
	c := against(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		if strings.HasSuffix(r.URL.Path, "/msgpack") {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		_, _ = io.WriteString(w, `{"success":true,"columns":["id"],"data":[["x"]]}`)
	})
	rows, err := c.ask(t)
	if err != nil || len(rows) != 1 || rows[0][0] != "x" {
		t.Errorf("rows %v, %v", rows, err)
	}
	if got.Method != http.MethodPost || got.URL.Path != "/api/v1/query" || got.Header.Get("x-api-key") != "the-key" ||
		got.Header.Get("x-arc-database") != "db" || !bytes.Contains(body, []byte(`"sql":"SELECT id FROM \"events\" WHERE`)) {
		t.Errorf("query: %s %s %v %s", got.Method, got.URL, got.Header, body)
	}
	if err := c.write(t.Context(), []byte("rows")); err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	plain, err := z.DecodeAll(body, nil)
	if err != nil || string(plain) != "rows" || got.URL.Path != "/api/v1/write/msgpack" ||
		got.Header.Get("Content-Type") != "application/msgpack" {
		t.Errorf("write: %s %q, %v", got.URL, plain, err)
	}
}

func TestFaults(t *testing.T) {
	answer := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	const ok = `{"success":true,"columns":["id"],"data":[["x"]]}`
	tests := []struct {
		name string
		h    http.HandlerFunc
		want trouble
	}{
		{"no key", answer(401, `{"error":"Invalid or expired token"}`), denied},
		{"no right", answer(403, `{"error":"access denied"}`), denied},
		{"no such path", answer(404, ""), denied},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}, denied},
		{"too many requests", answer(429, ""), unanswered},
		{"not yet", answer(503, ""), unanswered},
		{"a gateway", answer(502, "<html>"), unanswered},
		{"a bad statement", answer(400, ""), refused},
		{"too large", answer(413, ""), refused},
		{"an error", answer(500, ""), refused},
		{"half an answer", answer(200, ok[:30]), unanswered},
		{"no JSON", answer(200, "<html>"), unanswered},
		{"no success", answer(200, `{"success":false,"error":"x","columns":["id"]}`), unanswered},
		{"other columns", answer(200, `{"success":true,"columns":["secret"],"data":[["x"]]}`), unanswered},
		{"a connection that ends", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, ok)
		}, unreachable},
		{"an answer without end", func(w http.ResponseWriter, _ *http.Request) {
			for part := bytes.Repeat([]byte(" "), 1<<20); ; {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		}, unanswered},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rows, err := against(t, tt.h).ask(t)
			var f *fault
			if !errors.As(err, &f) || f.kind != tt.want || len(rows) > 0 {
				t.Fatalf("got %v, %v, want trouble %d", rows, err, tt.want)
			}
			seen := unavailable(err)
			if loci.CodeOf(seen) != loci.Unavailable || strings.Contains(seen.Error(), "127.0.0.1") ||
				strings.Contains(seen.Error(), "token") {
				t.Errorf("a caller sees %q", seen)
			}
		})
	}
}

// A key must not go where a redirect leads, nor into a log.
func TestTheKeyStaysHere(t *testing.T) {
	leaked := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		leaked = leaked || r.Header.Get("x-api-key") != ""
	}))
	defer elsewhere.Close()
	c := against(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	_, err := c.ask(t)
	if err == nil || leaked {
		t.Errorf("%v, the key leaked: %v", err, leaked)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Error("failed", "error", err, "binding", c.binding, "client", c)
	if strings.Contains(log.String(), "the-key") {
		t.Errorf("the log has the key: %s", log.String())
	}
}

func TestWithoutEgress(t *testing.T) {
	c := against(t, func(http.ResponseWriter, *http.Request) { t.Error("a call reached the server") })
	c.http = NewHTTP(false)
	_, err := c.ask(t)
	if seen := unavailable(err); loci.CodeOf(seen) != loci.Unavailable || !strings.Contains(seen.Error(), "egress") {
		t.Errorf("query: %v", seen)
	}
	if err := unavailable(c.write(t.Context(), nil)); !strings.Contains(err.Error(), "egress") {
		t.Errorf("write: %v", err)
	}
}

func TestACallEnds(t *testing.T) {
	release := make(chan struct{})
	c := against(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	c.timeout = 10 * time.Millisecond
	if _, err := c.ask(t); kindOf(err) != unreachable || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a slow answer: %v", err)
	}
	for range maxCalls {
		c.places <- struct{}{}
	}
	if _, err := c.ask(t); kindOf(err) != unreachable {
		t.Errorf("no place: %v", err)
	}
}

func TestForeignRows(t *testing.T) {
	for text, want := range map[string]bool{
		`{"error":"arrow query failed: Binder Error: Referenced column \"class\" not found in FROM clause!"}`: true,
		`{"error":"arrow query failed: Binder Error: Referenced column \"other\" not found in FROM clause!"}`: false,
		`{"error":"IO Error: class not found"}`: false,
	} {
		if got := isForeign(faultOf(500, []byte(text))); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
