// Package web is the browser surface: the dashboard, sign-in, step-up and consent under /app/,
// and the HTTP endpoints of the OAuth authorization server under /oauth/ and /.well-known/.
//
// The dashboard is the program of web/, which talks to the REST API. The server renders the other pages. They work
// without scripts, except for passkeys. This package makes no decisions: auth decides who a person is, app what they
// may do, and oauth what a client may request.
//
// The invariant: a page acts only for the sign-in in its own cookie, and only on a request that,
// according to the browser, comes from this site's own pages.
package web

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/oauth"
)

// Options configure the pages.
type Options struct {
	App     *app.App            // required
	Auth    *auth.Authenticator // required
	SignIn  *auth.SignIn        // required
	OAuth   *oauth.Server       // required
	Site    auth.Site
	Proxies auth.Proxies     // trusted to report a client's address; default: none
	Log     *slog.Logger     // default: discard
	Now     func() time.Time // default: time.Now
	Version string           // shown at the foot of the pages
}

type server struct {
	Options
	pages *http.ServeMux // behind the cross-origin protection
}

// New returns the handler of /app/, /oauth/ and /.well-known/. It panics if
// something required is missing, which only main can cause.
func New(o Options) http.Handler {
	if o.App == nil || o.Auth == nil || o.SignIn == nil || o.OAuth == nil {
		panic("web: Options.App, Auth, SignIn and OAuth are required")
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &server{o, http.NewServeMux()}
	s.routes()
	mux := http.NewServeMux()
	s.endpoints(mux)
	mux.Handle("/", s.sameSite(s.pages))
	return s.headers(mux)
}

func (s *server) routes() {
	s.pages.HandleFunc("GET /app/static/{file}", s.static)
	s.pages.HandleFunc("GET /app/assets/{file}", s.asset)
	s.pages.HandleFunc("GET /app/trash", moved(trashAddress))
	s.pages.HandleFunc("GET /app/suggestions", moved(suggestionsAddress))
	s.pages.HandleFunc("GET /app/sign-ins", moved(accountAddress))
	s.pages.HandleFunc("GET /app/sign-in-methods", moved(accountAddress))
	for _, name := range dashboardViews {
		s.pages.HandleFunc("GET /app/"+name, s.own(s.dashboard))
		s.pages.HandleFunc("GET /app/"+name+"/{rest...}", s.own(s.dashboard))
	}
	for pattern, fn := range map[string]page{
		"GET /app/sign-in": s.signInPage, "POST /app/sign-in": s.signInPost,
		"POST /app/sign-out":          s.signOut,
		"GET /app/oidc/{id}":          s.oidcBegin,
		"GET /app/oidc/{id}/callback": s.oidcFinish,
		"POST /app/passkey/options":   s.passkeyOptions,
		"GET /app/link":               s.linkPage, "POST /app/link": s.linkPost,
		"GET /app/invite": s.invitePage, "POST /app/invite": s.invitePost,
		"/": s.nowhere,
	} {
		s.pages.HandleFunc(pattern, s.open(fn))
	}
	for pattern, fn := range map[string]ownPage{
		"GET /app/{$}":        s.dashboard,
		"POST /app/workspace": s.enterWorkspace,
		"GET /app/step-up":    s.stepUpPage, "POST /app/step-up": s.stepUpPost,
		"GET /oauth/authorize": s.authorize, "POST /oauth/authorize": s.consent,
	} {
		s.pages.HandleFunc(pattern, s.own(fn))
	}
}

// page handles a request from anyone. An error becomes the error page.
type page func(http.ResponseWriter, *http.Request) error

// ownPage handles a signed-in person's request.
type ownPage func(http.ResponseWriter, *http.Request, loci.Principal) error

func (s *server) open(fn page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := parseForm(w, r); err != nil {
			s.fail(w, r, err)
			return
		}
		if err := fn(w, r); err != nil {
			s.fail(w, r, err)
		}
	}
}

// own admits signed-in people and redirects all others to the sign-in page.
func (s *server) own(fn ownPage) http.HandlerFunc {
	return s.open(func(w http.ResponseWriter, r *http.Request) error {
		p, err := s.principal(r)
		if loci.CodeOf(err) == loci.Unauthenticated {
			seeOther(w, r, "/app/sign-in", "next", back(r))
			return nil
		}
		if err != nil {
			return err
		}
		return fn(w, r, p)
	})
}

// principal returns the person who is signed in. No other credential counts, because a page must
// not act for a program's key.
func (s *server) principal(r *http.Request) (loci.Principal, error) {
	session := auth.SignInRequest(r)
	if session.Session == "" {
		return loci.Principal{}, loci.Errorf(loci.Unauthenticated, "you are not signed in")
	}
	return s.Auth.Authenticate(r.Context(), session)
}

// maxForm is the largest form, in bytes. A passkey's answer is the largest part.
const maxForm = 256 << 10

func parseForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return loci.WrapError(loci.Invalid, err, "cannot read the form")
	}
	return nil
}

func (s *server) from(r *http.Request) auth.From {
	return auth.From{Address: s.Proxies.ClientAddress(r), UserAgent: r.UserAgent()}
}

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
		if s.Site.Secure(r) {
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
	if u, err := url.Parse(s.Site.PublicURL); err == nil && u.Host != "" {
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
