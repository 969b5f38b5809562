package front

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/rest"
)

// exchange is one request and its answer. It is the ResponseWriter for the surfaces. It holds the
// status back until the first byte of the body, so that Server-Timing includes encoding.
type exchange struct {
	http.ResponseWriter
	request   *http.Request
	id        string
	start     time.Time
	principal loci.Principal // reported by the surface; zero: not reported
	status    int            // 0: not set yet
	sent      bool
	size      int
	body      *body // nil: the request has none
}

func (d *door) begin(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{ResponseWriter: w, request: r, id: requestID(r), start: time.Now()}
	h := w.Header()
	h[rest.RequestIDHeader] = []string{x.id}
	h["Content-Security-Policy"] = noContent // pages set their own
	h["X-Content-Type-Options"] = noSniffing
	h["X-Frame-Options"] = noFrames
	h["Referrer-Policy"] = noReferrer
	h["Cache-Control"] = noSharing
	if r.TLS != nil || strings.HasPrefix(d.options.Site.PublicURL, "https://") {
		h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
	}
	return x
}

// These are headers of all answers, with names as package http stores them. Answers share the lists,
// which are full: Set replaces one, and Add copies it.
var (
	noContent  = []string{"default-src 'none'; frame-ancestors 'none'"}
	noSniffing = []string{"nosniff"}
	noFrames   = []string{"DENY"}
	noReferrer = []string{"no-referrer"}
	noSharing  = []string{"private, no-cache"}
)

// end turns a panic into an answer, sends what was held back and logs.
func (d *door) end(x *exchange) {
	ctx := x.request.Context()
	if p := recover(); p != nil {
		if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(p)
		}
		d.options.Log.ErrorContext(ctx, "panic", "request_id", x.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		if x.sent {
			panic(http.ErrAbortHandler) // the answer is incomplete; let the client notice
		}
		x.status = 0
		rest.WriteError(x, errPanic)
	}
	x.commit()
	if d.options.Log.Enabled(ctx, slog.LevelDebug) {
		d.logRequest(ctx, x)
	}
}

func (d *door) logRequest(ctx context.Context, x *exchange) {
	path := x.request.URL.Path
	d.options.Log.LogAttrs(ctx, slog.LevelDebug, "request", slog.String("request_id", x.id),
		slog.String("method", cut(x.request.Method, 16)), slog.String("path", cut(path, 200)),
		slog.Int("status", x.status), slog.Int("bytes", x.size), slog.Duration("took", time.Since(x.start)),
		slog.String("kind", string(x.principal.Kind)), slog.String("vendor", string(x.principal.Vendor)))
}

var errPanic = errors.New("panic")

func cut(s string, n int) string { return strings.ToValidUTF8(s[:min(n, len(s))], "") }

// requestID returns the caller's id if it is harmless, or a new one.
func requestID(r *http.Request) string {
	id := r.Header.Get(rest.RequestIDHeader)
	if len(id) == 0 || len(id) > 128 || strings.IndexFunc(id, notIDRune) >= 0 {
		return strconv.FormatUint(rand.Uint64()|1<<63, 36)
	}
	return id
}

func notIDRune(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
}

// Admitted records the principal that a surface authenticated, for Server-Timing and the log.
func (x *exchange) Admitted(p loci.Principal) { x.principal = p }

// WriteHeader records the status. It is sent with the first byte of the body.
func (x *exchange) WriteHeader(status int) {
	if status < 200 && status != http.StatusSwitchingProtocols {
		x.ResponseWriter.WriteHeader(status)
		return
	}
	x.status = cmp.Or(x.status, status)
}

// Write sends a part of the body.
func (x *exchange) Write(b []byte) (int, error) {
	x.commit()
	n, err := x.ResponseWriter.Write(b)
	x.size += n
	return n, err
}

// FlushError sends what was held back, for streams.
func (x *exchange) FlushError() error {
	x.commit()
	return http.NewResponseController(x.ResponseWriter).Flush()
}

// Flush is FlushError for callers that look for http.Flusher.
func (x *exchange) Flush() { _ = x.FlushError() }

// Unwrap lets http.ResponseController reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// timing returns a value of Server-Timing, which is in milliseconds.
func timing(took time.Duration) string {
	ms := float64(took.Nanoseconds()) / 1e6
	return string(strconv.AppendFloat(append(make([]byte, 0, 24), "app;dur="...), ms, 'f', 3, 64))
}

// retrySoon is after how many seconds to repeat a request that found too much other work.
const retrySoon = "2"

func (x *exchange) commit() {
	if x.sent {
		return
	}
	x.sent = true
	x.status = cmp.Or(x.status, http.StatusOK)
	if !x.principal.IsZero() && x.principal.Vendor == "" {
		// People only: exact times would reveal to a vendor that rows exist which it may not see.
		x.Header()["Server-Timing"] = []string{timing(time.Since(x.start))}
	}
	busy := x.status == http.StatusTooManyRequests
	if busy && x.Header().Get("Retry-After") == "" {
		x.Header().Set("Retry-After", retrySoon)
	}
	x.body.linger(busy)
	x.ResponseWriter.WriteHeader(x.status)
}
