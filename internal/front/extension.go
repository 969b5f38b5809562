package front

import (
	"net/http"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/rest"
)

// extensionHeaders are the headers that an extension may send, and exposedHeaders those that it may read.
const (
	extensionHeaders = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Loci-Session, " +
		"Mcp-Protocol-Version, Mcp-Session-Id, X-Api-Key, X-Request-Id"
	exposedHeaders = "ETag, Location, Mcp-Session-Id, RateLimit, RateLimit-Policy, Retry-After, Www-Authenticate, " +
		"X-Request-Id"
)

// extension answers a request of a browser extension. It reports whether the request is one. Only an
// extension that the operator allowed gets CORS headers. Its requests go on without cookies, so
// it needs a key, as every program does.
func (d *door) extension(x *exchange, r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) != 1 || !auth.IsExtension(origins[0]) {
		return false
	}
	if within(r.URL.Path, openPlaces) && !slices.Contains(d.options.AllowedOrigins, strings.ToLower(origins[0])) {
		return false // as for any other page
	}
	origin := origins[0]
	probe := *r
	probe.Header = r.Header.Clone()
	probe.Header.Del("Origin")
	probe.Header.Del("Cookie")
	probe.Header.Set("Sec-Fetch-Site", "cross-site") // not a program of this machine, which MCP may admit without a key
	err := d.hosts.Check(&probe)
	if err == nil {
		err = d.mayCall(origin, r)
	}
	if err != nil {
		rest.WriteError(x, err)
		return true
	}
	h := x.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Expose-Headers", exposedHeaders)
	if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
		h.Set("Access-Control-Allow-Headers", extensionHeaders)
		h.Set("Access-Control-Max-Age", "600")
		x.WriteHeader(http.StatusNoContent)
		return true
	}
	d.serve(x, &probe)
	return true
}

// mayCall returns Forbidden unless the operator allowed the extension. The log has its origin, so
// that the operator can copy it. Pages are for people, so no extension may call them.
func (d *door) mayCall(origin string, r *http.Request) error {
	if within(r.URL.Path, webPlaces) && !within(r.URL.Path, openPlaces) {
		return loci.Errorf(loci.Forbidden, "a browser extension cannot use the pages of this server; use the API with a key")
	}
	if slices.Contains(d.options.AllowedOrigins, strings.ToLower(origin)) {
		return nil
	}
	d.options.Log.WarnContext(r.Context(), "rejected a browser extension; to allow it, add its origin to allowed_origins "+
		"(LOCI_ALLOWED_ORIGINS)", "origin", cut(origin, 120))
	return loci.Errorf(loci.Forbidden, "this server does not allow this browser extension; ask its operator to add the "+
		"extension's origin to the setting allowed_origins")
}
