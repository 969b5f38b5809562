package rest

import (
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
)

// exchange is one request and its answer, as the whole chain sees it. It is
// the ResponseWriter below: it holds the status back until the first byte of
// the body, so that Server-Timing covers encoding too.
type exchange struct {
	http.ResponseWriter
	request   *http.Request
	id        string
	start     time.Time
	principal loci.Principal // set by the gate
	once      *onceKey       // likewise; nil: the request came without a key
	status    int            // 0: nothing decided yet
	sent      bool
	size      int
}

type exchangeKey struct{}

// exchangeOf returns the exchange that ServeHTTP put into the context. It is
// the only value that this package keeps there.
func exchangeOf(ctx context.Context) *exchange { return ctx.Value(exchangeKey{}).(*exchange) }

// principalOf returns who the gate found behind the request. Handlers hand it
// on as a parameter.
func principalOf(ctx context.Context) loci.Principal { return exchangeOf(ctx).principal }

func (s *server) begin(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{ResponseWriter: w, id: requestID(r), start: time.Now()}
	x.request = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
	h := w.Header()
	h.Set("X-Request-Id", x.id)
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'") // pages have their own
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "private, no-cache")
	if r.TLS != nil || strings.HasPrefix(s.options.PublicURL, "https://") {
		h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
	}
	return x
}

// end turns a panic into an answer, sends what was held back and logs.
func (s *server) end(x *exchange) {
	if p := recover(); p != nil {
		if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(p)
		}
		s.log.ErrorContext(x.request.Context(), "panic", "request_id", x.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		if x.sent {
			panic(http.ErrAbortHandler) // the answer is torn; let the client see that
		}
		x.status = 0
		writeProblem(x, newProblem(errPanic))
	}
	x.commit()
	level := slog.LevelInfo
	if strings.HasSuffix(x.request.Pattern, "/health") || strings.HasSuffix(x.request.Pattern, "/ready") {
		level = slog.LevelDebug
	}
	s.log.LogAttrs(x.request.Context(), level, "request", slog.String("request_id", x.id),
		slog.String("method", cut(x.request.Method, 16)), slog.String("path", cut(x.request.URL.Path, 200)), slog.Int("status", x.status),
		slog.Int("bytes", x.size), slog.Duration("took", time.Since(x.start)),
		slog.String("kind", string(x.principal.Kind)), slog.String("vendor", string(x.principal.Vendor)))
}

func cut(s string, n int) string { return strings.ToValidUTF8(s[:min(n, len(s))], "") }

// requestID takes the caller's id if it is harmless, or makes one.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if len(id) == 0 || len(id) > 128 || strings.IndexFunc(id, notIDRune) >= 0 {
		return strconv.FormatUint(rand.Uint64()|1<<63, 36)
	}
	return id
}

func notIDRune(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
}

// WriteHeader notes the status; it is sent with the first byte of the body.
func (x *exchange) WriteHeader(status int) {
	if status < 200 && status != http.StatusSwitchingProtocols {
		x.ResponseWriter.WriteHeader(status)
		return
	}
	if x.status == 0 {
		x.status = status
	}
}

// Write sends a part of the body.
func (x *exchange) Write(b []byte) (int, error) {
	x.commit()
	n, err := x.ResponseWriter.Write(b)
	x.size += n
	return n, err
}

// FlushError sends what is held back, for streams.
func (x *exchange) FlushError() error {
	x.commit()
	return http.NewResponseController(x.ResponseWriter).Flush()
}

// Flush is FlushError for writers that look for http.Flusher.
func (x *exchange) Flush() { _ = x.FlushError() }

// Unwrap lets http.ResponseController reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

func (x *exchange) commit() {
	if x.sent {
		return
	}
	x.sent = true
	if x.status == 0 {
		x.status = http.StatusOK
	}
	if !x.principal.IsZero() && x.principal.Vendor == "" {
		// For people only: to a vendor, exact times would tell of rows that it
		// may not see.
		ms := float64(time.Since(x.start).Nanoseconds()) / 1e6
		x.Header().Set("Server-Timing", "app;dur="+strconv.FormatFloat(ms, 'f', 3, 64))
	}
	x.ResponseWriter.WriteHeader(x.status)
}
