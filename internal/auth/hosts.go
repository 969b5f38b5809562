package auth

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// HostRule protects a server on a person's own machine from foreign web pages. By DNS rebinding, a
// page can make a browser send requests to a loopback listener under the page's own host name. The
// zero HostRule admits only loopback names.
type HostRule struct {
	public *url.URL // nil: none
	more   []string
}

// NewHostRule returns the rule for a server with these addresses.
func NewHostRule(s Site) HostRule {
	u, err := url.Parse(s.PublicURL)
	if err != nil || u.Host == "" {
		u = nil
	}
	return HostRule{u, s.Hosts}
}

// Check returns Forbidden if a request reached a loopback listener under a foreign host name, or
// came from a page of another site. Requests without Origin come from programs, not from pages.
func (h HostRule) Check(r *http.Request) error {
	local := fromLoopback(r)
	if local && !h.isOwn(r.Host) {
		return loci.Errorf(loci.Forbidden,
			"cannot answer requests for that Host; use the address that the server printed, list the host in "+
				"LOCI_ALLOWED_HOSTS (such as host.docker.internal), or set LOCI_PUBLIC_URL if a proxy is in front of Loci")
	}
	for _, origin := range r.Header.Values("Origin") {
		if !h.mayAsk(origin, r.Host, local) {
			return loci.Errorf(loci.Forbidden, "cannot answer requests from web pages of another origin")
		}
	}
	return nil
}

// isOwn reports whether a request to a loopback listener may have that Host.
func (h HostRule) isOwn(host string) bool {
	if at, err := netip.ParseAddrPort(host); err == nil && at.Addr().IsLoopback() && at.Addr().Zone() == "" {
		return true // as most programs send it, and faster than by its text
	}
	host = hostname(host)
	return IsLoopback(host) || h.public != nil && host == hostname(h.public.Host) || slices.Contains(h.more, host)
}

// mayAsk reports whether a page may send requests. Pages of this machine, on any port, may send them to a loopback
// listener: without a key they learn nothing, and no page can get a key from the browser.
func (h HostRule) mayAsk(origin, host string, local bool) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	if h.public != nil && u.Scheme == h.public.Scheme && strings.EqualFold(u.Host, h.public.Host) {
		return true
	}
	if h.public != nil && u.Scheme != h.public.Scheme && hostname(u.Host) == hostname(h.public.Host) {
		return false // without TLS, anyone on the network path can change a page
	}
	return strings.EqualFold(u.Host, host) || local && IsLoopback(hostname(u.Host))
}

func fromLoopback(r *http.Request) bool {
	switch local := r.Context().Value(http.LocalAddrContextKey).(type) {
	case *net.TCPAddr: // of each request, and faster than by its text
		return local.IP.IsLoopback()
	case net.Addr:
		return IsLoopback(hostname(local.String()))
	}
	return false
}

// hostname returns s without port and brackets, in lower case. It strips only a numeric port,
// because metadata and challenges repeat the Host with it.
func hostname(s string) string {
	if host, port, err := net.SplitHostPort(s); err == nil && strings.Trim(port, "0123456789") == "" {
		s = host
	}
	return strings.ToLower(strings.Trim(s, "[]"))
}

// IsLoopback reports whether a host, without a port, is this machine.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// extensionOrigin matches the origin of a browser extension: in Chromium 32 letters, elsewhere a UUID.
var extensionOrigin = regexp.MustCompile(
	`^(chrome-extension://[a-p]{32}|(moz|safari-web)-extension://[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)

// IsExtension reports whether an origin is in a browser extension, and not a page of a site.
func IsExtension(origin string) bool {
	scheme, _, ok := strings.Cut(origin, "://")
	return ok && strings.HasSuffix(strings.ToLower(scheme), "-extension")
}

// ParseHosts parses host names with commas between them into lower case.
func ParseHosts(list string) (hosts []string, err error) {
	for one := range strings.SplitSeq(list, ",") {
		host := strings.ToLower(strings.TrimSpace(one))
		if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_") != "" || host == "" {
			return nil, loci.Errorf(loci.Invalid, "a host must be a name without port, like host.docker.internal")
		}
		hosts = append(hosts, host)
	}
	return hosts, nil
}

// ParseOrigins parses the origins of browser extensions, with commas between them, into lower case.
func ParseOrigins(list string) (origins []string, err error) {
	for one := range strings.SplitSeq(list, ",") {
		origin := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(one)), "/")
		if !extensionOrigin.MatchString(origin) {
			return nil, loci.Errorf(loci.Invalid, "an origin must be like chrome-extension://<id> or moz-extension://<uuid>")
		}
		origins = append(origins, origin)
	}
	return origins, nil
}

// Proxies are the networks whose forwarding headers Loci trusts. The zero Proxies trusts none.
type Proxies []netip.Prefix

// ParseProxies parses addresses and networks, separated by commas or spaces.
func ParseProxies(s string) (Proxies, error) {
	var out Proxies
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		prefix, err := netip.ParsePrefix(word)
		if err != nil {
			var addr netip.Addr
			if addr, err = netip.ParseAddr(word); err == nil {
				addr = addr.Unmap().WithZone("")
				prefix = netip.PrefixFrom(addr, addr.BitLen())
			}
		}
		if err != nil || !prefix.IsValid() || prefix.Addr().Is4In6() {
			return nil, loci.Errorf(loci.Invalid,
				"the trusted proxies must be addresses or networks, separated by commas, like 10.0.0.0/8,::1")
		}
		out = append(out, prefix.Masked())
	}
	return out, nil
}

func (p Proxies) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return prefix.Contains(a) })
}

// maxHops is the maximum number of entries of a forwarding header that ClientAddress examines.
const maxHops = 50

// ClientAddress returns the address that a request came from. Usually it is the connection's address. If that is a
// trusted proxy, it is the right-most untrusted address in X-Forwarded-For or else in Forwarded. Entries to the left
// of it may be forged. At an entry that it can't parse, the search ends, and the proxy before it is the client. The
// zero Addr means that the connection has no address.
func (p Proxies) ClientAddress(r *http.Request) netip.Addr {
	at, ok := parseHop(r.RemoteAddr)
	if !ok || !p.trusts(at) {
		return at
	}
	hops := forwardedFor(r.Header)
	for i := len(hops) - 1; i >= 0 && i >= len(hops)-maxHops; i-- {
		hop, ok := parseHop(hops[i])
		if !ok {
			return at
		}
		if at = hop; !p.trusts(hop) {
			return at
		}
	}
	return at
}

func forwardedFor(h http.Header) []string {
	if xff := h.Values("X-Forwarded-For"); len(xff) > 0 {
		return strings.Split(strings.Join(xff, ","), ",")
	}
	var out []string
	for _, element := range strings.Split(strings.Join(h.Values("Forwarded"), ","), ",") {
		hop := "" // an element without for= doesn't identify the sender
		for _, pair := range strings.Split(element, ";") {
			if name, value, ok := strings.Cut(strings.TrimSpace(pair), "="); ok && strings.EqualFold(name, "for") {
				hop = strings.Trim(value, `"`)
			}
		}
		out = append(out, hop)
	}
	return out
}

// parseHop parses an address with or without a port.
func parseHop(s string) (netip.Addr, bool) {
	s = strings.TrimSpace(s)
	if a, err := netip.ParseAddrPort(s); err == nil {
		return a.Addr().Unmap().WithZone(""), true
	}
	if a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")); err == nil {
		return a.Unmap().WithZone(""), true
	}
	return netip.Addr{}, false
}
