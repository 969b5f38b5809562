package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
)

// refuse answers a request that must not reach the SDK.
func (e *endpoint) refuse(w http.ResponseWriter, r *http.Request, m message, err error) {
	if problem, ok := errors.AsType[*jsonrpc.Error](err); ok {
		writeError(w, http.StatusBadRequest, m.id, problem)
		return
	}
	code := loci.CodeOf(err)
	if code == "" {
		e.options.Log.ErrorContext(r.Context(), "mcp request failed", "doing", "authorize", "error", err)
	}
	if code == loci.Unauthenticated {
		problem := ""
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != "" {
			problem = `, error="invalid_token"`
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="loci"`+problem+e.options.Challenge(r, ""))
	}
	a := answers[code]
	rpc := a.rpc
	if rpc == jsonrpc.CodeInvalidParams {
		rpc = jsonrpc.CodeInvalidRequest // no params have been read yet
	}
	writeError(w, a.http, m.id, &jsonrpc.Error{Code: rpc, Message: loci.SafeText(err)})
}

// refuseScope tells a client that its token lacks a scope, so that it can ask
// its person for that scope (RFC 6750, section 3.1).
func (e *endpoint) refuseScope(w http.ResponseWriter, r *http.Request, m message, scope string) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="loci", error="insufficient_scope"`+e.options.Challenge(r, scope))
	writeError(w, http.StatusForbidden, m.id, &jsonrpc.Error{Code: codeServer,
		Message: "the person has not granted the scope that this call requires: " + scope})
}

// writeError writes a JSON-RPC error. A nil id is written as null.
func writeError(w http.ResponseWriter, status int, id json.RawMessage, err *jsonrpc.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(encodeError(id, err)) // a client that is gone needs no answer
}

// maxEchoedID is the longest id that an error repeats.
const maxEchoedID = 256

// encodeError writes an unknown id as null, as JSON-RPC requires. The SDK would leave it out.
func encodeError(id json.RawMessage, err *jsonrpc.Error) []byte {
	if len(id) > maxEchoedID {
		id = nil
	}
	body, _ := encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, err}) // encoding these types cannot fail
	return body
}

// reply stands between the SDK and the client. It turns errors that the SDK writes as plain text
// into JSON-RPC, and an event stream that has nothing but answers into plain JSON. The id that the
// SDK gives a session becomes the id of the connection.
type reply struct {
	http.ResponseWriter
	message message
	asked   bool       // the request is a POST, so its stream ends with the last answer
	only    string     // the one type that the client accepts; "": both
	mu      sync.Mutex // taken while the SDK or keepAlive writes
	begun   bool
	ended   bool // the SDK writes no more
	failed  int  // the status of a plain-text error; 0: none
	text    bytes.Buffer

	held      [][]byte    // answers of an event stream that has nothing else yet
	cancelled atomic.Bool // the client wants no answer any more

	announce func(sdk string) string // returns the connection's id for the SDK's; nil: no new session
}

// heartbeat is how long an event stream is silent at most. Proxies and clients end idle ones.
const heartbeat = 25 * time.Second

// keepAlive sends a comment on an event stream every heartbeat, until stop is called.
func (r *reply) keepAlive() (stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var beat *time.Timer
	beat = time.AfterFunc(heartbeat, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.ended {
			return
		}
		if r.begun && strings.HasPrefix(r.Header().Get("Content-Type"), streamType) {
			control := http.NewResponseController(r.ResponseWriter)
			_ = control.SetWriteDeadline(time.Now().Add(2 * heartbeat)) // instead of that of an answer
			_, _ = io.WriteString(r.ResponseWriter, ": still here\n\n")
			_ = control.Flush() // if the client is gone, the request ends
		}
		beat.Reset(heartbeat)
	})
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ended = true
		beat.Stop()
	}
}

// WriteHeader begins the answer, unless it is a plain-text error.
func (r *reply) WriteHeader(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begin(status)
}

func (r *reply) begin(status int) {
	if r.begun || r.failed != 0 {
		return
	}
	if status >= http.StatusBadRequest && strings.HasPrefix(r.Header().Get("Content-Type"), "text/plain") {
		r.failed = status
		return
	}
	r.begun = true
	if id := r.Header().Get(sessionHeader); id != "" {
		if r.announce != nil && status < http.StatusBadRequest {
			r.Header().Set(sessionHeader, r.announce(id))
		} else {
			r.Header().Del(sessionHeader)
		}
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the answer. The SDK writes each event at once.
func (r *reply) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed != 0 {
		return r.text.Write(b)
	}
	if r.asked && strings.HasPrefix(r.Header().Get("Content-Type"), streamType) {
		return r.event(b)
	}
	r.begin(http.StatusOK)
	if own := r.reword(b); own != nil {
		_, err := r.ResponseWriter.Write(own)
		return len(b), err
	}
	return r.ResponseWriter.Write(b)
}

// event writes an event of a stream, or holds it back: an answer may be all that comes.
func (r *reply) event(b []byte) (int, error) {
	if data, ok := answerIn(b, len(r.message.id)); ok {
		if r.cancelled.Load() {
			return len(b), nil
		}
		if !r.begun {
			r.held = append(r.held, bytes.Clone(data))
			return len(b), nil
		}
	} else if r.only == jsonType {
		return len(b), nil // JSON has no place for anything but answers
	}
	r.begin(http.StatusOK)
	for _, held := range r.held {
		if _, err := r.ResponseWriter.Write(asEvent(held)); err != nil {
			return 0, err
		}
	}
	r.held = nil
	return r.ResponseWriter.Write(b)
}

func asEvent(data []byte) []byte { return fmt.Appendf(nil, "event: message\ndata: %s\n\n", data) }

// answerIn returns the JSON-RPC message of an event, if it is an answer. The SDK writes the members
// of a message in a fixed order: the id, then either a method, or the result or error.
func answerIn(event []byte, idSize int) (data []byte, ok bool) {
	_, data, ok = bytes.Cut(event, []byte("data: "))
	if !ok {
		return nil, false
	}
	data = bytes.TrimRight(data, "\n")
	start := startOf(data, idSize)
	return data, !bytes.Contains(start, []byte(`"method":`)) &&
		(bytes.Contains(start, []byte(`"result":`)) || isError(data, idSize))
}

// startOf returns the part of a message in which the id and the name of the next member are.
func startOf(data []byte, idSize int) []byte {
	const room = 64
	return data[:min(len(data), idSize+room)]
}

func isError(data []byte, idSize int) bool {
	return bytes.Contains(startOf(data, idSize), []byte(`"error":`))
}

// reword returns an error of the SDK in our own words, or nil if b is not an error. The SDK
// writes the error right after the id.
func (r *reply) reword(b []byte) []byte {
	if !isError(b, len(r.message.id)) || !strings.HasPrefix(r.Header().Get("Content-Type"), jsonType) {
		return nil
	}
	var m struct {
		ID    json.RawMessage
		Error *jsonrpc.Error
	}
	if json.Unmarshal(b, &m) != nil || m.Error == nil {
		return nil
	}
	if m.ID == nil && r.message.batch == nil {
		m.ID = r.message.id
	}
	return encodeError(m.ID, tidy(m.Error))
}

// Flush sends what has been written. Event streams need it.
func (r *reply) Flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == 0 && !(r.asked && !r.begun) {
		r.begin(http.StatusOK)
		_ = http.NewResponseController(r.ResponseWriter).Flush() // without it the answer only arrives later
	}
}

// Unwrap lets http.ResponseController reach deadlines.
func (r *reply) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// finish writes what was held back, if anything.
func (r *reply) finish() {
	unknown := r.failed == http.StatusBadRequest && strings.HasPrefix(r.text.String(), unknownMethod)
	switch {
	case unknown && r.message.id == nil && r.message.method != "": // a notification, which a server may ignore
		r.Header().Del("Content-Type")
		r.ResponseWriter.WriteHeader(http.StatusAccepted)
	case r.failed != 0:
		r.Header().Del("X-Content-Type-Options")
		writeError(r.ResponseWriter, r.failed, r.message.id, r.problem())
	case len(r.held) > 0:
		if r.announce != nil && isError(r.held[0], len(r.message.id)) {
			r.announce = nil // the SDK has ended the session
		}
		r.Header().Set("Content-Type", jsonType)
		r.Header().Del("Connection")
		text := r.answers()
		if r.only == streamType {
			r.Header().Set("Content-Type", streamType)
			text = asEvent(text)
		}
		r.begin(http.StatusOK)
		_, _ = r.ResponseWriter.Write(text) // a client that is gone needs no answer
	case r.cancelled.Load() && !r.begun: // an event stream that ends without an event
		r.begin(http.StatusOK)
	}
}

// answers returns the answers that were held back as one JSON text.
func (r *reply) answers() []byte {
	for i, one := range r.held {
		if own := r.reword(one); own != nil {
			r.held[i] = own
		}
	}
	if r.message.batch == nil {
		return r.held[0]
	}
	return slices.Concat([]byte("["), bytes.Join(r.held, []byte(",")), []byte("]"))
}

// problem returns the SDK's plain text as a JSON-RPC error.
func (r *reply) problem() *jsonrpc.Error {
	text := strings.TrimSpace(r.text.String())
	switch {
	case r.failed >= http.StatusInternalServerError:
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
	case r.failed == http.StatusNotFound:
		return errNoConnection
	default:
		return tidy(&jsonrpc.Error{Message: text})
	}
}

var errPanic = errors.New("a handler panicked")

// codeServer is for errors that JSON-RPC has no code for; the text says what to
// do. codeNoConnection is the code that SDKs use for an unknown session.
const (
	codeServer       = -32000
	codeNoConnection = -32001
)

// answer is the form of an error with a code, outside a tool's result.
type answer struct {
	rpc  int64 // JSON-RPC error code
	http int   // status, before the SDK has the request
}

// answers is this surface's one table of errors. "" is the entry for errors without a code.
var answers = map[loci.Code]answer{
	"":                   {jsonrpc.CodeInternalError, http.StatusInternalServerError},
	loci.Invalid:         {jsonrpc.CodeInvalidParams, http.StatusBadRequest},
	loci.Unauthenticated: {codeServer, http.StatusUnauthorized},
	loci.Forbidden:       {codeServer, http.StatusForbidden},
	loci.StepUp:          {codeServer, http.StatusForbidden},
	loci.NotFound:        {jsonrpc.CodeInvalidParams, http.StatusNotFound},
	loci.Conflict:        {codeServer, http.StatusConflict},
	loci.Precondition:    {codeServer, http.StatusPreconditionFailed},
	loci.TooLarge:        {jsonrpc.CodeInvalidRequest, http.StatusRequestEntityTooLarge},
	loci.RateLimited:     {codeServer, http.StatusTooManyRequests},
	loci.Full:            {codeServer, http.StatusInsufficientStorage},
	loci.Unavailable:     {codeServer, http.StatusServiceUnavailable},
	loci.Upstream:        {codeServer, http.StatusBadGateway},
}

// safe returns the text of err that is safe to show, and logs internal errors.
func (s *Server) safe(ctx context.Context, doing string, err error) string {
	if loci.CodeOf(err) == "" && !errors.Is(err, context.Canceled) {
		s.options.Log.ErrorContext(ctx, "mcp request failed", "doing", doing, "error", err)
	}
	return loci.SafeText(err)
}

// rpcError returns err as a JSON-RPC error, for prompts and resources.
func (s *Server) rpcError(ctx context.Context, doing string, err error) error {
	return &jsonrpc.Error{Code: answers[loci.CodeOf(err)].rpc, Message: s.safe(ctx, doing, err)}
}

// toolError returns err as the result of a tool, which the model can read and act on.
func (s *Server) toolError(ctx context.Context, tool string, err error) *mcp.CallToolResult {
	text := &mcp.TextContent{Text: s.safe(ctx, tool, err)}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{text}}
}

// unknownMethod begins the SDK's error about an unknown method.
const unknownMethod = "JSON RPC not handled: "

// These are the lengths of the longest text and data that an error of the SDK may have. Longer
// ones repeat what the client sent.
const (
	maxErrorText = 300
	maxRepeated  = 100
	maxErrorData = 1000
)

// tidy returns an error of the SDK with a code, without Go's types, and with at
// most a little of what the client sent.
func tidy(err *jsonrpc.Error) *jsonrpc.Error {
	out := &jsonrpc.Error{Code: err.Code, Message: err.Message, Data: err.Data}
	if name, ok := strings.CutPrefix(out.Message, unknownMethod); ok {
		out.Code, out.Message = jsonrpc.CodeMethodNotFound, "unknown method "+strings.TrimSuffix(name, " unsupported")
	}
	out.Code = cmp.Or(out.Code, jsonrpc.CodeInvalidRequest)
	switch {
	case strings.Contains(out.Message, "unmarshaling"):
		out.Message = "invalid params: this method takes params of another form"
	case len(out.Message) > maxErrorText:
		out.Message = loci.Shorten(out.Message, maxRepeated)
	}
	if len(out.Data) > maxErrorData || !json.Valid(out.Data) {
		out.Data = nil // the SDK quotes addresses as Go does, which is not always JSON
	}
	return out
}
