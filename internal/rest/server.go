package rest

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/fair"
)

// Options configure the API.
type Options struct {
	App     *app.App            // required
	Auth    *auth.Authenticator // required
	Log     *slog.Logger        // default: discard
	Now     func() time.Time    // default: time.Now
	Version string              // shown by /health and in the OpenAPI document
	// Instance is a random name of this start, at /health; "": none. It tells strangers nothing.
	Instance string
	// ModelEgress means that /query or reflect calls a model.
	ModelEgress bool
	Gate        auth.Gate // counts requests; zero: no limits
	Site        auth.Site
	Live        Live
}

type server struct {
	app     *app.App
	auth    *auth.Authenticator
	options Options
	pages   *http.CrossOriginProtection
	started time.Time
	mux     *http.ServeMux
	api     huma.API
	methods map[string]bool // of all routes, for the Allow header
	openAPI func() (whole []byte, agents document)
	// forActions has the operations in the document of agents, by id; true: consequential.
	forActions map[string]bool
	streams    *fair.Pool // of changes
	bodies     knownBodies
}

// New returns the handler of the API. It panics without App or Auth, which only main can cause.
func New(o Options) http.Handler {
	if o.App == nil || o.Auth == nil {
		panic("rest: Options.App and Options.Auth are required")
	}
	o.Log, o.Live = cmp.Or(o.Log, slog.New(slog.DiscardHandler)), o.Live.withDefaults()
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &server{app: o.App, auth: o.Auth, options: o, started: o.Now(), pages: http.NewCrossOriginProtection(),
		mux: http.NewServeMux(), methods: map[string]bool{}, forActions: map[string]bool{},
		streams: fair.NewPool(fair.Options{Total: math.MaxInt64, Each: int64(o.Live.PerCredential)})}
	s.api = huma.NewAPI(s.config(), humago.NewAdapter(twoPlaces{s.mux}, ""))
	s.register()
	s.document()
	s.mux.HandleFunc("GET /{$}", s.home)
	s.mux.HandleFunc("/", s.unknown)
	return s
}

// home answers a program that opens the printed address. It needs no key and reveals only what /openapi.json reveals.
func (s *server) home(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintf(w, "Loci %s: one memory for every AI you use.\n\nMCP for assistants: /mcp\nREST for programs:  "+
		"/openapi.json describes it\nHealth check:       /health\n\n"+
		"Connect an assistant: loci connect --help\n", s.options.Version)
}

// place is where the routes are. They are also at the root, which older clients use.
const place = "/api/v1"

// twoPlaces gives each route below place to the root, too. huma knows only the first: it takes long to
// prepare a route.
type twoPlaces struct{ *http.ServeMux }

// HandleFunc implements humago.Mux.
func (m twoPlaces) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	m.ServeMux.HandleFunc(pattern, handler)
	method, path, _ := strings.Cut(pattern, " ")
	path, below := strings.CutPrefix(path, place)
	if !below {
		return
	}
	m.ServeMux.HandleFunc(method+" "+path, handler)
	if path == reflectPath || path == contextPath { // clients of its seed look for it here
		m.ServeMux.HandleFunc(method+" /api"+path, handler)
	}
}

// placeOf returns the place under which a request came.
func placeOf(r *http.Request) string {
	if strings.HasPrefix(r.URL.Path, place+"/") {
		return place
	}
	return ""
}

// exchange is the state of one request: the results of the gate, and the answer.
type exchange struct {
	http.ResponseWriter
	request   *http.Request
	id        string
	principal loci.Principal // set by the gate
	once      *onceKey       // set by the gate, too; nil: the request came without a key
	route     *route         // set by the gate
	bodies    *knownBodies
	unnamed   map[int]error // of a bulk call in parts: the operations in which a name or short id names nothing
	checked   func()        // remembers that the body is valid; nil: there is nothing to remember
}

type exchangeKey struct{}

// exchangeOf returns the exchange that ServeHTTP put into the context. It is the only value that this package puts
// there, because huma passes nothing else to its handlers. Handlers pass the principal on as a parameter.
func exchangeOf(ctx context.Context) *exchange { return ctx.Value(exchangeKey{}).(*exchange) }

// RequestIDHeader is the header with the id of a request. Package front sets it in the answer,
// and this package logs it.
const RequestIDHeader = "X-Request-Id"

// ServeHTTP answers one request.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{ResponseWriter: w, bodies: &s.bodies, id: w.Header().Get(RequestIDHeader)}
	x.request = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
	if !IsClean(r.URL.Path) {
		s.unknown(w, x.request)
		return
	}
	s.mux.ServeHTTP(w, x.request)
}

// Serves reports whether a route has this path. It says nothing about the method.
func (s *server) Serves(r *http.Request) bool {
	_, pattern := s.mux.Handler(r)
	return pattern != "/"
}

// admitted records who sent the request, also for the log of the writer.
func (x *exchange) admitted(p loci.Principal) {
	if x.principal.IsZero() {
		*x.request = *x.request.WithContext(fair.In(x.request.Context(), p.Subject()))
	}
	x.principal = p
	if w, ok := x.ResponseWriter.(interface{ Admitted(loci.Principal) }); ok {
		w.Admitted(p)
	}
}

// IsClean reports whether a mux would accept the path unchanged. It would redirect other paths before authentication.
func IsClean(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.Contains(path, "//") && !has(path, "/.") && !has(path, "/..")
}

// has reports whether a part is in the path, and ends there or before a slash.
func has(path, part string) bool {
	for {
		_, after, found := strings.Cut(path, part)
		if !found || after == "" || after[0] == '/' {
			return found
		}
		path = after
	}
}
