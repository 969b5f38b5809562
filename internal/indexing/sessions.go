package indexing

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// sessions knows the order of the memories in sessions.
type sessions struct {
	tx    store.Tx
	least int // memories of a block
	order map[loci.SessionID]order
	end   store.Position // all changes up to here are in order
}

// order is the blocks of a session, by class.
type order struct {
	memories int
	blocks   map[index.Class][][]store.Placed
}

// in lets s read in a transaction. It forgets the order of short sessions, which takes little time to read, and that of
// all if something has changed since. A build reads a long session in many batches, and would otherwise read its order
// in each of them.
func (s *sessions) in(ctx context.Context, tx store.Tx) error {
	s.tx = tx
	if s.order != nil {
		c, err := tx.Rows().Changed(ctx, s.end)
		if err == nil && len(c.IDs) == 0 && !c.More && !c.Ahead {
			maps.DeleteFunc(s.order, func(_ loci.SessionID, o order) bool { return o.memories <= buildBatch })
			return nil
		}
	}
	s.order = map[loci.SessionID]order{}
	end, err := tx.Rows().End(ctx)
	s.end = end
	return err
}

func (s *sessions) of(ctx context.Context, id loci.SessionID) (order, error) {
	if o, ok := s.order[id]; ok {
		return o, nil
	}
	list, err := s.tx.Rows().InSession(ctx, id)
	if err != nil {
		return order{}, err
	}
	classes := map[*loci.Access]index.Class{}
	of := map[index.Class][]store.Placed{}
	for _, p := range list {
		class, known := classes[p.Access]
		if !known {
			class = recall.ClassOf(p.Access)
			classes[p.Access] = class
		}
		of[class] = append(of[class], p)
	}
	o := order{len(list), map[index.Class][][]store.Placed{}}
	for class, list := range of {
		o.blocks[class] = cut(list, s.least, func(p store.Placed) rowID { return p.ID })
	}
	s.order[id] = o
	return o, nil
}

// block returns the memories in the block of the session that m is in, or where it would be if it could be found.
func (s *sessions) block(ctx context.Context, m *loci.Memory) ([]store.Placed, error) {
	if m.SessionID.IsZero() {
		return nil, nil
	}
	o, err := s.of(ctx, m.SessionID)
	blocks := o.blocks[recall.ClassOf(&m.Access)]
	if err != nil || len(blocks) == 0 {
		return nil, err
	}
	at, found := slices.BinarySearchFunc(blocks, m, func(b []store.Placed, m *loci.Memory) int {
		return cmp.Or(b[0].CreatedAt.Compare(m.CreatedAt), bytes.Compare(b[0].ID[:], m.ID[:]))
	})
	if !found {
		at = max(at-1, 0)
	}
	return blocks[at], nil
}

// beside calls fn with the memories in the blocks of some, each block once.
func (s *sessions) beside(ctx context.Context, memories []*loci.Memory, fn func(loci.MemoryID)) error {
	done := map[loci.MemoryID]bool{}
	for _, m := range memories {
		block, err := s.block(ctx, m)
		if err != nil {
			return err
		}
		if len(block) == 0 || done[block[0].ID] {
			continue
		}
		done[block[0].ID] = true
		for _, mate := range block {
			fn(mate.ID)
		}
	}
	return nil
}
