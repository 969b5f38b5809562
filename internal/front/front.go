// Package front is the front door of the server. Every request arrives here and goes on to the JSON
// API, to MCP or to the pages.
//
// It checks Host and Origin, limits how long a request may take, turns panics into answers, logs one line per
// request, and counts requests for pages. The surfaces authenticate callers and count all other requests.
//
// The invariant: no request with a foreign Host reaches a surface.
package front

import (
	"cmp"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/rest"
)

// Options configure the front door.
type Options struct {
	REST http.Handler // required: the JSON API, and every path that nothing else serves
	// MCP serves /mcp. It authenticates and counts requests itself. If nil, /mcp returns 404.
	MCP http.Handler
	// Web serves /app/, /oauth/ and /.well-known/. If nil, they return 404.
	Web  http.Handler
	Auth *auth.Authenticator // required if Web is set
	Gate auth.Gate           // counts requests for pages; zero: no limit
	Log  *slog.Logger        // default: discard
	// Site has the server's own addresses. With a public https address, the server sends HSTS.
	Site auth.Site
	// AllowedOrigins are the browser extensions that may call the API, as ParseOrigins of package auth returns them.
	AllowedOrigins []string
}

type door struct {
	options Options
	hosts   auth.HostRule
}

// New returns the handler of the whole server. It panics without REST, or with Web but without
// Auth. Only main can cause that.
func New(o Options) http.Handler {
	if o.REST == nil || o.Web != nil && o.Auth == nil {
		panic("front: Options.REST is required, and Auth if there are pages")
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &door{o, auth.NewHostRule(o.Site)}
}

const (
	mcpPath  = "/mcp"
	homePage = "/app/"
)

// webPlaces are the paths of pages and OAuth.
var webPlaces = []string{homePage, "/oauth/", "/.well-known/"}

// openPlaces also serve programs in web pages of other sites. They read no cookie, and their
// answers name the pages that may read them.
var openPlaces = []string{"/oauth/token", "/oauth/register", "/oauth/revoke", "/.well-known/"}

// ServeHTTP answers one request.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := d.begin(w, r)
	defer d.end(x)
	r = bound(x, r)
	if d.extension(x, r) {
		return
	}
	if err := d.hosts.Check(d.asProgram(r)); err != nil && !d.isMCP(r) { // which checks too, and answers in JSON-RPC
		rest.WriteError(x, err)
		return
	}
	d.serve(x, r)
}

// serve passes a request to the surface for its path.
func (d *door) serve(x *exchange, r *http.Request) {
	path := r.URL.Path
	switch {
	case !rest.IsClean(path):
		d.options.REST.ServeHTTP(x, r)
	case d.isMCP(r):
		d.options.MCP.ServeHTTP(x, r)
	case d.options.Web != nil && d.isElsewhere(r):
		http.Redirect(x, r, d.options.Site.Home(r)+r.URL.RequestURI(), http.StatusTemporaryRedirect)
	case d.options.Web != nil && path == strings.TrimSuffix(homePage, "/") && r.Method == http.MethodGet:
		http.Redirect(x, r, homePage, http.StatusSeeOther)
	case d.options.Web != nil && within(path, webPlaces):
		d.page(x, r)
	case d.options.Web != nil && path == "/" && r.Method == http.MethodGet && wantsPage(r):
		http.Redirect(x, r, homePage, http.StatusSeeOther)
	case d.options.Web != nil && r.Method == http.MethodGet && wantsPage(r) && !d.serves(r):
		d.page(x, r) // which does not exist either, but people can read that
	default:
		d.options.REST.ServeHTTP(x, r)
	}
}

// serves reports whether the JSON API has the path.
func (d *door) serves(r *http.Request) bool {
	api, ok := d.options.REST.(interface{ Serves(*http.Request) bool })
	return !ok || api.Serves(r)
}

// isElsewhere reports whether a browser asks for a page under another name of a local server than
// localhost, where it is not signed in and has no passkeys. Programs may use any of them.
func (d *door) isElsewhere(r *http.Request) bool {
	if d.options.Site.PublicURL != "" || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	path := r.URL.Path
	page := within(path, webPlaces) && !within(path, openPlaces) || path == "/" && wantsPage(r)
	return page && !d.options.Site.AtHome(r)
}

// page counts a request for a page by its browser sign-in, or by the client's address if it has none.
func (d *door) page(x *exchange, r *http.Request) {
	var p loci.Principal
	if credentials, err := auth.RequestOf(r); err == nil && credentials.Session != "" {
		p, _ = d.options.Auth.Authenticate(r.Context(), credentials) // the page reports what is wrong with it
	}
	if err := d.options.Gate.Count(x.Header(), r, p); err != nil {
		rest.WriteError(x, err)
		return
	}
	d.options.Web.ServeHTTP(x, r)
}

func wantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

// within reports whether path is one of places, or below one that ends in a slash.
func within(path string, places []string) bool {
	return slices.ContainsFunc(places, func(place string) bool {
		return path == place || strings.HasSuffix(place, "/") && strings.HasPrefix(path, place)
	})
}

func (d *door) isMCP(r *http.Request) bool { return isMCPPath(r.URL.Path) && d.options.MCP != nil }

// isMCPPath also accepts a slash at the end, without a redirect, because clients lose their headers on one.
func isMCPPath(path string) bool { return strings.TrimSuffix(path, "/") == mcpPath }

// asProgram returns a request to an open place in the form in which a program would have sent it.
// The Host is still checked there.
func (d *door) asProgram(r *http.Request) *http.Request {
	if d.options.Web == nil || r.Header.Get("Origin") == "" || !within(r.URL.Path, openPlaces) {
		return r
	}
	probe := *r
	probe.Header = r.Header.Clone()
	probe.Header.Del("Origin")
	return &probe
}
