package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
)

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
		s.log.ErrorContext(ctx, "mcp request failed", "doing", doing, "error", err)
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
