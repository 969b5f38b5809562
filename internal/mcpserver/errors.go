package mcpserver

import (
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

// codeServer is for errors of which JSON-RPC has no name; what to do is in the
// text. codeNoConnection is what SDKs use for an unknown session.
const (
	codeServer       = -32000
	codeNoConnection = -32001
)

// answer is how an error of a code looks outside of a tool's result.
type answer struct {
	rpc  int64 // JSON-RPC error code
	http int   // status, if no JSON-RPC exchange has begun
}

// answers is the one table of this surface. An error without a code is the
// entry of "".
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

// safe returns the text of err that may be shown, and logs what may not.
func (s *Server) safe(ctx context.Context, doing string, err error) string {
	if loci.CodeOf(err) == "" && !errors.Is(err, context.Canceled) {
		s.log.ErrorContext(ctx, "mcp request failed", "doing", doing, "error", err)
	}
	return loci.SafeText(err)
}

// rpcError is err as a JSON-RPC error, for prompts and resources.
func (s *Server) rpcError(ctx context.Context, doing string, err error) error {
	return &jsonrpc.Error{Code: answers[loci.CodeOf(err)].rpc, Message: s.safe(ctx, doing, err)}
}

// toolError is err as the result of a tool, which the model can read and act
// on.
func (s *Server) toolError(ctx context.Context, tool string, err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: s.safe(ctx, tool, err)}}}
}

// unknownMethod begins the SDK's text for a method that it does not know.
const unknownMethod = "JSON RPC not handled: "

// The longest text and data that an error of the SDK may have. Its own texts
// are shorter; longer ones repeat what was sent.
const (
	maxErrorText = 300
	maxRepeated  = 100
	maxErrorData = 1000
)

// tidy returns an error of the SDK without Go's types in it, without much of
// what was sent, and with a code.
func tidy(err *jsonrpc.Error) *jsonrpc.Error {
	out := &jsonrpc.Error{Code: err.Code, Message: err.Message, Data: err.Data}
	if name, ok := strings.CutPrefix(out.Message, unknownMethod); ok {
		out.Code, out.Message = jsonrpc.CodeMethodNotFound, "unknown method "+strings.TrimSuffix(name, " unsupported")
	}
	if out.Code == 0 {
		out.Code = jsonrpc.CodeInvalidRequest
	}
	switch {
	case strings.Contains(out.Message, "unmarshaling"):
		out.Message = "invalid params: they have another form than this method takes"
	case len(out.Message) > maxErrorText:
		out.Message = strings.ToValidUTF8(out.Message[:maxRepeated], "") + "…"
	}
	if len(out.Data) > maxErrorData || !json.Valid(out.Data) {
		out.Data = nil // the SDK quotes addresses in Go's way, which is not always JSON
	}
	return out
}
