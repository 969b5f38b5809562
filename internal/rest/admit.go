package rest

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/review"
)

// access states who may call a route. The zero access means nobody, and the server does not start with such a route.
type access int

const (
	forAll    access = iota + 1 // also without a credential
	forAny                      // people and agents
	forPeople                   // agents are refused
)

// gate runs before each handler and before the input is read, so that a rejection depends only on the route.
func (s *server) gate(route route, plain *plainly) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, _ := humago.Unwrap(ctx)
		x := exchangeOf(r.Context())
		if err := s.admit(x, r, &route); err != nil {
			if route.Notes {
				err = review.NoOrg(err)
			}
			s.refuse(x, r, err)
			return
		}
		x.route = &route
		if err := checkQuery(r.URL.RawQuery); err != nil {
			s.refuse(x, r, err)
			return
		}
		if field, text := route.wrongBody(r); text != "" {
			x.Header().Set("Accept-Encoding", "identity")
			writeProblem(x, problemOf(http.StatusUnsupportedMediaType, string(loci.Invalid), field, text))
			return
		}
		if route.In != nil && !route.Raw {
			r.Header.Set("Content-Type", jsonType) // however it was spelt
		}
		if route.repeatable() {
			once, err := readOnce(r)
			if err != nil {
				s.refuse(x, r, err)
				return
			}
			x.once = once
		}
		if route.In != nil && !route.Raw {
			done, err := s.app.Room(r.Context(), r.ContentLength, route.maxBody())
			if err != nil {
				s.refuse(x, r, err)
				return
			}
			defer done()
		}
		spell := &speller{s, ctx.Operation(), x, map[string]string{}}
		err := spell.head(r)
		if err == nil && *plain != nil && (*plain)(x, r) {
			return
		}
		if err == nil {
			err = spell.body(r)
		}
		if err != nil {
			writeProblem(x, s.fail(r.Context(), route.Missing, err))
			return
		}
		next(ctx)
	}
}

func checkQuery(query string) error {
	if query == "" {
		return nil
	}
	if _, err := url.ParseQuery(query); err != nil {
		return loci.Errorf(loci.Invalid, "cannot read the query string; encode it as in ?q=two%%20words")
	}
	return nil
}

// mergePatch is the type of a body that changes parts of a memory.
const mergePatch = "application/merge-patch+json"

// wrongBody returns the header that announces a body in a form that the route
// does not accept, and the reason, or "". Without Content-Type, JSON is assumed.
func (r route) wrongBody(req *http.Request) (header, text string) {
	if r.In == nil && !r.Raw {
		return "", ""
	}
	for _, coding := range req.Header.Values("Content-Encoding") {
		if !strings.EqualFold(strings.TrimSpace(coding), "identity") {
			return "Content-Encoding", "the body must not be compressed; omit Content-Encoding"
		}
	}
	sent := req.Header.Values("Content-Type")
	if r.Raw || len(sent) == 0 || len(sent) == 1 && sent[0] == "" {
		return "", ""
	}
	kind, parameters, err := mime.ParseMediaType(sent[0])
	charset := parameters["charset"]
	switch {
	case err != nil || len(sent) > 1, kind != r.bodyType() && (kind != mergePatch || r.Method != http.MethodPatch):
		return "Content-Type", "Content-Type must be " + r.bodyType()
	case charset != "" && !strings.EqualFold(charset, "utf-8"):
		return "Content-Type", "the body must be UTF-8; send it with Content-Type: " + r.bodyType()
	}
	return "", ""
}

// admit authenticates the caller, counts the request and checks whether the route
// is open to the caller. A request with a bad credential counts as one without.
func (s *server) admit(x *exchange, r *http.Request, route *route) error {
	var p loci.Principal
	var err error
	if route.Who != forAll {
		p, err = s.authenticate(r)
	}
	if limited := s.count(x, r, p, route); limited != nil {
		return limited
	}
	if err != nil {
		return err
	}
	x.admitted(p)
	if p.Kind == loci.KindAgent && route.Who == forPeople {
		s.app.Refused(r.Context(), p, route.Action)
		return errAgent
	}
	if route.Who == forAll || route.ID == "" { // where no route is, the session does not matter
		return nil
	}
	in, err := s.asSent(r, x.principal, route.Method == http.MethodGet || route.Reads)
	if err == nil {
		x.admitted(in)
	}
	return err
}

// asSent returns p as the headers of a request ask for: as a vendor, or in a session.
func (s *server) asSent(r *http.Request, p loci.Principal, reads bool) (loci.Principal, error) {
	p, err := auth.ViewAs(r, p, reads)
	if err != nil {
		return p, err
	}
	return s.auth.InHeaderSession(r, p)
}

// count counts a request, except one that checks the server's health: a monitor must get an
// answer, and the answer costs less than a rejection.
func (s *server) count(x *exchange, r *http.Request, p loci.Principal, route *route) error {
	if route.Probe {
		return nil
	}
	if route.Limit.Limit > 0 {
		return s.options.Gate.Count(x.Header(), r, p, route.Limit)
	}
	return s.options.Gate.Count(x.Header(), r, p)
}

// authenticate finds the principal of a request. A credential that a browser sends automatically
// counts for changes only if the page that asks belongs to this server.
func (s *server) authenticate(r *http.Request) (loci.Principal, error) {
	credentials, err := auth.RequestOf(r)
	if err != nil {
		return loci.Principal{}, err
	}
	if credentials.Bearer == "" && credentials.Session != "" {
		if s.pages.Check(r) != nil || !auth.SaysItsPage(r) {
			return loci.Principal{}, errForeignPage
		}
	}
	return s.auth.Authenticate(r.Context(), credentials)
}

// unknown answers requests without a route. A path without any needs no credential.
func (s *server) unknown(w http.ResponseWriter, r *http.Request) {
	x := exchangeOf(r.Context())
	err, allowed := s.admit(x, r, &route{Who: forAny}), s.allowed(r)
	if nowhere := len(allowed) == 0 || !IsClean(r.URL.Path); nowhere && (err == nil ||
		loci.CodeOf(err) == loci.Unauthenticated) {
		err = errNoRoute
	}
	if err != nil {
		s.refuse(x, r, err)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	writeProblem(w, problemOf(http.StatusMethodNotAllowed, string(loci.Invalid), "",
		"this route accepts only "+strings.Join(allowed, ", ")))
}

// allowed returns the methods of the routes with that path.
func (s *server) allowed(r *http.Request) []string {
	var found []string
	for method := range s.methods {
		probe := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := s.mux.Handler(probe); pattern != "/" && pattern != "" {
			found = append(found, method)
		}
	}
	slices.Sort(found)
	return found
}

// call runs a route for a principal.
type call[I, O any] func(context.Context, loci.Principal, *I) (*O, error)

// erased is a call whose input and output have lost their types: in is the *I of a call, and out its *O, or nil. What
// all routes do alike works on erased calls, because the compiler would copy it for each route otherwise.
type erased func(ctx context.Context, p loci.Principal, in any) (out any, err error)

func erase[I, O any](do call[I, O]) erased {
	return func(ctx context.Context, p loci.Principal, in any) (any, error) {
		out, err := do(ctx, p, in.(*I)) //nolint:forcetypeassert // only enter calls it, with its own input
		if err != nil || out == nil {
			return nil, err
		}
		return out, nil
	}
}

// typed is what depends on the types of a route.
type typed struct {
	in, out  func() any // new zero values
	register func(api huma.API, op huma.Operation, handle func(ctx context.Context, in any) (any, error))
}

func typesOf[I, O any]() typed {
	return typed{in: func() any { return new(I) }, out: func() any { return new(O) },
		register: func(api huma.API, op huma.Operation, handle func(context.Context, any) (any, error)) {
			huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
				out, err := handle(ctx, in)
				answer, _ := out.(*O)
				return answer, err
			})
		}}
}

func add[I, O any](s *server, r route, do call[I, O]) { s.add(r, typesOf[I, O](), erase(do)) }

func (s *server) add(r route, types typed, do erased) {
	if strings.HasPrefix(r.Path, "/orgs/{id}") {
		do = ofOwnOrg(do)
	}
	s.enterRoute(r, types, s.once(&r, types, do))
}

// ofOwnOrg answers as if no org but the principal's existed.
func ofOwnOrg(do erased) erased {
	return func(ctx context.Context, p loci.Principal, in any) (any, error) {
		if loci.OrgID(exchangeOf(ctx).request.PathValue("id")) != p.OrgID {
			return nil, errAbsent
		}
		return do(ctx, p, in)
	}
}

// enter registers a route that reads its body itself.
func enter[I, O any](s *server, r route, do call[I, O]) { s.enterRoute(r, typesOf[I, O](), erase(do)) }

func (s *server) enterRoute(r route, types typed, do erased) {
	s.methods[r.Method] = true
	if r.Method == http.MethodGet {
		s.methods[http.MethodHead] = true
	}
	op, plainRequests := r.operation(s), plainly(nil)
	op.Middlewares = huma.Middlewares{s.gate(r, &plainRequests)}
	if r.ForAgents || strings.HasPrefix(r.Path, "/agent/") {
		s.forActions[r.ID] = r.Method != http.MethodGet && !r.Reads && r.Action != memory.Create
	}
	handle := func(ctx context.Context, in any) (any, error) {
		x := exchangeOf(ctx)
		if x.checked != nil {
			x.checked()
		}
		out, err := do(ctx, x.principal, in)
		if again := (*replay)(nil); errors.As(err, &again) {
			return nil, again
		}
		if err != nil {
			return nil, s.fail(ctx, r.Missing, err)
		}
		return out, nil
	}
	types.register(s.api, op, handle)
	if path := s.api.OpenAPI().Paths[op.Path]; r.Method == http.MethodGet {
		plainRequests = answersPlainly(path.Get, types, handle)
	} else if r.Reads || r.Raw {
		plainRequests = answersPlainly(path.Post, types, handle)
	}
	if r.Raw { // not before, because huma would read it
		s.api.OpenAPI().Paths[op.Path].Post.RequestBody = r.Takes(s)
	}
	if r.Lines { // huma treats raw bodies as binary
		*op.RequestBody.Content[jsonLines] = huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}, Example: r.In}
	}
}
