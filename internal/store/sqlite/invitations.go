package sqlite

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

func (p people) Announce(ctx context.Context, org loci.OrgID, i loci.Invite) error {
	return p.s.registry.Announce(ctx, org, i)
}

func (p people) Invited(ctx context.Context, hash [32]byte) (loci.OrgID, loci.Invite, error) {
	list, err := p.s.registry.AnnouncedBy(ctx, hash)
	return p.invitation(ctx, list, err, func(i *loci.Invite) bool { return i.Hash == hash })
}

func (p people) InvitedEmail(ctx context.Context, email string, now time.Time) (loci.OrgID, loci.Invite, error) {
	list, err := p.s.registry.AnnouncedTo(ctx, email, now)
	return p.invitation(ctx, list, err, func(i *loci.Invite) bool { return i.Email == email && i.Usable(now) })
}

// invitation returns the first invitation in list that the org's file has, too, and that is
// wanted.
func (p people) invitation(ctx context.Context, list []sqlstore.Announced, err error, wanted func(*loci.Invite) bool) (
	loci.OrgID, loci.Invite, error) {
	for _, a := range list {
		var i loci.Invite
		err := p.s.View(ctx, a.Org, func(tx store.Tx) (err error) { i, err = tx.Teams().Invitation(ctx, a.ID); return err })
		if err == nil && wanted(&i) {
			return a.Org, i, nil
		}
		if err != nil && loci.CodeOf(err) != loci.NotFound {
			return "", loci.Invite{}, err
		}
	}
	if err == nil {
		err = loci.Errorf(loci.NotFound, "no such invitation")
	}
	return "", loci.Invite{}, err
}
