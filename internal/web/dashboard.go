package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"net/http"
	"path"
	"strings"

	"github.com/loci-memory/loci"
)

// dashboardFiles are the built dashboard of web/, compressed. `make web` writes them.
//
//go:embed dashboard/*.gz
var dashboardFiles embed.FS

// dashboardViews are the views of the dashboard: the first parts of their paths under /app/. The list is that of
// web/src/views.ts.
var dashboardViews = []string{"memories", "inbox", "visibility", "time", "sessions", "graph", "projects",
	"nodes", "agents", "connections", "keys", "org", "transfer", "evaluate", "settings", "account"}

// dashboardPolicy is the Content-Security-Policy of the dashboard. No script can turn a text into HTML or code.
const dashboardPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// dashboard serves the page of all views. The view reads its path from the address.
func (s *server) dashboard(w http.ResponseWriter, r *http.Request, _ loci.Principal) error {
	packed, err := shell(w.Header())
	if err != nil {
		return err
	}
	sum := sha256.Sum256(packed)
	h := w.Header()
	h.Set("Cache-Control", "private, no-cache")
	// A weak tag is that of the text, however it is compressed.
	tag := `W/"` + hex.EncodeToString(sum[:8]) + `"`
	h.Set("ETag", tag)
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return sendPacked(w, r, http.StatusOK, packed)
}

// shell returns the page of all views, and sets the headers that it needs.
func shell(h http.Header) ([]byte, error) {
	h.Set("Content-Security-Policy", dashboardPolicy)
	h.Set("Content-Type", "text/html; charset=utf-8")
	return dashboardFiles.ReadFile("dashboard/index.html.gz")
}

// nowhere answers for addresses without a page. People who are signed in see that in the dashboard, with its menu.
func (s *server) nowhere(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.principal(r); err != nil || r.Method != http.MethodGet {
		return loci.Errorf(loci.NotFound, "page not found")
	}
	packed, err := shell(w.Header())
	if err != nil {
		return err
	}
	return sendPacked(w, r, http.StatusNotFound, packed)
}

const trashAddress = "/app/memories?trash=1"

const suggestionsAddress = "/app/inbox?list=suggestions"

// accountAddress is where the dashboard lists sign-ins and the ways to sign in.
const accountAddress = "/app/account"

// moved leads from the address of an earlier page to where the dashboard shows the same.
func moved(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusSeeOther) }
}

// assetTypes are the media types of the dashboard's files.
var assetTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}

// asset serves a file of the dashboard. Its name has its hash, so browsers may keep it.
func (s *server) asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	kind, known := assetTypes[path.Ext(name)]
	packed, err := dashboardFiles.ReadFile("dashboard/" + name + ".gz")
	if !known || err != nil {
		s.fail(w, r, loci.Errorf(loci.NotFound, "file not found"))
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	if err := sendPacked(w, r, http.StatusOK, packed); err != nil {
		s.fail(w, r, err)
	}
}

// sendPacked sends a compressed file, or its text to clients that cannot read gzip.
func sendPacked(w http.ResponseWriter, r *http.Request, status int, packed []byte) error {
	w.Header().Set("Vary", "Accept-Encoding")
	if loci.TakesGzip(r.Header.Get("Accept-Encoding")) {
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(status)
		_, _ = w.Write(packed) // the browser may have left
		return nil
	}
	text, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	plain, err := io.ReadAll(text)
	if err != nil {
		return err
	}
	w.WriteHeader(status)
	_, _ = w.Write(plain)
	return nil
}
