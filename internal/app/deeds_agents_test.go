package app_test

import (
	"context"

	"github.com/loci-memory/loci/internal/app"
)

func init() {
	deeds[app.AgentCreate] = func(c *company, ctx context.Context) error {
		return second(c.CreateAgent(ctx, c.mara, app.AgentDraft{Name: "zebra", Vendor: "claude", Config: []byte(`{"okapi":1}`)}))
	}
}
