package app

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Identity says who a credential is.
type Identity struct {
	Principal loci.Principal
	User      loci.User
	Org       loci.Org
	Team      *loci.Team // nil: none
}

// WhoAmI returns who p is and whom it acts for.
func (a *App) WhoAmI(ctx context.Context, p loci.Principal) (*Identity, error) {
	if err := a.begin(ctx, p, WhoAmI); err != nil {
		return nil, err
	}
	id := &Identity{Principal: p}
	err := a.store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		id.User, err = tx.Users().Get(ctx, p.UserID)
		return err
	})
	return id, err
}

// Ready returns nil if the store can read and write. It asks for no credential:
// it says nothing about anybody's rows.
func (a *App) Ready(ctx context.Context) error { return a.store.Ready(ctx) }
