package mcpserver

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/fair"
)

// HTTPOptions configure NewHTTP.
type HTTPOptions struct {
	Stateful  *mcp.Server // required: for versions with connections
	Stateless *mcp.Server // required: for 2026-07-28; not the same as Stateful
	// Choose returns the servers for the client of a request, if not these two. A connection keeps the server that it
	// began with. Choose's errors carry a loci code. Default: always these two.
	Choose func(*http.Request) (Choice, error)
	// Offered returns the choice whose Offer is this. Required with Choose.
	Offered func(offer string) Choice
	// Connections keeps what a connection needs to be continued by another process; required.
	Connections Connections
	// Authorize returns who sends a request; required. Its errors carry a loci code. It is called for every request.
	Authorize func(*http.Request) (loci.Principal, error)
	// Challenge returns the value of WWW-Authenticate, which tells how to get a token. scope is
	// what the request needs; "" means what clients usually need. Default: no header.
	Challenge func(r *http.Request, scope string) string
	// Missing returns the scope that a call of a tool needs and the token of p lacks, or "". Default: always "".
	Missing func(p loci.Principal, tool string) string
	// Count counts a request of p; the zero p is a client without a credential. It writes to h how many requests are
	// left, and returns RateLimited if none are, or if there is no room for the body. Default: no limit.
	Count          func(h http.Header, r *http.Request, p loci.Principal) error
	Log            *slog.Logger  // default: discard
	Site           auth.Site     // the server's own addresses
	ConnectionIdle time.Duration // default: 30 minutes
	MaxConnections int           // of all; default: 10,000
	MaxPerKey      int           // of one credential; if it opens another, its oldest idle one ends; default: 100
}

// Choice is what the address of a request chooses.
type Choice struct {
	Stateful, Stateless *mcp.Server // nil: those of HTTPOptions
	Offer               string      // names the servers in a stored connection
	// Project is the name of the project that graph tools use if neither the call nor the connection has one.
	Project string
}

const (
	defaultConnectionIdle = 30 * time.Minute
	defaultMaxConnections = 10_000
	defaultMaxPerKey      = 100

	// maxMessage is the largest JSON-RPC message, in bytes: raw notes are as long.
	maxMessage = 2 << 20

	// statelessVersion is the first version without connections.
	statelessVersion = "2026-07-28"

	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
)

// endpoint serves both generations of Streamable HTTP at one path.
type endpoint struct {
	options   HTTPOptions
	stateful  http.Handler
	stateless http.Handler
	table     *connectionTable
	hosts     auth.HostRule
	resuming  locks    // taken, by connection, while a stored one is set up in this process
	running   sync.Map // calls in connections, by runningKey; see reply.cancelled
}

// NewHTTP returns a handler for every version of MCP at one path. It adds what the SDK leaves to
// its user: it authorizes each request, binds connections to a principal, limits them, and turns
// every error into JSON-RPC. It panics if something required is missing.
func NewHTTP(o HTTPOptions) http.Handler {
	if o.Stateful == nil || o.Stateless == nil || o.Stateful == o.Stateless || o.Authorize == nil || o.Connections == nil {
		panic("mcpserver: NewHTTP needs two servers, an authorizer and connections")
	}
	o.setDefaults()
	e := &endpoint{options: o, hosts: auth.NewHostRule(o.Site),
		table: newConnectionTable(o.MaxPerKey, o.MaxConnections, o.ConnectionIdle)}
	// The SDK writes event streams; reply turns those without other messages into plain JSON.
	sdk := mcp.StreamableHTTPOptions{MaxRequestBodyBytes: maxMessage, DisableLocalhostProtection: true}
	stateful, stateless := sdk, sdk
	stateless.Stateless, stateless.PropagateRequestCancellation = true, true
	e.stateful = mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		return cmp.Or(choiceOf(r).Stateful, o.Stateful)
	}, &stateful)
	e.stateless = mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		return cmp.Or(choiceOf(r).Stateless, o.Stateless)
	}, &stateless)
	return e
}

func (o *HTTPOptions) setDefaults() {
	if o.Challenge == nil {
		o.Challenge = func(*http.Request, string) string { return "" }
	}
	if o.Count == nil {
		o.Count = func(http.Header, *http.Request, loci.Principal) error { return nil }
	}
	if o.Missing == nil {
		o.Missing = func(loci.Principal, string) string { return "" }
	}
	if o.Choose == nil {
		o.Choose = func(*http.Request) (Choice, error) { return Choice{}, nil }
	}
	if o.Offered == nil {
		o.Offered = func(string) Choice { return Choice{} }
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.ConnectionIdle <= 0 {
		o.ConnectionIdle = defaultConnectionIdle
	}
	if o.MaxConnections <= 0 {
		o.MaxConnections = defaultMaxConnections
	}
	if o.MaxPerKey <= 0 {
		o.MaxPerKey = defaultMaxPerKey
	}
}

// choiceKey is the key under which the context of a request carries its Choice. When the SDK asks
// for a server, it passes nothing but the request.
type choiceKey struct{}

func choiceOf(r *http.Request) Choice {
	c, _ := r.Context().Value(choiceKey{}).(Choice)
	return c
}

// ServeHTTP answers one request.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := e.hosts.Check(r); err != nil {
		e.refuse(w, r, message{}, err)
		return
	}
	p, err := e.options.Authorize(r)
	if limited := e.options.Count(w.Header(), r, p); limited != nil {
		err = limited
	}
	if err != nil {
		e.refuse(w, r, message{}, err)
		return
	}
	choice, err := e.options.Choose(r)
	if err != nil {
		e.refuse(w, r, message{}, err)
		return
	}
	ctx := fair.In(context.WithValue(r.Context(), choiceKey{}, choice), p.Subject())
	r = r.Clone(ctx) // its headers and body change below
	var m message
	if r.Method == http.MethodPost {
		if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
			w.Header().Set("Accept-Encoding", "identity")
			writeError(w, http.StatusUnsupportedMediaType, nil, errCompressed)
			return
		}
		if m, err = readMessage(w, r); err != nil {
			e.refuse(w, r, m, err)
			return
		}
	}
	if scope := e.options.Missing(p, m.tool); scope != "" {
		e.refuseScope(w, r, m, scope)
		return
	}
	out := &reply{ResponseWriter: w, message: m, asked: r.Method == http.MethodPost, only: completeAccept(r, m)}
	c := caller{principal: p, usualProject: choice.Project, fault: m.fault}
	if m.isStateless(r) {
		e.serve(e.stateless, out, r, tokenInfo(c))
		return
	}
	e.serveConnection(out, r, m, c)
}

// serve passes the request and its caller to the SDK, and writes the answer.
func (e *endpoint) serve(next http.Handler, out *reply, r *http.Request, info *sdkauth.TokenInfo) {
	// RequireBearerToken is the SDK's only way to attach a TokenInfo. The caller
	// has been authorised already, so the verifier accepts every token.
	if r.Header.Get("Authorization") == "" {
		r.Header.Set("Authorization", "Bearer authorized")
	}
	verify := func(context.Context, string, *http.Request) (*sdkauth.TokenInfo, error) { return info, nil }
	options := &sdkauth.RequireBearerTokenOptions{AllowMissingExpiration: true}
	func() {
		defer out.keepAlive()()
		sdkauth.RequireBearerToken(verify, options)(next).ServeHTTP(out, r)
	}()
	if out.failed >= http.StatusInternalServerError {
		e.options.Log.ErrorContext(r.Context(), "mcp transport failed", "status", out.failed, "error", out.text.String())
	}
	out.finish()
}

// completeAccept makes Accept name both types, as the SDK requires, and returns the only one that the
// client accepts, or "" if it accepts both. It leaves the header if the answer could have neither.
func completeAccept(r *http.Request, m message) (only string) {
	sent := strings.Join(r.Header.Values("Accept"), ",")
	all := strings.TrimSpace(sent) == ""
	plain, stream := all || accepts(sent, jsonType), all || accepts(sent, streamType)
	switch mustStream := r.Method == http.MethodGet || m.method == "subscriptions/listen"; {
	case !stream && (!plain || mustStream):
		return ""
	case !stream:
		only = jsonType
	case !plain:
		only = streamType
	}
	r.Header.Set("Accept", jsonType+", "+streamType)
	return only
}

// accepts reports whether an Accept header admits a media type.
func accepts(header, kind string) bool {
	group, _, _ := strings.Cut(kind, "/")
	return slices.ContainsFunc(strings.Split(strings.ToLower(header), ","), func(one string) bool {
		name, _, _ := strings.Cut(one, ";")
		return slices.Contains([]string{kind, group + "/*", "*/*"}, strings.TrimSpace(name))
	})
}

var errCompressed = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
	Message: "the body must not be compressed; send it without Content-Encoding"}
