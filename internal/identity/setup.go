package identity

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Setup makes sure that the default org and its owner exist. created says
// that this call made them: the first start of a data directory. It runs
// before anybody can be authenticated, so it asks for no principal; it is
// called by main only.
func (s *Service) Setup(ctx context.Context) (org loci.Org, created bool, err error) {
	return s.Store.Orgs().Ensure(ctx, loci.Org{ID: loci.DefaultOrg, Name: string(loci.DefaultOrg),
		OwnerID: loci.NewUserID(), CreatedAt: s.Time()}, loci.User{})
}

// SetOwnerEmail records the address by which a dashboard's tokens name the
// owner of the default org. Like Setup it is called by main only, from the
// operator's settings. Invalid if it is no address.
func (s *Service) SetOwnerEmail(ctx context.Context, email string) error {
	email, err := loci.ParseEmail(email)
	if err != nil {
		return err
	}
	org, err := s.Store.Orgs().Get(ctx, loci.DefaultOrg)
	if err != nil {
		return err
	}
	var known string
	err = s.Store.View(ctx, org.ID, func(tx store.Tx) error {
		u, err := tx.Users().Get(ctx, org.OwnerID)
		known = u.Email
		return err
	})
	if err != nil || known == email {
		return err
	}
	return s.Store.People().SetEmail(ctx, org.ID, org.OwnerID, email)
}
