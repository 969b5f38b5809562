package app

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

// CreateKey makes a key for the person of p, or for an agent of theirs if the
// request names a vendor. The Secret is shown once and never again.
func (a *App) CreateKey(ctx context.Context, p loci.Principal, r auth.KeyRequest) (loci.Credential, loci.Secret, error) {
	if err := a.begin(ctx, p, KeyCreate); err != nil {
		return loci.Credential{}, "", err
	}
	c, key, err := auth.NewCredential(p, r, a.now())
	if err != nil {
		return loci.Credential{}, "", err
	}
	return c, key, a.store.Credentials().Insert(ctx, c)
}

// Keys returns the keys of the person of p, newest first, revoked ones too.
// kind is KindUser or KindAgent.
func (a *App) Keys(ctx context.Context, p loci.Principal, kind loci.Kind) ([]loci.Credential, error) {
	if err := a.begin(ctx, p, KeyList); err != nil {
		return nil, err
	}
	return a.store.Credentials().List(ctx, store.CredentialQuery{OrgID: p.OrgID, UserID: p.UserID, Kind: kind, Method: loci.ByKey})
}

// RevokeKey makes a key useless from the next request on, in every process.
// NotFound if the person has no such key.
func (a *App) RevokeKey(ctx context.Context, p loci.Principal, id loci.CredentialID) error {
	if err := a.begin(ctx, p, KeyRevoke); err != nil {
		return err
	}
	return a.store.Credentials().Revoke(ctx, p.OrgID, p.UserID, id, a.time())
}
