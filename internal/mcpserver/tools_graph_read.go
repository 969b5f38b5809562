package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (s *Server) addGraphReading(srv *mcp.Server) {
	addCall(s, srv, &mcp.Tool{
		Name: "search_nodes", Title: "Search the graph", Annotations: reads(),
		Description: "Entities that match in name, type or observations, best first, with their observations and relations. Words, AND, OR, NOT, prefix*, \"phrases\". Use it before creating anything; for known names use open_nodes.",
		InputSchema: input(required("query", text(1, loci.MaxTerm)), limit(app.MaxGraphSearch, app.DefaultGraphSearch), cursor(), inProject()), OutputSchema: lists("entities", inGraph),
	}, s.searchNodes)
	addCall(s, srv, &mcp.Tool{
		Name: "open_nodes", Title: "Open entities", Annotations: reads(),
		Description: "Entities of exactly these names, with their observations and relations; for a name that is not there, the nearest. To look for something use search_nodes.",
		InputSchema: input(required("names", texts(loci.MaxEntityName)), inProject()), OutputSchema: lists("entities", inGraph),
	}, s.openNodes)
	addCall(s, srv, &mcp.Tool{
		Name: "read_graph", Title: "Read the graph", Annotations: reads(),
		Description:  "The whole graph in pages, oldest first; left says how many entities are to come. It can be large: prefer search_nodes unless all is needed.",
		InputSchema:  input(limit(app.MaxGraphPage, app.DefaultGraphPage), cursor(), inProject()),
		OutputSchema: json.RawMessage(`{"type":"object","required":["entities","relations","left"]}`),
	}, s.readGraph)
}

type searchNodesArgs struct {
	Query   string `json:"query"`
	Limit   *count `json:"limit"`
	Cursor  string `json:"cursor"`
	Project string `json:"project"`
}

func (s *Server) searchNodes(ctx context.Context, c caller, in searchNodesArgs) (any, error) {
	limit, err := in.Limit.within("limit", 1, app.MaxGraphSearch, app.DefaultGraphSearch)
	if err != nil {
		return nil, err
	}
	project, err := s.choose(ctx, c, app.GraphRead, in.Project)
	if err != nil {
		return nil, err
	}
	hits, err := s.app.SearchGraph(ctx, c.principal, project, app.GraphSearch{Query: in.Query, Limit: limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return found{Entities: shapeOfEntities(hits.Entities), Total: &hits.Total, TotalIsLowerBound: hits.TotalIsLowerBound,
		AnyWord: hits.AnyWord, NextCursor: hits.NextCursor}, nil
}

type namesArgs struct {
	Names   []string `json:"names" need:"yes"`
	Project string   `json:"project"`
}

func (s *Server) openNodes(ctx context.Context, c caller, in namesArgs) (any, error) {
	project, err := s.choose(ctx, c, app.GraphRead, in.Project)
	if err != nil {
		return nil, err
	}
	nodes, err := s.app.OpenNodes(ctx, c.principal, project, refs(in.Names))
	if err != nil {
		return nil, err
	}
	return found{Entities: shapeOfEntities(nodes.Entities), Missing: nodes.Missing}, nil
}

func refs(names []string) []loci.EntityRef {
	out := make([]loci.EntityRef, len(names))
	for i, name := range names {
		out[i].Name = name
	}
	return out
}

// checkRef checks the two arguments that name an entity, the type first: it may
// stand alone by mistake.
func checkRef(r loci.EntityRef, name, kind string) error {
	if err := checkType(kind, r.Type); err != nil {
		return err
	}
	return loci.CheckText(name, r.Name, 1, loci.MaxEntityName)
}

func checkType(field, kind string) error { return loci.CheckText(field, kind, 0, loci.MaxGraphType) }

type readGraphArgs struct {
	Limit   *count `json:"limit"`
	Cursor  string `json:"cursor"`
	Project string `json:"project"`
}

func (s *Server) readGraph(ctx context.Context, c caller, in readGraphArgs) (any, error) {
	limit, err := in.Limit.within("limit", 1, app.MaxGraphPage, app.DefaultGraphPage)
	if err != nil {
		return nil, err
	}
	project, err := s.choose(ctx, c, app.GraphRead, in.Project)
	if err != nil {
		return nil, err
	}
	page, err := s.app.ReadGraph(ctx, c.principal, project, app.GraphList{Limit: limit, Cursor: in.Cursor})
	if err != nil {
		return nil, err
	}
	return shapeOfGraph(page), nil
}
