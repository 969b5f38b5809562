package rest

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// hostRule keeps web pages of strangers out: by DNS rebinding a page can make
// a browser send requests to a loopback listener under the page's own name.
type hostRule struct {
	names  []string // without port, lower case; empty: any
	public *url.URL
}

func newHostRule(names []string, publicURL string) hostRule {
	var h hostRule
	for _, name := range names {
		h.names = append(h.names, hostname(name))
	}
	if u, err := url.Parse(publicURL); err == nil && u.Host != "" {
		h.public = u
		if len(h.names) > 0 {
			h.names = append(h.names, hostname(u.Host))
		}
	}
	return h
}

// check returns Forbidden for a request under a foreign name or from a page of
// another site. Programs send no Origin.
func (h *hostRule) check(r *http.Request) error {
	if len(h.names) > 0 && !slices.Contains(h.names, hostname(r.Host)) {
		return loci.Errorf(loci.Forbidden, "this server does not answer under that Host name; use the address that it printed, or set LOCI_PUBLIC_URL")
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return nil
	}
	for _, origin := range origins {
		if !h.sameSite(origin, r.Host) {
			return loci.Errorf(loci.Forbidden, "requests from web pages of another origin are refused")
		}
	}
	return nil
}

func (h *hostRule) sameSite(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	if h.public != nil && u.Scheme == h.public.Scheme && strings.EqualFold(u.Host, h.public.Host) {
		return true
	}
	return strings.EqualFold(u.Host, host)
}

// hostname returns s without port and brackets, in lower case.
func hostname(s string) string {
	if host, _, err := net.SplitHostPort(s); err == nil {
		s = host
	}
	return strings.ToLower(strings.Trim(s, "[]"))
}
