package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"
	"unicode/utf8"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// HTTPOptions configure NewHTTP.
type HTTPOptions struct {
	Sessions  *mcp.Server // required: for versions with sessions
	Stateless *mcp.Server // required: for 2026-07-28; not the same as Sessions
	// Authorize finds out who sends a request; required. Its errors carry a
	// loci code. It is asked on every request.
	Authorize   func(*http.Request) (loci.Principal, error)
	Log         *slog.Logger  // default: discard
	PublicURL   string        // see Options.PublicURL
	SessionIdle time.Duration // default: 30 minutes
	MaxSessions int           // default: 10,000
	// Streams makes every answer an event stream, for tools that send
	// notifications or questions before their result. Without it answers are
	// plain JSON.
	Streams bool
}

const (
	defaultSessionIdle = 30 * time.Minute
	defaultMaxSessions = 10_000

	// maxMessage is the largest JSON-RPC message, in bytes.
	maxMessage = 1 << 20

	// statelessVersion is the first version without sessions.
	statelessVersion = "2026-07-28"

	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
)

// endpoint is both generations of Streamable HTTP at one path.
type endpoint struct {
	options   HTTPOptions
	sessions  http.Handler
	stateless http.Handler
	sealer    sealer
	hosts     auth.HostRule
}

// NewHTTP returns a handler that speaks every version of MCP at one path. It
// does what the SDK leaves to its user: authorisation of each request,
// sessions that nobody else can use, limits, and errors that are JSON-RPC.
// It panics if something required is missing.
func NewHTTP(o HTTPOptions) http.Handler {
	if o.Sessions == nil || o.Stateless == nil || o.Sessions == o.Stateless || o.Authorize == nil {
		panic("mcpserver: NewHTTP needs two servers and an authorizer")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.SessionIdle <= 0 {
		o.SessionIdle = defaultSessionIdle
	}
	if o.MaxSessions <= 0 {
		o.MaxSessions = defaultMaxSessions
	}
	e := &endpoint{options: o, sealer: newSealer(), hosts: auth.NewHostRule(o.PublicURL)}
	e.sessions = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return o.Sessions }, &mcp.StreamableHTTPOptions{
		JSONResponse: !o.Streams, SessionTimeout: o.SessionIdle, MaxRequestBodyBytes: maxMessage, DisableLocalhostProtection: true})
	e.stateless = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return o.Stateless }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: !o.Streams, MaxRequestBodyBytes: maxMessage, DisableLocalhostProtection: true,
		PropagateRequestCancellation: true})
	return e
}

// ServeHTTP answers one request.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := e.hosts.Check(r); err != nil {
		e.refuse(w, r, message{}, err)
		return
	}
	p, err := e.options.Authorize(r)
	if err != nil {
		e.refuse(w, r, message{}, err)
		return
	}
	r = r.Clone(r.Context()) // its headers and body change on the way
	var m message
	if r.Method == http.MethodPost {
		if m, err = readMessage(w, r); err != nil {
			e.refuse(w, r, m, err)
			return
		}
	}
	next := e.stateless
	if !m.isStateless(r) {
		next = e.sessions
		if !e.openSession(w, r, m, p) {
			return
		}
	}
	e.serve(next, w, r, m, p)
}

// serve hands the request to the SDK, with the principal, and the answer back.
func (e *endpoint) serve(next http.Handler, w http.ResponseWriter, r *http.Request, m message, p loci.Principal) {
	out := &reply{ResponseWriter: w, message: m, seal: func(id string) string { return e.sealer.seal(id, p.Subject()) }}
	// RequireBearerToken is the SDK's only way to attach a TokenInfo; the token
	// was checked before, so its verifier has nothing left to refuse.
	info := tokenInfo(p)
	if r.Header.Get("Authorization") == "" {
		r.Header.Set("Authorization", "Bearer authorized")
	}
	sdkauth.RequireBearerToken(func(context.Context, string, *http.Request) (*sdkauth.TokenInfo, error) { return info, nil },
		&sdkauth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next).ServeHTTP(out, r)
	if out.failed >= http.StatusInternalServerError {
		e.options.Log.ErrorContext(r.Context(), "mcp transport failed", "status", out.failed, "error", out.text.String())
	}
	out.finish()
}

// openSession checks the session of a request, and writes the answer if there
// is nothing to go on with.
func (e *endpoint) openSession(w http.ResponseWriter, r *http.Request, m message, p loci.Principal) bool {
	if sealed := r.Header.Get(sessionHeader); sealed != "" {
		id, ok := e.sealer.open(sealed, p.Subject())
		if !ok {
			writeError(w, http.StatusNotFound, m.id, errNoSession)
			return false
		}
		r.Header.Set(sessionHeader, id)
		return true
	}
	if r.Method != http.MethodPost {
		return true // the SDK says what is missing
	}
	if m.method != "initialize" {
		writeError(w, http.StatusBadRequest, m.id, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
			Message: "no session: send initialize first, then the Mcp-Session-Id of its answer with every request; or use protocol version " + statelessVersion + ", which has no sessions"})
		return false
	}
	open := 0
	for range e.options.Sessions.Sessions() {
		open++
	}
	if open >= e.options.MaxSessions {
		e.refuse(w, r, m, loci.Errorf(loci.Unavailable, "too many sessions are open (%d); end some with DELETE, or wait until idle ones time out after %v", open, e.options.SessionIdle))
		return false
	}
	return true
}

var errNoSession = &jsonrpc.Error{Code: codeNoSession, Message: "session not found: it has ended, timed out or is not yours; send initialize to begin a new one"}

// message is what has to be known of a JSON-RPC message to route it.
type message struct {
	id      json.RawMessage // nil: none
	method  string
	version string // of params._meta
}

// readMessage reads the body, and puts it back for the SDK.
func readMessage(w http.ResponseWriter, r *http.Request) (message, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return message{}, errTooLarge
		}
		return message{}, loci.WrapError(loci.Invalid, err, "the body could not be read")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	m, problem := parseMessage(body)
	if problem != nil {
		return m, problem
	}
	return m, nil
}

var errTooLarge = loci.Errorf(loci.TooLarge, "the message is larger than %d bytes; send less, for example several shorter memories", maxMessage)

// parseMessage checks what encoding/json and the SDK would let pass or refuse
// without words. A batch has neither id nor method.
func parseMessage(body []byte) (message, *jsonrpc.Error) {
	if !utf8.Valid(body) {
		return message{}, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "parse error: the message is not valid UTF-8"}
	}
	if !json.Valid(body) {
		return message{}, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "parse error: the message is not valid JSON"}
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		return message{}, nil
	}
	decoded, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return message{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: `invalid request: not a JSON-RPC 2.0 message; it needs "jsonrpc": "2.0", a "method", and an "id" that is a string or a number`}
	}
	request, ok := decoded.(*jsonrpc.Request)
	if !ok {
		return message{}, nil
	}
	m := message{method: request.Method}
	if request.IsCall() {
		m.id, err = json.Marshal(request.ID.Raw())
		if err != nil {
			return message{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: the id cannot be repeated"}
		}
	}
	var params struct {
		Meta map[string]any `json:"_meta"`
	}
	if json.Unmarshal(request.Params, &params) == nil {
		m.version, _ = params.Meta[mcp.MetaKeyProtocolVersion].(string)
	}
	return m, nil
}

// isStateless reports whether the request follows the version without
// sessions: it says so in a header, in its metadata, or by a method that only
// that version has. Versions are dates, so they compare as text.
func (m message) isStateless(r *http.Request) bool {
	return r.Header.Get(versionHeader) >= statelessVersion || m.version >= statelessVersion || m.method == "server/discover"
}
