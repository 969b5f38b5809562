package mcpserver

import (
	"context"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/project"
)

const projectURI = "loci://project/"

// addGraphResources registers templates only: a list of all entities could have thousands of lines.
func (s *Server) addGraphResources(srv *mcp.Server) {
	srv.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: projectURI + "{name}/graph", Name: "graph", Title: "A project's graph", MIMEType: jsonType,
		Description: "The first page of a project's graph, and how many entities are on later pages.",
	}, s.readGraphResource)
	srv.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: projectURI + "{name}/entity/{entity}", Name: "entity", Title: "An entity", MIMEType: jsonType,
		Description: "The entities with a name in a project's graph, with their observations and relations.",
	}, s.readEntityResource)
}

func (s *Server) readGraphResource(ctx context.Context, req *mcp.ReadResourceRequest) (
	*mcp.ReadResourceResult, error) {
	return s.graphResource(ctx, req, 2, func(p loci.Principal, project loci.ProjectID, _ []string) (any, error) {
		page, err := s.app.Graph.Read(ctx, p, project, graph.ListRequest{})
		if err != nil {
			return nil, err
		}
		return shapeOfGraph(new(call), page, s.graphRoom()), nil
	})
}

func (s *Server) readEntityResource(ctx context.Context, req *mcp.ReadResourceRequest) (
	*mcp.ReadResourceResult, error) {
	return s.graphResource(ctx, req, 3, func(p loci.Principal, project loci.ProjectID, parts []string) (any, error) {
		opened, err := s.app.Graph.OpenEntities(ctx, p, project, refs(parts[2:]))
		if err != nil {
			return nil, err
		}
		if len(opened.Entities) == 0 {
			return nil, loci.NoSuchEntity()
		}
		return found{Entities: shapeOfEntities(new(call), opened.Entities, s.graphRoom())}, nil
	})
}

// graphRead reads a resource of a project. parts are the parts of its address.
type graphRead func(p loci.Principal, project loci.ProjectID, parts []string) (any, error)

// graphResource returns what read returns for an address of n parts: the project's name, the kind and a name. If the
// project or the entity is missing, hidden or archived, or the name is invalid, the error is the same.
func (s *Server) graphResource(ctx context.Context, req *mcp.ReadResourceRequest, n int, read graphRead) (
	*mcp.ReadResourceResult, error) {
	c, parts := callerOf(req.Extra), uriParts(req.Params.URI)
	if len(parts) != n {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	p, err := s.app.Project.Choose(ctx, c.principal, graph.Read, project.Choice{Name: parts[0]})
	var out any
	if err == nil {
		out, err = read(c.principal, p.ID, parts)
	}
	switch loci.CodeOf(err) {
	case loci.NotFound, loci.Conflict, loci.Invalid:
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	if err != nil {
		return nil, s.rpcError(ctx, projectURI, err)
	}
	body, err := s.within(out)
	if err != nil {
		return nil, s.rpcError(ctx, projectURI, err)
	}
	return content(req, jsonType, string(body)), nil
}

// uriParts returns the decoded parts of an address below projectURI, or nil if one is empty or malformed.
func uriParts(uri string) []string {
	parts := strings.Split(strings.TrimPrefix(uri, projectURI), "/")
	for i, part := range parts {
		text, err := url.PathUnescape(part)
		if err != nil || text == "" {
			return nil
		}
		parts[i] = text
	}
	return parts
}
