package oauth

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
)

// guardedTransport connects only to port 443 of public addresses. It checks the address after resolving the name,
// when it connects. So a name that changes its address a moment later gains nothing.
func guardedTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: fetchTimeout,
		Control: func(network, address string, _ syscall.RawConn) error { return checkDial(network, address) }}
	return &http.Transport{
		Proxy:                  nil, // a proxy would connect for us, unchecked
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    fetchTimeout,
		ResponseHeaderTimeout:  fetchTimeout,
		MaxResponseHeaderBytes: maxDocument,
		DisableKeepAlives:      true,
		ForceAttemptHTTP2:      true,
	}
}

func checkDial(network, address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("dial %s %s: not a TCP address", network, address)
	}
	if at.Port() != 443 || !isPublic(at.Addr()) {
		return fmt.Errorf("dial %s: only port 443 of public addresses", address)
	}
	return nil
}

// notPublic are networks that don't belong to anyone on the Internet, or that embed another address that isPublic
// can't check. It lists those within IPv4 and within the assigned part of IPv6 (2000::/3).
var notPublic = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24",
	"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16")

var (
	givenOut  = netip.MustParsePrefix("2000::/3")
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// isPublic reports whether an address is a single host on the public Internet. It checks an IPv4
// address within an IPv6 one as IPv4.
func isPublic(a netip.Addr) bool {
	if a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	if a.Is6() {
		b := a.As16()
		switch {
		case nat64.Contains(a):
			return isPublic(netip.AddrFrom4([4]byte(b[12:16])))
		case sixToFour.Contains(a):
			return isPublic(netip.AddrFrom4([4]byte(b[2:6])))
		case !givenOut.Contains(a):
			return false
		}
	}
	if !a.IsValid() {
		return false
	}
	return !slices.ContainsFunc(notPublic, func(p netip.Prefix) bool { return p.Contains(a) })
}
