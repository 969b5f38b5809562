package mcpserver

import (
	"context"

	"github.com/loci-memory/loci"
)

// deleted is the answer of a tool that deletes.
type deleted struct {
	Deleted int `json:"deleted"`
}

func deletedOr(n int, err error) (any, error) {
	return deleted{n}, err
}

func deletedNamesFields(c *call, in *[]string) []field {
	return []field{texts("names", in, loci.MaxEntityName).must().or("entityNames"), inProject(c)}
}

func (s *Server) deleteEntities(ctx context.Context, c *call, names *[]string) (any, error) {
	list, err := s.app.Graph.DeleteEntities(ctx, c.principal, c.project, refs(*names))
	return deletedOr(len(list), err)
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
	return deletedOr(s.app.Graph.DeleteObservations(ctx, c.principal, c.project, *in))
}

func deletedRelationsFields(c *call, in *[]loci.NewRelation) []field {
	return []field{items("relations", in, loci.MaxGraphItems, relationFields), inProject(c)}
}

func (s *Server) deleteRelations(ctx context.Context, c *call, in *[]loci.NewRelation) (any, error) {
	return deletedOr(s.app.Graph.DeleteRelations(ctx, c.principal, c.project, *in))
}
