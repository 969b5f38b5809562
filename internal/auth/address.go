package auth

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

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
