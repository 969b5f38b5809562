package mcpserver

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
)

// HTTP returns the handler for /mcp. The query of a request chooses what its
// client is offered, ?toolsets=memory,graph, and the project that graph tools
// work on where neither call nor connection names one, ?project=website.
func (s *Server) HTTP() http.Handler {
	var built sync.Map // of each offer, so that it takes its milliseconds once
	pairOf := func(o offer) pair {
		if found, ok := built.Load(o); ok {
			return found.(pair)
		}
		found, _ := built.LoadOrStore(o, pair{s.build(o), s.build(o)})
		return found.(pair)
	}
	choose := func(r *http.Request) (Choice, error) {
		o, err := s.asked(r)
		if err != nil {
			return Choice{}, err
		}
		c := Choice{Project: s.options.Project}
		if asked := r.URL.Query().Get("project"); asked != "" {
			c.Project = asked
		}
		p := pairOf(o)
		c.Stateful, c.Stateless = p.stateful, p.stateless
		return c, nil
	}
	usual := pairOf(s.offer)
	return NewHTTP(HTTPOptions{
		Stateful: usual.stateful, Stateless: usual.stateless, Choose: choose, Ended: s.ended, Authorize: s.authorize, Challenge: s.challenge, Missing: missing, Count: s.count, Log: s.log,
		PublicURL: s.options.PublicURL, ConnectionIdle: s.options.ConnectionIdle, MaxConnections: s.options.MaxConnections, MaxPerKey: s.options.MaxPerKey,
	})
}

// pair are servers of one offer, for both generations of the protocol.
type pair struct{ stateful, stateless *mcp.Server }

// ended forgets which project a connection worked on. If that fails, it is forgotten when
// it has been idle for long enough.
func (s *Server) ended(ctx context.Context, key app.SessionKey) {
	if err := s.app.EndMCPSession(context.WithoutCancel(ctx), key); err != nil {
		s.log.WarnContext(ctx, "forgetting the project of an MCP connection failed", "error", err)
	}
}

// count counts a request, together with those that its credential sends to the
// other surfaces.
func (s *Server) count(h http.Header, r *http.Request, p loci.Principal) error {
	return s.options.Gate.Count(h, r, p)
}

// authorize finds out who sends a request. NotFound until /mcp is switched on.
func (s *Server) authorize(r *http.Request) (loci.Principal, error) {
	ctx := r.Context()
	if err := s.on(ctx); err != nil {
		return loci.Principal{}, err
	}
	credentials, err := auth.RequestOf(r)
	if err != nil {
		return loci.Principal{}, err
	}
	if s.options.Open != nil && !sendsCredential(r, credentials) {
		return s.letIn(r)
	}
	p, err := s.auth.Authenticate(ctx, credentials)
	if err != nil {
		return loci.Principal{}, err
	}
	if err := onlyAgents(p); err != nil {
		return p, err
	}
	s.keyed.Store(true)
	return s.inSession(r, p)
}

// inSession returns who asks as a part of the session of agents that the request names, if it
// does. Who is refused is counted as who they are.
func (s *Server) inSession(r *http.Request, p loci.Principal) (loci.Principal, error) {
	in, err := s.auth.InHeaderSession(r, p)
	if err != nil {
		return p, err
	}
	return in, nil
}

// sendsCredential reports whether a request carries anything that is meant as a
// credential, also one of a form that nobody reads.
func sendsCredential(r *http.Request, c auth.Request) bool {
	for _, name := range []string{"Authorization", "X-Api-Key", "X-Dashboard-Token"} {
		if len(r.Header.Values(name)) > 0 {
			return true
		}
	}
	return c.Session != ""
}

// letIn returns who a client without a credential is, until there is an agent
// key; then Unauthenticated, as for what a proxy or a page sends.
func (s *Server) letIn(r *http.Request) (loci.Principal, error) {
	if !fromThisMachine(r) {
		return loci.Principal{}, loci.Errorf(loci.Unauthenticated, "what comes by a proxy or from a page needs an agent key: make one with `loci agent-key create`, and send Authorization: Bearer <key>")
	}
	exist, err := s.seenAgent(r.Context())
	if err != nil {
		return loci.Principal{}, err
	}
	if exist {
		return loci.Principal{}, loci.Errorf(loci.Unauthenticated, "there is an agent key now, so every client needs one: send Authorization: Bearer <key>")
	}
	p, err := s.options.Open(r.Context())
	if err != nil {
		return loci.Principal{}, err
	}
	if err := onlyAgents(p); err != nil {
		return p, err
	}
	return s.inSession(r, p)
}

// seenAgent reports whether there is or was an agent key. To revoke the last one, or
// to let it expire, must not let everybody in.
func (s *Server) seenAgent(ctx context.Context) (bool, error) {
	if s.keyed.Load() {
		return true, nil
	}
	exist, err := s.auth.AgentsExist(ctx)
	if exist {
		s.keyed.Store(true)
	}
	return exist, err
}

// fromThisMachine reports whether a request may come from a program of this machine. A proxy
// here often asks under our own Host for the whole world; most add one of these headers.
// A page of another port has no business here, either.
func fromThisMachine(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"} {
		if len(r.Header.Values(name)) > 0 {
			return false
		}
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin" || site == "none"
}

// on returns NotFound while nobody could use /mcp: without an agent key, also after the last one was
// revoked or has expired, where people can't sign in either.
func (s *Server) on(ctx context.Context) error {
	if s.options.Open != nil || s.public {
		return nil
	}
	exist, err := s.auth.AgentsExist(ctx)
	if err != nil {
		return err
	}
	if !exist {
		return loci.Errorf(loci.NotFound, "MCP is off until there is an agent key: make one with `loci agent-key create --vendor claude` (or another vendor)")
	}
	return nil
}
