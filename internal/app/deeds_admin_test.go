package app_test

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/deployment"
	"github.com/loci-memory/loci/internal/identity"
)

// What the operator and admins of the deployment do.
func init() {
	deeds[identity.UserRole] = func(c *company, ctx context.Context) error {
		return second(c.Identity.SetUserRole(ctx, c.operator, c.mara.UserID, loci.RoleAdmin))
	}
	deeds[identity.UserSet] = func(c *company, ctx context.Context) error {
		return second(c.Identity.SetUser(ctx, c.operator, c.mara.UserID,
			identity.UserChange{Email: new("newmail@x.example"), Name: new("okapi")}))
	}
	deeds[identity.UserReset] = func(c *company, ctx context.Context) error {
		return c.Identity.ResetUser(ctx, c.operator, c.mara.UserID)
	}
	deeds[identity.LinkCreate] = func(c *company, ctx context.Context) error {
		return second(c.Identity.NewLink(ctx, c.operator, c.mara.UserID))
	}
	deeds[identity.ClientSet] = func(c *company, ctx context.Context) error {
		return second(c.Identity.SetClientVendor(ctx, c.operator, "client-1", "cursor"))
	}
	deeds[identity.ClientDrop] = func(c *company, ctx context.Context) error {
		return c.Identity.DeleteClient(ctx, c.operator, "client-1")
	}
	deeds[deployment.BackupCreate] = func(c *company, ctx context.Context) error {
		return second(c.Deployment.CreateBackup(ctx, c.operator))
	}
}
