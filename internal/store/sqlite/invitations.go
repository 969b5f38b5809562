package sqlite

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// announced is where an invitation is stored.
type announced struct {
	org loci.OrgID
	id  loci.InviteID
}

func (p people) Announce(ctx context.Context, org loci.OrgID, i loci.Invite) error {
	err := p.s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		err := c.Exec(`INSERT OR REPLACE INTO invitations (hash, org_id, id, email, expires_at)
			SELECT ?, id, ?, ?, ? FROM orgs WHERE id = ? AND state IN `+sqlstore.OpenStates,
			i.Hash[:], [16]byte(i.ID), i.Email, i.ExpiresAt.UnixMicro(), string(org))
		if err == nil && c.Changes() == 0 {
			err = sqlstore.NoOrg()
		}
		return err
	})
	return translate(err)
}

func (p people) Invited(ctx context.Context, hash [32]byte) (loci.OrgID, loci.Invite, error) {
	return p.invitation(ctx, func(i *loci.Invite) bool { return i.Hash == hash },
		"SELECT org_id, id FROM invitations WHERE hash = ?", hash[:])
}

func (p people) InvitedEmail(ctx context.Context, email string, now time.Time) (loci.OrgID, loci.Invite, error) {
	return p.invitation(ctx, func(i *loci.Invite) bool { return i.Email == email && i.Usable(now) },
		"SELECT org_id, id FROM invitations WHERE email = ? AND expires_at > ? ORDER BY expires_at DESC", email, now.UnixMicro())
}

// invitation returns the first of those that sql finds which the org's file
// knows and which is wanted.
func (p people) invitation(ctx context.Context, wanted func(*loci.Invite) bool, sql string, args ...any) (loci.OrgID, loci.Invite, error) {
	var list []announced
	err := p.s.meta.View(ctx, func(c *sqlitedb.Conn) error {
		list = nil
		return c.Query(sql, args, func(r *sqlitedb.Row) error {
			list = append(list, announced{loci.OrgID(r.Text(0)), r.ID(1)})
			return nil
		})
	})
	for _, a := range list {
		var i loci.Invite
		err := p.s.View(ctx, a.org, func(tx store.Tx) (err error) { i, err = tx.Teams().Invitation(ctx, a.id); return err })
		if err == nil && wanted(&i) {
			return a.org, i, nil
		}
		if err != nil && loci.CodeOf(err) != loci.NotFound {
			return "", loci.Invite{}, err
		}
	}
	if err == nil {
		err = loci.Errorf(loci.NotFound, "no such invitation")
	}
	return "", loci.Invite{}, translate(err)
}
