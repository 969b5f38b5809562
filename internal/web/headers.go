package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

func (s *server) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy(""))
		h.Set("X-Frame-Options", "DENY")
		h.Set("X-Content-Type-Options", "nosniff")
		// With no-referrer, a browser sends "Origin: null" with a form. Older browsers have nothing else
		// that distinguishes our pages from others.
		h.Set("Referrer-Policy", "same-origin")
		// Set no Cross-Origin-Opener-Policy: clients open the consent page as a popup and wait until it returns to them.
		h.Set("Cache-Control", "no-store")
		if s.site.Secure(r) {
			h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
		}
		next.ServeHTTP(w, r)
	})
}

// policy returns the Content-Security-Policy of a page. target is where its form may lead in addition to this site.
func policy(target string) string {
	form := "form-action 'self'"
	if target != "" {
		form += " " + target
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
		form + "; frame-ancestors 'none'; base-uri 'none'"
}

// formTarget returns a redirect address as a source of form-action, because Chromium applies form-action to every
// redirect that follows a form. It returns "" for a site, which gets no redirect; see sendBack.
func formTarget(redirect string) string {
	u, err := url.Parse(redirect)
	if err != nil || u.Scheme == "" {
		return ""
	}
	plain := !strings.ContainsFunc(u.Host, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '-' && c != ':' &&
			c != '_'
	})
	if u.Scheme == "https" {
		return ""
	}
	if u.Scheme == "http" && u.Host != "" && plain {
		return "http://" + u.Host
	}
	return u.Scheme + ":" // a program's own scheme, or an IPv6 address, which the policy cannot express
}

// sameSite rejects requests that another site's page makes a browser send.
func (s *server) sameSite(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	if u, err := url.Parse(s.site.PublicURL); err == nil && u.Host != "" {
		// A proxy may have changed the Host. The URL was checked at start-up.
		_ = protection.AddTrustedOrigin(u.Scheme + "://" + u.Host)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if protection.Check(r) != nil || !auth.SaysItsPage(r) {
			s.fail(w, r, loci.Errorf(loci.Forbidden,
				"cannot accept a form from another site's page; open the page here and try again"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// crossOrigin lets pages of other sites read the answers. It applies only to the metadata and to the token,
// registration and revocation endpoints, because clients that run in a browser (such as the MCP Inspector) must call
// them. These read no cookie, so a page learns only what any program would learn, and they never allow credentials.
// /mcp and everything that a session can do stay closed.
func crossOrigin(methods string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		if r.Method == http.MethodOptions {
			h.Set("Access-Control-Allow-Methods", methods)
			h.Set("Access-Control-Allow-Headers", "Content-Type, Mcp-Protocol-Version")
			h.Set("Access-Control-Max-Age", "86400")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next(w, r)
	}
}
