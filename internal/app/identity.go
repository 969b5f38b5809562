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

// errNoTeam is the honest answer until teams exist.
func errNoTeam() error {
	return loci.Errorf(loci.Conflict, "you are not in a team, so there is no shared pool to read from or write to")
}

// TeamMemories returns the memories of the team's pool. Conflict if the person
// is in no team.
func (a *App) TeamMemories(ctx context.Context, p loci.Principal) ([]*loci.Memory, error) {
	if err := a.begin(ctx, p, PoolRead); err != nil {
		return nil, err
	}
	return nil, errNoTeam()
}

// ShareMemory puts a memory into the team's pool. Conflict if the person is in
// no team; the answer does not depend on whether the memory exists.
func (a *App) ShareMemory(ctx context.Context, p loci.Principal, _ loci.MemoryID) (*loci.Memory, error) {
	if err := a.begin(ctx, p, MemoryShare); err != nil {
		return nil, err
	}
	return nil, errNoTeam()
}

// Ready returns nil if the store can read and write. It asks for no credential:
// it says nothing about anybody's rows.
func (a *App) Ready(ctx context.Context) error { return a.store.Ready(ctx) }
