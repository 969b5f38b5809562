package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Owners returns what to call the owners of those memories that the principal sees: the e-mail
// address, else the name, else the id. A person who shares a memory is known to its readers.
func (s *Service) Owners(ctx context.Context, p loci.Principal, ids []loci.MemoryID) (map[loci.MemoryID]string,
	error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	of := map[loci.MemoryID]string{}
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		names := map[loci.UserID]string{}
		for part := range slices.Chunk(ids, loci.MaxIDs) {
			found, err := tx.Memories().GetMany(ctx, p.Viewer(), part, loci.AnyState)
			if err != nil {
				return err
			}
			for _, m := range found {
				if names[m.UserID] == "" {
					u, err := tx.Users().Get(ctx, m.UserID)
					if err != nil && loci.CodeOf(err) != loci.NotFound {
						return err
					}
					names[m.UserID] = cmp.Or(u.Email, u.Name, m.UserID.String())
				}
				of[m.ID] = names[m.UserID]
			}
		}
		return nil
	})
	return of, err
}
