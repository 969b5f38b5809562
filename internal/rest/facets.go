package rest

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// facetsInput are the conditions of the memories to count.
type facetsInput struct {
	client.Conditions
	Ended
}

func (s *server) facets(ctx context.Context, p loci.Principal, in *facetsInput) (*answer[loci.Facets], error) {
	by, err := in.by()
	if err != nil {
		return nil, err
	}
	f := filterOf(&in.Conditions)
	f.Lifecycle = lifecycles[by]
	got, err := s.app.Memory.Facets(ctx, p, f)
	if err != nil {
		return nil, err
	}
	return say(*got, nil)
}
