package auth

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// Site knows the addresses of the server itself.
type Site struct {
	// PublicURL is the address that people and programs use, such as "https://loci.example". It is ""
	// for a local server, whose address is the loopback address in the request.
	PublicURL string
	// Hosts are further names under which programs reach a loopback listener, such as
	// host.docker.internal, as ParseHosts returns them.
	Hosts []string
}

// Base returns the server's own address without a slash at the end. Without PublicURL, it takes the
// address from the request. A loopback listener gets only requests whose Host HostRule admits.
func (s Site) Base(r *http.Request) string {
	if s.PublicURL != "" {
		return strings.TrimRight(s.PublicURL, "/")
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + strings.ToLower(r.Host)
}

// Home returns the address of the pages and of the authorization server: Base, with the name
// localhost for Hosts and the loopback addresses 127.0.0.1 and ::1. One name makes cookies, passkeys
// (which need a name) and the issuer agree, whichever name a client uses for /mcp.
func (s Site) Home(r *http.Request) string {
	base := s.Base(r)
	u, err := url.Parse(base)
	if s.PublicURL != "" || err != nil || !isLocalhost(u.Hostname()) && !slices.Contains(s.Hosts, u.Hostname()) {
		return base
	}
	return localhostURL(u)
}

// AtHome reports whether a request for a page used the host of Home.
func (s Site) AtHome(r *http.Request) bool { return s.Home(r) == s.Base(r) }

// SaysItsPage reports whether a request that may change something tells which page sent it. Browsers
// tell it with every such request, so one without it does not come from a page of the site.
func SaysItsPage(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return true
	}
	return r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != ""
}

// isLocalhost reports whether the name localhost stands for an address.
func isLocalhost(host string) bool { return host == "127.0.0.1" || host == "::1" }

// Secure reports whether browsers reach the site over TLS.
func (s Site) Secure(r *http.Request) bool { return strings.HasPrefix(s.Base(r), "https://") }

// IsResource reports whether a resource that a client named belongs to this server: the base address or /mcp below
// it, with any query, which chooses toolsets or a project. All loopback names with the same port are equal.
func (s Site) IsResource(r *http.Request, resource string) bool {
	got, ok := s.canonical(resource)
	if !ok {
		return false
	}
	own, ok := s.canonical(s.Base(r))
	return ok && (got == own || got == own+"/mcp")
}

// canonical returns a URL without its query in a form that can be compared, or false if it isn't a
// plain http or https URL. A base address may have a path.
func (s Site) canonical(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil ||
		u.RawPath != "" || strings.Contains(address, "#") {
		return "", false
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if host == "" {
		return "", false
	}
	if IsLoopback(host) || slices.Contains(s.Hosts, host) {
		host = "localhost"
	}
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(host, port) + strings.TrimSuffix(u.Path, "/"), true
}

// RP is the relying party of passkeys. Passkeys belong to one host name.
type RP struct {
	ID     string // host
	Origin string // scheme, host and port
}

// RP returns the relying party for a request. It fails with Unavailable where browsers don't allow
// passkeys: under an IP address, and without TLS except on localhost.
func (s Site) RP(r *http.Request) (RP, error) {
	u, err := url.Parse(s.Base(r))
	if err != nil || u.Hostname() == "" {
		return RP{}, loci.Errorf(loci.Unavailable, "passkeys need a site with a host name")
	}
	host := strings.ToLower(u.Hostname())
	if net.ParseIP(host) != nil {
		if IsLoopback(host) {
			return RP{}, loci.Errorf(loci.Unavailable, "browsers allow no passkeys under an IP address; open %s instead",
				localhostURL(u))
		}
		return RP{}, loci.Errorf(loci.Unavailable,
			"browsers allow no passkeys under an IP address; give the server a name and set LOCI_PUBLIC_URL")
	}
	if u.Scheme != "https" && host != "localhost" {
		return RP{}, loci.Errorf(loci.Unavailable, "browsers allow passkeys only over https, or on http://localhost")
	}
	return RP{ID: host, Origin: u.Scheme + "://" + strings.ToLower(u.Host)}, nil
}

func localhostURL(u *url.URL) string {
	if u.Port() == "" {
		return u.Scheme + "://localhost"
	}
	return u.Scheme + "://localhost:" + u.Port()
}
