package app

import (
	"context"

	"github.com/loci-memory/loci"
)

// Setup makes sure that the default org and its owner exist. created says
// that this call made them: the first start of a data directory. It runs
// before anybody can be authenticated, so it asks for no principal; it is
// called by main only.
func (a *App) Setup(ctx context.Context) (org loci.Org, created bool, err error) {
	return a.store.Orgs().Ensure(ctx, loci.Org{ID: loci.DefaultOrg, Name: string(loci.DefaultOrg),
		OwnerID: loci.NewUserID(), CreatedAt: a.time()})
}
