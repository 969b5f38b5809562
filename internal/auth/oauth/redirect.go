package oauth

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// maxURI is the maximum length of a redirect URI or client id, in bytes.
const maxURI = 2000

// checkRedirect reports whether codes may be sent to a client's URI: over TLS, to a program on the
// person's own machine, or to an app by its scheme.
func checkRedirect(s string) bool {
	if !plainURI(s) || strings.Contains(s, "#") {
		return false
	}
	u, err := url.Parse(s)
	if err != nil || u.User != nil || u.Opaque != "" {
		return false
	}
	switch scheme, _, _ := strings.Cut(s, ":"); scheme { // as sent: schemes are in lower case
	case "https":
		return u.Hostname() != ""
	case "http":
		_, _, ok := loopback(s)
		return ok
	default:
		return scheme == u.Scheme && MayOpen(scheme)
	}
}

// MayOpen reports whether a browser may follow an address with the scheme: it neither runs nor shows
// the address itself. An app can have any other scheme.
func MayOpen(scheme string) bool {
	return !slices.Contains([]string{"", "javascript", "data", "file", "blob", "about", "vbscript"}, scheme)
}

// usableRedirects returns those of a client's redirects to which codes may be sent.
func usableRedirects(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return !checkRedirect(s) })
}

// plainURI reports whether s has only characters that every URI parser interprets in the same way.
func plainURI(s string) bool {
	return s != "" && len(s) <= maxURI && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("\\\"<>^`{|}", r)
	})
}

// loopback splits a redirect to a program on the same machine into its host and what follows the
// port. It works on bytes, because one parser's port is another one's password.
func loopback(s string) (host, rest string, ok bool) {
	for _, host := range []string{"http://127.0.0.1", "http://[::1]", "http://localhost"} {
		rest, found := strings.CutPrefix(s, host)
		if !found {
			continue
		}
		if port, found := strings.CutPrefix(rest, ":"); found {
			digits := len(port) - len(strings.TrimLeft(port, "0123456789"))
			if digits == 0 || digits > 5 {
				return "", "", false
			}
			rest = port[digits:]
		}
		return host, rest, rest == "" || rest[0] == '/' || rest[0] == '?'
	}
	return "", "", false
}

// matchRedirect reports whether the client registered the redirect. It compares bytes, but accepts
// any port of a loopback redirect (RFC 8252, section 7.3).
func matchRedirect(registered []string, got string) bool {
	if !checkRedirect(got) {
		return false
	}
	if slices.Contains(registered, got) {
		return true
	}
	host, rest, ok := loopback(got)
	return ok && slices.ContainsFunc(registered, func(r string) bool {
		h, s, ok := loopback(r)
		return ok && h == host && s == rest
	})
}

// provedBy returns the host of a redirect if only the host's owner can receive codes there, or "".
func provedBy(redirect string) string {
	u, err := url.Parse(redirect)
	if err != nil || u.Scheme != "https" {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	name := strings.TrimSuffix(host, ".")
	// Browsers treat a host that ends in a number as an address: 127.1, 0x7f.1.
	last := name[strings.LastIndexByte(name, '.')+1:]
	if _, err := netip.ParseAddr(host); err == nil || last == "" || last[0] >= '0' && last[0] <= '9' ||
		last == "localhost" {
		return ""
	}
	return host
}

// withQuery adds parameters to a redirect and keeps its existing ones.
func withQuery(redirect string, q url.Values) string {
	sep := "?"
	if strings.Contains(redirect, "?") {
		sep = "&"
	}
	return redirect + sep + q.Encode()
}
