package auth

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Welcome adds a new user to the org's oldest workspace if the org uses workspaces, because without
// one the user couldn't get in. It runs in the transaction that creates the user.
func Welcome(ctx context.Context, tx store.Tx, org loci.Org, user loci.UserID) error {
	if !org.Workspaces {
		return nil
	}
	list, err := tx.Workspaces().List(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	return tx.Workspaces().Join(ctx, list[0].ID, user)
}

// ForgetFailures lets a person try to sign in again at once, regardless of earlier failures.
func ForgetFailures(ctx context.Context, l store.Limits, who loci.Person) error {
	if err := l.Clear(ctx, byPerson(who.UserID).key); err != nil || who.Email == "" {
		return err
	}
	return l.Clear(ctx, byAccount(who.Email).key)
}
