package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth/oauth"
)

// endpoints registers the endpoints for programs. Programs send no cookies, and the endpoints read
// none. So the cross-origin protection of the pages doesn't apply to them.
func (s *server) endpoints(mux *http.ServeMux) {
	server := func(r *http.Request) any { return s.OAuth.Metadata(s.Site.Home(r)) }
	// Clients require the resource to be the address that they were given, so it has their name of
	// the host. The authorization server has one name.
	resource := func(r *http.Request) any { return s.OAuth.ProtectedResource(s.Site.Base(r), s.Site.Home(r)) }
	for path, document := range map[string]func(*http.Request) any{
		"/.well-known/oauth-authorization-server": server,
		// Clients also ask below the path of /mcp, and some know only OpenID's name.
		"/.well-known/oauth-authorization-server/mcp": server,
		"/.well-known/openid-configuration":           server,
		"/.well-known/openid-configuration/mcp":       server,
		"/.well-known/oauth-protected-resource":       resource,
		"/.well-known/oauth-protected-resource/mcp":   resource,
	} {
		answer := crossOrigin("GET", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "public, max-age=300")
			writeJSON(w, http.StatusOK, document(r))
		})
		for _, at := range []string{path, path + "/{$}"} { // as people enter the address
			mux.HandleFunc("GET "+at, answer)
			mux.HandleFunc("OPTIONS "+at, answer)
		}
	}
	for path, do := range map[string]func(http.ResponseWriter, *http.Request) (any, error){
		"/oauth/token": s.token, "/oauth/register": s.register, "/oauth/revoke": s.revoke,
	} {
		answer := crossOrigin("POST", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Pragma", "no-cache") // RFC 6749 requires it in addition to no-store
			r.Body = http.MaxBytesReader(w, r.Body, maxMetadata)
			out, err := do(w, r)
			if err != nil {
				s.refuse(w, r, err)
				return
			}
			status := http.StatusOK
			if path == "/oauth/register" {
				status = http.StatusCreated
			}
			writeJSON(w, status, out)
		})
		mux.HandleFunc("POST "+path, answer)
		mux.HandleFunc("OPTIONS "+path, answer)
	}
	mux.HandleFunc("/.well-known/", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusNotFound, map[string]string{"error": "not_found"})
	})
}

// maxMetadata is the largest body that a program may send, in bytes.
const maxMetadata = 64 << 10

func (s *server) token(_ http.ResponseWriter, r *http.Request) (any, error) {
	if err := formOnly(r); err != nil {
		return nil, err
	}
	return s.OAuth.Token(r.Context(), r.PostForm, s.owns(r))
}

func (s *server) revoke(_ http.ResponseWriter, r *http.Request) (any, error) {
	if err := formOnly(r); err != nil {
		return nil, err
	}
	return struct{}{}, s.OAuth.Revoke(r.Context(), r.PostForm)
}

func (s *server) register(_ http.ResponseWriter, r *http.Request) (any, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, badMetadata("Content-Type must be application/json")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, badMetadata("cannot read the body, or it is too large")
	}
	return s.OAuth.Register(r.Context(), body, s.from(r))
}

func badMetadata(text string) error {
	return &oauth.Error{Code: "invalid_client_metadata", Description: text, Status: http.StatusBadRequest}
}

// formOnly reads a form and ignores the query, because an address must not contain secrets.
func formOnly(r *http.Request) error {
	bad := func(text string) error {
		return &oauth.Error{Code: "invalid_request", Description: text, Status: http.StatusBadRequest}
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		kind != "application/x-www-form-urlencoded" {
		return bad("Content-Type must be application/x-www-form-urlencoded")
	}
	if err := r.ParseForm(); err != nil {
		return bad("cannot read the form, or it is too large")
	}
	return nil
}

// refuse writes an error in OAuth's form (RFC 6749, section 5.2).
func (s *server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var known *oauth.Error
	if !errors.As(err, &known) {
		status, text := s.problem(w, r, err)
		known = &oauth.Error{Code: "invalid_request", Description: text, Status: status}
		switch {
		case status >= http.StatusInternalServerError && status != http.StatusServiceUnavailable:
			known.Code = "server_error"
		case loci.CodeOf(err) == loci.RateLimited || loci.CodeOf(err) == loci.Unavailable:
			known.Code = "temporarily_unavailable"
		}
	}
	status := cmp.Or(known.Status, http.StatusBadRequest)
	writeJSON(w, status, known)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a disconnected client needs no answer
}
