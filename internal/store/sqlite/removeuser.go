package sqlite

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

const eraseBatch = sqlstore.EraseBatch

func (p people) Remove(ctx context.Context, org loci.OrgID, user loci.UserID, then func(store.Tx) error) error {
	ctx, leave, err := p.s.Lock(ctx, peopleLock)
	if err != nil {
		return translate(err)
	}
	defer leave()
	o, err := p.s.registry.Exists(ctx, org)
	if err != nil {
		return translate(err)
	}
	if o.OwnerID == user {
		return sqlstore.ErrHolder()
	}
	state, err := p.s.userState(ctx, org, user)
	if err != nil {
		return translate(err)
	}
	who, listed, err := p.s.registry.PersonByID(ctx, user)
	switch {
	case err != nil:
		return translate(err)
	case state == "" && listed && who.OrgID == org: // only the directory was left
		return translate(p.s.registry.Delist(ctx, org, user))
	case state == "" || state == "pending":
		return sqlstore.NoUser()
	}
	return translate(p.s.remove(ctx, org, user, then))
}

// remove takes several steps, each of which may be repeated. From the first one on, nobody can sign in as that user.
func (s *Store) remove(ctx context.Context, org loci.OrgID, user loci.UserID, then func(store.Tx) error) error {
	for _, step := range []func(context.Context, loci.OrgID, loci.UserID) error{s.markLeaving, s.registry.RevokeAccess,
		s.eraseMemories, s.eraseFromGraphs} {
		if err := step(ctx, org, user); err != nil {
			return err
		}
	}
	if err := s.removeUser(ctx, org, user, then); err != nil {
		return err
	}
	return s.registry.Delist(ctx, org, user)
}

func (s *Store) markLeaving(ctx context.Context, org loci.OrgID, user loci.UserID) error {
	if err := s.registry.MarkLeaving(ctx, org, user); err != nil {
		return err
	}
	return s.updateOrg(ctx, org, func(tx *sqlstore.Tx) error {
		return tx.MarkLeaving(ctx, user)
	})
}

func (s *Store) eraseMemories(ctx context.Context, org loci.OrgID, user loci.UserID) error {
	for n := eraseBatch; n == eraseBatch; {
		err := s.Update(ctx, org, func(tx store.Tx) (err error) {
			n, err = tx.Memories().EraseOf(ctx, user, eraseBatch)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) removeUser(ctx context.Context, org loci.OrgID, user loci.UserID, then func(store.Tx) error) error {
	return s.updateOrg(ctx, org, func(tx *sqlstore.Tx) error {
		// This also removes what a request that was still running has stored since.
		if err := tx.RemoveUser(ctx, user); err != nil || then == nil {
			return err
		}
		return then(tx)
	})
}
