package rest

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
)

// Options configure the API.
type Options struct {
	App     *app.App            // required
	Auth    *auth.Authenticator // required
	Log     *slog.Logger        // default: discard
	Now     func() time.Time    // default: time.Now
	Version string              // shown by /health and in the OpenAPI document
	// PublicURL is the address that people use, such as https://loci.example;
	// "" if there is only the listener. https turns HSTS on. Its host is
	// accepted on loopback listeners too.
	PublicURL string
	// ModelEgress says that /query calls a model.
	ModelEgress bool
	// MCP serves /mcp, with its own authentication and its own count of
	// requests; nil: 404 there.
	MCP http.Handler
	// Web serves /app/, /oauth/ and /.well-known/; nil: 404 there.
	Web http.Handler
	// Limiter counts requests, by the addresses that Proxies tell; nil: nothing
	// is limited.
	Limiter *auth.Limiter
	Proxies auth.Proxies
	Site    auth.Site // default: PublicURL
	Live    Live
}

// server is the API.
type server struct {
	app     *app.App
	auth    *auth.Authenticator
	log     *slog.Logger
	now     func() time.Time
	options Options
	hosts   auth.HostRule
	site    auth.Site
	gateway auth.Gate
	pages   *http.CrossOriginProtection
	started time.Time
	mux     *http.ServeMux
	api     huma.API
	methods map[string]bool // of all routes, for the Allow header
	openAPI func() []byte
	live    Live
	streams streams
}

// New returns the handler of the API. It panics without App or Auth, which
// only main can cause.
func New(o Options) http.Handler {
	if o.App == nil || o.Auth == nil {
		panic("rest: Options.App and Options.Auth are required")
	}
	s := &server{app: o.App, auth: o.Auth, log: o.Log, now: o.Now, options: o,
		hosts: auth.NewHostRule(o.PublicURL), site: o.Site, gateway: auth.Gate{Limiter: o.Limiter, Proxies: o.Proxies},
		pages: http.NewCrossOriginProtection(), mux: http.NewServeMux(), methods: map[string]bool{}, live: o.Live.withDefaults()}
	if s.site.PublicURL == "" {
		s.site.PublicURL = o.PublicURL
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.started = s.now()
	s.api = huma.NewAPI(s.config(), humago.NewAdapter(s.mux, ""))
	for _, prefix := range prefixes {
		s.register(prefix)
	}
	s.document()
	if o.MCP != nil {
		s.mux.Handle("/mcp", o.MCP)
	}
	if o.Web != nil {
		for _, place := range webPlaces {
			s.mux.Handle(place, s.counted(o.Web))
		}
	}
	s.mux.HandleFunc("GET /{$}", s.home)
	s.mux.HandleFunc("/", s.unknown)
	return s
}

// webPlaces are where pages and OAuth are.
var webPlaces = []string{"/app/", "/oauth/", "/.well-known/"}

// openPlaces are meant for programs in web pages of others too: they answer
// nobody by a cookie, and say themselves which pages may read the answer.
var openPlaces = []string{"/oauth/token", "/oauth/register", "/oauth/revoke", "/.well-known/"}

// counted counts what next serves: by the session, if there is one.
func (s *server) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := exchangeOf(r.Context())
		var p loci.Principal
		if credentials, err := auth.RequestOf(r); err == nil && credentials.Session != "" {
			p, _ = s.auth.Authenticate(r.Context(), credentials) // next says what is wrong with it
		}
		if err := s.count(x, r, p, &route{}); err != nil {
			s.refuse(x, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// home greets whoever opens the printed address: people with the pages,
// programs with a few lines. It asks for no key and says nothing that
// /openapi.json does not.
func (s *server) home(w http.ResponseWriter, r *http.Request) {
	if s.options.Web != nil && strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Redirect(w, r, webPlaces[0], http.StatusSeeOther)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintf(w, "Loci %s: one memory for every AI you use.\n\nMCP for assistants: /mcp\nREST for programs:  /openapi.json describes it\nIs it up?           /health\n\n"+
		"Connect an assistant: loci connect --help\n", s.options.Version)
}

// prefixes are where the routes stand: their own place, and the root paths
// that S1's clients know.
var prefixes = []string{"/api/v1", ""}

// ServeHTTP answers one request.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := s.begin(w, r)
	defer s.end(x)
	if err := s.hosts.Check(s.asProgram(r)); err != nil {
		s.refuse(x, x.request, err)
		return
	}
	if !cleanPath(r.URL.Path) {
		s.unknown(x, x.request)
		return
	}
	s.mux.ServeHTTP(x, x.request)
}

// asProgram returns the request as a program would have sent it, if it goes to
// an open place; the Host is still checked there.
func (s *server) asProgram(r *http.Request) *http.Request {
	open := slices.ContainsFunc(openPlaces, func(place string) bool {
		return r.URL.Path == place || strings.HasSuffix(place, "/") && strings.HasPrefix(r.URL.Path, place)
	})
	if s.options.Web == nil || !open || r.Header.Get("Origin") == "" {
		return r
	}
	probe := *r
	probe.Header = r.Header.Clone()
	probe.Header.Del("Origin")
	return &probe
}

// cleanPath reports whether the mux would take the path as it is. Others it
// would redirect, before anybody was authenticated.
func cleanPath(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.Contains(path, "//") &&
		!strings.Contains(path+"/", "/./") && !strings.Contains(path+"/", "/../")
}
