package sqlite

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

const eraseBatch = sqlstore.EraseBatch

func (p people) Remove(ctx context.Context, org loci.OrgID, user loci.UserID, then func(store.Tx) error) error {
	leave, err := p.s.alone(ctx)
	if err != nil {
		return translate(err)
	}
	defer leave()
	o, err := p.s.registry.Exists(ctx, org)
	if err != nil {
		return translate(err)
	}
	if o.OwnerID == user {
		return errHolder()
	}
	state, err := p.s.userState(ctx, org, user)
	if err != nil {
		return translate(err)
	}
	who, listed, err := p.s.listed(ctx, "p.user_id = ?", [16]byte(user))
	switch {
	case err != nil:
		return translate(err)
	case state == "" && listed && who.OrgID == org: // only the directory was left
		return translate(p.s.delist(ctx, org, user))
	case state == "" || state == "pending":
		return sqlstore.NoUser()
	}
	return translate(p.s.remove(ctx, org, user, then))
}

func errHolder() error {
	return loci.Errorf(loci.Conflict, "this person holds the org; hand it over to somebody else, or delete the org")
}

// remove takes steps each of which may be repeated. From the first one on
// nobody can sign in as that user.
func (s *Store) remove(ctx context.Context, org loci.OrgID, user loci.UserID, then func(store.Tx) error) error {
	for _, step := range []func(context.Context, loci.OrgID, loci.UserID) error{s.markLeaving, s.revokeAccess, s.eraseMemories, s.eraseFromGraphs} {
		if err := step(ctx, org, user); err != nil {
			return err
		}
	}
	if err := s.removeUser(ctx, org, user, then); err != nil {
		return err
	}
	return s.delist(ctx, org, user)
}

func (s *Store) markLeaving(ctx context.Context, org loci.OrgID, user loci.UserID) error {
	err := s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		// In one transaction: whoever was handed the org meanwhile stays, and
		// whoever is marked here is handed none.
		holds, err := c.One("SELECT 1 FROM orgs WHERE id = ? AND owner_id = ?", sqlitedb.Args{string(org), [16]byte(user)},
			func(*sqlitedb.Row) error { return nil })
		if err == nil && holds {
			err = errHolder()
		}
		if err != nil {
			return err
		}
		if err := c.Exec("DELETE FROM mcp_sessions WHERE user_id = ?", [16]byte(user)); err != nil {
			return err
		}
		return c.Exec("UPDATE people SET settled = 0 WHERE user_id = ?", [16]byte(user))
	})
	if err != nil {
		return err
	}
	return s.updateOrg(ctx, org, func(tx *sqlstore.Tx) error {
		return tx.MarkLeaving(user)
	})
}

func (s *Store) revokeAccess(ctx context.Context, org loci.OrgID, user loci.UserID) error {
	now := loci.CutTime(s.opts.Now()).UnixMicro()
	return s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		for _, table := range []string{"credentials", "oauth_grants"} {
			err := c.Exec("UPDATE "+table+" SET revoked_at = ? WHERE org_id = ? AND user_id = ? AND revoked_at IS NULL", now, string(org), [16]byte(user))
			if err != nil {
				return err
			}
		}
		return nil
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
		// What a request that was under way has stored since goes too.
		if err := tx.RemoveUser(ctx, user); err != nil || then == nil {
			return err
		}
		return then(tx)
	})
}
