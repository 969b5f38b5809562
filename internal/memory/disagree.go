package memory

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// disagreementShare is the part of a search's time limit that looking for disagreements may take.
const disagreementShare = 10

// disagreeing adds to memories, which v sees as they are now, which others say something else. All
// that a reader gets of the present passes through here. If one key has so many memories that the
// time is over, some disagreements are missing.
func (s *Service) disagreeing(ctx context.Context, tx store.Tx, v loci.Viewer, memories ...*loci.Memory) error {
	current := slices.DeleteFunc(slices.Clone(memories), func(m *loci.Memory) bool {
		return !m.DeletedAt.IsZero() || !m.SupersededBy.IsZero()
	})
	var found map[loci.MemoryID]loci.Disagreement
	var err error
	if current = tx.Suggestions().Disputable(current); len(current) > 0 { // most reads need no timer either
		ctx, cancel := context.WithTimeoutCause(ctx, s.patience/disagreementShare, loci.ErrSpent)
		defer cancel()
		found, err = tx.Suggestions().Disagreements(ctx, v, current)
	}
	for _, m := range memories {
		m.Disagreement = found[m.ID]
	}
	return err
}

// newerFirst puts the newer of two hits of a page that disagree first, unless only the other one is named. A memory
// comes before one that would replace it if the person agreed.
func newerFirst(hits []Hit) {
	for i := range hits {
		for j := i + 1; j < len(hits); j++ {
			a, b := hits[i].Memory, hits[j].Memory
			if b.PendingSupersede == a.ID || a.PendingSupersede != b.ID && (a.With(b.ID) || b.With(a.ID)) &&
				b.UpdatedAt.After(a.UpdatedAt) && len(hits[j].Why.Named) >= len(hits[i].Why.Named) {
				hits[i], hits[j] = hits[j], hits[i]
				hits[i].Rank, hits[j].Rank = hits[j].Rank, hits[i].Rank
			}
		}
	}
}
