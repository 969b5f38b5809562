package mcpserver

import (
	"context"
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
)

var errPanic = errors.New("a handler panicked")

// codeServer is for errors of which JSON-RPC has no name; what to do is in the
// text. codeNoSession is what SDKs use for an unknown session.
const (
	codeServer    = -32000
	codeNoSession = -32001
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
