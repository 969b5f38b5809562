package app_test

import (
	"context"

	"github.com/loci-memory/loci/internal/agent"
)

func init() {
	deeds[agent.Create] = func(c *company, ctx context.Context) error {
		return second(c.Agent.Create(ctx, c.mara,
			agent.Draft{Name: "zebra", Vendor: "claude", Config: []byte(`{"okapi":1}`)}))
	}
}
