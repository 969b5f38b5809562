package app_test

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
)

func init() {
	deeds[graph.Write] = func(c *company, ctx context.Context) error {
		return second(c.Graph.CreateEntities(ctx, c.mara, c.project, nil,
			[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: "okapi", Type: "animal"}, Observations: []string{"a quagga"}}}))
	}
	deeds[graph.Delete] = func(c *company, ctx context.Context) error {
		return second(c.Graph.DeleteEntities(ctx, c.mara, c.project, []loci.EntityRef{{Name: "wombats"}}))
	}
	deeds[graph.Restore] = func(c *company, ctx context.Context) error {
		return second(c.Graph.RestoreEntities(ctx, c.mara, c.project, graph.IDs{Entities: []loci.EntityID{c.gone}}))
	}
	deeds[graph.Merge] = func(c *company, ctx context.Context) error {
		return second(c.Graph.Merge(ctx, c.mara, c.project, graph.Which{ID: c.spare}, graph.Which{ID: c.entity}))
	}
}
