package sqlite

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (n nodes) SetVendors(_ context.Context, v loci.Viewer, by loci.GraphAccess, items store.GraphIDs, vendors []loci.Vendor) (int, error) {
	return 0, errUnbuilt
}
