package rest

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

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
	// MCP serves /mcp, with its own authentication; nil: 404 there.
	MCP http.Handler
}

// server is the API.
type server struct {
	app     *app.App
	auth    *auth.Authenticator
	log     *slog.Logger
	now     func() time.Time
	options Options
	hosts   auth.HostRule
	started time.Time
	mux     *http.ServeMux
	api     huma.API
	methods map[string]bool // of all routes, for the Allow header
	openAPI []byte
}

// New returns the handler of the API. It panics without App or Auth, which
// only main can cause.
func New(o Options) http.Handler {
	if o.App == nil || o.Auth == nil {
		panic("rest: Options.App and Options.Auth are required")
	}
	s := &server{app: o.App, auth: o.Auth, log: o.Log, now: o.Now, options: o,
		hosts: auth.NewHostRule(o.PublicURL), mux: http.NewServeMux(), methods: map[string]bool{}}
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
	s.mux.HandleFunc("GET /{$}", s.home)
	s.mux.HandleFunc("/", s.unknown)
	return s
}

// home greets whoever opens the printed address in a browser. It asks for no
// key and says nothing that /openapi.json does not.
func (s *server) home(w http.ResponseWriter, _ *http.Request) {
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
	if err := s.hosts.Check(r); err != nil {
		s.refuse(x, x.request, err)
		return
	}
	if !cleanPath(r.URL.Path) {
		s.unknown(x, x.request)
		return
	}
	s.mux.ServeHTTP(x, x.request)
}

// cleanPath reports whether the mux would take the path as it is. Others it
// would redirect, before anybody was authenticated.
func cleanPath(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.Contains(path, "//") &&
		!strings.Contains(path+"/", "/./") && !strings.Contains(path+"/", "/../")
}
