package sqlite

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
)

var errUnbuilt = errors.New("not built yet")

func (n nodes) Merge(_ context.Context, v loci.Viewer, by loci.GraphAccess, from, into loci.EntityID) (loci.Entity, error) {
	return loci.Entity{}, errUnbuilt
}
