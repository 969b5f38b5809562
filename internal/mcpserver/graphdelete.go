package mcpserver

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
)

type deleted struct {
	Deleted   int    `json:"deleted"`
	Suggested int    `json:"suggested,omitempty"`
	Tell      string `json:"tell,omitempty"` // what the model should tell the person
}

func (s *Server) deletedOr(c *call, d graph.Deleted, err error) (any, error) {
	return deleted{d.Count, d.Suggested(), s.tellSuggested(c.principal, &d)}, err
}

// tellSuggested returns what the model should tell the person about rows that were only suggested, or "".
func (s *Server) tellSuggested(p loci.Principal, d *graph.Deleted) string {
	if d.Suggestion == nil {
		return ""
	}
	return "You may take out of the graph only what you wrote yourself, so Loci suggested the rest: " +
		s.whereToDecide(p, []loci.Suggestion{*d.Suggestion})
}

func deletedNamesFields(c *call, in *[]string) []field {
	return []field{texts("names", in, loci.MaxEntityName).must().or("entityNames"), inProject(c)}
}

func (s *Server) deleteEntities(ctx context.Context, c *call, names *[]string) (any, error) {
	d, err := s.app.Graph.DeleteEntities(ctx, c.principal, c.project, refs(*names))
	return s.deletedOr(c, d, err)
}

func deletionsFields(c *call, in *[]loci.Contents) []field {
	of := func(in *loci.Contents) []field {
		fields := contentsFields("observations")(in)
		fields[2] = fields[2].hide()
		return fields
	}
	return []field{items("deletions", in, loci.MaxGraphItems, of), inProject(c)}
}

func (s *Server) deleteObservations(ctx context.Context, c *call, in *[]loci.Contents) (any, error) {
	d, err := s.app.Graph.DeleteObservations(ctx, c.principal, c.project, *in)
	return s.deletedOr(c, d, err)
}

func deletedRelationsFields(c *call, in *[]loci.NewRelation) []field {
	return []field{items("relations", in, loci.MaxGraphItems, relationFields), inProject(c)}
}

func (s *Server) deleteRelations(ctx context.Context, c *call, in *[]loci.NewRelation) (any, error) {
	d, err := s.app.Graph.DeleteRelations(ctx, c.principal, c.project, *in)
	return s.deletedOr(c, d, err)
}
