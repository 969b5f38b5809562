package mcpserver

import (
	"context"
	"crypto/sha256"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/fair"
	"github.com/loci-memory/loci/internal/project"
)

// HTTP returns the handler for /mcp. A request's query chooses the toolsets, ?toolsets=memory,graph, and the project
// that graph tools use if neither the call nor the connection has one, ?project=website.
func (s *Server) HTTP() http.Handler {
	var built sync.Map // by offer: building one takes milliseconds
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
		c.Stateful, c.Stateless, c.Offer = p.stateful, p.stateless, string(o)
		return c, nil
	}
	offered := func(o string) Choice {
		p := pairOf(offer(o))
		return Choice{Stateful: p.stateful, Stateless: p.stateless, Offer: o}
	}
	usual := pairOf(s.offer)
	return NewHTTP(HTTPOptions{
		Stateful: usual.stateful, Stateless: usual.stateless, Choose: choose, Offered: offered,
		Connections: s.app.Project,
		Authorize:   s.authorize, Challenge: s.challenge, Missing: missing, Count: s.count,
		Log: s.options.Log, Site: s.options.Site,
		ConnectionIdle: s.options.ConnectionIdle, MaxConnections: s.options.MaxConnections, MaxPerKey: s.options.MaxPerKey,
	})
}

// pair has the servers of one offer, for both generations of the protocol.
type pair struct{ stateful, stateless *mcp.Server }

// ended forgets the active project of a connection. If that fails, Loci forgets it once it has
// been unused for long enough.
func (s *Server) ended(ctx context.Context, key project.ConnectionKey) {
	if err := s.app.Project.EndConnection(context.WithoutCancel(ctx), key); err != nil {
		s.options.Log.WarnContext(ctx, "forgetting the project of an MCP connection failed", "error", err)
	}
}

// count counts a request against the limit that the credential has for all surfaces together, and
// waits for room for its body until the request ends.
func (s *Server) count(h http.Header, r *http.Request, p loci.Principal) error {
	err := s.options.Gate.Count(h, r, p)
	if err != nil || p.IsZero() || r.Method != http.MethodPost {
		return err
	}
	done, err := s.app.Room(fair.In(r.Context(), p.Subject()), r.ContentLength, maxMessage)
	if err == nil {
		context.AfterFunc(r.Context(), done)
	}
	return err
}

// authorize returns who sends a request. NotFound while /mcp is off.
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

// inSession adds the agent's session that the request names, if any, to p. With an error it
// returns p, so that the request still counts as p's.
func (s *Server) inSession(r *http.Request, p loci.Principal) (loci.Principal, error) {
	in, err := s.auth.InHeaderSession(r, p)
	if err != nil {
		return p, err
	}
	return in, nil
}

// sendsCredential reports whether a request carries a credential in any form, even one that Loci does not read.
func sendsCredential(r *http.Request, c auth.Request) bool {
	for _, name := range []string{"Authorization", "X-Api-Key", "X-Dashboard-Token"} {
		if len(r.Header.Values(name)) > 0 {
			return true
		}
	}
	return c.Session != ""
}

// letIn returns the principal for a client without a credential. Unauthenticated if an agent key exists, or if a
// proxy or a page sent the request.
func (s *Server) letIn(r *http.Request) (loci.Principal, error) {
	if !fromThisMachine(r) {
		return loci.Principal{}, loci.Errorf(loci.Unauthenticated,
			"requests from a proxy or a web page require an agent key; "+
				"create one with `loci agent-key create`, and send Authorization: Bearer <key>")
	}
	exist, err := s.seenAgent(r.Context())
	if err != nil {
		return loci.Principal{}, err
	}
	if exist {
		return loci.Principal{}, loci.Errorf(loci.Unauthenticated,
			"an agent key exists, so every client must send one: Authorization: Bearer <key>")
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

// seenAgent reports whether an agent key exists or existed. If the last key was revoked or has
// expired, unauthenticated clients must still be rejected.
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

// fromThisMachine reports whether a program on this machine may have sent a request. A proxy here can pass on
// requests from anywhere under our own Host, but most proxies add one of these headers. Pages from another port are
// rejected too.
func fromThisMachine(r *http.Request) bool {
	forwarded := []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"}
	for _, name := range forwarded {
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

// on returns NotFound while nobody can use /mcp: people cannot sign in, and there is no agent key, or the last one was
// revoked or has expired.
func (s *Server) on(ctx context.Context) error {
	if s.options.Open != nil || s.public {
		return nil
	}
	exist, err := s.auth.AgentsExist(ctx)
	if err != nil {
		return err
	}
	if !exist {
		return loci.Errorf(loci.NotFound, "MCP is off until an agent key exists; "+
			"create one with `loci agent-key create --vendor claude --name NAME` (or another vendor)")
	}
	return nil
}

// metadataPath is where a client reads how to get a token (RFC 9728).
const metadataPath = "/.well-known/oauth-protected-resource/mcp"

// challenge returns where a client can start to sign its person in, or "" if this server has no sign-in.
func (s *Server) challenge(r *http.Request, scope string) string {
	if !s.options.SignIn {
		return ""
	}
	if scope == "" {
		o, err := s.asked(r)
		if err != nil {
			o = s.offer // the address is rejected once the client is authorised
		}
		scope = o.scope()
	}
	return `, resource_metadata="` + s.options.Site.Base(r) + metadataPath + `", scope="` + scope + `"`
}

var rules = app.Rules()

// missing returns the scope that a call of a tool requires and that an OAuth token lacks, or "". A client cannot ask
// for more rights for a key, so there the tool itself returns the error to the model.
func missing(p loci.Principal, name string) string {
	if p.Method != loci.ByOAuth {
		return ""
	}
	rights := rules[toolNamed(name).action].Rights
	if !slices.ContainsFunc(rights, func(r loci.Right) bool { return !p.Has(r) }) {
		return ""
	}
	return strings.Join(loci.Texts(rights), " ")
}

// caller is the sender of a request and what else tools must know about the request.
type caller struct {
	principal    loci.Principal
	connection   project.ConnectionKey // zero: none
	usualProject string                // if neither the call nor the connection names one; "": none
	fault        error                 // see message
}

// connectionKey identifies a connection in storage. It is a hash, because anyone
// who knows the id of a connection could use it.
func connectionKey(id string) project.ConnectionKey { return sha256.Sum256([]byte(id)) }

// These are the keys under which a TokenInfo carries the caller. The SDK passes nothing but a
// TokenInfo from a request to its handler.
const (
	principalKey    = "principal"
	connectionInKey = "connection"
	projectKey      = "project"
	faultKey        = "fault"
)

func tokenInfo(c caller) *sdkauth.TokenInfo {
	return &sdkauth.TokenInfo{UserID: c.principal.Subject(), Extra: map[string]any{principalKey: c.principal,
		connectionInKey: c.connection, projectKey: c.usualProject, faultKey: c.fault}}
}

// callerOf returns the sender of a request. The zero caller may do nothing.
func callerOf(extra *mcp.RequestExtra) (c caller) {
	if extra == nil || extra.TokenInfo == nil {
		return c
	}
	c.principal, _ = extra.TokenInfo.Extra[principalKey].(loci.Principal)
	c.connection, _ = extra.TokenInfo.Extra[connectionInKey].(project.ConnectionKey)
	c.usualProject, _ = extra.TokenInfo.Extra[projectKey].(string)
	c.fault, _ = extra.TokenInfo.Extra[faultKey].(error)
	return c
}

func principalOf(extra *mcp.RequestExtra) loci.Principal { return callerOf(extra).principal }

// onlyAgents rejects a person's own credential. Without a vendor, Loci could not
// decide which memories the caller may read, or record who wrote a memory.
func onlyAgents(p loci.Principal) error {
	if p.Vendor != "" {
		return nil
	}
	return loci.Errorf(loci.Forbidden, "this is a person's credential, "+
		"but MCP requires an agent key, which identifies the assistant; "+
		"create one with `loci agent-key create --vendor claude --name NAME` (or another vendor)")
}
