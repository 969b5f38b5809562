package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
)

// addMemoryTools registers the nine memory tools.
func (s *Server) addMemoryTools(srv *mcp.Server) {
	s.addReadingTools(srv)
	s.addFindingTools(srv)
	s.addWritingTools(srv)
	s.addTeamTools(srv)
}

// use is what a tool does: one use case, for the principal of the call.
type use[In any] func(ctx context.Context, p loci.Principal, in In) (any, error)

// addTool registers a tool. In is a struct of its arguments; see decodeArgs.
func addTool[In any](s *Server, srv *mcp.Server, t *mcp.Tool, do use[In]) {
	addCall(s, srv, t, func(ctx context.Context, c caller, in In) (any, error) { return do(ctx, c.principal, in) })
}

// addCall is addTool for what depends on more of its caller than who that is.
func addCall[In any](s *Server, srv *mcp.Server, t *mcp.Tool, do func(context.Context, caller, In) (any, error)) {
	srv.AddTool(t, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in In
		if err := decodeArgs(req.Params.Arguments, &in); err != nil {
			return s.toolError(ctx, t.Name, err), nil
		}
		out, err := do(ctx, callerOf(req.Extra), in)
		if err != nil {
			return s.toolError(ctx, t.Name, err), nil
		}
		body, err := encode(out)
		if err != nil {
			return s.toolError(ctx, t.Name, err), nil
		}
		// The text is the same JSON, for clients that know only text.
		return &mcp.CallToolResult{StructuredContent: body, Content: []mcp.Content{&mcp.TextContent{Text: string(body)}}}, nil
	})
}

// encode writes JSON for a model to read: <, > and & stay as they are.
func encode(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// reads are the hints of a tool that only looks.
func reads() *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: new(bool), OpenWorldHint: new(bool)}
}

// adds are the hints of a tool that adds something and changes nothing.
func adds(idempotent bool) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{IdempotentHint: idempotent, DestructiveHint: new(bool), OpenWorldHint: new(bool)}
}

// sets are the hints of a tool that changes what can be changed back, and
// does no more if it is called again.
func sets() *mcp.ToolAnnotations { return adds(true) }

// removes are the hints of a tool that takes something away.
func removes() *mcp.ToolAnnotations {
	yes := true
	return &mcp.ToolAnnotations{IdempotentHint: true, DestructiveHint: &yes, OpenWorldHint: new(bool)}
}

// page is a list of memories, or of summaries.
type page[T any] struct {
	Memories          []T    `json:"memories"`
	Total             *int   `json:"total,omitempty"`
	TotalIsLowerBound bool   `json:"total_is_lower_bound,omitempty"`
	Partial           bool   `json:"partial,omitempty"` // a search: words that begin like the terms were taken
	HasMore           bool   `json:"has_more"`
	NextCursor        string `json:"next_cursor,omitempty"`
}

// memories are shown, and never null in JSON.
func memories(found []*loci.Memory) []*loci.Memory {
	out := make([]*loci.Memory, len(found))
	for i, m := range found {
		out[i] = shown(m)
	}
	return out
}

// shown is a copy of m without the ids of the person and the key that made the version: they cost a model tokens and tell it
// nothing that editor does not.
func shown(m *loci.Memory) *loci.Memory {
	c := *m
	c.EditorID, c.EditorCredentialID = loci.UserID{}, loci.CredentialID{}
	return &c
}

// shownOr is shown of what an app call answered.
func shownOr(m *loci.Memory, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return shown(m), nil
}
