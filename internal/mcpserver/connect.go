package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/loci-memory/loci"
)

// A connection is what the client told when it opened it, stored under the hash of its id, and in
// each process that serves it a session of the SDK. The SDK's sessions come and go: Loci ends idle
// ones and opens one again when a request needs it. The stored state decides who may use the
// connection and whether it has ended, also for other processes.

type stored struct {
	Initialize json.RawMessage `json:"initialize"` // the params that open a session of the SDK
	Offer      string          `json:"offer,omitempty"`
}

// maxOpening is the largest stored params of initialize, in bytes.
const maxOpening = 16 << 10

const (
	initialize = "initialize"
	streamType = "text/event-stream"

	// orStateless adds the other way out to an error about connections.
	orStateless = "use protocol version " + statelessVersion + ", which has no connections"
)

var (
	errNoConnection = &jsonrpc.Error{Code: codeNoConnection,
		Message: "connection not found: it ended, was unused for too long or belongs to another credential; " +
			"send initialize to open a new one"}
	errNotConnected = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
		Message: "not connected: send initialize first, then send the Mcp-Session-Id of its answer with every request; " +
			"or " + orStateless}
	errNotConnectedHere = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, // over stdio, where no id is sent
		Message: "not connected: send initialize first; or " + orStateless}
)

// serveConnection answers a request of a version with connections.
func (e *endpoint) serveConnection(out *reply, r *http.Request, m message, c caller) {
	if m.method == initialize { // clients send it with the id of a connection that has ended
		r.Header.Del(sessionHeader)
	}
	id := r.Header.Get(sessionHeader)
	switch {
	case id != "":
		e.proceed(out, r, m, c, id)
	case r.Method != http.MethodPost: // the SDK rejects it
		e.serve(e.stateful, out, r, tokenInfo(c))
	case m.method != initialize:
		writeError(out.ResponseWriter, http.StatusBadRequest, m.id, errNotConnected)
	default:
		e.open(out, r, m, c)
	}
}

// open stores a new connection before its client learns the id.
func (e *endpoint) open(out *reply, r *http.Request, m message, c caller) {
	subject := c.principal.Subject()
	if !e.reserve(out, r, m, subject) {
		return
	}
	id, opened := rand.Text(), false
	defer func() { // also if the SDK panics
		if opened {
			e.table.done(subject, id)
		} else {
			e.table.cancel(subject)
		}
	}()
	state, err := openingState(m, choiceOf(r).Offer)
	if err == nil {
		err = e.options.Connections.OpenConnection(r.Context(), c.principal, connectionKey(id), state)
	}
	if err != nil {
		e.refuse(out.ResponseWriter, r, m, err)
		return
	}
	defer func() {
		if !opened {
			e.forget(r.Context(), id)
		}
	}()
	out.announce = func(sdk string) string {
		e.table.add(subject, id, sdk)
		opened = true
		return id
	}
	c.connection = connectionKey(id)
	e.serve(e.stateful, out, r, tokenInfo(c))
}

// openingState returns what must be stored of a request to initialize.
func openingState(m message, offer string) ([]byte, error) {
	var params struct {
		Version      json.RawMessage `json:"protocolVersion,omitempty"`
		Capabilities json.RawMessage `json:"capabilities,omitempty"`
		Client       json.RawMessage `json:"clientInfo,omitempty"`
	}
	_ = json.Unmarshal(m.params, &params) // the SDK checks their form
	opening, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	if len(opening) > maxOpening {
		return nil, loci.Errorf(loci.TooLarge, "the capabilities and clientInfo are larger than %d bytes", maxOpening)
	}
	return json.Marshal(stored{Initialize: opening, Offer: offer})
}

// proceed answers a request in a connection that has been opened, by this process or another.
func (e *endpoint) proceed(out *reply, r *http.Request, m message, c caller, id string) {
	subject := c.principal.Subject()
	state, err := e.options.Connections.ContinueConnection(r.Context(), c.principal, connectionKey(id))
	if loci.CodeOf(err) == loci.NotFound {
		writeError(out.ResponseWriter, http.StatusNotFound, m.id, errNoConnection)
		return
	}
	if err != nil {
		e.refuse(out.ResponseWriter, r, m, err)
		return
	}
	if r.Method == http.MethodDelete {
		e.disconnect(out, r, m, c, id)
		return
	}
	sdk, ok := e.session(out, r, m, subject, id, state)
	if !ok {
		return
	}
	defer e.table.done(subject, id)
	r.Header.Set(sessionHeader, sdk)
	c.connection = connectionKey(id)
	defer e.track(out, id, m)()
	e.serve(e.stateful, out, r, tokenInfo(c))
	if out.failed == http.StatusNotFound { // the SDK has ended it; the next request opens another
		e.table.take(subject, id)
	}
}

type runningKey struct{ connection, request string }

// track lets a later request cancel this one, or cancels another one if that is what m is for. The
// caller must call the returned function at the end.
func (e *endpoint) track(out *reply, id string, m message) func() {
	if m.cancels != nil {
		if call, ok := e.running.Load(runningKey{id, string(m.cancels)}); ok {
			call.(*atomic.Bool).Store(true)
		}
	}
	if m.id == nil || m.method == "" {
		return func() {}
	}
	key := runningKey{id, string(m.id)}
	if _, taken := e.running.LoadOrStore(key, &out.cancelled); taken {
		return func() {} // the SDK rejects the second one
	}
	return func() { e.running.Delete(key) }
}

// session returns the SDK's session of a connection, and opens one if this process has none. If it
// returns false, it has written an error. Otherwise the caller must call done.
func (e *endpoint) session(out *reply, r *http.Request, m message, subject, id string, state []byte) (string, bool) {
	if sdk, ok := e.table.begin(subject, id); ok {
		return sdk, true
	}
	defer e.resuming.lock(id)()
	if sdk, ok := e.table.begin(subject, id); ok { // another request was faster
		return sdk, true
	}
	if !e.reserve(out, r, m, subject) {
		return "", false
	}
	sdk := ""
	defer func() { // also if the SDK panics
		if sdk == "" {
			e.table.cancel(subject)
		}
	}()
	sdk, err := e.resume(r.Context(), subject, state)
	if err != nil {
		e.refuse(out.ResponseWriter, r, m, err)
		return "", false
	}
	e.table.add(subject, id, sdk)
	return sdk, true
}

// reserve makes room in this process for a session. If it returns false, it has written an error.
// Otherwise the caller must call the table's add or cancel.
func (e *endpoint) reserve(out *reply, r *http.Request, m message, subject string) bool {
	evicted, err := e.table.reserve(subject)
	for _, one := range evicted {
		e.end(r.Context(), one)
	}
	if err != nil {
		e.refuse(out.ResponseWriter, r, m, err)
		return false
	}
	return true
}

// resume opens a session of the SDK as the client did when it connected.
func (e *endpoint) resume(ctx context.Context, subject string, state []byte) (string, error) {
	var s stored
	if err := json.Unmarshal(state, &s); err != nil {
		return "", err
	}
	ctx = context.WithValue(ctx, choiceKey{}, e.options.Offered(s.Offer))
	opening := append(append([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":`), s.Initialize...), '}')
	sdk := e.inner(ctx, http.MethodPost, subject, "", opening).Get(sessionHeader)
	if sdk == "" {
		return "", errors.New("the SDK does not resume a connection that it opened before")
	}
	e.inner(ctx, http.MethodPost, subject, sdk, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return sdk, nil
}

// inner sends a request of our own to the SDK and returns the header of the answer.
func (e *endpoint) inner(ctx context.Context, method, subject, sdk string, body []byte) http.Header {
	header := http.Header{"Content-Type": {jsonType}, "Accept": {jsonType, streamType}}
	if sdk != "" {
		header.Set(sessionHeader, sdk)
	}
	r := (&http.Request{Method: method, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body))}).WithContext(ctx)
	out := &reply{ResponseWriter: nowhere{header: http.Header{}}, announce: func(id string) string { return id }}
	e.serve(e.stateful, out, r, &sdkauth.TokenInfo{UserID: subject})
	return out.Header()
}

// disconnect ends a connection for all processes.
func (e *endpoint) disconnect(out *reply, r *http.Request, m message, c caller, id string) {
	ctx := context.WithoutCancel(r.Context())
	if err := e.options.Connections.EndConnection(ctx, connectionKey(id)); err != nil {
		e.refuse(out.ResponseWriter, r, m, err)
		return
	}
	if sdk, ok := e.table.take(c.principal.Subject(), id); ok {
		e.end(ctx, resident{c.principal.Subject(), sdk})
	}
	out.ResponseWriter.WriteHeader(http.StatusNoContent)
}

func (e *endpoint) end(ctx context.Context, one resident) {
	e.inner(context.WithoutCancel(ctx), http.MethodDelete, one.subject, one.sdk, nil)
}

// forget drops a connection that was stored but could not be opened.
func (e *endpoint) forget(ctx context.Context, id string) {
	if err := e.options.Connections.EndConnection(context.WithoutCancel(ctx), connectionKey(id)); err != nil {
		e.options.Log.WarnContext(ctx, "forgetting an MCP connection failed", "error", err)
	}
}

// nowhere discards an answer except its header.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header       { return n.header }
func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (nowhere) WriteHeader(int)             {}
