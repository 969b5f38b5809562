package auth

import (
	"net/http"

	"github.com/loci-memory/loci"
)

// The names of the session cookie: over TLS one that no other host and no
// plain connection can set, on loopback one that browsers also keep over plain
// HTTP.
const (
	SecureCookie   = "__Host-loci"
	LoopbackCookie = "loci"
)

// SessionOf returns the session token in the cookies of a request, or "".
func SessionOf(r *http.Request) loci.Secret {
	for _, name := range []string{SecureCookie, LoopbackCookie} {
		if c, err := r.Cookie(name); err == nil && c.Value != "" {
			return loci.Secret(c.Value)
		}
	}
	return ""
}
