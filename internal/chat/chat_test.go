package chat_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci/internal/chat"
)

const (
	key    = "sk-of-the-endpoint-93"
	prompt = "the-garden-at-night"
)

// ask asks an endpoint, and returns the fault.
func ask(t *testing.T, base string, timeout time.Duration) *chat.Fault {
	t.Helper()
	c, err := chat.New(chat.Options{BaseURL: base, APIKey: key, Model: "small", Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Ask(t.Context(), chat.Question{Prompt: prompt})
	f, ok := err.(*chat.Fault) //nolint:errorlint // Ask returns nothing else
	if !ok {
		t.Fatalf("got %v", err)
	}
	return f
}

// echo returns the address of an endpoint that answers each request with a format, with the key and the prompt as its
// argument. It ends the connection then, or if it should wait, when the client does.
func echo(t *testing.T, format string, wait bool) string {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				body, _ := io.ReadAll(r.Body)
				said := r.Header.Get("Authorization")
				if strings.Contains(string(body), prompt) {
					said += " " + prompt
				}
				_, _ = fmt.Fprintf(conn, format, said)
				if wait {
					_, _ = io.Copy(io.Discard, conn)
				}
			}
			_ = conn.Close()
		}
	}()
	return "http://" + l.Addr().String()
}

// TestNothingOfAnAnswerInErrors has endpoints that repeat the key and the question where HTTP has no place for them.
func TestNothingOfAnAnswerInErrors(t *testing.T) {
	t.Parallel()
	for name, format := range map[string]string{
		"a header":          "HTTP/1.1 200 OK\r\n%s\r\n\r\n",
		"a header's name":   "HTTP/1.1 200 OK\r\n%s: 1\r\n\r\n",
		"length":            "HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n",
		"two lengths":       "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: %s\r\n\r\n",
		"transfer encoding": "HTTP/1.1 200 OK\r\nTransfer-Encoding: %s\r\n\r\n",
		"status":            "HTTP/1.1 %s\r\n\r\n",
		"protocol":          "%s 200 OK\r\n\r\n",
		"no HTTP":           "%s\r\n\r\n",
		"location":          "HTTP/1.1 307 See\r\nLocation: http://[%s\r\n\r\n",
		"other location":    "HTTP/1.1 307 See\r\nLocation: http://127.0.0.1:1/%s\r\n\r\n",
		"reason":            "HTTP/1.1 500 %s\r\nContent-Length: 0\r\n\r\n",
		"chunk":             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%s\r\n",
		"trailer": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: A\r\n\r\n" +
			"0\r\n%s\r\n\r\n",
		"trailer of an error": "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\nTrailer: A\r\n\r\n" +
			"0\r\n%s\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := ask(t, echo(t, format, false), 5*time.Second)
			for err := error(f); err != nil; {
				if text := err.Error(); strings.Contains(text, key) || strings.Contains(text, "garden") ||
					strings.Contains(text, "Bearer") {
					t.Errorf("the error says %q", text)
				}
				u, ok := err.(interface{ Unwrap() error })
				if !ok {
					break
				}
				err = u.Unwrap()
			}
		})
	}
}

// TestErrorsSayWhatHelps keeps the texts with which an operator finds a wrong setting.
func TestErrorsSayWhatHelps(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	unknown := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(unknown.Close)
	away := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/", http.StatusTemporaryRedirect))
	t.Cleanup(away.Close)
	for name, tt := range map[string]struct{ base, want string }{
		"nobody there":        {gone.URL, "connection refused"},
		"HTTP instead of TLS": {strings.Replace(plain.URL, "http:", "https:", 1), "HTTP response to HTTPS client"},
		"unknown authority":   {unknown.URL, "certificate"},
		"redirect":            {away.URL, "set chat.base_url to its final address"},
		"broken":              {echo(t, "%s\r\n\r\n", false), "broken HTTP answer"},
		"slow":                {echo(t, "HTTP/1.1 200 OK\r\nA: %.0s", true), context.DeadlineExceeded.Error()},
		"slow body":           {echo(t, "HTTP/1.1 200 OK\r\n\r\n{%.0s", true), context.DeadlineExceeded.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeout := 5 * time.Second
			if strings.HasPrefix(name, "slow") {
				timeout = 300 * time.Millisecond
			}
			if f := ask(t, tt.base, timeout); !f.Unreachable || !strings.Contains(f.Error(), tt.want) {
				t.Errorf("got %q, unreachable %v", f, f.Unreachable)
			}
		})
	}
}

// TestConnectionsAreNotKept makes sure that nothing can come after an answer, because net/http would log it.
func TestConnectionsAreNotKept(t *testing.T) {
	t.Parallel()
	kept := make(chan bool, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { kept <- !r.Close }))
	t.Cleanup(server.Close)
	if f := ask(t, server.URL, 5*time.Second); f.Status != 0 {
		t.Error(f)
	}
	if <-kept {
		t.Error("the connection stays open after the answer")
	}
}
