package indexing

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// sessionBlock is how many memories of a session are each other's context, so that a change of a
// long session changes few of them.
const sessionBlock = 256

// sessions knows the order of the memories in sessions.
type sessions struct {
	tx    store.Tx
	order map[loci.SessionID][]store.Placed
	end   store.Position // all changes up to here are in order
}

// in lets s read in a transaction. It forgets the order of short sessions, which takes little time to read, and that of
// all if something has changed since. A build reads a long session in many batches, and would otherwise read its order
// in each of them.
func (s *sessions) in(ctx context.Context, tx store.Tx) error {
	s.tx = tx
	if s.order != nil {
		c, err := tx.Rows().Changed(ctx, s.end)
		if err == nil && len(c.IDs) == 0 && !c.More && !c.Ahead {
			maps.DeleteFunc(s.order, func(_ loci.SessionID, list []store.Placed) bool { return len(list) <= buildBatch })
			return nil
		}
	}
	s.order = map[loci.SessionID][]store.Placed{}
	end, err := tx.Rows().End(ctx)
	s.end = end
	return err
}

func (s *sessions) of(ctx context.Context, id loci.SessionID) (list []store.Placed, err error) {
	list, ok := s.order[id]
	if !ok {
		if list, err = s.tx.Rows().InSession(ctx, id); err == nil {
			s.order[id] = list
		}
	}
	return list, err
}

// place returns the memories of the session that m is in, and the place of m among them.
func (s *sessions) place(ctx context.Context, m *loci.Memory) (list []store.Placed, at int, found bool, err error) {
	list, err = s.of(ctx, m.SessionID)
	at, found = slices.BinarySearchFunc(list, m, func(p store.Placed, m *loci.Memory) int {
		return cmp.Or(p.CreatedAt.Compare(m.CreatedAt), bytes.Compare(p.ID[:], m.ID[:]))
	})
	return list, at, found, err
}

// block returns the number of the memory's block in its session.
func (s *sessions) block(ctx context.Context, m *loci.Memory) (int, error) {
	_, at, found, err := s.place(ctx, m)
	if !found {
		at = 0
	}
	return at / sessionBlock, err
}

// beside returns the memories in the same block of the session that m is in, if it can be found.
func (s *sessions) beside(ctx context.Context, m *loci.Memory) ([]store.Placed, error) {
	if m.SessionID.IsZero() {
		return nil, nil
	}
	list, at, found, err := s.place(ctx, m)
	if !found {
		return nil, err
	}
	from := at / sessionBlock * sessionBlock
	return list[from:min(from+sessionBlock, len(list))], err
}
