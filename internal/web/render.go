package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"math"
	"net/http"
	"strconv"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

//go:embed static
var files embed.FS

func (s *server) show(w http.ResponseWriter, status int, v view) error {
	v.Version = s.Version
	var body bytes.Buffer
	if err := frame(v).Render(&body); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the browser may have left
	return nil
}

// showOwn is show for a signed-in person, with their name.
func (s *server) showOwn(w http.ResponseWriter, r *http.Request, p loci.Principal, status int, v view) error {
	who, err := s.App.Identity.WhoAmI(r.Context(), p)
	if err != nil {
		return err
	}
	v.Who = who
	return s.show(w, status, v)
}

// statuses is the one table of this surface.
var statuses = map[loci.Code]int{
	"":                   http.StatusInternalServerError,
	loci.Invalid:         http.StatusBadRequest,
	loci.Unauthenticated: http.StatusUnauthorized,
	loci.Forbidden:       http.StatusForbidden,
	loci.StepUp:          http.StatusForbidden,
	loci.NotFound:        http.StatusNotFound,
	loci.Conflict:        http.StatusConflict,
	loci.Precondition:    http.StatusPreconditionFailed,
	loci.TooLarge:        http.StatusRequestEntityTooLarge,
	loci.RateLimited:     http.StatusTooManyRequests,
	loci.Full:            http.StatusInsufficientStorage,
	loci.Unavailable:     http.StatusServiceUnavailable,
	loci.Upstream:        http.StatusBadGateway,
}

// problem returns what a page may show of an error, logs the rest, and sets Retry-After.
func (s *server) problem(w http.ResponseWriter, r *http.Request, err error) (status int, text string) {
	code := loci.CodeOf(err)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return http.StatusRequestEntityTooLarge, "the form is too large"
	}
	if code == "" && r.Context().Err() != nil { // the browser left; do not log it, because anybody could fill the log
		return http.StatusServiceUnavailable, "the request was cancelled"
	}
	if code == "" {
		s.Log.ErrorContext(r.Context(), "web request failed", "path", r.URL.Path, "error", err)
	}
	if code == loci.RateLimited {
		if wait := auth.RetryAfter(err); wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		}
	}
	return statuses[code], loci.SafeText(err)
}

// fail shows the error page.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, text := s.problem(w, r, err)
	// A person of a suspended org can still sign out.
	v := view{Title: http.StatusText(status), Error: text, Main: errorPage(auth.SignInOf(r) != "")}
	if err := s.show(w, status, v); err != nil {
		s.Log.ErrorContext(r.Context(), "cannot show an error page", "error", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
	}
}

var staticTypes = map[string]string{"style.css": "text/css; charset=utf-8",
	"passkey.js": "text/javascript; charset=utf-8"}

// passkeys returns the scripts of a page that may use passkeys.
func passkeys(used bool) []string {
	if used {
		return []string{"passkey.js"}
	}
	return nil
}

// staticURL contains a part of the file's hash, so that browsers can cache the file forever.
func staticURL(name string) string {
	b, err := files.ReadFile("static/" + name)
	if err != nil {
		panic(err) // a page names a file that is not embedded
	}
	sum := sha256.Sum256(b)
	return "/app/static/" + name + "?v=" + hex.EncodeToString(sum[:6])
}

func (s *server) static(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	kind, known := staticTypes[name]
	b, err := files.ReadFile("static/" + name)
	if !known || err != nil {
		s.fail(w, r, loci.Errorf(loci.NotFound, "file not found"))
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(b)
}
