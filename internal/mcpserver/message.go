package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
)

// message is what Loci must know about a JSON-RPC message to route it.
type message struct {
	id      json.RawMessage // as it was sent; nil: none
	method  string
	tool    string // the tool that it calls
	params  json.RawMessage
	cancels json.RawMessage   // the id of the call that it cancels
	version string            // of params._meta
	fault   error             // what CheckJSON rejects in a tool's arguments; the model must learn of it
	batch   []json.RawMessage // the messages of a batch; then the other fields are zero
}

// readMessage reads the body and puts it back for the SDK.
func readMessage(w http.ResponseWriter, r *http.Request) (message, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return message{}, errTooLarge
		}
		return message{}, loci.WrapError(loci.Invalid, err, "cannot read the body; send the request again")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	m, problem := parseMessage(body)
	if problem != nil {
		return m, problem
	}
	return m, nil
}

var errTooLarge = loci.Errorf(loci.TooLarge,
	"the message is larger than %d bytes; split it, for example into several shorter memories", maxMessage)

// maxID is how long an id may be that idAtBeginning returns, in bytes.
const maxID = 256

// idAtBeginning returns the id of a request of which only the beginning was read, or nil if it is not there.
// Without it, a client waits for the answer for ever.
func idAtBeginning(text []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(text))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil
	}
	for {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return nil
		}
		if name == "id" && len(value) <= maxID && usableID(value) {
			return value
		}
	}
}

// parseMessage rejects what encoding/json and the SDK would accept but change, or reject with an error that repeats
// the input. With an error it returns a message with the id to answer, if there is one.
func parseMessage(body []byte) (message, *jsonrpc.Error) {
	var batch []json.RawMessage
	err := json.Unmarshal(body, &batch)
	var syntax *json.SyntaxError
	switch {
	case !utf8.Valid(body):
		return message{}, parseError("UTF-8")
	case errors.As(err, &syntax):
		return message{}, parseError("JSON")
	case batch == nil:
		return parseOne(body)
	}
	for _, one := range batch {
		m, problem := parseOne(one)
		if problem == nil && m.fault != nil {
			problem = invalidRequest(m.fault)
		}
		if problem != nil {
			return message{}, problem
		}
	}
	if len(batch) == 0 {
		return message{}, badRequest("a batch needs at least one message")
	}
	return message{batch: batch}, nil
}

func parseError(what string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "parse error: the message is not valid " + what}
}

// errNoRequest rejects JSON that is not a JSON-RPC message of MCP.
var errNoRequest = badRequest(`not a JSON-RPC 2.0 message; ` +
	`it needs "jsonrpc": "2.0", a "method", and an "id" that is a string or a whole number`)

func badRequest(text string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: " + text}
}

// invalidRequest returns an error of loci.CheckJSON about a message.
func invalidRequest(err error) *jsonrpc.Error {
	return badRequest(strings.Replace(loci.SafeText(err), "the body", "the message", 1))
}

// parseOne reads members by their exact names. Structs of encoding/json would accept other spellings too.
func parseOne(body []byte) (message, *jsonrpc.Error) {
	var members, params, meta map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members == nil {
		return message{}, errNoRequest
	}
	var m message
	id, usable := members["id"], true
	if id != nil {
		usable = usableID(id)
		if usable || len(id) <= 40 && (id[0] == '-' || id[0] >= '0' && id[0] <= '9') {
			m.id = id
		}
	}
	method, isRequest := members["method"]
	isAnswer := id != nil && (members["result"] != nil || members["error"] != nil)
	if !usable || string(members["jsonrpc"]) != `"2.0"` || !isRequest && !isAnswer ||
		isRequest && json.Unmarshal(method, &m.method) != nil || string(method) == "null" {
		return message{id: m.id}, errNoRequest
	}
	_ = json.Unmarshal(members["params"], &params) // the SDK checks their form
	m.params = members["params"]
	if m.method == "notifications/cancelled" {
		m.cancels = params["requestId"]
	}
	if err := loci.CheckJSON(body); err != nil {
		arguments := params["arguments"]
		if m.method != callTool || loci.CheckJSON(arguments) == nil ||
			loci.CheckJSON(bytes.Replace(body, arguments, []byte("null"), 1)) != nil {
			return message{id: m.id}, invalidRequest(err)
		}
		m.fault = inArguments(arguments)
	}
	if !isRequest {
		return message{}, nil
	}
	if m.method == callTool {
		_ = json.Unmarshal(params["name"], &m.tool)
	}
	_ = json.Unmarshal(params["_meta"], &meta)
	_ = json.Unmarshal(meta[mcp.MetaKeyProtocolVersion], &m.version)
	return m, nil
}

const callTool = "tools/call"

// inArguments returns the error of loci.CheckJSON about a tool's arguments. It
// names the argument, as their other errors do, so that a model can correct it.
func inArguments(raw json.RawMessage) error {
	about := func(err error) string { return strings.Replace(loci.SafeText(err), "the body", "it", 1) }
	var arguments map[string]json.RawMessage
	_ = json.Unmarshal(raw, &arguments)
	for name, value := range arguments {
		if err := loci.CheckJSON(value); err != nil && len(name) <= 40 {
			return loci.FieldErrorf(name, "is rejected: %s", about(err))
		}
	}
	return loci.Errorf(loci.Invalid, "the arguments are rejected: %s", about(loci.CheckJSON(raw)))
}

// usableID reports whether the SDK would repeat the id as the client sent it. The
// SDK reads numbers as float64 and keeps them as int64.
func usableID(id json.RawMessage) bool {
	if id[0] == '"' {
		return true
	}
	if n, err := strconv.ParseInt(string(id), 10, 64); err == nil {
		return -1<<53 <= n && n <= 1<<53
	}
	f, err := strconv.ParseFloat(string(id), 64)
	return err == nil && f == float64(int64(f)) && -1<<53 < f && f < 1<<53
}

// isStateless reports whether the request uses the version without connections. Such a request has the version in a
// header or in its metadata, or has a method that only that version has. Versions are dates, so they compare as text.
func (m message) isStateless(r *http.Request) bool {
	version := max(r.Header.Get(versionHeader), m.version)
	return version >= statelessVersion || m.method == "server/discover"
}

// noBatches is the first version that forbids batches.
const noBatches = "2025-06-18"

// batch collects the answers to the messages of one batch, which are sent together.
type batch struct {
	mu      sync.Mutex
	left    int // calls without an answer
	answers [][]byte
}

// unpack queues the messages of a batch. It rejects a batch in a version that forbids batches.
func (l *lines) unpack(messages []json.RawMessage) *jsonrpc.Error {
	l.mu.Lock()
	version := l.version
	l.mu.Unlock()
	if version == "" || version >= noBatches {
		return badRequest("batches are only supported before version " + noBatches + "; send one message per line")
	}
	in := new(batch)
	for _, text := range messages {
		if m, err := parseOne(text); err != nil || m.id != nil && m.method != "" {
			in.left++ // an error is an answer, too
		}
		l.rest = append(l.rest, line{text: text, batch: in})
	}
	return nil
}

func (l *lines) noteVersion(answer *jsonrpc.Response) {
	var result struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.version == "" && json.Unmarshal(answer.Result, &result) == nil {
		l.version = result.ProtocolVersion
	}
}

// answer writes an answer, or keeps it until its whole batch has been answered. A cancelled call has
// the answer nil, which is not sent.
func (l *lines) answer(in *batch, text []byte) error {
	if in != nil {
		in.mu.Lock()
		defer in.mu.Unlock()
		if text != nil {
			in.answers = append(in.answers, text)
		}
		if in.left--; in.left > 0 || len(in.answers) == 0 {
			return nil
		}
		text = slices.Concat([]byte("["), bytes.Join(in.answers, []byte(",")), []byte("]"))
	}
	if text == nil {
		return nil
	}
	return l.write(text)
}
