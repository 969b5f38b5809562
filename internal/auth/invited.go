package auth

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// InvitationNames returns the names behind an invitation that Invitation
// returned, for whoever holds its token: who made it, and the team. Either is
// "" if there is none, or no longer.
func (s *SignIn) InvitationNames(ctx context.Context, org loci.OrgID, i loci.Invite) (inviter, team string, err error) {
	err = s.store.View(ctx, org, func(tx store.Tx) error {
		inviter, team = "", ""
		u, err := tx.Users().Get(ctx, i.InvitedBy)
		if err != nil && loci.CodeOf(err) != loci.NotFound {
			return err
		}
		if inviter = u.Name; inviter == "" {
			inviter = u.Email
		}
		if i.TeamID.IsZero() {
			return nil
		}
		t, err := tx.Teams().Get(ctx, i.TeamID)
		if err != nil && loci.CodeOf(err) != loci.NotFound {
			return err
		}
		team = t.Name
		return nil
	})
	return inviter, team, err
}
