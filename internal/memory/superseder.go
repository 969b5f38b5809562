package memory

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// showable removes from memories the id of the one that replaced it, if v does not see that. A superseded memory may
// have more readers than its replacement. Rows that are about to be stored keep the reference.
func showable(ctx context.Context, tx store.Tx, v loci.Viewer, memories ...*loci.Memory) error {
	var ids []loci.MemoryID
	for _, m := range memories {
		if !m.SupersededBy.IsZero() {
			ids = append(ids, m.SupersededBy)
		}
	}
	seen := map[loci.MemoryID]bool{}
	for part := range slices.Chunk(loci.Unique(ids), loci.MaxIDs) {
		found, err := tx.Memories().GetMany(ctx, v, part, loci.AnyState)
		if err != nil {
			return err
		}
		for _, m := range found {
			seen[m.ID] = true
		}
	}
	for _, m := range memories {
		if !seen[m.SupersededBy] {
			m.SupersededBy = loci.MemoryID{}
		}
	}
	return nil
}

// showableOne is showable for one memory that was just read.
func showableOne(ctx context.Context, tx store.Tx, v loci.Viewer, m *loci.Memory, err error) (*loci.Memory, error) {
	if err == nil {
		err = showable(ctx, tx, v, m)
	}
	return m, err
}

// stillSuperseded returns the memories that v sees and that stay superseded by id.
func stillSuperseded(ctx context.Context, tx store.Tx, v loci.Viewer, id loci.MemoryID) (
	[]loci.StillSuperseded, error) {
	rows, err := tx.Memories().ReplacedBy(ctx, v, id, loci.MaxIDs)
	if err != nil {
		return nil, err
	}
	var list []loci.StillSuperseded
	for _, m := range rows {
		one := loci.StillSuperseded{ID: m.ID, Title: m.Title, SupersededBy: id}
		if one.RevertTo, err = lastCurrent(ctx, tx, v, m.ID); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// lastCurrent returns the newest version of a memory that was not superseded, or 0 if v sees none.
func lastCurrent(ctx context.Context, tx store.Tx, v loci.Viewer, id loci.MemoryID) (int, error) {
	for before := 0; ; {
		page, err := tx.Memories().Versions(ctx, v, id, loci.AnyState, before, undoPage)
		if err != nil {
			return 0, err
		}
		for _, old := range page {
			if old.SupersededBy.IsZero() && old.DeletedAt.IsZero() {
				return old.Version, nil
			}
		}
		if len(page) < undoPage {
			return 0, nil
		}
		before = page[len(page)-1].Version
	}
}
