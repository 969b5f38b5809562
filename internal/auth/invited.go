package auth

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// InvitationNames returns the names of the inviter and the team of an invitation from Invitation.
// They are for the holder of its token. A name is "" if there is none, or if it no longer exists.
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
