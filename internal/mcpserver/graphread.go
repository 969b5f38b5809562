package mcpserver

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
)

// entityMembers are what every entity in an answer has, in its schema.
var entityMembers = []string{"name", "entity_type", "observations"}

func graphSearchFields(c *call, in *graph.SearchRequest) []field {
	return []field{
		text("query", &in.Query, 1, loci.MaxTerm).must(), limit(c, &in.Limit, graph.MaxGraphSearch, graph.DefaultGraphSearch),
		cursor(c, &in.Cursor), detail(c), inProject(c),
	}
}

func (s *Server) searchEntities(ctx context.Context, c *call, in *graph.SearchRequest) (any, error) {
	hits, err := s.app.Graph.Search(ctx, c.principal, c.project, *in)
	if err != nil {
		return nil, err
	}
	return found{Entities: shapeOfEntities(c, hits.Entities, s.graphRoom()), Total: &hits.Total,
		TotalIsLowerBound: hits.TotalIsLowerBound,
		AnyWord:           hits.AnyWord, NextCursor: hits.NextCursor}, nil
}

func namesFields(c *call, in *[]string) []field {
	return []field{texts("names", in, loci.MaxEntityName).must(), offset(&c.offset),
		detail(c), inProject(c)}
}

func (s *Server) openEntities(ctx context.Context, c *call, names *[]string) (any, error) {
	opened, err := s.app.Graph.OpenEntities(ctx, c.principal, c.project, refs(*names))
	if err != nil {
		return nil, err
	}
	return found{Entities: shapeOfEntities(c, opened.Entities, s.graphRoom()), Missing: opened.Missing}, nil
}

func refs(names []string) []loci.EntityRef {
	out := make([]loci.EntityRef, len(names))
	for i, name := range names {
		out[i].Name = name
	}
	return out
}

func graphFields(c *call, in *graph.ListRequest) []field {
	return []field{limit(c, &in.Limit, graph.MaxGraphPage, graph.DefaultGraphPage), cursor(c, &in.Cursor), detail(c),
		inProject(c)}
}

func (s *Server) readGraph(ctx context.Context, c *call, in *graph.ListRequest) (any, error) {
	page, err := s.app.Graph.Read(ctx, c.principal, c.project, *in)
	if err != nil {
		return nil, err
	}
	return shapeOfGraph(c, page, s.graphRoom()), nil
}
