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

// refuse answers a request that must not reach the SDK.
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

// encodeError writes an unknown id as null, as JSON-RPC requires. The SDK would
// leave it out.
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

// reply stands between the SDK and the client. It turns errors that the SDK writes
// as plain text into JSON-RPC, and seals the id of a new connection.
type reply struct {
	http.ResponseWriter
	message message
	seal    func(string) string
	begun   bool
	failed  int // the status of a plain-text error; 0: none
	text    bytes.Buffer

	reserved bool         // a connection may be opened, but has not been
	opened   func(string) // called with the SDK's id when one is
}

// WriteHeader begins the answer, unless it is a plain-text error.
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
	if own := r.reword(b); own != nil {
		_, err := r.ResponseWriter.Write(own)
		return len(b), err
	}
	return r.ResponseWriter.Write(b)
}

// reword returns an error of the SDK in our own words, or nil if b is not an error. The SDK
// writes the error right after the id.
func (r *reply) reword(b []byte) []byte {
	const room = 64
	start := b[:min(len(b), len(r.message.id)+room)]
	if !bytes.Contains(start, []byte(`"error":`)) || !strings.HasPrefix(r.Header().Get("Content-Type"), jsonType) {
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

// Flush sends what has been written. Event streams need it.
func (r *reply) Flush() {
	if r.failed == 0 {
		r.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(r.ResponseWriter).Flush() // without it the answer only arrives later
	}
}

// Unwrap lets http.ResponseController reach deadlines.
func (r *reply) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// finish writes the plain-text error that was held back, if any.
func (r *reply) finish() {
	if r.failed == 0 {
		return
	}
	r.Header().Del("X-Content-Type-Options")
	writeError(r.ResponseWriter, r.failed, r.message.id, r.problem())
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

// sealer binds the ids of connections to a principal without keeping a table. The
// client gets the SDK's id with a proof that only its principal can use. The key
// ends with the process, as the connections do.
type sealer struct{ key []byte }

func newSealer() sealer {
	key := make([]byte, sha256.Size)
	if _, err := rand.Read(key); err != nil {
		panic(err) // the system has no randomness
	}
	return sealer{key}
}

func (s sealer) seal(id, subject string) string { return id + "." + s.proof(id, subject) }

// open returns the SDK's id. It fails in the same way for another principal's
// connection and for one that never existed.
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
