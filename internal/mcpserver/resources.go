package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
)

const (
	briefingURI     = "loci://briefing"
	briefingJSONURI = "loci://briefing.json"
	memoryURI       = "loci://memory/"

	markdown = "text/markdown"
	jsonType = "application/json"
)

func (s *Server) addResources(srv *mcp.Server) {
	srv.AddResource(&mcp.Resource{
		URI: briefingURI, Name: "briefing", Title: "Memory briefing", MIMEType: markdown,
		Description: "The titles of the newest and the pinned memories, the tags in use, and who wrote the memories. " +
			"Read it at the start of a session.",
	}, s.readBriefing)
	srv.AddResource(&mcp.Resource{
		URI: briefingJSONURI, Name: "briefing.json", Title: "Memory briefing as JSON", MIMEType: jsonType,
		Description: "The same briefing as JSON, for programs.",
	}, s.readBriefingJSON)
	srv.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: memoryURI + "{id}", Name: "memory", Title: "A memory", MIMEType: jsonType,
		Description: "One memory in full, by its id.",
	}, s.readMemory)
}

func (s *Server) readBriefing(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	b, err := s.app.Memory.Briefing(ctx, principalOf(req.Extra), loci.When{})
	if err != nil {
		return nil, s.rpcError(ctx, briefingURI, err)
	}
	return content(req, markdown, b.Markdown()), nil
}

func (s *Server) readBriefingJSON(
	ctx context.Context, req *mcp.ReadResourceRequest,
) (*mcp.ReadResourceResult, error) {
	b, err := s.app.Memory.Briefing(ctx, principalOf(req.Extra), loci.When{})
	if err != nil {
		return nil, s.rpcError(ctx, briefingJSONURI, err)
	}
	body, err := encode(b)
	if err != nil {
		return nil, s.rpcError(ctx, briefingJSONURI, err)
	}
	return content(req, jsonType, string(body)), nil
}

// readMemory returns the same error for an id that is malformed, missing or
// hidden.
func (s *Server) readMemory(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id, err := loci.ParseMemoryID(strings.TrimPrefix(req.Params.URI, memoryURI))
	if err != nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	m, err := s.app.Memory.Get(ctx, principalOf(req.Extra), id)
	if loci.CodeOf(err) == loci.NotFound {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	if err != nil {
		return nil, s.rpcError(ctx, memoryURI, err)
	}
	body, err := encode(shown(m))
	if err != nil {
		return nil, s.rpcError(ctx, memoryURI, err)
	}
	return content(req, jsonType, string(body)), nil
}

func content(req *mcp.ReadResourceRequest, mime, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: mime, Text: text}}}
}
