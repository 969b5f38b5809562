package mcpserver

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/loci-memory/loci"
)

// refuse answers a request that does not reach the SDK.
func (e *endpoint) refuse(w http.ResponseWriter, r *http.Request, m message, err error) {
	var problem *jsonrpc.Error
	if errors.As(err, &problem) {
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
		rpc = jsonrpc.CodeInvalidRequest // no parameter has been looked at
	}
	writeError(w, a.http, m.id, &jsonrpc.Error{Code: rpc, Message: loci.SafeText(err)})
}

// refuseScope tells a client that its token may not do that, in the way in
// which it can ask its person for more (RFC 6750, section 3.1).
func (e *endpoint) refuseScope(w http.ResponseWriter, r *http.Request, m message, scope string) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="loci", error="insufficient_scope"`+e.options.Challenge(r, scope))
	writeError(w, http.StatusForbidden, m.id, &jsonrpc.Error{Code: codeServer,
		Message: "the person did not allow that: it needs the scope " + scope})
}

// writeError writes a JSON-RPC error. An id of nil is null.
func writeError(w http.ResponseWriter, status int, id json.RawMessage, err *jsonrpc.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(encodeError(id, err)) // a client that has gone needs no answer
}

// maxEchoedID is the longest id that an error repeats.
const maxEchoedID = 256

// encodeError writes null where the SDK would leave an unknown id out, as
// JSON-RPC demands.
func encodeError(id json.RawMessage, err *jsonrpc.Error) []byte {
	if len(id) > maxEchoedID {
		id = nil
	}
	body, _ := encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, err}) // of these types, nothing can fail
	return body
}

// reply stands between the SDK and the client: it makes JSON-RPC of errors
// that the SDK writes as plain text, and seals the id of a new connection.
type reply struct {
	http.ResponseWriter
	message message
	seal    func(string) string
	begun   bool
	failed  int // the status of an error in plain text
	text    bytes.Buffer

	reserved bool         // a connection may be opened, and has not been
	opened   func(string) // called with the SDK's id when it is
}

// WriteHeader begins the answer, unless it is an error in plain text.
func (r *reply) WriteHeader(status int) {
	if r.begun || r.failed != 0 {
		return
	}
	if status >= http.StatusBadRequest && strings.HasPrefix(r.Header().Get("Content-Type"), "text/plain") {
		r.failed = status
		return
	}
	r.begun = true
	if id := r.Header().Get(sessionHeader); id != "" {
		if r.reserved && status < http.StatusBadRequest {
			r.reserved = false
			r.opened(id)
		}
		r.Header().Set(sessionHeader, r.seal(id))
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the answer.
func (r *reply) Write(b []byte) (int, error) {
	if r.failed != 0 {
		return r.text.Write(b)
	}
	r.WriteHeader(http.StatusOK)
	if mended := r.mend(b); mended != nil {
		_, err := r.ResponseWriter.Write(mended)
		return len(b), err
	}
	return r.ResponseWriter.Write(b)
}

// mend returns an error that the SDK wrote in words of our own, or nil if b is
// something else. The SDK puts the error right behind the id.
func (r *reply) mend(b []byte) []byte {
	const room = 64
	if !bytes.Contains(b[:min(len(b), len(r.message.id)+room)], []byte(`"error":`)) || !strings.HasPrefix(r.Header().Get("Content-Type"), jsonType) {
		return nil
	}
	var m struct {
		ID    json.RawMessage
		Error *jsonrpc.Error
	}
	if json.Unmarshal(b, &m) != nil || m.Error == nil {
		return nil
	}
	if m.ID == nil {
		m.ID = r.message.id
	}
	return encodeError(m.ID, tidy(m.Error))
}

// Flush sends what has been written; event streams need it.
func (r *reply) Flush() {
	if r.failed == 0 {
		r.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(r.ResponseWriter).Flush() // without it the answer is only later
	}
}

// Unwrap lets http.ResponseController reach deadlines.
func (r *reply) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// finish writes the error that was held back, if there is one.
func (r *reply) finish() {
	if r.failed == 0 {
		return
	}
	r.Header().Del("X-Content-Type-Options")
	writeError(r.ResponseWriter, r.failed, r.message.id, r.problem())
}

// problem is the SDK's plain text as a JSON-RPC error.
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

// sealer binds the ids of connections to a principal without keeping a table: what the
// client gets is the SDK's id and a proof that only its principal can use. The
// key dies with the process, and so do the connections.
type sealer struct{ key []byte }

func newSealer() sealer {
	key := make([]byte, sha256.Size)
	if _, err := rand.Read(key); err != nil {
		panic(err) // the system has no randomness
	}
	return sealer{key}
}

func (s sealer) seal(id, subject string) string { return id + "." + s.proof(id, subject) }

// open returns the SDK's id. For anybody else's connection and for one that
// never was the answer is the same.
func (s sealer) open(sealed, subject string) (string, bool) {
	id, proof, ok := strings.Cut(sealed, ".")
	if !ok || !hmac.Equal([]byte(proof), []byte(s.proof(id, subject))) {
		return "", false
	}
	return id, true
}

func (s sealer) proof(id, subject string) string {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(id + "\n" + subject))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
