package auth

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/loci-memory/loci"
)

// HostRule keeps web pages of strangers away from a server on a person's own
// machine: by DNS rebinding a page can make a browser send requests to a
// loopback listener under the page's own name. The zero HostRule knows no
// public address.
type HostRule struct{ public *url.URL }

// NewHostRule returns the rule of a server that people also reach at
// publicURL; "" if there is no such address.
func NewHostRule(publicURL string) HostRule {
	u, err := url.Parse(publicURL)
	if err != nil || u.Host == "" {
		return HostRule{}
	}
	return HostRule{u}
}

// Check returns Forbidden for a request that reached a loopback listener under
// a name that is not its own, and for one from a page of another site. Programs
// send no Origin.
func (h HostRule) Check(r *http.Request) error {
	local := fromLoopback(r)
	host := hostname(r.Host)
	if local && !isLoopback(host) && (h.public == nil || host != hostname(h.public.Host)) {
		return loci.Errorf(loci.Forbidden,
			"this server does not answer under that Host name; use the address that it printed, or set LOCI_PUBLIC_URL if a "+
				"proxy is in front of it")
	}
	for _, origin := range r.Header.Values("Origin") {
		if !h.mayAsk(origin, r.Host, local) {
			return loci.Errorf(loci.Forbidden, "requests from web pages of another origin are refused")
		}
	}
	return nil
}

// mayAsk says whether a page may send requests. To a loopback listener those
// of this machine may, at any port: without a key they learn nothing, and no
// page gets a key from the browser.
func (h HostRule) mayAsk(origin, host string, local bool) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	if h.public != nil && u.Scheme == h.public.Scheme && strings.EqualFold(u.Host, h.public.Host) {
		return true
	}
	if h.public != nil && u.Scheme != h.public.Scheme && hostname(u.Host) == hostname(h.public.Host) {
		return false // whoever is on the wire can write a page without TLS
	}
	return strings.EqualFold(u.Host, host) || local && isLoopback(hostname(u.Host))
}

// fromLoopback reports whether the request came in at a loopback address.
func fromLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && isLoopback(hostname(local.String()))
}

// hostname returns s without port and brackets, in lower case. What is no
// number is no port: metadata and challenges repeat the Host with it.
func hostname(s string) string {
	if host, port, err := net.SplitHostPort(s); err == nil && strings.Trim(port, "0123456789") == "" {
		s = host
	}
	return strings.ToLower(strings.Trim(s, "[]"))
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
