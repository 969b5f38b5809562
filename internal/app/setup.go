package app

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Setup makes sure that the default org and its owner exist. created says
// that this call made them: the first start of a data directory. It runs
// before anybody can be authenticated, so it asks for no principal; it is
// called by main only.
func (a *App) Setup(ctx context.Context) (org loci.Org, created bool, err error) {
	return a.store.Orgs().Ensure(ctx, loci.Org{ID: loci.DefaultOrg, Name: string(loci.DefaultOrg),
		OwnerID: loci.NewUserID(), CreatedAt: a.time()})
}

// SetOwnerEmail records the address by which a dashboard's tokens name the
// owner of the default org. Like Setup it is called by main only, from the
// operator's settings. Invalid if it is no address.
func (a *App) SetOwnerEmail(ctx context.Context, email string) error {
	email = strings.ToLower(strings.TrimSpace(email))
	name, host, ok := strings.Cut(email, "@")
	if !ok || name == "" || host == "" || len(email) > 320 || strings.ContainsAny(email, " \t\r\n,;<>") || strings.Contains(host, "@") {
		return loci.Errorf(loci.Invalid, "the owner's e-mail must be an address like mara@example.org")
	}
	org, err := a.store.Orgs().Get(ctx, loci.DefaultOrg)
	if err != nil {
		return err
	}
	return a.store.Update(ctx, org.ID, func(tx store.Tx) error {
		u, err := tx.Users().Get(ctx, org.OwnerID)
		if err != nil || u.Email == email {
			return err
		}
		u.Email = email
		return tx.Users().Put(ctx, u)
	})
}
