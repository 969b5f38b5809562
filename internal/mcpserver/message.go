package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
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
	version string // of params._meta
	params  json.RawMessage
	decoded jsonrpc.Message // by the SDK; nil: of a batch, or refused
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

// parseMessage checks what encoding/json and the SDK would let pass, change,
// or refuse in words that repeat the input. The message that it returns with an
// error has the id to answer to, if there is one. A batch has neither id nor
// method.
func parseMessage(body []byte) (message, *jsonrpc.Error) {
	switch {
	case !utf8.Valid(body):
		return message{}, parseError("UTF-8")
	case !json.Valid(body):
		return message{}, parseError("JSON")
	case !bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")):
		return parseOne(body)
	}
	var batch []json.RawMessage
	_ = json.Unmarshal(body, &batch) // it is valid JSON, and an array
	for _, one := range batch {
		m, problem := parseOne(one)
		if problem == nil {
			problem = m.checkParams(false)
		}
		if problem != nil {
			return message{}, problem
		}
	}
	return message{}, nil
}

func parseError(what string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "parse error: the message is not valid " + what}
}

// errNoRequest is for what is JSON, but not JSON-RPC as MCP has it.
var errNoRequest = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: `invalid request: not a JSON-RPC 2.0 message; it needs "jsonrpc": "2.0", a "method", and an "id" that is a string or a whole number`}

// parseOne looks at members by their exact names; structs of encoding/json
// would take other spellings too.
func parseOne(body []byte) (message, *jsonrpc.Error) {
	var members map[string]json.RawMessage
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
	_, hasResult := members["result"]
	_, hasError := members["error"]
	if !usable || string(members["jsonrpc"]) != `"2.0"` || !isRequest && (id == nil || !hasResult && !hasError) ||
		isRequest && json.Unmarshal(method, &m.method) != nil || string(method) == "null" {
		return message{id: m.id}, errNoRequest
	}
	decoded, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return message{id: m.id}, errNoRequest
	}
	if err := checkBody(body, m.method, members["params"]); err != nil {
		return message{id: m.id}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: " + strings.Replace(loci.SafeText(err), "the body", "the message", 1)}
	}
	if !isRequest {
		return message{decoded: decoded}, nil
	}
	m.params, m.decoded = members["params"], decoded
	var params struct {
		Meta map[string]any `json:"_meta"`
	}
	if json.Unmarshal(m.params, &params) == nil {
		m.version, _ = params.Meta[mcp.MetaKeyProtocolVersion].(string)
	}
	return m, nil
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

// checkBody is loci.CheckJSON, but leaves a tool's arguments to decodeArgs: its
// errors reach the model, which can mend them.
func checkBody(body []byte, method string, params json.RawMessage) error {
	err := loci.CheckJSON(body)
	if err == nil || method != "tools/call" {
		return err
	}
	var call map[string]json.RawMessage
	if json.Unmarshal(params, &call) != nil || call["arguments"] == nil {
		return err
	}
	return loci.CheckJSON(bytes.Replace(body, call["arguments"], []byte("null"), 1))
}

// paramsOf are the SDK's types of parameters. It names them, and repeats the
// value, when it refuses one.
var paramsOf = map[string]func() any{
	"initialize":               func() any { return new(mcp.InitializeParams) },
	"ping":                     func() any { return new(mcp.PingParams) },
	"completion/complete":      func() any { return new(mcp.CompleteParams) },
	"logging/setLevel":         func() any { return new(levelParams) },
	"prompts/get":              func() any { return new(mcp.GetPromptParams) },
	"prompts/list":             func() any { return new(mcp.ListPromptsParams) },
	"resources/list":           func() any { return new(mcp.ListResourcesParams) },
	"resources/read":           func() any { return new(mcp.ReadResourceParams) },
	"resources/subscribe":      func() any { return new(mcp.SubscribeParams) },
	"resources/unsubscribe":    func() any { return new(mcp.UnsubscribeParams) },
	"resources/templates/list": func() any { return new(mcp.ListResourceTemplatesParams) },
	"tools/call":               func() any { return new(mcp.CallToolParamsRaw) },
	"tools/list":               func() any { return new(mcp.ListToolsParams) },
}

type levelParams struct {
	Level string `json:"level"`
}

var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// onlyWithSessions are methods that the version without sessions has dropped:
// there they are unknown, whatever their parameters.
var onlyWithSessions = []string{"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}

// checkParams refuses parameters of another form than the method of a call
// takes. What is missing altogether the SDK says itself.
func (m message) checkParams(stateless bool) *jsonrpc.Error {
	raw, method := m.params, m.method
	if m.id == nil || len(raw) == 0 || string(raw) == "null" || stateless && slices.Contains(onlyWithSessions, method) {
		return nil
	}
	if raw[0] != '{' {
		return invalidParams("params must be an object")
	}
	into, known := paramsOf[method]
	if !known {
		return nil
	}
	params := into()
	err := json.Unmarshal(raw, params)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field == "arguments" && wrong.Type.Kind() == reflect.String: // of a prompt
		return invalidParams("params.arguments must be an object of strings")
	case errors.As(err, &wrong) && wrong.Field != "" && len(wrong.Field) <= 100:
		return invalidParams("params.%s must be %s", wrong.Field, kindOf(wrong.Type))
	case err != nil:
		return invalidParams("the params have another form than %s takes", method)
	}
	if p, ok := params.(*levelParams); ok && !slices.Contains(levels, p.Level) {
		return invalidParams("params.level must be one of %s", strings.Join(levels, ", "))
	}
	return nil
}

func invalidParams(format string, args ...any) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: " + fmt.Sprintf(format, args...)}
}

// kindOf says in JSON's words what a value must be.
func kindOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[*count](), t == reflect.TypeFor[*seconds]():
		return "a whole number"
	case t == reflect.TypeFor[[]string](), t == reflect.TypeFor[[]loci.Vendor]():
		return "an array of strings"
	case isItems(t):
		return "an array of objects"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Struct, reflect.Map:
		return "an object"
	default:
		return "a number"
	}
}

// isStateless reports whether the request follows the version without
// sessions: it says so in a header, in its metadata, or by a method that only
// that version has. Versions are dates, so they compare as text.
func (m message) isStateless(r *http.Request) bool {
	return r.Header.Get(versionHeader) >= statelessVersion || m.version >= statelessVersion || m.method == "server/discover"
}
