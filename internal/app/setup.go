package app

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Setup makes sure that the default org and its owner exist. created says
// that this call made them: the first start of a data directory. It runs
// before anybody can be authenticated, so it asks for no principal; it is
// called by main only.
func (a *App) Setup(ctx context.Context) (org loci.Org, created bool, err error) {
	return a.store.Orgs().Ensure(ctx, loci.Org{ID: loci.DefaultOrg, Name: string(loci.DefaultOrg),
		OwnerID: loci.NewUserID(), CreatedAt: a.time()}, loci.User{})
}

// SetOwnerEmail records the address by which a dashboard's tokens name the
// owner of the default org. Like Setup it is called by main only, from the
// operator's settings. Invalid if it is no address.
func (a *App) SetOwnerEmail(ctx context.Context, email string) error {
	email, err := loci.ParseEmail(email)
	if err != nil {
		return err
	}
	org, err := a.store.Orgs().Get(ctx, loci.DefaultOrg)
	if err != nil {
		return err
	}
	var known string
	err = a.store.View(ctx, org.ID, func(tx store.Tx) error {
		u, err := tx.Users().Get(ctx, org.OwnerID)
		known = u.Email
		return err
	})
	if err != nil || known == email {
		return err
	}
	return a.store.People().SetEmail(ctx, org.ID, org.OwnerID, email)
}
