package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
)

// message is what has to be known of a JSON-RPC message to route it.
type message struct {
	id      json.RawMessage // as it was sent; nil: none
	method  string
	tool    string // of a call of one
	version string // of params._meta
	fault   error  // what is wrong with a tool's arguments, for its model to read
	batch   bool   // then nothing else is known
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

// parseMessage checks what encoding/json and the SDK would accept but change,
// or reject in words that repeat the input. The message that it returns with an
// error has the id to answer to, if there is one.
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
	return message{batch: true}, nil
}

func parseError(what string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "parse error: the message is not valid " + what}
}

// errNoRequest is for what is JSON, but not JSON-RPC as MCP has it.
var errNoRequest = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: `invalid request: not a JSON-RPC 2.0 message; it needs "jsonrpc": "2.0", a "method", and an "id" that is a string or a whole number`}

// invalidRequest is err, which loci.CheckJSON returned, about a message.
func invalidRequest(err error) *jsonrpc.Error {
	text := strings.Replace(loci.SafeText(err), "the body", "the message", 1)
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: " + text}
}

// parseOne looks at members by their exact names; structs of encoding/json
// would take other spellings too.
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
	_ = json.Unmarshal(members["params"], &params) // their form is for the SDK to check
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

// inArguments says what is wrong with a tool's arguments, in the form that
// their other errors have: the model can act on it.
func inArguments(raw json.RawMessage) error {
	about := func(err error) string { return strings.Replace(loci.SafeText(err), "the body", "it", 1) }
	var arguments map[string]json.RawMessage
	_ = json.Unmarshal(raw, &arguments)
	for name, value := range arguments {
		if err := loci.CheckJSON(value); err != nil && len(name) <= 40 {
			return loci.FieldErrorf(name, "cannot be taken: %s", about(err))
		}
	}
	return loci.Errorf(loci.Invalid, "the arguments cannot be taken: %s", about(loci.CheckJSON(raw)))
}

// usableID reports whether the SDK would answer to the id as it was sent: it
// keeps numbers as int64, after reading them as float64.
func usableID(id json.RawMessage) bool {
	if id[0] == '"' {
		return true
	}
	f, err := strconv.ParseFloat(string(id), 64)
	return err == nil && f == float64(int64(f)) && f >= -1<<53 && f <= 1<<53
}

// isStateless reports whether the request follows the version without
// sessions: it says so in a header, in its metadata, or by a method that only
// that version has. Versions are dates, so they compare as text.
func (m message) isStateless(r *http.Request) bool {
	return r.Header.Get(versionHeader) >= statelessVersion || m.version >= statelessVersion || m.method == "server/discover"
}
