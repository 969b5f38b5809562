package memory

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// disagreeing adds to a page of hits which memories say something else, and puts the newer of two
// hits that disagree first.
func disagreeing(ctx context.Context, tx store.Tx, v loci.Viewer, hits []Hit) error {
	ids := make([]loci.MemoryID, len(hits))
	for i := range hits {
		ids[i] = hits[i].Memory.ID
	}
	found, err := tx.Suggestions().Disagreements(ctx, v, ids)
	if err != nil || len(found) == 0 {
		return err
	}
	for i := range hits {
		hits[i].Disagreement = found[hits[i].Memory.ID]
	}
	for i := range hits {
		for j := i + 1; j < len(hits); j++ {
			a, b := &hits[i], &hits[j]
			if (a.With(b.Memory.ID) || b.With(a.Memory.ID)) && b.Memory.UpdatedAt.After(a.Memory.UpdatedAt) {
				*a, *b = *b, *a
			}
		}
	}
	return nil
}
